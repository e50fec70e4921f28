#include "server/names.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <set>
#include <string>
#include <tuple>

#include "server/direct_reply.h"

namespace leveret::server {
namespace {

constexpr std::string_view kBase64Url =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

TEST(Names, RandomOnesAreAPrefixAnd22CharactersOfBase64Url) {
  std::set<std::string> seen;
  for (int i = 0; i < 100; ++i) {
    const std::string name = random_name("amq.gen-");
    ASSERT_EQ(name.size(), 30u);
    EXPECT_EQ(name.substr(0, 8), "amq.gen-");
    EXPECT_EQ(name.find_first_not_of(kBase64Url, 8), std::string::npos);
    EXPECT_TRUE(seen.insert(name).second);
  }
}

TEST(Names, LineEndsAreDroppedAndNothingElse) {
  EXPECT_EQ(strip_line_ends("a\r\nb\n"), "ab");
  EXPECT_EQ(strip_line_ends("\r\n"), "");
  EXPECT_EQ(strip_line_ends("a b\tc"), "a b\tc");
  EXPECT_EQ(strip_line_ends("\xC3\xA9"), "\xC3\xA9");
}

auto tied(const ChannelAddress& a) {
  return std::tuple(a.connection, a.loop, a.channel, a.generation);
}

RC_GTEST_PROP(DirectReplyProperty, NamesLeadBackToTheirChannel, ()) {
  const ChannelAddress address{
      ConnectionId(*rc::gen::arbitrary<std::uint64_t>()), *rc::gen::arbitrary<std::uint16_t>(),
      ChannelId(*rc::gen::arbitrary<std::uint16_t>()), *rc::gen::arbitrary<std::uint32_t>()};
  const std::string name = direct_reply_name(address);
  RC_ASSERT(name.starts_with("amq.rabbitmq.reply-to."));
  RC_ASSERT(name.size() <= 255u);
  const auto parsed = parse_direct_reply_name(name);
  RC_ASSERT(parsed.has_value());
  RC_ASSERT(tied(*parsed) == tied(address));
}

TEST(DirectReply, TwoNamesOfOneChannelDiffer) {
  const ChannelAddress address{ConnectionId(1), 0, ChannelId(1), 1};
  EXPECT_NE(direct_reply_name(address), direct_reply_name(address));
}

TEST(DirectReply, OtherNamesAreRefused) {
  for (const char* name :
       {"", "queue", "amq.rabbitmq.reply-to", "amq.rabbitmq.reply-to.", "amq.rabbitmq.reply-to.x",
        "amq.rabbitmq.reply-to.1", "amq.rabbitmq.reply-to.1.2.3", "amq.rabbitmq.reply-to.1.2.3.4",
        "amq.rabbitmq.reply-to.-1.2.3.4.x", "amq.rabbitmq.reply-to.1.2.x.4.x",
        "amq.rabbitmq.reply-to.65536.2.3.4.x", "amq.rabbitmq.reply-to.1.2.65536.4.x",
        "amq.rabbitmq.reply-to.1.2.3.4294967296.x",
        "amq.rabbitmq.reply-to.1.18446744073709551616.3.4.x", "amq.rabbitmq.reply-to 1.2.3.4.x",
        "amq.rabbitmq.reply-to.1..3.4.x", "amq.rabbitmq.reply-to. 1.2.3.4.x"}) {
    EXPECT_FALSE(parse_direct_reply_name(name)) << name;
  }
}

RC_GTEST_PROP(DirectReplyProperty, GarbageIsNeverTakenForAnotherName, ()) {
  std::string name = direct_reply_name({ConnectionId(12), 3, ChannelId(45), 6});
  const auto at = *rc::gen::inRange<std::size_t>(0, kReplyTo.size() + 1);
  name[at] = static_cast<char>(name[at] ^ *rc::gen::inRange(1, 256));
  RC_ASSERT(!parse_direct_reply_name(name));
}

}  // namespace
}  // namespace leveret::server
