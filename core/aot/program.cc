#include "core/aot/program.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <set>

#include "backplane/ext/draft/aot.h"
#include "core/base/sha256.h"
#include "core/host/build_configuration.h"
#include "core/host/byte_sink.h"
#include "core/host/diagnostics.h"
#include "core/host/host_calls.h"
#include "core/ir/storage.h"
#include "core/package/container.h"
#include "core/package/hex.h"

namespace bp::aot {
namespace {

constexpr std::uint64_t alignment = 64;
// Code reaches data in the same program by 32-bit distances.
constexpr std::uint64_t max_constants_in_object = std::uint64_t{1} << 30;
constexpr std::string_view entry_name = "bp_program", check_name = "bp_check";

std::uint64_t align_up(std::uint64_t size) {
  return (size + alignment - 1) & ~(alignment - 1);
}

// --- code ---

Result<ObjectFile> link_code(const runtime::Program &program, const Options &options, bp_aot_code_t &code) {
  const host::Device &device = *program.device();
  const bp_device_aot_t &aot = *device.aot();
  const std::span<const std::byte> artifact = program.artifact().bytes();
  const std::uint32_t flags = options.freestanding ? BP_AOT_FREESTANDING : 0;
  host::Diagnostics diagnostics;
  const auto result = [&](bp_status status, std::string_view call) {
    return diagnostics.result(status, device.id(), call, program.image().module());
  };
  BP_TRY(result(diagnostics.call([&](const bp_diag_t *diag) {
    return aot.describe(device.abi(), artifact.data(), artifact.size(), flags, &code, diag);
  }),
                "describe"));
  const auto broken = [&](const std::string &what) {
    return Error(ErrorCode::PluginFailure, fmt::format("{}: {}", device.id(), what));
  };
  if (code.object_count == 0 || code.shared_scratch_size % alignment != 0 ||
      code.thread_scratch_size % alignment != 0) {
    return broken(
        fmt::format("describe() says {} objects, {} and {} bytes of scratch memory, expected at least one "
                    "object and multiples of {}",
                    code.object_count, code.shared_scratch_size, code.thread_scratch_size, alignment));
  }
  ObjectFile object;
  for (std::uint32_t i = 0; i < code.object_count; ++i) {
    host::ByteSink sink;
    BP_TRY(result(diagnostics.call([&](const bp_diag_t *diag) {
      return aot.write_object(device.abi(), artifact.data(), artifact.size(), flags, i, sink.abi(), diag);
    }),
                  "write_object"));
    const std::string name = fmt::format("{} of {}", i, device.id());
    const std::vector<std::byte> bytes = sink.take();
    BP_ASSIGN(ObjectFile part, read_object({reinterpret_cast<const char *>(bytes.data()), bytes.size()}, name));
    BP_TRY(append(object, std::move(part), name));
  }
  std::set<std::string> allowed;
  if (!options.freestanding) {
    allowed = {"memcpy", "memmove", "memset", "memcmp"};
  }
  for (const std::string &name : undefined_symbols(object)) {
    if (!allowed.contains(name)) {
      return broken(fmt::format("its objects need {}, which none of them defines", name));
    }
  }
  for (const std::string_view name : {entry_name, check_name}) {
    if (std::ranges::none_of(object.symbols, [&](const Symbol &s) { return s.name == name && !s.is_undefined(); })) {
      return broken(fmt::format("none of its objects defines {}", name));
    }
  }
  return object;
}

// --- arrays ---

bool is_keyword(std::string_view name) {
  static const std::set<std::string_view> keywords = {
      "alignas", "alignof", "and", "and_eq", "asm", "auto", "bitand", "bitor", "bool", "break", "case", "catch", "char",
      "class", "compl", "concept", "const", "continue", "constexpr", "const_cast", "decltype", "default", "delete",
      "do", "double", "else", "enum", "explicit", "export", "extern", "false", "float", "for", "friend", "goto", "if",
      "inline", "int", "long", "mutable", "namespace", "new", "noexcept", "not", "not_eq", "nullptr", "operator", "or",
      "or_eq", "private", "protected", "public", "register", "requires", "restrict", "return", "short", "signed",
      "sizeof", "static", "struct", "switch", "template", "this", "throw", "true", "try", "typedef", "typeid",
      "typename", "typeof", "union", "unsigned", "using", "virtual", "void", "volatile", "wchar_t", "while", "xor",
      "xor_eq", "NULL", "co_await", "co_return", "co_yield", "linux", "unix", "consteval", "constinit", "char8_t",
      "char16_t", "char32_t", "typeof_unqual", "thread_local", "static_assert", "static_cast", "dynamic_cast",
      "reinterpret_cast",
      // Names that headers of the C library define as macros, and the types of this header.
      "I", "complex", "imaginary", "errno", "EOF", "stdin", "stdout", "stderr", "assert", "signbit", "isnan", "isinf",
      "int8_t", "int16_t", "int32_t", "int64_t", "uint8_t", "uint16_t", "uint32_t", "uint64_t", "size_t", "uintptr_t"};
  return keywords.contains(name);
}

// Returns a text in which all but letters and digits is "_".
std::string with_plain_characters(std::string_view text) {
  std::string name;
  for (const char c : text) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    name += is_plain ? c : '_';
  }
  return name;
}

// Names of members, each of which occurs once, also in capital letters.
class MemberNames {
 public:
  std::string add(std::string_view name_in_model) {
    std::string name = with_plain_characters(name_in_model);
    if (name.empty() || (name[0] >= '0' && name[0] <= '9') || name[0] == '_') {
      name = "array" + name;
    }
    if (is_keyword(name)) {
      name += '_';
    }
    std::string unique = name;
    for (int i = 2; !used_.insert(upper(unique)).second; ++i) {
      unique = fmt::format("{}_{}", name, i);
    }
    return unique;
  }

