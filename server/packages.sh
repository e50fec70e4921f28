# What a build needs from Debian 12, and how to get it. Sourced by the run scripts.

build_packages=(
  g++ cmake ninja-build ccache pkg-config
  libboost1.81-dev libspdlog-dev libyaml-cpp-dev libssl-dev libpcre2-dev
)

# install_missing PACKAGE...: asks apt only when something is not there yet.
install_missing() {
  local missing=() package sudo=()
  for package in "$@"; do
    dpkg-query -W -f='${Status}\n' "$package" 2>/dev/null | grep -q '^install ok installed' ||
      missing+=("$package")
  done
  [ ${#missing[@]} -eq 0 ] && return 0
  [ "$(id -u)" -eq 0 ] || sudo=(sudo)
  echo "installing: ${missing[*]}" >&2
  "${sudo[@]}" apt-get -o DPkg::Lock::Timeout=300 update -qq >&2
  "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 \
    install -y -qq --no-install-recommends "${missing[@]}" >&2
}
