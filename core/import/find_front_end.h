// How the front end for a file is found.
#pragma once

#include <memory>

#include "core/import/front_end.h"

namespace bp::import {

// Returns the front end that reads a file, judging by its content, and by its name where the content leaves a choice:
//   1. one of the core, if it recognizes the content and the name has one of its endings;
//   2. one of a library (core/import/library), if its manifest fits and it recognizes the content;
//   3. one of the core that recognizes the content;
//   4. one of the core whose ending a file has that is of no known format: it says what is wrong with it.
// InvalidInput if there is none: the error says what the file looks like, and by which road such a model reaches
// Backplane. Runs code of plugins only in case 2.
Result<std::shared_ptr<const FrontEnd>> find_front_end(std::string_view bytes, const std::string &file);

// Returns the front end of this name, of the core or of a library, whatever the content of the file it is to read.
// InvalidInput if there is none: the error lists the names. Errors of libraries name their file.
Result<std::shared_ptr<const FrontEnd>> find_front_end_by_name(std::string_view name);

}  // namespace bp::import
