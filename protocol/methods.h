#pragma once

#include <cstdint>
#include <string_view>
#include <tuple>

#include "protocol/methods/access.h"
#include "protocol/methods/basic.h"
#include "protocol/methods/channel.h"
#include "protocol/methods/codec.h"
#include "protocol/methods/confirm.h"
#include "protocol/methods/connection.h"
#include "protocol/methods/exchange.h"
#include "protocol/methods/queue.h"
#include "protocol/methods/tx.h"

// Every method of AMQP 0-9-1 as RabbitMQ speaks it: a struct with views, decode() and
// write_method().
namespace leveret::protocol {

// All methods, by class and method id.
using AllMethods =
    std::tuple<ConnectionStart, ConnectionStartOk, ConnectionSecure, ConnectionSecureOk,
               ConnectionTune, ConnectionTuneOk, ConnectionOpen, ConnectionOpenOk, ConnectionClose,
               ConnectionCloseOk, ConnectionBlocked, ConnectionUnblocked, ConnectionUpdateSecret,
               ConnectionUpdateSecretOk, ChannelOpen, ChannelOpenOk, ChannelFlow, ChannelFlowOk,
               ChannelClose, ChannelCloseOk, AccessRequest, AccessRequestOk, ExchangeDeclare,
               ExchangeDeclareOk, ExchangeDelete, ExchangeDeleteOk, ExchangeBind, ExchangeBindOk,
               ExchangeUnbind, ExchangeUnbindOk, QueueDeclare, QueueDeclareOk, QueueBind,
               QueueBindOk, QueuePurge, QueuePurgeOk, QueueDelete, QueueDeleteOk, QueueUnbind,
               QueueUnbindOk, BasicQos, BasicQosOk, BasicConsume, BasicConsumeOk, BasicCancel,
               BasicCancelOk, BasicPublish, BasicReturn, BasicDeliver, BasicGet, BasicGetOk,
               BasicGetEmpty, BasicAck, BasicReject, BasicRecoverAsync, BasicRecover,
               BasicRecoverOk, BasicNack, ConfirmSelect, ConfirmSelectOk, TxSelect, TxSelectOk,
               TxCommit, TxCommitOk, TxRollback, TxRollbackOk>;

// Calls f(M{}) for every method M.
template <class F>
constexpr void for_each_method(F f) {
  std::apply([&](auto... method) { (f(method), ...); }, AllMethods{});
}

enum class MethodKind : std::uint8_t {
  kUnknown,     // no such class or method
  kServerOnly,  // only a server sends it
  kClient,      // a client may send it
};

// O(1), without a branch per method.
MethodKind method_kind(std::uint16_t class_id, std::uint16_t method_id);

// "basic.publish"; empty for an unknown method.
std::string_view method_name(std::uint16_t class_id, std::uint16_t method_id);

// Decodes the arguments of any method only to see whether they are well-formed. kTruncated for an
// unknown method.
WireError check_arguments(std::uint16_t class_id, std::uint16_t method_id, std::string_view args);

}  // namespace leveret::protocol
