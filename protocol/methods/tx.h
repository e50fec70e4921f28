#pragma once

#include <cstdint>
#include <string_view>
#include <tuple>

#include "protocol/field_table.h"
#include "protocol/methods/codec.h"

// Class tx (90).
namespace leveret::protocol {

struct TxSelect {
  static constexpr std::uint16_t class_id = 90;
  static constexpr std::uint16_t method_id = 10;
  static constexpr std::string_view name = "tx.select";

  static constexpr auto fields() { return std::make_tuple(); }
};

struct TxSelectOk {
  static constexpr std::uint16_t class_id = 90;
  static constexpr std::uint16_t method_id = 11;
  static constexpr std::string_view name = "tx.select-ok";

  static constexpr auto fields() { return std::make_tuple(); }
};

struct TxCommit {
  static constexpr std::uint16_t class_id = 90;
  static constexpr std::uint16_t method_id = 20;
  static constexpr std::string_view name = "tx.commit";

  static constexpr auto fields() { return std::make_tuple(); }
};

struct TxCommitOk {
  static constexpr std::uint16_t class_id = 90;
  static constexpr std::uint16_t method_id = 21;
  static constexpr std::string_view name = "tx.commit-ok";

  static constexpr auto fields() { return std::make_tuple(); }
};

struct TxRollback {
  static constexpr std::uint16_t class_id = 90;
  static constexpr std::uint16_t method_id = 30;
  static constexpr std::string_view name = "tx.rollback";

  static constexpr auto fields() { return std::make_tuple(); }
};

struct TxRollbackOk {
  static constexpr std::uint16_t class_id = 90;
  static constexpr std::uint16_t method_id = 31;
  static constexpr std::string_view name = "tx.rollback-ok";

  static constexpr auto fields() { return std::make_tuple(); }
};

}  // namespace leveret::protocol