 private:
  static std::string upper(std::string text) {
    std::ranges::transform(text, text.begin(), [](char c) { return c >= 'a' && c <= 'z' ? char(c - 'a' + 'A') : c; });
    return text;
  }
  // In capital letters; those of the macros that a header has besides the sizes of arrays.
  std::set<std::string> used_ = {"ARENA", "WEIGHTS", "ALIGNMENT", "HASH", "TARGET"};
};

void append_array_names(const ir::Shape &shape, const std::string &name, std::vector<std::string> &names) {
  if (shape.is_tuple()) {
    for (std::size_t i = 0; i < shape.elements().size(); ++i) {
      append_array_names(shape.elements()[i], fmt::format("{}_{}", name, i), names);
    }
  } else if (shape.is_array()) {
    names.push_back(name);
  }
}

Array array_of(const runtime::Leaf &leaf, std::string name, std::string name_in_model) {
  return {{leaf.shape, leaf.size, leaf.allocation, leaf.offset}, std::move(name), std::move(name_in_model)};
}

void describe_arrays(const runtime::Program &program, const package::Interface &interface, Description &description) {
  const auto allocations = program.image().view().allocations();
  MemberNames members;
  std::vector<std::string> names;
  for (const package::Value &parameter : interface.parameters) {
    append_array_names(parameter.shape, parameter.name, names);
  }
  std::map<std::uint32_t, std::size_t> argument_in;  // by allocation
  for (std::size_t i = 0; i < program.inputs().size(); ++i) {
    const runtime::Leaf &leaf = program.inputs()[i];
    Array array = array_of(leaf, members.add(names[i]), names[i]);
    array.is_written = program.is_donated(i);
    argument_in.emplace(leaf.allocation, i);
    description.arguments.push_back(std::move(array));
  }
  names.clear();
  for (const package::Value &result : interface.results) {
    append_array_names(result.shape, result.name, names);
  }
  std::map<std::uint32_t, std::uint32_t> donated;  // by number of the result: the allocation of the argument
  for (std::uint32_t i = 0; i < allocations.size(); ++i) {
    if (allocations[i].alias != BP_NONE) {
      donated.emplace(allocations[i].index, allocations[i].alias);
      description.aliases.push_back({i, argument_in.at(allocations[i].alias)});
    }
  }
  std::set<std::uint32_t> delivered;  // allocations
  for (std::size_t i = 0; i < program.outputs().size(); ++i) {
    const runtime::Leaf &leaf = program.outputs()[i];
    const std::string name = program.outputs().size() == 1 ? "result" : fmt::format("result_{}", i);
    ResultArray result{array_of(leaf, members.add(name), names[i])};
    const bp_allocation_t &allocation = allocations[leaf.allocation];
    const bool is_whole = leaf.offset == 0 && leaf.size == allocation.size;
    const auto argument = donated.find(static_cast<std::uint32_t>(i));
    if (argument != donated.end() && is_whole &&
        (leaf.allocation == argument->second || allocation.alias == argument->second)) {
      result.delivery = Delivery::InArgument;
      result.argument = argument_in.at(argument->second);
    } else if (allocation.kind != BP_ALLOC_OUTPUT || !is_whole || !delivered.insert(leaf.allocation).second) {
      result.delivery = Delivery::Copied;
    }
    description.results.push_back(std::move(result));
  }
}

// --- calls of the application ---

Status describe_calls(const runtime::Program &program, Description &description) {
  BP_ASSIGN(const auto modules, host::read_host_calls(program.image().module()));
  for (const auto &[index, module] : modules) {
    const ir::Instruction instruction = module.entry().root();
    const plugin::Instruction planned = program.image().view().instruction(index);
    Call call;
    call.instruction = index;
    call.name = planned.name();
    if (instruction.opcode() == ir::Opcode::CustomCall) {
      call.target = instruction.text(ir::AttributeKey::CustomCallTarget);
      call.config = instruction.text(ir::AttributeKey::BackendConfig);
      call.function = "backplane_call_" + with_plain_characters(call.target);
    } else {
      call.config = instruction.text(instruction.opcode() == ir::Opcode::Infeed ? ir::AttributeKey::InfeedConfig
                                                                                : ir::AttributeKey::OutfeedConfig);
      call.function = fmt::format("backplane_{}", to_string(instruction.opcode()));
    }
    const auto add = [&](plugin::Value value, std::vector<Slice> &slices) -> Status {
      ir::Shape shape = host::read_shape(value.shape());
      if (shape.is_token()) {
        return {};
      }
      if (!ir::is_stored_as_literal(shape)) {
        const auto location = program.signature().calls.find(call.name);
        Error error = unsupported(
            "{} passes {} to the application, expected an array that is row-major without padding: copy it before",
            call.name, ir::to_string(shape));
        return location == program.signature().calls.end() ? error : std::move(error).at(location->second);
      }
      slices.push_back({std::move(shape), value.size(), value.allocation(), value.offset()});
      return {};
    };
    for (const std::uint32_t operand : planned.operand_ids()) {
      BP_TRY(add(program.image().view().value(operand), call.inputs));
    }
    for (std::uint32_t r = 0; r < planned.result_count(); ++r) {
      BP_TRY(add(planned.result(r), call.outputs));
    }
    description.calls.push_back(std::move(call));
  }
  return {};
}

// --- memory ---

void describe_temporaries(const runtime::Program &program, const bp_aot_code_t &code, Description &description) {
  const auto allocations = program.image().view().allocations();
  for (std::uint32_t i = 0; i < allocations.size(); ++i) {
    if (allocations[i].kind == BP_ALLOC_TEMP) {
      description.temporaries.push_back({i, description.temporary_bytes});
      description.temporary_bytes += align_up(allocations[i].size);
    }
  }
  description.shared_bytes = code.shared_scratch_size;
  description.thread_bytes = code.thread_scratch_size;
}

// Calls visit(bytes, hash) for each different content of a constant, and sets the offset of each constant to what it
// returns.
template <class Visit>
void place_constants(const runtime::Program &program, Description &description, const Visit &visit) {
  const plugin::ModuleView view = program.image().view();
  std::map<Sha256, std::uint64_t> offsets;
  for (const host::ImageConstant &constant : program.image().constants()) {
    const auto hash = view.content_hash(view.allocations()[constant.allocation]);
    Sha256 key;
    std::memcpy(key.data(), hash.data(), key.size());
    auto found = offsets.find(key);
    if (found == offsets.end()) {
      found = offsets.emplace(key, visit(host::content_of(constant), key)).first;
    }
    description.constants.push_back({constant.allocation, found->second});
  }
}

void add_symbol(ObjectFile &object, const std::string &name, std::uint32_t section, std::uint64_t size) {
  object.symbols.push_back({.name = name,
                            .binding = STB_GLOBAL,
                            .type = STT_OBJECT,
                            .visibility = STV_DEFAULT,
                            .section = section,
                            .special = 0,
                            .value = 0,
                            .size = size});
}

Status put_constants_in_object(const runtime::Program &program, Program &made) {
  Section section{.name = ".rodata", .type = SHT_PROGBITS, .flags = SHF_ALLOC, .alignment = alignment};
  place_constants(program, made.description, [&](const SharedBytes &bytes, const Sha256 &) {
    const std::uint64_t offset = align_up(section.bytes.size());
    section.bytes.resize(offset);
    section.bytes += bytes.text();
    return offset;
  });
  if (section.bytes.empty()) {
    return {};
  }
  if (section.bytes.size() > max_constants_in_object) {
    return unsupported("{} has {} bytes of constants, expected at most {} in an object: put them in a file (--weights)",
                       program.name(), section.bytes.size(), max_constants_in_object);
  }
  section.size = section.bytes.size();
  made.description.constant_bytes = section.size;
  ObjectFile object{.machine = made.object.machine, .flags = made.object.flags, .sections = {}, .symbols = {}};
  object.sections.push_back(std::move(section));
  add_symbol(object, made.description.symbol("constants"), 0, made.description.constant_bytes);
  return append(made.object, std::move(object), "of the constants");
}

// The file is a package that has the constants alone.
void put_constants_in_file(const runtime::Program &program, Program &made) {
  package::BlobList blobs;
  std::uint64_t in_blobs = 0;
  place_constants(program, made.description, [&](SharedBytes bytes, const Sha256 &hash) {
    const std::uint64_t offset = in_blobs;
    in_blobs = align_up(in_blobs + bytes.size());
    blobs.add(hash, std::move(bytes));
    return offset;
  });
  made.weights = package::write_container({{"backplane", host::core_version}, {"weights_of", program.name()}}, blobs);
  const SharedBytes &front = made.weights.front();
  for (ConstantArray &constant : made.description.constants) {
    constant.offset += front.size();
  }
  for (const SharedBytes &piece : made.weights) {
    made.description.weights_bytes += piece.size();
  }
  made.description.weights_hash = front.text().substr(16, 32);
}

Status put_arena_in_object(Program &made) {
  const std::uint64_t size = made.description.arena_bytes(made.description.options.threads);
  if (size == 0) {
    return {};
  }
  ObjectFile object{.machine = made.object.machine, .flags = made.object.flags, .sections = {}, .symbols = {}};
  object.sections.push_back(
      {.name = ".bss", .type = SHT_NOBITS, .flags = SHF_ALLOC | SHF_WRITE, .alignment = alignment, .size = size});
  add_symbol(object, made.description.symbol("arena"), 0, size);
  return append(made.object, std::move(object), "of the arena");
}

// Hash of everything that the header depends on.
std::string hash_of(const runtime::Program &program, const ObjectFile &object, const Options &options) {
  std::string all = fmt::format("{} {} {} {}\n", options.name, static_cast<int>(options.constants),
                                static_cast<int>(options.arena), options.threads);
  const std::span<const std::byte> image = program.image().bytes();
  all.append(reinterpret_cast<const char *>(image.data()), image.size());
  all += write_object(object);
  return package::to_hex(sha256(std::as_bytes(std::span(all))));
}

}  // namespace

