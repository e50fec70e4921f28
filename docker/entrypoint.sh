#!/bin/sh
# Starts the broker as PID 1 with what a container needs: the mounted configuration if there is one,
# else every address and no restriction of guest to this host, as RabbitMQ's image has it. Arguments
# are the broker's own.
set -eu

if [ "${1:-}" = leveret ]; then shift; fi

config=${LEVERET_CONFIG_FILE:-/etc/leveret/leveret.yaml}
if [ -e "$config" ]; then
  set -- --config "$config" --data-dir /var/lib/leveret "$@"
else
  set -- --bind 0.0.0.0 --loopback-users none --data-dir /var/lib/leveret "$@"
fi
exec leveret "$@"
