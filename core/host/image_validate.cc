// Passes once through the arrays, in an order in which everything is checked before it is used. Trusts nothing.
#include <openssl/sha.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <set>

#include "core/host/image.h"

namespace bp::host {
namespace {

template <class... Args>
Error fault(fmt::format_string<Args...> format, Args &&...args) {
  return Error(ErrorCode::InvalidInput, "module image: " + fmt::format(format, std::forward<Args>(args)...));
}

// The arrays as spans; must not be read before check_arrays() has passed.
struct ImageView {
  const bp_module_t *module;

  const bp_module_t &header() const { return *module; }
#define BP_ARRAY(name, type, range) \
  std::span<const type> name() const { return plugin::array<type>(module, module->range); }
  BP_ARRAY(computations, bp_computation_t, computations)
  BP_ARRAY(instructions, bp_instr_t, instrs)
  BP_ARRAY(values, bp_value_t, values)
  BP_ARRAY(shapes, bp_shape_t, shapes)
  BP_ARRAY(ids, std::uint32_t, operands)
  BP_ARRAY(attributes, bp_attr_t, attrs)
  BP_ARRAY(allocations, bp_allocation_t, allocations)
  BP_ARRAY(numbers, std::int64_t, i64s)
  BP_ARRAY(strings, char, strings)
  BP_ARRAY(bytes, std::byte, bytes)
  BP_ARRAY(sections, bp_section_t, sections)
#undef BP_ARRAY
  const bp_computation_t &entry() const { return computations()[module->entry]; }
  std::span<const std::uint32_t> calls(const bp_instr_t &i) const { return ids().subspan(i.calls, i.call_count); }
};

bool is_inside(std::uint64_t begin, std::uint64_t count, std::uint64_t size) {
  return begin <= size && count <= size - begin;
}

// Ops whose results may share memory with read-only data, because no code of theirs writes there.
bool may_only_rename(std::uint16_t op) {
  switch (op) {
    case BP_OP_PARAMETER:
    case BP_OP_CONSTANT:
    case BP_OP_BITCAST:
    case BP_OP_OPTIMIZATION_BARRIER:
    case BP_OP_DOMAIN:
    case BP_OP_ADD_DEPENDENCY:
    case BP_OP_CALL:
    case BP_OP_CONDITIONAL:
    case BP_OP_WHILE: return true;
    default: return false;
  }
}

class Validator {
 public:
  explicit Validator(std::span<const std::byte> bytes)
      : bytes_(bytes), view_{reinterpret_cast<const bp_module_t *>(bytes.data())} {}

  Status validate() {
    BP_TRY(check_header());
    BP_TRY(check_arrays());
    BP_TRY(check_shapes());
    BP_TRY(check_allocations());
    BP_TRY(check_values());
    defined_in_.assign(view_.values().size(), BP_NONE);
    std::uint32_t next_instruction = 0;
    for (std::uint32_t c = 0; c < view_.computations().size(); ++c) {
      BP_TRY(check_computation(c, next_instruction));
    }
    if (next_instruction != view_.instructions().size()) {
      return fault("{} instructions belong to no computation", view_.instructions().size() - next_instruction);
    }
    const bp_module_t &header = view_.header();
    if (header.entry >= view_.computations().size() || view_.entry().kind != BP_COMPUTATION_CONTROL) {
      return fault("the entry is computation {}, expected a control computation", header.entry);
    }
    BP_TRY(check_string("module", header.name));
    return check_attributes("module", header.own_attrs, header.own_attr_count);
  }

 private:
  Status check_header() {
    if (bytes_.size() < sizeof(bp_module_t)) {
      return fault("has {} bytes, expected at least {}", bytes_.size(), sizeof(bp_module_t));
    }
    if (reinterpret_cast<std::uintptr_t>(bytes_.data()) % 64 != 0) {
      return fault("its address is not a multiple of 64");
    }
    const bp_module_t &header = view_.header();
    if (std::memcmp(header.magic, "BPMODULE", sizeof header.magic) != 0) {
      return fault("its first bytes are not BPMODULE");
    }
    if (header.size != bytes_.size()) {
      return fault("its header says {} bytes, but it has {}", header.size, bytes_.size());
    }
    if (header.stage < BP_STAGE_LEGALIZE || header.stage > BP_STAGE_FINAL) {
      return fault("unknown stage {}", header.stage);
    }
    std::array<unsigned char, SHA256_DIGEST_LENGTH> hash;
    auto hashed = bytes_.subspan(offsetof(bp_module_t, size));
    SHA256(reinterpret_cast<const unsigned char *>(hashed.data()), hashed.size(), hash.data());
    if (std::memcmp(hash.data(), header.hash, hash.size()) != 0) {
      return fault("its header has another hash than its contents");
    }
    return {};
  }

