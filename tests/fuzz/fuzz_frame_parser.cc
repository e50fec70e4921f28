#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "protocol/connection_fsm.h"

// A whole connection fed with any bytes. The first octet picks how they are split; the server says
// yes to everything, or fails every fourth channel method.
namespace {

using namespace leveret;
using namespace leveret::protocol;

void answer(const ConnectionStep& step, ConnectionFsm& fsm, Buffer& out) {
  switch (step.kind) {
    case ConnectionStep::Kind::kAuthenticate:
      fsm.login_accepted(out);
      break;
    case ConnectionStep::Kind::kOpen:
      fsm.vhost_accepted(out);
      break;
    case ConnectionStep::Kind::kUpdateSecret:
      fsm.secret_updated(out);
      break;
    case ConnectionStep::Kind::kChannelClosing:
      fsm.channel_close_finished(step.channel, out);
      break;
    case ConnectionStep::Kind::kConnectionClosing:
      fsm.connection_close_finished(out);
      break;
    case ConnectionStep::Kind::kChannelMethod:
      if (step.method_id % 4 == 2) {
        fsm.fail_channel(step.channel, make_error(ReplyCode::kNotFound, "x"), out);
      }
      break;
    default:
      break;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  ConnectionFsm fsm{ServerOffer{}};
  Buffer out;
  const std::size_t piece = data[0] == 0 ? size : data[0];
  std::string pending;
  for (std::size_t at = 1; at < size; at += piece) {
    pending.append(reinterpret_cast<const char*>(data) + at, std::min(piece, size - at));
    // Exactly as large as its content, so that a sanitizer sees a read behind its end.
    pending.shrink_to_fit();
    std::string_view input = pending;
    ConnectionStep step;
    while (fsm.resume(&input, out, &step) != ConnectionStep::Kind::kNeedMore) {
      answer(step, fsm, out);
      out.clear();
      if (step.kind == ConnectionStep::Kind::kClosed) return 0;
    }
    pending.erase(0, pending.size() - input.size());
  }
  return 0;
}
