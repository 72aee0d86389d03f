// A scalar on which sizes depend is deduced by trying. It usually is the size of a dimension that is left open, and a
// wrong value contradicts the shapes somewhere, which the lowering and the verifier find. The value counts as deduced
// if no other size agrees, and neither do its neighbours: otherwise the shapes do not determine it. So no rules about
// the sizes of each operation are needed here, and what is accepted has been verified.
#include "core/import/stablehlo/specialization.h"

#include "core/import/stablehlo/lowering.h"

namespace bp::import::stablehlo {
namespace {

constexpr int max_attempts = 100;  // a program is lowered no more often than that

class Specialization {
 public:
  Specialization(const Program &program, const Options &options) : program_(program), options_(options) {}

  Result<ir::Module> run();

 private:
  struct Attempt {
    Result<ir::Module> module;
    std::optional<std::size_t> missing;  // the parameter that must be known
    std::optional<Integers> given;       // its elements, if the caller gave them
    bool may_be_deduced = false;
    std::set<std::int64_t> sizes;  // that the caller gave where they are left open
  };
  // Lowers the program with these elements, and those that the caller gave as far as they are missing.
  Attempt attempt(ParameterElements &elements);
  // Tries all sizes for the missing parameters, until two solutions are found.
  void search(const ParameterElements &elements, const Attempt &last);
  // Whether a neighbour of a value that was deduced agrees as well.
  bool has_neighbour(const ParameterElements &solution);
  void keep_latest(const Error &problem);

  const Program &program_;
  const Options &options_;
  int attempts_ = 0;
  std::set<std::size_t> deduced_;  // parameters that were tried
  std::vector<std::pair<ParameterElements, ir::Module>> solutions_;
  std::optional<Error> contradiction_;  // of the values that agreed longest
};

Specialization::Attempt Specialization::attempt(ParameterElements &elements) {
  for (;;) {
    ++attempts_;
    Lowering lowering(program_, options_, elements);
    Attempt result{lowering.run(), lowering.missing_parameter(), {}, false, {}};
    if (!result.missing) {
      return result;
    }
    const Integers *given = lowering.given_elements(*result.missing);
    if (given == nullptr) {
      result.may_be_deduced = lowering.is_scalar(*result.missing);
      result.sizes = lowering.given_sizes();
      return result;
    }
    elements[*result.missing] = *given;
  }
}

void Specialization::keep_latest(const Error &problem) {
  const auto place = [](const Error &error) { return std::pair(error.location().line, error.location().column); };
  if (!contradiction_ || place(problem) > place(*contradiction_)) {
    contradiction_ = problem;
  }
}

void Specialization::search(const ParameterElements &elements, const Attempt &last) {
  deduced_.insert(*last.missing);
  for (const std::int64_t size : last.sizes) {
    if (attempts_ >= max_attempts || solutions_.size() > 1) {
      return;
    }
    ParameterElements tried = elements;
    tried[*last.missing] = {size};
    Attempt next = attempt(tried);
    if (next.module.ok()) {
      solutions_.emplace_back(std::move(tried), std::move(next.module).value());
    } else if (next.may_be_deduced) {
      search(tried, next);
    } else {
      keep_latest(next.module.error());
    }
  }
}

bool Specialization::has_neighbour(const ParameterElements &solution) {
  for (const std::size_t parameter : deduced_) {
    const auto found = solution.find(parameter);
    for (const std::int64_t step : {-1, 1}) {
      if (found == solution.end() || found->second[0] + step < 0) {
        continue;
      }
      ParameterElements other = solution;
      other[parameter] = {found->second[0] + step};
      if (const Attempt next = attempt(other); next.module.ok() || next.missing) {
        return true;
      }
    }
  }
  return false;
}

Result<ir::Module> Specialization::run() {
  ParameterElements elements;
  Attempt first = attempt(elements);
  if (first.module.ok() || !first.may_be_deduced || first.sizes.empty()) {
    if (first.module.ok() && options_.reading.size_parameters != nullptr) {
      *options_.reading.size_parameters = std::move(elements);
    }
    return std::move(first.module);
  }
  search(elements, first);
  if (solutions_.empty() && contradiction_ && attempts_ < max_attempts) {
    return *std::move(contradiction_);
  }
  if (attempts_ >= max_attempts) {
    return std::move(first.module).error().note(fmt::format("{} combinations of sizes were tried", max_attempts));
  }
  if (solutions_.size() != 1 || has_neighbour(solutions_[0].first)) {
    return std::move(first.module)
        .error()
        .note("it does not follow from the shapes that are given: several values agree with them");
  }
  if (options_.reading.size_parameters != nullptr) {
    *options_.reading.size_parameters = std::move(solutions_[0].first);
  }
  return std::move(solutions_[0].second);
}

}  // namespace

Result<ir::Module> specialize(const Program &program, const Options &options) {
  return Specialization(program, options).run();
}

Result<std::vector<Parameter>> parameters(const Program &program, const Options &options) {
  return Lowering(program, options, {}).list_parameters();
}

}  // namespace bp::import::stablehlo
