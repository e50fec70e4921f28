#include "server/output_queue.h"

#include <array>
#include <cstddef>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <string>
#include <utility>
#include <vector>

namespace leveret::server {
namespace {

queue::MessageRef message_of(const std::string& body) {
  queue::Message::Parts parts;
  parts.routing_key = "key";
  parts.properties = std::string_view("\0\0", 2);
  return queue::Message::create(parts, body);
}

void borrow(OutputQueue& output, const std::string& body) {
  const queue::MessageRef message = message_of(body);
  output.borrow(message, message->body());
}

// What one writev would send.
std::string gathered(OutputQueue& output) {
  std::array<iovec, OutputQueue::kGatherMax> vectors{};
  const std::size_t count = output.gather(&vectors);
  std::string bytes;
  for (std::size_t i = 0; i < count; ++i) {
    EXPECT_GT(vectors[i].iov_len, 0u);
    bytes.append(static_cast<const char*>(vectors[i].iov_base), vectors[i].iov_len);
  }
  return bytes;
}

TEST(OutputQueue, BorrowedBytesStandWhereTheyWerePut) {
  OutputQueue output;
  borrow(output, "first ");
  output.buffer().append("second ");
  borrow(output, "third ");
  borrow(output, "fourth ");
  output.buffer().append("fifth");
  EXPECT_EQ(gathered(output), "first second third fourth fifth");
  EXPECT_EQ(output.size(), 31u);
}

TEST(OutputQueue, BorrowedMessageLivesUntilItsBytesAreWritten) {
  const std::int64_t before = queue::Message::bytes_alive();
  OutputQueue output;
  output.buffer().append("ab");
  borrow(output, "cd");
  output.consume(3);
  EXPECT_GT(queue::Message::bytes_alive(), before);
  EXPECT_EQ(gathered(output), "d");
  output.consume(1);
  EXPECT_EQ(queue::Message::bytes_alive(), before);
  EXPECT_TRUE(output.empty());
}

TEST(OutputQueue, NothingIsBorrowedForAnEmptyBody) {
  OutputQueue output;
  borrow(output, "");
  EXPECT_TRUE(output.empty());
  EXPECT_EQ(gathered(output), "");
}

TEST(OutputQueue, MorePiecesThanOneGatherHoldsComeOutInOrder) {
  OutputQueue output;
  std::string all;
  for (int i = 0; i < 300; ++i) {
    const std::string small = std::to_string(i) + ",";
    const std::string body = "<" + std::to_string(i) + ">";
    if (i % 3 != 0) output.buffer().append(small);
    if (i % 3 != 0) all += small;
    borrow(output, body);
    all += body;
  }
  std::string written;
  while (!output.empty()) {
    const std::string piece = gathered(output);
    ASSERT_FALSE(piece.empty());
    written += piece;
    output.consume(piece.size());
  }
  EXPECT_EQ(written, all);
}

TEST(OutputQueue, ReleasedOneIsEmptyAndUsable) {
  const std::int64_t before = queue::Message::bytes_alive();
  OutputQueue output;
  output.buffer().append("ab");
  borrow(output, "cd");
  output.release();
  EXPECT_TRUE(output.empty());
  EXPECT_EQ(queue::Message::bytes_alive(), before);
  output.buffer().append("ef");
  borrow(output, "gh");
  EXPECT_EQ(gathered(output), "efgh");
}

RC_GTEST_PROP(OutputQueueProperty, RandomPiecesGiveTheSameBytes, ()) {
  OutputQueue output;
  std::string expected;  // not yet written
  char next = 'a';
  const auto text = [&next](std::size_t n) {
    std::string bytes;
    for (std::size_t i = 0; i < n; ++i) {
      bytes += next;
      next = next == 'z' ? 'a' : static_cast<char>(next + 1);
    }
    return bytes;
  };
  const auto steps = *rc::gen::scale(
      6.0, rc::gen::container<std::vector<std::pair<unsigned, unsigned>>>(
               rc::gen::pair(rc::gen::inRange(0u, 10u), rc::gen::inRange(0u, 400u))));
  for (const auto& [what, n] : steps) {
    if (what < 4) {
      const std::string bytes = text(n);
      output.buffer().append(bytes);
      expected += bytes;
    } else if (what < 8) {
      const std::string bytes = text(n);
      borrow(output, bytes);
      expected += bytes;
    } else {
      const std::string front = gathered(output);
      RC_ASSERT(front == expected.substr(0, front.size()));
      RC_ASSERT(front.empty() == expected.empty());
      const std::size_t written = what == 8 ? n * front.size() / 400 : front.size();
      output.consume(written);
      expected.erase(0, written);
    }
    RC_ASSERT(output.size() == expected.size());
    RC_ASSERT(output.empty() == expected.empty());
  }
}

}  // namespace
}  // namespace leveret::server
