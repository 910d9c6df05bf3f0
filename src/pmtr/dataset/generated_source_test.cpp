// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/dataset/generated_source.h"

#include <array>
#include <map>
#include <set>
#include <thread>

#include <gtest/gtest.h>

#include "pmtr/dataset/pair_sampler.h"
#include "pmtr/dataset/piece_count.h"

namespace pmtr {
namespace {

std::shared_ptr<const FractureSource> source_of(double worn, int max_pieces) {
  GeneratedSourceOptions options;
  options.worn = worn;
  options.max_pieces = max_pieces;
  options.max_around = 48;
  return *GeneratedSource::create(options);
}

void expect_same_pieces(const BrokenObject& a, const BrokenObject& b) {
  EXPECT_EQ(a.name(), b.name());
  ASSERT_EQ(a.pieces.size(), b.pieces.size());
  for (std::size_t p = 0; p < a.pieces.size(); ++p) {
    EXPECT_EQ(a.pieces[p].vertices, b.pieces[p].vertices);
    EXPECT_EQ(a.pieces[p].faces, b.pieces[p].faces);
  }
  EXPECT_EQ(a.mating.partner, b.mating.partner);
}

/// Middles of the faces of a piece that lie on its break towards another one.
std::vector<Eigen::Vector3d> break_towards(const BrokenObject& object, std::size_t piece,
                                           std::int32_t other) {
  std::vector<Eigen::Vector3d> middles;
  const TriangleMesh& mesh = object.pieces[piece];
  for (std::size_t f = 0; f < mesh.faces.size(); ++f) {
    if (object.mating.partner[piece][f] != other) continue;
    const auto& [a, b, c] = mesh.faces[f];
    middles.push_back((mesh.vertices[a] + mesh.vertices[b] + mesh.vertices[c]) / 3);
  }
  return middles;
}

TEST(GeneratedSource, TheSameNumbersGiveTheSameObjectOnAnyThread) {
  const auto source = source_of(0.3, 20);
  EXPECT_EQ(source->kind(), "generated");
  std::array<std::shared_ptr<const BrokenObject>, 4> alone;
  std::array<std::shared_ptr<const BrokenObject>, 4> together;
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      Random random(7, i);
      together[i] = *source->draw(random);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::size_t i = 0; i < 4; ++i) {
    Random random(7, i);
    alone[i] = *source->draw(random);
    expect_same_pieces(*alone[i], *together[i]);
  }
  EXPECT_NE(alone[0]->name(), alone[1]->name());
}

TEST(GeneratedSource, EveryBreakHasItsPartner) {
  const auto source = source_of(0.0, 20);
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    Random random(seed);
    const auto drawn = source->draw(random);
    ASSERT_TRUE(drawn.ok()) << drawn.error().text();
    const BrokenObject& object = **drawn;
    SCOPED_TRACE(object.name());
    EXPECT_TRUE(object.mating.exact);
    // What a search for coincident triangles finds in the pieces alone.
    const MatingSurfaces found = find_mating_surfaces(object.pieces);
    ASSERT_EQ(object.mating.pairs.size(), found.pairs.size());
    for (std::size_t i = 0; i < found.pairs.size(); ++i) {
      const MatingPair& pair = object.mating.pairs[i];
      EXPECT_EQ(pair.a, found.pairs[i].a);
      EXPECT_EQ(pair.b, found.pairs[i].b);
      EXPECT_LT(pair.a, pair.b);
      EXPECT_NEAR(pair.area, found.pairs[i].area, 1e-9);
    }
    EXPECT_GE(object.mating.pairs.size() + 1, object.pieces.size()) << "connected";
    for (const MatingPair& pair : object.mating.pairs) {
      const auto here = break_towards(object, static_cast<std::size_t>(pair.a), pair.b);
      const auto there = break_towards(object, static_cast<std::size_t>(pair.b), pair.a);
      ASSERT_EQ(here.size(), there.size());
      for (std::size_t i = 0; i < here.size(); ++i) {
        double nearest = 1;
        for (const Eigen::Vector3d& p : there) nearest = std::min(nearest, (p - here[i]).norm());
        EXPECT_LT(nearest, 1e-6);
      }
    }
  }
}

