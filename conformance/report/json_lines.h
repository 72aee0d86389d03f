// A report as JSON lines, in which runs are stored.
//
// The first line is the header, followed by a record for each case, in the order they ended, and then the totals, which
// include the SHA-256 of all lines before. A run that was cut short has no totals. The last line may be a signature
// (signature_line.h).
#pragma once

#include <string>
#include <string_view>

#include "conformance/report/record.h"
#include "core/base/result.h"

namespace bp::conformance {

// Each returns one line, without the newline.
std::string to_json(const Header &header);
std::string to_json(const Record &record);
std::string to_json(const Totals &totals);
// Returns all lines of the report but the signature, which is one of other bytes. If the report has totals, their hash
// is computed anew.
std::string to_json_lines(const Report &report);
Result<Record> record_from_json(std::string_view line);
// Checks the hash in the totals, and the signature if there is one. Error messages name the line.
Result<Report> report_from_json(std::string_view lines);

std::string sha256_hex(std::string_view bytes);

}  // namespace bp::conformance
