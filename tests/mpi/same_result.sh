#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# same_result.sh LAUNCHER PROGRAM ARGUMENT...: runs the program on 1 to 4 ranks. All print the same checksum, and that it is right.
set -eu
launcher=$1
shift
expected=
for ranks in 1 2 3 4; do
  line=$("$launcher" --oversubscribe -n "$ranks" "$@" --workers 2)
  echo "$line"
  result=${line#*; }
  case $result in
    "checksum "*", right") ;;
    *) exit 1 ;;
  esac
  if [ "${expected:=$result}" != "$result" ]; then
    echo "not the result of one rank" >&2
    exit 1
  fi
done