  Status check_arrays() {
    const bp_module_t &h = view_.header();
    struct Array {
      const char *name;
      bp_range_t range;
      std::size_t element_size;
    };
    std::uint64_t end = sizeof(bp_module_t);
    for (const Array &array : {Array{"computations", h.computations, sizeof(bp_computation_t)},
                               {"instrs", h.instrs, sizeof(bp_instr_t)},
                               {"values", h.values, sizeof(bp_value_t)},
                               {"shapes", h.shapes, sizeof(bp_shape_t)},
                               {"operands", h.operands, sizeof(std::uint32_t)},
                               {"attrs", h.attrs, sizeof(bp_attr_t)},
                               {"allocations", h.allocations, sizeof(bp_allocation_t)},
                               {"i64s", h.i64s, sizeof(std::int64_t)},
                               {"strings", h.strings, 1},
                               {"bytes", h.bytes, 1},
                               {"sections", h.sections, sizeof(bp_section_t)}}) {
      std::uint64_t size = std::uint64_t{array.range.count} * array.element_size;
      if (array.range.offset % 64 != 0 || array.range.offset < end || !is_inside(array.range.offset, size, h.size)) {
        return fault(
            "array {} at {} with {} bytes, expected one that is aligned to 64, begins after the array before and ends "
            "by {}",
            array.name, array.range.offset, size, h.size);
      }
      end = array.range.offset + size;
    }
    if (!view_.strings().empty() && view_.strings().back() != '\0') {
      return fault("the last string has no terminating NUL");
    }
    for (const bp_section_t &section : view_.sections()) {
      if (!is_inside(section.offset, std::uint64_t{section.count} * section.element_size, h.size)) {
        return fault("section {} ends after the image, which has {} bytes", section.id, h.size);
      }
      if (section.id == BP_SECTION_CONTROL_EDGES) {
        BP_TRY(check_control_edges(section));
      }
    }
    return {};
  }

  Status check_control_edges(const bp_section_t &section) {
    if (section.element_size != sizeof(bp_control_edge_t) || section.offset % 64 != 0) {
      return fault("control edges of {} bytes each at {}, expected 8 bytes each at a multiple of 64",
                   section.element_size, section.offset);
    }
    for (const bp_control_edge_t &edge :
         plugin::array<bp_control_edge_t>(view_.module, {section.offset, section.count})) {
      if (edge.before >= edge.after || edge.after >= view_.instructions().size()) {
        return fault("control edge from instruction {} to {}, expected an edge to a later instruction", edge.before,
                     edge.after);
      }
    }
    return {};
  }

  Status check_shapes() {
    auto numbers = view_.numbers();
    for (std::uint32_t s = 0; s < view_.shapes().size(); ++s) {
      const bp_shape_t &shape = view_.shapes()[s];
      if (ir::info(static_cast<ir::ElementType>(shape.dtype)).type == ir::ElementType::Invalid ||
          shape.rank > ir::max_rank) {
        return fault("shape {}: type {} or rank {} does not exist", s, shape.dtype, shape.rank);
      }
      if (!is_inside(shape.dims, shape.rank, numbers.size()) ||
          !is_inside(shape.layout, std::uint64_t{shape.rank} + 1, numbers.size())) {
        return fault("shape {}: its sizes or its layout are outside of the array i64s", s);
      }
      std::vector<bool> seen(shape.rank);
      for (std::uint32_t i = 0; i < shape.rank; ++i) {
        std::int64_t dimension = numbers[shape.layout + i];
        if (numbers[shape.dims + i] < 0 || dimension < 0 || dimension >= shape.rank ||
            seen[static_cast<std::size_t>(dimension)]) {
          return fault("shape {}: expected sizes of at least 0, and a permutation of the dimensions as minor-to-major",
                       s);
        }
        seen[static_cast<std::size_t>(dimension)] = true;
      }
      std::uint64_t at = std::uint64_t{shape.layout} + shape.rank;
      auto tile_count = static_cast<std::uint64_t>(numbers[at++]);
      for (std::uint64_t t = 0; t < tile_count; ++t) {
        if (at >= numbers.size() || !is_inside(at + 1, static_cast<std::uint64_t>(numbers[at]), numbers.size())) {
          return fault("shape {}: tile {} is outside of the array i64s", s, t);
        }
        for (std::int64_t size : numbers.subspan(at + 1, static_cast<std::size_t>(numbers[at]))) {
          if (size != ir::Tile::combine && size <= 0) {
            return fault("shape {}: tile {} has size {}, expected at least 1", s, t, size);
          }
        }
        at += 1 + static_cast<std::uint64_t>(numbers[at]);
      }
    }
    return {};
  }

