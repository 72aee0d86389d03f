// Image: a module in the form that plugins get (bp_module). One read-only, position-independent block of plain arrays,
// hashed, with everything that a backend needs to know: tuple-free HLO, the schedule, and the slices of all values.
//
// How HLO becomes an image:
// - An instruction defines one value for each leaf (array, token) of its shape and takes the leaves of its operands;
//   tuple and get-tuple-element do not appear. So while takes and returns N values, and its computations take N
//   parameters; conditional takes the selector, then the leaves of each branch's operand in turn; a computation has a
//   root for each leaf.
// - Parameters and constants of tuple shape become an instruction for each leaf, named `state{1,0}`; parameter_number
//   counts leaves.
// - Only computations that the entry reaches are included, callees before callers; one that is used both as control
//   flow and as a function of an op is included twice.
// - Control edges from or to instructions that do not appear are dropped, because these do nothing at run time.
// - Constants of control flow have an allocation, identified by the hash of its bytes; load() gets the bytes. Constants
//   of at most 64 bytes, and all constants of embedded computations, also carry their bytes as attribute `value`.
#pragma once

#include <boost/align/aligned_allocator.hpp>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/base/shared_bytes.h"
#include "core/buffers/plan.h"
#include "core/host/host_calls.h"
#include "core/host/opset.h"
#include "core/ir/module.h"
#include "plugin_api/cpp/module_view.h"

namespace bp::host {

class ContentHashes;

// Constants of at most this many bytes are contained in the image itself.
inline constexpr std::int64_t inline_constant_bytes = 64;

enum class Stage : std::uint32_t {
  Legalize = BP_STAGE_LEGALIZE,
  LaidOut = BP_STAGE_LAID_OUT,
  Fused = BP_STAGE_FUSED,
  Final = BP_STAGE_FINAL,  // has schedule and plan
};

// A constant allocation and its content. The literal shares its bytes with the module's.
struct ImageConstant {
  std::uint32_t allocation;
  ir::Shape shape;  // determines how the buffer stores the literal
  ir::Literal literal;
  // Whether a program uses the literal's bytes where they are if it works in the host's memory. They are those of the
  // buffer, at an address that is aligned for it.
  bool is_in_place = false;
};
// Returns the bytes of a constant as its buffer has them, aligned to 64. They are those of the literal where these are
// the same, otherwise a copy.
SharedBytes content_of(const ImageConstant &constant);

// The knowledge of the plugin that gets an image.
struct Receiver {
  Receiver() = default;
  Receiver(const Opset &known) : opset(&known) {}
  Receiver(const Opset &known, HostCallMarks marks);

  const Opset *opset = &common_opset(newest_opset);
  HostCallMarks host_calls;
  std::shared_ptr<ContentHashes> hashes = nullptr;  // those of the images before, if it gets several
};

class Image {
 public:
  using Storage = std::vector<std::byte, boost::alignment::aligned_allocator<std::byte, 64>>;

  const bp_module_t *module() const { return reinterpret_cast<const bp_module_t *>(storage_.data()); }
  plugin::ModuleView view() const { return plugin::ModuleView(module()); }
  std::span<const std::byte> bytes() const { return storage_; }

  // The module's instruction for each instruction of the image: used to name and locate the instruction that a plugin
  // reports.
  std::span<const ir::InstructionId> sources() const { return sources_; }
  // One for each allocation of kind constant.
  std::span<const ImageConstant> constants() const { return constants_; }

 private:
  friend class ImageBuilder;
  friend Image make_image(std::span<const std::byte> bytes, std::vector<ImageConstant> constants);
  Storage storage_;
  std::vector<ir::InstructionId> sources_;
  std::vector<ImageConstant> constants_;
};

// `plan` must be given at Stage::Final, and only then. The module is verified; at Stage::Final it is scheduled and the
// plan belongs to this module. Fails with Unsupported for features that the ABI cannot express (dynamic sizes, buffer
// types) and with OutOfMemory above 4 GiB. Linear in the size of the module.
Result<Image> build_image(const ir::Module &module, Stage stage, const buffers::Plan *plan = nullptr,
                          const Receiver &receiver = {});

// Checks that these bytes are an image whose offsets and ids are all in range, with values defined before use and the
// correct hash: the guarantees that a plugin may rely on, and that must hold before the core reads an image written by
// a plugin. Returns the first fault.
Status validate_image(std::span<const std::byte> bytes);

// Returns an image with a copy of these bytes, which validate_image() accepts at any address. `constants`: one for each
// allocation of kind constant. The image has no sources.
Image make_image(std::span<const std::byte> bytes, std::vector<ImageConstant> constants);

// Checks that a valid image is well-typed by the rules of HLO (BP-MODULE-08). InvalidInput names the first instruction
// that is not, and the reason. Properties that an image contains only in part are not checked: which values were in one
// tuple, for ops that begin or end something (async-start, copy-done, send, infeed) and for collective-permute into
// slices; the shapes of a shuffle's indices and of literals of custom calls; the numbers of constants. Linear in its
// size.
Status verify_image(const bp_module_t *image);

// Converts an image back to HLO and verifies it: a plugin made the image from `before`, which is the image of
// `original`. The entry keeps its signature and its side effects (BP-REWRITE-02). A constant has its value as an
// attribute, or the content of one of `before`. InvalidInput states what does not fit; async-start is not supported,
// because its result is a tuple of tuples. The image must be valid. Linear in its size.
Result<ir::Module> read_image(const bp_module_t *image, const Image &before, const ir::Module &original);

ir::Shape read_shape(plugin::Shape shape);

// Prints every computation, instruction, value and allocation, one line each, for people. The image must be valid.
std::string image_to_text(const bp_module_t *image);

}  // namespace bp::host
