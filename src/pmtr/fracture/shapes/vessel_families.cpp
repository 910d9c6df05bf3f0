// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include <array>

#include "pmtr/fracture/shapes/families.h"
#include "pmtr/fracture/shapes/lathe.h"

namespace pmtr::shapes {
namespace {

using lathe::cup;
using lathe::curve;
using lathe::Lathe;
using lathe::Line;
using lathe::operator+;
using lathe::solid;
using Made = Result<TriangleMesh>;

Made wine_glass(Maker& m) {
  const double foot = m.r(0.17, 0.25);
  const double stem = m.r(0.022, 0.04);
  const double bowl = m.r(0.35, 0.55);
  const double belly = m.r(0.17, 0.28);
  const double edge = m.r(0.015, 0.03);
  Lathe form;
  const Line outside = Line{{0, 0}, {foot, 0}} + curve({{foot, edge},
                                                        {foot * 0.5, edge + 0.03},
                                                        {stem * 1.1, 0.12},
                                                        {stem, bowl - 0.08},
                                                        {belly * 0.55, bowl + 0.02},
                                                        {belly, m.r(0.66, 0.8)},
                                                        {belly * m.r(0.75, 1.05), 1}});
  form.section = cup(outside, m.wall_of(0.015, 0.035), bowl - 0.03);
  return turn(m, form);
}

Made chalice(Maker& m) {
  const double foot = m.r(0.2, 0.3);
  const double stem = m.r(0.05, 0.09);
  const double bowl = m.r(0.35, 0.5);
  const double rim = m.r(0.25, 0.36);
  Lathe form;
  form.outline = m.chance(0.4) ? lathe::polygon(m.n(6, 10)) : Line{};
  const Line outside =
      Line{{0, 0}, {foot, 0}, {foot, 0.04}} + curve({{foot * 0.8, 0.06}, {stem, 0.16}, {stem, bowl * 0.5}}) +
      curve({{stem * 1.7, bowl * 0.62}, {stem * 1.1, bowl * 0.8}, {rim * 0.8, bowl + 0.12}, {rim, 0.9}});
  form.section = cup(outside, m.wall_of(0.025, 0.05), bowl);
  form.uneven = 0.5;
  return turn(m, form);
}

Made footed_bowl(Maker& m) {
  const double ring = m.r(0.16, 0.26);
  const double height = m.r(0.25, 0.45);
  Lathe form;
  const int flutes = m.n(6, 16);
  form.outline = m.chance(0.3) ? lathe::flutes(flutes, m.r(0.03, 0.08)) : Line{};
  const Line outside = Line{{0, 0.03}, {ring * 0.75, 0.03}, {ring * 0.8, 0}, {ring, 0}, {ring, 0.06}} +
                       curve({{ring * 1.05, 0.07}, {m.r(0.38, 0.45), height * 0.5}, {0.5, height}});
  form.section = cup(outside, m.wall_of(0.02, 0.05), 0.05);
  form.uneven = 1;
  return turn(m, form);
}

Made beaker(Maker& m) {
  const double base = m.r(0.18, 0.36);
  const double rim = base * m.r(0.9, 1.5);
  Lathe form;
  if (m.chance(0.3)) form.outline = lathe::polygon(m.n(6, 12));
  const double wall = m.wall_of(0.02, 0.06);
  form.section = cup({{0, 0}, {base, 0}, {rim, m.r(0.6, 1)}}, wall, 0.0);
  form.uneven = 0.7;
  return turn(m, form);
}

Made flower_pot(Maker& m) {
  const double base = m.r(0.24, 0.32);
  const double rim = m.r(0.38, 0.46);
  const double height = m.r(0.55, 0.85);
  const double band = m.r(0.12, 0.2);
  const double lip = m.r(0.02, 0.04);
  Lathe form;
  form.section =
      cup({{0, 0}, {base, 0}, {rim, height - band}, {rim + lip, height - band}, {rim + lip, height}},
          m.wall_of(0.03, 0.05), 0.0);
  form.uneven = 0.6;
  return turn(m, form);
}

Line jar_outside(Maker& m, double belly, double neck) {
  const double shoulder = m.r(0.5, 0.65);
  return Line{{0, 0}} + curve({{belly * m.r(0.5, 0.75), 0},
                               {belly * 0.97, shoulder * 0.55},
                               {belly * 0.95, shoulder},
                               {neck, 0.83},
                               {neck * 0.98, 0.9},
                               {neck * m.r(1.1, 1.3), 1}});
}

Made jar(Maker& m) {
  const double belly = m.r(0.33, 0.48);
  const double neck = belly * m.r(0.5, 0.75);
  Lathe form;
  const double wall = m.wall_of(0.02, 0.05);
  form.section = cup(jar_outside(m, belly, neck), wall, 0.0);
  form.uneven = 1;
  return turn(m, form);
}

Made twisted_vase(Maker& m) {
  const double belly = m.r(0.22, 0.34);
  const double neck = belly * m.r(0.5, 0.7);
  Lathe form;
  const double wall = m.wall_of(0.025, 0.05);
  form.section = cup(jar_outside(m, belly, neck), wall, 0.0);
  const int flutes = m.n(5, 12);
  form.outline = m.chance(0.5) ? lathe::flutes(flutes, m.r(0.06, 0.14)) : lathe::polygon(m.n(4, 6));
  form.warps = {lathe::twist(m.r(-2.5, 2.5))};
  return turn(m, form);
}

Made amphora(Maker& m) {
  const double belly = m.r(0.2, 0.28);
  const double neck = belly * m.r(0.32, 0.45);
  const double base = m.r(0.03, 0.1);
  Lathe form;
  const Line outside = Line{{0, 0}} + curve({{base, 0},
                                             {base * 1.05, 0.06},
                                             {belly * 0.8, 0.3},
                                             {belly, m.r(0.45, 0.5)},
                                             {neck * 1.15, 0.72},
                                             {neck, 0.8},
                                             {neck, 0.93},
                                             {neck * 1.3, 1}});
  form.section = cup(outside, m.wall_of(0.018, 0.035), 0.05);
  const double top = m.r(0.86, 0.89);
  const double reach = m.r(0.15, 0.2);
  for (const bool opposite : {false, true}) form.handles.push_back({top, 0.62, reach, 0.05, opposite});
  form.uneven = 0.6;
  return turn(m, form);
}

Made kantharos(Maker& m) {
  const double rim = m.r(0.27, 0.34);
  const double stem = m.r(0.06, 0.1);
  const double foot = m.r(0.15, 0.2);
  Lathe form;
  const Line outside =
      Line{{0, 0}, {foot, 0}} +
      curve({{foot, 0.03}, {stem, 0.1}, {stem, 0.15}, {rim * 0.75, 0.28}, {rim * 0.85, 0.45}, {rim, 0.75}});
  form.section = cup(outside, m.wall_of(0.02, 0.04), 0.17);
  const double reach = m.r(0.1, 0.16);
  for (const bool opposite : {false, true})
    form.handles.push_back({m.r(0.62, 0.66), 0.34, reach, 0.045, opposite});
  return turn(m, form);
}

Made cooking_pot(Maker& m) {
  const double belly = 0.42;
  const double height = m.r(0.4, 0.7);
  Lathe form;
  const Line outside = Line{{0, 0}} + curve({{belly * m.r(0.3, 0.7), 0},
                                             {belly * 0.95, height * 0.35},
                                             {belly, height * 0.6},
                                             {belly * 0.9, height}});
  form.section = cup(outside, m.wall_of(0.025, 0.05), 0.0);
  const double thick = m.r(0.05, 0.06);
  for (const bool opposite : {false, true})
    form.handles.push_back({height * 0.75, height * 0.42, m.r(0.09, 0.13), thick, opposite});
  form.uneven = 0.8;
  return turn(m, form);
}

/// Pulls the rim out on one side, as a potter's finger does.
lathe::Warp lip(double from, double to, double amount) {
  return [=](const Eigen::Vector3d& p) {
    const double high = std::clamp((p.z() - from) / (to - from), 0.0, 1.0);
    const double radius = std::hypot(p.x(), p.y());
    const double there = radius > 0 ? std::pow(std::max(0.0, -p.x() / radius), 10) : 0.0;
    return Eigen::Vector3d(p.x() - amount * high * high * there, p.y(), p.z() + 0.2 * amount * high * there);
  };
}

Made pitcher(Maker& m) {
  const double belly = m.r(0.24, 0.34);
  const double neck = belly * m.r(0.55, 0.75);
  Lathe form;
  const Line outside =
      Line{{0, 0}} +
      curve({{belly * 0.7, 0}, {belly, m.r(0.3, 0.4)}, {neck, 0.72}, {neck * m.r(1.0, 1.15), 0.95}});
  form.section = cup(outside, m.wall_of(0.02, 0.045), 0.0);
  form.handles.push_back({m.r(0.8, 0.84), m.r(0.36, 0.42), m.r(0.24, 0.3), 0.06, false});
  form.uneven = 0.7;
  form.warps = {lip(0.7, 0.95, m.r(0.06, 0.14))};
  return turn(m, form);
}

Made teapot(Maker& m) {
  const double belly = m.r(0.34, 0.4);
  const double height = m.r(0.5, 0.62);
  const double mouth = m.r(0.15, 0.2);
  Lathe form;
  const Line outside =
      Line{{0, 0}} +
      curve({{belly * 0.6, 0}, {belly, height * 0.42}, {mouth * 1.5, height * 0.85}, {mouth, height}});
  form.section = cup(outside, m.wall_of(0.02, 0.04), 0.0);
  form.handles.push_back({height * 0.66, height * 0.22, m.r(0.17, 0.22), 0.06, false});
  form.spout = lathe::Spout{height * m.r(0.2, 0.3), m.r(0.2, 0.28), m.r(0.12, 0.24), m.r(0.11, 0.15)};
  form.uneven = 0.3;
  return turn(m, form);
}

Made oil_lamp(Maker& m) {
  const double belly = 0.36;
  const double height = m.r(0.22, 0.32);
  const double mouth = m.r(0.1, 0.16);
  Lathe form;
  const Line outside = Line{{0, 0}} + curve({{belly * 0.6, 0},
                                             {belly, height * 0.5},
                                             {belly * 0.8, height * 0.88},
                                             {mouth * 1.2, height * 0.95},
                                             {mouth, height}});
  form.section = cup(outside, m.wall_of(0.025, 0.04), 0.0);
  form.spout = lathe::Spout{height * 0.25, m.r(0.22, 0.36), m.r(0, 0.08), m.r(0.1, 0.13)};
  if (m.chance(0.7)) form.handles.push_back({height * 0.54, height * 0.12, m.r(0.12, 0.18), 0.04, false});
  return turn(m, form);
}

Made lid(Maker& m) {
  // Upside down: the knob is at the bottom.
  const double knob = m.r(0.05, 0.1);
  const double neck = knob * m.r(0.5, 0.8);
  const double depth = m.r(0.12, 0.3);
  const double high = knob * m.r(1.2, 2.2);
  Lathe form;
  form.outline = m.chance(0.2) ? lathe::squarish(m.r(3, 6)) : Line{};
  Line outside = curve({{0, 0}, {knob * 0.7, 0.01}, {knob, high * 0.45}, {neck, high}});
  outside = outside + curve({{neck * 1.1, high + 0.01}, {0.3, high + depth * 0.3}, {0.5, high + depth}});
  if (m.chance(0.5)) outside.emplace_back(0.5, high + depth + 0.05);
  form.section = cup(outside, m.wall_of(0.025, 0.06), high);
  form.warps = {lathe::flip()};
  return turn(m, form);
}

Made funnel(Maker& m) {
  const double stem = m.r(0.05, 0.1);
  const double length = m.r(0.2, 0.5);
  Lathe form;
  form.closed = true;
  const double wall = m.wall_of(0.02, 0.04);
  form.section =
      lathe::pipe({{stem, 0}, {stem * 1.15, length}, {m.r(0.35, 0.45), length + m.r(0.25, 0.5)}}, wall);
  return turn(m, form);
}

Made tube(Maker& m) {
  const double radius = m.r(0.1, 0.35);
  Lathe form;
  form.closed = true;
  if (m.chance(0.4)) form.outline = lathe::polygon(m.n(3, 8));
  Line outside{{radius, 0}, {radius * m.r(0.8, 1.2), 1}};
  if (m.chance(0.4)) outside = outside + Line{{radius * 1.35, 1}, {radius * 1.35, 1.12}};
  form.section = lathe::pipe(outside, m.wall_of(0.03, 0.07));
  return turn(m, form);
}

Made elbow(Maker& m) {
  const double radius = m.r(0.1, 0.16);
  const double angle = m.r(0.9, 2.2);
  const double bow = m.r(0.3, 0.45);
  Lathe form;
  form.closed = true;
  form.section = lathe::pipe({{radius, 0}, {radius, angle * bow}}, m.wall_of(0.03, 0.06));
  form.warps = {lathe::bend(bow)};
  return turn(m, form);
}

Made horn(Maker& m) {
  const double mouth = m.r(0.13, 0.2);
  Lathe form;
  const double wall = m.wall_of(0.02, 0.035);
  form.section = cup(curve({{0, 0}, {0.03, 0.02}, {mouth * 0.5, 0.45}, {mouth, m.r(0.95, 1.15)}}), wall, 0.1);
  form.warps = {lathe::bend(m.r(0.45, 1.0))};
  return turn(m, form);
}

Made dome(Maker& m) {
  const double height = m.r(0.3, 0.55);
  Lathe form;
  form.outline = m.chance(0.3) ? lathe::polygon(m.n(6, 9)) : Line{};
  form.section = cup(curve({{0, 0}, {0.2, height * 0.06}, {0.4, height * 0.4}, {0.5, height}}),
                     m.wall_of(0.03, 0.08), 0.0);
  form.warps = {lathe::flip()};
  return turn(m, form);
}

Made helmet(Maker& m) {
  const double brim = m.r(0.06, 0.14);
  Lathe form;
  const double wall = m.wall_of(0.02, 0.04);
  form.section =
      cup(curve({{0, 0}, {0.16, 0.03}, {0.32, 0.2}, {0.36, 0.5}}) + Line{{0.36 + brim, m.r(0.52, 0.58)}},
          wall, 0.0);
  const double crest = m.r(0, 0.1);
  const double slope = m.r(0, 0.3);
  form.warps = {lathe::flip(), lathe::scale(1.25, 1, 1), lathe::press([=](double x, double y) {
                  return crest * std::exp(-y * y / 0.004) - slope * x * x;
                })};
  return turn(m, form);
}

Made bell(Maker& m) {
  const double crown = m.r(0.2, 0.28);
  Lathe form;
  Line outside = curve({{0, 0}, {0.06, 0.02}, {0.05, 0.1}});
  outside = outside +
            curve({{0.07, 0.11}, {crown, 0.16}, {crown * 1.15, 0.45}, {crown * 1.35, 0.75}, {0.44, 0.95}});
  form.section = cup(outside, m.wall_of(0.03, 0.06), 0.1);
  form.warps = {lathe::flip()};
  return turn(m, form);
}

Made sphere_shell(Maker& m) {
  const double open = m.r(0.5, 0.9);  // the angle of the opening, from the top
  Line outside;
  for (int i = 0; i <= 64; ++i) {
    const double angle = (M_PI - open) * i / 64;
    outside.emplace_back(0.5 * std::sin(angle), -0.5 * std::cos(angle));
  }
  outside.front().x() = 0;
  Lathe form;
  form.section = cup(outside, m.wall_of(0.03, 0.08), -0.5);
  form.warps = {lathe::scale(1, 1, m.r(0.7, 1.3))};
  return turn(m, form);
}

Made square_plate(Maker& m) {
  const double height = m.r(0.05, 0.12);
  Lathe form;
  form.outline = m.chance(0.5) ? lathe::squarish(m.r(3, 8)) : lathe::rectangle(1, m.r(0.5, 1));
  const double floor = m.r(0.28, 0.38);
  form.section = cup({{0, 0}, {floor, 0}, {0.5, height}}, m.wall_of(0.02, 0.045), 0.0);
  return turn(m, form);
}

Made tray(Maker& m) {
  Lathe form;
  form.outline = lathe::rectangle(1, m.r(0.4, 1));
  const double height = m.r(0.15, 0.6);
  const double wall = m.wall_of(0.03, 0.06);
  form.section = cup({{0, 0}, {m.r(0.44, 0.5), 0}, {0.5, height}}, wall, 0.0);
  return turn(m, form);
}

Made mask(Maker& m) {
  Lathe form;
  const double wall = m.wall_of(0.03, 0.05);
  form.section = cup(curve({{0, 0}, {0.2, 0.02}, {0.36, 0.12}, {0.4, m.r(0.2, 0.28)}}), wall, 0.0);
  const double nose = m.r(0.08, 0.16);
  const double eyes = m.r(0.05, 0.1);
  const double smile = m.r(0.03, 0.06);
  const double mouth = m.chance(0.5) ? smile : -smile;
  const double apart = m.r(0.13, 0.17);
  // The face looks up; the nose runs along y.
  const auto face = [=](double x, double y) {
    const auto bump = [&](double cx, double cy, double wx, double wy) {
      return std::exp(-std::pow((x - cx) / wx, 2) - std::pow((y - cy) / wy, 2));
    };
    return nose * bump(0, -0.02, 0.05, 0.13) -
           eyes * (bump(-apart, 0.12, 0.07, 0.05) + bump(apart, 0.12, 0.07, 0.05)) +
           mouth * bump(0, -0.25, 0.11, 0.035) + 0.04 * bump(0, 0.22, 0.25, 0.04);
  };
  form.warps = {lathe::flip(), lathe::scale(1, 1.25, 1), lathe::press(face)};
  return turn(m, form);
}

Made mortar(Maker& m) {
  const double base = m.r(0.22, 0.34);
  const double rim = m.r(0.32, 0.42);
  const double height = m.r(0.5, 0.75);
  Lathe form;
  form.outline = m.chance(0.3) ? lathe::polygon(m.n(6, 8)) : Line{};
  const double wall = m.wall_of(0.08, 0.1);
  form.section = cup({{0, 0}, {base, 0}, {base * 0.95, 0.08}, {rim, height}}, wall, m.r(0.06, 0.15));
  return turn(m, form);
}

Made candlestick(Maker& m) {
  const double foot = m.r(0.2, 0.3);
  const double stem = m.r(0.05, 0.08);
  Lathe form;
  const Line outside =
      Line{{0, 0}, {foot, 0}, {foot, 0.05}} +
      curve({{foot * 0.9, 0.07}, {stem, 0.2}, {stem * m.r(1.3, 1.8), 0.42}, {stem, 0.6}, {stem, 0.78}}) +
      curve({{stem * 2.2, 0.82}, {stem * 2.2, 0.85}, {stem * 1.5, 0.88}}) + Line{{stem * 1.6, 1}};
  form.section = cup(outside, m.wall_of(0.025, 0.035), 0.84);
  return turn(m, form);
}

Made urn(Maker& m) {
  const double belly = m.r(0.28, 0.36);
  const double foot = m.r(0.16, 0.22);
  Lathe form;
  form.outline = m.chance(0.4) ? lathe::flutes(m.n(10, 20), 0.05) : Line{};
  const Line outside =
      Line{{0, 0}, {foot, 0}, {foot, 0.05}} +
      curve({{foot * 0.5, 0.1}, {foot * 0.5, 0.15}, {belly * 0.9, 0.35}, {belly, 0.6}, {belly * 0.75, 0.8}}) +
      curve({{belly * 0.8, 0.82}, {belly * m.r(1, 1.25), 0.95}});
  form.section = cup(outside, m.wall_of(0.025, 0.05), 0.15);
  return turn(m, form);
}

constexpr std::array vessel_table{
    Family{"wine_glass", "a thin bowl on a stem", wine_glass},
    Family{"chalice", "a thick bowl on a foot, round or with sides", chalice},
    Family{"footed_bowl", "a bowl on a foot ring, plain or fluted", footed_bowl},
    Family{"beaker", "straight walls, a sharp edge at the floor", beaker},
    Family{"flower_pot", "a cone with a band below the rim", flower_pot},
    Family{"jar", "a wide belly, a short neck", jar},
    Family{"twisted_vase", "fluted or with sides, twisted", twisted_vase},
    Family{"amphora", "a narrow neck, two tall handles", amphora},
    Family{"kantharos", "a cup on a foot with two handles", kantharos},
    Family{"cooking_pot", "wide, with two ears", cooking_pot},
    Family{"pitcher", "a handle and a pulled lip", pitcher},
    Family{"teapot", "a handle and a spout", teapot},
    Family{"oil_lamp", "flat, with a nozzle and mostly a handle", oil_lamp},
    Family{"lid", "a lid with a knob", lid},
    Family{"funnel", "open at both ends", funnel},
    Family{"tube", "a pipe, round or with sides", tube},
    Family{"elbow", "a bent pipe", elbow},
    Family{"horn", "a bent drinking horn", horn},
    Family{"dome", "a half sphere with walls", dome},
    Family{"helmet", "an oval dome with a brim", helmet},
    Family{"bell", "flared, with a knob", bell},
    Family{"sphere_shell", "a hollow ball with an opening", sphere_shell},
    Family{"square_plate", "a flat plate with corners", square_plate},
    Family{"tray", "an open box", tray},
    Family{"mask", "a shell with a face", mask},
    Family{"mortar", "very thick walls", mortar},
    Family{"candlestick", "a turned stem with a socket", candlestick},
    Family{"urn", "a vase on a foot, plain or fluted", urn},
};

}  // namespace

std::span<const Family> vessel_families() { return vessel_table; }

}  // namespace pmtr::shapes
