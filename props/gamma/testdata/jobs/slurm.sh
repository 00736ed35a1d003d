#!/usr/bin/env bash
#SBATCH --job-name=gamma
#SBATCH --array=1-16
#SBATCH --output=gamma-%a.out
#SBATCH --open-mode=append
# A run of Gamma in 16 shards on Slurm. On a machine with Go, build the tests and the command once, so that all shards are of one revision:
#
#   CGO_ENABLED=0 go test -c -o mine.test ./mine && go build -o gamma gamma/props/gamma
#   sbatch slurm.sh FOLDER ./mine PWD/mine.test -test.run '^TestProp'
#   gamma merge -o merged.jsonl FOLDER
#
# FOLDER holds the results, on a file system that all nodes share, and ./mine is the package's folder, where its cases on file lie. How much there is to judge
# is said by GAMMA_CHECKS. A shard that was killed goes on where it was: sbatch --array=3,7 slurm.sh … starts two again. With another number of shards
# than 16, change the array above and GAMMA_SHARDS.
set -euo pipefail
results=$1 package=$2 binary=$(realpath "$3")
shift 3
export GAMMA_SHARD=$SLURM_ARRAY_TASK_ID/${GAMMA_SHARDS:-16} GAMMA_DIR=$results GAMMA_SAVE=${GAMMA_SAVE:-off}
cd "$package"
exec "$binary" "$@" -test.timeout 0
