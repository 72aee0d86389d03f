// Converts an image back to HLO, for images that a plugin has rewritten. Structure that was lost when the image was
// built is restored by rules:
//
// - Several values of one instruction are a tuple, which is taken apart where they are used.
// - An instruction with one operand (while, branches of conditional, opt-barrier) that was given several values, or
//   none, gets a tuple of them; so do the computations that while and conditional call, and other calls of these
//   computations.
// - The entry has the parameters and the result of the module that was read.
//
// An instruction that kept its name also keeps properties that an image does not contain: its source location, memory
// spaces, and its tuple structure.
//
// To be verified, an image is read in the same way, but without an original module. An instruction that the image
// describes only in part then becomes a custom call, which may take and give anything.
#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "core/base/sha256.h"
#include "core/host/image.h"
#include "core/host/image_leaves.h"
#include "core/ir/origin.h"
#include "core/ir/result_accuracy.h"
#include "core/ir/shape_inference.h"
#include "core/ir/storage.h"
#include "core/ir/verifier.h"
#include "core/ir/verifier_checks.h"

namespace bp::host {
namespace {

using ir::AttributeKey;
using ir::AttributeKind;
using ir::ComputationId;
using ir::InstructionId;
using ir::Opcode;
using ir::Shape;

// HLO text does not allow other characters in names.
std::string plain_name(std::string_view name) {
  std::string plain(name.substr(0, 1000));
  for (char &c : plain) {
    const bool is_plain =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '-';
    c = is_plain ? c : '_';
  }
  return plain;
}

Shape joined(std::vector<Shape> leaves) {
  return leaves.size() == 1 ? std::move(leaves[0]) : Shape::tuple(std::move(leaves));
}

// Whether the layouts are equal as far as an image describes them.
bool same_layout(const Shape &a, const Shape &b) {
  return a.is_array() && b.is_array() && a.rank() == b.rank() &&
         a.layout().minor_to_major == b.layout().minor_to_major && a.layout().tiles == b.layout().tiles;
}

class ImageReader {
 public:
  // Only to be verified.
  explicit ImageReader(const bp_module_t *module) : view_(module), result_("image") { read_device_counts(); }

  ImageReader(const bp_module_t *module, const Image &before, const ir::Module &original)
      : view_(module), original_(&original), result_(original.name()) {
    result_.header() = original.header();
    result_.header().is_scheduled = false;
    result_.set_source_file(original.source_file());
    for (const ir::Computation computation : original.computations()) {
      for (const ir::Instruction i : computation.instructions()) {
        by_name_.try_emplace(i.name(), i);
        for (AttributeKey key : i.attribute_keys()) {
          if (ir::info(key).kind == AttributeKind::Text) {
            texts_.emplace(key, i.text(key));
          }
        }
      }
    }
    for (const ImageConstant &constant : before.constants()) {
      const auto hash = before.view().content_hash(before.view().allocations()[constant.allocation]);
      constants_.try_emplace(std::string(hash.begin(), hash.end()), &constant);
    }
  }

  Result<ir::Module> read() {
    for (const plugin::Computation computation : view_.computations()) {
      for (const plugin::Instruction i : computation.instructions()) {
        if (takes_tuple(i)) {
          for (std::uint32_t callee : i.call_ids()) {
            takes_tuple_.insert(callee);
          }
        }
      }
    }
    leaves_.resize(view_.value_count());
    main_.resize(view_.instruction_count(), ir::no_instruction);
    read_edges();
    for (const plugin::Computation computation : view_.computations()) {
      BP_TRY(read_computation(computation));
    }
    result_.set_entry(computations_[view_.entry().index()]);
    result_.unique_names();
    BP_TRY(ir::verify(result_));
    if (original_ != nullptr) {
      BP_TRY(check_side_effects(*original_));
    }
    return std::move(result_);
  }

