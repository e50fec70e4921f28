#!/usr/bin/env bash
# Interop checks with amqp-tools, the command line programs of librabbitmq. They can do only some
# of what the libraries can.
set -uo pipefail

url="amqp://guest:guest@${AMQP_HOST:-127.0.0.1}:${AMQP_PORT:-5672}"
queue="interop-tools-$$"
work=$(mktemp -d)
failures=0

finish() {
  amqp-delete-queue --url="$url" -q "$queue" >/dev/null 2>&1
  rm -rf "$work"
}
trap finish EXIT

check() {
  local name=$1
  shift
  if "$@" >"$work/output" 2>&1; then
    echo "ok $name"
  else
    echo "FAILED $name: $(tail -n 3 "$work/output" | tr '\n' ' ')"
    failures=$((failures + 1))
  fi
}

same() {
  [[ "$1" == "$2" ]] || { echo "got '$1', wanted '$2'"; return 1; }
}

publish() { amqp-publish --url="$url" "$@"; }
get() { amqp-get --url="$url" -q "$queue"; }

declare_queue() { same "$(amqp-declare-queue --url="$url" -d -q "$queue")" "$queue"; }

publish_get() {
  publish -r "$queue" -b one && publish -r "$queue" -p -b two &&
    same "$(get) $(get)" "one two"
}

# amqp-get says with exit code 2 that there was nothing to get.
get_empty() {
  get
  same $? 2
}

lines() {
  printf 'a\nb\nc\n' | publish -r "$queue" -l
  amqp-consume --url="$url" -q "$queue" -c 3 cat >"$work/lines" || return 1
  same "$(tr -d '\n' <"$work/lines")" abc
}

# When the command fails, its message is not acknowledged and goes back when amqp-consume ends.
consume_requeue() {
  publish -r "$queue" -b again
  timeout 10 amqp-consume --url="$url" -q "$queue" -c 1 false
  same "$(timeout 10 amqp-consume --url="$url" -q "$queue" -c 1 cat)" again || return 1
  get
  same $? 2
}

# Without -q the queue gets its name from the broker, and is gone with the connection.
exchange_bind() {
  amqp-consume --url="$url" -x -e amq.topic -r "interop.$$.#" -c 1 cat >"$work/bound" &
  local consumer=$! attempt
  for attempt in $(seq 100); do
    publish -e amq.topic -r "interop.$$.key" -b bound
    [[ -s "$work/bound" ]] && break
    sleep 0.05
  done
  wait "$consumer"
  same "$(head -c 5 "$work/bound")" bound
}

big_body() {
  head -c 3145728 /dev/urandom >"$work/big"
  publish -r "$queue" <"$work/big" && get >"$work/got" && cmp "$work/big" "$work/got"
}

empty_body() {
  publish -r "$queue" </dev/null && get >"$work/got" && same "$(stat -c %s "$work/got")" 0
}

missing_queue() {
  local answer
  if answer=$(amqp-get --url="$url" -q "$queue-missing" 2>&1); then return 1; fi
  [[ "$answer" == *404* ]] || { echo "no 404 in '$answer'"; return 1; }
}

wrong_password() {
  local answer
  if answer=$(amqp-get --url="${url/guest:guest/guest:wrong}" -q "$queue" 2>&1); then return 1; fi
  [[ "$answer" == *403* || "$answer" == *ACCESS_REFUSED* ]] || { echo "'$answer'"; return 1; }
}

delete_queue() {
  publish -r "$queue" -b left && publish -r "$queue" -b over || return 1
  same "$(amqp-delete-queue --url="$url" -q "$queue")" 2
}

echo "version $(amqp-publish --help >/dev/null && dpkg-query -W -f '${Version}' amqp-tools)"
check declare declare_queue
check get publish_get
check get-empty get_empty
check consume-ack lines
check nack-requeue consume_requeue
check topic exchange_bind
check big-body big_body
check empty-body empty_body
check passive-missing missing_queue
check wrong-password wrong_password
check delete delete_queue
[[ $failures -eq 0 ]]
