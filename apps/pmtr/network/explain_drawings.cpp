// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "explain_drawings.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>
#include <Eigen/Geometry>

namespace pmtr::command {
namespace {

constexpr std::array fragment_colours{"#1f5fae", "#c2392b"};
constexpr std::array fragment_pales{"#c9d8ea", "#edd0cc"};
constexpr const char* proxy_colour = "#1c9148";
constexpr const char* partner_colour = "#e69f00";

std::string svg_begin(double width, double height, const std::string& title) {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" "
      "height=\"{1:.0f}\" font-family=\"sans-serif\" font-size=\"14\">\n<rect width=\"100%\" height=\"100%\" "
      "fill=\"#fff\"/>\n<title>{2}</title>\n",
      width, height, title);
}

std::string disc(const Eigen::Vector2d& at, double r, const std::string& style) {
  return fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\" {}/>\n", at.x(), at.y(), r, style);
}

std::string legend(double x, double y, const std::vector<std::pair<std::string, std::string>>& entries) {
  std::string text;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const double line = y + 20.0 * static_cast<double>(i);
    text += disc({x, line - 5.0}, 5.0, entries[i].first) +
            fmt::format("<text x=\"{:.0f}\" y=\"{:.0f}\">{}</text>\n", x + 12.0, line, entries[i].second);
  }
  return text;
}

/// A fragment turned so that its breaks face the viewer, in a square of the picture.
class View {
 public:
  View(const ExplainedFragment& fragment, const Eigen::Vector2d& corner, double size) {
    Eigen::Vector3d centre = Eigen::Vector3d::Zero(), broken = Eigen::Vector3d::Zero();
    for (const auto& point : fragment.surface) centre += point.cast<double>();
    centre /= std::max(1.0, static_cast<double>(fragment.surface.size()));
    for (const auto& point : fragment.points) broken += point.cast<double>() - centre;
    // From a little aside, so that a plane break still shows its shape.
    const Eigen::Vector3d towards =
        broken.norm() > 1e-9 ? Eigen::Vector3d(broken.normalized()) : Eigen::Vector3d::UnitZ();
    turn_ = Eigen::AngleAxisd(0.45, Eigen::Vector3d(1.0, 0.6, 0.0).normalized()) *
            Eigen::Quaterniond::FromTwoVectors(towards, Eigen::Vector3d::UnitZ());
    double reach = 1e-9;
    for (const auto& point : fragment.surface)
      reach = std::max(reach, (point.cast<double>() - centre).norm());
    centre_ = centre;
    scale_ = 0.46 * size / reach;
    middle_ = corner + Eigen::Vector2d::Constant(0.5 * size);
  }
  Eigen::Vector3d turned(const Eigen::Vector3f& point) const {
    return turn_ * (point.cast<double>() - centre_);
  }
  Eigen::Vector2d operator()(const Eigen::Vector3f& point) const {
    const Eigen::Vector3d seen = turned(point);
    return middle_ + scale_ * Eigen::Vector2d(seen.x(), -seen.y());
  }

 private:
  Eigen::Quaterniond turn_;
  Eigen::Vector3d centre_;
  Eigen::Vector2d middle_;
  double scale_ = 1.0;
};

/// The surface as faint points, the farthest first.
std::string draw_surface(const ExplainedFragment& fragment, const View& view, const char* colour) {
  constexpr std::size_t most = 3000;
  const std::size_t step = std::max<std::size_t>(1, fragment.surface.size() / most);
  std::vector<std::pair<double, Eigen::Vector2d>> points;
  for (std::size_t i = 0; i < fragment.surface.size(); i += step)
    points.emplace_back(view.turned(fragment.surface[i]).z(), view(fragment.surface[i]));
  std::stable_sort(points.begin(), points.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::string text = fmt::format("<g fill=\"{}\">\n", colour);
  for (const auto& [depth, at] : points) text += disc(at, 1.6, "");
  return text + "</g>\n";
}

/// The third of the superpoints that are nearest to a proxy.
std::vector<bool> nearest_third(const std::vector<float>& cosines) {
  std::vector<bool> chosen(cosines.size(), false);
  std::vector<std::size_t> order(cosines.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return cosines[a] > cosines[b]; });
  for (std::size_t i = 0; i < order.size() / 3; ++i) chosen[order[i]] = true;
  return chosen;
}

}  // namespace

