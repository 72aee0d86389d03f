// A program by its naked ABI, on memory of the caller's making: what the core compiled, loaded and run without the core's
// runtime, so that every byte around it can be watched.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "conformance/suite/guarded_block.h"
#include "core/backplane.h"
#include "core/host/image.h"

namespace bp::conformance {

class NakedProgram {
 public:
  // Compiles for the backend, which has a device, all of it as one program; null if the core leaves nothing for the device
  // to do. The parameters are arrays.
  static Result<std::unique_ptr<NakedProgram>> compile(const Backend &backend, const Module &module);
  NakedProgram(const NakedProgram &) = delete;
  NakedProgram &operator=(const NakedProgram &) = delete;
  ~NakedProgram();

  struct Arrangement {
    GuardedBlock::Place place = GuardedBlock::Place::AtEnd;
    std::byte poison{0xff};
    bool is_reversed = false;  // the last allocation is made first, and so lies elsewhere
  };
  // Fresh memory, arranged and poisoned; one run; then the bytes of the outputs. PluginFailure says what was written that
  // is not the program's: an input, or past the end of an allocation.
  using Outputs = std::vector<std::vector<std::byte>>;
  Result<Outputs> run(std::span<const Literal> arguments, const Arrangement &arrangement) const;

 private:
  NakedProgram() = default;
  Status load(std::span<const std::byte> artifact);
  Result<GuardedBlock> make_block(std::uint32_t space, std::uint64_t size, std::uint64_t alignment,
                                  const Arrangement &arrangement) const;

  std::shared_ptr<const host::Device> device_;
  host::Image image_;
  std::vector<Shape> parameters_;  // as stored
  std::vector<GuardedBlock> constants_;
  std::vector<bp_loc_t> constant_places_;  // by allocation
  const bp_program_t *program_ = nullptr;
};

}  // namespace bp::conformance
