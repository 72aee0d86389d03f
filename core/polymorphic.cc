#include "core/polymorphic.h"

#include <condition_variable>
#include <list>
#include <map>
#include <mutex>
#include <set>

#include "core/import/stablehlo/literal_integers.h"

namespace bp {
struct PolymorphicExecutable::State {
  // One executable that is kept; nullptr while a thread compiles it.
  struct Kept {
    std::string key;
    std::shared_ptr<const Executable> executable = nullptr;
  };

  State(Backend made_for, std::string program, std::string program_file, const CompileOptions &compile_options,
        std::size_t most)
      : backend(std::move(made_for)),
        text(std::move(program)),
        file(std::move(program_file)),
        options(compile_options),
        max_executables(std::max<std::size_t>(most, 1)) {}

  // Returns what the arguments must have in common to run the same executable. Call with the mutex.
  std::string key_of(std::span<const Literal> arguments) const;
  Result<Compiled> compile(std::span<const Literal> arguments, std::set<std::size_t> &depends_on) const;
  // Keeps what was compiled. The least recently used ones make room, except those that threads are compiling.
  // `depends_on`: numbers of parameters on whose elements sizes depend.
  void keep(std::list<Kept>::iterator entry, std::shared_ptr<const Executable> executable,
            const std::set<std::size_t> &depends_on, std::span<const Literal> arguments);
  void drop(std::list<Kept>::iterator entry);

  const Backend backend;
  const std::string text, file;
  const CompileOptions options;
  const std::size_t max_executables;
  std::vector<Parameter> parameters;

  mutable std::mutex mutex;
  std::condition_variable compiled;       // an executable was compiled, or could not be
  std::set<std::size_t> size_parameters;  // on whose elements sizes depend, as far as it is known
  std::list<Kept> recent;                 // those that are kept, the last used first
  std::map<std::string, std::list<Kept>::iterator, std::less<>> by_key;
  Counters counters;
};

std::string PolymorphicExecutable::State::key_of(std::span<const Literal> arguments) const {
  std::string key;
  for (const Literal &argument : arguments) {
    key += ir::to_string(argument.shape(), ir::PrintLayout::Never) + ";";
  }
  for (const std::size_t number : size_parameters) {
    const auto bytes = arguments[number].bytes();
    key.append(reinterpret_cast<const char *>(bytes.data()), bytes.size());
  }
  return key;
}

Result<Compiled> PolymorphicExecutable::State::compile(std::span<const Literal> arguments,
                                                       std::set<std::size_t> &depends_on) const {
  ReadOptions reading;
  std::map<std::size_t, std::vector<std::int64_t>> found;
  reading.size_parameters = &found;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    reading.parameter_shapes.push_back(arguments[i].shape());
    if (auto elements = import::stablehlo::size_integers(arguments[i])) {
      reading.parameter_values.push_back({std::to_string(i), *std::move(elements)});
    }
  }
  BP_ASSIGN(Module module, parse_module(text, file, reading));
  for (const auto &[number, elements] : found) {
    depends_on.insert(number);
  }
  return backend.compile(std::move(module), options);
}

void PolymorphicExecutable::State::drop(std::list<Kept>::iterator entry) {
  by_key.erase(entry->key);
  recent.erase(entry);
}

void PolymorphicExecutable::State::keep(std::list<Kept>::iterator entry, std::shared_ptr<const Executable> executable,
                                        const std::set<std::size_t> &depends_on, std::span<const Literal> arguments) {
  const auto drop_if = [&](auto &&is_useless) {
    for (auto other = recent.end(); other != recent.begin();) {  // the least recently used one first
      --other;
      if (other != entry && other->executable != nullptr && is_useless(*other)) {
        drop(other++);
        ++counters.evictions;
      }
    }
  };
  const std::size_t before = size_parameters.size();
  size_parameters.insert(depends_on.begin(), depends_on.end());
  if (size_parameters.size() != before) {
    drop_if([](const Kept &) { return true; });  // their keys lack the new parameters
  }
  by_key.erase(entry->key);
  entry->key = key_of(arguments);
  drop_if([&](const Kept &other) { return other.key == entry->key; });  // compiled meanwhile, under the same new key
  by_key.insert_or_assign(entry->key, entry);
  entry->executable = std::move(executable);
  drop_if([&](const Kept &) { return recent.size() > max_executables; });
}

const std::vector<Parameter> &PolymorphicExecutable::parameters() const {
  return state_->parameters;
}

PolymorphicExecutable::Counters PolymorphicExecutable::counters() const {
  const std::lock_guard lock(state_->mutex);
  return state_->counters;
}

Result<std::shared_ptr<const Executable>> PolymorphicExecutable::executable_for(
    std::span<const Literal> arguments) const {
  State &state = *state_;
  if (arguments.size() != state.parameters.size()) {
    return invalid_input("{} arguments, but {} has {} parameters", arguments.size(), state.file,
                         state.parameters.size());
  }
  std::unique_lock lock(state.mutex);
  std::list<State::Kept>::iterator entry;
  for (;;) {
    std::string key = state.key_of(arguments);
    const auto found = state.by_key.find(key);
    if (found == state.by_key.end()) {
      state.recent.push_front({key});
      entry = state.recent.begin();
      state.by_key.emplace(std::move(key), entry);
      ++state.counters.misses;
      break;
    }
    if (found->second->executable != nullptr) {
      state.recent.splice(state.recent.begin(), state.recent, found->second);
      ++state.counters.hits;
      return found->second->executable;
    }
    state.compiled.wait(lock);
  }
  lock.unlock();
  std::set<std::size_t> depends_on;
  Result<Compiled> made = state.compile(arguments, depends_on);
  lock.lock();
  if (!made.ok()) {
    state.drop(entry);
    state.compiled.notify_all();
    return std::move(made).error();
  }
  auto executable = std::make_shared<const Executable>(std::move(made).value().executable);
  state.keep(entry, executable, depends_on, arguments);
  state.compiled.notify_all();
  return executable;
}

Result<Literal> PolymorphicExecutable::run(std::vector<Literal> arguments, const interpreter::Options &host) const {
  BP_ASSIGN(const std::shared_ptr<const Executable> executable, executable_for(arguments));
  return executable->run(std::move(arguments), host);
}

Result<PolymorphicExecutable> Backend::compile_polymorphic(std::string text, std::string file,
                                                           const CompileOptions &options,
                                                           std::size_t max_executables) const {
  BP_ASSIGN(std::vector<Parameter> parameters, parse_parameters(text, file));
  auto state =
      std::make_shared<PolymorphicExecutable::State>(*this, std::move(text), std::move(file), options, max_executables);
  state->parameters = std::move(parameters);
  return PolymorphicExecutable(std::move(state));
}

}  // namespace bp
