#!/usr/bin/env bash
# Every lesson runs and prints the promised output, on each available backend.
set -euo pipefail
cd "$(dirname "$0")/../../.."
build=${BACKPLANE_TEST_BUILD:-build}
backends=interpreter
[ -e "$build/plugins/cpu/libbackplane_cpu.so" ] && backends="$backends cpu"
for backend in $backends; do
  found=$("$build/samples/01_load_compile_run" "$backend" samples/01_load_compile_run/program.hlo | tail -n 1)
  if [ "$found" != "1 3 5 7 " ]; then
    echo "lesson 1 on $backend printed '$found', expected '1 3 5 7 '"
    exit 1
  fi
done
found=$("$build/samples/02_library_routines" "$(realpath "$build")/samples/libbackplane_library_routines.so" \
  samples/02_library_routines/program.hlo 2>&1 | sed 's/^.*leaves/it leaves/')
expected='it leaves result to the host
the plugin says: matrix products: 1, dense layers: 1
equal'
if [ "$found" != "$expected" ]; then
  printf 'lesson 2 printed\n%s\nexpected\n%s\n' "$found" "$expected"
  exit 1
fi
for backend in kernels $backends; do
  found=$("$build/samples/03_application_in_c" "$backend" samples/04_application_in_cpp/program.hlo | tail -n 1)
  if [ "$found" != "0 1.41421 2 2.44949 " ]; then
    echo "lesson 3 on $backend printed '$found', expected '0 1.41421 2 2.44949 '"
    exit 1
  fi
done
found=$("$build/samples/04_application_in_cpp" kernels samples/04_application_in_cpp/program.hlo | tail -n 1)
if [ "$found" != "step 5: 1.9571441" ]; then
  echo "lesson 4 printed '$found', expected 'step 5: 1.9571441'"
  exit 1
fi
