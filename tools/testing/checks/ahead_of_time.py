#!/usr/bin/env python3
"""Programs that are compiled ahead of time: they compute what `run` computes, to the last bit, as C99 and as C++17; need
nothing but memcpy and its like; are small; and say what is wrong with their arguments. With --full, the whole corpus
of StableHLO."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent.parent
BUILD = pathlib.Path(os.environ.get("BACKPLANE_TEST_BUILD", ROOT / "build")).resolve()
SHARED = pathlib.Path(os.environ.get("BACKPLANE_SHARED", ROOT.parent / "shared"))
FULL = bool(os.environ.get("BACKPLANE_TEST_FULL"))
CPU = BUILD / "plugins/cpu/libbackplane_cpu.so"
MODELS = ROOT / "samples/models"
DIGITS = MODELS / "digits.hlo"
SAMPLE = ROOT / "samples/06_program_without_backplane"
OF_A_C_LIBRARY = {"memcpy", "memmove", "memset", "memcmp"}
WARNINGS = ["-O2", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]
# Bytes that a program adds to an empty main, its kernels, its weights and its arena.
MAX_OVERHEAD = 8 * 1024
MAX_DIGITS = 40 * 1024
CORPUS_SAMPLE = 40

# A donated argument, results that are an argument and a constant, an empty array, and a name that is a word of C.
MIXED = """HloModule mixed, input_output_alias={ {1}: (1, {}, may-alias) }
ENTRY main {
  double = f32[4,16] parameter(0)
  state = f32[16,10] parameter(1)
  none = f32[0,3] parameter(2)
  two = f32[] constant(2)
  twos = f32[16,10] broadcast(two), dimensions={}
  next = f32[16,10] multiply(state, twos)
  product = f32[4,10] dot(double, state), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  numbers = f32[3] constant({1, 2, 3})
  ROOT all = (f32[4,10], f32[16,10], f32[4,16], f32[3], f32[0,3], f32[4,10]) tuple(product, next, double, numbers, none, product)
}
"""

ERRORS = """#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "digits.h"
static float image[28 * 28 + 16] __attribute__((aligned(64)));
static float probabilities[16] __attribute__((aligned(64)));
static unsigned char arena[DIGITS_ARENA_BYTES(3)] __attribute__((aligned(64)));
static unsigned char weights[DIGITS_WEIGHTS_BYTES] __attribute__((aligned(64)));
int main(int count, char **paths) {
  digits_arguments arguments = {image}, none = {NULL}, odd = {image + 1};
  digits_results results = {probabilities};
  FILE *file = fopen(paths[count - 1], "rb");
  if (file == NULL || fread(weights, 1, sizeof weights, file) != sizeof weights) return 1;
  #define TRY(...) puts(backplane_aot_message(digits_run(__VA_ARGS__)))
  TRY(&arguments, &results, weights, sizeof weights, arena, DIGITS_ARENA_BYTES(1), NULL);
  TRY(&none, &results, weights, sizeof weights, arena, sizeof arena, NULL);
  TRY(&arguments, NULL, weights, sizeof weights, arena, sizeof arena, NULL);
  TRY(&odd, &results, weights, sizeof weights, arena, sizeof arena, NULL);
  TRY(&arguments, &results, weights, sizeof weights, arena + 1, sizeof arena - 1, NULL);
  TRY(&arguments, &results, weights, sizeof weights, arena, DIGITS_ARENA_BYTES(1) - 1, NULL);
  TRY(&arguments, &results, weights, sizeof weights - 1, arena, sizeof arena, NULL);
  TRY(&arguments, &results, NULL, 0, arena, sizeof arena, NULL);
  weights[17] ^= 1;
  TRY(&arguments, &results, weights, sizeof weights, arena, sizeof arena, NULL);
  puts(backplane_aot_message(99));
  puts(digits_check() == BACKPLANE_AOT_OK ? "this machine" : "another machine");
  return 0;
}
"""
NO_ADDRESS = "an argument, a result, the arena or the weights have no address"
MISALIGNED = "an address is not a multiple of 64"
WRONG_WEIGHTS = "the weights are not those that the program was compiled with"
PRINTED = ["ok", NO_ADDRESS, NO_ADDRESS, MISALIGNED, MISALIGNED,
           "the arena has fewer bytes than the program and its threads need", WRONG_WEIGHTS, NO_ADDRESS, WRONG_WEIGHTS,
           "unknown status", "this machine"]


# Calls in a loop and after it; targets that are written alike in C; infeed and outfeed.
CALLS = r"""HloModule calls
body {
  p = (s32[], f32[2,3]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  v = f32[2,3] get-tuple-element(p), index=1
  one = s32[] constant(1)
  j = s32[] add(i, one)
  w = f32[2,3] add(v, v)
  c = (f32[2,3], s8[5]) custom-call(w, i), custom_call_target="acme.next", custom_call_has_side_effect=true, backend_config="{\"how\": \"??/so\"}"
  x = f32[2,3] get-tuple-element(c), index=0
  ROOT r = (s32[], f32[2,3]) tuple(j, x)
}
condition {
  p = (s32[], f32[2,3]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  n = s32[] constant(3)
  ROOT less = pred[] compare(i, n), direction=LT
}
ENTRY main {
  x = f32[2,3] parameter(0)
  zero = s32[] constant(0)
  t = (s32[], f32[2,3]) tuple(zero, x)
  l = (s32[], f32[2,3]) while(t), condition=condition, body=body
  v = f32[2,3] get-tuple-element(l), index=1
  token = token[] after-all()
  fed = (f32[2,3], token[]) infeed(token), infeed_config="in"
  g = f32[2,3] get-tuple-element(fed), index=0
  after = token[] get-tuple-element(fed), index=1
  sum = f32[2,3] add(v, g)
  out = token[] outfeed(sum, after), outfeed_shape=f32[2,3]{1,0}, outfeed_config="out"
  ROOT last = f32[2,3] custom-call(sum), custom_call_target="acme-next", custom_call_has_side_effect=true
}
"""

CALLING = r"""#include <stdio.h>
#include <string.h>
#include "calls.h"
typedef struct journal { int calls, fails_at; } journal;
static const float *floats(const backplane_aot_array *array) { return (const float *)array->data; }
int backplane_call_acme_next(void *context, const backplane_aot_call *call) {
  journal *kept = (journal *)context;
  int i, n = kept->calls++;
  float *out = (float *)call->outputs[0].data;
  printf("%s %s %u -> %u, %s[%d,%d] %d bytes: %g\n", call->target, call->config, call->input_count, call->output_count,
         call->inputs[0].type, (int)call->inputs[0].sizes[0], (int)call->inputs[0].sizes[1], (int)call->inputs[0].bytes,
         (double)floats(&call->inputs[0])[5]);
  if (n == kept->fails_at) return 7;
  for (i = 0; i < 6; ++i) out[i] = floats(&call->inputs[0])[i] + (float)n;
  if (call->output_count == 2) memset(call->outputs[1].data, 1, call->outputs[1].bytes);
  return 0;
}
int backplane_infeed(void *context, const backplane_aot_call *call) {
  int i;
  (void)context;
  printf("infeed %s %d %u\n", call->config, call->target == NULL, call->input_count);
  for (i = 0; i < 6; ++i) ((float *)call->outputs[0].data)[i] = 100;
  return 0;
}
int backplane_outfeed(void *context, const backplane_aot_call *call) {
  (void)context;
  printf("outfeed %s %u: %g\n", call->config, call->output_count, (double)floats(&call->inputs[0])[5]);
  return 0;
}
static float x[16] __attribute__((aligned(64))) = {1, 2, 3, 4, 5, 6};
static float result[16] __attribute__((aligned(64)));
static unsigned char arena[CALLS_ARENA_BYTES(1)] __attribute__((aligned(64)));
int main(void) {
  calls_arguments arguments = {x};
  calls_results results = {result};
  int fails_at;
  for (fails_at = 4; fails_at >= 0; --fails_at) {
    journal kept = {0, 0};
    kept.fails_at = fails_at;
    puts(backplane_aot_message(calls_run(&arguments, &results, arena, sizeof arena, NULL, &kept)));
    if (fails_at == 4) printf("%g\n", (double)result[5]);
  }
  return 0;
}
"""
CALL_FAILED = "a function of the application, which the program calls, failed"


def printed_calls():
    """What CALLING prints: the sixth element is doubled before each call of the loop."""
    lines = []
    for fails_at in (4, 3, 2, 1, 0):
        value, status = 6, "ok"
        for call in range(4):
            value = value if call == 3 else 2 * value
            if call == 3:
                value += 100
                lines += ["infeed in 1 0", f"outfeed out 0: {value}"]
            lines.append(f'acme.next {{"how": "??/so"}} 2 -> 2, f32[2,3] 24 bytes: {value}' if call < 3 else
                         f"acme-next  1 -> 1, f32[2,3] 24 bytes: {value}")
            if call == fails_at:
                status = CALL_FAILED
                break
            value += call
        lines += [status, f"{value}"] if status == "ok" else [status]
    return lines


class Failed(Exception):
    pass


def check(condition, message):
    if not condition:
        raise Failed(message)


def run(command, folder, expected=0, **environment):
    done = subprocess.run([str(part) for part in command], cwd=folder, capture_output=True, text=True,
                          env={**os.environ, **environment})
    check(done.returncode == expected,
          f"{' '.join(map(str, command))}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def aot(folder, model, *options, output="digits.o", header="digits.h", **environment):
    return run([BUILD / "tools/backplane", "aot", model, "--on", CPU, "-o", output, "--header", header, *options], folder,
               **environment)


def undefined(folder, file):
    return set(re.findall(r"U (\S+)", run(["nm", "-u", file], folder)))


def compilers():
    """Pairs of a compiler for C99 and one for C++17."""
    return [pair for pair in (("gcc", "g++"), ("clang", "clang++")) if all(map(shutil.which, pair))]


def equal_bits(folder):
    (folder / "mixed.hlo").write_text(MIXED)
    models = [folder / "mixed.hlo", *sorted(MODELS.glob("*.hlo"))]
    corpus = SHARED / "corpus/stablehlo/testdata"
    programs = sorted(corpus.glob("*.mlir"))
    models += programs if FULL else programs[::max(1, len(programs) // CORPUS_SAMPLE)]
    if FULL:
        models += sorted((SHARED / "corpus/bench/nets").glob("*.hlo"))
    printed = run([BUILD / "tools/check_aot", CPU, *models], folder)
    check(f"{len(models)} programs equal, 0 wrong, 0 refused" in printed, printed)
    if os.uname().machine == "x86_64":  # which lacks instructions for functions that programs call
        printed = run([BUILD / "tools/check_aot", "--features", "x86-64", CPU, *models[::1 if FULL else 3]], folder)
        check(", 0 wrong, 0 refused" in printed, printed)


def every_compiler(folder):
    """The nets, linked by each compiler as C99 and as C++17; also with their weights in a file."""
    nets = [MODELS / f"{name}.hlo" for name in ("digits", "convolutional_classifier", "transformer_block")]
    resnet = SHARED / "corpus/bench/nets/resnet50.hlo"
    if not resnet.exists():
        print(f"not checked: ResNet-50, because there is no {resnet}")
    for c, cpp in compilers():
        for compiler in (f"{c} -std=c99", f"{cpp} -std=c++17"):
            printed = run([BUILD / "tools/check_aot", "--compiler", compiler, CPU, *nets], folder)
            check(f"{len(nets)} programs equal, 0 wrong, 0 refused" in printed, printed)
            if resnet.exists():
                printed = run([BUILD / "tools/check_aot", "--weights", "--compiler", compiler, CPU, resnet], folder)
                check("1 programs equal, 0 wrong, 0 refused" in printed, printed)


def warnings(folder):
    """The header compiles in both languages, with the warnings that careful people use."""
    aot(folder, folder / "mixed.hlo", "--weights", "weights", output="mixed.o", header="mixed.h")
    aot(folder, folder / "mixed.hlo", "--static-arena", "--threads", "4", output="double.o", header="double.h")
    for header in ("mixed.h", "double.h"):
        for c, cpp in compilers():
            for compiler, standard, language in ((c, "c99", "c"), (c, "c11", "c"), (cpp, "c++17", "c++"), (cpp, "c++20", "c++")):
                casts = ["-Wold-style-cast"] if language == "c++" else []
                run([compiler, f"-std={standard}", *WARNINGS, "-Wconversion", "-Wshadow", *casts, "-fsyntax-only", "-x",
                     language, "-include", header, "/dev/null"], folder)


def needs(folder):
    aot(folder, DIGITS)
    check(undefined(folder, "digits.o") <= OF_A_C_LIBRARY, f"digits.o needs {undefined(folder, 'digits.o')}")
    aot(folder, DIGITS, "--freestanding", output="free.o", header="free.h")
    check(not undefined(folder, "free.o"), f"free.o needs {undefined(folder, 'free.o')}")


def errors(folder):
    aot(folder, DIGITS, "--weights", "digits.weights")
    (folder / "errors.c").write_text(ERRORS)
    run(["cc", "-std=c11", *WARNINGS, "-o", "errors", "errors.c", "digits.o"], folder)
    printed = run(["./errors", "digits.weights"], folder).splitlines()
    check(printed == PRINTED, "\n".join(printed))
    printed = run([BUILD / "tools/backplane", "inspect", "digits.weights"], folder, expected=3)
    check("holds the constants of jit_digits" in printed, printed)
    # A header links with its own object only.
    aot(folder, DIGITS, "--features=x86-64-v3" if os.uname().machine == "x86_64" else "--features=+dotprod",
        "--weights", "digits.weights", output="other.o", header="other.h")
    done = subprocess.run(["cc", "errors.c", "other.o", "-o", "none"], cwd=folder, capture_output=True, text=True)
    check(done.returncode != 0 and "undefined reference" in done.stderr, done.stderr)
    (folder / "negate.hlo").write_text("ENTRY main { x = f32[4] parameter(0)  ROOT y = f32[4] negate(x) }\n")
    (folder / "column.hlo").write_text("ENTRY main { x = f32[2,3]{0,1} parameter(0)  "
                                       'ROOT y = f32[2,3]{1,0} custom-call(x), custom_call_target="acme.call" }\n')
    (folder / "receive.hlo").write_text(
        "ENTRY main { t = token[] after-all()\n  r = (f32[4], u32[], token[]) recv(t), channel_id=1\n"
        "  d = (f32[4], token[]) recv-done(r), channel_id=1  ROOT y = f32[4] get-tuple-element(d), index=0 }\n")
    for model, arguments, message in (
        ("negate.hlo", ["--on", "interpreter"], "the interpreter compiles nothing"),
        ("negate.hlo", ["--on", BUILD / "plugins/npu/libbackplane_npu.so"], "has no bp.aot/draft-2"),
        ("negate.hlo", ["--on", CPU, "--shared"], "there is no C compiler /no/such/compiler"),
        ("column.hlo", ["--on", CPU], "column.hlo:1:51: y passes f32[2,3]{0,1} to the application"),
        ("receive.hlo", ["--on", CPU], "receive.hlo:2:3: backend dev.backplane.cpu does not run r (recv)"),
    ):
        printed = run([BUILD / "tools/backplane", "aot", model, "-o", "x", "--header", "x.h", *arguments], folder,
                      expected=3, CC="/no/such/compiler")
        check(message in printed, printed)


def calls(folder):
    """Custom calls, infeed and outfeed become functions of the application."""
    (folder / "calls.hlo").write_text(CALLS)
    (folder / "calling.c").write_text(CALLING)
    facts = aot(folder, folder / "calls.hlo", output="calls.o", header="calls.h")
    check("to be defined:    backplane_call_acme_next, backplane_infeed, backplane_outfeed" in facts, facts)
    for c, cpp in compilers():
        for command in ([c, "-std=c99"], [cpp, "-std=c++17", "-x", "c++"]):
            run([*command, *WARNINGS, "-Wconversion", "-Wshadow", "-fsanitize=address,undefined",
                 "-fno-sanitize-recover=all", "calling.c", "-x", "none", "calls.o", "-o", "calling"], folder)
            printed = run(["./calling"], folder).splitlines()
            check(printed == printed_calls(), "\n".join(printed))
    aot(folder, folder / "calls.hlo", "--shared", output="libcalls.so", header="calls.h")
    run(["cc", *WARNINGS, "calling.c", "libcalls.so", f"-Wl,-rpath,{folder}", "-o", "calling"], folder)
    printed = run(["./calling"], folder).splitlines()
    check(printed == printed_calls(), "\n".join(printed))
    # A configuration that is longer than the literals of C99.
    long = "ENTRY main { x = f32[] parameter(0)  ROOT y = f32[] custom-call(x), custom_call_target=\"a\", " \
           f"backend_config=\"{'0123456789' * 500}\" }}\n"
    (folder / "long.hlo").write_text(long)
    aot(folder, folder / "long.hlo", output="long.o", header="long.h")
    run(["cc", "-std=c99", *WARNINGS, "-fsyntax-only", "-x", "c", "-include", "long.h", "/dev/null"], folder)


def sample(folder):
    shutil.copytree(SAMPLE, folder / "sample")
    options = [f"MODEL={DIGITS}", f"BACKPLANE={BUILD / 'tools/backplane'}", f"AOT=--on {CPU}",
               f"POOL={ROOT / 'core/aot/threads'}"]
    says = "the picture shows a 0, with probability 1.0000"
    for c, cpp in compilers():
        run(["make", "clean"], folder / "sample")
        run(["make", *options, f"CC={c}", f"CXX={cpp}"], folder / "sample")
        for program in ("in_c", "in_cpp"):
            printed = run([f"./{program}"], folder / "sample").strip()
            check(printed == says, f"{program} of {c} printed {printed}")
        run(["./bare"], folder / "sample", expected=10)
    check_size(folder / "sample")
    run(["make", "clean"], folder / "sample")
    sanitized = "-O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all"
    run(["make", *options, f"FLAGS={sanitized}", "in_c", "in_cpp"], folder / "sample")
    for program in ("in_c", "in_cpp"):
        printed = run([f"./{program}"], folder / "sample").strip()
        check(printed == says, f"{program} with sanitizers printed {printed}")


def allocated(folder, file):
    """Bytes of all sections that are in memory."""
    sections = re.findall(r"^(\.\S+)\s+(\d+)\s+(\d+)$", run(["size", "-A", file], folder), re.MULTILINE)
    return sum(int(size) for name, size, address in sections if int(address) != 0)


def check_size(folder):
    """Sizes with the weights in a file, of a program that does nothing but call the network."""
    (folder / "empty.c").write_text("int main(void) { return 0; }\n")
    (folder / "call.c").write_text("""#include "weighted.h"
int main(int count, char **memory) {
  (void)count;
  return weighted_check() + weighted_run((const weighted_arguments *)(void *)memory[0], (const weighted_results *)(void *)memory[1],
                                         memory[2], 0, memory[3], 0, NULL);
}
""")
    for name, objects in (("empty", []), ("call", ["weighted.o"])):
        run(["cc", "-std=c99", *WARNINGS, "-o", name, f"{name}.c", *objects], folder)
    symbols = re.findall(r"^\S+ (\S+) . (kernel\.\S+)$", run(["nm", "-S", "call"], folder), re.MULTILINE)
    kernels = sum(int(size, 16) for size, name in symbols)
    check(kernels > 0, "there are no kernels among the symbols of the program")
    overhead = allocated(folder, "call") - allocated(folder, "empty") - kernels
    check(overhead <= MAX_OVERHEAD, f"the program has {overhead} bytes besides its kernels, expected {MAX_OVERHEAD}")
    run(["strip", "call"], folder)
    size = (folder / "call").stat().st_size
    check(size < MAX_DIGITS, f"the program has {size} bytes, expected less than {MAX_DIGITS}")
    print(f"{overhead} bytes besides the kernels ({kernels} bytes); {size} bytes in all")


def libraries(folder):
    """As an archive and as a shared library, two models in one program."""
    aot(folder, DIGITS, "--archive", "--name", "a_model_with_a_long_name", output="libdigits.a", header="archive.h")
    aot(folder, DIGITS, "--shared", output="libdigits.so", header="shared.h")
    (folder / "two.c").write_text("""#include <stdio.h>
#include "archive.h"
#include "shared.h"
static float image[28 * 28] __attribute__((aligned(64)));
static float one[10] __attribute__((aligned(64))), two[10] __attribute__((aligned(64)));
static unsigned char arena[SHARED_ARENA_BYTES(1)] __attribute__((aligned(64)));
int main(void) {
  a_model_with_a_long_name_arguments a = {image};
  a_model_with_a_long_name_results b = {one};
  shared_arguments c = {image};
  shared_results d = {two};
  int i = a_model_with_a_long_name_run(&a, &b, arena, sizeof arena, NULL) + shared_run(&c, &d, arena, sizeof arena, NULL);
  printf("%d %d %d\\n", i, one[3] == two[3], one[3] > 0);
  return 0;
}
""")
    run(["cc", "-std=c99", *WARNINGS, "-o", "two", "two.c", "libdigits.a", "libdigits.so", f"-Wl,-rpath,{folder}"], folder)
    printed = run(["./two"], folder)
    check(printed == "0 1 1\n", printed)


def aarch64(folder):
    if not shutil.which("aarch64-linux-gnu-gcc") or not shutil.which("qemu-aarch64"):
        print("not checked: aarch64, which needs gcc-aarch64-linux-gnu and qemu-user")
        return
    target = ["--target=aarch64-linux-gnu", "--freestanding"]
    shutil.copytree(SAMPLE, folder / "arm")
    for features in ("", "--features=cortex-a76"):
        run(["make", "clean"], folder / "arm")
        run(["make", "bare", f"MODEL={DIGITS}", f"BACKPLANE={BUILD / 'tools/backplane'}",
             f"AOT=--on {CPU} {target[0]} {features}", "CC=aarch64-linux-gnu-gcc"], folder / "arm")
        run(["qemu-aarch64", "./bare"], folder / "arm", expected=10)


def main():
    if not CPU.exists():
        print("the CPU backend is not built")
        return 77
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name).resolve()
        try:
            for step in (equal_bits, every_compiler, warnings, needs, errors, calls, libraries, sample, aarch64):
                step(folder)
        except Failed as problem:
            print(f"{step.__name__}: {problem}")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
