// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include <array>
#include <vector>

#include "pmtr/fracture/shapes/families.h"
#include "pmtr/fracture/shapes/field.h"
#include "pmtr/fracture/shapes/field_mesh.h"

namespace pmtr::shapes {
namespace {

using Eigen::Vector3d;
using field::box;
using field::bumpy;
using field::capsule;
using field::common;
using field::cylinder;
using field::ellipsoid;
using field::Field;
using field::join;
using field::mirrored;
using field::moved;
using field::shell;
using field::turned;
using field::without;
using Made = Result<TriangleMesh>;

const Vector3d up = Vector3d::UnitZ();

/// Everything above z, with a flat base.
Field standing(Field part, double z) { return common(std::move(part), box({0, 0, z + 2}, {2, 2, 2})); }

Field animal_field(Maker& m) {
  const double length = m.r(0.3, 0.45);
  const double body = m.r(0.11, 0.18);
  const double leg = m.r(0.15, 0.32);
  const double thick = m.r(0.045, 0.065);
  const double neck = m.r(0.05, 0.25);
  const double back = leg + body * 0.7;
  const Vector3d shoulder(0, -length / 2, back);
  const Vector3d head = shoulder + Vector3d(0, -m.r(0.1, 0.18), neck + 0.05);
  std::vector<Field> parts{
      capsule(shoulder, {0, length / 2, back}, body, body * m.r(0.8, 1.1)),
      capsule(shoulder, head, body * 0.7, 0.07),
      capsule(head, head + Vector3d(0, -m.r(0.06, 0.14), -0.04), 0.085, 0.05),
      mirrored(capsule(shoulder + Vector3d(body * 0.55, 0, -0.04), {body * 0.65, -length / 2, thick},
                       thick * 1.3, thick)),
      mirrored(capsule({body * 0.55, length / 2, back - 0.04}, {body * 0.65, length / 2, thick}, thick * 1.5,
                       thick)),
      mirrored(capsule(head + Vector3d(0.05, 0.01, 0.05), head + Vector3d(0.08, 0.03, m.r(0.1, 0.16)), 0.03,
                       0.02)),
  };
  const Vector3d rump(0, length / 2 + body * 0.8, back + 0.03);
  parts.push_back(capsule(rump, rump + Vector3d{0, m.r(0.05, 0.2), m.r(-0.15, 0.1)}, 0.035, 0.025));
  return join(parts, 0.05);
}

Made animal(Maker& m) { return mesh_of_field(animal_field(m), m.steps()); }

Made bust(Maker& m) {
  const double head = m.r(0.15, 0.19);
  const double lean = m.r(-0.04, 0.04);
  std::vector<Field> parts{
      ellipsoid({0, 0, 0.2}, {m.r(0.3, 0.4), m.r(0.16, 0.2), m.r(0.16, 0.24)}),
      capsule({0, 0, 0.3}, {lean, -0.02, 0.5}, 0.1, 0.085),
      ellipsoid({lean, -0.02, 0.65}, {head * 0.82, head * 0.95, head * 1.25}),
      capsule({lean, -0.02 - head * 0.9, 0.68}, {lean, -0.06 - head * 0.9, 0.6}, 0.02, 0.035),
      mirrored(ellipsoid({head * 0.84, 0, 0.64}, {0.025, 0.04, 0.055})),
  };
  if (m.chance(0.5)) parts.push_back(ellipsoid({lean, 0.05, 0.72}, {head, head, head * m.r(0.9, 1.2)}));
  Field figure = join(parts, 0.05);
  if (m.chance(0.6)) figure = join({figure, box({0, 0, 0}, {m.r(0.14, 0.2), 0.14, 0.1}, 0.01)}, 0.01);
  return mesh_of_field(standing(figure, m.chance(0.5) ? -0.08 : 0.06), m.steps());
}

Made torso(Maker& m) {
  const double chest = m.r(0.17, 0.23);
  const double hips = m.r(0.15, 0.22);
  const double lean = m.r(-0.06, 0.06);
  Field figure =
      join({ellipsoid({lean, 0, 0.62}, {chest, chest * 0.65, 0.2}),
            ellipsoid({0, 0, 0.42}, {hips * 0.75, hips * 0.6, 0.2}),
            ellipsoid({0, 0, 0.25}, {hips, hips * 0.75, 0.14}),
            capsule({lean, 0, 0.75}, {lean, 0, 0.92}, 0.075, 0.065),
            mirrored(capsule({chest * 0.9, 0, 0.72},
                             {chest + m.r(0.05, 0.15), m.r(-0.1, 0.1), m.r(0.45, 0.7)}, 0.075, 0.06)),
            capsule({hips * 0.5, 0, 0.2}, {hips * 0.6, m.r(-0.1, 0.1), -0.1}, 0.105, 0.08),
            capsule({-hips * 0.5, 0, 0.2}, {-hips * 0.6, m.r(-0.1, 0.1), -0.1}, 0.105, 0.08)},
           0.06);
  // Head and legs are lost, as of a find.
  figure = common(figure, box({0, 0, 0.42}, {1, 1, m.r(0.42, 0.46)}), 0.01);
  return mesh_of_field(figure, m.steps());
}

Made figurine(Maker& m) {
  const double broad = m.r(0.1, 0.16);
  const double skirt = m.r(0.16, 0.24);
  const double head = m.r(0.08, 0.11);
  const double hand = m.r(0.1, 0.3);
  Field figure = join(
      {capsule({0, 0, 0.1}, {0, 0, 0.5}, skirt, broad * 0.7),
       ellipsoid({0, 0, 0.58}, {broad, broad * 0.7, 0.13}), capsule({0, 0, 0.66}, {0, 0, 0.76}, 0.045, 0.04),
       ellipsoid({0, -0.01, 0.83}, {head * 0.85, head, head * 1.15}),
       mirrored(field::chain(
           {{broad, 0, 0.64}, {broad + 0.08, 0, 0.48}, {broad - 0.02 + hand * 0.3, -0.14, 0.35 + hand}},
           {0.05, 0.042, 0.035}))},
      0.03);
  if (m.chance(0.6)) figure = join({figure, cylinder({0, 0, 0.02}, skirt * 1.25, 0.06, 0.01)}, 0.01);
  return mesh_of_field(standing(figure, -0.03), m.steps());
}

Made hollow_figure(Maker& m) {
  const double wall = std::max(0.03, m.wall_of(0.04, 0.06));
  const double belly = m.r(0.22, 0.3);
  const Field body = join(
      {ellipsoid({0, 0, 0.3}, {belly, belly * m.r(0.7, 1), 0.34}), ellipsoid({0, 0, 0.72}, {0.18, 0.17, 0.2}),
       mirrored(capsule({belly * 0.8, 0, 0.42}, {belly + 0.12, -0.08, 0.3}, 0.09, 0.08))},
      0.1);
  // Open below, as clay figures are so that they survive the kiln.
  const Field open = without(shell(body, wall), cylinder({0, 0, -0.2}, m.r(0.1, 0.16), 0.25), 0.01);
  return mesh_of_field(standing(open, 0.0), m.steps_for(wall));
}

Made hand(Maker& m) {
  std::vector<Field> parts{box({0, 0, 0.3}, {0.16, 0.06, 0.17}, 0.055),
                           capsule({0, 0, 0.2}, {0, 0, 0}, 0.1, 0.09)};
  for (int i = 0; i < 4; ++i) {
    const double x = -0.12 + 0.08 * i;
    const double length = (i == 1 || i == 2 ? 0.24 : 0.18) * m.r(0.85, 1.15);
    const double curl = m.r(0, 0.15);
    const Vector3d knuckle(x, 0, 0.45);
    const Vector3d middle = knuckle + Vector3d(0.25 * x, -curl * 0.3, length * 0.55);
    parts.push_back(field::chain({knuckle, middle, middle + Vector3d(0.1 * x, -curl, length * 0.45)},
                                 {0.042, 0.038, 0.032}));
  }
  parts.push_back(
      field::chain({{0.12, 0, 0.24}, {0.23, -0.04, 0.34}, {0.26, -0.07, 0.45}}, {0.055, 0.045, 0.036}));
  return mesh_of_field(standing(join(parts, 0.03), -0.05), m.steps_for(0.06));
}

Made bone(Maker& m) {
  const double half = m.r(0.3, 0.4);
  const double shaft = m.r(0.05, 0.08);
  const double knob = shaft * m.r(1.3, 1.7);
  const Field ends =
      mirrored(join({ellipsoid({half, knob * 0.7, 0}, {knob, knob, knob * 0.9}),
                     ellipsoid({half + m.r(-0.03, 0.03), -knob * 0.7, 0}, {knob, knob * 0.9, knob * 0.9})},
                    0.03));
  const Field rod =
      field::chain({{-half, 0, 0}, {0, 0, m.r(0, 0.06)}, {half, 0, 0}}, {shaft * 1.2, shaft, shaft * 1.2});
  return mesh_of_field(join({ends, rod}, 0.06), m.steps());
}

Made knot(Maker& m) {
  const int p = 2;
  const int q = m.chance(0.6) ? 3 : 5;
  const double tube = q == 3 ? m.r(0.06, 0.085) : m.r(0.045, 0.055);
  std::vector<Vector3d> points;
  constexpr int count = 72;
  for (int i = 0; i <= count; ++i) {
    const double t = 2 * M_PI * i / count;
    const double radius = 0.34 + 0.15 * std::cos(q * t);
    points.emplace_back(radius * std::cos(p * t), radius * std::sin(p * t), 0.16 * std::sin(q * t));
  }
  return mesh_of_field(field::chain(points, std::vector<double>(points.size(), tube)), m.steps_for(0.05));
}

Made snail_shell(Maker& m) {
  const double turns = m.r(2, 3);
  const double growth = m.r(0.2, 0.26);
  const double rise = m.r(0.3, 1.2);
  std::vector<Vector3d> points;
  std::vector<double> radii;
  constexpr int count = 44;
  for (int i = 0; i <= count; ++i) {
    const double angle = 2 * M_PI * turns * i / count;
    const double size = 0.35 * std::exp(growth * (angle - 2 * M_PI * turns));
    points.push_back(size * Vector3d(std::cos(angle), std::sin(angle), -1.6 * rise));
    radii.push_back(0.62 * size);
  }
  // The mouth is a dent: a deeper one would leave walls thinner than the grid.
  const Vector3d way = (points[count] - points[count - 2]).normalized();
  const Field mouth = ellipsoid(points[count] + 0.2 * way, Vector3d::Constant(0.14));
  return mesh_of_field(without(field::chain(points, radii), mouth, 0.04), 0.8 * m.steps());
}

Made spoon(Maker& m) {
  const double wide = m.r(0.15, 0.2);
  const double wall = std::max(0.03, m.wall_of(0.035, 0.05));
  const Field bowl =
      common(shell(ellipsoid({0, 0, 0}, {m.r(0.2, 0.26), wide, 0.13}), wall), box({0, 0, -0.5}, {1, 1, 0.5}));
  const double end = m.r(0.035, 0.06);
  const Field grip = field::chain(
      {{0.19, 0, -0.03}, {0.45, 0, m.r(0.03, 0.1)}, {m.r(0.7, 0.85), 0, m.r(0, 0.12)}}, {0.035, 0.03, end});
  return mesh_of_field(join({bowl, without(grip, ellipsoid({0, 0, 0}, {0.2, wide - wall, 0.1}))}, 0.02),
                       m.steps_for(wall));
}

Made table(Maker& m) {
  const double x = 0.5;
  const double y = m.r(0.25, 0.45);
  const double height = m.r(0.3, 0.6);
  const double leg = m.r(0.04, 0.07);
  const double top = m.r(0.03, 0.06);
  std::vector<Field> parts{box({0, 0, height}, {x, y, top}, m.chance(0.5) ? 0.015 : 0.0)};
  const double in = leg * m.r(1.1, 2);
  for (const double side : {-1.0, 1.0})
    parts.push_back(mirrored(box({x - in, side * (y - in), height / 2}, {leg, leg, height / 2})));
  if (m.chance(0.4)) parts.push_back(box({0, 0, height * 0.3}, {x - in, 0.03, 0.03}));
  if (m.chance(0.4)) parts.push_back(mirrored(box({x - in, 0, height * 0.3}, {0.03, y - in, 0.03})));
  return mesh_of_field(join(parts, m.chance(0.5) ? 0.02 : 0.0), m.steps_for(0.055));
}

Made stool(Maker& m) {
  const double seat = m.r(0.26, 0.36);
  const double height = m.r(0.4, 0.8);
  const int legs = m.n(3, 4);
  const double thick = m.r(0.035, 0.055);
  const double spread = m.r(1, 1.4);
  std::vector<Field> parts{cylinder({0, 0, height}, seat, m.r(0.035, 0.06), 0.02)};
  for (int i = 0; i < legs; ++i) {
    const Vector3d out(std::cos(2 * M_PI * i / legs), std::sin(2 * M_PI * i / legs), 0);
    parts.push_back(capsule(seat * 0.7 * out + height * up, seat * spread * out, thick * 1.1, thick * 0.9));
  }
  if (m.chance(0.5))
    parts.push_back(field::torus({0, 0, height * 0.4}, seat * (0.7 + 0.6 * (spread - 0.7)), thick * 0.8));
  return mesh_of_field(standing(join(parts, 0.02), 0.0), m.steps_for(0.06));
}

Made chair(Maker& m) {
  const double half = m.r(0.2, 0.26);
  const double seat = m.r(0.35, 0.45);
  const double leg = m.r(0.032, 0.045);
  const double rest = m.r(0.82, 0.9);
  Field form = join({box({0, 0, seat}, {half, half, 0.035}),
                     mirrored(box({half - leg, -half + leg, seat / 2}, {leg, leg, seat / 2})),
                     mirrored(box({half - leg, half - leg, 0.5}, {leg, leg, 0.5})),
                     box({0, half - leg, rest}, {half, leg * 0.8, m.r(0.07, 0.1)})},
                    0.0);
  if (m.chance(0.5)) form = join({form, box({0, half - leg, 0.65}, {half, leg * 0.8, 0.04})});
  return mesh_of_field(form, m.steps_for(0.05));
}

Made chest(Maker& m) {
  const double wall = std::max(0.03, m.wall_of(0.04, 0.07));
  const Vector3d half{0.5, m.r(0.25, 0.45), m.r(0.2, 0.4)};
  const double round = m.chance(0.5) ? m.r(0.02, 0.06) : 0.0;
  const Field walls =
      without(box({0, 0, 0}, half, round), box({0, 0, 0}, half - Vector3d::Constant(wall), 0.0));
  const double open = m.r(0.1, 0.18);
  const Field window = m.chance(0.5) ? cylinder({m.r(-0.2, 0.2), 0, half.z()}, open, 0.2)
                                     : box({0, 0, half.z()}, {open * 1.5, open, 0.2});
  return mesh_of_field(without(walls, window), m.steps_for(wall));
}

Made fish(Maker& m) {
  const double high = m.r(0.12, 0.2);
  const double thick = high * m.r(0.45, 0.8);
  const Field tail =
      turned(moved(field::prism({{0, -0.02}, {0.2, -0.17}, {0.15, 0}, {0.2, 0.17}, {0, 0.02}}, 0.035, 0.01),
                   {0.33, 0, 0}),
             Vector3d::UnitX(), M_PI / 2);
  const Field fin =
      turned(field::prism({{-0.15, 0}, {0.12, 0}, {m.r(0.05, 0.15), high + m.r(0.05, 0.12)}}, 0.03, 0.01),
             Vector3d::UnitX(), M_PI / 2);
  return mesh_of_field(join({ellipsoid({0, 0, 0}, {0.4, thick, high}), tail, fin}, 0.03), m.steps_for(0.055));
}

Made branch(Maker& m) {
  const double thick = m.r(0.07, 0.1);
  std::vector<Field> parts;
  Vector3d at(0, 0, 0);
  for (int i = 0; i < 4; ++i) {
    const double size = thick * (1 - 0.13 * i);
    const Vector3d next = at + Vector3d{m.r(-0.08, 0.08), m.r(-0.08, 0.08), 0.24};
    parts.push_back(capsule(at, next, size, size * 0.87));
    const double angle = m.r(0, 2 * M_PI);
    const Vector3d out(std::cos(angle), std::sin(angle), m.r(0.3, 1.2));
    const double twig = size * m.r(0.6, 0.75);
    if (i > 0)
      parts.push_back(capsule(at, at + m.r(0.2, 0.35) * out.normalized(), twig, std::max(0.035, twig * 0.7)));
    at = next;
  }
  return mesh_of_field(standing(bumpy(join(parts, 0.05), 0.006, 0.12, m.random), -0.03), m.steps_for(0.06));
}

Made pebble(Maker& m) {
  std::vector<Field> parts{ellipsoid({0, 0, 0}, {0.45, m.r(0.25, 0.45), m.r(0.2, 0.4)})};
  for (int i = m.n(1, 3); i > 0; --i) {
    const Vector3d at{m.r(-0.25, 0.25), m.r(-0.2, 0.2), m.r(-0.1, 0.1)};
    parts.push_back(ellipsoid(at, {m.r(0.2, 0.35), m.r(0.2, 0.3), m.r(0.2, 0.3)}));
  }
  const double height = m.r(0.005, 0.03);
  const double length = m.r(0.3, 0.6);
  Field stone = bumpy(join(parts, 0.15), height, length, m.random);
  if (m.chance(0.5)) stone = common(stone, box({0, 0, 0.5}, {1, 1, m.r(0.6, 0.7)}), 0.02);
  return mesh_of_field(stone, m.steps());
}

Made rock(Maker& m) {
  // A lump with flat sides, as struck off.
  Field stone = ellipsoid({0, 0, 0}, {0.5, m.r(0.35, 0.5), m.r(0.35, 0.5)});
  for (int i = m.n(5, 9); i > 0; --i) {
    const Vector3d side = m.random.rotation().col(0);
    const double far = m.r(0.22, 0.38);
    stone = common(stone, [=](const Vector3d& p) { return p.dot(side) - far; });
  }
  return mesh_of_field(stone, m.steps() * 0.8);
}

Made bracket(Maker& m) {
  const double w = m.r(0.12, 0.2);
  const double a = m.r(0.6, 1);
  const double b = m.r(0.4, 1);
  std::vector<Eigen::Vector2d> outline;
  switch (m.n(0, 3)) {
    case 0:  // L
      outline = {{0, 0}, {a, 0}, {a, w}, {w, w}, {w, b}, {0, b}};
      break;
    case 1:  // U
      outline = {{0, 0}, {a, 0}, {a, b}, {a - w, b}, {a - w, w}, {w, w}, {w, b}, {0, b}};
      break;
    case 2:  // T
      outline = {
          {0, 0},           {w, 0}, {w, b}, {(a + w) / 2, b}, {(a + w) / 2, b + w}, {(w - a) / 2, b + w},
          {(w - a) / 2, b}, {0, b}};
      break;
    default:  // Z
      outline = {{0, 0},         {a, 0},     {a, b}, {a + b / 2, b}, {a + b / 2, b + w},
                 {a - w, b + w}, {a - w, w}, {0, w}};
      break;
  }
  for (auto& p : outline) p = 0.7 * (p - Eigen::Vector2d(a / 2, b / 2));
  const double half_height = m.r(0.06, 0.25);
  return mesh_of_field(field::prism(outline, half_height, m.chance(0.4) ? 0.02 : 0.0), m.steps_for(0.1));
}

Made axe(Maker& m) {
  const double edge = m.r(0.3, 0.45);
  const double butt = m.r(0.12, 0.2);
  const double thick = m.r(0.12, 0.18);
  const double hole = m.r(0.05, 0.08);
  const Field outline = field::prism({{-0.45, -butt},
                                      {0.1, -butt * 1.1},
                                      {0.45, -edge},
                                      {0.5, 0},
                                      {0.45, edge},
                                      {0.1, butt * 1.1},
                                      {-0.45, butt}},
                                     0.3, 0.02);
  const Field wedge = [=](const Vector3d& p) {
    return (std::abs(p.z()) - thick * (0.6 - p.x()) / 1.05) / 1.02;
  };
  Field head = common(outline, wedge, 0.02);
  if (m.chance(0.7))
    head = without(
        head, turned(cylinder({0, 0, 0}, hole, 1), Vector3d::UnitX(), m.chance(0.5) ? 0.0 : M_PI / 2), 0.01);
  return mesh_of_field(head, m.steps_for(0.07));
}

Made wheel(Maker& m) {
  const int spokes = m.n(4, 8);
  const double hub = m.r(0.11, 0.15);
  const double thick = m.r(0.045, 0.07);
  std::vector<Field> parts{field::torus({0, 0, 0}, 0.43, m.r(0.05, 0.07)),
                           cylinder({0, 0, 0}, hub, m.r(0.08, 0.14), 0.01)};
  for (int i = 0; i < spokes; ++i) {
    const Vector3d out(std::cos(2 * M_PI * i / spokes), std::sin(2 * M_PI * i / spokes), 0);
    parts.push_back(capsule(0.08 * out, 0.43 * out, thick, thick * 0.8));
  }
  return mesh_of_field(without(join(parts, 0.02), cylinder({0, 0, 0}, 0.05, 1)), m.steps_for(0.055));
}

Made lattice(Maker& m) {
  const double half_y = m.r(0.3, 0.5);
  const double bar = m.r(0.035, 0.05);
  const double deep = m.r(0.04, 0.08);
  const int columns = m.n(1, 3);
  const int rows = m.n(1, 2);
  const Vector3d half(0.5, half_y, deep);
  std::vector<Field> parts{
      without(box({0, 0, 0}, half), box({0, 0, 0}, {0.5 - 2 * bar, half_y - 2 * bar, 1}))};
  for (int i = 1; i <= columns; ++i)
    parts.push_back(box({-0.5 + 1.0 * i / (columns + 1), 0, 0}, {bar, half_y, deep * 0.8}));
  for (int i = 1; i <= rows; ++i)
    parts.push_back(box({0, -half_y + 2 * half_y * i / (rows + 1), 0}, {0.5, bar, deep * 0.8}));
  return mesh_of_field(join(parts), m.steps_for(0.06));
}

Made boat(Maker& m) {
  const double wide = m.r(0.14, 0.22);
  const double deep = m.r(0.14, 0.2);
  const double wall = std::max(0.035, m.wall_of(0.04, 0.06));
  const Field hull = join({ellipsoid({0, 0, 0}, {0.5, wide, deep}),
                           capsule({-0.4, 0, 0}, {-0.48, 0, m.r(0.05, 0.2)}, 0.05, 0.035)},
                          0.04);
  const Field hold = ellipsoid({0, 0, wall}, {0.5 - 1.8 * wall, wide - wall, deep});
  Field form = without(common(hull, box({0, 0, -0.4}, {1, 1, 0.4})), hold);
  if (m.chance(0.7))
    form = join({form, common(box({m.r(-0.15, 0.15), 0, -0.05}, {0.045, wide, 0.03}),
                              ellipsoid({0, 0, 0}, {0.48, wide - 0.01, deep}))});
  return mesh_of_field(form, m.steps_for(wall));
}

Made skull(Maker& m) {
  const double head = m.r(0.28, 0.33);
  const double eye = m.r(0.06, 0.08);
  Field form = join(
      {ellipsoid({0, 0.08, 0.55}, {head, head * 1.2, head}), box({0, -0.16, 0.28}, {0.14, 0.12, 0.13}, 0.06),
       mirrored(ellipsoid({0.16, -0.16, 0.4}, {0.06, 0.1, 0.05}))},
      0.06);
  form = without(form, mirrored(ellipsoid({0.11, -0.3, 0.48}, {eye, 0.1, eye})), 0.02);
  form = without(form, ellipsoid({0, -0.3, 0.34}, {0.035, 0.08, 0.06}), 0.02);
  return mesh_of_field(standing(form, 0.17), m.steps());
}

constexpr std::array figure_table{
    Family{"animal", "four legs, a head, a tail", animal},
    Family{"bust", "a head on shoulders", bust},
    Family{"torso", "a body without head and legs", torso},
    Family{"figurine", "a standing figure", figurine},
    Family{"hollow_figure", "a figure with walls, open below", hollow_figure},
    Family{"hand", "a palm and five fingers", hand},
    Family{"skull", "holes for eyes and nose", skull},
    Family{"bone", "a shaft with two knobs at each end", bone},
    Family{"knot", "a knotted ring", knot},
    Family{"snail_shell", "a spiral with a hollow mouth", snail_shell},
    Family{"spoon", "a shallow bowl and a handle", spoon},
    Family{"table", "four legs", table},
    Family{"stool", "a round seat on three or four legs", stool},
    Family{"chair", "a seat with a back", chair},
    Family{"chest", "a hollow box with a window", chest},
    Family{"fish", "flat, with fins", fish},
    Family{"branch", "a stem with twigs", branch},
    Family{"pebble", "a rounded stone", pebble},
    Family{"rock", "a stone with flat sides", rock},
    Family{"bracket", "a beam like an L, U, T or Z", bracket},
    Family{"axe", "a wedge, mostly with a hole", axe},
    Family{"wheel", "a rim, spokes and a hub", wheel},
    Family{"lattice", "a frame with bars", lattice},
    Family{"boat", "a hull with a bench", boat},
};

}  // namespace

std::span<const Family> figure_families() { return figure_table; }

}  // namespace pmtr::shapes
