// Faults of what a plugin tells about its devices, added to the plugin `npu`, which has two instances.
#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "conformance/mutants/fault.h"
#include "conformance/mutants/mutant.h"

namespace bp::conformance {
namespace {

// The body changes the instance that is told; `number` is its own.
template <class Body>
Fault at_describe(Body body) {
  return {.instances_describe = [body](const auto &next, auto &, const char *id, std::uint32_t number,
                                       const bp_instance_receiver_t *receiver, const bp_diag_t *diag) {
    struct Change {
      const bp_instance_receiver_t *below;
      std::function<void(bp_instance_t &)> change;
    } change = {receiver, [&](bp_instance_t &instance) { body(number, instance); }};
    const bp_instance_receiver_t changing = {&change,
                                             [](const bp_instance_receiver_t *self, const bp_instance_t *instance) {
                                               const auto &to = *static_cast<const Change *>(self->ctx);
                                               bp_instance_t changed = *instance;
                                               to.change(changed);
                                               to.below->tell(to.below, &changed);
                                             }};
    return next(id, number, &changing, diag);
  }};
}

// The body, which has no state, changes each fact that is told.
template <class Body>
Fault at_fact(Body) {
  return {
      .device_info_report = [](const auto &next, auto &, const bp_fact_receiver_t *receiver, const bp_diag_t *diag) {
        const bp_fact_receiver_t changing = {const_cast<bp_fact_receiver_t *>(receiver),
                                             [](const bp_fact_receiver_t *self, const bp_fact_t *fact) {
                                               const auto *below = static_cast<const bp_fact_receiver_t *>(self->ctx);
                                               bp_fact_t changed = *fact;
                                               Body()(std::string_view(fact->name), changed);
                                               below->tell(below, &changed);
                                             }};
        return next(&changing, diag);
      }};
}

constexpr Mutant information_mutant_table[] = {
    {"identity-changes", "life", "each call gives an instance another identity", "npu", "contract/BP-INSTANCE-02",
     [] {
       auto calls = std::make_shared<std::atomic<int>>(0);
       auto last = std::make_shared<std::string>();
       return at_describe([calls, last](std::uint32_t, bp_instance_t &instance) {
         *last = instance.identity + std::to_string(++*calls);
         instance.identity = last->c_str();
       });
     }},
    {"identity-by-number", "life", "an identity is only the number of the instance", "npu", "contract/BP-INSTANCE-01",
     [] {
       auto last = std::make_shared<std::string>();
       return at_describe([last](std::uint32_t number, bp_instance_t &instance) {
         *last = std::to_string(number);
         instance.identity = last->c_str();
       });
     }},
    {"identity-shared", "life", "all instances have one identity", "npu", "contract/BP-INSTANCE-02",
     [] { return at_describe([](std::uint32_t, bp_instance_t &instance) { instance.identity = "SIM-0000"; }); }},
    {"describe-wraps", "life", "describe() of an instance that does not exist tells the first one", "npu",
     "contract/BP-INSTANCE-03",
     [] {
       return Fault{.instances_describe = [](const auto &next, auto &, const char *id, std::uint32_t number,
                                             const bp_instance_receiver_t *receiver, const bp_diag_t *diag) {
         const bp_status status = next(id, number, receiver, diag);
         return status == BP_INVALID ? next(id, 0, receiver, diag) : status;
       }};
     }},
    {"facts-twice", "life", "report() tells each fact twice", "npu", "contract/BP-INFO-01",
     [] {
       return Fault{.device_info_report = [](const auto &next, auto &, const bp_fact_receiver_t *receiver,
                                             const bp_diag_t *diag) {
         next(receiver, diag);
         return next(receiver, diag);
       }};
     }},
    {"facts-in-kib", "life", "memory is told in KiB, and says so", "npu", "contract/BP-INFO-01",
     [] {
       return at_fact([](std::string_view name, bp_fact_t &fact) {
         if (name.starts_with("memory.")) {
           fact.integer /= 1024;
           fact.unit = "KiB";
         }
       });
     }},
    {"memory-in-kilobytes", "life", "memory is told in units of 1000 bytes, but said to be in bytes", "npu",
     "contract/BP-INFO-02",
     [] {
       return at_fact(
           [](std::string_view name, bp_fact_t &fact) { fact.integer /= name.starts_with("memory.") ? 1000 : 1; });
     }},
    {"free-memory-constant", "life", "memory.free does not change when memory is allocated", "npu",
     "contract/BP-INFO-02",
     [] {
       return at_fact(
           [](std::string_view name, bp_fact_t &fact) { fact.integer = name == "memory.free" ? 4096 : fact.integer; });
     }},
    {"clock-in-megahertz", "life", "the clock is told in MHz, but said to be in Hz", "npu", "contract/BP-INFO-03",
     [] {
       return at_fact([](std::string_view name, bp_fact_t &fact) { fact.integer /= name == "clock" ? 1'000'000 : 1; });
     }},
    {"health-failed", "life", "a device that works is told to have failed", "npu", "contract/BP-INFO-04",
     [] {
       return at_fact(
           [](std::string_view name, bp_fact_t &fact) { fact.text = name == "health" ? "failed" : fact.text; });
     }},
};

}  // namespace

const std::span<const Mutant> information_mutants = information_mutant_table;

}  // namespace bp::conformance