  Status check_allocations() {
    auto allocations = view_.allocations();
    is_written_.resize(allocations.size());
    for (std::uint32_t a = 0; a < allocations.size(); ++a) {
      const bp_allocation_t &allocation = allocations[a];
      if (allocation.kind < BP_ALLOC_INPUT || allocation.kind > BP_ALLOC_CONSTANT) {
        return fault("allocation {}: unknown kind {}", a, allocation.kind);
      }
      if (allocation.alignment == 0 || (allocation.alignment & (allocation.alignment - 1)) != 0) {
        return fault("allocation {}: alignment is {}, expected a power of two", a, allocation.alignment);
      }
      if (view_.header().stage != BP_STAGE_FINAL && allocation.kind != BP_ALLOC_CONSTANT) {
        return fault("allocation {}: its kind is not constant, expected only constants before the final stage", a);
      }
      bool is_constant = allocation.kind == BP_ALLOC_CONSTANT;
      if (is_constant != (allocation.content != BP_NONE) ||
          (is_constant && !is_inside(allocation.content, SHA256_DIGEST_LENGTH, view_.bytes().size()))) {
        return fault(
            "allocation {}: expected a SHA-256 hash in the array bytes as the content of a constant, and none of "
            "others",
            a);
      }
      if (allocation.alias != BP_NONE &&
          (allocation.kind != BP_ALLOC_OUTPUT || allocation.alias >= allocations.size() ||
           allocations[allocation.alias].kind != BP_ALLOC_INPUT ||
           allocations[allocation.alias].size != allocation.size)) {
        return fault("allocation {}: it is an alias, expected an output that is an alias of an input of the same size",
                     a);
      }
      is_written_[a] = allocation.kind == BP_ALLOC_OUTPUT || allocation.kind == BP_ALLOC_TEMP;
    }
    for (const bp_allocation_t &allocation : allocations) {
      if (allocation.alias != BP_NONE) {
        is_written_[allocation.alias] = true;
      }
    }
    return {};
  }

  Status check_values() {
    for (std::uint32_t v = 0; v < view_.values().size(); ++v) {
      const bp_value_t &value = view_.values()[v];
      if (value.shape >= view_.shapes().size() || value.instr >= view_.instructions().size()) {
        return fault("value {}: shape {} or instruction {} does not exist", v, value.shape, value.instr);
      }
      if (value.allocation == BP_NONE) {
        continue;
      }
      if (value.allocation >= view_.allocations().size() ||
          !is_inside(value.offset, value.size, view_.allocations()[value.allocation].size)) {
        return fault("value {}: {} bytes at {} are not inside allocation {}", v, value.size, value.offset,
                     value.allocation);
      }
    }
    return {};
  }

  Status check_string(std::string_view whose, std::uint32_t offset) {
    return offset < view_.strings().size() ? Status() : fault("{}: string {} is out of range", whose, offset);
  }

  Status check_attributes(std::string_view whose, std::uint32_t begin, std::uint32_t count) {
    if (!is_inside(begin, count, view_.attributes().size())) {
      return fault("{}: attributes are out of range", whose);
    }
    std::uint32_t previous = 0;
    for (const bp_attr_t &attribute : view_.attributes().subspan(begin, count)) {
      std::size_t size = 0;
      std::uint64_t needed = attribute.count;
      switch (attribute.type) {
        case BP_ATTR_I64:
        case BP_ATTR_F64: size = view_.numbers().size(); break;
        case BP_ATTR_STRING:
          size = view_.strings().size();
          ++needed;  // the terminating NUL
          break;
        case BP_ATTR_BYTES: size = view_.bytes().size(); break;
        default: return fault("{}: attribute {} has unknown type {}", whose, attribute.key, attribute.type);
      }
      if (attribute.key <= previous || !is_inside(attribute.data, needed, size)) {
        return fault("{}: attribute {} is out of order or range", whose, attribute.key);
      }
      previous = attribute.key;
    }
    return {};
  }

  // Values used in computation c must be defined in it.
  Status check_ids(std::string_view whose, std::uint32_t c, std::uint32_t begin, std::uint32_t count) {
    if (!is_inside(begin, count, view_.ids().size())) {
      return fault("{}: ids are out of range", whose);
    }
    for (std::uint32_t id : view_.ids().subspan(begin, count)) {
      if (id >= defined_in_.size() || defined_in_[id] != c) {
        return fault("{}: value {} is not defined before, in the same computation", whose, id);
      }
    }
    return {};
  }

