// Entry: the functions that a library offers through bp_entry. A layer (core/layers) offers the same and has another
// entry below it.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "backplane/entry.h"
#include "core/base/result.h"
#include "core/host/manifest.h"

namespace bp::host {

class Entry {
 public:
  virtual ~Entry() = default;
  // These correspond to the functions of bp_plugin_entry.
  virtual bp_status init(const char *path, const bp_diag_t *diag) = 0;
  virtual void deinit() = 0;
  virtual const void *get_factory(const char *id) = 0;
};

// Returns the entry of a library that was loaded elsewhere.
std::unique_ptr<Entry> entry_of(const bp_plugin_entry_t &entry);

// By default libraries stay mapped: unloading is correct (BP-ENTRY-03) but not needed. Tests unload.
enum class AfterUse { KeepMapped, Unload };

// Loads the library at this path into the process; unloads it when the entry is destroyed, if requested. Calls none of
// its functions.
Result<std::unique_ptr<Entry>> open_library(const std::string &path, const Manifest &manifest, AfterUse after_use);

// Another way to get the entry of a library, for example in a separate process (core/remote/isolate.h).
using Opener = std::function<Result<std::unique_ptr<Entry>>(const std::string &path, const Manifest &manifest)>;

// Puts a layer between the core and the entry below. The result is used in place of the entry below.
using Layer = std::function<std::unique_ptr<Entry>(std::unique_ptr<Entry> below)>;

}  // namespace bp::host
