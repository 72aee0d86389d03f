// Entry: what a library offers through bp_entry. A layer (core/layers) offers the same and has another entry below it.
#pragma once

#include <functional>
#include <memory>

#include "backplane/entry.h"

namespace bp::host {

class Entry {
 public:
  virtual ~Entry() = default;
  // As the functions of bp_plugin_entry.
  virtual bp_status init(const char *path, const bp_diag_t *diag) = 0;
  virtual void deinit() = 0;
  virtual const void *get_factory(const char *id) = 0;
};

// Of a loaded library.
std::unique_ptr<Entry> entry_of(const bp_plugin_entry_t &entry);

// Puts something between the core and what is below. The result is used as the entry below was.
using Layer = std::function<std::unique_ptr<Entry>(std::unique_ptr<Entry> below)>;

}  // namespace bp::host