  Status check_instruction(std::uint32_t c, std::uint32_t i) {
    const bp_instr_t &instruction = view_.instructions()[i];
    std::string whose = fmt::format("instruction {}", i);
    BP_TRY(check_string(whose, instruction.name));
    if (instruction.origin != BP_NONE) {
      BP_TRY(check_string(whose, instruction.origin));
    }
    BP_TRY(check_attributes(whose, instruction.attrs, instruction.attr_count));
    BP_TRY(check_ids(whose, c, instruction.operands, instruction.operand_count));
    if (!is_inside(instruction.calls, instruction.call_count, view_.ids().size())) {
      return fault("{}: calls are out of range", whose);
    }
    for (std::uint32_t callee : view_.calls(instruction)) {
      if (callee >= c) {
        return fault("{}: calls computation {}, which does not come before its own, {}", whose, callee, c);
      }
    }
    if (!is_inside(instruction.results, instruction.result_count, view_.values().size())) {
      return fault("{}: results are out of range", whose);
    }
    bool is_parameter = instruction.op == BP_OP_PARAMETER;
    if ((is_parameter || instruction.op == BP_OP_CONSTANT) && instruction.result_count != 1) {
      return fault("{}: a parameter or constant with {} results, expected 1", whose, instruction.result_count);
    }
    parameters_seen_ += is_parameter ? 1 : 0;
    for (std::uint32_t v = instruction.results; v < instruction.results + instruction.result_count; ++v) {
      const bp_value_t &value = view_.values()[v];
      if (value.instr != i || defined_in_[v] != BP_NONE) {
        return fault("{}: value {} is the result of another instruction", whose, v);
      }
      if (value.allocation != BP_NONE && view_.computations()[c].kind == BP_COMPUTATION_EMBEDDED) {
        return fault("{}: value {} of an embedded computation has an allocation", whose, v);
      }
      if (value.allocation != BP_NONE && !is_written_[value.allocation] && !may_only_rename(instruction.op)) {
        return fault("{}: value {} is in allocation {}, which is a constant or an input that is not donated", whose, v,
                     value.allocation);
      }
      defined_in_[v] = c;
    }
    return {};
  }

  // Checks that the listed parameters are all parameters of the computation.
  Status check_parameters(std::string_view whose, std::span<const std::uint32_t> listed) {
    std::set<std::uint32_t> different(listed.begin(), listed.end());
    bool are_parameters = std::ranges::all_of(
        listed, [&](std::uint32_t v) { return view_.instructions()[view_.values()[v].instr].op == BP_OP_PARAMETER; });
    if (!are_parameters || different.size() != listed.size() || listed.size() != parameters_seen_) {
      return fault("{}: lists {} values as parameters, expected its {} parameters", whose, listed.size(),
                   parameters_seen_);
    }
    return {};
  }

  Status check_computation(std::uint32_t c, std::uint32_t &next_instruction) {
    const bp_computation_t &computation = view_.computations()[c];
    std::string whose = fmt::format("computation {}", c);
    BP_TRY(check_string(whose, computation.name));
    if (computation.kind != BP_COMPUTATION_CONTROL && computation.kind != BP_COMPUTATION_EMBEDDED) {
      return fault("{}: unknown kind {}", whose, computation.kind);
    }
    if (computation.instrs != next_instruction ||
        !is_inside(computation.instrs, computation.instr_count, view_.instructions().size())) {
      return fault("{}: its instructions do not begin where those of the computation before end", whose);
    }
    next_instruction += computation.instr_count;
    parameters_seen_ = 0;
    for (std::uint32_t i = computation.instrs; i < next_instruction; ++i) {
      BP_TRY(check_instruction(c, i));
    }
    BP_TRY(check_ids(whose, c, computation.params, computation.param_count));
    BP_TRY(check_parameters(whose, view_.ids().subspan(computation.params, computation.param_count)));
    return check_ids(whose, c, computation.roots, computation.root_count);
  }

  std::span<const std::byte> bytes_;
  ImageView view_;
  std::vector<bool> is_written_;     // by allocation: whether a run may write to it
  std::size_t parameters_seen_ = 0;  // in the current computation
  // By value: the computation that defines it, once its instruction has been checked.
  std::vector<std::uint32_t> defined_in_;
};

}  // namespace

Status validate_image(std::span<const std::byte> bytes) {
  return Validator(bytes).validate();
}

}  // namespace bp::host
