// Image: a module as plugins get it (bp_module). One read-only, position-independent block of plain arrays, hashed,
// with all that a backend needs to know: tuple-free HLO, the schedule, and where every value lies.
//
// How HLO becomes an image:
// - An instruction defines one value for each leaf (array, token) of its shape and takes the leaves of its operands;
//   tuple and get-tuple-element vanish. So while takes and gives N values, and its computations take N parameters;
//   conditional takes the selector, then the leaves of each branch's operand in turn; a computation has a root for each
//   leaf.
// - Parameters and constants of tuple shape become an instruction for each leaf, named `state{1,0}`; parameter_number
//   counts leaves.
// - Only computations that the entry reaches are there, callees before callers; one that serves both as control flow
//   and as a function of an op is there twice.
// - Control edges from or to what vanished are dropped: it does nothing when it runs.
// - Constants of control flow have an allocation, identified by the hash of its bytes; load() gets the bytes. Those of
//   at most 64 bytes, and all of embedded computations, also carry them as attribute `value`.
#pragma once

#include <boost/align/aligned_allocator.hpp>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/buffers/plan.h"
#include "core/ir/module.h"
#include "plugin_api/cpp/module_view.h"

namespace bp::host {

// The newest set of op, type and attribute numbers that this core writes.
inline constexpr std::uint32_t opset = 1;
// Constants up to this many bytes can be read in the image itself.
inline constexpr std::int64_t inline_constant_bytes = 64;

enum class Stage : std::uint32_t {
  Legalize = BP_STAGE_LEGALIZE,
  LaidOut = BP_STAGE_LAID_OUT,
  Fused = BP_STAGE_FUSED,
  Final = BP_STAGE_FINAL,  // with schedule and plan
};

// A constant allocation and what to fill it with. The literal shares its bytes with the module's.
struct ImageConstant {
  std::uint32_t allocation;
  ir::Shape shape;  // says how the buffer stores the literal
  ir::Literal literal;
};

class Image {
 public:
  using Storage = std::vector<std::byte, boost::alignment::aligned_allocator<std::byte, 64>>;

  const bp_module_t *module() const { return reinterpret_cast<const bp_module_t *>(storage_.data()); }
  plugin::ModuleView view() const { return plugin::ModuleView(module()); }
  std::span<const std::byte> bytes() const { return storage_; }

  // The module's instruction behind each instruction of the image: what a plugin blames becomes a name and a place.
  std::span<const ir::InstructionId> sources() const { return sources_; }
  // One for each allocation of kind constant.
  std::span<const ImageConstant> constants() const { return constants_; }

 private:
  friend class ImageBuilder;
  Storage storage_;
  std::vector<ir::InstructionId> sources_;
  std::vector<ImageConstant> constants_;
};

// `plan` must be given at Stage::Final, and not before. The module is verified; at Stage::Final it is scheduled and the
// plan is that of this very module. Fails with Unsupported on what the ABI cannot say (dynamic sizes, buffer types) and
// with OutOfMemory over 4 GiB. Linear in the size of the module.
Result<Image> build_image(const ir::Module &module, Stage stage, const buffers::Plan *plan = nullptr);

// Whether these bytes are an image whose every offset and id is in range, with values defined before use and the right
// hash: what a plugin may rely on, and what we must know before reading what a plugin wrote. Returns the first fault.
Status validate_image(std::span<const std::byte> bytes);

// An image as HLO again, verified: what a plugin made of `before`, which is the image of `original`. The entry keeps its
// signature and its side effects (BP-REWRITE-02). A constant has its value as an attribute, or the content of one of
// `before`. InvalidInput says what does not fit; async-start, whose result is a tuple of tuples, does not. The
// image must be valid. Linear in its size.
Result<ir::Module> read_image(const bp_module_t *image, const Image &before, const ir::Module &original);

ir::Shape read_shape(plugin::Shape shape);

// For people: every computation, instruction, value and allocation, one line each. The image must be valid.
std::string image_to_text(const bp_module_t *image);

}  // namespace bp::host
