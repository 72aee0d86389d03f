#include "core/compile/rewriting.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "core/base/sha256.h"
#include "core/host/byte_sink.h"
#include "core/host/diagnostics.h"
#include "core/host/opset.h"

namespace bp::compile {
namespace {

std::string_view name_of(Phase phase) {
  switch (phase) {
    case Phase::AsRead: return "as read";
    case Phase::Legalize: return "legalized";
    case Phase::LaidOut: return "laid out";
    case Phase::Fused: return "fused";
  }
  return "";
}

// Fills in the hash, which the device need not compute: nobody has read the image yet.
host::Image::Storage with_hash(std::span<const std::byte> bytes) {
  host::Image::Storage storage(bytes.begin(), bytes.end());
  if (storage.size() >= sizeof(bp_module_t)) {
    const Sha256 hash = sha256(std::span<const std::byte>(storage).subspan(offsetof(bp_module_t, size)));
    std::memcpy(storage.data() + offsetof(bp_module_t, hash), hash.data(), hash.size());
  }
  return storage;
}

Result<ir::Module> read(const host::Image &before, const ir::Module &original, const host::Image::Storage &written) {
  BP_TRY(host::validate_image(written));
  const auto *image = reinterpret_cast<const bp_module_t *>(written.data());
  if (image->stage != before.module()->stage) {
    return invalid_input("the module's stage is {}, expected {}", image->stage, before.module()->stage);
  }
  return host::read_image(image, before, original);
}

}  // namespace

Status offer(Session &session, ir::Module &module, Phase phase, Claims *claims) {
  const host::Device &device = *session.device;
  if (device.rewrite() == nullptr) {
    return {};
  }
  // A stand-in for an instruction could not be read back.
  for (const ir::Computation computation : module.computations()) {
    if (std::ranges::any_of(computation.instructions(),
                            [&](ir::Instruction i) { return host::is_newer(i, device.opset()); })) {
      return {};
    }
  }
  const auto stage = phase == Phase::AsRead ? host::Stage::Legalize : static_cast<host::Stage>(phase);
  auto image = host::build_image(module, stage, nullptr, session.receiver);
  if (!image.ok()) {
    // The module contains something that the ABI cannot express.
    return image.error().code() == ErrorCode::Unsupported ? Status() : Status(std::move(image).error());
  }
  host::ByteSink sink;
  host::Diagnostics diagnostics;
  const bp_status status = diagnostics.call([&](const bp_diag_t *diag) {
    return device.rewrite()->rewrite(device.abi(), static_cast<std::uint32_t>(phase), image->module(), sink.abi(),
                                     diag);
  });
  BP_TRY(diagnostics.result(status, device.id(), "rewrite", *image, module));
  const host::Image::Storage written = with_hash(sink.take());
  if (written.empty()) {
    return {};
  }
  Result<ir::Module> rewritten = read(*image, module, written);
  if (!rewritten.ok()) {
    // It is not the device's fault if even its input cannot be converted back.
    const bool was_readable = host::read_image(image->module(), *image, module).ok();
    return was_readable ? make_error(ErrorCode::PluginFailure, "backend {}: it rewrote the module ({}), but {}",
                                     device.id(), name_of(phase), rewritten.error().message())
                        : Status();
  }
  if (phase != Phase::AsRead) {
    BP_ASSIGN(const host::Image after, host::build_image(*rewritten, stage, nullptr, session.receiver));
    BP_ASSIGN(Claims answer, ask(device, *rewritten, after));
    if (count_refused(answer) > (claims == nullptr ? 0 : count_refused(*claims))) {
      return {};
    }
    if (claims != nullptr) {
      *claims = std::move(answer);
    }
  }
  module = *std::move(rewritten);
  return session.observe(fmt::format("{:02}-rewrite", ++session.pass_count), module);
}

}  // namespace bp::compile
