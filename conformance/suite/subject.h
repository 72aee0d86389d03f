// The subject of the tests: a plugin file and one device of it, or the interpreter.
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

// Returns a hash that is the same on every machine.
std::uint64_t hash_of(std::string_view text, std::uint64_t seed = 0);

enum class Mode : std::uint8_t { Quick, Full };

// The options of the user; the same in all processes of a run.
struct Choice {
  std::string name;  // backend as given by the user: a name, an id, a path, or "interpreter"
  std::string tier;  // "kernels", "memory", "compiler", "queue"; empty: the highest that the manifest lists
  Mode mode = Mode::Quick;
  std::uint64_t seed = 0;
  std::vector<std::pair<std::string, std::string>> settings;  // settings of the device
  std::vector<std::string> models = {};                       // files whose pieces are programs (model_pieces.h) too
  std::string mutant = {};  // a fault to give the plugin (conformance/mutants); empty: none
};

class Subject {
 public:
  // Finds the plugin file, even if the loader refuses it: then the X-ray says why. Runs nothing of the plugin.
  static Result<Subject> find(Choice choice);

  const Choice &choice() const { return choice_; }
  bool is_full() const { return choice_.mode == Mode::Full; }
  bool is_interpreter() const { return candidate_.path.empty(); }
  // The file as seen from outside; its path is empty for the interpreter.
  const host::Candidate &candidate() const { return candidate_; }
  const std::string &path() const { return candidate_.path; }
  // Whether there is a device to test; not if the library has front ends alone.
  bool has_device() const { return !candidate_.manifest || !candidate_.manifest->devices.empty(); }
  // Returns the device's entry in the manifest; nullptr if the manifest cannot be read or has no device, and for the
  // interpreter.
  const host::ManifestDevice *description() const;
  std::string device_id() const;
  std::string tier() const;
  // Whether the manifest lists the extension.
  bool has(std::string_view extension) const;

  // The models that the choice names; sample_models() are not included.
  const std::vector<Model> &models() const { return models_; }

  // Returns the layers above the plugin: the mutant's, or none.
  std::vector<host::Layer> layers() const;
  // Options to load the plugin again.
  BackendOptions backend_options() const;

  // Returns the device, loaded at the first call. Must be called in a worker process.
  Result<const Backend *> backend();

  bool is_loaded() const { return backend_.has_value(); }

  // Releases the device; the next call of backend() loads it again. Programs compiled for it may live on.
  void unload();

  // Compiles for the device alone, without constant folding. A call with the same key as the last one returns the same
  // program, so that the cases of a group share it. Unsupported if the device does not claim the whole module.
  Result<std::shared_ptr<const Compiled>> compile(const std::string &key, const Module &module);
  // Says what the device does not run of a module. A call with the same key as the last one returns the same unless the
  // key is empty.
  Result<compile::Report> survey(const std::string &key, const Module &module);
  // Whether this key is another one than in the last call: what needs to be looked at once for a program.
  bool is_next(const std::string &key) { return std::exchange(looked_at_key_, key) != key; }
  // Whether the device adds arrays that are stored in tiles.
  bool takes_tiles();
  // Whether the program compiled last, if that was with this key or one that begins with it, leaves the device nothing
  // but to copy bytes as they lie; false for the interpreter, which runs programs as they are.
  bool only_copies(std::string_view key) const { return only_copies_ && compiled_key_.starts_with(key); }
  // Whether the device runs any part of a compiled program; true for the interpreter, which is the host.
  bool is_on_device(const Compiled &compiled) const {
    return is_interpreter() || compiled.executable.program() != nullptr;
  }

  // Returns a number that depends only on this case and on --seed.
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
  // The program compiled last. Destroyed before the backend.
  std::string compiled_key_;
  std::optional<Result<std::shared_ptr<const Compiled>>> compiled_;
  bool only_copies_ = false;
  std::string surveyed_key_, looked_at_key_;
  std::optional<Result<compile::Report>> survey_;
  std::optional<bool> takes_tiles_;
};

}  // namespace bp::conformance
