#!/usr/bin/env bash
# Builds Leveret and runs its tests, on a Debian 12 machine with nothing but the base system.
#
#   tests/run.sh           unit, property, wire and stock-client tests, about ten minutes
#   tests/run.sh --quick   unit and property tests alone
#   tests/run.sh --full    adds a Clang build, sanitizers and fuzzing
#
# A stage that fails does not stop the next. The exit code is 0 if everything passed.
set -uo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root" || exit 1
# shellcheck source=server/packages.sh
. server/packages.sh

mode=default
case ${1:-} in
  "") ;;
  --quick) mode=quick ;;
  --full) mode=full ;;
  *) sed -n '2,9p' "$0"; exit 2 ;;
esac

export LC_ALL=C.UTF-8 CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=1
fuzz_seconds=${FUZZ_SECONDS:-20}
work=$(mktemp -d "${TMPDIR:-/tmp}/leveret-tests.XXXXXX")
trap 'rm -rf "$work"' EXIT

test_packages=(libgtest-dev librapidcheck-dev)
# One for each client library of the stock-client tests.
client_packages=(
  python3 python3-pytest python3-pika python3-amqp python3-kombu python3-aio-pika python3-celery
  gcc librabbitmq-dev amqp-tools golang-go golang-github-rabbitmq-amqp091-go-dev
  ruby-bunny default-jdk-headless librabbitmq-client-java
  php-cli php-amqp php-amqplib php-mbstring
)
full_packages=(clang-14 clang-format-14 lld-14 libclang-rt-14-dev libbenchmark-dev)

names=() outcomes=() counts=() seconds=()
passed=0 failed=0

# stage NAME LIMIT COMMAND...: runs it with a time limit and keeps its log only to count tests in it.
stage() {
  local name=$1 limit=$2 begin=$SECONDS log=$work/stage.log code p f
  shift 2
  printf '\n=== %s\n' "$name"
  timeout -k 10 "$limit" bash -o pipefail -c '"$@"' stage "$@" 2>&1 | tee "$log"
  code=${PIPESTATUS[0]}
  read -r p f < <(count_tests "$log")
  if [ "$code" -ne 0 ] && [ "$f" -eq 0 ]; then f=1; fi
  if [ "$code" -eq 0 ] && [ "$p" -eq 0 ]; then p=1; fi
  passed=$((passed + p)) failed=$((failed + f))
  names+=("$name") counts+=("$p passed, $f failed") seconds+=($((SECONDS - begin)))
  if [ "$code" -eq 0 ] && [ "$f" -eq 0 ]; then outcomes+=(ok); else outcomes+=(FAILED); fi
  [ "$code" -eq 124 ] && echo "stage '$name' took longer than $limit s"
  return 0
}

# Prints "PASSED FAILED" from the closing lines of ctest, pytest and the stock-client runner.
count_tests() {
  awk '
    /tests passed, .* tests failed out of/ { f += $4; p += $NF - $4 }
    /^(=+ )?([0-9]+ (passed|failed|error|errors|deselected|warnings?|skipped),? ?)+ ?in / {
      for (i = 1; i < NF; i++) {
        if ($(i + 1) ~ /^passed/) p += $i
        if ($(i + 1) ~ /^(failed|error)/) f += $i
      }
    }
    /^interop: / {
      for (i = 1; i < NF; i++) { if ($(i + 2) ~ /^passed/) p += $i; if ($(i + 1) ~ /^failed/) f += $i }
    }
    END { print p + 0, f + 0 }' "$1"
}

build() {
  cmake --preset "$1" "${@:2}" >"$work/configure.log" 2>&1 || { cat "$work/configure.log"; return 1; }
  cmake --build --preset "$1"
}

# The daemon is not needed for them.
build_fuzzers() {
  cmake --preset fuzz >"$work/configure.log" 2>&1 || { cat "$work/configure.log"; return 1; }
  cmake --build --preset fuzz --target tests/fuzz/all
}

unit_tests() { ctest --test-dir "build/$1" --output-on-failure -j 2 -L unit; }

wire_tests() {
  LEVERET_BINARY=$root/build/$1/server/leveret LEVERET_LOOPS=$2 \
    /usr/bin/python3 -m pytest -q -p no:cacheprovider "${@:3}" tests/integration
}

client_tests() {
  # Without its package that one client fails, and the others still run.
  (cd tests/interop/node && npm ci --no-audit --no-fund --loglevel=error)
  LEVERET_BINARY=$root/build/release/server/leveret LEVERET_QUEUE_FEATURES=1 \
    bash tests/interop/run.sh
}

check_format() {
  # Not git's list: this must work in an unpacked archive, and in a checkout of another user.
  find protocol config exchange queue server tests -name '*.h' -o -name '*.cc' |
    xargs clang-format-14 --dry-run -Werror
}

fuzz() {
  local harness name
  for harness in build/fuzz/tests/fuzz/fuzz_*; do
    [ -x "$harness" ] && [ -f "$harness" ] || continue
    name=${harness##*/fuzz_}
    cp -r "tests/fuzz/corpus/$name" "$work/corpus-$name" || return 1
    echo "--- $name, $fuzz_seconds s"
    "$harness" -max_total_time="$fuzz_seconds" -max_len=8192 -timeout=10 -rss_limit_mb=2048 \
      -verbosity=0 -print_final_stats=1 -artifact_prefix="$work/" "$work/corpus-$name" 2>&1 |
      tail -n 15 || return 1
  done
}

# Stages run in a shell of their own, so that a time limit can end them.
export root work fuzz_seconds
export -f build build_fuzzers unit_tests wire_tests client_tests check_format fuzz

sanitizers() {
  export ASAN_OPTIONS=detect_stack_use_after_return=1 UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
  stage "build with ASan and UBSan" 1500 build asan
  stage "unit tests under ASan and UBSan" 600 unit_tests asan
  stage "wire tests under ASan and UBSan" 900 wire_tests asan 1 -m "not memory"
  stage "build with TSan" 1500 build tsan
  stage "unit tests under TSan" 900 unit_tests tsan
  stage "wire tests under TSan, two loops" 900 wire_tests tsan 2 -m "not memory"
}

install_missing "${build_packages[@]}" "${test_packages[@]}" || exit 1
if [ $mode != quick ]; then
  install_missing "${client_packages[@]}" || exit 1
  command -v node >/dev/null || install_missing nodejs || exit 1
  command -v npm >/dev/null || install_missing npm || exit 1
fi
[ $mode != full ] || install_missing "${full_packages[@]}" || exit 1

stage "build" 1500 build release
stage "unit and property tests" 600 unit_tests release
if [ $mode != quick ]; then
  stage "style" 60 /usr/bin/python3 tests/tidy.py
  stage "wire tests, one loop" 400 wire_tests release 1
  stage "wire tests, two loops" 400 wire_tests release 2
  stage "stock clients" 600 client_tests
fi
if [ $mode = full ]; then
  stage "format" 120 check_format
  stage "build with Clang" 1500 build clang -DLEVERET_BENCH=ON
  sanitizers
  stage "build of the fuzzers" 1500 build_fuzzers
  stage "fuzzing" 600 fuzz
fi

printf '\n%-36s %-8s %8s  %s\n' stage result seconds tests
for i in "${!names[@]}"; do
  printf '%-36s %-8s %8d  %s\n' "${names[$i]}" "${outcomes[$i]}" "${seconds[$i]}" "${counts[$i]}"
done
[ $mode = full ] || echo "not run in this mode: see --full"
printf '%d passed, %d failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]
