// A driver for tests, in place of libcuda.so.1: it has no GPU and runs no kernel, but keeps "device memory" on the
// host, checks whatever it is given, and fails where it is told to. Tests find these functions with dlsym().
#pragma once

// Forgets everything, and takes settings, words such as "version=12040 fail=cuMemAlloc_v2:2:700":
//   version=13000              the CUDA version that it speaks
//   devices=1                  how many GPUs it has
//   capability=90              their compute capability, times ten
//   memory=1073741824          bytes that each has
//   pools=1                    whether they have pools of memory; 0: no
//   fail=FUNCTION:CALL:RESULT  that call of that function, counted from 1, fails with a CUresult
// Call it while no device of the plugin is alive.
extern "C" void test_driver_begin(const char *settings);

// Returns all problems since then, in lines: misuse, and objects that were not released. Valid until the next call.
extern "C" const char *test_driver_end();

// How often each function was called, in lines such as "cuInit 1". Valid until the next call.
extern "C" const char *test_driver_calls();
