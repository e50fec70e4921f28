#include <algorithm>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <string>
#include <utility>
#include <vector>

#include "exchange/route_builder.h"
#include "exchange/router.h"
#include "naive_router.h"
#include "table_gen.h"

namespace leveret::exchange {
namespace {

using naive::NaiveRouter;

struct Step {
  int kind = 0;
  unsigned source = 0;
  unsigned destination = 0;
  bool to_exchange = false;
  std::string key;
  std::string extra_key;
  std::string table;
};

std::ostream& operator<<(std::ostream& out, const Step& step) {
  return out << "{kind " << step.kind << ", source " << step.source << ", destination "
             << step.destination << (step.to_exchange ? " (exchange)" : "") << ", key \""
             << step.key << "\", extra \"" << step.extra_key << "\", table of " << step.table.size()
             << "}";
}

rc::Gen<std::string> any_key() {
  return rc::gen::elementOf(std::vector<std::string>{"", "a", "a.b", "a.*", "*", "#", "#.b", "b",
                                                     "a.#", ".", "q0", "q1", "*.#.b"});
}

rc::Gen<Step> any_step() {
  return rc::gen::build<Step>(rc::gen::set(&Step::kind, rc::gen::inRange(0, 16)),
                              rc::gen::set(&Step::source, rc::gen::inRange(0u, 6u)),
                              rc::gen::set(&Step::destination, rc::gen::inRange(0u, 6u)),
                              rc::gen::set(&Step::to_exchange), rc::gen::set(&Step::key, any_key()),
                              rc::gen::set(&Step::extra_key, any_key()),
                              rc::gen::set(&Step::table, testing::any_arguments()));
}

std::string exchange_name(unsigned number) {
  return "x" + std::to_string(number);
}
std::string queue_name(unsigned number) {
  return "q" + std::to_string(number);
}

std::vector<Binding> sorted(std::vector<Binding> bindings) {
  std::ranges::sort(bindings, {}, [](const Binding& b) {
    return std::tie(b.source, b.destination, b.to_exchange, b.routing_key, b.arguments);
  });
  return bindings;
}

// The same routes twice: as built, and naive.
class Pair {
 public:
  void run(const Step& step) {
    const std::string source = exchange_name(step.source);
    switch (step.kind) {
      case 0:
      case 1:
      case 2:
        put_exchange(step);
        break;
      case 3:
        RC_ASSERT(sorted(builder_.remove_exchange(source)) ==
                  sorted(model_.remove_exchange(source)));
        break;
      case 4:
      case 5:
        put_queue(step);
        break;
      case 6:
        RC_ASSERT(sorted(builder_.remove_queue(queue_name(step.destination))) ==
                  sorted(model_.remove_queue(queue_name(step.destination))));
        break;
      case 7:
      case 8:
        RC_ASSERT(builder_.unbind(binding(step)) == model_.unbind(binding(step)));
        break;
      case 9:
        unbind_some(step);
        break;
      case 10:
        kept_.emplace_back(builder_.snapshot(), model_);
        break;
      default:
        bind(step);
        break;
    }
    compare(step, *builder_.snapshot(), model_);
    RC_ASSERT(builder_.binding_count() == model_.bindings.size());
    RC_ASSERT(sorted(builder_.bindings_from(source)) == sorted(from(source)));
  }

  void compare_kept(const Step& step) {
    for (const auto& [snapshot, model] : kept_) compare(step, *snapshot, model);
  }

 private:
  static Binding binding(const Step& step) {
    return {exchange_name(step.source),
            step.to_exchange ? exchange_name(step.destination) : queue_name(step.destination),
            step.to_exchange, step.key, step.table};
  }

  std::vector<Binding> from(const std::string& source) const {
    std::vector<Binding> bindings;
    std::ranges::copy_if(model_.bindings, std::back_inserter(bindings),
                         [&](const Binding& b) { return b.source == source; });
    return bindings;
  }

  void put_exchange(const Step& step) {
    ExchangeSpec spec;
    spec.name = exchange_name(step.source);
    spec.type = static_cast<ExchangeType>(step.source % 4);
    if (step.to_exchange) spec.alternate_exchange = exchange_name(step.destination);
    builder_.put_exchange(spec);
    model_.put_exchange(spec);
  }

  void put_queue(const Step& step) {
    const std::string name = queue_name(step.destination);
    const QueueId id{step.destination, step.source, 0};
    builder_.put_queue(name, id);
    model_.put_queue(name, id);
  }

  void bind(const Step& step) {
    const Binding wanted = binding(step);
    if (!model_.exchanges.contains(wanted.source)) put_exchange(step);
    if (!wanted.to_exchange && !model_.queues.contains(wanted.destination)) put_queue(step);
    if (wanted.to_exchange && !model_.exchanges.contains(wanted.destination)) return;
    RC_ASSERT(builder_.bind(wanted) == model_.bind(wanted));
  }

  void unbind_some(const Step& step) {
    if (model_.bindings.empty()) return;
    const Binding gone = model_.bindings[step.destination % model_.bindings.size()];
    RC_ASSERT(builder_.unbind(gone));
    RC_ASSERT(model_.unbind(gone));
  }

  void compare(const Step& step, const RouteSnapshot& snapshot, const NaiveRouter& model) {
    const std::string_view extra[] = {step.extra_key};
    RouteRequest request;
    request.routing_key = step.key;
    request.headers = protocol::FieldTable(step.table);
    if (step.destination % 2 == 0) request.extra_keys = extra;
    for (unsigned number = 0; number < 7; ++number) {
      const std::string name = number == 6 ? "" : exchange_name(number);
      request.exchange = name;
      std::vector<QueueId> queues;
      const RouteOutcome outcome = router_.route(snapshot, request, &queues);
      const NaiveRouter::Route expected = model.route(request);
      const NaiveRouter::Route got{
          {queues.begin(), queues.end()}, outcome.status == RouteStatus::kOk, outcome.cacheable};
      RC_ASSERT(got == expected);
      RC_ASSERT(queues.size() == expected.queues.size());
    }
  }

  RouteBuilder builder_;
  NaiveRouter model_;
  Router router_;
  std::vector<std::pair<RouteSnapshotRef, NaiveRouter>> kept_;
};

RC_GTEST_PROP(RouterModel, RoutesAsTheNaiveRouterAndOldSnapshotsStay, ()) {
  const auto steps = *rc::gen::container<std::vector<Step>>(any_step());
  Pair pair;
  for (const Step& step : steps) pair.run(step);
  for (const Step& step : steps) pair.compare_kept(step);
}

}  // namespace
}  // namespace leveret::exchange
