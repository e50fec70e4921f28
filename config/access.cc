#include "config/access.h"

#include <cctype>
#include <utility>

#include "protocol/base/assert.h"

namespace leveret::config {

namespace {

Pattern compile_or_nothing(const std::string& pattern) {
  std::string error;
  return Pattern::compile(pattern, &error).value_or(Pattern());
}

// The name as a pattern for itself, inside a character class as well as outside.
std::string quote(std::string_view name) {
  std::string result;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80 && std::isalnum(byte) == 0) result += '\\';
    result += c;
  }
  return result;
}

// RabbitMQ inserts the bare name. Quoting it keeps a user named "a.b" out of the topics of "axb".
std::string expand(std::string pattern, const PermissionDefinition& permission) {
  const std::pair<std::string_view, std::string> variables[] = {
      {"{username}", quote(permission.user)}, {"{vhost}", quote(permission.vhost)}};
  for (const auto& [variable, value] : variables) {
    std::size_t at = 0;
    while ((at = pattern.find(variable, at)) != std::string::npos) {
      pattern.replace(at, variable.size(), value);
      at += value.size();
    }
  }
  return pattern;
}

}  // namespace

VhostAccess::VhostAccess(const PermissionDefinition& permission,
                         const std::vector<TopicPermissionDefinition>& topic_permissions)
    : configure_(compile_or_nothing(permission.configure)),
      write_(compile_or_nothing(permission.write)),
      read_(compile_or_nothing(permission.read)) {
  for (const TopicPermissionDefinition& topic : topic_permissions) {
    if (topic.user != permission.user || topic.vhost != permission.vhost) continue;
    topics_.try_emplace(topic.exchange,
                        TopicPatterns{compile_or_nothing(expand(topic.write, permission)),
                                      compile_or_nothing(expand(topic.read, permission))});
  }
}

bool VhostAccess::allows(Access access, std::string_view name) const {
  const std::string_view checked = name.empty() ? std::string_view("amq.default") : name;
  switch (access) {
    case Access::kConfigure:
      return configure_.matches(checked);
    case Access::kWrite:
      return write_.matches(checked);
    case Access::kRead:
      return read_.matches(checked);
  }
  return false;
}

bool VhostAccess::allows_topic(Access access, std::string_view exchange,
                               std::string_view routing_key) const {
  LEVERET_ASSERT(access != Access::kConfigure);
  const auto found = topics_.find(exchange);
  if (found == topics_.end()) return true;
  const TopicPatterns& patterns = found->second;
  return (access == Access::kWrite ? patterns.write : patterns.read).matches(routing_key);
}

bool VhostAccess::has_topic_permissions() const {
  return !topics_.empty();
}

AccessTable::AccessTable(const Definitions& definitions) {
  for (const UserDefinition& user : definitions.users) {
    users_.try_emplace(user.name, Entry{user, {}});
  }
  for (const PermissionDefinition& permission : definitions.permissions) {
    const auto user = users_.find(permission.user);
    if (user == users_.end()) continue;
    auto& by_vhost = user->second.by_vhost;
    if (by_vhost.contains(permission.vhost)) continue;
    by_vhost.emplace(permission.vhost, std::make_shared<const VhostAccess>(
                                           permission, definitions.topic_permissions));
  }
}

const UserDefinition* AccessTable::find_user(std::string_view name) const {
  const auto found = users_.find(name);
  return found == users_.end() ? nullptr : &found->second.user;
}

std::shared_ptr<const VhostAccess> AccessTable::find(std::string_view user,
                                                     std::string_view vhost) const {
  const auto found = users_.find(user);
  if (found == users_.end()) return nullptr;
  const auto access = found->second.by_vhost.find(vhost);
  return access == found->second.by_vhost.end() ? nullptr : access->second;
}

}  // namespace leveret::config
