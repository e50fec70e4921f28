#pragma once

#include <string>

#include "config/settings.h"

namespace leveret::server {

// Connects to the listener, speaks AMQP up to connection.start and closes. Empty if that went well,
// else what did not.
std::string ping(const config::Listener& listener);

}  // namespace leveret::server
