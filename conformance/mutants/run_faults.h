// Faults that show in what a program computes, added to the plugin `cpu`: its runs get changed inputs, or their results
// are changed. They concern instructions of the entry computation whose operands are parameters or constants and whose
// results are outputs: these are still in memory when the run is over.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "backplane/ext/draft/fusion.h"
#include "backplane/op_ids.h"
#include "conformance/mutants/fault.h"
#include "core/layers/loaded_modules.h"
#include "plugin_api/cpp/module_view.h"

namespace bp::conformance {

// The modules of the programs that exist: remembered from compile() to load().
class KnownPrograms : public layers::LoadedModules {
 public:
  using Module = std::shared_ptr<const layers::ModuleCopy>;

  // Makes a fault observe the programs.
  static std::shared_ptr<KnownPrograms> observed_by(Fault &fault) {
    auto known = std::make_shared<KnownPrograms>();
    fault.compiler_compile = [known](const auto &next, auto &, const bp_module_t *module, const bp_ostream_t *artifact,
                                     const bp_diag_t *diag) {
      layers::Tee tee(artifact);
      const bp_status status = next(module, tee.abi(), diag);
      known->compiled(tee.bytes(), module);
      return status;
    };
    fault.compiler_load = [known](const auto &next, auto &, const void *artifact, std::uint64_t size, const bp_loc_t *,
                                  std::uint8_t *, std::uint32_t, const bp_program_t **program, const bp_diag_t *) {
      const bp_status status = next();
      if (status == BP_OK) {
        known->loaded(*program, artifact, size);
      }
      return status;
    };
    fault.program_destroy = [known](const auto &next, layers::LayeredProgram &program) {
      known->destroyed(&program.abi);
      next();
    };
    return known;
  }
};

// An instruction of a run, with the addresses of its operands and results.
class Step {
 public:
  Step(plugin::ModuleView module, plugin::Instruction instruction, const bp_run_t *run)
      : instruction(instruction), module_(module), run_(run) {}

  template <class T = char>
  const T *in(std::uint32_t i) const {
    return reinterpret_cast<const T *>(address(instruction.operand(i)));
  }
  template <class T = char>
  T *out(std::uint32_t i = 0) const {
    return reinterpret_cast<T *>(address(instruction.result(i)));
  }
  plugin::Shape operand(std::uint32_t i) const { return instruction.operand(i).shape(); }
  plugin::Shape result(std::uint32_t i = 0) const { return instruction.result(i).shape(); }
  std::int64_t count() const { return result().element_count(); }
  // Whether this converts from one element type to another.
  bool converts(std::uint16_t from, std::uint16_t to) const {
    return operand(0).dtype() == from && result().dtype() == to;
  }
  // Whether all operands and results are stored row by row.
  bool is_row_major() const {
    for (const plugin::Value value : instruction.operands()) {
      if (!value.shape().is_row_major()) {
        return false;
      }
    }
    return result().is_row_major();
  }

  // Whether all operands and results are in memory after the run.
  bool is_visible() const {
    for (const plugin::Value value : instruction.results()) {
      if (kind(value) != BP_ALLOC_OUTPUT) {
        return false;
      }
    }
    for (const plugin::Value value : instruction.operands()) {
      if ((kind(value) != BP_ALLOC_INPUT && kind(value) != BP_ALLOC_CONSTANT) || is_donated(value.allocation()) ||
          run_->allocations[value.allocation()].offset == 0) {
        return false;
      }
    }
    return true;
  }
  bool is_input(std::uint32_t i) const {
    return kind(instruction.operand(i)) == BP_ALLOC_INPUT && !is_donated(instruction.operand(i).allocation());
  }

  const plugin::Instruction instruction;

 private:
  int kind(plugin::Value value) const { return value.has_slice() ? module_.allocations()[value.allocation()].kind : 0; }
  bool is_donated(std::uint32_t allocation) const {
    for (const bp_allocation_t &other : module_.allocations()) {
      if (other.kind == BP_ALLOC_OUTPUT && other.alias == allocation) {
        return true;
      }
    }
    return false;
  }
  char *address(plugin::Value value) const {
    return reinterpret_cast<char *>(run_->allocations[value.allocation()].offset + value.offset());
  }

  plugin::ModuleView module_;
  const bp_run_t *run_;
};

// Calls body(step) after each run, for each instruction of an op; op 0 stands for all.
template <class Body>
Fault after_step(std::uint16_t op, Body body) {
  Fault fault;
  const auto known = KnownPrograms::observed_by(fault);
  fault.program_run = [known, op, body](const auto &next, layers::LayeredProgram &program, const bp_run_t *run,
                                        const bp_diag_t *) {
    const bp_status status = next();
    const KnownPrograms::Module module = known->find(&program.abi);
    if (status == BP_OK && module != nullptr) {
      for (const plugin::Instruction instruction : module->view().entry().instructions()) {
        const Step step(module->view(), instruction, run);
        if ((op == 0 || instruction.op() == op) && instruction.result_count() > 0 && step.is_visible()) {
          body(step);
        }
      }
    }
    return status;
  };
  return fault;
}

// Has the core leave long reductions whole, so that a step sees all their elements.
inline Fault with_whole_reductions(Fault fault) {
  fault.device_get_extension = [](const auto &next, auto &, std::string_view id) -> const void * {
    return id == BP_EXT_FUSION ? nullptr : next();
  };
  return fault;
}

// Gives runs copies of their inputs.
class ChangedInputs {
 public:
  ChangedInputs(plugin::ModuleView module, const bp_run_t *run)
      : module_(module), locations_(run->allocations, run->allocations + run->allocation_count), run_(*run) {}

