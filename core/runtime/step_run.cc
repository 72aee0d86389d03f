#include "core/runtime/step_run.h"

#include <condition_variable>
#include <exception>
#include <functional>
#include <limits>
#include <mutex>
#include <optional>
#include <queue>
#include <system_error>
#include <thread>
#include <utility>

#include "core/interpreter/interpreter.h"
#include "core/runtime/host_calls.h"

namespace bp::runtime {
namespace {

using Results = Result<std::vector<Value>>;

Results evaluate_step(ir::Instruction instruction, std::vector<Value> inputs, const interpreter::Options &options) {
  std::vector<ir::Literal> operands;
  for (Value &input : inputs) {
    BP_ASSIGN(ir::Literal literal, std::move(input).view());
    operands.push_back(std::move(literal));
  }
  // Each instruction has random numbers of its own: an evaluation begins with the seed.
  std::optional<interpreter::Options> random;
  if (instruction.opcode() == ir::Opcode::Rng || !instruction.calls().empty()) {
    random = options;
    random->rng_seed += 0x9e3779b97f4a7c15 * (std::uint64_t{index(instruction.id())} + 1);
  }
  BP_ASSIGN(ir::Literal result, interpreter::evaluate_instruction(instruction, operands, random ? *random : options));
  std::vector<Value> results;
  results.emplace_back(std::move(result));
  return results;
}

class StepRun {
 public:
  StepRun(const StepGraph &graph, std::span<const StepExecutable> executables, std::vector<Value> arguments,
          const interpreter::Options &host)
      : graph_(graph),
        executables_(executables),
        host_(host),
        values_(graph_.uses().size()),
        uses_left_(graph_.uses().begin(), graph_.uses().end()) {
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      keep(graph_.parameters()[i], std::move(arguments[i]));
    }
  }

  Results run() {
    if (graph_.lane_count() == 1 || host_.on_result) {
      std::unique_lock lock(mutex_);
      for (std::uint32_t n = 0; n < graph_.nodes().size() && n < first_failed_; ++n) {
        perform(n, lock);
      }
    } else {
      run_lanes();
    }
    if (thrown_) {
      std::rethrow_exception(thrown_);
    }
    if (error_) {
      return *std::move(error_);
    }
    std::vector<Value> results;
    for (const std::uint32_t value : graph_.results()) {
      results.push_back(take(value, nullptr));
    }
    return graph_.is_whole() ? elements_of(std::move(results[0])) : Results(std::move(results));
  }

 private:
  // A thread, and the nodes that it is to run.
  struct LaneThread {
    std::size_t left = 0;  // nodes of its lanes that it has not taken
    std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> ready;  // the first one is on top
    std::condition_variable changed;
    std::vector<std::uint32_t> light;  // nodes that it made ready; others may wait for them, so they come first
  };

  // A value that several nodes need. It has a copy if some of them need it in another place.
  struct Held {
    Value value, copy;
  };

  void keep(std::uint32_t value, Value content) {
    if (uses_left_[value] > 0) {
      values_[value].value = std::move(content);
    }
  }

  static bool is_in(const Value &value, const host::Device *place) {
    const std::shared_ptr<const DeviceArray> &array = value.on_device();
    if (place == nullptr) {
      return array == nullptr ? value.shape().is_valid() : array->host_address() != nullptr;
    }
    return array != nullptr && array->device().get() == place;
  }

  // Who takes a value last has it alone, once those who took it before are done: a program may work in its memory.
  Value take(std::uint32_t value, const host::Device *place) {
    Held &held = values_[value];
    Value &best = is_in(held.copy, place) ? held.copy : held.value;
    if (--uses_left_[value] > 0) {
      return best;
    }
    Value last = std::move(best);
    held = {};
    return last;
  }

  // Copies an input to the place in which the node reads it, if a later node reads it there again.
  Status share(const StepGraph::Node &node, std::size_t i, Value &input, std::unique_lock<std::mutex> &lock) {
    const host::Device *place = StepGraph::place_of(node, i);
    if (!node.is_read_again[i] || is_in(input, place)) {
      return {};
    }
    if (place == nullptr) {
      BP_ASSIGN(ir::Literal literal, input.literal());
      input = Value(std::move(literal));
    } else {
      BP_ASSIGN(const ir::Literal literal, input.view());
      auto array = DeviceArray::upload(node.program->device(), literal);
      if (!array.ok() || *array == nullptr) {
        return {};  // each run copies it for itself
      }
      input = Value(*std::move(array));
    }
    lock.lock();
    values_[node.inputs[i]].copy = input;
    lock.unlock();
    return {};
  }

