#!/bin/bash
# Checks the whole tree with clang-format and clang-tidy; with --fix, formats the files with clang-format instead.
# usage: tools/lint.sh BUILD | tools/lint.sh --fix
set -euo pipefail
cd "$(dirname "$0")/.."

mapfile -t files < <(git ls-files '*.c' '*.h' '*.cpp' | grep -v '^tests/compile/bad/')
if [[ ${1:-} == --fix ]]; then
  clang-format -i "${files[@]}"
  exit
fi
clang-format --dry-run --Werror "${files[@]}"

# clang-tidy needs a build directory of clang: it does not accept all options of gcc.
arguments=${1:-build}/lint
[[ -f $arguments/build.ninja ]] || CC=clang meson setup "$arguments" -Dwerror=true -Ddefault_library=static >/dev/null
mapfile -t sources < <(git ls-files 'src/*.c' 'examples/*.c' ':!*.bpf.c')
printf '%s\n' "${sources[@]}" | xargs -P 2 -n 4 clang-tidy --quiet -p "$arguments"
# The types of a report's page, if there is a compiler that checks them (Debian: node-typescript).
if command -v tsc >/dev/null; then
  for part in main:dom,dom.iterable worker:webworker; do
    tsc --noEmit --allowJs --checkJs --target es2022 --module es2022 --moduleResolution node \
      --lib "es2022,${part#*:}" "src/report/page/${part%%:*}.js"
  done
else
  echo "lint: no tsc: the types of the page are not checked"
fi
echo "lint: ${#files[@]} files clean"
