// Front ends in libraries, which are found where backends are: backplane/ext/draft/front_end.h.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/host/candidate.h"
#include "core/host/plugin.h"
#include "core/import/front_end.h"

namespace bp::import::library {

// A front end as its manifest describes it; none of its code has run.
struct LibraryFormat {
  host::Candidate candidate;        // the file
  host::ManifestFrontEnd manifest;  // its entry for the format
  // Why no file is offered to it: the library cannot be loaded, or the name is taken. Empty otherwise.
  std::string refusal;

  // Whether a file has one of its endings or begins with its first bytes.
  bool fits(std::string_view bytes, std::string_view file) const;
};

// Returns bytes for people: "\x7fACME 1".
std::string printed(std::string_view bytes);

// Returns the front ends of all libraries in host::plugin_directories(), in the order of search. Of several with one
// name, the first is taken.
std::vector<LibraryFormat> formats();

// Loads the library of a format. The result keeps it loaded. Errors name the file.
Result<std::shared_ptr<const FrontEnd>> load(const LibraryFormat &format);
// The same for the front end at `index` of a library that is loaded.
std::shared_ptr<const FrontEnd> front_end_of(std::shared_ptr<const host::Plugin> plugin, std::size_t index);

// Returns the first front end of formats() that a file fits and that recognizes it; nullptr if there is none. Fails if
// a library that the file fits cannot be loaded.
Result<std::shared_ptr<const FrontEnd>> find_front_end(std::string_view bytes, const std::string &file);
// Returns why front ends that the file fits are not asked.
std::vector<std::string> refusals_for(std::string_view bytes, std::string_view file);

}  // namespace bp::import::library
