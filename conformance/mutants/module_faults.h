// Faults of compilers that show in what they compile: the plugin's compile() gets a changed module.
#pragma once

#include <algorithm>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "backplane/op_ids.h"
#include "conformance/images/altered_image.h"
#include "conformance/mutants/fault.h"
#include "plugin_api/cpp/module_view.h"

namespace bp::conformance {

// compile() gets a module that was changed by alter(module, pools). The changed modules are kept.
template <class Alter>
Fault at_compiled_module(Alter alter) {
  struct Kept {
    std::mutex mutex;
    std::vector<std::unique_ptr<AlteredImage>> images;
  };
  auto kept = std::make_shared<Kept>();
  const auto altered = [kept, alter](const bp_module_t *module) {
    const std::lock_guard lock(kept->mutex);
    AlteredImage &image = *kept->images.emplace_back(std::make_unique<AlteredImage>(module));
    alter(module, image.pools);
    return image.module();
  };
  return {.compiler_compile = [altered](const auto &next, auto &, const bp_module_t *module,
                                        const bp_ostream_t *artifact,
                                        const bp_diag_t *diag) { return next(altered(module), artifact, diag); }};
}

// An instruction of a module as it was, and the same instruction in the changed module.
class Edit {
 public:
  Edit(plugin::Instruction old, host::ImagePools &pools) : old(old), pools_(pools) {}

  // Another instruction of the same module.
  Edit of(plugin::Instruction other) const { return {other, pools_}; }
  bp_instr_t &changed() const { return pools_.instructions[old.index()]; }
  bool is_embedded() const {
    return std::ranges::any_of(pools_.computations, [this](const bp_computation_t &computation) {
      return computation.kind == BP_COMPUTATION_EMBEDDED && old.index() >= computation.instrs &&
             old.index() < computation.instrs + computation.instr_count;
    });
  }
  // The instruction that computes an operand.
  plugin::Instruction operand(std::uint32_t i) const { return old.operand(i).instruction(); }

  // The number of operands, of all instructions, that are this value.
  std::size_t uses(std::uint32_t value) const {
    std::size_t count = 0;
    for (const bp_instr_t &instruction : pools_.instructions) {
      const auto first = pools_.ids.begin() + instruction.operands;
      count += static_cast<std::size_t>(std::count(first, first + instruction.operand_count, value));
    }
    return count;
  }

  // Replaces the numbers of an attribute. Instructions may share attributes, so it gets its own.
  void set_numbers(std::uint16_t key, std::vector<std::int64_t> numbers) const {
    const auto first = pools_.attributes.begin() + changed().attrs;
    std::vector<bp_attr_t> own(first, first + changed().attr_count);
    const host::Range added = pools_.add_numbers(numbers);
    for (bp_attr_t &attribute : own) {
      if (attribute.key == key) {
        attribute.data = added.begin;
        attribute.count = added.count;
      }
    }
    changed().attrs = host::size_of(pools_.attributes);
    pools_.attributes.insert(pools_.attributes.end(), own.begin(), own.end());
  }
  template <class Change>
  void change_numbers(std::uint16_t key, Change change) const {
    const auto list = old.integers(key);
    std::vector<std::int64_t> numbers(list.begin(), list.end());
    change(numbers);
    set_numbers(key, std::move(numbers));
  }
  // Gives the instruction other operands.
  void set_operands(const std::vector<std::uint32_t> &values) const {
    changed().operands = pools_.add_ids(values);
    changed().operand_count = host::size_of(values);
  }
  // The instruction only returns a value of the same shape.
  void forward(std::uint32_t value) const {
    changed().op = BP_OP_COPY;
    changed().attr_count = 0;
    set_operands({value});
  }

  const plugin::Instruction old;

 private:
  host::ImagePools &pools_;
};

// Calls change(edit) for each instruction of an op.
template <class Change>
Fault with_instructions(std::uint16_t op, Change change) {
  return at_compiled_module([op, change](const bp_module_t *module, host::ImagePools &pools) {
    for (const plugin::Instruction instruction : plugin::ModuleView(module).instructions()) {
      if (instruction.op() == op) {
        change(Edit(instruction, pools));
      }
    }
  });
}

// Calls change(edit) for each compare in the computations that instructions of an op call.
template <class Change>
Fault with_compares_called_by(std::uint16_t op, Change change) {
  return with_instructions(op, [change](const Edit &caller) {
    for (const plugin::Computation computation : caller.old.calls()) {
      for (const plugin::Instruction instruction : computation.instructions()) {
        if (instruction.op() == BP_OP_COMPARE) {
          change(caller, caller.of(instruction));
        }
      }
    }
  });
}

inline void replace_direction(const Edit &compare, std::int64_t from, std::int64_t to) {
  if (compare.old.integer(BP_ATTR_DIRECTION, -1) == from) {
    compare.set_numbers(BP_ATTR_DIRECTION, {to});
  }
}

}  // namespace bp::conformance
