#!/bin/sh
# Install Chromium, in which tests open pages, if it is missing.
set -eu

command -v chromium >/dev/null && exit 0
if [ "$(id -u)" != 0 ]; then
    echo "Chromium is missing, and installing it needs root:" >&2
    echo "    sudo apt-get install --no-install-recommends chromium" >&2
    exit 1
fi
echo "==> installing the Debian package chromium"
export DEBIAN_FRONTEND=noninteractive
apt-get -q update
apt-get -q install --yes --no-install-recommends chromium
