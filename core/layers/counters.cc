#include "core/layers/counters.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <deque>

#include "core/layers/interposer.h"
#include "core/layers/listening_run.h"
#include "core/layers/loaded_modules.h"

namespace bp::layers {
namespace {

std::string_view unit_name(std::uint32_t unit) {
  constexpr std::string_view unit_names[] = {"events", "bytes", "cycles", "ns", "operations"};
  return unit >= BP_UNIT_EVENTS && unit <= BP_UNIT_OPERATIONS ? unit_names[unit - BP_UNIT_EVENTS] : "?";
}

class CountersLayer final : public Interposer {
 public:
  CountersLayer(std::unique_ptr<host::Entry> below, std::shared_ptr<Counts> counts)
      : Interposer(std::move(below)), counts_(std::move(counts)) {}

  bp_status compiler_compile(LayeredDevice &device, const bp_module_t *module, const bp_ostream_t *artifact,
                             const bp_diag_t *diag) override {
    const Tee tee(artifact);
    const bp_status status = Interposer::compiler_compile(device, module, tee.abi(), diag);
    modules_.compiled(tee.bytes(), module);
    return status;
  }
  bp_status compiler_load(LayeredDevice &device, const void *artifact, std::uint64_t size, const bp_loc_t *constants,
                          std::uint8_t *taken, std::uint32_t allocation_count, const bp_program_t **program,
                          const bp_diag_t *diag) override {
    const bp_status status =
        Interposer::compiler_load(device, artifact, size, constants, taken, allocation_count, program, diag);
    if (status == BP_OK && *program != nullptr) {
      modules_.loaded(*program, artifact, size);
    }
    return status;
  }
  bp_status program_run(LayeredProgram &program, const bp_run_t *run, const bp_diag_t *diag) override {
    return Interposer::program_run(program, listen(*program.device, &program.abi, run), diag);
  }
  bp_status queue_submit(LayeredDevice &device, std::uint32_t queue, const bp_command_t *commands,
                         std::uint32_t command_count, bp_point_t done, const bp_diag_t *diag) override {
    std::vector<bp_command_t> listening(commands, commands + command_count);
    for (bp_command_t &command : listening) {
      if (command.run != nullptr) {
        command.run = listen(device, command.program, command.run);
      }
    }
    return Interposer::queue_submit(device, queue, listening.data(), command_count, done, diag);
  }

 private:
  // Kept until the device is destroyed, because a queue may count late.
  const bp_run_t *listen(LayeredDevice &device, const bp_program_t *program, const bp_run_t *run) {
    if (device.counters == nullptr) {
      return run;
    }
    auto module = modules_.find(program);
    const auto count = [counts = counts_.get(), table = device.counters, name = counts_->name_of(module.get()), module](
                           std::uint32_t counter, std::uint32_t instr, std::uint64_t value) {
      if (counter < table->counter_count) {
        const bp_counter_desc_t &known = table->counters[counter];
        counts->add(known.name, known.unit, name, instruction_name(module.get(), instr), value);
      }
    };
    counts_->add_run();
    const std::lock_guard lock(mutex_);
    return runs_.emplace_back(run, nullptr, count).abi();
  }

  std::shared_ptr<Counts> counts_;
  LoadedModules modules_;
  std::mutex mutex_;  // of runs_
  std::deque<ListeningRun> runs_;
};

}  // namespace

void Counts::add_run() {
  const std::lock_guard lock(mutex_);
  ++runs_;
}

std::string Counts::name_of(const ModuleCopy *module) {
  if (module == nullptr) {
    return "";
  }
  const std::lock_guard lock(mutex_);
  const std::string name(module->view().name());
  std::vector<Sha256> &images = images_[name];
  const Sha256 image = sha256(module->bytes());
  auto found = std::ranges::find(images, image);
  if (found == images.end()) {
    found = images.insert(images.end(), image);
  }
  return found == images.begin() ? name : fmt::format("{} ({})", name, found - images.begin() + 1);
}

void Counts::add(const std::string &counter, std::uint32_t unit, const std::string &module,
                 const std::string &instruction, std::uint64_t value) {
  const std::lock_guard lock(mutex_);
  auto found = std::ranges::find(counters_, counter, &Counter::name);
  if (found == counters_.end()) {
    found = counters_.insert(counters_.end(), Counter{counter, unit, 0, {}});
  }
  found->sum += value;
  found->values[{module, instruction}] += value;
  modules_of_[instruction].insert(module);
}

std::string Counts::name_of(const Row &row) const {
  const auto &[module, instruction] = row;
  return modules_of_.at(instruction).size() < 2
             ? instruction
             : fmt::format("{} of {}", instruction, module.empty() ? "an unknown module" : module);
}

std::string Counts::to_text(std::size_t most) const {
  const std::lock_guard lock(mutex_);
  if (counters_.empty()) {
    return "nothing was counted: no program ran on a device that has bp.counters/draft-1\n";
  }
  std::vector<Row> instructions;
  for (const Counter &counter : counters_) {
    for (const auto &[instruction, value] : counter.values) {
      if (std::ranges::find(instructions, instruction) == instructions.end()) {
        instructions.push_back(instruction);
      }
    }
  }
  const auto value_of = [](const Counter &counter, const Row &instruction) {
    const auto found = counter.values.find(instruction);
    return found == counter.values.end() ? 0 : found->second;
  };
  std::ranges::stable_sort(instructions, std::greater(),
                           [&](const Row &instruction) { return value_of(counters_.front(), instruction); });
  std::string text = fmt::format("counted in {} runs\n{:<32}", runs_, "instruction");
  for (const Counter &counter : counters_) {
    text += fmt::format(" {:>24}", fmt::format("{} ({})", counter.name, unit_name(counter.unit)));
  }
  const auto row = [&](const std::string &name, const auto &value) {
    text += fmt::format("\n{:<32}", name);
    for (const Counter &counter : counters_) {
      text += fmt::format(" {:>24}", value(counter));
    }
  };
  for (std::size_t i = 0; i < std::min(most, instructions.size()); ++i) {
    row(name_of(instructions[i]), [&](const Counter &counter) { return value_of(counter, instructions[i]); });
  }
  if (instructions.size() > most) {
    row(fmt::format("{} others", instructions.size() - most), [&](const Counter &counter) {
      std::uint64_t others = 0;
      for (std::size_t i = most; i < instructions.size(); ++i) {
        others += value_of(counter, instructions[i]);
      }
      return others;
    });
  }
  row("sum", [](const Counter &counter) { return counter.sum; });
  return text + "\n";
}

std::string Counts::to_json() const {
  const std::lock_guard lock(mutex_);
  boost::json::array list;
  for (const Counter &counter : counters_) {
    boost::json::object instructions;
    for (const auto &[instruction, value] : counter.values) {
      instructions[name_of(instruction)] = value;
    }
    list.push_back(boost::json::object{{"name", counter.name},
                                       {"unit", std::string(unit_name(counter.unit))},
                                       {"sum", counter.sum},
                                       {"instructions", std::move(instructions)}});
  }
  return boost::json::serialize(boost::json::object{{"runs", runs_}, {"counters", std::move(list)}}) + "\n";
}

host::Layer counters_layer(std::shared_ptr<Counts> counts) {
  return [counts = std::move(counts)](std::unique_ptr<host::Entry> below) {
    return std::make_unique<CountersLayer>(std::move(below), counts);
  };
}

}  // namespace bp::layers
