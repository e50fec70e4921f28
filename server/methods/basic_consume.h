#pragma once

#include <string_view>

#include "server/channel.h"

namespace leveret::server {

void on_basic_consume(Channel& channel, std::string_view args);
void on_basic_cancel(Channel& channel, std::string_view args);

}  // namespace leveret::server
