#include "tools/command/inspect_package.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <boost/json.hpp>

#include "core/backplane.h"
#include "core/package/hex.h"
#include "core/package/index_json.h"
#include "tools/command/command.h"
#include "tools/command/terminal.h"

namespace bp::command {
namespace {

void print_fact(std::string_view what, const std::string &value) {
  fmt::print("  {:<13} {}\n", what, command::printable(value));
}

std::string size_text(std::int64_t count) {
  return format_bytes(static_cast<double>(count));
}

std::string listed(const std::vector<package::Value> &values) {
  std::vector<std::string> texts;
  for (const package::Value &value : values) {
    texts.push_back(fmt::format("{} {}", value.name, ir::to_string(value.shape, ir::PrintLayout::Never)));
  }
  return texts.empty() ? "none" : fmt::format("{}", fmt::join(texts, ", "));
}

std::string described(const runtime::MemoryFigures &memory, bool is_complete) {
  const std::string planned =
      fmt::format("inputs {}, outputs {}, temporaries {}, constants {}", size_text(memory.inputs),
                  size_text(memory.outputs), size_text(memory.temporaries), size_text(memory.constants));
  return is_complete ? fmt::format("{} at most: {}, scratch {}; {} held while it is loaded", size_text(memory.peak()),
                                   planned, size_text(memory.scratch), size_text(memory.resident))
                     : fmt::format("{}; the backend adds its scratch memory when it is loaded", planned);
}

// Returns the number of steps of each kind.
std::string described(const package::ExecutableEntry &executable) {
  if (executable.is_on_host) {
    return "all on the host";
  }
  if (executable.program) {
    return fmt::format("program {}", *executable.program);
  }
  std::vector<std::string> parts;
  std::size_t on_host = 0;
  for (const package::StepEntry &step : executable.steps) {
    if (step.program) {
      parts.push_back(fmt::format("program {}", *step.program));
    } else if (step.executable) {
      parts.push_back(fmt::format("executable {}", *step.executable));
    } else {
      ++on_host;
    }
  }
  parts.push_back(fmt::format("{} instructions on the host", on_host));
  return fmt::format("{}", fmt::join(parts, ", "));
}

void print(const Package &package) {
  const package::Index &index = package.index();
  fmt::print("{}: a package of {}\n", command::printable(package.file()), command::printable(index.name));
  print_fact("made by", fmt::format("Backplane {}, opset {}", index.backplane, index.opset));
  for (const package::MadeBy &made_by : index.devices) {
    print_fact("backend", fmt::format("{} {} for the target {}, plugin {}", made_by.device, made_by.version,
                                      made_by.target, package::to_hex(made_by.build).substr(0, 16)));
  }
  print_fact("parameters", listed(index.interface.parameters));
  print_fact("results", listed(index.interface.results));
  for (std::size_t i = 0; i < index.programs.size(); ++i) {
    const package::ProgramEntry &program = index.programs[i];
    const auto artifact = program.artifact ? package.blob(*program.artifact, "an artifact") : SharedBytes();
    print_fact(fmt::format("program {}", i),
               fmt::format("{} for {}, {}", program.name, index.devices[program.device].device,
                           program.artifact && artifact.ok()
                               ? "artifact of " + size_text(static_cast<std::int64_t>(artifact->size()))
                               : "kernels of the backend"));
    print_fact("", described(program.memory, program.is_memory_complete));
  }
  for (std::size_t i = 0; i < index.executables.size(); ++i) {
    print_fact(fmt::format("executable {}", i), described(index.executables[i]));
    for (const auto &[computation, number] : index.executables[i].called) {
      print_fact("", fmt::format("runs {} as executable {}", computation, number));
    }
  }
  for (const auto &[name, hash] : index.sections) {
    const auto content = package.blob(hash, "a section");
    print_fact("section",
               fmt::format("{}, {}", name, size_text(content.ok() ? static_cast<std::int64_t>(content->size()) : 0)));
  }
  fmt::print("all bytes are as they were written\n");
}

}  // namespace

int inspect_package(const std::string &path, bool as_json) {
  const auto opened = Package::open(path);
  if (!opened.ok()) {
    return report(opened.error());
  }
  if (as_json) {
    boost::json::object object = package::to_json(opened->index());
    object["path"] = path;
    fmt::print("{}\n", boost::json::serialize(object));
  } else {
    print(*opened);
  }
  return success;
}

}  // namespace bp::command
