#include "core/polymorphic.h"

#include <algorithm>
#include <bit>
#include <condition_variable>
#include <functional>
#include <limits>
#include <list>
#include <map>
#include <mutex>
#include <set>

#include "core/base/sha256.h"
#include "core/bucketed_program.h"
#include "core/import/literal_integers.h"
#include "core/package/hex.h"
#include "core/text/printer.h"

namespace bp {
namespace {

// Copies the elements that both arrays have; they are dense, row-major and of one type and rank.
void copy_common(const Literal &from, Literal &to) {
  const std::span<const std::int64_t> source = from.shape().sizes(), target = to.shape().sizes();
  if (std::ranges::find(source, 0) != source.end() || std::ranges::find(target, 0) != target.end()) {
    return;
  }
  const std::span<const std::byte> in = from.bytes();
  const std::span<std::byte> out = to.mutable_bytes();
  // Dimensions after `split` are equal: with the one at `split` they are copied in one piece.
  std::size_t split = source.size();
  std::size_t bytes = in.size() / static_cast<std::size_t>(from.shape().element_count());
  const auto inner = [&](std::span<const std::int64_t> sizes) {
    std::size_t count = bytes;
    for (std::size_t d = split; d < sizes.size(); ++d) {
      count *= static_cast<std::size_t>(sizes[d]);
    }
    return count;
  };
  while (split > 0 && source[split - 1] == target[split - 1]) {
    --split;
  }
  split -= split > 0 ? 1 : 0;
  const std::size_t from_piece = inner(source), to_piece = inner(target), piece = std::min(from_piece, to_piece);
  std::vector<std::int64_t> at(split);
  for (;;) {
    std::size_t from_row = 0, to_row = 0;
    for (std::size_t d = 0; d < split; ++d) {
      from_row = from_row * static_cast<std::size_t>(source[d]) + static_cast<std::size_t>(at[d]);
      to_row = to_row * static_cast<std::size_t>(target[d]) + static_cast<std::size_t>(at[d]);
    }
    std::ranges::copy(in.subspan(from_row * from_piece, piece),
                      out.begin() + static_cast<std::ptrdiff_t>(to_row * to_piece));
    std::size_t d = split;
    while (d > 0 && ++at[d - 1] == std::min(source[d - 1], target[d - 1])) {
      at[--d] = 0;
    }
    if (d == 0) {
      return;
    }
  }
}

std::vector<Shape> shapes_of(std::span<const Literal> arguments) {
  std::vector<Shape> shapes;
  for (const Literal &argument : arguments) {
    shapes.push_back(argument.shape());
  }
  return shapes;
}

// Returns the array cut and padded with zeros to other sizes.
Result<Literal> resized(Literal array, const Shape &shape) {
  if (std::ranges::equal(array.shape().sizes(), shape.sizes())) {
    return array;
  }
  BP_ASSIGN(Literal result, Literal::zeros(Shape::array(shape.element_type(), shape.sizes())));
  copy_common(array, result);
  return result;
}

}  // namespace

struct PolymorphicExecutable::State {
  // One executable that is kept; nullptr while a thread compiles it.
  struct Kept {
    std::string key;
    std::shared_ptr<const Executable> executable = nullptr;
  };

  // How a run pads its arguments and cuts its results.
  struct Padded {
    std::string problem = {};                                // if not empty: why runs with such arguments do not
    std::string key = {};                                    // of the executable; empty if there is none
    std::shared_ptr<const Executable> executable = nullptr;  // not in padded_by_key
    std::vector<Shape> arguments = {};                       // padded
    std::vector<BucketedProgram::Dimension> sizes = {};
    Shape result = {};  // exact
  };

  State(Backend made_for, std::string program, std::string program_file, const CompileOptions &compile_options,
        std::size_t most, std::string program_format)
      : backend(std::move(made_for)),
        text(std::move(program)),
        file(std::move(program_file)),
        format(std::move(program_format)),
        options(compile_options),
        max_executables(std::max<std::size_t>(most, 1)) {}