  // Reads each marked instruction into a module of its own, where its operands are parameters.
  Result<std::map<std::uint32_t, ir::Module>> read_host_calls() {
    std::map<std::uint32_t, ir::Module> calls;
    for (const plugin::Instruction i : view_.instructions()) {
      if (i.is_host_call()) {
        leaves_.resize(view_.value_count());
        BP_ASSIGN(ir::Module call, read_alone(i));
        calls.emplace(i.index(), std::move(call));
      }
    }
    return calls;
  }

 private:
  // A value of the image: the part of an instruction at this position of its shape.
  struct ValueLeaf {
    InstructionId instruction = ir::no_instruction;
    std::size_t position = 0;
  };

  static bool takes_tuple(plugin::Instruction i) { return i.op() == BP_OP_WHILE || i.op() == BP_OP_CONDITIONAL; }

  template <class... Args>
  Error fault(plugin::Instruction i, fmt::format_string<Args...> format, Args &&...args) const {
    return invalid_input("{}: {}", plain_name(i.name()), fmt::format(format, std::forward<Args>(args)...));
  }

  void read_device_counts() {
    const bp_module_t &module = *view_.image();
    for (const bp_attr_t &attribute :
         plugin::array<bp_attr_t>(&module, module.attrs).subspan(module.own_attrs, module.own_attr_count)) {
      if (attribute.type == BP_ATTR_I64 && attribute.count == 1) {
        const std::int64_t number = plugin::array<std::int64_t>(&module, module.i64s)[attribute.data];
        ir::ModuleHeader &header = result_.header();
        header.replica_count = attribute.key == BP_ATTR_REPLICA_COUNT ? number : header.replica_count;
        header.num_partitions = attribute.key == BP_ATTR_NUM_PARTITIONS ? number : header.num_partitions;
      }
    }
  }

  void read_edges() {
    for (const bp_control_edge_t &edge : view_.control_edges()) {
      predecessors_[edge.after].push_back(edge.before);
    }
  }

  // --- values ---

  InstructionId value(std::uint32_t id) {
    ValueLeaf &leaf = leaves_[id];
    if (leaf.position != 0) {
      leaf = {part(leaf.instruction, leaf.position), 0};
    }
    return leaf.instruction;
  }

  InstructionId part(InstructionId whole, std::size_t position) {
    for (std::int64_t number : result_.instruction(whole).shape().index_of_subshape(position)) {
      whole = element(whole, number);
    }
    return whole;
  }

  InstructionId element(InstructionId tuple, std::int64_t number) {
    const Shape shape = result_.instruction(tuple).shape().elements()[static_cast<std::size_t>(number)];
    const InstructionId id = result_.add_instruction(computation_, Opcode::GetTupleElement, shape, {tuple});
    result_.set_number(id, AttributeKey::Index, number);
    return id;
  }

  InstructionId tuple_of(std::span<const InstructionId> elements) {
    std::vector<Shape> shapes;
    for (InstructionId id : elements) {
      shapes.push_back(result_.instruction(id).shape());
    }
    return result_.add_instruction(computation_, Opcode::Tuple, Shape::tuple(std::move(shapes)), elements);
  }

  InstructionId packed(std::span<const std::uint32_t> ids) {
    std::vector<InstructionId> elements;
    for (std::uint32_t id : ids) {
      elements.push_back(value(id));
    }
    return elements.size() == 1 ? elements[0] : tuple_of(elements);
  }

  // Returns the shapes of the results; a shape that did not change is that of the original instruction of this name.
  std::vector<Shape> shapes_of_results(plugin::Instruction i) const {
    const auto found = by_name_.find(i.name());
    const Leaves old = found == by_name_.end() ? Leaves() : leaves_of(found->second.shape());
    std::vector<Shape> shapes;
    for (std::uint32_t r = 0; r < i.result_count(); ++r) {
      Shape &shape = shapes.emplace_back(read_shape(i.result(r).shape()));
      if (r < old.leaves.size() && same_layout(*old.leaves[r].shape, shape)) {
        shape.set_layout(old.leaves[r].shape->layout());
      }
    }
    return shapes;
  }

