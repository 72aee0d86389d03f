#include "conformance/suite/exhibit.h"

#include <fmt/format.h>

#include <boost/algorithm/string.hpp>
#include <set>

#include "conformance/suite/case_words.h"
#include "conformance/suite/shown.h"
#include "conformance/suite/stage.h"
#include "core/compile/claims.h"
#include "core/compile/compile.h"
#include "core/interpreter/interpreter.h"

namespace bp::conformance {
namespace {

constexpr std::size_t elements_shown = 16, deviations_shown = 8;

// Keeps the module of each program of the device as it was just before the plugin got it.
class ProgramTexts final : public compile::Observer {
 public:
  Status module(const std::string &, const ir::Module &) override { return {}; }
  Status program(const std::string &name, const ir::Module &module, const buffers::Plan &, const host::Image &,
                 std::span<const std::byte>) override {
    texts.emplace_back(name, text_of(module));
    return {};
  }

  std::vector<std::pair<std::string, std::string>> texts;
};

class Exhibit {
 public:
  Exhibit(Subject &subject, CaseProgram program, const std::function<void(std::string_view)> &tell)
      : subject_(subject), program_(std::move(program)), tell_(tell) {}

  Status show() {
    section("program", text_of(program_.module));
    std::vector<std::string> inputs;
    for (std::size_t i = 0; i < program_.arguments.size(); ++i) {
      inputs.push_back(fmt::format("{} = {}", program_.module.entry().parameter(i).name(),
                                   shortened(program_.arguments[i], elements_shown)));
    }
    section("inputs", inputs.empty() ? "none" : fmt::format("{}", fmt::join(inputs, "\n")));
    const auto expected = interpreter::interpret(program_.module, program_.arguments);
    section("expected", expected.ok() ? shortened(*expected, elements_shown)
                                      : "unknown: the interpreter cannot run it: " + expected.error().to_string());
    section("allowed", program_.allowed.empty() ? "the case judges something else than the distance from the expected"
                                                : explain_allowed(program_.allowed));
    BP_ASSIGN(const Backend *backend, subject_.backend());
    if (backend->is_interpreter()) {
      return {};  // it is the oracle: there is nothing else to compare
    }
    BP_TRY(show_division(*backend));
    return show_result(*backend, expected);
  }

 private:
  void section(std::string_view title, std::string text) const {
    boost::trim_right(text);
    tell_(fmt::format("{}:\n  {}\n", title, boost::replace_all_copy(text, "\n", "\n  ")));
  }

  // Shows which instructions run where, after the core has rewritten what the device does not claim.
  Status show_division(const Backend &backend) const {
    ir::Module divided = program_.module;
    BP_ASSIGN(const compile::Report report, compile::survey(program_.module, backend.device(), &divided));
    section("after the core's passes for this device", text_of(divided));
    std::vector<std::string> device, host;
    std::set<std::string_view> names_on_host;
    for (const compile::OnHost &one : report.on_host) {
      names_on_host.insert(one.name);
      host.push_back(
          fmt::format("{} ({}){}{}", one.name, ir::to_string(one.opcode), one.reason.empty() ? "" : ": ", one.reason));
    }
    for (const ir::Instruction i : divided.entry().instructions()) {
      if (compile::is_claimable(i.opcode()) && !names_on_host.contains(i.name())) {
        device.push_back(fmt::format("{} ({})", i.name(), ir::to_string(i.opcode())));
      }
    }
    section("on the device", device.empty() ? "nothing" : fmt::format("{}", fmt::join(device, ", ")));
    section("on the host", host.empty() ? "nothing" : fmt::format("{}", fmt::join(host, "\n")));
    return {};
  }

  Status show_result(const Backend &backend, const Result<Literal> &expected) const {
    ProgramTexts texts;
    compile::Options options;
    options.observer = &texts;
    options.device_only = program_.is_whole;
    options.fold_constants = false;
    const auto compiled = compile::compile(program_.module, backend.device(), options);
    for (const auto &[name, text] : texts.texts) {
      section(fmt::format("as the plugin gets it ({})", name), text);
    }
    if (!compiled.ok()) {
      section("got", "nothing: " + compiled.error().to_string());
      return {};
    }
    const auto found = compiled->executable.run(program_.arguments);
    section("got", found.ok() ? shortened(*found, elements_shown) : "nothing: " + found.error().to_string());
    if (found.ok() && expected.ok()) {
      show_worst(*found, *expected);
    }
    return {};
  }

  void show_worst(const Literal &found, const Literal &expected) const {
    std::vector<std::string> lines;
    for (const Deviation &one : worst_elements(found, expected, deviations_shown)) {
      lines.push_back(fmt::format("{}[{}] is {}, expected {} ({:.4g} ulp apart); {}",
                                  one.output.empty() ? "" : fmt::format("{{{}}}", fmt::join(one.output, ",")),
                                  fmt::join(one.index, ","), one.found, one.expected, one.ulp,
                                  operands_at(program_.module, program_.arguments, one.offset)));
    }
    section("elements that differ most",
            lines.empty() ? "none: every bit is the same" : fmt::format("{}", fmt::join(lines, "\n")));
  }

  Subject &subject_;
  const CaseProgram program_;
  const std::function<void(std::string_view)> &tell_;
};

}  // namespace

void exhibit(Subject &subject, const std::string &id, const std::function<void(std::string_view)> &tell) {
  tell(fmt::format("{}\n{}", id, describe_case(subject, id)));
  const Stage *stage = stage_of_case(id);
  if (stage->program == nullptr) {
    tell("program: none: the case makes calls of its own\n");
    return;
  }
  auto program = stage->program(subject, id);
  if (!program.ok()) {
    tell(fmt::format("program: none: {}\n", program.error().to_string()));
    return;
  }
  if (const Status shown = Exhibit(subject, std::move(program).value(), tell).show(); !shown.ok()) {
    tell(fmt::format("the device cannot be shown: {}\n", shown.error().to_string()));
  }
}

}  // namespace bp::conformance
