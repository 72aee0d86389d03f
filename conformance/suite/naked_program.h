// A program by its naked ABI, on memory of the caller's making: what the core compiled, loaded and run without the core's
// runtime, so that every byte around it can be watched.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "core/backplane.h"
#include "core/host/image.h"

namespace bp::conformance {

// A piece of memory with a page on each side that nobody may touch. What is left of its own pages holds canaries.
class GuardedBlock {
 public:
  enum class Place : std::uint8_t { AtEnd, AtStart };  // of its pages: next to one guard or the other
  // Filled with `poison`; aligned to `alignment`, which divides the size of a page, at both places.
  static Result<GuardedBlock> make(std::uint64_t size, std::uint64_t alignment, Place place, std::byte poison);
  GuardedBlock(GuardedBlock &&other) noexcept;
  GuardedBlock &operator=(GuardedBlock &&) = delete;
  ~GuardedBlock();

  std::span<std::byte> bytes() const { return {data_, size_}; }
  bp_loc_t location() const { return {0, reinterpret_cast<std::uint64_t>(data_)}; }
  bool canaries_live() const;

 private:
  GuardedBlock() = default;
  std::byte *pages_ = nullptr, *data_ = nullptr;  // the guards are around the pages
  std::size_t page_bytes_ = 0, size_ = 0;
};

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
  Status load(const Backend &backend, std::span<const std::byte> artifact);

  std::shared_ptr<const host::Device> device_;
  host::Image image_;
  std::vector<Shape> parameters_;  // as stored
  std::vector<GuardedBlock> constants_;
  std::vector<bp_loc_t> constant_places_;  // by allocation
  const bp_program_t *program_ = nullptr;
};

}  // namespace bp::conformance
