#!/usr/bin/env bash
# Builds the broker on a Debian machine and starts it with the arguments given here (leveret --help
# lists them). Without arguments: 127.0.0.1:5672, user guest, password guest.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
# shellcheck source=server/packages.sh
. server/packages.sh
install_missing "${build_packages[@]}"

build=build/server
{
  cmake --preset release -B "$build" -DLEVERET_TESTS=OFF
  cmake --build "$build" --target leveret -j "$(nproc)"
} >&2
exec "$build/server/leveret" "$@"
