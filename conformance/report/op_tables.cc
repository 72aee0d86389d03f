#include "conformance/report/op_tables.h"

#include <fmt/format.h>

#include <algorithm>

#include "conformance/report/markup.h"

namespace bp::conformance {
namespace {

char class_of(const OpCell &cell) {
  return cell.failed != 0 ? 'f' : cell.passed == 0 ? 'n' : cell.unsupported != 0 ? 'i' : 'p';
}

std::string table_head(const std::vector<std::string> &types) {
  std::string out = "<thead><tr><th></th>";
  for (const std::string &type : types) {
    out += fmt::format("<th><span>{}</span></th>", type == "-" ? "no type" : escape(type));
  }
  return out + "</tr></thead>";
}

std::string cell_of(const std::string &op, const std::string &type, const OpCell &cell) {
  std::string counts;
  for (const auto &[count, what] :
       {std::pair{cell.passed, "pass"}, std::pair{cell.unsupported, "unsupported"}, std::pair{cell.failed, "fail"}}) {
    if (count != 0) {
      counts += fmt::format("{}{} {}", counts.empty() ? "" : ", ", count, what);
    }
  }
  return fmt::format("<td class=\"{}\" title=\"{} {}: {}\"></td>", class_of(cell), escape(op), escape(type), counts);
}

// Whether there is a result that was compared with the expected one.
bool is_judged(const OpCell &cell) {
  return cell.passed + cell.failed != 0 && (cell.max_ulp || !cell.allowed.empty());
}

bool is_exact(const OpCell &cell) {
  return cell.failed == 0 && cell.max_ulp.value_or(0) == 0 && (cell.allowed == "exact" || cell.allowed == "bits");
}

// Returns "1.2 / 4", "0 / 0", "37 / sum".
std::string precision_cell(const OpCell &cell) {
  const bool is_wrong = cell.failed != 0;
  // Other types than floats are compared for equality: no distance is measured.
  const std::string met = cell.max_ulp || !is_wrong ? fmt::format("{:.3g}", cell.max_ulp.value_or(0)) : "wrong";
  const std::string allowed =
      cell.allowed == "exact" || cell.allowed == "bits" ? "0" : cell.allowed.substr(0, cell.allowed.find(" ulp"));
  return fmt::format("<td{}>{}{}{}</td>",
                     is_wrong         ? " class=\"off\""
                     : is_exact(cell) ? " class=\"exact\""
                                      : "",
                     met, allowed.empty() ? "" : " / ", allowed);
}

// Returns a table of these ops and of the types on which at least one of them was judged.
std::string precision_table(const OpMatrix &ops, const std::vector<std::string> &rows) {
  const auto cell_of = [&](const std::string &op, const std::string &type) {
    const auto cell = ops.cells.find({op, type});
    return cell == ops.cells.end() || !is_judged(cell->second) ? nullptr : &cell->second;
  };
  std::vector<std::string> types;
  std::ranges::copy_if(ops.types, std::back_inserter(types), [&](const std::string &type) {
    return std::ranges::any_of(rows, [&](const std::string &op) { return cell_of(op, type) != nullptr; });
  });
  std::string out = "<div class=\"scroll\"><table class=\"card matrix\">" + table_head(types) + "<tbody>";
  for (const std::string &op : rows) {
    out += fmt::format("<tr><th>{}</th>", escape(op));
    for (const std::string &type : types) {
      const OpCell *cell = cell_of(op, type);
      out += cell == nullptr ? "<td></td>" : precision_cell(*cell);
    }
    out += "</tr>\n";
  }
  return out + "</tbody></table></div>";
}

}  // namespace

std::string op_table(const OpMatrix &ops) {
  if (ops.ops.empty()) {
    return "";
  }
  std::string out =
      "<h2 id=\"operations\">Operations and element types</h2><p class=\"key\"><span><i "
      "class=\"pass\"></i>passes</span>"
      "<span><i class=\"part\"></i>in part</span><span><i class=\"none\"></i>unsupported</span>"
      "<span><i class=\"fail\"></i>fails</span></p><div class=\"scroll\"><table class=\"matrix\">" +
      table_head(ops.types) + "<tbody>";
  std::vector<std::string> families;
  for (const std::string &op : ops.ops) {
    if (std::ranges::count(families, family_of(op)) == 0) {
      families.push_back(family_of(op));
    }
  }
  for (const std::string &family : families) {
    out += fmt::format("<tr class=\"family\"><th>{}</th></tr>\n", escape(family));
    for (const std::string &op : ops.ops) {
      if (family_of(op) != family) {
        continue;
      }
      out += fmt::format("<tr class=\"cells\"><th>{}</th>", escape(op));
      for (const std::string &type : ops.types) {
        const auto cell = ops.cells.find({op, type});
        out += cell == ops.cells.end() ? "<td></td>" : cell_of(op, type, cell->second);
      }
      out += "</tr>\n";
    }
  }
  return out + "</tbody></table></div>";
}

std::string precision_tables(const OpMatrix &ops) {
  std::vector<std::string> exact, others;
  for (const std::string &op : ops.ops) {
    bool any = false, all_exact = true;
    for (const std::string &type : ops.types) {
      if (const auto cell = ops.cells.find({op, type}); cell != ops.cells.end() && is_judged(cell->second)) {
        any = true;
        all_exact = all_exact && is_exact(cell->second);
      }
    }
    if (any) {
      (all_exact ? exact : others).push_back(op);
    }
  }
  if (exact.empty() && others.empty()) {
    return "";
  }
  std::string out =
      "<h2 id=\"precision\">Precision: met / allowed</h2><p class=\"faint\">The largest distance from the "
      "interpreter's result, in units in the last place. A <em>sum</em> of n terms, which may be added in any order, "
      "may differ by n eps of the sum of their absolute values and one rounding, which is a lot if terms cancel. A "
      "<em>norm</em> may differ by a number of eps of the largest element and one rounding.</p>";
  if (!others.empty()) {
    out += precision_table(ops, others);
  }
  return exact.empty() ? out
                       : out + fmt::format(
                                   "<details class=\"list\"><summary>{} operations have to equal the "
                                   "interpreter's for every type, and do</summary>{}</details>",
                                   exact.size(), precision_table(ops, exact));
}

}  // namespace bp::conformance
