// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include <array>

#include "pmtr/fracture/shapes/families.h"
#include "pmtr/fracture/shapes/lathe.h"

namespace pmtr::shapes {
namespace {

using Eigen::Vector3d;
using lathe::curve;
using lathe::Lathe;
using lathe::Line;
using lathe::operator+;
using lathe::solid;
using Made = Result<TriangleMesh>;

/// From z = 0 up, straight; the edges cut off by `bevel`.
Line block(double height, double bevel) {
  if (bevel <= 0) return solid({{0, 0}, {1, 0}, {1, height}});
  return solid({{0, 0}, {1 - bevel, 0}, {1, bevel}, {1, height - bevel}, {1 - bevel, height}});
}

Made brick(Maker& m) {
  Lathe form;
  form.outline = lathe::rectangle(0.5, m.r(0.2, 0.4));
  const double height = m.r(0.15, 0.4);
  form.section = block(height, m.chance(0.4) ? m.r(0.02, 0.05) : 0.0);
  return turn(m, form);
}

Made tile(Maker& m) {
  Lathe form;
  form.outline = m.chance(0.4) ? lathe::polygon(6) : lathe::rectangle(0.5, m.r(0.3, 0.5));
  const double height = m.r(0.03, 0.08);
  form.section = block(height, m.chance(0.4) ? 0.3 * height : 0.0);
  return turn(m, form);
}

Made roof_tile(Maker& m) {
  const double half_arc = m.r(0.5, 1.4);
  const double bow = m.r(0.25, 0.4);
  Lathe form;
  form.outline = lathe::rectangle(m.r(0.02, 0.04), 0.5);
  form.section = solid({{0, -half_arc * bow}, {1, -half_arc * bow}, {1, half_arc * bow}});
  const double taper = m.r(0, 0.3);
  form.warps = {[=](const Vector3d& p) { return Vector3d(p.x(), p.y(), p.z() * (1 + taper * p.y())); },
                lathe::bend(bow), lathe::lie()};
  return turn(m, form);
}

Made slab(Maker& m) {
  Lathe form;
  const int corners = m.n(5, 9);
  for (int i = 0; i < corners; ++i) {
    const double angle = 2 * M_PI * (i + m.r(-0.25, 0.25)) / corners;
    form.outline.push_back(m.r(0.38, 0.55) * Eigen::Vector2d(std::cos(angle), std::sin(angle)));
  }
  form.section = block(m.r(0.08, 0.3), 0);
  form.warps = {lathe::lean(m.r(-0.2, 0.2))};
  return turn(m, form);
}

Made relief(Maker& m) {
  const double height = m.r(0.06, 0.12);
  Lathe form;
  form.outline = m.chance(0.5) ? lathe::rectangle(0.5, m.r(0.3, 0.5)) : Line{};
  form.section = solid({{0, 0}, {1, 0}, {1, height}});
  if (form.outline.empty()) form.section = solid({{0, 0}, {0.5, 0}, {0.5, height}});
  struct Bump {
    double x, y, width, height;
  };
  std::array<Bump, 6> bumps{};
  for (Bump& b : bumps) b = {m.r(-0.35, 0.35), m.r(-0.25, 0.25), m.r(0.05, 0.14), m.r(-0.5, 1.4) * height};
  const double rings = m.chance(0.5) ? m.r(0.15, 0.3) * height : 0.0;
  const double many = m.r(20, 35);
  form.warps = {[=](const Vector3d& p) {
    double lift = rings * std::sin(many * std::hypot(p.x(), p.y()));
    for (const Bump& b : bumps)
      lift +=
          b.height * std::exp(-(std::pow(p.x() - b.x, 2) + std::pow(p.y() - b.y, 2)) / (b.width * b.width));
    return Vector3d(p.x(), p.y(), p.z() * (1 + std::clamp(lift / height, -0.6, 1.5)));
  }};
  return turn(m, form);
}

Made disc(Maker& m) {
  const double height = m.r(0.05, 0.15);
  const double rim = m.r(0.03, 0.08);
  const double deep = height * m.r(0, 0.3);
  Lathe form;
  form.section =
      solid({{0, 0}, {0.5, 0}, {0.5, height}, {0.5 - rim, height}, {0.5 - rim * 1.3, height - deep}});
  return turn(m, form);
}

Made column(Maker& m) {
  const double radius = m.r(0.1, 0.18);
  const double wide = radius * m.r(1.1, 1.4);
  const double slim = radius * m.r(0.75, 1);
  Lathe form;
  const int flutes = m.n(8, 16);
  if (m.chance(0.6)) form.outline = lathe::flutes(flutes, m.r(0.08, 0.16));
  form.section =
      solid({{0, 0}, {wide, 0}, {wide, 0.07}, {radius, 0.09}, {slim, 0.9}, {wide, 0.94}, {wide, 1}});
  return turn(m, form);
}

Made capital(Maker& m) {
  const double neck = m.r(0.24, 0.32);
  const double height = m.r(0.4, 0.7);
  const double slab = m.r(0.08, 0.14);
  Lathe form;
  form.outline = lathe::rectangle(1, 1);
  form.section =
      solid(Line{{0, 0}} + curve({{neck, 0}, {neck * m.r(0.9, 1), height * 0.35}, {0.42, height}}) +
            Line{{0.5, height}, {0.5, height + slab}});
  form.roundness = [=](double z) { return std::clamp(1.2 - z / height, 0.0, 1.0); };
  return turn(m, form);
}

Made cone(Maker& m) {
  Lathe form;
  form.section = solid({{0, 0}, {m.r(0.2, 0.5), 0}, {m.r(0.02, 0.15), m.r(0.5, 1)}});
  form.warps = {lathe::lean(m.r(-0.3, 0.3))};
  return turn(m, form);
}

Made pyramid(Maker& m) {
  Lathe form;
  form.outline = lathe::polygon(m.n(3, 5));
  form.section = solid({{0, 0}, {0.5, 0}, {m.r(0.02, 0.25), m.r(0.4, 0.8)}});
  return turn(m, form);
}

Made obelisk(Maker& m) {
  const double base = m.r(0.12, 0.2);
  const double top = base * m.r(0.5, 0.8);
  Lathe form;
  form.outline = lathe::rectangle(1, m.r(0.7, 1));
  form.section = solid({{0, 0}, {base * 1.4, 0}, {base * 1.4, 0.1}, {base, 0.1}, {top, 0.88}, {0.01, 1}});
  return turn(m, form);
}

Made prism(Maker& m) {
  Lathe form;
  form.outline = lathe::polygon(m.n(3, 8));
  const double radius = m.r(0.15, 0.5);
  form.section = solid({{0, 0}, {radius, 0}, {radius, m.r(0.2, 1)}});
  form.warps = {lathe::twist(m.chance(0.3) ? m.r(-1, 1) : 0.0)};
  return turn(m, form);
}

Made gear(Maker& m) {
  const double height = m.r(0.1, 0.25);
  const double hole = m.r(0.1, 0.2);
  Lathe form;
  const int teeth = m.n(7, 14);
  form.outline = lathe::gear(teeth, m.r(0.75, 0.85));
  form.closed = m.chance(0.7);
  form.section = form.closed ? Line{{hole, 0}, {0.5, 0}, {0.5, height}, {hole, height}}
                             : solid({{0, 0}, {0.5, 0}, {0.5, height}});
  return turn(m, form);
}

Made star(Maker& m) {
  Lathe form;
  const int points = m.n(4, 8);
  form.outline = lathe::star(points, m.r(0.45, 0.7));
  const double height = m.r(0.1, 0.3);
  form.section = solid({{0, 0}, {0.5, 0}, {0.5 * m.r(0.5, 1), height}});
  return turn(m, form);
}

Made wedge(Maker& m) {
  Lathe form;
  form.outline = lathe::rectangle(0.5, m.r(0.2, 0.45));
  form.section = block(m.r(0.25, 0.6), 0);
  const double thin = m.r(0.08, 0.3);
  form.warps = {
      [=](const Vector3d& p) { return Vector3d(p.x(), p.y(), p.z() * (thin + (1 - thin) * (p.x() + 0.5))); }};
  return turn(m, form);
}

Made stepped_block(Maker& m) {
  Lathe form;
  form.outline = lathe::rectangle(1, m.r(0.5, 1));
  Line outside{{0, 0}};
  const int count = m.n(2, 4);
  double radius = 0.5;
  double height = 0;
  for (int i = 0; i < count; ++i) {
    outside.emplace_back(radius, height);
    height += m.r(0.08, 0.2);
    outside.emplace_back(radius, height);
    radius *= m.r(0.6, 0.8);
  }
  form.section = solid(outside);
  return turn(m, form);
}

Made egg(Maker& m) {
  const double high = m.r(0.9, 1.1);
  Lathe form;
  form.section = solid(curve({{0, 0},
                              {m.r(0.2, 0.25), 0.07},
                              {m.r(0.34, 0.4), 0.4},
                              {m.r(0.2, 0.27), 0.82},
                              {0.06, high},
                              {0, high + 0.01}}));
  form.uneven = 1;
  form.warps = {lathe::scale(1, m.r(0.7, 1), 1)};
  return turn(m, form);
}

Made cross(Maker& m) {
  const double longer = m.r(1, 2);
  Lathe form;
  form.outline = lathe::plus(m.r(0.2, 0.4));
  const double thick = m.r(0.06, 0.14);
  form.section = solid({{0, -thick}, {0.35, -thick}, {0.35, thick}});
  form.warps = {
      [=](const Vector3d& p) { return Vector3d(p.x(), -p.z(), p.y() < 0 ? p.y() * longer : p.y()); }};
  return turn(m, form);
}

Made arch(Maker& m) {
  const double bow = m.r(0.28, 0.38);
  const double half = m.r(0.9, 1.57) * bow;
  Lathe form;
  const double high = m.r(0.07, 0.13);
  form.outline = lathe::rectangle(high, m.r(0.08, 0.2));
  form.section = solid({{0, -half}, {1, -half}, {1, half}});
  form.warps = {lathe::bend(bow), lathe::lie()};
  return turn(m, form);
}

Made ring(Maker& m) {
  const double thick = m.r(0.06, 0.15);
  const double power = m.r(2, 4);
  Lathe form;
  form.closed = true;
  for (const Eigen::Vector2d& p : lathe::squarish(power))
    form.section.push_back(thick * p + Eigen::Vector2d(0.5 - thick, 0));
  const double oval = m.r(0.7, 1);
  form.warps = {lathe::scale(1, oval, m.r(0.6, 1.4))};
  return turn(m, form);
}

Made whorl(Maker& m) {
  const double hole = m.r(0.08, 0.16);
  const double height = m.r(0.15, 0.4);
  Lathe form;
  form.closed = true;
  form.section = Line{{hole, 0}} + curve({{0.25, 0}, {0.5, height * m.r(0.3, 0.6)}, {0.2, height}}) +
                 Line{{hole, height}};
  form.uneven = 1;
  return turn(m, form);
}

Made baluster(Maker& m) {
  Lathe form;
  const double base = m.r(0.14, 0.2);
  Line knots{{base * 0.7, 0.1}};
  for (int i = 1; i < 7; ++i) knots.emplace_back(m.r(0.05, 0.17), 0.1 + 0.8 * i / 7);
  knots.emplace_back(base * 0.7, 0.9);
  form.section = solid(Line{{0, 0}, {base, 0}, {base, 0.1}} + curve(knots) + Line{{base, 0.9}, {base, 1}});
  if (m.chance(0.3)) form.outline = lathe::polygon(m.n(4, 8));
  return turn(m, form);
}

constexpr std::array block_table{
    Family{"brick", "sharp or bevelled", brick},
    Family{"tile", "flat, four or six corners", tile},
    Family{"roof_tile", "a curved tile", roof_tile},
    Family{"slab", "a flat stone with corners", slab},
    Family{"relief", "a plate with a relief", relief},
    Family{"disc", "round and flat, with a rim", disc},
    Family{"column", "plain or fluted", column},
    Family{"capital", "round below, square above", capital},
    Family{"cone", "a cone, straight or leaning", cone},
    Family{"pyramid", "three to five sides", pyramid},
    Family{"obelisk", "a tall stone with a tip", obelisk},
    Family{"prism", "three to eight sides, some twisted", prism},
    Family{"gear", "a toothed wheel, mostly with a hole", gear},
    Family{"star", "a flat star", star},
    Family{"wedge", "thick at one end", wedge},
    Family{"stepped_block", "two to four steps", stepped_block},
    Family{"egg", "smooth everywhere", egg},
    Family{"cross", "four arms", cross},
    Family{"arch", "a bent beam", arch},
    Family{"ring", "a thick ring", ring},
    Family{"whorl", "a round weight with a hole", whorl},
    Family{"baluster", "a turned post", baluster},
};

}  // namespace

std::span<const Family> block_families() { return block_table; }

}  // namespace pmtr::shapes
