#include "tools/command/conform_workload.h"

#include <fmt/core.h>

#include <boost/filesystem.hpp>

#include "conformance/report/workload.h"
#include "core/backplane.h"
#include "core/base/files.h"
#include "tools/command/options.h"

namespace bp::command {

namespace po = boost::program_options;

int count_workload(std::span<const std::string> arguments) {
  Options options(
      "conform workload FILE... [options]",
      "Counts how often programs use each operation on each element type, and writes it as JSON. A report of the "
      "suite\n"
      "then says how much of such a program runs on a device: `conform report --workload FILE`. Several files are one\n"
      "workload. Instructions count once, however often a loop runs them. Files are HLO or StableHLO.",
      "  backplane conform workload model.hlo -o model.json\n"
      "  backplane conform workload encoder.hlo decoder.hlo --name 'speech, bf16' -o speech.json\n"
      "  backplane conform report acme.jsonl --workload model.json --html acme.html\n");
  options.add_positional("files", -1);
  options.add()("name", po::value<std::string>(), "name of the workload; default: that of the first file")(
      "program", po::value<std::string>(), "where the programs come from; default: the files as given")(
      "output,o", po::value<std::string>(), "file for the JSON; default: standard output");
  options.complete({"name", "program"}, Completion::Nothing);
  if (auto exit = options.parse(arguments)) {
    return *exit;
  }
  if (!options.has("files")) {
    return options.misuse("no program was given");
  }
  const auto &files = options.get<std::vector<std::string>>("files");
  conformance::Workload workload;
  workload.name =
      options.has("name") ? options.get<std::string>("name") : boost::filesystem::path(files[0]).stem().string();
  workload.program =
      options.has("program") ? options.get<std::string>("program") : fmt::format("{}", fmt::join(files, ", "));
  for (const std::string &file : files) {
    const auto modules = read_modules(file);
    if (!modules.ok()) {
      return report(modules.error());
    }
    for (const Module &module : *modules) {
      conformance::add_instructions(module, workload);
    }
  }
  if (workload.ops.empty()) {
    return report(invalid_input("{}: no instruction of it computes something on a device", fmt::join(files, ", ")));
  }
  const std::string text = conformance::to_json(workload);
  if (!options.has("output")) {
    fmt::print("{}", text);
    return success;
  }
  const Status written = write_file(options.get<std::string>("output"), text);
  return written.ok() ? success : report(written.error());
}

}  // namespace bp::command
