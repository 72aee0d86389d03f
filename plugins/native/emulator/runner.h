// The program that every emulated program is linked with, in C: runner.c, without headers to be found.
#pragma once

namespace bp::native {

extern const char *const runner_text;

}  // namespace bp::native
