// The first line of the input is a routing key, the others are binding patterns. The trie has to
// find exactly what the definition of topic patterns gives, and to be empty once all are removed.

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "exchange/topic_trie.h"
#include "protocol/base/assert.h"
#include "protocol/limits.h"
#include "tests/unit/exchange/naive_topic.h"

using namespace leveret::exchange;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<std::string> lines(1);
  for (std::size_t i = 0; i < size; ++i) {
    if (data[i] == '\n') {
      lines.emplace_back();
    } else if (lines.back().size() < leveret::protocol::kShortStringMax) {
      lines.back() += static_cast<char>(data[i]);
    }
  }
  const auto queue = [](std::size_t i) {
    return Destination::queue({static_cast<std::uint32_t>(i), 0, 0});
  };
  TopicTrie trie;
  TopicTrie::Scratch scratch;
  std::set<std::size_t> expected;
  std::set<std::size_t> found;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    trie.add(lines[i], queue(i));
    if (naive::topic_matches(lines[i], lines[0])) expected.insert(i);
  }
  trie.match(lines[0], scratch, [&](const DestinationSet& set) {
    set.for_each([&](const Destination& d) { found.insert(d.queue_id().index); });
  });
  LEVERET_ASSERT(found == expected);
  LEVERET_ASSERT(scratch.steps() <= 2 * 257 * (trie.node_count() + 1));
  for (std::size_t i = 1; i < lines.size(); ++i) trie.remove(lines[i], queue(i));
  LEVERET_ASSERT(trie.empty());
  return 0;
}
