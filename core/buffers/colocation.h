// Colocation: decides which values share a slice because the program requires it or because it saves memory.
#pragma once

#include "core/base/result.h"
#include "core/buffers/buffer_sets.h"

namespace bp::buffers {

// Binds constants, entry parameters and entry results to their allocations, and joins values that must share a slice;
// then joins every donated parameter with its output, if both can share a slice. Fails with InvalidInput where values
// that must share a slice are needed at the same time, or where a result cannot be an allocation of its own:
// insert_copies() prevents both.
Status colocate(const Dataflow &dataflow, BufferSets &sets);

// The steps of colocate(), for insert_copies(), which removes copies between them.
void bind_inputs(const Dataflow &dataflow, std::span<const Donation> donations, BufferSets &sets);
Status bind_outputs(const Dataflow &dataflow, BufferSets &sets);
Status join_must_aliases(const Dataflow &dataflow, BufferSets &sets);
Status join_donations(const Dataflow &dataflow, std::span<const Donation> donations, BufferSets &sets);

// Joins results with operands whose last use is their instruction and that it may overwrite: first where this saves a
// copy of the unchanged part (dynamic-update-slice, scatter, sort), then elsewhere, in schedule order.
void overwrite_in_place(const Dataflow &dataflow, BufferSets &sets);

// Joins temporary values with program results of the same size that are made only after the last use of these values,
// so that the output's memory is used before it is filled.
void use_outputs_early(const Dataflow &dataflow, BufferSets &sets);

// Says why two values cannot share a slice: "p0 is a parameter that is not donated", "mul.2 is made while p0 is still
// needed". Instructions with ids from `first_added` on are copies that may be removed: the message names their sources
// instead.
std::string describe(const Dataflow &dataflow, const BufferSets::Conflict &conflict,
                     std::size_t first_added = static_cast<std::size_t>(-1));

}  // namespace bp::buffers