  // --- instructions ---

  Result<ir::Module> read_alone(plugin::Instruction i) {
    result_ = ir::Module("host_call");
    computation_ = result_.add_computation("main");
    std::uint32_t parameters = 0;
    for (std::uint32_t id : i.operand_ids()) {
      leaves_[id] = {};
    }
    for (std::uint32_t id : i.operand_ids()) {  // a value that is given twice is one parameter
      if (leaves_[id].instruction == ir::no_instruction) {
        leaves_[id] = {result_.add_parameter(computation_, parameters++, read_shape(view_.value(id).shape())), 0};
      }
    }
    BP_ASSIGN(const std::vector<InstructionId> operands, read_operands(i));
    std::vector<Shape> shapes = shapes_of_results(i);
    if (i.op() == BP_OP_INFEED) {  // its result is a tuple of the data and a token
      const Shape token = std::move(shapes.back());
      shapes.pop_back();
      shapes = {joined(std::move(shapes)), token};
    }
    const InstructionId id = result_.add_instruction(computation_, static_cast<Opcode>(i.op()),
                                                     joined(std::move(shapes)), operands, plain_name(i.name()));
    for (const bp_attr_t &attribute : i.attributes()) {
      BP_TRY(read_attribute(i, attribute, id));
    }
    result_.set_root(computation_, id);
    result_.set_entry(computation_);
    BP_TRY(ir::verify(result_));
    return std::move(result_);
  }

  Status read_computation(plugin::Computation computation) {
    computation_ = result_.add_computation(plain_name(computation.name()));
    computations_.push_back(computation_);
    const bool is_entry = original_ != nullptr && computation == view_.entry();
    for (std::uint32_t p = 0; p < computation.parameter_count() && original_ == nullptr; ++p) {
      const plugin::Instruction i = computation.parameter(p).instruction();
      if (const std::int64_t number = i.integer(BP_ATTR_PARAMETER_NUMBER, -1); number != p) {
        return fault(i, "parameter_number is {}, expected {}", number, p);
      }
    }
    if (is_entry) {
      BP_TRY(add_entry_parameters(computation, original_->entry()));
    } else if (takes_tuple_.contains(computation.index())) {
      std::vector<Shape> shapes;
      for (const plugin::Value parameter : computation.parameters()) {
        shapes.push_back(read_shape(parameter.shape()));
      }
      set_leaves(computation, result_.add_parameter(computation_, 0, joined(std::move(shapes))));
    } else {
      for (std::uint32_t p = 0; p < computation.parameter_count(); ++p) {
        const plugin::Instruction i = computation.parameter(p).instruction();
        const InstructionId id = result_.add_parameter(computation_, p, shapes_of_results(i)[0], plain_name(i.name()));
        leaves_[computation.parameter(p).id()] = {id, 0};
        main_[i.index()] = id;
      }
    }
    for (const plugin::Instruction i : computation.instructions()) {
      if (i.op() != BP_OP_PARAMETER) {
        BP_ASSIGN(main_[i.index()], read_instruction(i));
        add_edges(i);
      }
    }
    BP_ASSIGN(const InstructionId root,
              is_entry ? entry_root(computation, original_->entry()) : packed(computation.root_ids()));
    result_.set_root(computation_, root);
    return {};
  }

  void set_leaves(plugin::Computation computation, InstructionId parameter) {
    const bool is_one = computation.parameter_count() == 1;
    for (std::uint32_t p = 0; p < computation.parameter_count(); ++p) {
      leaves_[computation.parameter(p).id()] = {parameter, is_one ? 0 : p + std::size_t{1}};
      main_[computation.parameter(p).instruction().index()] = parameter;
    }
  }

