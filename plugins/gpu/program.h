// Program: a launch plan on a machine, ready to run.
#pragma once

#include "backplane/ext/compiler.h"
#include "plugins/gpu/launch_plan.h"
#include "plugins/gpu/machine.h"

namespace bp::gpu {

// The ABI's program, whose destroy() frees it; the machine outlives it.
bp_status load_program(Artifact artifact, Machine &machine, const bp_program_t **program, const bp_diag_t *diag);

// What is to be done on the host is done on return; the rest are commands of the calling thread. The program is one of
// load_program(). Threads: any, at the same time.
bp_status start_run(const bp_program_t *program, const bp_run_t &run, const bp_diag_t *diag);

}  // namespace bp::gpu