  // Returns what the arguments must have in common to run the same executable. Call with the mutex.
  // `unknown`: numbers of arguments without elements.
  std::string key_of(std::span<const Literal> arguments, const std::set<std::size_t> &unknown = {}) const;
  // Reads the program for arguments of these shapes. `values`: those whose elements may be sizes.
  Result<Module> read(std::span<const Shape> shapes, std::span<const Literal> values,
                      const std::set<std::size_t> &unknown, std::set<std::size_t> &depends_on) const;
  Result<Compiled> compile(std::span<const Literal> arguments, const std::set<std::size_t> &unknown,
                           std::set<std::size_t> &depends_on) const;
  // Finds the executable with this key, or has one compiled and kept.
  Result<std::shared_ptr<const Executable>> obtain(
      const std::function<std::string()> &key, const std::function<Result<Compiled>()> &compile_it,
      const std::function<void(std::list<Kept>::iterator, std::shared_ptr<const Executable>)> &keep_it);
  Result<std::shared_ptr<const Executable>> exact_executable(std::span<const Literal> arguments,
                                                             const std::set<std::size_t> &unknown = {});
  Result<Padded> padded(std::span<const Literal> arguments);
  Result<Padded> make_padded(std::span<const Literal> arguments);
  static Result<Literal> run_padded(const Padded &padded, std::vector<Literal> arguments,
                                    const interpreter::Options &host);
  // Keeps what was compiled. The least recently used ones make room, except those that threads are compiling.
  // `depends_on`: numbers of parameters on whose elements sizes depend.
  void keep(std::list<Kept>::iterator entry, std::shared_ptr<const Executable> executable,
            const std::set<std::size_t> &depends_on, std::span<const Literal> arguments,
            const std::set<std::size_t> &unknown);
  void keep(std::list<Kept>::iterator entry, std::shared_ptr<const Executable> executable, std::string key);
  // Has keys contain the elements of more parameters. Call with the mutex.
  void note_size_parameters(std::list<Kept>::iterator except, const std::set<std::size_t> &depends_on);
  // Drops executables that are not used, the least recently used one first.
  void drop_if(std::list<Kept>::iterator except, const std::function<bool(const Kept &)> &is_useless);
  void drop(std::list<Kept>::iterator entry);

  const Backend backend;
  const std::string text, file, format;
  const CompileOptions options;
  const std::size_t max_executables;
  std::vector<Parameter> parameters;
  std::function<std::int64_t(std::int64_t)> bucket;  // may be empty

  mutable std::mutex mutex;
  std::condition_variable compiled;       // an executable was compiled, or could not be
  std::set<std::size_t> size_parameters;  // on whose elements sizes depend, as far as it is known
  std::list<Kept> recent;                 // those that are kept, the last used first
  std::map<std::string, std::list<Kept>::iterator, std::less<>> by_key;
  std::map<std::string, Padded, std::less<>> padded_by_key;  // by key of the arguments
  Counters counters;
};

std::string PolymorphicExecutable::State::key_of(std::span<const Literal> arguments,
                                                 const std::set<std::size_t> &unknown) const {
  std::string key;
  for (const Literal &argument : arguments) {
    key += ir::to_string(argument.shape(), ir::PrintLayout::Never) + ";";
  }
  for (const std::size_t number : size_parameters) {
    if (unknown.contains(number)) {
      key += "unknown " + std::to_string(number) + ";";  // a size that follows from shapes, or the program is refused
      continue;
    }
    const auto bytes = arguments[number].bytes();
    key.append(reinterpret_cast<const char *>(bytes.data()), bytes.size());
  }
  return key;
}

Result<Module> PolymorphicExecutable::State::read(std::span<const Shape> shapes, std::span<const Literal> values,
                                                  const std::set<std::size_t> &unknown,
                                                  std::set<std::size_t> &depends_on) const {
  ReadOptions reading;
  reading.format = format;
  std::map<std::size_t, std::vector<std::int64_t>> found;
  reading.size_parameters = &found;
  reading.parameter_shapes.assign(shapes.begin(), shapes.end());
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (auto elements = unknown.contains(i) ? std::nullopt : import::size_integers(values[i])) {
      reading.parameter_values.push_back({std::to_string(i), *std::move(elements)});
    }
  }
  BP_ASSIGN(Module module, parse_module(text, file, reading));
  for (const auto &[number, elements] : found) {
    depends_on.insert(number);
  }
  return module;
}