  // Checks rule BP-REWRITE-02.
  Status check_signature(std::string_view what, plugin::Views<plugin::Value> given,
                         std::span<const Shape *const> expected) const {
    if (given.size() != expected.size()) {
      return invalid_input("the entry has {} {}, expected {}", given.size(), what, expected.size());
    }
    for (std::uint32_t k = 0; k < given.size(); ++k) {
      const Shape shape = read_shape(given[k].shape());
      const bool is_same = shape.element_type() == expected[k]->element_type() &&
                           (!shape.is_array() || (std::ranges::equal(shape.sizes(), expected[k]->sizes()) &&
                                                  same_layout(shape, *expected[k])));
      if (!is_same) {
        return invalid_input("of the entry's {}, number {} has shape {}, expected {}", what, k, to_string(shape),
                             to_string(*expected[k]));
      }
    }
    return {};
  }

  Status add_entry_parameters(plugin::Computation computation, ir::Computation entry) {
    std::vector<Leaves> parts;
    std::vector<const Shape *> expected;
    for (std::size_t p = 0; p < entry.parameter_count(); ++p) {
      parts.push_back(leaves_of(entry.parameter(p).shape()));
      for (const Leaf &leaf : parts.back().leaves) {
        expected.push_back(leaf.shape);
      }
    }
    BP_TRY(check_signature("parameters", computation.parameters(), expected));
    std::uint32_t next = 0;
    for (std::size_t p = 0; p < parts.size(); ++p) {
      const ir::Instruction old = entry.parameter(p);
      const InstructionId id =
          result_.add_parameter(computation_, static_cast<std::int64_t>(p), old.shape(), old.name());
      ir::copy_origin(result_, id, old);
      for (const Leaf &leaf : parts[p].leaves) {
        const plugin::Value value = computation.parameter(next++);
        leaves_[value.id()] = {id, leaf.position};
        main_[value.instruction().index()] = id;
      }
    }
    return {};
  }

  Result<InstructionId> entry_root(plugin::Computation computation, ir::Computation entry) {
    const Shape &shape = entry.root().shape();
    const Leaves parts = leaves_of(shape);
    std::vector<const Shape *> expected;
    for (const Leaf &leaf : parts.leaves) {
      expected.push_back(leaf.shape);
    }
    BP_TRY(check_signature("results", computation.roots(), expected));
    std::uint32_t next = 0;
    return rebuilt(shape, computation.root_ids(), next);
  }

  // Rebuilds the tuples of the shape from the leaves from `next` on. A verifier has accepted the shape: it is not too
  // deep.
  InstructionId rebuilt(const Shape &shape, std::span<const std::uint32_t> ids, std::uint32_t &next) {
    if (!shape.is_tuple()) {
      return value(ids[next++]);
    }
    std::vector<InstructionId> elements;
    for (const Shape &part : shape.elements()) {
      elements.push_back(rebuilt(part, ids, next));
    }
    return tuple_of(elements);
  }

  void add_edges(plugin::Instruction i) {
    const auto found = predecessors_.find(i.index());
    if (found == predecessors_.end()) {
      return;
    }
    std::vector<InstructionId> list;
    for (std::uint32_t before : found->second) {
      list.push_back(main_[before]);
    }
    result_.set_control_predecessors(main_[i.index()], list);
  }

  Result<InstructionId> read_instruction(plugin::Instruction i) {
    const auto opcode = static_cast<Opcode>(i.op());
    if (ir::info(opcode).opcode != opcode || opcode == Opcode::Invalid) {
      return fault(i, "there is no operation {}", i.op());
    }
    if (opcode == Opcode::Tuple || opcode == Opcode::GetTupleElement) {
      return fault(i, "{} cannot be in an image", ir::to_string(opcode));
    }
    if (opcode == Opcode::Constant) {
      return read_constant(i);
    }
    if (original_ == nullptr && !is_complete(i)) {
      return add_routine(i);
    }
    BP_ASSIGN(const std::vector<InstructionId> operands, read_operands(i));
    const InstructionId id = result_.add_instruction(
        computation_, opcode, is_as_before(i) ? by_name_.at(i.name()).shape() : joined(shapes_of_results(i)), operands,
        plain_name(i.name()));
    set_results_and_calls(i, id);
    for (const bp_attr_t &attribute : i.attributes()) {
      BP_TRY(read_attribute(i, attribute, id));
    }
    BP_TRY(read_precision(i, id));
    if (const auto found = by_name_.find(i.name()); found != by_name_.end()) {
      ir::copy_origin(result_, id, found->second);
    } else if (!i.origin().empty()) {
      ir::Metadata metadata;
      metadata.op_name = plain_name(i.origin());
      result_.set_metadata(id, std::move(metadata));
    }
    return id;
  }

