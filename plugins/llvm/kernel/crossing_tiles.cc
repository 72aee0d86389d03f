// The kernel of a crossing (crossing.h): a team does one tile of the results, of 32 by 32 elements. It reads a tile of
// each crossing operand along that operand's memory, waits, and computes along the results' memory, reading from the
// tiles.
#include <algorithm>

#include "plugins/llvm/kernel/crossing.h"
#include "plugins/llvm/kernel/kinds.h"
#include "plugins/llvm/scalar/element_type.h"

namespace bp::emit {
namespace {

using llvm::Value;

constexpr std::int64_t side = 32;
constexpr std::int64_t pitch = side + 1;  // so that the elements of a tile's column are in different banks of memory

class CrossingKernel {
 public:
  CrossingKernel(Generator &generator, KernelBuilder &builder, const KernelSite &site, const Crossing &crossing,
                 Team &team)
      : generator_(generator),
        k_(builder),
        site_(site),
        module_(site.instruction.module()),
        crossing_(crossing),
        team_(team) {
    for (std::size_t i = 0; i < site.results.size(); ++i) {
      roots_.push_back(site.instruction.op() == BP_OP_FUSION ? site.instruction.called(0).roots()[i]
                                                             : site.instruction.result(i));
    }
    shape_ = &module_.shape_of(roots_[0]);
    groups_ = generator.groups(roots_, shape_->major_to_minor());
    const auto is_across = [&](const LoopGroup &group) {
      return std::ranges::find(group.dims, crossing.dimension) != group.dims.end();
    };
    across_ = static_cast<std::size_t>(std::ranges::find_if(groups_, is_across) - groups_.begin());
  }

  KernelWork emit() {
    find_tile();
    std::int64_t bytes = 0;
    std::vector<std::int64_t> offsets;
    for (const Crossing::Operand &operand : crossing_.operands) {
      offsets.push_back(bytes);
      bytes += (side * pitch * storage_bytes(module_.shape_of(operand.value).dtype) + 63) / 64 * 64;
    }
    Value *memory = team_.memory(k_.b, bytes);
    std::vector<Value *> tiles;
    for (const std::int64_t offset : offsets) {
      tiles.push_back(k_.b.CreateConstInBoundsGEP1_64(k_.b.getInt8Ty(), memory, static_cast<std::uint64_t>(offset)));
    }
    const std::int64_t rows = team_.size() / side;
    Value *column = k_.b.CreateURem(team_.member(), integer(side)),
          *row = k_.b.CreateUDiv(team_.member(), integer(side));
    // All loads come before the first store, so that they are in flight at the same time.
    std::vector<std::vector<Value *>> loaded;
    for (std::int64_t first = 0; first < side; first += rows) {
      Value *along = clamped(k_.b.CreateAdd(row, integer(first)), groups_.size() - 1);
      loaded.push_back(read(along, clamped(column, across_)));
    }
    for (std::size_t i = 0; i < loaded.size(); ++i) {
      Value *slot = k_.b.CreateAdd(
          k_.b.CreateMul(k_.b.CreateAdd(row, integer(static_cast<std::int64_t>(i) * rows)), integer(pitch)), column);
      for (std::size_t n = 0; n < tiles.size(); ++n) {
        k_.store(tiles[n], k_.of(slot), loaded[i][n], module_.shape_of(crossing_.operands[n].value).dtype);
      }
    }
    team_.wait(k_.b);
    bind(tiles);
    for (std::int64_t first = 0; first < side; first += rows) {
      write(column, k_.b.CreateAdd(row, integer(first)));
    }
    return {.scratch_bytes = bytes, .items = items_};
  }

 private:
  llvm::ConstantInt *integer(std::int64_t value) { return k_.b.getInt64(static_cast<std::uint64_t>(value)); }

  // Finds the position at which the item's tile begins, and the indices of the other loops.
  void find_tile() {
    Value *rest = site_.begin;
    at_.resize(groups_.size());
    for (std::size_t g = groups_.size(); g-- > 0;) {
      const bool is_side = g == across_ || g + 1 == groups_.size();
      const std::int64_t count = is_side ? (groups_[g].size + side - 1) / side : groups_[g].size;
      at_[g] = k_.b.CreateURem(rest, integer(count));
      rest = k_.b.CreateUDiv(rest, integer(count));
      at_[g] = is_side ? k_.b.CreateMul(at_[g], integer(side)) : at_[g];
      items_ *= count;
    }
  }

