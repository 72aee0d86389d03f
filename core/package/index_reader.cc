// Reads the index of a package. Trusts nothing.
#include <limits>

#include "core/ir/verifier_checks.h"
#include "core/package/hex.h"
#include "core/package/index_json.h"
#include "core/package/memory_members.h"
#include "core/text/parser.h"

namespace bp::package {
namespace {

namespace json = boost::json;

// An object of the index, with the path to it for messages.
class Fields {
 public:
  static Result<Fields> of(const json::value &value, std::string path) {
    if (const json::object *object = value.if_object()) {
      return Fields(*object, std::move(path));
    }
    return invalid_input("{} is {}, expected an object", path, shortened(value));
  }
  Fields(const json::object &object, std::string path) : object_(&object), path_(std::move(path)) {}

  bool has(std::string_view name) const { return object_->contains(name); }

  Result<std::string> text(std::string_view name) const {
    const json::value *value = find(name);
    return value != nullptr && value->is_string() ? Result(std::string(value->as_string())) : wrong(name, "a text");
  }
  // Returns a number from 0 to `below` - 1.
  Result<std::size_t> number(std::string_view name, std::size_t below) const {
    const json::value *value = find(name);
    if (value != nullptr && value->is_int64() && value->as_int64() >= 0 &&
        static_cast<std::uint64_t>(value->as_int64()) < below) {
      return static_cast<std::size_t>(value->as_int64());
    }
    return wrong(name, fmt::format("a number from 0 to below {}", below));
  }
  Result<bool> flag(std::string_view name) const {
    const json::value *value = find(name);
    return value != nullptr && value->is_bool() ? Result(value->as_bool()) : wrong(name, "true or false");
  }
  Result<Sha256> hash(std::string_view name) const {
    const json::value *value = find(name);
    const auto hash = value != nullptr && value->is_string() ? parse_hex(value->as_string()) : std::nullopt;
    return hash ? Result(*hash) : wrong(name, "a SHA-256 of 64 digits");
  }
  Result<ir::Shape> shape(std::string_view name) const {
    BP_ASSIGN(const std::string written, text(name));
    return read_shape(written, name);
  }
  Result<Fields> object(std::string_view name) const {
    const json::value *value = find(name);
    return value == nullptr ? wrong(name, "an object") : of(*value, path(name));
  }

  // Calls read() with each element of a list, and returns what it returns.
  template <class T, class Read>
  Result<std::vector<T>> list(std::string_view name, Read read) const {
    const json::value *value = find(name);
    if (value == nullptr || !value->is_array()) {
      return wrong(name, "a list");
    }
    std::vector<T> items;
    for (const json::value &element : value->as_array()) {
      BP_ASSIGN(T item, read(element, fmt::format("{}[{}]", path(name), items.size())));
      items.push_back(std::move(item));
    }
    return items;
  }
  Result<std::vector<std::string>> texts(std::string_view name) const {
    return list<std::string>(name, [](const json::value &value, const std::string &path) -> Result<std::string> {
      return value.is_string() ? Result(std::string(value.as_string()))
                               : invalid_input("{} is {}, expected a text", path, shortened(value));
    });
  }
  Result<std::vector<ir::Shape>> shapes(std::string_view name) const {
    BP_ASSIGN(const std::vector<std::string> written, texts(name));
    std::vector<ir::Shape> shapes;
    for (const std::string &text : written) {
      BP_ASSIGN(ir::Shape shape, read_shape(text, name));
      shapes.push_back(std::move(shape));
    }
    return shapes;
  }

  const json::object &members() const { return *object_; }

 private:
  static std::string shortened(const json::value &value) {
    constexpr std::size_t longest = 80;
    const std::string text = json::serialize(value);
    return text.size() <= longest ? text : text.substr(0, longest) + "...";
  }
  const json::value *find(std::string_view name) const { return object_->if_contains(name); }
  std::string path(std::string_view name) const {
    return path_.empty() ? std::string(name) : fmt::format("{}.{}", path_, name);
  }
  Error wrong(std::string_view name, std::string_view expected) const {
    const json::value *value = find(name);
    return invalid_input("{} is {}, expected {}", path(name), value == nullptr ? "missing" : shortened(*value),
                         expected);
  }
  Result<ir::Shape> read_shape(std::string_view written, std::string_view name) const {
    Result<ir::Shape> shape = text::parse_shape(written);
    Status valid = shape.ok() ? ir::verify_shape(*shape) : Status(shape.error());
    return valid.ok() ? std::move(shape) : std::move(valid).error().note(fmt::format("read as {}", path(name)));
  }