  void set_results_and_calls(plugin::Instruction i, InstructionId id) {
    const Leaves results = leaves_of(result_.instruction(id).shape());
    for (std::uint32_t r = 0; r < i.result_count(); ++r) {
      leaves_[i.result_id(r)] = {id, results.leaves[r].position};
    }
    std::vector<ComputationId> callees;
    for (std::uint32_t callee : i.call_ids()) {
      callees.push_back(computations_[callee]);
    }
    result_.set_calls(id, callees);
  }

  // Whether the image describes the instruction completely. It does not say which values were in a tuple inside of
  // another, nor the shape of a literal.
  static bool is_complete(plugin::Instruction i) {
    switch (i.op()) {
      case BP_OP_SEND:
      case BP_OP_RECV:
      case BP_OP_INFEED: return false;
      case BP_OP_COLLECTIVE_PERMUTE: return !i.has(BP_ATTR_PERMUTE_SLICE_SIZES);
      case BP_OP_SHUFFLE: return !i.has(BP_ATTR_INDICES);
      default: {
        const std::string_view name = ir::to_string(static_cast<Opcode>(i.op()));
        return !name.ends_with("-start") && !name.ends_with("-update") && !name.ends_with("-done");
      }
    }
  }

  InstructionId add_routine(plugin::Instruction i) {
    std::vector<InstructionId> operands;
    for (std::uint32_t id : i.operand_ids()) {
      operands.push_back(value(id));
    }
    const InstructionId id = result_.add_instruction(computation_, Opcode::CustomCall, joined(shapes_of_results(i)),
                                                     operands, plain_name(i.name()));
    result_.set_text(id, AttributeKey::CustomCallTarget, "any");
    set_results_and_calls(i, id);
    return id;
  }

  Result<std::vector<InstructionId>> read_operands(plugin::Instruction i) {
    const auto ids = i.operand_ids();
    std::vector<InstructionId> operands;
    if (i.op() == BP_OP_CONDITIONAL) {
      return branch_operands(i);
    }
    const ir::OpInfo &op = ir::info(static_cast<Opcode>(i.op()));
    if (is_as_before(i)) {
      const ir::Instruction old = by_name_.at(i.name());
      std::uint32_t next = 0;
      for (std::size_t k = 0; k < old.operand_count(); ++k) {
        operands.push_back(rebuilt(old.operand(k).shape(), ids, next));
      }
      return operands;
    }
    const bool calls_packed = (i.op() == BP_OP_CALL || i.op() == BP_OP_FUSION) && i.call_count() == 1 &&
                              takes_tuple_.contains(i.call_ids()[0]);
    if (const std::size_t choices = i.result_count();
        i.op() == BP_OP_SELECT && choices != 1 && ids.size() == 1 + 2 * choices) {
      operands = {value(ids[0]), packed(ids.subspan(1, choices)), packed(ids.last(choices))};
    } else if (calls_packed || (op.max_operands == 1 && (ids.size() != 1 && op.min_operands == 1))) {
      operands.push_back(packed(ids));
    } else if (op.max_operands == 2 && ids.size() != 2 && !ids.empty() &&
               read_shape(view_.value(ids.back()).shape()).is_token()) {
      operands = {packed(ids.first(ids.size() - 1)), value(ids.back())};
    } else {
      for (std::uint32_t id : ids) {
        operands.push_back(value(id));
      }
    }
    return operands;
  }