  Results execute(const StepGraph::Node &node, std::vector<Value> inputs, std::unique_lock<std::mutex> &lock) {
    if (host_.terms.cancellation != nullptr) {
      BP_TRY(host_.terms.cancellation->check());
    }
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      BP_TRY(share(node, i, inputs[i], lock));
    }
    if (node.program != nullptr) {
      std::vector<ResultPlace> places;
      for (const std::uint32_t output : node.outputs) {
        places.push_back({graph_.homes()[output]});
      }
      return node.program->run_on_device(std::move(inputs), host_, places);
    }
    const StepExecutable &executable = executables_[node.executable];
    if (node.instruction == ir::no_instruction) {
      return executable.run_whole(std::move(inputs));
    }
    return evaluate_step(executable.module.instruction(node.instruction), std::move(inputs), executable.options);
  }

  // Runs a node, without the lock, and keeps its results or its failure.
  void perform(std::uint32_t n, std::unique_lock<std::mutex> &lock) {
    const StepGraph::Node &node = graph_.nodes()[n];
    std::vector<Value> inputs;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      inputs.push_back(take(node.inputs[i], StepGraph::place_of(node, i)));
    }
    lock.unlock();
    std::optional<Results> results;
    std::exception_ptr thrown;
    try {  // a function of the application may throw
      results = execute(node, std::move(inputs), lock);
    } catch (...) {
      thrown = std::current_exception();
    }
    lock.lock();
    if (results && results->ok()) {
      for (std::size_t i = 0; i < node.outputs.size(); ++i) {
        keep(node.outputs[i], std::move((**results)[i]));
      }
    } else if (n < first_failed_) {
      first_failed_ = n;
      thrown_ = thrown;
      error_ = thrown ? std::optional<Error>() : std::move(*results).error();
    }
  }

  // Takes the nodes of a thread as soon as they are ready. Those after a failure are taken without being run.
  void work(LaneThread &own, std::unique_lock<std::mutex> &lock) {
    while (own.left > 0 || !own.light.empty()) {
      const std::uint32_t n = take_node(own, lock);
      if (n < first_failed_) {
        perform(n, lock);
      }
      for (const std::uint32_t next : graph_.nodes()[n].next) {
        if (--waits_for_[next] == 0) {
          make_ready(next, own);
        }
      }
    }
  }

  static std::uint32_t take_node(LaneThread &own, std::unique_lock<std::mutex> &lock) {
    if (!own.light.empty()) {
      const std::uint32_t n = own.light.back();
      own.light.pop_back();
      return n;
    }
    own.changed.wait(lock, [&] { return !own.ready.empty(); });
    const std::uint32_t n = own.ready.top();
    own.ready.pop();
    --own.left;
    return n;
  }

  void make_ready(std::uint32_t n, LaneThread &own) {
    const StepGraph::Node &node = graph_.nodes()[n];
    if (node.is_light) {
      own.light.push_back(n);
      return;
    }
    LaneThread &other = *thread_of_[node.lane];
    other.ready.push(n);
    other.changed.notify_one();
  }

  void run_lanes() {
    std::vector<LaneThread> lanes(graph_.lane_count());
    std::vector<std::thread> threads;
    std::unique_lock lock(mutex_);
    thread_of_.assign(graph_.lane_count(), &lanes[0]);
    const std::shared_ptr<const HostCall> within = current_host_call();
    for (std::size_t lane = 1; lane < lanes.size(); ++lane) {
      try {
        threads.emplace_back([this, &own = lanes[lane], &within] {
          const WithinHostCall scope(within);
          std::unique_lock own_lock(mutex_);
          work(own, own_lock);
        });
      } catch (const std::system_error &) {
        break;  // the system has no more threads: this one does the work of those that are missing
      }
      thread_of_[lane] = &lanes[lane];
    }
    for (std::uint32_t n = 0; n < graph_.nodes().size(); ++n) {
      const StepGraph::Node &node = graph_.nodes()[n];
      thread_of_[node.lane]->left += node.is_light ? 0 : 1;
      waits_for_.push_back(node.waits_for);
      if (node.waits_for == 0) {
        make_ready(n, lanes[0]);
      }
    }
    work(lanes[0], lock);
    lock.unlock();
    for (std::thread &thread : threads) {
      thread.join();
    }
  }

  const StepGraph &graph_;
  const std::span<const StepExecutable> executables_;
  const interpreter::Options &host_;
  std::mutex mutex_;  // for what follows
  std::vector<Held> values_;
  std::vector<std::uint32_t> uses_left_;  // by value
  std::vector<std::uint32_t> waits_for_;  // by node
  std::vector<LaneThread *> thread_of_;   // by lane
  std::uint32_t first_failed_ = std::numeric_limits<std::uint32_t>::max();
  std::optional<Error> error_;
  std::exception_ptr thrown_;
};

}  // namespace

Results run_steps(const StepGraph &graph, std::span<const StepExecutable> executables, std::vector<Value> arguments,
                  const interpreter::Options &host) {
  return StepRun(graph, executables, std::move(arguments), host).run();
}

}  // namespace bp::runtime
