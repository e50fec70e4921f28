#include <algorithm>
#include <optional>
#include <utility>

#include <spdlog/spdlog.h>

#include "config/password.h"
#include "protocol/sasl.h"
#include "server/broker.h"
#include "server/control.h"
#include "server/session.h"

// The part of a session that logs in and opens a vhost.
namespace leveret::server {
namespace {

using protocol::AmqpError;
using protocol::make_error;
using protocol::ReplyCode;

bool listed(const std::vector<std::string>& list, std::string_view value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

std::string client_text(protocol::FieldTable properties, std::string_view key) {
  const auto value = properties.find(key);
  const auto text = value ? value->string() : std::nullopt;
  return text ? std::string(*text) : std::string();
}

}  // namespace

void Session::authenticate(const protocol::ConnectionStep& step) {
  const std::string mechanism(step.mechanism);
  std::optional<protocol::Credentials> credentials;
  if (mechanism == "PLAIN") {
    credentials = protocol::parse_plain(step.response);
  } else if (mechanism == "AMQPLAIN") {
    credentials = protocol::parse_amqplain(step.response);
  }
  const auto refuse = [this](ReplyCode code, const std::string& text) {
    AmqpError error = make_error(code, text);
    error.class_id = protocol::ConnectionStartOk::class_id;
    error.method_id = protocol::ConnectionStartOk::method_id;
    fail(ChannelId{0}, std::move(error));
  };
  if (mechanism != "PLAIN" && mechanism != "AMQPLAIN") {
    return refuse(ReplyCode::kCommandInvalid,
                  "unknown authentication mechanism '" + mechanism + "'");
  }
  if (!credentials) {
    return refuse(ReplyCode::kSyntaxError, "invalid " + mechanism + " response");
  }
  std::string reason;
  {
    const config::UserDefinition* user = loop_->access()->find_user(credentials->user);
    if (user == nullptr) {
      config::verify_nothing(credentials->password);
      reason = "unknown user '" + credentials->user + "'";
    } else if (!config::verify_password(*user, credentials->password)) {
      reason = "wrong password of user '" + credentials->user + "'";
    } else if (!transport_.peer_is_loopback() &&
               listed(settings_->loopback_users, credentials->user)) {
      reason = "user '" + credentials->user + "' can only connect via localhost";
    } else {
      user_ = credentials->user;
      may_impersonate_ = listed(user->tags, "impersonator");
      fsm_.login_accepted(output_.buffer());
      touch_output();
      return;
    }
  }
  spdlog::error("connection {}: login refused with mechanism {}: {}", name(), mechanism, reason);
  const AmqpError error = make_error(ReplyCode::kAccessRefused,
                                     "Login was refused using authentication mechanism " +
                                         mechanism + ". For details see the broker logfile.");
  AmqpError close = error;
  close.scope = protocol::ErrorScope::kConnection;
  if (fsm_.fail_connection(close, output_.buffer())) {
    start_linger();
    return;
  }
  // Without the capability the client only understands a closed socket.
  end("login refused");
}

void Session::open_vhost(const protocol::ConnectionStep& step) {
  const std::string vhost(step.vhost);
  const auto refuse = [this](const std::string& text) {
    AmqpError error = make_error(ReplyCode::kNotAllowed, text);
    error.class_id = protocol::ConnectionOpen::class_id;
    error.method_id = protocol::ConnectionOpen::method_id;
    fail(ChannelId{0}, std::move(error));
  };
  VhostView* view = loop_->find_vhost(vhost);
  if (view == nullptr) return refuse("vhost " + vhost + " not found");
  auto access = loop_->access()->find(user_, vhost);
  if (!access) {
    return refuse("access to vhost '" + vhost + "' refused for user '" + user_ + "'");
  }
  vhost_ = view;
  access_ = std::move(access);
  registered_ = true;
  ConnectionInfo info;
  info.id = id_;
  info.loop = loop_->index();
  info.name = name();
  info.user = user_;
  info.vhost = vhost;
  info.client_name = client_text(fsm_.client_properties(), "connection_name");
  using Result = std::optional<AmqpError>;
  ask_control<Result>(
      [info](Control& control, const Reply<Result>& reply) {
        reply(control.loop(), control.connection_opened(info));
      },
      [this, client = info.client_name](const Result& error) {
        if (error) {
          AmqpError close = *error;
          close.class_id = protocol::ConnectionOpen::class_id;
          close.method_id = protocol::ConnectionOpen::method_id;
          return fail(ChannelId{0}, std::move(close));
        }
        opened_ = true;
        fsm_.vhost_accepted(output_.buffer());
        spdlog::info("connection {}: user '{}' opened vhost '{}'{}", name(), user_, vhost_->name,
                     client.empty() ? "" : ", client '" + client + "'");
      });
}

void Session::update_secret(const protocol::ConnectionStep&) {
  // RabbitMQ's own user database keeps the login that the connection was opened with and answers
  // update-secret-ok whatever the new secret is.
  spdlog::info("connection {} ({}): secret updated", name(), user_);
  fsm_.secret_updated(output_.buffer());
  touch_output();
}

void Session::refresh_access() {
  if (vhost_ == nullptr || ended_) return;
  auto access = loop_->access()->find(user_, vhost_->name);
  const config::UserDefinition* user = loop_->access()->find_user(user_);
  may_impersonate_ = user != nullptr && listed(user->tags, "impersonator");
  if (access) {
    access_ = std::move(access);
    return;
  }
  // The user or its permissions are gone: nothing is allowed any more.
  config::PermissionDefinition nothing;
  nothing.user = user_;
  nothing.vhost = vhost_->name;
  access_ = std::make_shared<config::VhostAccess>(
      nothing, std::vector<config::TopicPermissionDefinition>{});
}

}  // namespace leveret::server