  // Whether the original instruction of this name had the same number of operands and results, of the same shapes, so
  // that these may be in the same tuples.
  bool is_as_before(plugin::Instruction i) const {
    const auto found = by_name_.find(i.name());
    if (found == by_name_.end() || found->second.opcode() != static_cast<Opcode>(i.op()) || i.call_count() != 0) {
      return false;
    }
    const ir::Instruction old = found->second;
    std::size_t operands = 0;
    for (std::size_t k = 0; k < old.operand_count(); ++k) {
      operands += leaves_of(old.operand(k).shape()).leaves.size();
    }
    const Leaves results = leaves_of(old.shape());
    bool is_same = operands == i.operand_count() && results.leaves.size() == i.result_count();
    for (std::uint32_t r = 0; is_same && r < i.result_count(); ++r) {
      const Shape shape = read_shape(i.result(r).shape());
      const Shape &before = *results.leaves[r].shape;
      is_same = ir::agree(shape, before) && (!shape.is_array() || same_layout(shape, before));
    }
    return is_same;
  }

  Result<std::vector<InstructionId>> branch_operands(plugin::Instruction i) {
    auto ids = i.operand_ids();
    std::size_t needed = 1;
    for (const plugin::Computation branch : i.calls()) {
      needed += branch.parameter_count();
    }
    if (ids.size() != needed) {
      return fault(i, "has {} operands, expected {} for its branches", ids.size(), needed);
    }
    std::vector<InstructionId> operands = {value(ids[0])};
    ids = ids.subspan(1);
    for (const plugin::Computation branch : i.calls()) {
      operands.push_back(packed(ids.first(branch.parameter_count())));
      ids = ids.subspan(branch.parameter_count());
    }
    return operands;
  }

  Result<InstructionId> read_constant(plugin::Instruction i) {
    const Shape shape = shapes_of_results(i)[0];
    BP_TRY(ir::verify_shape(shape));
    if (original_ == nullptr) {
      const bp_attr_t *value = i.find(BP_ATTR_VALUE);
      if (value != nullptr && (value->type != BP_ATTR_BYTES || value->count != shape.byte_size())) {
        return fault(i, "its value has {} elements of kind {}, expected {} bytes", value->count, value->type,
                     shape.byte_size());
      }
      const bool has_value = value != nullptr || i.result().has_slice() || !shape.is_array();
      return has_value ? Result(add_routine(i)) : fault(i, "the constant has neither a value nor an allocation");
    }
    ir::Literal literal;
    if (shape.is_token()) {
      literal = ir::Literal::token();
    } else if (const bp_attr_t *inlined = i.find(BP_ATTR_VALUE); inlined != nullptr) {
      const auto bytes = std::as_bytes(i.bytes(BP_ATTR_VALUE));
      if (static_cast<std::int64_t>(bytes.size()) != shape.byte_size()) {
        return fault(i, "its value has {} bytes, expected {}", bytes.size(), shape.byte_size());
      }
      BP_ASSIGN(literal, ir::load(bytes, shape));
    } else {
      BP_ASSIGN(literal, known_constant(i, shape));
    }
    const InstructionId id = result_.add_constant(computation_, std::move(literal), plain_name(i.name()));
    result_.set_shape(id, shape);
    leaves_[i.result_id()] = {id, 0};
    return id;
  }

