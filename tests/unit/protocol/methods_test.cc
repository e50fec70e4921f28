#include "protocol/methods.h"

#include <algorithm>
#include <deque>
#include <fstream>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <sstream>
#include <string>
#include <vector>

#include "tests/unit/protocol/bytes.h"
#include "tests/unit/protocol/random_table.h"

namespace leveret::protocol {
namespace {

using test::bytes;

constexpr std::string_view spec_type(WireType type) {
  switch (type) {
    case WireType::kOctet:
      return "octet";
    case WireType::kShort:
      return "short";
    case WireType::kLong:
      return "long";
    case WireType::kLongLong:
      return "longlong";
    case WireType::kBit:
      return "bit";
    case WireType::kShortString:
    case WireType::kShortBytes:
      return "shortstr";
    case WireType::kLongString:
      return "longstr";
    case WireType::kTable:
      return "table";
  }
  return "?";
}

template <class M>
std::string described() {
  std::ostringstream line;
  line << M::name << ' ' << M::class_id << ' ' << M::method_id;
  std::apply(
      [&](const auto&... field) {
        ((line << ' ' << field.name << ':' << spec_type(field.type)), ...);
      },
      M::fields());
  return line.str();
}

// Keeps the strings that a random method's views point to.
using Storage = std::deque<std::string>;

template <WireType Type, class M, class T>
void randomize(const Argument<Type, M, T>& field, M* m, Storage* storage) {
  if constexpr (Type == WireType::kTable) {
    m->*field.member = FieldTable(storage->emplace_back(*test::random_table()));
  } else if constexpr (Type == WireType::kShortString) {
    m->*field.member = storage->emplace_back(*test::random_name());
  } else if constexpr (Type == WireType::kShortBytes) {
    m->*field.member = storage->emplace_back(*test::random_short_bytes());
  } else if constexpr (Type == WireType::kLongString) {
    m->*field.member = storage->emplace_back(*rc::gen::arbitrary<std::string>());
  } else {
    m->*field.member = *rc::gen::arbitrary<T>();
  }
}

template <class M>
M random_method(Storage* storage) {
  M m;
  std::apply([&](const auto&... field) { (randomize(field, &m, storage), ...); }, M::fields());
  return m;
}

bool same(const FieldTable& a, const FieldTable& b) {
  return a.bytes() == b.bytes();
}
template <class T>
bool same(const T& a, const T& b) {
  return a == b;
}

template <class M>
bool same_method(const M& a, const M& b) {
  return std::apply(
      [&](const auto&... field) { return (same(a.*field.member, b.*field.member) && ...); },
      M::fields());
}

TEST(Methods, AreThoseOfTheTable) {
  std::ifstream file(LEVERET_METHOD_TABLE);
  ASSERT_TRUE(file.is_open());
  std::vector<std::string> expected;
  for (std::string line; std::getline(file, line);) {
    if (!line.empty() && line[0] != '#') expected.push_back(line);
  }
  std::vector<std::string> actual;
  for_each_method([&](auto m) { actual.push_back(described<decltype(m)>()); });
  std::sort(expected.begin(), expected.end());
  std::sort(actual.begin(), actual.end());
  EXPECT_EQ(actual, expected);
}

RC_GTEST_PROP(Methods, EveryMethodDecodesToWhatWasEncoded, ()) {
  for_each_method([](auto prototype) {
    using M = decltype(prototype);
    Storage storage;
    const M sent = random_method<M>(&storage);
    const std::string args = test::arguments(sent);
    M received;
    RC_ASSERT(decode(args, &received) == WireError::kNone);
    RC_ASSERT(same_method(sent, received));
    RC_ASSERT(test::arguments(received) == args);
    RC_ASSERT(check_arguments(M::class_id, M::method_id, args) == WireError::kNone);
  });
}

RC_GTEST_PROP(Methods, EveryPrefixAndEverySurplusIsRefused, ()) {
  for_each_method([](auto prototype) {
    using M = decltype(prototype);
    Storage storage;
    const std::string args = test::arguments(random_method<M>(&storage));
    M received;
    for (std::size_t size = 0; size < args.size(); ++size) {
      const std::vector<char> prefix(args.begin(),
                                     args.begin() + static_cast<std::ptrdiff_t>(size));
      RC_ASSERT(decode({prefix.data(), size}, &received) == WireError::kTruncated);
    }
    RC_ASSERT(decode(args + 'x', &received) == WireError::kTruncated);
  });
}

TEST(Methods, FrameIsTypeChannelSizePayloadEnd) {
  BasicAck ack;
  ack.delivery_tag = 3;
  ack.multiple = true;
  EXPECT_EQ(test::method(0x0102, ack), bytes("\1\1\2\0\0\0\x0D"
                                             "\0\x3C\0\x50"
                                             "\0\0\0\0\0\0\0\3"
                                             "\1"
                                             "\xCE"));
  EXPECT_EQ(test::method(1, TxSelect{}), bytes("\1\0\1\0\0\0\4"
                                               "\0\x5A\0\x0A"
                                               "\xCE"));
}

TEST(Methods, NeighbouringBitsShareAnOctetLowestFirst) {
  QueueDeclare declare;
  declare.queue = "q";
  declare.durable = true;
  declare.nowait = true;
  EXPECT_EQ(test::arguments(declare), bytes("\0\0\1q\x12\0\0\0\0"));
  AccessRequest request;
  request.read = true;
  EXPECT_EQ(test::arguments(request), bytes("\0\x10"));
}

TEST(Methods, UnusedBitsAreIgnored) {
  BasicPublish publish;
  EXPECT_EQ(decode(bytes("\0\0\0\0\xFC"), &publish), WireError::kNone);
  EXPECT_FALSE(publish.mandatory);
  EXPECT_FALSE(publish.immediate);
}

TEST(Methods, NamesAreCheckedForUtf8ExceptInPublish) {
  QueueDeclare declare;
  EXPECT_EQ(decode(bytes("\0\0\1\xFF\0\0\0\0\0"), &declare), WireError::kBadUtf8);
  BasicPublish publish;
  const std::string args = bytes("\0\0\0\1\xFF\0");
  EXPECT_EQ(decode(args, &publish), WireError::kNone);
  EXPECT_EQ(publish.routing_key, "\xFF");
}

TEST(Methods, ALongReplyTextIsCutNotOverrun) {
  ConnectionClose close;
  const std::string text(70000, 'x');
  close.reply_text = text;
  ConnectionClose received;
  const std::string args = test::arguments(close);
  EXPECT_EQ(decode(args, &received), WireError::kNone);
  EXPECT_EQ(received.reply_text.size(), kShortStringMax);
}

TEST(Methods, KindTellsWhoMaySendThem) {
  for (const auto& [class_id, method_id] : {std::pair<int, int>{60, 40},
                                            {60, 80},
                                            {60, 120},
                                            {10, 11},
                                            {10, 31},
                                            {10, 51},
                                            {20, 20},
                                            {20, 41},
                                            {30, 10},
                                            {85, 10},
                                            {90, 30},
                                            {10, 70}}) {
    EXPECT_EQ(
        method_kind(static_cast<std::uint16_t>(class_id), static_cast<std::uint16_t>(method_id)),
        MethodKind::kClient)
        << class_id << ' ' << method_id;
  }
  for (const auto& [class_id, method_id] : {std::pair<int, int>{60, 60},
                                            {60, 50},
                                            {60, 72},
                                            {60, 21},
                                            {60, 31},
                                            {10, 10},
                                            {10, 60},
                                            {10, 61},
                                            {20, 11},
                                            {20, 21},
                                            {50, 11},
                                            {90, 11},
                                            {10, 71}}) {
    EXPECT_EQ(
        method_kind(static_cast<std::uint16_t>(class_id), static_cast<std::uint16_t>(method_id)),
        MethodKind::kServerOnly)
        << class_id << ' ' << method_id;
  }
}

TEST(Methods, EveryOtherPairOfIdsIsUnknown) {
  std::size_t known = 0;
  for (std::uint32_t class_id = 0; class_id < 300; ++class_id) {
    for (std::uint32_t method_id = 0; method_id < 300; ++method_id) {
      const auto c = static_cast<std::uint16_t>(class_id);
      const auto m = static_cast<std::uint16_t>(method_id);
      const bool named = !method_name(c, m).empty();
      EXPECT_EQ(method_kind(c, m) != MethodKind::kUnknown, named);
      known += named ? 1 : 0;
    }
  }
  EXPECT_EQ(known, std::tuple_size_v<AllMethods>);
  EXPECT_EQ(method_kind(65535, 65535), MethodKind::kUnknown);
  EXPECT_EQ(check_arguments(99, 1, ""), WireError::kTruncated);
}

}  // namespace
}  // namespace leveret::protocol
