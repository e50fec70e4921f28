#include "config/yaml_definitions.h"

#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "config/arguments.h"
#include "config/policy.h"
#include "config/yaml_users.h"

namespace leveret::config {

namespace {

constexpr std::int64_t kLimitMax = 2147483647;
constexpr const char* kDefaultVhost = "/";

// vhost and name.
using Key = std::pair<std::string, std::string>;

bool is_reserved(const std::string& name) {
  return name.starts_with("amq.");
}

bool is_predeclared_exchange(const std::string& name) {
  for (const char* known : {"amq.direct", "amq.fanout", "amq.topic", "amq.headers", "amq.match",
                            "amq.rabbitmq.trace"}) {
    if (name == known) return true;
  }
  return false;
}

bool is_exchange_type(const std::string& type) {
  for (const char* known : {"direct", "fanout", "topic", "headers"}) {
    if (type == known) return true;
  }
  return false;
}

ApplyTo read_apply_to(const YamlValue& value) {
  const std::string text = value.text();
  if (text == "all") return ApplyTo::kAll;
  if (text == "queues") return ApplyTo::kQueues;
  if (text == "exchanges") return ApplyTo::kExchanges;
  if (text == "classic_queues") return ApplyTo::kClassicQueues;
  if (text == "quorum_queues") return ApplyTo::kQuorumQueues;
  if (text == "streams") return ApplyTo::kStreams;
  value.fail_expected("all, queues, exchanges, classic_queues, quorum_queues or streams");
}

// The part of a reply text after "PRECONDITION_FAILED - ".
std::string explanation(const protocol::AmqpError& error) {
  const std::size_t dash = error.text.find(" - ");
  return dash == std::string::npos ? error.text : error.text.substr(dash + 3);
}

// Fails at the argument that the error names. The errors that name none are about the properties of
// a quorum queue.
[[noreturn]] void fail_argument(const YamlFields& owner, const protocol::AmqpError& error) {
  if (const auto arguments = owner.find("arguments")) {
    for (const auto& [name, value] : arguments->entries()) {
      if (error.text.find("arg '" + name + "'") == std::string::npos) continue;
      value.fail(explanation(error) + "; expected a valid argument");
    }
  }
  owner.value().fail(explanation(error) + "; expected a durable queue without auto_delete");
}

// Reads the sections in the order in which later ones refer to earlier ones.
class DefinitionsReader {
 public:
  explicit DefinitionsReader(const YamlFields& top) : top_(top) {}

  Definitions read() {
    read_vhosts();
    read_users();
    read_permissions();
    read_topic_permissions();
    read_policies("policies", /*operators=*/false, &out_.policies);
    read_policies("operator_policies", /*operators=*/true, &out_.operator_policies);
    read_exchanges();
    read_queues();
    read_bindings();
    return std::move(out_);
  }

 private:
  std::vector<YamlValue> section(std::string_view key) const {
    const auto value = top_.find(key);
    return value ? value->items() : std::vector<YamlValue>();
  }

  std::string vhost_of(const YamlFields& fields) const {
    const auto value = fields.find("vhost");
    std::string vhost = value ? value->name() : kDefaultVhost;
    if (vhosts_.contains(vhost)) return vhost;
    (value ? *value : fields.value())
        .fail("vhost '" + vhost + "' does not exist; expected one of vhosts");
  }

  std::string user_of(const YamlFields& fields) const {
    const YamlValue value = fields.require("user");
    std::string user = value.name();
    if (!users_.contains(user)) {
      value.fail("user '" + user + "' does not exist; expected one of users");
    }
    return user;
  }

  // The name of a new exchange or queue.
  static std::string new_name(const YamlFields& fields, const char* kind) {
    const YamlValue value = fields.require("name");
    std::string name = value.name();
    if (is_reserved(name)) {
      value.fail(std::string(kind) + " name '" + name +
                 "' contains reserved prefix 'amq.*'; expected another name");
    }
    return name;
  }

  [[noreturn]] static void fail_duplicate(const YamlValue& item, const std::string& what) {
    item.fail(what + " is there twice; expected it once");
  }

  void read_vhosts();
  void read_users();
  void read_permissions();
  void read_topic_permissions();
  void read_policies(std::string_view key, bool operators, std::vector<PolicyDefinition>* out);
  void read_exchanges();
  void read_queues();
  void read_bindings();
  void check_binding(const YamlFields& fields, const BindingDefinition& binding) const;

