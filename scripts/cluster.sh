#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# cluster.sh BUILD FOLDER [RANKS]: runs the programs on ranks that BUILD has, on this machine, and shows in FOLDER what each
# rank did: a page for each program.
set -eu
build=$1 folder=$2 ranks=${3:-4}
programs=(cholesky heat sw pagerank)
mkdir -p "$folder"
rm -f "$folder"/*.trace

# More ranks than processors may be: who waits lets others run.
export OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_plm=isolated
if [ "$(id -u)" = 0 ]; then
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
fi

number=0
for program in "${programs[@]}"; do
  number=$((number + 1))
  echo "[$number/${#programs[@]}] $program on $ranks ranks"
  SENNIT_TRACE=$folder/$program.trace \
    mpirun.openmpi --oversubscribe -n "$ranks" "$build/tools/sennit" run "$program" --ranks --workers 1
  "$build/tools/sennit" view "$folder/$program.trace" --text --output "$folder/$program.html"
done