  // Returns the copy of an operand that is an input.
  template <class T = char>
  T *operand(plugin::Instruction instruction, std::uint32_t i) {
    const plugin::Value value = instruction.operand(i);
    const std::uint64_t size = module_.allocations()[value.allocation()].size;
    std::vector<Line> &copy = copies_[value.allocation()];
    if (copy.empty()) {
      copy.resize(size / sizeof(Line) + 1);
      std::memcpy(copy.data(), reinterpret_cast<const void *>(locations_[value.allocation()].offset), size);
      locations_[value.allocation()].offset = reinterpret_cast<std::uint64_t>(copy.data());
    }
    return reinterpret_cast<T *>(reinterpret_cast<std::byte *>(copy.data()) + value.offset());
  }
  const bp_run_t *run() {
    run_.allocations = locations_.data();
    return &run_;
  }

 private:
  struct alignas(64) Line {
    std::array<std::byte, 64> bytes;
  };
  plugin::ModuleView module_;
  std::vector<bp_loc_t> locations_;
  std::map<std::uint32_t, std::vector<Line>> copies_;
  bp_run_t run_;
};

// Calls body(step, inputs) before each run, for each instruction of an op.
template <class Body>
Fault before_step(std::uint16_t op, Body body) {
  Fault fault;
  const auto known = KnownPrograms::observed_by(fault);
  fault.program_run = [known, op, body](const auto &next, layers::LayeredProgram &program, const bp_run_t *run,
                                        const bp_diag_t *diag) {
    const KnownPrograms::Module module = known->find(&program.abi);
    if (module == nullptr) {
      return next();
    }
    ChangedInputs inputs(module->view(), run);
    for (const plugin::Instruction instruction : module->view().entry().instructions()) {
      if (instruction.op() == op) {
        body(Step(module->view(), instruction, run), inputs);
      }
    }
    return next(inputs.run(), diag);
  };
  return fault;
}

// Calls body with a value of the C++ type of an element type, unless there is none.
template <class Body>
void with_integer(std::uint16_t dtype, Body body) {
  switch (dtype) {
    case BP_DTYPE_S8: return body(std::int8_t{});
    case BP_DTYPE_S16: return body(std::int16_t{});
    case BP_DTYPE_S32: return body(std::int32_t{});
    case BP_DTYPE_S64: return body(std::int64_t{});
    case BP_DTYPE_U8: return body(std::uint8_t{});
    case BP_DTYPE_U16: return body(std::uint16_t{});
    case BP_DTYPE_U32: return body(std::uint32_t{});
    case BP_DTYPE_U64: return body(std::uint64_t{});
    default: return;
  }
}
template <class Body>
void with_float(std::uint16_t dtype, Body body) {
  if (dtype == BP_DTYPE_F32) {
    body(float{});
  } else if (dtype == BP_DTYPE_F64) {
    body(double{});
  }
}

// Replaces each element of an elementwise op on integers or floats by change(result, operand 0, last operand).
template <class Change>
Fault each_integer(std::uint16_t op, Change change) {
  return after_step(op, [change](const Step &step) {
    with_integer(step.result().dtype(), [&](auto type) {
      using T = decltype(type);
      const T *a = step.in<T>(0), *b = step.in<T>(step.instruction.operand_count() - 1);
      for (std::int64_t i = 0; i < step.count(); ++i) {
        step.out<T>()[i] = static_cast<T>(change(step.out<T>()[i], a[i], b[i]));
      }
    });
  });
}
template <class Change>
Fault each_float(std::uint16_t op, Change change) {
  return after_step(op, [change](const Step &step) {
    with_float(step.result().dtype(), [&](auto type) {
      using T = decltype(type);
      const T *a = step.in<T>(0), *b = step.in<T>(step.instruction.operand_count() - 1);
      for (std::int64_t i = 0; i < step.count(); ++i) {
        step.out<T>()[i] = static_cast<T>(change(step.out<T>()[i], a[i], b[i]));
      }
    });
  });
}
// Replaces each element of a convert from the type of From to that of To by change(result, operand).
template <class From, class To, class Change>
Fault each_conversion(std::uint16_t from, std::uint16_t to, Change change) {
  return after_step(BP_OP_CONVERT, [=](const Step &step) {
    for (std::int64_t i = 0; step.converts(from, to) && i < step.count(); ++i) {
      step.out<To>()[i] = change(step.out<To>()[i], step.in<From>(0)[i]);
    }
  });
}

}  // namespace bp::conformance
