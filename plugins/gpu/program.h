// Program: a launch plan that is loaded on a machine, ready to run.
#pragma once

#include "backplane/ext/compiler.h"
#include "plugins/gpu/artifact.h"
#include "plugins/gpu/machine.h"

namespace bp::gpu {

// Makes the ABI's program, whose destroy() frees it. The machine must outlive it.
bp_status load_program(Artifact artifact, Machine &machine, const bp_program_t **program, const bp_diag_t *diag);

// Starts a run of a program made by load_program(). The host's part is done on return; the rest are commands of the
// calling thread. Threads: any, at the same time.
bp_status start_run(const bp_program_t *program, const bp_run_t &run, const bp_diag_t *diag);

}  // namespace bp::gpu