Result<Compiled> PolymorphicExecutable::State::compile(std::span<const Literal> arguments,
                                                       const std::set<std::size_t> &unknown,
                                                       std::set<std::size_t> &depends_on) const {
  BP_ASSIGN(Module module, read(shapes_of(arguments), arguments, unknown, depends_on));
  return backend.compile(std::move(module), options);
}

void PolymorphicExecutable::State::drop(std::list<Kept>::iterator entry) {
  by_key.erase(entry->key);
  recent.erase(entry);
}

void PolymorphicExecutable::State::drop_if(std::list<Kept>::iterator except,
                                           const std::function<bool(const Kept &)> &is_useless) {
  for (auto other = recent.end(); other != recent.begin();) {
    --other;
    if (other != except && other->executable != nullptr && is_useless(*other)) {
      drop(other++);
      ++counters.evictions;
    }
  }
}

void PolymorphicExecutable::State::note_size_parameters(std::list<Kept>::iterator except,
                                                        const std::set<std::size_t> &depends_on) {
  const std::size_t before = size_parameters.size();
  size_parameters.insert(depends_on.begin(), depends_on.end());
  if (size_parameters.size() != before) {
    drop_if(except, [](const Kept &) { return true; });  // their keys lack the new parameters
    padded_by_key.clear();
  }
}

void PolymorphicExecutable::State::keep(std::list<Kept>::iterator entry, std::shared_ptr<const Executable> executable,
                                        const std::set<std::size_t> &depends_on, std::span<const Literal> arguments,
                                        const std::set<std::size_t> &unknown) {
  note_size_parameters(entry, depends_on);
  keep(entry, std::move(executable), key_of(arguments, unknown));
}

void PolymorphicExecutable::State::keep(std::list<Kept>::iterator entry, std::shared_ptr<const Executable> executable,
                                        std::string key) {
  by_key.erase(entry->key);
  entry->key = std::move(key);
  drop_if(entry, [&](const Kept &other) { return other.key == entry->key; });  // compiled meanwhile, under the new key
  by_key.insert_or_assign(entry->key, entry);
  entry->executable = std::move(executable);
  drop_if(entry, [&](const Kept &) { return recent.size() > max_executables; });
}

const std::vector<Parameter> &PolymorphicExecutable::parameters() const {
  return state_->parameters;
}

PolymorphicExecutable::Counters PolymorphicExecutable::counters() const {
  const std::lock_guard lock(state_->mutex);
  return state_->counters;
}

Result<std::shared_ptr<const Executable>> PolymorphicExecutable::State::obtain(
    const std::function<std::string()> &key_now, const std::function<Result<Compiled>()> &compile_it,
    const std::function<void(std::list<Kept>::iterator, std::shared_ptr<const Executable>)> &keep_it) {
  std::unique_lock lock(mutex);
  std::list<Kept>::iterator entry;
  for (;;) {
    std::string key = key_now();
    const auto found = by_key.find(key);
    if (found == by_key.end()) {
      recent.push_front({key});
      entry = recent.begin();
      by_key.emplace(std::move(key), entry);
      ++counters.misses;
      break;
    }
    if (found->second->executable != nullptr) {
      recent.splice(recent.begin(), recent, found->second);
      ++counters.hits;
      return found->second->executable;
    }
    compiled.wait(lock);
  }
  lock.unlock();
  Result<Compiled> made = compile_it();
  lock.lock();
  if (!made.ok()) {
    drop(entry);
    compiled.notify_all();
    return std::move(made).error();
  }
  auto executable = std::make_shared<const Executable>(std::move(made).value().executable);
  keep_it(entry, executable);
  compiled.notify_all();
  return executable;
}

