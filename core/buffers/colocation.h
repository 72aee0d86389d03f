// Colocation: which values share a slice because the program says so, or because it saves memory.
#pragma once

#include "core/base/result.h"
#include "core/buffers/buffer_sets.h"

namespace bp::buffers {

// Binds constants, entry parameters and entry results to their places and joins what must share a slice; then every
// donated parameter with its output, if both can lie in one place. Fails with InvalidInput where values that must share
// are needed at the same time, or a result cannot be an allocation of its own: insert_copies() prevents both.
Status colocate(const Dataflow &dataflow, BufferSets &sets);

// The same in three steps, for insert_copies(), which removes copies between them.
void bind_inputs(const Dataflow &dataflow, std::span<const Donation> donations, BufferSets &sets);
Status bind_outputs(const Dataflow &dataflow, BufferSets &sets);
Status join_must_aliases(const Dataflow &dataflow, BufferSets &sets);
Status join_donations(const Dataflow &dataflow, std::span<const Donation> donations, BufferSets &sets);

// Joins results with operands that die at their instruction and that it may overwrite: first where this saves a copy of
// the untouched rest (dynamic-update-slice, scatter, sort), then elsewhere, in order of the schedule.
void overwrite_in_place(const Dataflow &dataflow, BufferSets &sets);

// Joins temporary values with results of the program of the same size that are not yet there while they are needed, so
// that the caller's memory serves before it is filled.
void use_outputs_early(const Dataflow &dataflow, BufferSets &sets);

// Says why two values cannot share: "p0 is a parameter that is not donated", "mul.2 is made while p0 is still needed".
// Instructions numbered from `first_added` on are copies that may go: what they copy is named instead.
std::string describe(const Dataflow &dataflow, const BufferSets::Conflict &conflict,
                     std::size_t first_added = static_cast<std::size_t>(-1));

}  // namespace bp::buffers
