#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "protocol/base/ids.h"
#include "server/mail.h"

namespace leveret::server {

// Deliveries of one channel that the client has not settled, by delivery tag.
//
// Tags are handed out in order, so the list is sorted; a settled entry in the middle is marked and
// goes when everything before it has gone, or when marks outnumber what is alive.
class UnackedDeliveries {
 public:
  struct Entry {
    std::uint64_t tag = 0;
    QueueId queue;
    MessageSeq seq;
    ConsumerKey consumer = 0;  // 0: basic.get
    bool settled = false;
  };

  void add(const Entry& entry) {
    entries_.push_back(entry);
    ++alive_;
  }

  // Moves the entry to *out. False: unknown or settled already.
  bool take(std::uint64_t tag, std::vector<Entry>* out);
  // Every unsettled entry up to `tag`; all of them for tag 0. False: `tag` itself is not 0 and not
  // outstanding, which RabbitMQ refuses for multiple, too.
  bool take_up_to(std::uint64_t tag, std::vector<Entry>* out);
  void take_all(std::vector<Entry>* out);
  // Entries taken before are outstanding again (a rollback).
  void put_back(std::vector<Entry> entries);

  std::size_t size() const { return alive_; }
  bool empty() const { return alive_ == 0; }

 private:
  void drop_settled();

  std::deque<Entry> entries_;
  std::size_t alive_ = 0;
};

}  // namespace leveret::server
