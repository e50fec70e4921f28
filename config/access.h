#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "config/definitions.h"
#include "config/pattern.h"

namespace leveret::config {

enum class Access : std::uint8_t { kConfigure, kWrite, kRead };

// Lets a map keyed by strings be asked with a view, without a copy.
struct NameHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view name) const {
    return std::hash<std::string_view>{}(name);
  }
};
template <typename T>
using NameMap = std::unordered_map<std::string, T, NameHash, std::equal_to<>>;

// What one user may do in one vhost. Immutable: shared by the sessions of that user on every loop.
class VhostAccess {
 public:
  // Only the topic permissions of that user and vhost are taken. A pattern that does not compile
  // allows nothing (yaml_loader refuses it earlier).
  VhostAccess(const PermissionDefinition& permission,
              const std::vector<TopicPermissionDefinition>& topic_permissions);

  // The default exchange is checked under the name amq.default.
  bool allows(Access access, std::string_view name) const;
  // Topic permissions: true where no entry exists for the exchange. {username} and {vhost} in the
  // patterns are replaced when this object is built, by the literal name: a dot in a user name
  // stands for a dot.
  // REQUIRES: access is kWrite or kRead.
  bool allows_topic(Access access, std::string_view exchange, std::string_view routing_key) const;
  bool has_topic_permissions() const;

 private:
  struct TopicPatterns {
    Pattern write;
    Pattern read;
  };

  Pattern configure_;
  Pattern write_;
  Pattern read_;
  NameMap<TopicPatterns> topics_;  // by exchange
};

// All users with their permissions. Immutable once built; a configuration change builds a new one.
class AccessTable {
 public:
  // Of two entries for one user and vhost the first counts (yaml_loader refuses a second).
  explicit AccessTable(const Definitions& definitions);

  // Null: no such user. Valid as long as this table.
  const UserDefinition* find_user(std::string_view name) const;
  // Null: the user has no permission entry for the vhost.
  std::shared_ptr<const VhostAccess> find(std::string_view user, std::string_view vhost) const;

 private:
  struct Entry {
    UserDefinition user;
    NameMap<std::shared_ptr<const VhostAccess>> by_vhost;
  };

  NameMap<Entry> users_;
};

}  // namespace leveret::config
