#pragma once

#include <memory>

#include "exchange/binding.h"
#include "exchange/destination_set.h"
#include "exchange/persistent/shared_string.h"

namespace leveret::exchange {

struct MatchContext;
struct RouteRequest;

// A binding as its source exchange sees it.
struct BoundKey {
  SharedString routing_key;
  SharedString arguments;  // entries of the arguments table
  Destination destination;
};

// The bindings of one exchange: what an exchange type is.
//
// A value behind a pointer: clone() costs O(1), add() and remove() cost O(log n) and leave clones
// as they were. match() is const and may run on many threads at once; the others belong to the
// thread of the RouteBuilder.
class Matcher {
 public:
  virtual ~Matcher() = default;

  virtual std::unique_ptr<Matcher> clone() const = 0;
  virtual void add(const BoundKey& binding) = 0;
  // REQUIRES: the same binding was added and not removed since.
  virtual void remove(const BoundKey& binding) = 0;
  // Gives every destination of the message to context.found, each as often as is convenient.
  // Allocates nothing once the context's memory has grown.
  virtual void match(const RouteRequest& request, MatchContext& context) const = 0;
  // Whether match() looks at more of the message than its routing keys.
  virtual bool looks_at_headers() const { return false; }
};

// An exchange type without bindings yet.
std::unique_ptr<Matcher> make_matcher(const ExchangeSpec& spec);

}  // namespace leveret::exchange