  // Returns the constant whose content has the same hash.
  Result<ir::Literal> known_constant(plugin::Instruction i, const Shape &shape) const {
    const std::uint32_t allocation = i.result().allocation();
    if (allocation == BP_NONE) {
      return fault(i, "the constant has neither a value nor an allocation");
    }
    const auto hash = view_.content_hash(view_.allocations()[allocation]);
    const auto found = constants_.find(std::string(hash.begin(), hash.end()));
    if (found == constants_.end()) {
      return fault(i, "its content is not that of any constant that the module had, expected attribute value");
    }
    const ImageConstant &constant = *found->second;
    if (constant.shape.byte_size() != shape.byte_size()) {
      return fault(i, "its content has {} bytes, expected {}", constant.shape.byte_size(), shape.byte_size());
    }
    std::vector<std::byte> bytes(static_cast<std::size_t>(shape.byte_size()));
    ir::store(constant.literal, constant.shape, bytes);
    return ir::load(bytes, shape);
  }

  Status read_attribute(plugin::Instruction i, const bp_attr_t &attribute, InstructionId id) {
    const auto key = static_cast<AttributeKey>(attribute.key);
    const ir::AttributeInfo &info = ir::info(key);
    if (info.key != key) {
      return ir::is_hint(key) ? Status() : fault(i, "there is no attribute {}", attribute.key);
    }
    const auto is_stored_as = [&](std::uint16_t type) {
      return attribute.type == type
                 ? Status()
                 : fault(i, "attribute {} is stored as {}, expected {}", info.text, attribute.type, type);
    };
    switch (info.kind) {
      case AttributeKind::Computation:
      case AttributeKind::Computations: return fault(i, "attribute {} cannot be in an image", info.text);
      case AttributeKind::Literal: return read_literal(i, key, id);
      case AttributeKind::String:
      case AttributeKind::Text: {
        BP_TRY(is_stored_as(BP_ATTR_STRING));
        const std::string_view text = i.text(attribute.key);
        if (original_ != nullptr && info.kind == AttributeKind::Text && !texts_.contains({key, std::string(text)})) {
          return fault(i, "attribute {} has a text that no instruction of the module had", info.text);
        }
        result_.set_text(id, key, text);
        return {};
      }
      case AttributeKind::F64:
        BP_TRY(is_stored_as(BP_ATTR_F64));
        if (attribute.count != 1) {
          return fault(i, "attribute {} has {} numbers, expected 1", info.text, attribute.count);
        }
        result_.set_real(id, key, i.real(attribute.key, 0));
        return {};
      case AttributeKind::Aliasing: BP_TRY(is_stored_as(BP_ATTR_I64)); return read_aliasing(i, key, id);
      default:
        BP_TRY(is_stored_as(BP_ATTR_I64));
        result_.set_numbers(id, key, i.integers(attribute.key));
        return {};
    }
  }

  // bp_value.precision becomes the attribute result_accuracy of the one result, in its original words if it is as
  // before.
  Status read_precision(plugin::Instruction i, InstructionId id) {
    const std::uint32_t ulps = i.result_count() == 1 ? i.result().precision() : 0;
    if (ulps == 0) {
      return {};
    }
    const auto found = by_name_.find(i.name());
    const bool is_kept = found != by_name_.end() && ir::required_ulps(found->second) == ulps;
    const std::string text = is_kept     ? std::string(found->second.text(AttributeKey::ResultAccuracy))
                             : ulps == 1 ? "{mode=highest}"
                                         : fmt::format("{{tolerance={{atol=0,rtol=0,ulps={}}}}}", ulps);
    result_.set_text(id, AttributeKey::ResultAccuracy, text);
    return {};
  }

  // A single result is not a tuple, so its index is empty.
  Status read_aliasing(plugin::Instruction i, AttributeKey key, InstructionId id) {
    std::vector<std::int64_t> numbers;
    const auto flat = i.integers(static_cast<std::uint16_t>(key));
    if (flat.size() % 4 != 0) {
      return fault(i, "attribute {} has {} numbers, expected four for each alias", ir::to_string(key), flat.size());
    }
    for (std::size_t at = 0; at < flat.size(); at += 4) {
      if (i.result_count() == 1) {
        numbers.insert(numbers.end(), {0, flat[at + 2], 0});
      } else {
        numbers.insert(numbers.end(), {1, flat[at + 1], flat[at + 2], 0});
      }
    }
    result_.set_numbers(id, key, numbers);
    return {};
  }