  const json::object *object_;
  std::string path_;
};

Result<std::vector<Value>> read_values(const Fields &fields, std::string_view name) {
  return fields.list<Value>(name, [](const json::value &json, const std::string &path) -> Result<Value> {
    BP_ASSIGN(const Fields value, Fields::of(json, path));
    Value read;
    BP_ASSIGN(read.name, value.text("name"));
    BP_ASSIGN(read.shape, value.shape("shape"));
    return read;
  });
}

Result<MadeBy> read_made_by(const Fields &fields) {
  MadeBy made_by;
  BP_ASSIGN(made_by.device, fields.text("id"));
  BP_ASSIGN(made_by.version, fields.text("plugin"));
  BP_ASSIGN(made_by.build, fields.hash("plugin_sha256"));
  BP_ASSIGN(made_by.target, fields.text("target"));
  return made_by;
}

Result<ProgramEntry> read_program(const Fields &fields, std::size_t device_count) {
  constexpr std::size_t any = std::numeric_limits<std::int64_t>::max();
  ProgramEntry program;
  BP_ASSIGN(program.name, fields.text("name"));
  BP_ASSIGN(program.device, fields.number("device", device_count));
  BP_ASSIGN(program.image, fields.hash("image"));
  if (fields.has("artifact")) {
    BP_ASSIGN(program.artifact, fields.hash("artifact"));
  }
  BP_ASSIGN(program.parameters, fields.shapes("parameters"));
  BP_ASSIGN(program.result, fields.shape("result"));
  BP_ASSIGN(const Fields memory, fields.object("memory"));
  const auto read_figure = [&](const auto &row) -> Status {
    BP_ASSIGN(const std::size_t bytes, memory.number(row.first, any));
    program.memory.*row.second = static_cast<std::int64_t>(bytes);
    return {};
  };
  for (const auto &row : planned_figures) {
    BP_TRY(read_figure(row));
  }
  program.is_memory_complete = memory.has("scratch");
  for (const auto &row : loaded_figures) {
    BP_TRY(program.is_memory_complete ? read_figure(row) : Status());
  }
  return program;
}

Result<StepEntry> read_step(const Fields &fields, std::size_t program_count, std::size_t executable_count) {
  StepEntry step;
  if (fields.has("instruction")) {
    BP_ASSIGN(step.instruction, fields.text("instruction"));
    return step;
  }
  if (fields.has("program")) {
    BP_ASSIGN(step.program, fields.number("program", program_count));
  } else {
    BP_ASSIGN(step.executable, fields.number("executable", executable_count));
  }
  BP_ASSIGN(step.inputs, fields.texts("inputs"));
  BP_ASSIGN(step.outputs, fields.texts("outputs"));
  return step;
}

// `executable_count`: the number of those before it, which it may contain.
Result<ExecutableEntry> read_executable(const Fields &fields, std::size_t program_count, std::size_t executable_count) {
  ExecutableEntry executable;
  BP_ASSIGN(executable.module, fields.hash("module"));
  BP_ASSIGN(executable.constants,
            fields.list<LargeConstant>("constants",
                                       [](const json::value &json, const std::string &path) -> Result<LargeConstant> {
                                         BP_ASSIGN(const Fields constant, Fields::of(json, path));
                                         LargeConstant read;
                                         BP_ASSIGN(read.shape, constant.shape("shape"));
                                         BP_ASSIGN(read.blob, constant.hash("blob"));
                                         return read;
                                       }));
  if (fields.has("on_host")) {
    BP_ASSIGN(executable.is_on_host, fields.flag("on_host"));
  }
  if (fields.has("program")) {
    BP_ASSIGN(executable.program, fields.number("program", program_count));
  } else if (!executable.is_on_host) {
    BP_ASSIGN(
        executable.steps,
        fields.list<StepEntry>("steps", [&](const json::value &json, const std::string &path) -> Result<StepEntry> {
          BP_ASSIGN(const Fields step, Fields::of(json, path));
          return read_step(step, program_count, executable_count);
        }));
  }
  if (fields.has("called")) {
    using Called = std::pair<std::string, std::size_t>;
    BP_ASSIGN(executable.called,
              fields.list<Called>("called", [&](const json::value &json, const std::string &path) -> Result<Called> {
                BP_ASSIGN(const Fields called, Fields::of(json, path));
                BP_ASSIGN(std::string computation, called.text("computation"));
                BP_ASSIGN(const std::size_t number, called.number("executable", executable_count));
                return Called(std::move(computation), number);
              }));
  }
  return executable;
}

}  // namespace

Result<Index> read_index(const json::object &json) {
  const Fields fields(json, "");
  Index index;
  BP_ASSIGN(index.backplane, fields.text("backplane"));
  if (json.contains("weights_of")) {
    BP_ASSIGN(const std::string program, fields.text("weights_of"));
    return invalid_input(
        "it holds the constants of {}, which was compiled ahead of time: its code is in an object file (backplane "
        "aot), "
        "expected a package that backplane compile made",
        program);
  }
  BP_ASSIGN(index.name, fields.text("name"));
  BP_ASSIGN(const std::size_t opset, fields.number("opset", std::size_t{1} << 32));
  index.opset = static_cast<std::uint32_t>(opset);
  BP_ASSIGN(index.interface.parameters, read_values(fields, "parameters"));
  BP_ASSIGN(index.interface.results, read_values(fields, "results"));
  BP_ASSIGN(index.devices,
            fields.list<MadeBy>("devices", [](const json::value &value, const std::string &path) -> Result<MadeBy> {
              BP_ASSIGN(const Fields made_by, Fields::of(value, path));
              return read_made_by(made_by);
            }));
  BP_ASSIGN(index.programs,
            fields.list<ProgramEntry>("programs",
                                      [&](const json::value &value, const std::string &path) -> Result<ProgramEntry> {
                                        BP_ASSIGN(const Fields program, Fields::of(value, path));
                                        return read_program(program, index.devices.size());
                                      }));
  std::size_t executable_count = 0;
  BP_ASSIGN(index.executables,
            fields.list<ExecutableEntry>(
                "executables", [&](const json::value &value, const std::string &path) -> Result<ExecutableEntry> {
                  BP_ASSIGN(const Fields executable, Fields::of(value, path));
                  return read_executable(executable, index.programs.size(), executable_count++);
                }));
  if (index.executables.empty()) {
    return invalid_input("executables is empty, expected at least one");
  }
  BP_ASSIGN(const Fields sections, fields.object("sections"));
  for (const auto &member : sections.members()) {
    BP_ASSIGN(index.sections[std::string(member.key())], sections.hash(member.key()));
  }
  return index;
}

}  // namespace bp::package
