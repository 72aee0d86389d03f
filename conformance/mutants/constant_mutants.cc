// Faults in what a device does with the contents of constants that the host tells to compile() (bp.constants/draft-1).
#include <algorithm>
#include <atomic>
#include <cstring>
#include <deque>
#include <mutex>
#include <vector>

#include "backplane/ext/draft/constants.h"
#include "conformance/mutants/fault.h"
#include "conformance/mutants/mutant.h"

namespace bp::conformance {
namespace {

using Bytes = std::vector<std::byte>;

const bp_host_constants_t *constants_of(const bp_host_t *host) {
  return static_cast<const bp_host_constants_t *>(host->get_extension(host, BP_EXT_CONSTANTS));
}

// The device takes change(content) for the content of a constant.
template <Bytes (*change)(Bytes)>
Fault with_contents() {
  static std::atomic<const bp_host_constants_t *> service;
  static std::mutex mutex;
  static std::deque<Bytes> changed;
  static constexpr bp_host_constants_t changing = {[](const bp_host_t *host, const bp_diag_t *diag,
                                                      std::uint32_t allocation, const void **data,
                                                      std::uint64_t *size) -> bp_status {
    const bp_status status = service.load()->content(host, diag, allocation, data, size);
    if (status == BP_OK) {
      const auto *bytes = static_cast<const std::byte *>(*data);
      const std::lock_guard lock(mutex);
      *data = changed.emplace_back(change(Bytes(bytes, bytes + *size))).data();
    }
    return status;
  }};
  return {.host_get_extension = [](const auto &next, auto &, const char *id) -> const void * {
    const void *found = next();
    if (found == nullptr || std::string_view(id) != BP_EXT_CONSTANTS) {
      return found;
    }
    service = static_cast<const bp_host_constants_t *>(found);
    return &changing;
  }};
}

Bytes without_end(Bytes content) {
  std::fill(content.begin() + static_cast<std::ptrdiff_t>(content.size() / 4 * 3), content.end(), std::byte{0});
  return content;
}

// The first half of the bytes is where the second one should be: as if rows were numbered from another one.
Bytes rotated(Bytes content) {
  std::ranges::rotate(content, content.begin() + static_cast<std::ptrdiff_t>(content.size() / 2));
  return content;
}

Bytes previous_content(Bytes content) {
  static std::mutex mutex;
  static Bytes previous;
  const std::lock_guard lock(mutex);
  const bool is_alike = previous.size() == content.size();
  std::swap(previous, content);
  return is_alike ? content : previous;
}

// Calls ask(host, service, module, diag) at the end of each compilation that succeeds, if the host offers the service.
template <class Ask>
Fault at_end_with_service(Ask ask) {
  return {.compiler_compile = [ask](const auto &next, layers::LayeredDevice &device, const bp_module_t *module,
                                    const bp_ostream_t *, const bp_diag_t *diag) {
    const bp_status status = next();
    const bp_host_t *host = device.host.below;
    if (const bp_host_constants_t *service = constants_of(host); status == BP_OK && service != nullptr) {
      ask(host, *service, module, diag);
    }
    return status;
  }};
}

// Calls use(bytes, size) with the content of each constant.
template <class Use>
Fault with_each_content(Use use) {
  return at_end_with_service([use](const bp_host_t *host, const bp_host_constants_t &service, const bp_module_t *module,
                                   const bp_diag_t *diag) {
    for (std::uint32_t i = 0; i < module->allocations.count; ++i) {
      const void *data = nullptr;
      std::uint64_t size = 0;
      if (BP_AT(module, allocations, bp_allocation_t, i)->kind == BP_ALLOC_CONSTANT &&
          service.content(host, diag, i, &data, &size) == BP_OK && size > 0) {
        use(static_cast<const std::byte *>(data), size);
      }
    }
  });
}

constexpr Mutant constant_table[] = {
    {"constant-of-input", "compiler", "compile() asks for the contents of all allocations, inputs included", "npu",
     "contract/BP-CONSTANT-01",
     [] {
       return at_end_with_service([](const bp_host_t *host, const bp_host_constants_t &service,
                                     const bp_module_t *module, const bp_diag_t *diag) {
         for (std::uint32_t i = 0; i < module->allocations.count; ++i) {
           const void *data = nullptr;
           std::uint64_t size = 0;
           service.content(host, diag, i, &data, &size);
         }
       });
     }},
    {"constant-after-compile", "compiler", "load() asks for the content of a constant", "npu",
     "contract/BP-CONSTANT-01",
     [] {
       return Fault{.compiler_load = [](const auto &next, layers::LayeredDevice &device, auto...) {
         static const bp_diag_t old = {nullptr, [](const bp_diag_t *, bp_status, std::uint32_t, const char *) {}};
         const bp_host_t *host = device.host.below;
         const void *data = nullptr;
         std::uint64_t size = 0;
         if (const bp_host_constants_t *service = constants_of(host); service != nullptr) {
           service->content(host, &old, 0, &data, &size);
         }
         return next();
       }};
     }},
    {"constant-kept", "compiler", "load() reads a content that compile() got", "npu", "contract/BP-CONSTANT-02",
     [] {
       static std::atomic<const std::byte *> kept = nullptr;
       Fault fault = with_each_content([](const std::byte *data, std::uint64_t) { kept = data; });
       fault.compiler_load = [](const auto &next, auto &, auto...) {
         static std::atomic<std::byte> first;
         if (const std::byte *data = kept; data != nullptr) {
           first = *data;
         }
         return next();
       };
       return fault;
     }},
    {"constant-written", "compiler", "compile() rearranges a content where it is", "npu", "contract/BP-CONSTANT-02",
     [] {
       return with_each_content([](const std::byte *data, std::uint64_t size) {
         auto *bytes = const_cast<std::byte *>(data);
         std::reverse(bytes, bytes + size);
         std::reverse(bytes, bytes + size);
       });
     }},
    {"constant-of-another", "compiler", "the content of another constant of the same size is analyzed", "npu",
     "contract/BP-CONSTANT-03", with_contents<previous_content>},
    {"constant-end-lost", "compiler", "the last quarter of a content is taken for zeros", "npu",
     "contract/BP-CONSTANT-03", with_contents<without_end>},
    {"constant-layout-mixed-up", "compiler", "the halves of a content are mixed up", "npu", "contract/BP-CONSTANT-03",
     with_contents<rotated>},
    {"constant-required", "compiler", "compile() fails if the host does not tell contents of constants", "npu",
     "contract/BP-CONSTANT-03",
     [] {
       return Fault{.compiler_compile = [](const auto &next, layers::LayeredDevice &device, auto...) {
         return constants_of(device.host.below) == nullptr ? bp_status{BP_INTERNAL} : next();
       }};
     }},
    {"constant-artifact-refused", "compiler",
     "load() refuses an artifact if the host told contents when it was made, but does not now", "npu",
     "contract/BP-CONSTANT-03",
     [] {
       static std::atomic<bool> was_told = false;
       return Fault{.compiler_compile =
                        [](const auto &next, layers::LayeredDevice &device, auto...) {
                          was_told = constants_of(device.host.below) != nullptr;
                          return next();
                        },
                    .compiler_load =
                        [](const auto &next, layers::LayeredDevice &device, auto...) {
                          const bool is_told = constants_of(device.host.below) != nullptr;
                          return was_told && !is_told ? bp_status{BP_INVALID} : next();
                        }};
     }},
};

}  // namespace

const std::span<const Mutant> constant_mutants = constant_table;

}  // namespace bp::conformance
