#!/bin/bash
# cluster.sh BUILD FOLDER [RANKS]: runs the programs on ranks that BUILD has, on this machine, and shows in FOLDER what each
# rank did.
set -eu
build=$1 folder=$2 ranks=${3:-4}
programs=(cholesky heat sw pagerank)
mkdir -p "$folder"
rm -f "$folder"/*.json

# More ranks than processors may be: who waits lets others run.
export OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_plm=isolated
if [ "$(id -u)" = 0 ]; then
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
fi

number=0
for program in "${programs[@]}"; do
  number=$((number + 1))
  echo "[$number/${#programs[@]}] $program on $ranks ranks"
  mpirun.openmpi --oversubscribe -n "$ranks" "$build/integrations/mpi/programs/$program" --workers 1 --notes "$folder/$program"
done
"$build/integrations/mpi/programs/cluster" "$folder" "${programs[@]}"
