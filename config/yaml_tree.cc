#include "config/yaml_tree.h"

#include <optional>
#include <sstream>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include "config/yaml_loader.h"
#include "protocol/base/assert.h"
#include "protocol/utf8.h"

namespace leveret::config {

namespace {

YamlPlace place_of(const YAML::Mark& mark) {
  // yaml-cpp's null mark is -1.
  return mark.line < 0 ? YamlPlace{} : YamlPlace{mark.line + 1, mark.column + 1};
}

bool is_continuation(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

// Control characters are no YAML, and yaml-cpp takes some for other things: byte 4 ends its input.
bool is_forbidden(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte < 0x20 && c != '\n' && c != '\r' && c != '\t') || byte == 0x7F;
}

// Where the text ends, as a person and as yaml-cpp count.
struct TextEnd {
  YamlPlace place;
  int characters = 0;
};

TextEnd check_text(const std::string& text, const std::string& name) {
  if (text.size() > kYamlBytesMax) {
    throw ConfigError(place_text(name, {}) + "file is too large; expected at most 16 MiB");
  }
  TextEnd result;
  YamlPlace& place = result.place;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at + 1;
    while (end < text.size() && is_continuation(text[end])) ++end;
    const std::string_view character = std::string_view(text).substr(at, end - at);
    if (is_forbidden(text[at]) || !protocol::valid_utf8(character)) {
      throw ConfigError(place_text(name, place) +
                        "invalid character; expected UTF-8 text without control characters");
    }
    ++place.column;
    ++result.characters;
    if (text[at] == '\n') place = {place.line + 1, 1};
    at = end;
  }
  return result;
}

// Builds the tree from the parser's events; throws out of the parser at the first that is refused.
class TreeBuilder : public YAML::EventHandler {
 public:
  explicit TreeBuilder(const std::string& name) : name_(name) {}

  YamlNode take_root() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    refuse_anchor(mark, anchor);
    YamlNode node;
    node.place = place_of(mark);
    add(std::move(node));
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    fail(mark, "aliases are not supported; expected the value itself");
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    refuse_anchor(mark, anchor);
    const bool text = tag == "!" || tag == "tag:yaml.org,2002:str";
    if (!text && tag != "?" && !tag.empty()) refuse_tag(mark, tag);
    if (value.find('\0') != std::string::npos) fail(mark, "contains a zero byte; expected text");
    YamlNode node;
    node.kind = YamlNode::Kind::kScalar;
    node.place = place_of(mark);
    node.plain = !text;
    node.text = value;
    add(std::move(node));
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(mark, tag, anchor, YamlNode::Kind::kSequence);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(mark, tag, anchor, YamlNode::Kind::kMap);
  }
  void OnMapEnd() override { close(); }

 private:
  // A sequence or map whose end has not been seen.
  struct Open {
    YamlNode node;
    std::optional<std::pair<std::string, YamlPlace>> key;  // waits for its value
    std::unordered_map<std::string, YamlPlace> keys;
  };

  [[noreturn]] void fail(YamlPlace place, const std::string& message) const {
    throw ConfigError(place_text(name_, place) + message);
  }
  [[noreturn]] void fail(const YAML::Mark& mark, const std::string& message) const {
    fail(place_of(mark), message);
  }
  [[noreturn]] void refuse_tag(const YAML::Mark& mark, const std::string& tag) const {
    fail(mark, "unknown tag '" + tag + "'; expected none, or !!str");
  }
  void refuse_anchor(const YAML::Mark& mark, YAML::anchor_t anchor) const {
    if (anchor != 0) fail(mark, "anchors are not supported; expected a value without '&'");
  }

  void open(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
            YamlNode::Kind kind) {
    refuse_anchor(mark, anchor);
    if (tag != "?" && tag != "!" && !tag.empty()) refuse_tag(mark, tag);
    if (stack_.size() == kYamlDepthMax) {
      fail(mark, "nested too deeply; expected at most 64 levels");
    }
    if (awaits_key()) fail(mark, "a list or mapping stands as a key; expected text");
    Open level;
    level.node.kind = kind;
    level.node.place = place_of(mark);
    stack_.push_back(std::move(level));
  }

  void close() {
    LEVERET_ASSERT(!stack_.empty());
    YamlNode node = std::move(stack_.back().node);
    stack_.pop_back();
    add(std::move(node));
  }

  bool awaits_key() const {
    return !stack_.empty() && stack_.back().node.kind == YamlNode::Kind::kMap && !stack_.back().key;
  }

  void add(YamlNode node) {
    if (++nodes_ > kYamlNodesMax) fail(node.place, "too many values; expected at most 4,000,000");
    if (stack_.empty()) {
      root_ = std::move(node);
      return;
    }
    Open& level = stack_.back();
    if (level.node.kind == YamlNode::Kind::kSequence) {
      level.node.items.push_back(std::move(node));
    } else if (level.key) {
      // Nothing is nowhere; its key is what one looks for.
      if (node.kind == YamlNode::Kind::kNull) node.place = level.key->second;
      level.node.entries.push_back(
          {std::move(level.key->first), level.key->second, std::move(node)});
      level.key.reset();
    } else {
      add_key(level, std::move(node));
    }
  }

  void add_key(Open& level, YamlNode node) {
    if (node.kind != YamlNode::Kind::kScalar) fail(node.place, "empty key; expected text");
    const auto [first, is_new] = level.keys.try_emplace(node.text, node.place);
    if (!is_new) {
      fail(node.place, "duplicate key '" + node.text + "'; the first is at line " +
                           std::to_string(first->second.line));
    }
    level.key.emplace(std::move(node.text), node.place);
  }

  const std::string& name_;
  std::vector<Open> stack_;
  YamlNode root_;
  std::size_t nodes_ = 0;
};

}  // namespace

std::string place_text(const std::string& name, YamlPlace place) {
  return name + ":" + std::to_string(place.line) + ":" + std::to_string(place.column) + ": ";
}

YamlNode parse_yaml(const std::string& text, const std::string& name) {
  const TextEnd end = check_text(text, name);
  try {
    std::istringstream input(text);
    YAML::Parser parser(input);
    TreeBuilder builder(name);
    if (!parser.HandleNextDocument(builder)) return {};
    TreeBuilder second(name);
    if (parser.HandleNextDocument(second)) {
      throw ConfigError(place_text(name, second.take_root().place) +
                        "a second document begins; expected one");
    }
    return builder.take_root();
  } catch (const YAML::Exception& error) {
    // yaml-cpp loses the column at the end of its input.
    const bool at_end = error.mark.pos >= end.characters;
    throw ConfigError(place_text(name, at_end ? end.place : place_of(error.mark)) +
                      "not valid YAML: " + error.msg);
  }
}

}  // namespace leveret::config