bool is_identifier(std::string_view name) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return !name.empty() && is_letter(name[0]) && !is_keyword(name) && !name.starts_with("backplane_aot") &&
         std::ranges::all_of(name, [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
}

std::string Description::symbol(std::string_view part) const {
  return fmt::format("{}_{}_{}", options.name, part, hash.substr(0, 16));
}

namespace {

// Returns why there is no program of a device: a size that a run tells, or what other steps a run has.
Error not_whole(const runtime::Executable &executable) {
  const ir::Module &module = executable.module();
  const ir::Computation entry = module.entry();
  const auto refuse = [&](ir::Instruction at, std::string_view what) {
    return unsupported("{} cannot be compiled ahead of time: {} {} has shape {}, expected static sizes", module.name(),
                       what, at.name(), ir::to_string(at.shape(), ir::PrintLayout::Never))
        .at(at.location());
  };
  for (std::size_t i = 0; i < entry.parameter_count(); ++i) {
    if (!entry.parameter(i).shape().is_static()) {
      return refuse(entry.parameter(i), "parameter");
    }
  }
  if (!entry.root().shape().is_static()) {
    return refuse(entry.root(), "the result");
  }
  return unsupported(
      "{} cannot be compiled ahead of time: a run has {} steps, expected one program of the device that runs all of it",
      module.name(), executable.steps().size());
}

}  // namespace

Result<Program> make_program(const runtime::Executable &executable, const package::Interface &interface,
                             const Options &options) {
  const std::shared_ptr<const runtime::Program> &program = executable.program();
  if (program == nullptr || !program->is_compiled() || program->artifact().owner() == nullptr) {
    return not_whole(executable);
  }
  const host::Device &device = *program->device();
  if (device.aot() == nullptr) {
    return unsupported(
        "{} does not make programs that run without it: it has no {}. `backplane compile` makes a "
        "package, which runs with the backend",
        device.id(), BP_EXT_AOT);
  }
  Program made;
  Description &description = made.description;
  bp_aot_code_t code{};
  BP_ASSIGN(made.object, link_code(*program, options, code));
  description.options = options;
  description.module = program->name();
  description.target = device.target();
  description.backend = device.id();
  description.hash = hash_of(*program, made.object, options);
  description.allocation_count = static_cast<std::uint32_t>(program->image().view().allocations().size());
  for (Symbol &symbol : made.object.symbols) {
    symbol.name = symbol.name == entry_name   ? description.symbol("program")
                  : symbol.name == check_name ? description.symbol("check")
                                              : std::move(symbol.name);
  }
  describe_arrays(*program, interface, description);
  BP_TRY(describe_calls(*program, description));
  describe_temporaries(*program, code, description);
  if (options.constants == Constants::InFile) {
    put_constants_in_file(*program, made);
  } else {
    BP_TRY(put_constants_in_object(*program, made));
  }
  if (options.arena == Arena::InObject) {
    BP_TRY(put_arena_in_object(made));
  }
  make_local(made.object, {description.symbol("program"), description.symbol("check"), description.symbol("constants"),
                           description.symbol("arena")});
  return made;
}

}  // namespace bp::aot
