# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What demo, test, gpu and .ci/run share. Sourced with the repository's root as the current folder.

say() { printf '== %s\n' "$*"; }
die() { printf '%s\n' "$*" >&2; exit 1; }

# packages_of GROUP...: the Debian packages of these groups, one a line.
packages_of() {
  local group
  for group in "$@"; do
    sed -n "s/^$group //p" packaging/debian-packages.txt
  done
}

missing_packages() {
  local package
  for package in $(packages_of "$@"); do
    dpkg-query -W -f='${Status}\n' "$package" 2>/dev/null | grep -q '^install ok installed' ||
      printf '%s\n' "$package"
  done
}

# install_packages GROUP...: asks apt only for what is missing, so that it works offline afterwards.
install_packages() {
  if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    say "not a Debian system: packages are not checked (packaging/debian-packages.txt lists what is needed)"
    return 0
  fi
  local missing
  missing=$(missing_packages "$@" | tr '\n' ' ')
  missing=${missing% }
  if [ -z "$missing" ]; then
    say "packages: all are installed"
    return 0
  fi
  local line="apt-get update && apt-get install -y --no-install-recommends $missing"
  if [ "$(id -u)" -ne 0 ]; then
    printf 'These packages are missing, and installing them needs root. Run this, then start again:\n\n' >&2
    die "  sudo sh -c '$line'"
  fi
  say "packages: $line"
  DEBIAN_FRONTEND=noninteractive sh -c "$line" >build-packages.log 2>&1 </dev/null || {
    tail -n 20 build-packages.log >&2
    die "apt-get failed (its whole output is in build-packages.log)"
  }
  rm -f build-packages.log
}

# build_preset PRESET [TARGET...]: configures and builds, with everything if no target is named.
build_preset() {
  local preset=$1
  shift
  say "configure: cmake --preset $preset"
  cmake --preset "$preset" </dev/null || die "configuring failed"
  local build=(cmake --build --preset "$preset" --parallel "$(nproc)")
  [ $# -eq 0 ] || build+=(--target "$@")
  say "build: ${build[*]}"
  "${build[@]}" </dev/null || die "the build failed"
}

has_cuda_device() { [ -e /proc/driver/nvidia/version ] || [ -e /dev/nvidia0 ]; }
