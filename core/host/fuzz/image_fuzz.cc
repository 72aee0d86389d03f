// Fuzz driver for module images, which a plugin may write: a damaged image must be rejected, or be harmless to read.
// The input is a list of patches to a valid image, four bytes each: offset (24 bits), new byte. So damage gets past the
// header and, because the hash is recomputed, past that check too.
#include <openssl/sha.h>

#include <cstdio>
#include <cstdlib>

#include "core/host/image.h"
#include "core/text/parser.h"
#include "core/text/printer.h"

namespace {

// Contains every feature of an image: tuples, control flow, a function of an op, constants of both kinds, tiles,
// strings, aliases, control edges.
constexpr char program[] = R"(
HloModule program, input_output_alias={ {0}: (0, {}, may-alias) }
condition { c = (s32[], f32[4]) parameter(0)  i = s32[] get-tuple-element(c), index=0
  n = s32[] constant(3)  ROOT less = pred[] compare(i, n), direction=LT }
body { b = (s32[], f32[4]) parameter(0)  i = s32[] get-tuple-element(b), index=0
  x = f32[4] get-tuple-element(b), index=1  one = s32[] constant(1)  next = s32[] add(i, one)
  twice = f32[4] add(x, x), control-predecessors={next}  ROOT new = (s32[], f32[4]) tuple(next, twice) }
add { p = f32[] parameter(0)  q = f32[] parameter(1)  ROOT r = f32[] add(p, q) }
ENTRY main { x = f32[4] parameter(0)  y = f32[2,8]{1,0:T(2,4)} parameter(1)  zero = s32[] constant(0)
  state = (s32[], f32[4]) tuple(zero, x)  loop = (s32[], f32[4]) while(state), condition=condition, body=body
  end = f32[4] get-tuple-element(loop), index=1  none = f32[] constant(0)
  sum = f32[] reduce(end, none), dimensions={0}, to_apply=add, metadata={op_name="sum"}
  big = f32[32] iota(), iota_dimension=0
  call = f32[4] custom-call(end, y), custom_call_target="target", custom_call_has_side_effect=true
  ROOT all = (f32[4], f32[], f32[32]) tuple(call, sum, big) }
)";

using Bytes = std::vector<std::byte, boost::alignment::aligned_allocator<std::byte, 64>>;

struct Good {
  bp::ir::Module module;
  bp::host::Image image;
};

Good good_image() {
  auto module = bp::text::parse_module(program);
  if (!module.ok()) {
    std::fprintf(stderr, "%s\n", module.error().to_string().c_str());
    std::abort();
  }
  auto image = bp::host::build_image(*module, bp::host::Stage::Legalize);
  if (!image.ok() || !bp::host::validate_image(image->bytes()).ok() || !bp::host::verify_image(image->module()).ok() ||
      !bp::host::read_image(image->module(), *image, *module).ok()) {
    std::fputs("the good image is refused\n", stderr);
    std::abort();
  }
  return {*std::move(module), *std::move(image)};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  static const Good good = good_image();
  Bytes bytes(good.image.bytes().begin(), good.image.bytes().end());
  for (std::size_t i = 0; i + 4 <= size; i += 4) {
    const std::size_t at = data[i] | data[i + 1] << 8 | data[i + 2] << 16;
    bytes[at % bytes.size()] = std::byte{data[i + 3]};
  }
  constexpr std::size_t hashed = offsetof(bp_module_t, size);
  SHA256(reinterpret_cast<const unsigned char *>(bytes.data() + hashed), bytes.size() - hashed,
         reinterpret_cast<unsigned char *>(bytes.data() + offsetof(bp_module_t, hash)));
  if (bp::host::validate_image(bytes).ok()) {
    const auto *image = reinterpret_cast<const bp_module_t *>(bytes.data());
    (void)bp::host::image_to_text(image);
    (void)bp::host::verify_image(image);
    if (const auto read = bp::host::read_image(image, good.image, good.module); read.ok()) {
      (void)bp::text::print(*read);
    }
  }
  return 0;
}
