#include "conformance/suite/model_pieces.h"

#include <algorithm>
#include <filesystem>

#include "conformance/programs/embedded.h"
#include "core/backplane.h"
#include "core/ir/verifier.h"
#include "core/text/parser.h"

namespace bp::conformance {
namespace {

bool does_something(const ir::Instruction &instruction) {
  switch (instruction.opcode()) {
    case ir::Opcode::Parameter:
    case ir::Opcode::Constant:
    case ir::Opcode::Tuple: return false;
    default: return true;
  }
}

class Cutter {
 public:
  explicit Cutter(const ir::Module &model)
      : model_(model), elements_(model.instruction_id_limit()), last_user_(model.instruction_id_limit()) {
    std::size_t place = 0;
    for (const ir::Instruction instruction : model.entry().instructions()) {
      for (const ir::InstructionId operand : instruction.operands()) {
        if (belongs_to_operand(instruction)) {
          elements_[index(operand)].push_back(instruction.id());
        } else {
          last_user_[index(operand)] = place;
        }
      }
      ++place;
    }
  }

  std::vector<compile::Part> cut(std::size_t size) {
    std::vector<compile::Part> parts;
    std::size_t place = 0;
    for (const ir::Instruction instruction : model_.entry().instructions()) {
      if (does_something(instruction) && !belongs_to_operand(instruction)) {
        take(instruction);
      }
      if (part_.instructions.size() >= size && place >= earliest_end_) {
        parts.push_back(std::exchange(part_, {compile::Placement::Device, {}}));
      }
      ++place;
    }
    if (!part_.instructions.empty()) {
      parts.push_back(std::move(part_));
    }
    return parts;
  }

 private:
  // A tuple is taken apart in the part that makes it, wherever the program does that.
  bool belongs_to_operand(ir::Instruction instruction) const {
    return instruction.opcode() == ir::Opcode::GetTupleElement && instruction.control_predecessors().empty() &&
           does_something(model_.instruction(instruction.operands()[0]));
  }

  void take(ir::Instruction instruction) {
    for (std::vector<ir::InstructionId> pending = {instruction.id()}; !pending.empty();) {
      const ir::InstructionId id = pending.back();
      pending.pop_back();
      part_.instructions.push_back(id);
      pending.insert(pending.end(), elements_[index(id)].begin(), elements_[index(id)].end());
      if (!model_.instruction(id).shape().is_array()) {
        earliest_end_ = std::max(earliest_end_, last_user_[index(id)]);
      }
    }
  }

  const ir::Module &model_;
  // By instruction: the get-tuple-elements of it, and the index of the last other instruction that needs it.
  std::vector<std::vector<ir::InstructionId>> elements_;
  std::vector<std::size_t> last_user_;
  compile::Part part_{compile::Placement::Device, {}};
  std::size_t earliest_end_ = 0;  // index of the last instruction that needs a tuple or token of this part
};

std::string name_of_file(std::string_view path) {
  return std::filesystem::path(path).stem().string();
}

}  // namespace

const std::vector<Model> &sample_models() {
  static const std::vector<Model> models = [] {
    std::vector<Model> result;
    for (const EmbeddedFile &file : embedded_models()) {
      ir::Module module = text::parse_module(file.text).value();
      BP_CHECK(ir::verify(module).ok());
      result.push_back({name_of_file(file.name), std::move(module)});
    }
    return result;
  }();
  return models;
}

Result<Model> read_model(const std::string &path) {
  BP_ASSIGN(ir::Module module, read_module(path));
  return Model{name_of_file(path), std::move(module)};
}

std::vector<compile::Part> cut(const ir::Module &model, std::size_t size) {
  return Cutter(model).cut(size);
}

compile::Extract extract_piece(const ir::Module &model, const std::vector<compile::Part> &parts, std::size_t index_of) {
  std::vector<bool> available(model.instruction_id_limit());
  for (const ir::Instruction instruction : model.entry().instructions()) {
    available[index(instruction.id())] = instruction.opcode() == ir::Opcode::Parameter;
  }
  for (std::size_t i = 0; i < index_of; ++i) {
    for (const ir::InstructionId id : parts[i].instructions) {
      available[index(id)] = true;
    }
  }
  return compile::extract(model, parts[index_of], available);
}

}  // namespace bp::conformance
