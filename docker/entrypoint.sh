#!/bin/sh
# Becomes the broker, with the arguments of the container; with "ping", asks the running broker
# whether it serves AMQP. The broker itself reads LEVERET_DEFAULT_USER and the like.
set -eu

config=${LEVERET_CONFIG_FILE:-/etc/leveret/leveret.yaml}

if [ "${1:-}" = leveret ]; then shift; fi
case ${1:-} in
  '' | -* | ping) ;;
  # Some other program, such as a shell.
  *) exec "$@" ;;
esac

configured() {
  [ -r "$config" ] && grep -q "^$1:" "$config"
}

# The clients of a container are outside of it, so where the configuration does not decide, the
# broker listens on every address and any user may come from anywhere. What the caller gave
# stands behind these options, and so wins.
configured loopback_users || set -- --loopback-users none "$@"
configured listeners || set -- --bind 0.0.0.0 "$@"
[ ! -e "$config" ] || set -- --config "$config" "$@"

exec leveret "$@"
