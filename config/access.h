#pragma once

#include <cstdint>
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

// What one user may do in one vhost. Immutable: shared by the sessions of that user on every loop.
class VhostAccess {
 public:
  VhostAccess(const PermissionDefinition& permission,
              const std::vector<TopicPermissionDefinition>& topic_permissions);

  // The default exchange is checked under the name amq.default.
  bool allows(Access access, std::string_view name) const;
  // Topic permissions: true where no entry exists for the exchange. {username} and {vhost} in the
  // patterns are replaced when this object is built.
  bool allows_topic(Access access, std::string_view exchange, std::string_view routing_key) const;
  bool has_topic_permissions() const;
};

// All users with their permissions. Immutable once built; a configuration change builds a new one.
class AccessTable {
 public:
  explicit AccessTable(const Definitions& definitions);

  // Null: no such user. Valid as long as this table.
  const UserDefinition* find_user(std::string_view name) const;
  // Null: the user has no permission entry for the vhost.
  std::shared_ptr<const VhostAccess> find(std::string_view user, std::string_view vhost) const;
};

}  // namespace leveret::config