  // Returns the loop index of a position in the tile, limited to the last index.
  Value *clamped(Value *place, std::size_t group) {
    Value *index = k_.b.CreateAdd(at_[group], place);
    return k_.b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, index, integer(groups_[group].size - 1));
  }

  Indices indices_at(Value *along, Value *across) {
    Indices indices(shape_->rank(), k_.constant(0));
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      Value *at = g + 1 == groups_.size() ? along : g == across_ ? across : at_[g];
      set_indices(k_, groups_[g], *shape_, k_.of(at), indices);
    }
    return indices;
  }

  // Reads an element of each operand.
  std::vector<Value *> read(Value *along, Value *across) {
    const Indices indices = indices_at(along, across);
    std::vector<Value *> elements;
    for (const Crossing::Operand &operand : crossing_.operands) {
      Indices own;
      for (const std::int64_t d : operand.results) {
        own.push_back(d < 0 ? k_.constant(0) : indices[static_cast<std::size_t>(d)]);
      }
      elements.push_back(generator_.element(operand.value, own));
    }
    return elements;
  }

  // From here on, the operands are read from the tiles.
  void bind(const std::vector<Value *> &tiles) {
    std::vector<std::int64_t> strides(shape_->rank(), 0);  // by dimension of the results
    const auto set_strides = [&](const LoopGroup &group, std::int64_t stride) {
      for (auto d = group.dims.rbegin(); d != group.dims.rend(); ++d) {
        strides[static_cast<std::size_t>(*d)] = stride;
        stride *= shape_->dims[static_cast<std::size_t>(*d)];
      }
    };
    set_strides(groups_.back(), pitch);
    set_strides(groups_[across_], 1);
    Value *origin = k_.b.CreateAdd(k_.b.CreateMul(at_.back(), integer(pitch)), at_[across_]);
    for (std::size_t n = 0; n < tiles.size(); ++n) {
      const Crossing::Operand &operand = crossing_.operands[n];
      std::vector<std::int64_t> own;
      for (const std::int64_t d : operand.results) {
        own.push_back(d < 0 ? 0 : strides[static_cast<std::size_t>(d)]);
      }
      Value *bytes = k_.b.CreateMul(origin, integer(storage_bytes(module_.shape_of(operand.value).dtype)));
      // Address of index 0, not of the tile's first element.
      Value *first = k_.b.CreateGEP(k_.b.getInt8Ty(), tiles[n], k_.b.CreateNeg(bytes));
      generator_.bind_row(operand.value, first, std::move(own));
    }
  }

  void write(Value *column, Value *row) {
    Value *along = k_.b.CreateAdd(at_.back(), column), *across = k_.b.CreateAdd(at_[across_], row);
    Value *exists = k_.b.CreateAnd(k_.b.CreateICmpULT(along, integer(groups_.back().size)),
                                   k_.b.CreateICmpULT(across, integer(groups_[across_].size)));
    k_.if_then(exists, [&] {
      const Indices indices = indices_at(along, across);
      std::vector<Value *> elements;
      for (const std::uint32_t root : roots_) {
        elements.push_back(generator_.element(root, indices));
      }
      for (std::size_t i = 0; i < roots_.size(); ++i) {
        const Shape &shape = module_.shape_of(roots_[i]);
        k_.store(site_.results[i], k_.linear(indices, shape.dims, shape.strides), elements[i], shape.dtype);
      }
    });
  }

  Generator &generator_;
  KernelBuilder &k_;
  const KernelSite &site_;
  const ModuleView &module_;
  const Crossing &crossing_;
  Team &team_;
  std::vector<std::uint32_t> roots_;
  const Shape *shape_;  // the shape of all results
  std::vector<LoopGroup> groups_;
  std::size_t across_;  // the group along which the operands' memory runs; that of the results runs along the last one
  std::vector<Value *> at_;  // by group: its index, or the first index of the tile
  std::int64_t items_ = 1;
};

}  // namespace

KernelWork emit_crossing(Generator &generator, KernelBuilder &builder, const KernelSite &site, const Crossing &crossing,
                         Team &team) {
  if (site.instruction.op() == BP_OP_FUSION) {
    generator.bind_parameters(site.instruction.called(0), site.instruction.operands());
    generator.bind_scalars(site.instruction.called(0));
  }
  return CrossingKernel(generator, builder, site, crossing, team).emit();
}

}  // namespace bp::emit
