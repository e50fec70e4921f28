#include "protocol/channel_fsm.h"

#include <gtest/gtest.h>
#include <string>

namespace leveret::protocol {
namespace {

std::string header(std::uint64_t body_size, std::uint16_t class_id = 60, std::uint16_t weight = 0) {
  std::string payload(14, '\0');
  store_u16(payload.data(), class_id);
  store_u16(payload.data() + 2, weight);
  store_u64(payload.data() + 4, body_size);
  return payload;
}

ChannelFsm after_publish() {
  ChannelFsm channel;
  EXPECT_TRUE(channel.accept_method(60, 40));
  return channel;
}

TEST(ChannelFsm, ContentIsPublishHeaderAndTheAnnouncedBytes) {
  ChannelFsm channel = after_publish();
  ContentHeader parsed;
  bool complete = false;
  EXPECT_FALSE(channel.accept_method(60, 80));
  ASSERT_TRUE(channel.accept_header(header(5), &parsed));
  EXPECT_EQ(parsed.body_size, 5u);
  EXPECT_TRUE(channel.accept_body(2, &complete));
  EXPECT_FALSE(complete);
  EXPECT_TRUE(channel.accept_body(0, &complete));
  EXPECT_FALSE(complete);
  EXPECT_FALSE(channel.accept_header(header(5), &parsed));
  EXPECT_TRUE(channel.accept_body(3, &complete));
  EXPECT_TRUE(complete);
  EXPECT_TRUE(channel.accept_method(60, 40));
}

TEST(ChannelFsm, AnEmptyMessageEndsWithItsHeader) {
  ChannelFsm channel = after_publish();
  ContentHeader parsed;
  ASSERT_TRUE(channel.accept_header(header(0), &parsed));
  EXPECT_EQ(channel.state(), ChannelFsm::State::kReady);
}

TEST(ChannelFsm, ABodyNeverExceedsWhatWasAnnounced) {
  ChannelFsm channel = after_publish();
  ContentHeader parsed;
  bool complete = false;
  ASSERT_TRUE(channel.accept_header(header(5), &parsed));
  EXPECT_FALSE(channel.accept_body(6, &complete));
  EXPECT_TRUE(channel.accept_body(5, &complete));
  EXPECT_FALSE(channel.accept_body(0, &complete));
}

TEST(ChannelFsm, TheLargestBodyIsAcceptedAndOneMoreByteIsNot) {
  ChannelFsm channel = after_publish();
  ContentHeader parsed;
  EXPECT_FALSE(channel.accept_header(header(kBodySizeMax + 1), &parsed));
  EXPECT_FALSE(channel.accept_header(header(~std::uint64_t{0}), &parsed));
  EXPECT_TRUE(channel.accept_header(header(kBodySizeMax), &parsed));
}

TEST(ChannelFsm, LeavesOpeningAndClosingToTheConnection) {
  ChannelFsm channel;
  EXPECT_FALSE(channel.accept_method(20, 10));
  EXPECT_FALSE(channel.accept_method(20, 40));
  EXPECT_FALSE(channel.accept_method(20, 41));
  EXPECT_FALSE(channel.accept_method(10, 50));
  EXPECT_FALSE(channel.accept_method(60, 60));
  EXPECT_FALSE(channel.accept_method(60, 200));
  EXPECT_TRUE(channel.accept_method(20, 20));
  EXPECT_TRUE(channel.accept_method(60, 80));
  EXPECT_TRUE(channel.accept_method(50, 10));
}

TEST(ChannelFsm, AClosingChannelAcceptsNothing) {
  ChannelFsm channel = after_publish();
  ContentHeader parsed;
  bool complete = false;
  channel.close();
  EXPECT_FALSE(channel.open());
  EXPECT_FALSE(channel.accept_header(header(5), &parsed));
  EXPECT_FALSE(channel.accept_body(0, &complete));
  EXPECT_FALSE(channel.accept_method(60, 80));
}

}  // namespace
}  // namespace leveret::protocol
