#pragma once

#include "config/settings.h"
#include "protocol/connection_fsm.h"

namespace leveret::server {

// What sessions need of the configuration; replaced whole when it is reloaded. Immutable.
struct RuntimeSettings {
  config::Limits limits;
  std::vector<std::string> loopback_users;
  protocol::ServerOffer offer;
};

}  // namespace leveret::server
