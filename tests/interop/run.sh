#!/usr/bin/env bash
# Runs the checks of every client library against a broker: the one at AMQP_HOST:AMQP_PORT or, when
# LEVERET_BINARY names a Leveret binary, a fresh one that is started for the run (with LEVERET_LOOPS
# event loops). Installs nothing.
#
#   run.sh [--table FILE] [CLIENT...]
#
# Without names all clients run. --table writes a Markdown table of what passed. A client that is
# not installed is a failure unless LEVERET_INTEROP_SKIP names it (names divided by commas).
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
all_clients=(pika py-amqp kombu aio-pika celery librabbitmq amqp-tools amqp091-go bunny
  rabbitmq-java-client php-amqplib php-amqp amqplib)
client_timeout=${LEVERET_INTEROP_TIMEOUT:-120}
skip=${LEVERET_INTEROP_SKIP:-}
skip=" ${skip//,/ } "
table=
clients=()

while [[ $# -gt 0 ]]; do
  case $1 in
    --table) table=${2:?--table needs a file}; shift 2 ;;
    -*) sed -n '2,9p' "${BASH_SOURCE[0]}" >&2; exit 2 ;;
    *) clients+=("$1"); shift ;;
  esac
done
[[ ${#clients[@]} -gt 0 ]] || clients=("${all_clients[@]}")

work=$(mktemp -d)
broker=
cleanup() {
  if [[ -n $broker ]]; then kill -KILL "$broker" 2>/dev/null || true; fi
  rm -rf "$work"
}
trap cleanup EXIT

# Each prepare_ function sets `language` and `run` (the command), or says what is missing and
# returns 1.
language=
run=()
fixed_version=

missing() {
  echo "not installed: $*"
  return 1
}

prepare_python() {
  language=Python
  local module=$1 program=$2 candidate
  # Debian's interpreter first: another one in PATH does not see Debian's packages.
  for candidate in /usr/bin/python3 python3; do
    if "$candidate" -c "import $module" 2>/dev/null; then
      run=("$candidate" "$here/python/$program")
      return 0
    fi
  done
  missing "Python module $module"
}

prepare_librabbitmq() {
  language=C
  local compiler=${CC:-cc}
  command -v "$compiler" >/dev/null || { missing "a C compiler"; return 1; }
  # Some of the client's own functions that these checks use are marked as deprecated.
  "$compiler" -O1 -Wall -Wextra -Wno-deprecated-declarations -o "$work/librabbitmq_checks" \
    "$here/c/librabbitmq_checks.c" -lrabbitmq >"$work/build" 2>&1 ||
    { missing "librabbitmq ($(head -n 1 "$work/build"))"; return 1; }
  run=("$work/librabbitmq_checks")
}

prepare_amqp_tools() {
  language=shell
  command -v amqp-publish >/dev/null || { missing amqp-publish; return 1; }
  run=("$here/shell/amqp_tools_checks.sh")
}

prepare_go() {
  language=Go
  local go=/usr/bin/go sources=/usr/share/gocode
  [[ -x $go ]] || go=$(command -v go) || { missing go; return 1; }
  local package=$sources/src/github.com/rabbitmq/amqp091-go
  [[ -d $package ]] || { missing "$package"; return 1; }
  fixed_version=$(sed -n 's/^\tbuildVersion *= "\(.*\)"/\1/p' "$package/connection.go")
  GO111MODULE=off GOPATH=$sources GOFLAGS= GOCACHE=$work/gocache HOME=$work "$go" build \
    -o "$work/go_checks" "$here/go/main.go" >"$work/build" 2>&1 ||
    { echo "does not build: $(head -n 3 "$work/build" | tr '\n' ' ')"; return 1; }
  run=("$work/go_checks")
}

prepare_bunny() {
  language=Ruby
  command -v ruby >/dev/null && ruby -e 'require "bunny"' 2>/dev/null ||
    { missing "Ruby with bunny"; return 1; }
  run=(ruby "$here/ruby/bunny_checks.rb")
}

prepare_java() {
  language=Java
  command -v javac >/dev/null || { missing javac; return 1; }
  local jars=/usr/share/java/amqp-client.jar
  [[ -e $jars ]] || { missing "$jars"; return 1; }
  jars+=:/usr/share/java/slf4j-api.jar:/usr/share/java/slf4j-nop.jar
  mkdir -p "$work/java"
  javac -encoding UTF-8 -cp "$jars" -d "$work/java" "$here/java/JavaChecks.java" \
    >"$work/build" 2>&1 || { echo "does not build: $(head -n 3 "$work/build")"; return 1; }
  run=(java -cp "$work/java:$jars" JavaChecks)
}

prepare_php() {
  language=PHP
  local test=$1 program=$2
  command -v php >/dev/null && php -r "$test" >/dev/null 2>&1 ||
    { missing "PHP with ${program%_checks.php}"; return 1; }
  run=(php "$here/php/$program")
}

prepare_node() {
  language=JavaScript
  command -v node >/dev/null || { missing node; return 1; }
  [[ -d $here/node/node_modules/amqplib ]] || { missing "amqplib (npm ci in $here/node)"; return 1; }
  run=(node "$here/node/amqplib_checks.js")
}

prepare() {
  fixed_version=
  case $1 in
    pika) prepare_python pika pika_checks.py ;;
    py-amqp) prepare_python amqp py_amqp_checks.py ;;
    kombu) prepare_python kombu kombu_checks.py ;;
    aio-pika) prepare_python aio_pika aio_pika_checks.py ;;
    celery) prepare_python celery celery_checks.py ;;
    librabbitmq) prepare_librabbitmq ;;
    amqp-tools) prepare_amqp_tools ;;
    amqp091-go) prepare_go ;;
    bunny) prepare_bunny ;;
    rabbitmq-java-client) prepare_java ;;
    php-amqplib) prepare_php 'require "PhpAmqpLib/autoload.php";' php_amqplib_checks.php ;;
    php-amqp) prepare_php 'exit(extension_loaded("amqp") ? 0 : 1);' php_amqp_checks.php ;;
    amqplib) prepare_node ;;
    *) echo "no such client"; return 1 ;;
  esac
}

