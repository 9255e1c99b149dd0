# SPDX-License-Identifier: GPL-2.0-or-later
# What scripts/run and scripts/test share: sourced, not run. Needs $top (the checkout).

say() { printf '%s\n' "$*" >&2; }
die() { say "$0: $*"; exit 1; }

# What is needed to build and run lrtbfd (Debian's package names).
packages_run="gcc libc6-dev meson ninja-build pkg-config python3 libsystemd-dev libudev-dev
	libglib2.0-dev libconfig-dev libsqlite3-dev libjansson-dev libgsl-dev zlib1g-dev dbus-daemon rt-tests procps"
# And for the tests: sanitizers, valgrind, D-Bus callers, a locale with a decimal comma, the lab's virtual machine.
packages_test="$packages_run clang clang-format-14 clang-format llvm libclang-rt-14-dev valgrind python3-pytest
	python3-pytest-xdist python3-jeepney python3-dbusmock dbus-bin locales util-linux iproute2 man-db
	groff bash-completion systemd kmod qemu-system-x86 busybox-static umockdev
	openssh-client dbus-system-bus-common
	dpkg-dev debhelper po-debconf lintian dkms dh-dkms systemd-container mmdebstrap e2fsprogs
	make sparse linux-headers-amd64 linux-headers-rt-amd64
	libxml2-utils librsvg2-bin weasyprint poppler-utils
	prometheus prometheus-node-exporter python3-prometheus-client python3-junitparser perl python3-tap cmark-gfm"

# Install those of the packages "$@" that are missing; quiet when there are none.
install_missing() {
	local missing=() sudo=() p
	for p in "$@"; do
		case "$(dpkg-query -W -f='${db:Status-Status}' "$p" 2>/dev/null)" in
		installed) ;;
		*) missing+=("$p") ;;
		esac
	done
	[ ${#missing[@]} -gt 0 ] || return 0
	command -v apt-get >/dev/null ||
		die "these packages (Debian's names) are missing and there is no apt-get: ${missing[*]}"
	if [ "$(id -u)" != 0 ]; then
		command -v sudo >/dev/null ||
			die "not root and no sudo: cannot install ${missing[*]}"
		sudo=(sudo)
	fi
	say "Installing ${missing[*]}"
	local log
	log=$(mktemp)
	{ "${sudo[@]}" apt-get update -q &&
		"${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -q \
			--no-install-recommends "${missing[@]}"; } >"$log" 2>&1 ||
		{ tail -n 30 "$log" >&2; die "installing failed, see above and $log"; }
	rm -f "$log"
}

# build FOLDER [MESON-OPTION...]: set up once, then compile; says something only when it takes or fails.
build() {
	local folder=$1 log=$1.log lock
	shift
	mkdir -p "$(dirname "$folder")"
	# one at a time: two that build in one folder take each other's files away
	exec {lock}>"$folder.lock"
	flock "$lock"
	# a checkout that was moved, or two with one folder: ninja would build the other one
	if [ -e "$folder/meson-info/meson-info.json" ] && ! python3 -c 'import json, os, sys
sys.exit(not os.path.samefile(json.load(open(sys.argv[1]))["directories"]["source"], sys.argv[2]))' \
		"$folder/meson-info/meson-info.json" "$top" 2>/dev/null; then
		die "$folder is the build folder of another checkout: remove it, or name another one in LRTBF_BUILD"
	fi
	if [ ! -e "$folder/build.ninja" ]; then
		say "Building in $folder"
		rm -rf "$folder"
		meson setup "$folder" "$top" "$@" >"$log" 2>&1 ||
			{ tail -n 30 "$log" >&2; die "meson setup failed, see $log"; }
	fi
	ninja -C "$folder" >"$log" 2>&1 || { tail -n 60 "$log" >&2; die "the build failed, see $log"; }
	exec {lock}>&-
}
