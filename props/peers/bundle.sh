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
for source in shims/*.c shims/*.cc; do
    [ -e "$source" ] || continue
    name=$(basename "$source")
    case $name in *.cc) compiler=g++ ;; *) compiler=gcc ;; esac
    $compiler -O2 -ffp-contract=off -fno-builtin -shared -fPIC -o "$libs/${name%.*}.so" "$source" $("$dir/peers/peers" -link "$name") || echo "without shims/$name" >&2
done
# The libraries themselves, and what they need beside the C library and the loader.
for name in libopenblas.so.0 libblis.so.4 libgsl.so.27 libgslcblas.so.0; do
    file=$(ldconfig -p | awk -v n="$name" '$1 == n { print $NF; exit }')
    [ -z "$file" ] || cp -L "$file" "$libs/$name"
done
for file in "$libs"/*.so*; do
    ldd "$file" | awk '$3 ~ /^\// { print $1, $3 }'
done | sort -u | while read -r name file; do
    case $name in libc.so.* | libm.so.* | libpthread.so.* | libdl.so.* | librt.so.* | ld-linux*) continue ;; esac
    [ -e "$libs/$name" ] || cp -L "$file" "$libs/$name"
done
tar -C "$dir" -czf "$out" peers
ls -l "$out"