  const YamlFields& top_;
  Definitions out_;
  std::set<std::string> vhosts_;
  std::set<std::string> users_;
  std::set<Key> exchanges_;
  std::set<Key> queues_;
};

void DefinitionsReader::read_vhosts() {
  for (const YamlValue& item : section("vhosts")) {
    const YamlFields fields(item, {"name", "description", "tags", "limits"});
    VhostDefinition vhost;
    vhost.name = fields.require("name").name();
    if (const auto description = fields.find("description")) {
      vhost.description = description->text();
    }
    if (const auto tags = fields.find("tags")) vhost.tags = tags->names();
    if (const auto value = fields.find("limits")) {
      const YamlFields limits(*value, {"max_connections", "max_queues"});
      vhost.limits.max_connections = limits.integer_or("max_connections", -1, -1, kLimitMax);
      vhost.limits.max_queues = limits.integer_or("max_queues", -1, -1, kLimitMax);
    }
    if (!vhosts_.insert(vhost.name).second) fail_duplicate(item, "vhost '" + vhost.name + "'");
    out_.vhosts.push_back(std::move(vhost));
  }
  if (top_.find("vhosts")) return;
  VhostDefinition vhost;
  vhost.name = kDefaultVhost;
  vhost.description = "Default virtual host";
  vhosts_.insert(vhost.name);
  out_.vhosts.push_back(std::move(vhost));
}

void DefinitionsReader::read_users() {
  for (const YamlValue& item : section("users")) {
    UserDefinition user = read_user(item);
    if (!users_.insert(user.name).second) fail_duplicate(item, "user '" + user.name + "'");
    out_.users.push_back(std::move(user));
  }
  if (top_.find("users")) return;
  out_.users.push_back(default_user());
  users_.insert(out_.users.back().name);
}

void DefinitionsReader::read_permissions() {
  std::set<Key> seen;
  for (const YamlValue& item : section("permissions")) {
    const YamlFields fields(item, {"user", "vhost", "configure", "write", "read"});
    PermissionDefinition permission;
    permission.user = user_of(fields);
    permission.vhost = vhost_of(fields);
    permission.configure = fields.require("configure").pattern();
    permission.write = fields.require("write").pattern();
    permission.read = fields.require("read").pattern();
    if (!seen.emplace(permission.user, permission.vhost).second) {
      fail_duplicate(item, "the permission of user '" + permission.user + "' in vhost '" +
                               permission.vhost + "'");
    }
    out_.permissions.push_back(std::move(permission));
  }
  if (top_.find("users")) return;
  // The default user may do everything, unless the file says otherwise for a vhost.
  for (const VhostDefinition& vhost : out_.vhosts) {
    if (seen.contains({kDefaultUserName, vhost.name})) continue;
    out_.permissions.push_back({kDefaultUserName, vhost.name, ".*", ".*", ".*"});
  }
}

void DefinitionsReader::read_topic_permissions() {
  std::set<std::tuple<std::string, std::string, std::string>> seen;
  for (const YamlValue& item : section("topic_permissions")) {
    const YamlFields fields(item, {"user", "vhost", "exchange", "write", "read"});
    TopicPermissionDefinition permission;
    permission.user = user_of(fields);
    permission.vhost = vhost_of(fields);
    permission.exchange = fields.require("exchange").name();
    permission.write = fields.require("write").pattern();
    permission.read = fields.require("read").pattern();
    if (!seen.emplace(permission.user, permission.vhost, permission.exchange).second) {
      fail_duplicate(item, "the topic permission of user '" + permission.user + "' for exchange '" +
                               permission.exchange + "' in vhost '" + permission.vhost + "'");
    }
    out_.topic_permissions.push_back(std::move(permission));
  }
}

void DefinitionsReader::read_policies(std::string_view key, bool operators,
                                      std::vector<PolicyDefinition>* out) {
  std::set<Key> seen;
  for (const YamlValue& item : section(key)) {
    const YamlFields fields(item,
                            {"name", "vhost", "pattern", "apply-to", "priority", "definition"});
    PolicyDefinition policy;
    policy.name = fields.require("name").name();
    policy.vhost = vhost_of(fields);
    policy.pattern = fields.require("pattern").pattern();
    if (const auto value = fields.find("apply-to")) policy.apply_to = read_apply_to(*value);
    policy.priority =
        static_cast<std::int32_t>(fields.integer_or("priority", 0, -kLimitMax - 1, kLimitMax));
    const YamlValue definition = fields.require("definition");
    for (const auto& [name, value] : definition.entries()) {
      const std::string entry = value.table_entry(name);
      const auto error = validate_policy_definition(protocol::FieldTable(entry), operators);
      if (error) value.fail(*error + "; expected another key or value");
      policy.definition += entry;
    }
    if (policy.definition.empty()) definition.fail("no policy provided; expected keys and values");
    if (!seen.emplace(policy.vhost, policy.name).second) {
      fail_duplicate(item, "policy '" + policy.name + "' in vhost '" + policy.vhost + "'");
    }
    out->push_back(std::move(policy));
  }
}

void DefinitionsReader::read_exchanges() {
  for (const YamlValue& item : section("exchanges")) {
    const YamlFields fields(
        item, {"name", "vhost", "type", "durable", "auto_delete", "internal", "arguments"});
    ExchangeDefinition exchange;
    exchange.name = new_name(fields, "exchange");
    exchange.vhost = vhost_of(fields);
    if (const auto type = fields.find("type")) {
      exchange.type = type->text();
      if (!is_exchange_type(exchange.type)) {
        type->fail_expected("direct, fanout, topic or headers");
      }
    }
    exchange.durable = fields.boolean_or("durable", exchange.durable);
    exchange.auto_delete = fields.boolean_or("auto_delete", exchange.auto_delete);
    exchange.internal = fields.boolean_or("internal", exchange.internal);
    exchange.arguments = fields.table_or_empty("arguments");
    std::optional<std::string> alternate;
    if (const auto error =
            parse_exchange_arguments({exchange.vhost, exchange.name},
                                     protocol::FieldTable(exchange.arguments), &alternate)) {
      fail_argument(fields, *error);
    }
    if (!exchanges_.emplace(exchange.vhost, exchange.name).second) {
      fail_duplicate(item, "exchange '" + exchange.name + "' in vhost '" + exchange.vhost + "'");
    }
    out_.exchanges.push_back(std::move(exchange));
  }
}

void DefinitionsReader::read_queues() {
  for (const YamlValue& item : section("queues")) {
    const YamlFields fields(item, {"name", "vhost", "durable", "auto_delete", "arguments"});
    QueueDefinition queue;
    queue.name = new_name(fields, "queue");
    queue.vhost = vhost_of(fields);
    queue.durable = fields.boolean_or("durable", queue.durable);
    queue.auto_delete = fields.boolean_or("auto_delete", queue.auto_delete);
    queue.arguments = fields.table_or_empty("arguments");
    QueueSettings ignored;
    if (const auto error = parse_queue_arguments(
            {queue.vhost, queue.name}, protocol::FieldTable(queue.arguments), queue.durable,
            /*exclusive=*/false, queue.auto_delete, &ignored)) {
      fail_argument(fields, *error);
    }
    if (!queues_.emplace(queue.vhost, queue.name).second) {
      fail_duplicate(item, "queue '" + queue.name + "' in vhost '" + queue.vhost + "'");
    }
    out_.queues.push_back(std::move(queue));
  }
}

void DefinitionsReader::read_bindings() {
  std::set<
      std::tuple<std::string, std::string, std::string, DestinationKind, std::string, std::string>>
      seen;
  for (const YamlValue& item : section("bindings")) {
    const YamlFields fields(
        item, {"source", "vhost", "destination", "destination_type", "routing_key", "arguments"});
    BindingDefinition binding;
    binding.source = fields.require("source").name();
    binding.vhost = vhost_of(fields);
    binding.destination = fields.require("destination").name();
    if (const auto kind = fields.find("destination_type")) {
      const std::string text = kind->text();
      if (text != "queue" && text != "exchange") kind->fail_expected("queue or exchange");
      if (text == "exchange") binding.destination_kind = DestinationKind::kExchange;
    }
    if (const auto key = fields.find("routing_key")) binding.routing_key = key->short_text();
    binding.arguments = fields.table_or_empty("arguments");
    check_binding(fields, binding);
    if (!seen.emplace(binding.vhost, binding.source, binding.destination, binding.destination_kind,
                      binding.routing_key, binding.arguments)
             .second) {
      fail_duplicate(item, "the binding of '" + binding.destination + "' to '" + binding.source +
                               "' with key '" + binding.routing_key + "'");
    }
    out_.bindings.push_back(std::move(binding));
  }
}

void DefinitionsReader::check_binding(const YamlFields& fields,
                                      const BindingDefinition& binding) const {
  const auto exchange_exists = [&](const std::string& name) {
    return is_predeclared_exchange(name) || exchanges_.contains({binding.vhost, name});
  };
  if (!exchange_exists(binding.source)) {
    fields.require("source").fail("no exchange '" + binding.source + "' in vhost '" +
                                  binding.vhost + "'; expected one of exchanges, or amq.*");
  }
  if (binding.destination_kind == DestinationKind::kExchange) {
    if (exchange_exists(binding.destination)) return;
    fields.require("destination")
        .fail("no exchange '" + binding.destination + "' in vhost '" + binding.vhost +
              "'; expected one of exchanges, or amq.*");
  }
  if (queues_.contains({binding.vhost, binding.destination})) return;
  fields.require("destination")
      .fail("no queue '" + binding.destination + "' in vhost '" + binding.vhost +
            "'; expected one of queues");
}

}  // namespace

Definitions read_definitions(const YamlFields& top) {
  return DefinitionsReader(top).read();
}

}  // namespace leveret::config