start_broker() {
  "$LEVERET_BINARY" --port 0 --data-dir "$work/data" --loops "${LEVERET_LOOPS:-1}" >"$work/broker.log" 2>&1 &
  broker=$!
  local attempt
  for attempt in $(seq 300); do
    if grep -q 'Server startup complete' "$work/broker.log"; then break; fi
    kill -0 "$broker" 2>/dev/null || break
    sleep 0.1
  done
  export AMQP_HOST=127.0.0.1
  AMQP_PORT=$(sed -n 's/.*listening on 127\.0\.0\.1:\([0-9]*\).*/\1/p' "$work/broker.log" | head -n 1)
  export AMQP_PORT
  if [[ -z $AMQP_PORT ]]; then
    echo "the broker did not start:" >&2
    tail -n 20 "$work/broker.log" >&2
    exit 1
  fi
}

# The broker must still be there, and end cleanly when it is told to.
stop_broker() {
  local code=0 attempt
  kill -TERM "$broker" 2>/dev/null || true
  for attempt in $(seq 300); do
    kill -0 "$broker" 2>/dev/null || break
    sleep 0.1
  done
  kill -KILL "$broker" 2>/dev/null || true
  wait "$broker" || code=$?
  broker=
  if [[ $code -ne 0 ]]; then
    failed=$((failed + 1))
    echo "FAILED broker: ended with exit code $code"
    tail -n 20 "$work/broker.log" | sed 's/^/  /'
  fi
}

ran=0 passed=0 failed=0 skipped=()

run_client() {
  local client=$1 code=0 oks fails version reason
  if ! prepare "$client" >"$work/reason" 2>&1; then
    reason=$(cat "$work/reason")
    if [[ $skip == *" $client "* && $reason == "not installed"* ]]; then
      skipped+=("$client")
      echo "$client: skipped, $reason"
    else
      failed=$((failed + 1))
      echo "$client: FAILED, $reason"
    fi
    return
  fi
  timeout --kill-after=5 "$client_timeout" "${run[@]}" >"$work/output" 2>"$work/errors" || code=$?
  oks=$(grep -c '^ok ' "$work/output" || true)
  fails=$(grep -c '^FAILED ' "$work/output" || true)
  version=${fixed_version:-$(sed -n 's/^version //p' "$work/output" | head -n 1)}
  if [[ $code -ne 0 && $fails -eq 0 || $oks -eq 0 && $fails -eq 0 ]]; then
    fails=1
    reason="the program ended with exit code $code after $oks checks"
    [[ $code -ne 124 ]] || reason="not done within $client_timeout s, after $oks checks"
    echo "FAILED $client: $reason" >>"$work/output"
  fi
  ran=$((ran + 1)) passed=$((passed + oks)) failed=$((failed + fails))
  if [[ $fails -eq 0 ]]; then
    echo "$client $version: $oks checks passed"
    echo "| $client | $language | $version | $oks |" >>"$work/table"
  else
    echo "$client $version: $oks checks passed, $fails failed"
    grep '^FAILED ' "$work/output" | sed 's/^/  /'
    tail -n 5 "$work/errors" | sed 's/^/  | /'
    echo "| $client | $language | $version | $oks passed, $fails failed |" >>"$work/table"
  fi
}

export PYTHONDONTWRITEBYTECODE=1
[[ -z ${LEVERET_BINARY:-} ]] || start_broker
printf '| Client | Language | Version | Checks |\n| --- | --- | --- | --- |\n' >"$work/table"
for client in "${clients[@]}"; do
  run_client "$client"
done
[[ -z $broker ]] || stop_broker
[[ -z $table ]] || cp "$work/table" "$table"
[[ ${#skipped[@]} -eq 0 ]] || echo "skipped: ${skipped[*]}"
echo "interop: $ran clients, $passed checks passed, $failed failed"
[[ $failed -eq 0 ]]