std::string draw_features(const PairExplanation& explanation) {
  constexpr double size = 720, border = 40, above = 90;  // the legend stands above
  Eigen::AlignedBox2d box;
  for (const auto& fragment : explanation.fragments)
    for (const auto& place : fragment.places) box.extend(place);
  for (const auto& place : explanation.proxies) box.extend(place);
  const double scale = (size - 2.0 * border) / std::max(1e-9, box.sizes().maxCoeff());
  const auto at = [&](const Eigen::Vector2d& place) -> Eigen::Vector2d {
    return Eigen::Vector2d(0.5 * size, above + 0.5 * size) + scale * (place - box.center());
  };
  std::string text = svg_begin(size, above + size, "Superpoint features and proxies, t-SNE");
  for (const auto& place : explanation.proxies)
    text += disc(at(place), 4.0, fmt::format("fill=\"{}\" fill-opacity=\"0.75\"", proxy_colour));
  for (std::size_t f = 0; f < 2; ++f) {
    const ExplainedFragment& fragment = explanation.fragments[f];
    for (std::size_t i = 0; i < fragment.places.size(); ++i) {
      const std::string ring =
          fragment.near_partner[i] ? fmt::format(" stroke=\"{}\" stroke-width=\"2.5\"", partner_colour) : "";
      text += disc(at(fragment.places[i]), 5.0, fmt::format("fill=\"{}\"{}", fragment_colours[f], ring));
    }
  }
  const auto fill = [](const char* colour) { return fmt::format("fill=\"{}\"", colour); };
  text += legend(16, 24,
                 {{fill(fragment_colours[0]), "superpoints of the first fragment"},
                  {fill(fragment_colours[1]), "superpoints of the second"},
                  {fill(proxy_colour), fmt::format("proxies ({})", explanation.proxies.size())},
                  {fmt::format("fill=\"#fff\" stroke=\"{}\" stroke-width=\"2.5\"", partner_colour),
                   "on the mating surface, by the pose that matches agree on"}});
  return text + "</svg>\n";
}

std::string draw_fragments(const PairExplanation& explanation) {
  constexpr double size = 480;
  std::string text =
      svg_begin(2.0 * size, size + 60.0, "Superpoints nearest to a proxy and near the partner");
  for (std::size_t f = 0; f < 2; ++f) {
    const ExplainedFragment& fragment = explanation.fragments[f];
    const View view(fragment, {static_cast<double>(f) * size, 60.0}, size);
    text += draw_surface(fragment, view, fragment_pales[f]);
    const std::vector<bool> nearest = nearest_third(fragment.proxy_cosines);
    for (std::size_t i = 0; i < fragment.superpoints.size(); ++i) {
      const char* colour = i < nearest.size() && nearest[i] ? proxy_colour : "#888888";
      const std::string ring =
          fragment.near_partner[i] ? fmt::format(" stroke=\"{}\" stroke-width=\"2.5\"", partner_colour) : "";
      text += disc(view(fragment.superpoints[i]), 5.0, fmt::format("fill=\"{}\"{}", colour, ring));
    }
  }
  text +=
      legend(16, 20,
             {{fmt::format("fill=\"{}\"", proxy_colour), "the third of the superpoints nearest to a proxy"},
              {fmt::format("fill=\"#fff\" stroke=\"{}\" stroke-width=\"2.5\"", partner_colour),
               "on the mating surface, by the pose that matches agree on"}});
  return text + "</svg>\n";
}

std::string draw_matches(const PairExplanation& explanation) {
  constexpr double size = 480;
  std::string text = svg_begin(2.0 * size, size + 40.0, "Matches");
  const View first(explanation.fragments[0], {0.0, 40.0}, size),
      second(explanation.fragments[1], {size, 40.0}, size);
  text += draw_surface(explanation.fragments[0], first, fragment_pales[0]);
  text += draw_surface(explanation.fragments[1], second, fragment_pales[1]);
  const auto lines = [&](const std::vector<std::pair<int, int>>& matches, const char* style) {
    constexpr std::size_t most = 150;
    const std::size_t step = std::max<std::size_t>(1, (matches.size() + most - 1) / most);
    for (std::size_t i = 0; i < matches.size(); i += step) {
      const Eigen::Vector2d a =
          first(explanation.fragments[0].points[static_cast<std::size_t>(matches[i].first)]);
      const Eigen::Vector2d b =
          second(explanation.fragments[1].points[static_cast<std::size_t>(matches[i].second)]);
      text += fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" {}/>\n", a.x(),
                          a.y(), b.x(), b.y(), style);
    }
  };
  lines(explanation.others, "stroke=\"#999\" stroke-width=\"0.5\" stroke-opacity=\"0.5\"");
  lines(explanation.agreeing, "stroke=\"#1c9148\" stroke-width=\"0.9\" stroke-opacity=\"0.8\"");
  text += fmt::format("<text x=\"16\" y=\"24\">{} of {} mutual matches agree on one pose</text>\n",
                      explanation.agreeing.size(), explanation.agreeing.size() + explanation.others.size());
  return text + "</svg>\n";
}

}  // namespace pmtr::command
