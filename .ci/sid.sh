# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A folder with Debian sid, build-sid, for what Debian 12 has none of that is new enough: Kokkos, and ROCm's compiler.
# Sourced after common.sh, with the repository's root as the current folder. Who sources it ends with exit code 77 where
# something can't be run; the last line says why.

sid=$PWD/build-sid

not_run() {
  printf '%s\n' "$*"
  exit 77
}

# The archive that this machine's apt reads, whatever its address.
archive() { apt-get indextargets --format '$(REPO_URI)' 2>/dev/null | grep -m1 '/debian/$'; }

make_sid() {
  [ "$(id -u)" -eq 0 ] || not_run "chroot needs root"
  install_packages debootstrap || not_run "debootstrap could not be installed"
  [ -e "$sid/made" ] && return
  local from
  from=$(archive) || not_run "apt reads no Debian archive"
  rm -rf "$sid"
  say "debootstrap of sid in build-sid"
  debootstrap --variant=minbase --include=ca-certificates sid "$sid" "$from" >build-sid.log 2>&1 ||
    not_run "debootstrap failed: $(tail -n 1 build-sid.log)"
  touch "$sid/made"
}

# add_to_sid GROUP...: packages of these groups (packaging/debian-packages.txt), once.
add_to_sid() {
  local mark=$sid/added-${*// /-}
  [ -e "$mark" ] && return
  say "packages for $* in build-sid"
  chroot "$sid" apt-get install -y --no-install-recommends $(packages_of "$@") \
    >>build-sid.log 2>&1 </dev/null || not_run "sid lacks a package: $(grep '^E:' build-sid.log | tail -n 1)"
  touch "$mark"
}

# The tree as it is here, without what builds left.
copy_tree() {
  rm -rf "$sid/kohort"
  mkdir -p "$sid/kohort"
  git ls-files --cached --others --exclude-standard -z | xargs -0 cp --parents -t "$sid/kohort"
}

# in_sid SCRIPT: runs it there by sh.
in_sid() {
  unshare -m sh -c "mount -t proc proc '$sid/proc' 2>/dev/null; exec chroot '$sid' sh -c \"\$1\"" sh "$1"
}
