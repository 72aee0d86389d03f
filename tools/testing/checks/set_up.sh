#!/usr/bin/env bash
# Without root, tools/set_up lists the missing packages and how to install them; wrong options end it immediately.
set -euo pipefail
cd "$(dirname "$0")/../../.."
commands=$(mktemp -d)
trap 'rm -rf "$commands"' EXIT
# Simulates a machine with a user who is not root, on which one package is missing.
cat >"$commands/dpkg-query" <<'TEXT'
#!/bin/sh
case "$*" in *libfmt-dev*) exit 1 ;; *) echo 'install ok installed' ;; esac
TEXT
printf '#!/bin/sh\necho 1000\n' >"$commands/id"
chmod +x "$commands"/*
export PATH="$commands:$PATH"

expect() {  # EXIT_CODE TEXT COMMAND...
  local wanted=$1 text=$2 code=0 found
  shift 2
  found=$("$@" 2>&1) || code=$?
  if [ "$code" != "$wanted" ] || [[ "$found" != *"$text"* ]]; then
    echo "$* ended with $code and said '$found', expected $wanted and '$text'"
    exit 1
  fi
}
expect 1 'sudo apt-get install --no-install-recommends libfmt-dev' tools/set_up --build-dir "$commands/build"
[ ! -e "$commands/build" ] || { echo "tools/set_up configured without its packages"; exit 1; }
expect 2 "unknown option --fly" tools/set_up --fly
expect 2 "--build-dir needs a value" tools/set_up --build-dir
expect 2 "--compiler is 'tcc', expected gcc or clang" tools/set_up --compiler tcc
expect 2 "unknown option --fly" tools/test --fly
expect 2 "--compiler is 'tcc', expected gcc or clang" tools/test --compiler=tcc
expect 2 "--sanitize is 'x', expected address,undefined or thread" tools/test --sanitize=x
