#!/bin/sh
# Packs the command with the C libraries that are installed here, for a machine that has nothing installed: ./bundle.sh peers.tar.gz
# There: tar xzf peers.tar.gz && cd peers && ./peers -libs libs -checks 100000 -time 5m -page "" -json run.jsonl
# Libraries in Python stay out. What the run found is added to the page here: go run . -from run.jsonl
set -eu
cd "$(dirname "$0")"
out=${1:-peers.tar.gz}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkdir -p "$dir/peers/libs"
CGO_ENABLED=0 go build -ldflags=-s -o "$dir/peers/peers" .
cp -r shims kernels.py "$dir/peers"
libs="$dir/peers/libs"
status=0
"$dir/peers/peers" -shims "$libs" || status=$? # what is not compiled, the bundle goes without
# The libraries themselves, and what they need beside the C library and the loader.
for name in libopenblas.so.0 libblis.so.4 libgsl.so.27 libgslcblas.so.0; do
    file=$(PATH="$PATH:/sbin:/usr/sbin" ldconfig -p | awk -v n="$name" '$1 == n { print $NF; exit }')
    if [ -n "$file" ]; then cp -L "$file" "$libs/$name"; else echo "without $name: it is not installed; ./install.sh installs it" >&2; fi
done
for file in "$libs"/*.so*; do
    ldd "$file" | awk '$3 ~ /^\// { print $1, $3 }'
done | sort -u | while read -r name file; do
    case $name in libc.so.* | libm.so.* | libpthread.so.* | libdl.so.* | librt.so.* | ld-linux*) continue ;; esac
    [ -e "$libs/$name" ] || cp -L "$file" "$libs/$name"
done
tar -C "$dir" -czf "$out" peers
ls -l "$out"
exit $status
