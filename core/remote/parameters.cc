#include "core/remote/parameters.h"

#include "core/host/image.h"
#include "plugin_api/cpp/module_view.h"

namespace bp::remote {

// --- settings ---

void Settings::write(Writer &writer) const {
  writer.number(std::uint64_t{options.size()});
  for (const bp_option_t &option : options) {
    writer.text(std::string_view(option.key));
    writer.text(std::string_view(option.value));
  }
}

void Settings::describe(std::string_view, Reader &in, Reader *, Listing &listing) {
  for (std::size_t i = in.count(); i > 0; --i) {
    const std::string key(in.text());
    listing.in("set", host::printable(fmt::format("{}={}", key, in.text())));
  }
}

Settings::Frame::Frame(Reader &reader, const Arrival &) {
  for (std::size_t i = reader.count(); i > 0; --i) {
    const std::string_view key = reader.text();
    own_.emplace_back(key, reader.text());
  }
  for (const auto &[key, value] : own_) {
    options_.push_back({key.c_str(), value.c_str()});
  }
}

// --- reports ---

void Reports::read_outputs(Reader &reader) const {
  for (std::size_t i = reader.count(); i > 0 && reader.ok(); --i) {
    const auto status = reader.number<bp_status>();
    const auto instruction = reader.number<std::uint32_t>();
    diag->report(diag, status, instruction, std::string(reader.text()).c_str());
  }
}

void Reports::describe(std::string_view, Reader &, Reader *out, Listing &listing) {
  if (out == nullptr) {
    return;
  }
  for (std::size_t i = out->count(); i > 0; --i) {
    out->number<bp_status>();
    out->number<std::uint32_t>();
    listing.out("report", host::printable(out->text()), false);
  }
}

void Reports::Frame::report(const bp_diag_t *diag, bp_status status, std::uint32_t instruction,
                            const char *text) noexcept {
  auto &self = *static_cast<Frame *>(diag->ctx);
  try {
    const std::lock_guard lock(self.mutex_);
    self.reports_.push_back({status, instruction, text == nullptr ? "" : text});
  } catch (...) {
    // There is no memory to keep this report.
  }
  if (self.below_ != nullptr) {
    self.below_->report(self.below_, status, instruction, text);
  }
}

void Reports::Frame::write_outputs(Writer &writer) const {
  const std::lock_guard lock(mutex_);
  writer.number(std::uint64_t{reports_.size()});
  for (const host::Report &report : reports_) {
    writer.number(report.status);
    writer.number(report.instruction);
    writer.text(report.message);
  }
}

// --- modules ---

ArrivedModule::ArrivedModule(Reader &reader) {
  Bytes bytes = reader.content();
  if (!reader.ok() || bytes.empty()) {
    return;
  }
  if (reinterpret_cast<std::uintptr_t>(bytes.data()) % 64 != 0) {
    own_.assign(bytes.begin(), bytes.end());
    bytes = own_;
  }
  if (reader.source() != nullptr && reader.source()->is_checked(bytes)) {
    module_ = reinterpret_cast<const bp_module_t *>(bytes.data());
    return;
  }
  if (const Status valid = host::validate_image(bytes); !valid.ok()) {
    reader.fail(valid.error().message());
    return;
  }
  module_ = reinterpret_cast<const bp_module_t *>(bytes.data());
}

void write_module(Writer &writer, const bp_module_t *module) {
  if (module == nullptr) {
    writer.content({});
    return;
  }
  Sha256 hash;
  std::memcpy(hash.data(), module->hash, hash.size());
  writer.content({reinterpret_cast<const std::byte *>(module), module->size}, &hash);
}

std::string describe_module(const bp_module_t *module) {
  return module == nullptr ? "none"
                           : fmt::format("{}, stage {}, {} instructions", plugin::ModuleView(module).name(),
                                         module->stage, module->instrs.count);
}

std::string name_of(const bp_module_t *module, std::uint32_t instruction) {
  return module == nullptr || instruction >= module->instrs.count
             ? fmt::format("instruction {}", instruction)
             : std::string(plugin::ModuleView(module).instruction(instruction).name());
}

namespace {

// Returns the module of a parameter that requires one, or makes the reader fail if there is none.
const bp_module_t *expect_module(Reader &reader, const ArrivedModule &module) {
  if (module.get() == nullptr) {
    reader.fail("a call without its module");
  }
  return module.get();
}

}  // namespace

void Module::describe(std::string_view name, Reader &in, Reader *, Listing &listing) {
  listing.in(std::string(name), describe_module(ArrivedModule(in).get()));
}

void InstructionOf::write(Writer &writer) const {
  write_module(writer, module);
  writer.number(instr);
}

void InstructionOf::describe(std::string_view, Reader &in, Reader *, Listing &listing) {
  const ArrivedModule module(in);
  const auto instr = in.number<std::uint32_t>();
  listing.in("module", describe_module(module.get()));
  listing.in("instruction", name_of(module.get(), instr));
}

InstructionOf::Frame::Frame(Reader &reader, const Arrival &)
    : module(expect_module(reader, own.emplace(reader))), instr(reader.number<std::uint32_t>()) {
  if (module != nullptr && instr >= module->instrs.count) {
    reader.fail(fmt::format("instruction {} of a module of {}", instr, module->instrs.count));
  }
}

void Claimed::read_outputs(Reader &reader) const {
  const std::size_t count = reader.count(sizeof(float));
  if (count != module->instrs.count) {
    reader.fail(fmt::format("{} costs came for {} instructions", count, module->instrs.count));
    return;
  }
  for (std::size_t i = 0; i < count; ++i) {
    reader.number(cost_ns[i]);
  }
}

void Claimed::describe(std::string_view, Reader &in, Reader *out, Listing &listing) {
  const ArrivedModule module(in);
  listing.in("module", describe_module(module.get()));
  if (out == nullptr) {
    return;
  }
  const std::size_t count = out->count(sizeof(float));
  for (std::uint32_t i = 0; i < count; ++i) {
    const float cost = out->number<float>();
    listing.out("claim of " + name_of(module.get(), i), std::isnan(cost) ? "not a number" : cost < 0 ? "no" : "yes");
  }
}

Claimed::Frame::Frame(Reader &reader, const Arrival &)
    : module_(expect_module(reader, own_.emplace(reader))),
      costs_(module_ == nullptr ? 0 : module_->instrs.count, NAN),
      cost_ns_(costs_.data()) {}

void Claimed::Frame::write_outputs(Writer &writer) const {
  writer.number(std::uint64_t{module_->instrs.count});
  for (std::uint32_t i = 0; i < module_->instrs.count; ++i) {
    writer.number(cost_ns_[i]);
  }
}

// --- devices ---

void Target::read_outputs(Reader &reader) const {
  const auto target = reader.optional_text();
  device.target = target.value_or("");
  device.abi.target = target.has_value() ? device.target.c_str() : nullptr;
}

void Target::describe(std::string_view, Reader &, Reader *out, Listing &listing) {
  if (out != nullptr) {
    listing.out("target", host::printable(out->optional_text().value_or("none")));
  }
}

void ExtensionName::describe(std::string_view, Reader &in, Reader *out, Listing &listing) {
  const std::string id = in.optional_text().value_or("");
  listing.in("id", host::printable(id));
  if (out != nullptr && !out->is_at_end()) {
    Extensions tables;
    tables.read(*out, id);
    tables.describe(listing, id);
  }
}

}  // namespace bp::remote
