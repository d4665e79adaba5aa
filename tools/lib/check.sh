# The steps of tools/check. Each counts what it tested into PASSED and FAILED.
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash

PASSED=0
FAILED=0
PROCESSOR_TIMES=() # "SECONDS NAME", one a step

# Sets PROCESSOR to the seconds of all processes that have ended so far. Not to be called in a
# subshell: it would see its own alone.
read_processor_time() {
  times >"$LOGS/times"
  PROCESSOR=$(awk 'NR == 2 { split($1, u, /[ms]/); split($2, s, /[ms]/)
    printf "%d", (u[1] + s[1]) * 60 + u[2] + s[2] }' "$LOGS/times")
}

# What a step took, by the clock and of the processors: start_time, the step, then TOOK says it.
start_time() {
  STARTED=$SECONDS
  read_processor_time
  PROCESSOR_STARTED=$PROCESSOR
}

# end_time NAME
end_time() {
  read_processor_time
  local spent=$((PROCESSOR - PROCESSOR_STARTED))
  PROCESSOR_TIMES+=("$spent $1")
  TOOK="$((SECONDS - STARTED)) s, of processor time $spent s"
}

print_processor_times() {
  local entry total=0
  printf 'Processor time:\n'
  for entry in "${PROCESSOR_TIMES[@]}"; do
    total=$((total + ${entry%% *}))
    printf '%7d s  %s\n' "${entry%% *}" "${entry#* }"
  done
  printf '%7d s  in all, %d.%d minutes\n' "$total" $((total / 60)) $((total % 60 / 6))
}

