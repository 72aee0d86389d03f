// Who is judged: a plugin file and one device of it, or the interpreter.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "conformance/suite/model_pieces.h"
#include "core/backplane.h"
#include "core/host/discovery.h"

namespace bp::conformance {

// The same on every machine.
std::uint64_t hash_of(std::string_view text, std::uint64_t seed = 0);

enum class Mode : std::uint8_t { Quick, Full };

// What the user asked for; the same in all processes of a run.
struct Choice {
  std::string name;  // of the backend, as given: a name, an id, a path, or "interpreter"
  std::string tier;  // "kernels", "memory", "compiler", "queue"; empty: the highest that the manifest lists
  Mode mode = Mode::Quick;
  std::uint64_t seed = 0;
  std::vector<std::pair<std::string, std::string>> settings;  // of the device
  std::vector<std::string> models = {};  // files, whose pieces are programs (model_pieces.h) beside those of our own
  std::string mutant = {};               // a fault to give the plugin (conformance/mutants); empty: none
};

class Subject {
 public:
  // Finds the file, also one that the loader refuses: then the X-ray says why. Runs nothing of it.
  static Result<Subject> find(Choice choice);

  const Choice &choice() const { return choice_; }
  bool is_full() const { return choice_.mode == Mode::Full; }
  bool is_interpreter() const { return candidate_.path.empty(); }
  // What the file looks like from outside; its path is empty for the interpreter.
  const host::Candidate &candidate() const { return candidate_; }
  const std::string &path() const { return candidate_.path; }
  // From the manifest; null if it cannot be read, and for the interpreter.
  const host::ManifestDevice *description() const;
  std::string device_id() const;
  std::string tier() const;
  // Whether the manifest lists the extension.
  bool has(std::string_view extension) const;

  // Those that the choice names, beside sample_models().
  const std::vector<Model> &models() const { return models_; }

  // What stands over the plugin: the mutant's layer, or nothing.
  std::vector<host::Layer> layers() const;
  // To load it once more.
  BackendOptions backend_options() const;

  // The device, loaded at the first call. Whoever asks stands in a worker process.
  Result<const Backend *> backend();

  // Gives the device up until it is asked for again. What was compiled for it may live on.
  void unload();

  // Compiled for the device alone, with nothing folded beforehand. Asked again with the same key, it is the same program:
  // cases of one group share it. Unsupported if the device does not claim all of it.
  Result<std::shared_ptr<const Compiled>> compile(const std::string &key, const Module &module);
  // Whether the device has a part in what a compiled program computes; true for the interpreter, which is the host.
  bool is_on_device(const Compiled &compiled) const {
    return is_interpreter() || compiled.executable.program() != nullptr;
  }

  // A number of this case and of --seed, and of nothing else.
  std::uint64_t seed_of(std::string_view case_id) const;

 private:
  static Result<host::Candidate> find_file(const Choice &choice);
  static Result<std::vector<Model>> read_models(const Choice &choice);
  Subject(Choice choice, host::Candidate candidate, std::vector<Model> models)
      : choice_(std::move(choice)), candidate_(std::move(candidate)), models_(std::move(models)) {}

  Choice choice_;
  host::Candidate candidate_;
  std::vector<Model> models_;
  std::optional<Result<Backend>> backend_;
  // The last one. Goes before the backend does.
  std::string compiled_key_;
  std::optional<Result<std::shared_ptr<const Compiled>>> compiled_;
};

}  // namespace bp::conformance
