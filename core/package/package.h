// Packages: compiled programs as one file, which can be shipped, and loaded to be run without compiling anything.
//
// A package holds for each program of an executable its image, its artifact and its constants, and for each executable
// its module and steps, so that it also contains everything that runs on the host. A client may add sections, such as
// the program as it was given. docs/packages.md describes the file.
//
// Everything that is read is checked before it is used: a damaged package is an error, never a crash. An artifact is
// code of a machine, though: whoever can write a package that is loaded can run code here, unless a signature is
// demanded (signing.h).
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/base/shared_bytes.h"
#include "core/base/signature.h"
#include "core/host/plugin.h"
#include "core/package/index.h"
#include "core/runtime/executable.h"

namespace bp::package {

using Devices = std::span<const std::shared_ptr<const host::Device>>;
using Sections = std::map<std::string, std::string>;

// The parts of a package. Compiled programs have kept their artifacts (compile::Options::keep_artifacts).
struct Content {
  const runtime::Executable &executable;
  Interface interface;     // of the program as written
  Sections sections = {};  // further content, by name; a client prefixes its names, as in "pjrt.options"
};

// Returns the bytes of a package. Equal content gives equal bytes. Unsupported, naming the program or instruction, if a
// program has no artifact any more, or the text of a module cannot be read again.
Result<std::string> pack(const Content &content);
// Writes a package to a file. An existing file is replaced as a whole: who has it mapped keeps the old one.
Status save(const Content &content, const std::string &path);

// Threads: const functions may be called from any thread, also concurrently.
class Package {
 public:
  // Checks the bytes, including all hashes, and reads the index. InvalidInput if anything is wrong. `file`: its name in
  // messages.
  static Result<Package> read(SharedBytes bytes, std::string file);
  // Does the same with a copy of the bytes.
  static Result<Package> read_copy(std::span<const std::byte> bytes, std::string file);
  // Maps a file, and reads it. If there is a key, its owner must have signed the file (signing.h).
  static Result<Package> open(const std::string &path, const std::optional<PublicKey> &signed_by = {});

  const std::string &file() const { return file_; }
  const Index &index() const { return index_; }
  // Returns nothing if there is no section of this name.
  std::optional<std::string_view> section(const std::string &name) const;
  // Returns the backends that it needs, as Backend::load() takes them: "cpu", "kernels,cpu", "interpreter".
  std::string backends() const;

  // Loads the programs on these devices, by their ids, without compiling. The executable keeps the bytes: a program in
  // the host's memory uses its constants where they are. Errors say what the package was made for and what is here:
  // InvalidInput if the content is not valid, or a device is missing; otherwise that of the device that refuses an
  // artifact.
  Result<runtime::Executable> load(Devices devices) const;

  // The content of a blob; InvalidInput, saying whose it is, if there is none with this hash.
  Result<SharedBytes> blob(const Sha256 &hash, std::string_view whose) const;

 private:
  Package(std::string file, Index index, std::map<Sha256, SharedBytes> blobs)
      : file_(std::move(file)), index_(std::move(index)), blobs_(std::move(blobs)) {}

  std::string file_;
  Index index_;
  std::map<Sha256, SharedBytes> blobs_;
};

// Whether a file begins like a package; false if it cannot be read.
bool is_package(const std::string &path);
// Returns the error of a package that is given where a model is expected.
Error not_a_model(const std::string &path);

}  // namespace bp::package
