// Names: which of several files a name means. A name never leads to one of several plugins without a word: either it is
// clear which one is meant, and a warning names the files, or the name is refused.
//
//   - Files with the same device are builds of one plugin. The first directory wins, as in PATH. Within one directory,
//     files that require different CPU features are variants: the one that requires most wins, without a warning.
//   - Files with different devices are different plugins: the name is ambiguous, and refused.
//   - The names of the reference backends, such as "cpu", belong to devices "dev.backplane.NAME" alone, and
//     "interpreter" to the core. Another plugin that takes one can be loaded by its other names.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/host/candidate.h"

namespace bp::host {

// Names that lead to several files, or to a file that must not have them.
struct NameConflict {
  enum class Kind {
    Shadowed,   // builds of one plugin in several files
    Ambiguous,  // different plugins
    Reserved,   // a plugin that takes the name of a reference backend
  };
  Kind kind;
  std::vector<std::string> names;
  std::vector<const Candidate *> files;  // the one that is taken first; Reserved: last the one that the name belongs to

  std::string to_string() const;
};

// The files that a name leads to.
struct Named {
  const Candidate *best = nullptr;         // the one to load
  std::vector<const Candidate *> refused;  // they answer to the name, and cannot be loaded
  std::vector<NameConflict> conflicts;     // with Ambiguous, `best` must not be loaded
};
// The result points into `candidates`, which are in the order of search.
Named find_named(std::string_view name, std::span<const Candidate> candidates);

// Returns the conflicts of all names of files that can be loaded; those between the same files are put together.
std::vector<NameConflict> name_conflicts(std::span<const Candidate> candidates);

}  // namespace bp::host
