// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/weights/pickle.h"

#include <gtest/gtest.h>

#include "pmtr/core/file.h"
#include "support/torch_archive.h"

namespace pmtr {
namespace {

using test::little;
using test::PickleWriter;
using Kind = PickleValue::Kind;

Result<Pickle> parse_bytes(const std::string& bytes) { return parse_pickle(as_bytes(bytes), "test.pkl"); }

Cause pickle_cause(const std::string& bytes) {
  const auto pickle = parse_bytes(bytes);
  if (pickle.ok()) {
    ADD_FAILURE() << "was read";
    return Cause::cancelled;
  }
  EXPECT_EQ(pickle.error().place.file, "test.pkl");
  EXPECT_TRUE(pickle.error().place.byte.has_value());
  return pickle.error().cause;
}

TEST(Pickle, ReadsNumbersOfEveryWidth) {
  const std::string bytes = PickleWriter()
                                .op("(")
                                .op(std::string("K\xff", 2))
                                .op(std::string("M\xff\xff", 3))
                                .op(std::string("J\xfe\xff\xff\xff", 5))
                                .op(std::string("\x8a\x00", 2))
                                .op(std::string("\x8a\x01\xff", 3))
                                .op(std::string("\x8a\x02\xff\x00", 4))
                                .integer(-5'000'000'000)
                                .op(std::string("\x8b\x05\x00\x00\x00\x00\x00\x00\x00\x01", 10))
                                .op(std::string("G\x3f\xf8\x00\x00\x00\x00\x00\x00", 9))
                                .op("t")
                                .stop();
  const auto pickle = parse_bytes(bytes);
  ASSERT_TRUE(pickle.ok()) << pickle.error().text();
  const auto& items = (*pickle)[pickle->root].items;
  const std::vector<std::int64_t> expected = {255, 65535, -2, 0, -1, 255, -5'000'000'000, 4'294'967'296};
  ASSERT_EQ(items.size(), expected.size() + 1);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_TRUE(pickle->is(items[i], Kind::integer));
    EXPECT_EQ((*pickle)[items[i]].integer, expected[i]);
  }
  EXPECT_TRUE(pickle->is(items.back(), Kind::real));
  EXPECT_EQ((*pickle)[items.back()].real, 1.5);
}

TEST(Pickle, ReadsContainersConstantsAndTheMemo) {
  // {"list": ["a", "a", None, True], "pair": (False, b"xy"), "list2": the same list}
  const std::string bytes = PickleWriter()
                                .op("}(")
                                .text("list")
                                .op(std::string("]q\x05(", 4))
                                .text("a")
                                .op(std::string("r\x00\x00\x01\x00j\x00\x00\x01\x00N\x88", 12))
                                .op("e")
                                .text("pair")
                                .op(std::string("\x89"
                                                "C\x02xy\x86",
                                                6))
                                .text("list2")
                                .op(std::string("h\x05", 2))
                                .op("u")
                                .stop();
  const auto pickle = parse_bytes(bytes);
  ASSERT_TRUE(pickle.ok()) << pickle.error().text();
  const auto list = pickle->find(pickle->root, "list");
  ASSERT_TRUE(list && pickle->is(*list, Kind::list));
  EXPECT_EQ(pickle->find(pickle->root, "list2"), list);
  EXPECT_FALSE(pickle->find(pickle->root, "missing").has_value());
  const auto& items = (*pickle)[*list].items;
  ASSERT_EQ(items.size(), 4U);
  EXPECT_EQ(items[0], items[1]);
  EXPECT_EQ((*pickle)[items[0]].text, "a");
  EXPECT_TRUE(pickle->is(items[2], Kind::none));
  EXPECT_EQ((*pickle)[items[3]].integer, 1);
  const auto pair = pickle->find(pickle->root, "pair");
  ASSERT_TRUE(pair && pickle->is(*pair, Kind::tuple));
  EXPECT_EQ((*pickle)[(*pickle)[*pair].items[1]].text, "xy");
}

TEST(Pickle, ReadsProtocolFour) {
  std::string bytes("\x80\x04\x95", 3);
  bytes += little(40, 8);
  bytes += "}\x94(\x8c\x01k\x94\x8c\x02os\x94\x8c\x06system\x94\x93\x94\x8c\x01m\x94h\x01u.";
  const auto pickle = parse_bytes(bytes);
  ASSERT_TRUE(pickle.ok()) << pickle.error().text();
  const auto global = pickle->find(pickle->root, "k");
  ASSERT_TRUE(global.has_value());
  EXPECT_EQ(pickle->global_name(*global), "os.system");
  const auto text = pickle->find(pickle->root, "m");
  ASSERT_TRUE(text.has_value());
  EXPECT_EQ((*pickle)[*text].text, "k");
}

TEST(Pickle, OrderedDictsFromItemsAndFromPairs) {
  const std::string later = PickleWriter()
                                .call_empty("collections", "OrderedDict")
                                .op("(")
                                .text("a")
                                .op("N")
                                .op("u}")
                                .text("_metadata")
                                .op("Nsb")
                                .stop();
  const std::string pairs =
      PickleWriter().global("collections", "OrderedDict").op("]]").text("a").op("aNaa\x85R").stop();
  for (const std::string& bytes : {later, pairs}) {
    const auto pickle = parse_bytes(bytes);
    ASSERT_TRUE(pickle.ok()) << pickle.error().text();
    ASSERT_TRUE(pickle->is(pickle->root, Kind::dict));
    EXPECT_EQ((*pickle)[pickle->root].items.size(), 2U);
    EXPECT_TRUE(pickle->find(pickle->root, "a").has_value());
  }
}

TEST(Pickle, CallsAreNeverMadeTheyGiveOpaqueValues) {
  const std::string reduce =
      PickleWriter().global("os", "system").text("touch /tmp/pmtr_was_here").op("\x85R").stop();
  const std::string newobj = PickleWriter().global("subprocess", "Popen").op(")\x81}b").stop();
  const std::string newobj_ex = PickleWriter().global("builtins", "eval").op(")}\x92").stop();
  const std::string call_of_a_result = PickleWriter().global("os", "getcwd").op(")R)R)R").stop();
  const std::string not_callable = PickleWriter().op("NNR").stop();
  for (const std::string& bytes : {reduce, newobj, newobj_ex, call_of_a_result, not_callable}) {
    const auto pickle = parse_bytes(bytes);
    ASSERT_TRUE(pickle.ok()) << pickle.error().text();
    EXPECT_TRUE(pickle->is(pickle->root, Kind::opaque));
  }
  const auto named = parse_bytes(reduce);
  EXPECT_EQ(named->global_name((*named)[named->root].items[0]), "os.system");
}

TEST(Pickle, OpaqueObjectsSwallowTheirItemsAndState) {
  const std::string bytes = PickleWriter()
                                .global("omegaconf.dictconfig", "DictConfig")
                                .op(")\x81(")
                                .text("key")
                                .op("Nu(NNe}b")
                                .stop();
  const auto pickle = parse_bytes(bytes);
  ASSERT_TRUE(pickle.ok()) << pickle.error().text();
  EXPECT_TRUE(pickle->is(pickle->root, Kind::opaque));
}

TEST(Pickle, AListInsideItselfIsOnlyANumber) {
  const auto pickle = parse_bytes(PickleWriter()
                                      .op(std::string("]q\x00h\x00"
                                                      "a",
                                                      6))
                                      .stop());
  ASSERT_TRUE(pickle.ok()) << pickle.error().text();
  ASSERT_EQ((*pickle)[pickle->root].items.size(), 1U);
  EXPECT_EQ((*pickle)[pickle->root].items[0], pickle->root);
}

TEST(Pickle, DeepNestingNeedsNoRecursion) {
  const std::string deep(1'000'000, ']');
  const std::string tuples = "N" + std::string(1'000'000, '\x85');
  const std::string closed = deep + std::string(deep.size() - 1, 'a');
  for (const std::string& body : {closed, tuples}) {
    const auto pickle = parse_bytes(PickleWriter().op(body).stop());
    ASSERT_TRUE(pickle.ok()) << pickle.error().text();
    EXPECT_EQ((*pickle)[pickle->root].items.size(), 1U);
  }
  EXPECT_EQ(pickle_cause(PickleWriter().op(std::string(1'000'000, '(')).stop()), Cause::malformed);
}

TEST(Pickle, AnnouncedSizesAreBoundedByTheBytes) {
  EXPECT_EQ(pickle_cause(PickleWriter().op("X").op(little(0xFFFFFFFF, 4)).stop()), Cause::truncated);
  EXPECT_EQ(pickle_cause(PickleWriter().op("\x8d").op(little(~0ULL, 8)).stop()), Cause::truncated);
  EXPECT_EQ(pickle_cause(PickleWriter().op("\x96").op(little(1ULL << 40U, 8)).stop()), Cause::truncated);
  EXPECT_EQ(pickle_cause(PickleWriter().op("\x8b").op(little(0x7FFFFFFF, 4)).stop()), Cause::truncated);
}

TEST(Pickle, CopiesAndValuesAreBounded) {
  // Doubling a list of pairs by ordered dicts again and again would grow without bound.
  PickleWriter pairs;
  pairs.op(std::string("]q\x00(", 4));
  for (int i = 0; i < 1000; ++i) pairs.op("NN\x86");
  pairs.op("e0")
      .global("collections", "OrderedDict")
      .op(std::string("q\x01h\x00\x85q\x02"
                      "00",
                      9));
  for (int i = 0; i < 1000; ++i) pairs.op(std::string("h\x01h\x02R", 5));
  EXPECT_EQ(pickle_cause(pairs.stop()), Cause::too_large);

  std::string many;
  for (int i = 0; i < 1000; ++i) many += "]";
  const std::string bytes = PickleWriter().op(many).stop();
  EXPECT_TRUE(parse_pickle(as_bytes(bytes), "test.pkl").ok());
  const auto limited = parse_pickle(as_bytes(bytes), "test.pkl", {.max_values = 500});
  ASSERT_FALSE(limited.ok());
  EXPECT_EQ(limited.error().cause, Cause::too_large);
}

TEST(Pickle, BigMemoNumbersCostNothing) {
  const auto pickle =
      parse_bytes(PickleWriter().op(std::string("Nr\xff\xff\xff\xffj\xff\xff\xff\xff", 11)).stop());
  ASSERT_TRUE(pickle.ok());
  EXPECT_TRUE(pickle->is(pickle->root, Kind::none));
}

TEST(Pickle, BrokenProgramsAreErrors) {
  for (const char* body :
       {"",  "R", "NR", "a", "Na", "]a",   "t",         "u", "(u", "}(Nu", "NNNs", "N(R",    "(Nq",  "0", "1",
        "2", "b", "Nb", "Q", "(Q", "\x81", "N\x85\x86", "e", "(e", "N(e",  "\x93", "NN\x93", "h\x07"}) {
    EXPECT_EQ(parse_bytes(PickleWriter().op(body).stop()).ok(), false) << body;
  }
  EXPECT_EQ(pickle_cause(""), Cause::truncated);
  EXPECT_EQ(pickle_cause("N"), Cause::truncated);
  EXPECT_EQ(pickle_cause("cos\nsystem"), Cause::truncated);
  EXPECT_EQ(pickle_cause(std::string("\x80\x09N.", 4)), Cause::unsupported);
  EXPECT_EQ(pickle_cause("I1\n."), Cause::unsupported);                   // protocol 0
  EXPECT_EQ(pickle_cause(std::string("\x82\x01.")), Cause::unsupported);  // extension registry
  // The stack below a mark is out of reach.
  EXPECT_EQ(pickle_cause(PickleWriter().op("N(").stop()), Cause::malformed);
}

}  // namespace
}  // namespace pmtr
