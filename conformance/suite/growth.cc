#include "conformance/suite/growth.h"

namespace bp::conformance {

Status judge_growth(const std::function<Result<std::string>()> &round) {
  constexpr int rounds = 7, most = rounds / 2 + 1;
  int clean = 0;
  std::string left;
  for (int growing = 0; clean < most;) {
    BP_ASSIGN(std::string found, round());
    if (found.empty()) {
      ++clean;
      continue;
    }
    left = std::move(found);
    if (++growing == most) {
      return make_error(ErrorCode::PluginFailure, "{}; {} of {} rounds grow", left, growing, growing + clean);
    }
  }
  return {};
}

}  // namespace bp::conformance
