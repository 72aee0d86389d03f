#include "core/compile/passes.h"

#include <algorithm>
#include <array>

#include "core/buffers/copy_insertion.h"
#include "core/buffers/rematerialize.h"
#include "core/buffers/schedule.h"

namespace bp::compile {
namespace {

using passes::Pass;
using passes::PassContext;
using passes::Stage;

constexpr std::array steps_of_buffers{
    Pass{"schedule", "orders instructions so that little memory is live",
         [](ir::Module &module, const PassContext &) { return buffers::schedule(module); }},
    Pass{"rematerialization", "computes cheap values again, until no more than the limit of memory is needed",
         [](ir::Module &module, const PassContext &context) -> Result<bool> {
           return context.memory_limit > 0 ? buffers::rematerialize(module, context.memory_limit) : Result<bool>(false);
         }},
    Pass{"copy-insertion", "adds the copies without which no buffer assignment is correct",
         [](ir::Module &module, const PassContext &) { return buffers::insert_copies(module); }},
};

struct NamedStage {
  std::string_view name;
  Stage stage;
};
constexpr std::array stages{
    NamedStage{"simplify", Stage::Simplify},
    NamedStage{"expand", Stage::Expand},
    NamedStage{"primitives", Stage::Primitives},
    NamedStage{"layout", Stage::Layout},
    NamedStage{"fuse", Stage::Fuse},
    NamedStage{"finalize", Stage::Finalize},
};
constexpr std::string_view buffers_stage = "buffers";

void append(std::vector<Pass> &list, std::span<const Pass> more) {
  list.insert(list.end(), more.begin(), more.end());
}
}  // namespace

std::span<const Pass> buffer_passes() {
  return steps_of_buffers;
}

const Pass *find_pass(std::string_view name) {
  if (const Pass *pass = passes::find_pass(name)) {
    return pass;
  }
  auto step = std::ranges::find(steps_of_buffers, name, &Pass::name);
  return step == steps_of_buffers.end() ? nullptr : &*step;
}

std::vector<Pass> passes_of(Stage stage) {
  const std::span<const Pass> list = passes::stage_passes(stage);
  return {list.begin(), list.end()};
}

std::vector<Pass> default_passes() {
  std::vector<Pass> list = passes::default_passes();
  append(list, buffer_passes());
  return list;
}

std::vector<std::string_view> stage_names() {
  std::vector<std::string_view> names;
  for (const NamedStage &stage : stages) {
    names.push_back(stage.name);
  }
  names.push_back(buffers_stage);
  return names;
}

Result<std::vector<Pass>> passes_named(std::span<const std::string> names) {
  std::vector<Pass> list;
  for (const std::string &name : names) {
    auto stage = std::ranges::find(stages, name, &NamedStage::name);
    if (stage != stages.end()) {
      append(list, passes_of(stage->stage));
    } else if (name == buffers_stage) {
      append(list, buffer_passes());
    } else if (const Pass *pass = find_pass(name)) {
      list.push_back(*pass);
    } else {
      return make_error(ErrorCode::NotFound, "there is no pass '{}', expected one that backplane opt --list names",
                        name);
    }
  }
  return list;
}

}  // namespace bp::compile
