// Entry: what a library offers through bp_entry. A layer (core/layers) offers the same and has another entry below it.
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
  // As the functions of bp_plugin_entry.
  virtual bp_status init(const char *path, const bp_diag_t *diag) = 0;
  virtual void deinit() = 0;
  virtual const void *get_factory(const char *id) = 0;
};

// Of a library that was loaded elsewhere.
std::unique_ptr<Entry> entry_of(const bp_plugin_entry_t &entry);

// Production keeps libraries mapped: unloading is correct (BP-ENTRY-03) but never needed. Tests unload.
enum class AfterUse { KeepMapped, Unload };

// Loads the library of this path into the process; unloads it with the entry, if asked to. Nothing of it is called.
Result<std::unique_ptr<Entry>> open_library(const std::string &path, const Manifest &manifest, AfterUse after_use);

// Another way to get the entry of a library, such as a process of its own (core/remote/isolate.h).
using Opener = std::function<Result<std::unique_ptr<Entry>>(const std::string &path, const Manifest &manifest)>;

// Puts something between the core and what is below. The result is used as the entry below was.
using Layer = std::function<std::unique_ptr<Entry>(std::unique_ptr<Entry> below)>;

}  // namespace bp::host
