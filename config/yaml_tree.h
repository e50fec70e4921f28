#pragma once

#include <cstddef>
#include <string>
#include <vector>

// A YAML document as a tree that knows where each of its parts stands. Made from yaml-cpp's events
// and not from its nodes, which forget the style of scalars and let a key stand twice.
namespace leveret::config {

struct YamlPlace {
  int line = 1;
  int column = 1;
};

struct YamlEntry;

struct YamlNode {
  enum class Kind { kNull, kScalar, kSequence, kMap };

  Kind kind = Kind::kNull;
  YamlPlace place;
  bool plain = false;  // a scalar without quotes or !!str: may be a number
  std::string text;    // of a scalar
  std::vector<YamlNode> items;
  std::vector<YamlEntry> entries;  // in the order of the document, no key twice
};

struct YamlEntry {
  std::string key;
  YamlPlace place;
  YamlNode value;
};

inline constexpr std::size_t kYamlBytesMax = 16777216;
// Deeper than any real configuration: arguments of a binding stand at depth 4.
inline constexpr std::size_t kYamlDepthMax = 64;
// 100,000 bindings need 1.2 million nodes; a node takes about 150 bytes.
inline constexpr std::size_t kYamlNodesMax = 4000000;

// "NAME:LINE:COLUMN: ", the beginning of every message.
std::string place_text(const std::string& name, YamlPlace place);

// One document; kNull for an empty one. `name` stands for the file in messages. Throws ConfigError
// for what is not YAML, is not UTF-8, or uses anchors, aliases or tags: aliases let a few lines
// stand for a tree of any size, and no setting needs them.
YamlNode parse_yaml(const std::string& text, const std::string& name);

}  // namespace leveret::config
