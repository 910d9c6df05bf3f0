// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/train/curves_page.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include <fmt/format.h>

namespace pmtr {
namespace {

constexpr double width = 520, height = 240, left = 56, right = 12, top = 12, bottom = 28;

struct Curve {
  std::vector<double> steps;
  std::vector<double> values;
};

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '<') {
      out += "&lt;";
    } else if (c == '&') {
      out += "&amp;";
    } else {
      out += c;
    }
  }
  return out;
}

/// At most some hundred points, each the mean of its neighbours in time.
Curve smoothed(const Curve& curve) {
  constexpr std::size_t most = 300;
  const std::size_t group = std::max<std::size_t>(1, curve.steps.size() / most);
  Curve out;
  for (std::size_t i = 0; i < curve.steps.size(); i += group) {
    const std::size_t end = std::min(i + group, curve.steps.size());
    double step = 0.0, value = 0.0;
    for (std::size_t k = i; k < end; ++k) step += curve.steps[k], value += curve.values[k];
    out.steps.push_back(step / static_cast<double>(end - i));
    out.values.push_back(value / static_cast<double>(end - i));
  }
  return out;
}

std::string picture(const std::string& name, const Curve& all, bool points) {
  const Curve curve = points ? all : smoothed(all);
  const auto [low_at, high_at] = std::minmax_element(curve.values.begin(), curve.values.end());
  double low = *low_at;
  double high = *high_at;
  if (high - low < 1e-12) low -= 0.5, high += 0.5;
  const double last = std::max(1.0, curve.steps.back());
  const auto x = [&](double step) { return left + (width - left - right) * step / last; };
  const auto y = [&](double value) { return top + (height - top - bottom) * (high - value) / (high - low); };
  std::string svg = fmt::format(
      "<figure><figcaption>{}: {:.4g}</figcaption><svg viewBox=\"0 0 {} {}\" role=\"img\" "
      "aria-label=\"{} over steps, last value {:.4g}\">\n",
      escaped(name), all.values.back(), width, height, escaped(name), all.values.back());
  for (int i = 0; i <= 4; ++i) {
    const double value = low + (high - low) * i / 4.0;
    svg += fmt::format(
        "<line class=\"grid\" x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/>"
        "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{:.3g}</text>\n",
        left, width - right, y(value), y(value), left - 5, y(value) + 4, value);
    const double step = last * i / 4.0;
    svg += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{:.0f}</text>\n", x(step),
                       height - 8, step);
  }
  svg += "<polyline points=\"";
  for (std::size_t i = 0; i < curve.steps.size(); ++i)
    svg += fmt::format("{:.1f},{:.1f} ", x(curve.steps[i]), y(curve.values[i]));
  svg += "\"/>\n";
  if (points) {
    for (std::size_t i = 0; i < curve.steps.size(); ++i)
      svg += fmt::format(
          "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\"><title>step {:.0f}: {:.4g}</title></circle>\n",
          x(curve.steps[i]), y(curve.values[i]), curve.steps[i], curve.values[i]);
  }
  return svg + "</svg></figure>\n";
}

}  // namespace

std::string curves_page(std::span<const LogRecord> records, const std::string& title) {
  std::map<std::string, std::map<std::string, Curve>> curves;
  std::int64_t last = 0;
  for (const LogRecord& record : records) {
    last = std::max(last, record.step);
    for (const auto& [name, value] : record.values) {
      if (!std::isfinite(value)) continue;
      Curve& curve = curves[record.kind][name];
      curve.steps.push_back(static_cast<double>(record.step));
      curve.values.push_back(value);
    }
  }
  std::string page = fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{0}</title>\n<style>\n"
      ":root {{ color-scheme: light dark; }}\n"
      "body {{ font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 72rem; padding: 0 1rem; "
      "}}\n"
      "section {{ display: grid; grid-template-columns: repeat(auto-fill, minmax(26rem, 1fr)); gap: 1rem; "
      "}}\n"
      "figure {{ margin: 0; }} figcaption {{ font-weight: 600; }} svg {{ width: 100%; }}\n"
      "text {{ font-size: 11px; fill: currentColor; }} .grid {{ stroke: currentColor; opacity: .15; }}\n"
      "polyline {{ fill: none; stroke: #2f6fb0; stroke-width: 1.5; }} circle {{ fill: #c2571a; }}\n"
      "</style></head><body>\n<h1>{0}</h1>\n<p>{1} updates of the weights.</p>\n",
      escaped(title), last);
  for (const auto& [kind, by_name] : curves) {
    page += fmt::format("<h2>{}</h2>\n<section>\n", kind == "validation" ? "Validation" : "Training");
    for (const auto& [name, curve] : by_name) page += picture(name, curve, kind == "validation");
    page += "</section>\n";
  }
  return page + "</body></html>\n";
}

}  // namespace pmtr
