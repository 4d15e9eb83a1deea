#!/usr/bin/env bash
# Installs the Debian or Ubuntu packages that building (build), testing (test) or taking
# pictures (screens) needs and that are missing, and says which. Elsewhere it only says what
# is needed.
set -euo pipefail

packages=(build-essential pkg-config libgtk-3-dev libwebkit2gtk-4.1-dev)
case "${1:-build}" in
build) [[ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]] || packages+=(xvfb xauth dbus imagemagick fonts-noto-cjk) ;;
screens) packages+=(chromium webkit2gtk-driver xvfb xauth dbus fonts-noto-cjk) ;;
test) packages+=(webkit2gtk-driver xvfb xauth dbus at-spi2-core procps git fonts-noto-cjk) ;;
*) echo "usage: build/deps.sh build|test|screens" >&2; exit 2 ;;
esac

[[ "$(uname -s)" == Linux ]] || exit 0
if ! command -v apt-get >/dev/null; then
	echo "No apt-get here: GTK 3 and WebKitGTK 4.1 with their headers, a C compiler and pkg-config must be installed." >&2
	exit 0
fi

missing=()
for package in "${packages[@]}"; do
	[[ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)" == installed ]] || missing+=("$package")
done
((${#missing[@]})) || exit 0

echo "Installing missing packages: ${missing[*]}"
sudo=()
if ((EUID != 0)); then
	command -v sudo >/dev/null || { echo "Not root and no sudo: install them by hand." >&2; exit 1; }
	sudo=(sudo)
fi
export DEBIAN_FRONTEND=noninteractive
"${sudo[@]}" apt-get update -q </dev/null
"${sudo[@]}" apt-get install -qy --no-install-recommends "${missing[@]}" </dev/null
