#include "queue/message.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace leveret::queue {
namespace {

constexpr std::string_view kNoProperties("\0\0", 2);

std::string bytes(std::initializer_list<int> values) {
  std::string text;
  for (int value : values) text += static_cast<char>(value);
  return text;
}

// The image as message.h draws it, put together without looking at the code.
std::string drawn(std::string_view exchange, std::string_view key, std::string_view properties,
                  std::string_view body) {
  const auto number = [](std::uint64_t value, int size) {
    std::string text;
    for (int i = size - 1; i >= 0; --i) text += static_cast<char>(value >> (8 * i));
    return text;
  };
  std::string image = number(exchange.size(), 1);
  image.append(exchange).append(number(key.size(), 1)).append(key).append("\xCE");
  image += bytes({2, 0, 0}) + number(12 + properties.size(), 4) + bytes({0, 60, 0, 0}) +
           number(body.size(), 8);
  image.append(properties).append("\xCE");
  if (body.empty()) return image;
  image += bytes({3, 0, 0}) + number(body.size(), 4);
  image.append(body).append("\xCE");
  return image;
}

Message::Parts parts_of(std::string_view exchange, std::string_view key,
                        std::string_view properties) {
  Message::Parts parts;
  parts.exchange = exchange;
  parts.routing_key = key;
  parts.properties = properties;
  return parts;
}

TEST(Message, ImageIsTheFramesOfItsDelivery) {
  const std::string properties = bytes({0x10, 0x00, 2});
  const MessageRef message = Message::create(parts_of("ex", "key", properties), "hello");
  EXPECT_EQ(message->image(),
            bytes({2,    'e', 'x', 3, 'k', 'e', 'y',  0xCE,  //
                   2,    0,   0,   0, 0,   0,   15,   0,    60,  0,   0,   0,   0,
                   0,    0,   0,   0, 0,   5,   0x10, 0,    2,  //
                   0xCE,                                        //
                   3,    0,   0,   0, 0,   0,   5,    'h',  'e', 'l', 'l', 'o', 0xCE}));
  EXPECT_EQ(message->header_frame_at(), 8u);
  EXPECT_EQ(message->body_frame_at(), 31u);
}

TEST(Message, EmptyBodyHasNoBodyFrame) {
  const MessageRef message = Message::create(parts_of("", "", kNoProperties), "");
  EXPECT_EQ(message->image(), drawn("", "", kNoProperties, ""));
  EXPECT_EQ(message->body_frame_at(), message->image().size());
  EXPECT_EQ(message->body(), "");
}

TEST(Message, DefaultViewsAreEmptyNames) {
  const MessageRef message = Message::create({}, std::string_view());
  EXPECT_EQ(message->image(), drawn("", "", "", ""));
}

TEST(Message, KeepsWhatTheQueueAsksFor) {
  Message::Parts parts = parts_of("e", "k", kNoProperties);
  parts.persistent = true;
  parts.priority = 7;
  parts.expiration_ms = 1500;
  const MessageRef message = Message::create(parts, "body");
  EXPECT_TRUE(message->persistent());
  EXPECT_EQ(message->priority(), 7);
  EXPECT_EQ(message->expiration_ms(), 1500);
  EXPECT_EQ(message->body_size(), 4u);
}

TEST(Message, LargeAnnouncedBodyTakesRoomOnlyAsItArrives) {
  constexpr std::uint64_t kAnnounced = 64 * 1024 * 1024;
  Message::Parts parts = parts_of("e", "k", kNoProperties);
  parts.body_size = kAnnounced;
  MessageRef message = Message::create(parts);
  EXPECT_LE(message->footprint(), 1024u * 1024u + 1024u);
  const std::string piece(100'000, 'x');
  for (int i = 0; i < 20; ++i) Message::append_body(message, piece);
  EXPECT_LE(message->footprint(), 4u * 1024u * 1024u + 4096u);
}

TEST(Message, BodyOverOneMebibyteComesOutAsItWentIn) {
  const std::string properties = bytes({0x80, 0, 4, 't', 'e', 'x', 't'});
  std::string body;
  for (std::size_t i = 0; body.size() < 3'500'000; ++i) body += std::to_string(i) + ' ';
  Message::Parts parts = parts_of("exchange", "key", properties);
  parts.body_size = body.size();
  MessageRef message = Message::create(parts);
  for (std::size_t at = 0; at < body.size(); at += 131'064) {
    Message::append_body(message, std::string_view(body).substr(at, 131'064));
  }
  EXPECT_TRUE(message->body() == body);
  EXPECT_TRUE(message->image() == drawn("exchange", "key", properties, body));
}

TEST(Message, EmptyPieceOfABodyChangesNothing) {
  Message::Parts parts = parts_of("", "k", kNoProperties);
  parts.body_size = 2;
  MessageRef message = Message::create(parts);
  Message::append_body(message, "");
  Message::append_body(message, "a");
  Message::append_body(message, "");
  Message::append_body(message, "b");
  EXPECT_EQ(message->image(), drawn("", "k", kNoProperties, "ab"));
}

TEST(Message, CopyHasTheBodyUnderOtherNamesAndProperties) {
  const MessageRef first = Message::create(parts_of("one", "a.b", kNoProperties), "payload");
  const std::string properties = bytes({0x08, 0x00, 9});
  Message::Parts parts = parts_of("two", first->routing_key(), properties);
  parts.priority = 9;
  const MessageRef copy = Message::copy_with(*first, parts);
  EXPECT_EQ(copy->image(), drawn("two", "a.b", properties, "payload"));
  EXPECT_EQ(copy->priority(), 9);
  EXPECT_EQ(first->image(), drawn("one", "a.b", kNoProperties, "payload"));
}

TEST(Message, BytesAliveComeBackToWhereTheyWere) {
  const std::int64_t before = Message::bytes_alive();
  {
    MessageRef large;
    Message::Parts parts = parts_of("e", "k", kNoProperties);
    parts.body_size = 2 * 1024 * 1024;
    large = Message::create(parts);
    Message::append_body(large, std::string(2 * 1024 * 1024, 'z'));
    const MessageRef shared = large;
    EXPECT_EQ(Message::bytes_alive() - before, static_cast<std::int64_t>(large->footprint()));
  }
  EXPECT_EQ(Message::bytes_alive(), before);
}

TEST(Message, BytesFreedOnAnotherThreadAreCountedOnce) {
  const std::int64_t before = Message::bytes_alive();
  std::vector<MessageRef> messages;
  std::thread maker([&messages] {
    for (int i = 0; i < 100; ++i) {
      messages.push_back(Message::create(parts_of("e", "k", kNoProperties), "body"));
    }
  });
  maker.join();
  EXPECT_GT(Message::bytes_alive(), before);
  std::thread eraser([&messages] { messages.clear(); });
  eraser.join();
  EXPECT_EQ(Message::bytes_alive(), before);
}

RC_GTEST_PROP(MessageProperty, AnyPartsComeBackAndGiveTheDrawnImage, ()) {
  const auto short_text = rc::gen::map(rc::gen::arbitrary<std::string>(),
                                       [](std::string text) { return text.substr(0, 255); });
  const auto exchange = *short_text;
  const auto key = *short_text;
  const auto properties = *rc::gen::arbitrary<std::string>();
  const auto body = *rc::gen::arbitrary<std::string>();
  const auto piece = *rc::gen::inRange<std::size_t>(1, 20);
  Message::Parts parts = parts_of(exchange, key, properties);
  parts.body_size = body.size();
  MessageRef message = Message::create(parts);
  for (std::size_t at = 0; at < body.size(); at += piece) {
    Message::append_body(message, std::string_view(body).substr(at, piece));
  }
  RC_ASSERT(message->exchange() == exchange);
  RC_ASSERT(message->routing_key() == key);
  RC_ASSERT(message->properties() == properties);
  RC_ASSERT(message->body() == body);
  RC_ASSERT(message->image() == drawn(exchange, key, properties, body));
}

}  // namespace
}  // namespace leveret::queue