Result<std::shared_ptr<const Executable>> PolymorphicExecutable::State::exact_executable(
    std::span<const Literal> arguments, const std::set<std::size_t> &unknown) {
  std::set<std::size_t> depends_on;
  return obtain([&] { return key_of(arguments, unknown); }, [&] { return compile(arguments, unknown, depends_on); },
                [&](std::list<Kept>::iterator entry, std::shared_ptr<const Executable> executable) {
                  keep(entry, std::move(executable), depends_on, arguments, unknown);
                });
}

Result<PolymorphicExecutable::State::Padded> PolymorphicExecutable::State::make_padded(
    std::span<const Literal> arguments) {
  Padded made;
  made.arguments = shapes_of(arguments);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Shape &stated = parameters[i].shape;
    for (std::size_t d = 0; stated.is_array() && d < static_cast<std::size_t>(stated.rank()); ++d) {
      if (!arguments[i].shape().is_array() || arguments[i].shape().rank() != stated.rank()) {
        return Padded();  // the exact program says what is wrong
      }
      if (arguments[i].shape().size(d) > std::numeric_limits<std::int32_t>::max()) {
        return Padded{.problem = "a size does not fit in 32 bits"};
      }
      if (stated.size(d) == ir::unbounded) {
        made.arguments[i].set_size(d, std::max(bucket(made.arguments[i].size(d)), made.arguments[i].size(d)));
      }
    }
  }
  if (std::ranges::equal(made.arguments, shapes_of(arguments))) {
    return made;
  }
  std::set<std::size_t> depends_on, ignored;
  BP_ASSIGN(Module exact, read(shapes_of(arguments), arguments, {}, depends_on));
  made.result = exact.entry().root().shape();
  {
    const std::lock_guard lock(mutex);
    note_size_parameters(recent.end(), depends_on);
  }
  const auto refuse = [&](const Error &error) {
    made.key.clear();
    made.problem = error.to_string();
    return made;
  };
  // An argument that is a size is the exact one: in the padded program it has to follow from the shapes.
  Result<Module> padded_module = read(made.arguments, {}, {}, ignored);
  if (!padded_module.ok()) {
    return refuse(padded_module.error());
  }
  Result<BucketedProgram> program = make_bucketed(std::move(exact), *std::move(padded_module));
  if (!program.ok()) {
    return refuse(program.error());
  }
  made.sizes = program->sizes;
  made.key = package::to_hex(sha256(std::as_bytes(std::span<const char>(text::print(program->module)))));
  bool needs_host = false;
  const auto compile_it = [&]() -> Result<Compiled> {
    BP_ASSIGN(Compiled result, backend.compile(std::move(program->module), options));
    needs_host = !backend.is_interpreter() && !result.report.on_host.empty();
    return needs_host ? Result<Compiled>(unsupported("the backend leaves {} of the padded program to the host",
                                                     result.report.on_host[0].name))
                      : std::move(result);
  };
  Result<std::shared_ptr<const Executable>> executable =
      obtain([&] { return made.key; }, compile_it,
             [&](std::list<Kept>::iterator entry, std::shared_ptr<const Executable> kept) {
               keep(entry, std::move(kept), made.key);
             });
  if (!executable.ok()) {
    return needs_host ? Result<Padded>(refuse(executable.error())) : std::move(executable).error();
  }
  made.executable = *executable;
  return made;
}

Result<PolymorphicExecutable::State::Padded> PolymorphicExecutable::State::padded(std::span<const Literal> arguments) {
  constexpr std::size_t max_keys = 1024;
  {
    const std::lock_guard lock(mutex);
    const auto found = padded_by_key.find(key_of(arguments));
    if (found != padded_by_key.end()) {
      Padded known = found->second;
      if (known.key.empty()) {
        return known;
      }
      if (const auto kept = by_key.find(known.key); kept != by_key.end() && kept->second->executable != nullptr) {
        recent.splice(recent.begin(), recent, kept->second);
        ++counters.hits;
        known.executable = kept->second->executable;
        return known;
      }
    }
  }
  BP_ASSIGN(Padded made, make_padded(arguments));
  const std::lock_guard lock(mutex);
  if (padded_by_key.size() >= max_keys) {
    padded_by_key.clear();
  }
  Padded &known = padded_by_key.insert_or_assign(key_of(arguments), made).first->second;
  known.executable = nullptr;
  return made;
}

