#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# traced_ranks.sh LAUNCHER SENNIT: heat on three ranks, four exchanges of rows, in a trace for each rank. `sennit view` says who sent
# and received how much.
set -eu
launcher=$1 sennit=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export SENNIT_TRACE=$folder/heat.trace
"$launcher" --oversubscribe -n 3 "$sennit" run heat --ranks --workers 2 --rows 300 --width 64 --steps 64 --together 16
unset SENNIT_TRACE
seen=$("$sennit" view "$folder/heat.trace" --text)
echo "$seen"
grep -q '^heat on 3 ranks' <<<"$seen"
for rank in '0 .* 4  *[0-9,]*  *4' '1 .* 8  *[0-9,]*  *8' '2 .* 4  *[0-9,]*  *4'; do
  grep -q "^rank $rank\$" <<<"$seen"
done
if grep -q 'left out\|clocks' <<<"$seen"; then exit 1; fi
