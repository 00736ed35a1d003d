#!/bin/sh
# Installs the libraries that this module judges, from the packages of Debian 12, and prints the versions. It asks for root's rights where it has not got them.
set -eu
packages="gcc g++ libopenblas-dev libblis-dev libgsl-dev libfftw3-dev libkissfft-dev libqd-dev libsleef-dev libflint-dev libntl-dev libgmp-dev python3-numpy python3-scipy python3-torch"
sudo=""
[ "$(id -u)" = 0 ] || sudo="sudo"
$sudo apt-get update
$sudo apt-get -o DPkg::Lock::Timeout=600 install -y --no-install-recommends $packages
dpkg-query -W $packages