namespace {

Status check_count(std::size_t given, std::size_t expected, const std::string &file) {
  return given == expected ? Status()
                           : Status(invalid_input("{} arguments, but {} has {} parameters", given, file, expected));
}

}  // namespace

Result<std::shared_ptr<const Executable>> PolymorphicExecutable::executable_for(
    std::span<const Literal> arguments, const std::set<std::size_t> &unknown) const {
  BP_TRY(check_count(arguments.size(), state_->parameters.size(), state_->file));
  return state_->exact_executable(arguments, unknown);
}

void PolymorphicExecutable::use_buckets(std::function<std::int64_t(std::int64_t size)> bucket) {
  state_->bucket = std::move(bucket);
}

Result<std::string> PolymorphicExecutable::why_not_padded(std::span<const Literal> arguments) const {
  BP_TRY(check_count(arguments.size(), state_->parameters.size(), state_->file));
  if (!state_->bucket) {
    return std::string("there are no buckets");
  }
  BP_ASSIGN(const State::Padded padded, state_->padded(arguments));
  return padded.problem;
}

Result<Literal> PolymorphicExecutable::run(std::vector<Literal> arguments, const interpreter::Options &host) const {
  BP_TRY(check_count(arguments.size(), state_->parameters.size(), state_->file));
  State::Padded padded;
  if (state_->bucket) {
    BP_ASSIGN(padded, state_->padded(arguments));
  }
  if (padded.executable == nullptr) {
    BP_ASSIGN(const std::shared_ptr<const Executable> executable, state_->exact_executable(arguments));
    return executable->run(std::move(arguments), host);
  }
  Result<Literal> result = State::run_padded(padded, arguments, host);
  // A run that has called the application is not repeated.
  if (!result.ok() && result.error().code() == ErrorCode::OutOfMemory && !host.on_host_call) {
    BP_ASSIGN(const std::shared_ptr<const Executable> executable, state_->exact_executable(arguments));
    return executable->run(std::move(arguments), host);
  }
  return result;
}

Result<Literal> PolymorphicExecutable::State::run_padded(const Padded &padded, std::vector<Literal> arguments,
                                                         const interpreter::Options &host) {
  std::vector<Literal> sizes;
  for (const auto &[parameter, dimension] : padded.sizes) {
    sizes.push_back(
        Literal::scalar(ir::ElementType::S32, static_cast<std::int32_t>(arguments[parameter].shape().size(dimension))));
  }
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    BP_ASSIGN(arguments[i], resized(std::move(arguments[i]), padded.arguments[i]));
  }
  std::ranges::move(sizes, std::back_inserter(arguments));
  BP_ASSIGN(Literal result, padded.executable->run(std::move(arguments), host));
  if (!padded.result.is_tuple()) {
    return resized(std::move(result), padded.result);
  }
  std::vector<Literal> elements;
  for (std::size_t i = 0; i < padded.result.elements().size(); ++i) {
    BP_ASSIGN(Literal element, resized(result.take_element(i), padded.result.elements()[i]));
    elements.push_back(std::move(element));
  }
  return Literal::tuple(std::move(elements));
}

std::int64_t next_power_of_two(std::int64_t size) {
  return size <= 1 ? size : static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(size)));
}

Result<PolymorphicExecutable> Backend::compile_polymorphic(std::string text, std::string file,
                                                           const CompileOptions &options, std::size_t max_executables,
                                                           std::string format) const {
  BP_ASSIGN(std::vector<Parameter> parameters, parse_parameters(text, file, format));
  auto state = std::make_shared<PolymorphicExecutable::State>(*this, std::move(text), std::move(file), options,
                                                              max_executables, std::move(format));
  state->parameters = std::move(parameters);
  return PolymorphicExecutable(std::move(state));
}

}  // namespace bp