# step NAME COMMAND...: one test; its output is shown when it fails.
step() {
  local name=$1 log passed=1
  log=$LOGS/${name// /-}.log
  shift
  start_time
  "$@" >"$log" 2>&1 || passed=0
  end_time "$name"
  if [ "$passed" = 1 ]; then
    PASSED=$((PASSED + 1))
    printf 'pass  %s (%s)\n' "$name" "$TOOK"
  else
    FAILED=$((FAILED + 1))
    printf 'FAIL  %s (%s; log: %s)\n' "$name" "$TOOK" "$log"
    grep -E 'error|Error|FAILED' "$log" | head -n 20 | grep . || tail -n 20 "$log"
  fi
}

# count NAME PASSED FAILED LOG: many tests at once, of which at least one must have run.
count() {
  local name=$1 passed=$2 failed=$3 log=$4
  if [ $((passed + failed)) = 0 ]; then
    echo "FAIL  $name: no test ran (log: $log)"
    tail -n 5 "$log"
    failed=1
  elif [ "$failed" != 0 ]; then
    printf 'FAIL  %s: %d of %d (%s; log: %s)\n' "$name" "$failed" $((passed + failed)) "$TOOK" "$log"
  else
    printf 'pass  %s: %d (%s)\n' "$name" "$passed" "$TOOK"
  fi
  PASSED=$((PASSED + passed))
  FAILED=$((FAILED + failed))
}

# A second configuration in build/llvm19; only the plugin depends on LLVM. It compiles a few tests and goes to nobody: at
# -O0 it takes a quarter less than at -O1.
build_plugin_19() {
  [ -e "$BUILD/lib/libgpuinstr-19.so" ] && [ ! -f "$BUILD/llvm19/CMakeCache.txt" ] && return
  local folder=/usr/lib/llvm-19/lib/cmake/llvm generator=()
  command -v ninja >/dev/null && generator=(-G Ninja)
  if [ ! -f "$BUILD/llvm19/CMakeCache.txt" ]; then
    cmake -S "$ROOT" -B "$BUILD/llvm19" "${generator[@]}" -DLLVM_DIR=$folder \
      -DGPUINSTR_PLUGIN_ONLY=ON -DCMAKE_CXX_FLAGS_RELEASE="-O0 -DNDEBUG" -DGPUINSTR_CUDA_ROOT="$CUDA" || return
  fi
  compiling cmake --build "$BUILD/llvm19" --parallel "$(nproc)" || return
  # Beside the runtime, which a plugin looks for in its own folder.
  cp "$BUILD/llvm19/lib/libgpuinstr-19.so" "$BUILD/lib/libgpuinstr-19.so"
}

# A symbol more could collide with the program's own.
check_exports() {
  local symbols
  symbols=$("$LLVM_BIN/llvm-nm" -D --defined-only --format=just-symbols "$BUILD/lib/libgpuinstr_rt.so")
  echo "exported: $symbols"
  [ "$symbols" = gpuinstr_connect ]
}

# count_ctest NAME LOG: what ctest's output in LOG says.
count_ctest() {
  local name=$1 log=$2 passed failed
  end_time "$name"
  passed=$(grep -cE '^ *[0-9]+/[0-9]+ Test +#[0-9]+: .* Passed ' "$log")
  failed=$(grep -E '^ *[0-9]+/[0-9]+ Test +#[0-9]+: .*\*\*\*' "$log" | grep -vc '\*\*\*Skipped')
  count "$name" "$passed" "$failed" "$log"
  # Those that say themselves that this machine lacks what they need, such as a terminal.
  sed -n 's/^ *[0-9]*\/[0-9]* Test *#[0-9]*: \([^ ]*\) .*\*\*\*Skipped.*/      skipped: \1/p' "$log"
  sed -n '/The following tests FAILED/,$p' "$log" | head -n 40
}

unit_tests() {
  local log=$LOGS/unit.log
  start_time
  (cd "$BUILD" && ctest --output-on-failure --timeout 120 -j "$(($(nproc) + 1))") >"$log" 2>&1
  count_ctest "unit tests" "$log"
}

# A test that lit skips counts as failed, unless it says that it needs a GPU. One that fails is tried once more,
# for machines that are busy with something else, and named if it passes then.
lit_tests() {
  local log=$LOGS/lit.log result=$LOGS/lit.json passed failed
  rm -f "$result"
  start_time
  # lit's own --timeout wants a Python package more; programs are limited by the checker. One test more than
  # processors: some wait for the clock.
  timeout 2400 "$LLVM_BIN/lit" --no-progress-bar -v --max-retries-per-test 1 -j "$(($(nproc) + 1))" -o "$result" \
    "$BUILD/test" >"$log" 2>&1
  end_time "lit tests"
  if ! read -r passed failed < <(python3 "$ROOT/tools/lib/lit-summary.py" "$result" "$ROOT/test" \
      2>"$LOGS/lit-failed.log"); then
    passed=0 failed=0
  fi
  count "lit tests (plugin, end to end on the simulator)" "$passed" "$failed" "$log"
  cat "$LOGS/lit-failed.log"
}

# sources [GLOB...]: what git knows of; without git or in an unpacked archive, every file.
sources() {
  local file pattern
  if git -C "$ROOT" rev-parse --is-inside-work-tree >/dev/null 2>&1; then
    git -C "$ROOT" ls-files -co --exclude-standard "$@"
    return
  fi
  while IFS= read -r file; do
    [ $# -gt 0 ] || printf '%s\n' "$file"
    for pattern; do
      # shellcheck disable=SC2254  # the glob is meant as one
      case $file in $pattern) printf '%s\n' "$file" && break ;; esac
    done
  done < <(cd "$ROOT" && find . \( -path './build*' -o -name .git -o -name __pycache__ \) -prune \
    -o -type f -print | sed 's|^\./||' | sort)
}

check_layout() {
  local others
  others=$(sources | cut -d/ -f1 | sort -u |
    grep -vxE 'CMakeLists\.txt|CMakePresets\.json|plugin|runtime|test|tools|docs|README\.md|LICENSE|\..*')
  [ -z "$others" ] || { printf 'error: not a place for it: %s\n' "$others"; return 1; }
}

# Test inputs stay as small as they can: they need no licence line.
check_files() (
  cd "$ROOT" || exit
  sources '*.cpp' '*.h' '*.c' '*.cu' '*.def' | while IFS= read -r file; do
    [ ! -f "$file" ] || printf '%s\n' "$file"
  done | xargs -d '\n' awk '
    function judge() {
      if (lines > 500) { print "error: " file " has " lines " lines, more than 500"; bad = 1 }
      if (file != "" && file !~ /^test\// && !spdx) { print "error: " file ": no SPDX line at its start"; bad = 1 }
    }
    FNR == 1 { judge(); file = FILENAME; spdx = 0 }
    FNR <= 4 && /SPDX-License-Identifier: Apache-2.0/ { spdx = 1 }
    { lines = FNR }
    END { judge(); exit bad }'
)

# Not the programs below test/: their comments are directives, of any length, tied to their lines.
formatted_files() {
  sources '*.cpp' '*.h' '*.c' '*.cu' | grep -vE '^test/(plugin|e2e|simulate|cli|cmake)/'
  sources '*.cpp' '*.h' | grep -E '^test/e2e/support/'
}

# What the floors of docs/Design.md are: tools/lib/floors.txt. That the check finds what it should is tested too.
check_floors() {
  python3 "$ROOT/tools/lib/check-floors.py" "$ROOT" --self-test &&
    python3 "$ROOT/tools/lib/check-floors.py" "$ROOT"
}

check_format() {
  local files=()
  mapfile -t files < <(formatted_files)
  (cd "$ROOT" && clang-format --dry-run -Werror "${files[@]}")
}

check_shell() {
  local scripts=()
  # One process reads all first lines: to start two for each file takes longer than shellcheck.
  mapfile -t scripts < <(cd "$ROOT" && sources | while IFS= read -r file; do
    [ ! -f "$file" ] || printf '%s\n' "$file"
  done | xargs -d '\n' awk 'FNR == 1 && /^#!.*[\/ ](ba)?sh( |$)/ { print FILENAME } { nextfile }')
  (cd "$ROOT" && shellcheck -x "${scripts[@]}")
}
