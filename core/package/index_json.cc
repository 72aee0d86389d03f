#include "core/package/index_json.h"

#include "core/package/hex.h"
#include "core/package/memory_members.h"

namespace bp::package {
namespace {

namespace json = boost::json;

std::string written(const ir::Shape &shape) {
  return to_string(shape, ir::PrintLayout::Always);
}

template <class Items, class Convert>
json::array array_of(const Items &items, Convert convert) {
  json::array array;
  for (const auto &item : items) {
    array.emplace_back(convert(item));
  }
  return array;
}

json::object to_json(const Value &value) {
  return {{"name", value.name}, {"shape", written(value.shape)}};
}

json::object to_json(const MadeBy &made_by) {
  return {{"id", made_by.device},
          {"plugin", made_by.version},
          {"plugin_sha256", to_hex(made_by.build)},
          {"target", made_by.target}};
}

json::object to_json(const ProgramEntry &program) {
  json::object memory;
  for (const auto &[name, figure] : planned_figures) {
    memory[name] = program.memory.*figure;
  }
  if (program.is_memory_complete) {
    for (const auto &[name, figure] : loaded_figures) {
      memory[name] = program.memory.*figure;
    }
    memory["peak"] = program.memory.peak();
  }
  json::object object{{"name", program.name},
                      {"device", program.device},
                      {"image", to_hex(program.image)},
                      {"parameters", array_of(program.parameters, written)},
                      {"result", written(program.result)},
                      {"memory", std::move(memory)}};
  if (program.artifact) {
    object["artifact"] = to_hex(*program.artifact);
  }
  return object;
}

json::object to_json(const StepEntry &step) {
  if (!step.program && !step.executable) {
    return {{"instruction", step.instruction}};
  }
  json::object object{{"inputs", json::value_from(step.inputs)}, {"outputs", json::value_from(step.outputs)}};
  if (step.program) {
    object["program"] = *step.program;
  } else {
    object["executable"] = *step.executable;
  }
  return object;
}

json::object to_json(const ExecutableEntry &executable) {
  json::object object{{"module", to_hex(executable.module)},
                      {"constants", array_of(executable.constants, [](const LargeConstant &constant) {
                         return json::object{{"shape", written(constant.shape)}, {"blob", to_hex(constant.blob)}};
                       })}};
  if (executable.is_on_host) {
    object["on_host"] = true;
  } else if (executable.program) {
    object["program"] = *executable.program;
  } else {
    object["steps"] = array_of(executable.steps, [](const StepEntry &step) { return to_json(step); });
  }
  if (!executable.called.empty()) {
    object["called"] = array_of(executable.called, [](const auto &called) {
      return json::object{{"computation", called.first}, {"executable", called.second}};
    });
  }
  return object;
}

}  // namespace

json::object to_json(const Index &index) {
  const auto convert = [](const auto &item) { return to_json(item); };
  json::object sections;
  for (const auto &[name, hash] : index.sections) {
    sections[name] = to_hex(hash);
  }
  return {{"backplane", index.backplane},
          {"name", index.name},
          {"opset", index.opset},
          {"parameters", array_of(index.interface.parameters, convert)},
          {"results", array_of(index.interface.results, convert)},
          {"devices", array_of(index.devices, convert)},
          {"programs", array_of(index.programs, convert)},
          {"executables", array_of(index.executables, convert)},
          {"sections", std::move(sections)}};
}

}  // namespace bp::package