  // The image does not contain the literal's shape, so the literal must be that of the original instruction.
  Status read_literal(plugin::Instruction i, AttributeKey key, InstructionId id) {
    if (original_ == nullptr) {
      return {};
    }
    const auto found = by_name_.find(i.name());
    if (found == by_name_.end() || found->second.opcode() != static_cast<Opcode>(i.op()) ||
        !found->second.literal().is_valid()) {
      return fault(i, "attribute {} is new: it can only be kept, with the instruction's name", ir::to_string(key));
    }
    result_.set_literal(id, found->second.literal());
    return {};
  }

  // Checks that all instructions with side effects still exist, and that there are no new ones.
  Status check_side_effects(const ir::Module &original) const {
    const auto effects_of = [](const ir::Module &module) {
      std::set<std::pair<Opcode, std::string>> effects;
      for (const ir::Computation computation : module.computations()) {
        for (const ir::Instruction i : computation.instructions()) {
          if (i.is(ir::Trait::SideEffect) || i.number(AttributeKey::CustomCallHasSideEffect) != 0) {
            effects.emplace(i.opcode(), i.text(AttributeKey::CustomCallTarget));
          }
        }
      }
      return effects;
    };
    const auto before = effects_of(original), after = effects_of(result_);
    for (const auto &[opcode, target] : before) {
      if (!after.contains({opcode, target})) {
        return invalid_input("{} {} is missing, but it has side effects", ir::to_string(opcode), target);
      }
    }
    for (const auto &[opcode, target] : after) {
      if (!before.contains({opcode, target})) {
        return invalid_input("{} {} is new, but it has side effects", ir::to_string(opcode), target);
      }
    }
    return {};
  }

  plugin::ModuleView view_;
  const ir::Module *original_ = nullptr;
  ir::Module result_;

  std::unordered_map<std::string_view, ir::Instruction> by_name_;  // instructions of the original
  // Attributes whose text has its own syntax, from the original.
  std::set<std::pair<AttributeKey, std::string>> texts_;
  std::unordered_map<std::string, const ImageConstant *> constants_;  // by hash

  // Computations of the image that have one parameter with all values.
  std::unordered_set<std::uint32_t> takes_tuple_;
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> predecessors_;
  std::vector<ValueLeaf> leaves_;                   // by value of the image
  std::vector<InstructionId> main_;                 // by instruction of the image
  std::vector<ComputationId> computations_;         // by computation of the image
  ComputationId computation_ = ir::no_computation;  // the current one
};

}  // namespace

ir::Shape read_shape(plugin::Shape shape) {
  const auto type = static_cast<ir::ElementType>(shape.dtype());
  if (type == ir::ElementType::Token) {
    return Shape::token();
  }
  if (ir::is_opaque(type)) {
    return Shape::opaque();
  }
  ir::Layout layout;
  const auto order = shape.minor_to_major();
  layout.minor_to_major.assign(order.begin(), order.end());
  for (std::uint32_t t = 0; t < shape.tile_count(); ++t) {
    const auto sizes = shape.tile(t);
    layout.tiles.push_back({{sizes.begin(), sizes.end()}});
  }
  layout.element_bits = shape.element_bits() < 8 ? shape.element_bits() : 0;
  Shape result = Shape::array(type, shape.dims());
  result.set_layout(std::move(layout));
  return result;
}

Result<ir::Module> read_image(const bp_module_t *image, const Image &before, const ir::Module &original) {
  return ImageReader(image, before, original).read();
}

Result<std::map<std::uint32_t, ir::Module>> read_host_calls(const bp_module_t *image) {
  return ImageReader(image).read_host_calls();
}

Status verify_image(const bp_module_t *image) {
  Result<ir::Module> read = ImageReader(image).read();
  return read.ok() ? Status() : Status(std::move(read).error());
}

}  // namespace bp::host
