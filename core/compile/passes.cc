#include "core/compile/passes.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "core/base/suggestion.h"
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
         [](ir::Module &module, const PassContext &) { return buffers::insert_copies(module); }, passes::Rounding{},
         passes::Required{"without its copies, values would overwrite others that are still needed"}},
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
    NamedStage{"normalize", Stage::Normalize},
    NamedStage{"fuse", Stage::Fuse},
    NamedStage{"finalize", Stage::Finalize},
};
constexpr std::string_view buffers_stage = "buffers";

Error no_pass(const std::string &name, std::vector<std::string_view> other_names) {
  std::ranges::transform(passes::passes(), std::back_inserter(other_names), &Pass::name);
  std::ranges::transform(steps_of_buffers, std::back_inserter(other_names), &Pass::name);
  const std::string similar = suggestion(name, other_names);
  return make_error(ErrorCode::NotFound, "there is no pass '{}'{}", name,
                    similar.empty() ? ", expected one that backplane opt --list names" : similar);
}

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

Status check_disabled(std::span<const std::string> names) {
  for (const std::string &name : names) {
    const Pass *pass = find_pass(name);
    if (pass == nullptr) {
      return no_pass(name, {});
    }
    if (!pass->required.because.empty()) {
      return unsupported("the pass {} cannot be disabled: {}", name, pass->required.because);
    }
  }
  return {};
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

std::vector<Pass> optimizations(bool fuse, std::span<const std::string> disabled) {
  std::vector<Pass> list;
  for (const NamedStage &named : stages) {
    if (named.stage == Stage::Primitives || (named.stage == Stage::Fuse && !fuse)) {
      continue;
    }
    std::ranges::copy_if(passes::stage_passes(named.stage), std::back_inserter(list),
                         [&](const Pass &pass) { return std::ranges::find(disabled, pass.name) == disabled.end(); });
  }
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
      return no_pass(name, stage_names());
    }
  }
  return list;
}

}  // namespace bp::compile