TEST(GeneratedSource, WornBreaksKeepTheirPartners) {
  const auto source = source_of(1.0, 8);
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    Random random(seed);
    const auto object = *source->draw(random);
    EXPECT_FALSE(object->mating.exact);
    EXPECT_GE(object->mating.pairs.size() + 1, object->pieces.size());
    for (std::size_t p = 0; p < object->pieces.size(); ++p) {
      ASSERT_EQ(object->mating.partner[p].size(), object->pieces[p].faces.size());
      const std::set<std::int32_t> partners(object->mating.partner[p].begin(),
                                            object->mating.partner[p].end());
      for (const std::int32_t q : partners) {
        if (q < 0) continue;
        EXPECT_EQ(break_towards(*object, p, q).size(),
                  break_towards(*object, static_cast<std::size_t>(q), static_cast<std::int32_t>(p)).size());
      }
    }
  }
}

TEST(GeneratedSource, DrawsManyFamiliesAndNumbersOfPieces) {
  const auto source = source_of(0.25, 30);
  Random random(3);
  std::set<std::string> families;
  std::set<std::size_t> pieces;
  for (int i = 0; i < 24; ++i) {
    const auto object = source->draw(random);
    ASSERT_TRUE(object.ok()) << object.error().text();
    families.insert((*object)->category);
    pieces.insert((*object)->pieces.size());
    EXPECT_GE((*object)->pieces.size(), 2u);
    EXPECT_LE((*object)->pieces.size(), 30u);
  }
  EXPECT_GT(families.size(), 15u);
  EXPECT_GT(pieces.size(), 6u);
}

TEST(GeneratedSource, FeedsTheSampler) {
  const auto sampler = PairSampler::create({{source_of(0.25, 10), 1.0}}, PairOptions{}, 7);
  ASSERT_TRUE(sampler.ok());
  for (std::uint64_t i = 0; i < 4; ++i) {
    const auto pair = sampler->make_pair(i);
    ASSERT_TRUE(pair.ok()) << pair.error().text();
    EXPECT_EQ(pair->kind, "generated");
  }
}

TEST(GeneratedSource, WrongOptionsAreRefused) {
  GeneratedSourceOptions options;
  options.shapes = {"spaceship"};
  EXPECT_EQ(GeneratedSource::create(options).error().cause, Cause::invalid_option);
  options.shapes = {"brick"};
  options.min_pieces = 5;
  options.max_pieces = 4;
  EXPECT_EQ(GeneratedSource::create(options).error().cause, Cause::invalid_option);
  options.max_pieces = 5;
  const auto source = GeneratedSource::create(options);
  ASSERT_TRUE(source.ok());
  Random random(1);
  const auto object = (*source)->draw(random);
  ASSERT_TRUE(object.ok());
  EXPECT_EQ((*object)->category, "brick");
  EXPECT_EQ((*object)->pieces.size(), 5u);
}

TEST(PieceCount, IsEvenByItsLogarithm) {
  Random random(5);
  std::map<int, int> drawn;
  for (int i = 0; i < 20000; ++i) ++drawn[draw_piece_count(2, 100, random)];
  EXPECT_EQ(drawn.begin()->first, 2);
  EXPECT_EQ(drawn.rbegin()->first, 100);
  const auto share = [&](int from, int to) {
    double sum = 0;
    for (int n = from; n < to; ++n) sum += drawn[n] / 20000.0;
    return sum;
  };
  const double doubling = std::log(2.0) / std::log(101.0 / 2);
  EXPECT_NEAR(share(2, 4), doubling, 0.02);
  EXPECT_NEAR(share(8, 16), doubling, 0.02);
  EXPECT_NEAR(share(32, 64), doubling, 0.02);
}

}  // namespace
}  // namespace pmtr
