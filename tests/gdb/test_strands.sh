#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# test_strands.sh GDB SCRIPT PROGRAM: whether gdb shows who waits for whom.
#
# Catches: a script that reads other places than the library has its strands at, that loses a strand whose branch was stolen, or
# that leaves the library's frames in backtraces.
set -u
log=$("$1" -nx -batch -ex 'set pagination off' -ex 'set debuginfod enabled off' -ex "source $2" -ex 'break arranged' -ex run \
  -ex 'sennit strands' -ex 'echo --- bt\n' -ex 'sennit bt' -ex 'echo --- backtrace\n' -ex backtrace -ex kill "$3" 2>&1)
case $log in
  *ptrace*"not permitted"*) echo "skipped: gdb may trace no process here"; exit 77 ;;
esac

failed=0
expect() {
  printf '%s\n' "$log" | sed -n "$1" | grep -qE "$2" || { echo "not there: $2"; failed=1; }
}
expect_not() {
  ! printf '%s\n' "$log" | sed -n "$1" | grep -qE "$2" || { echo "there, but should not be: $2"; failed=1; }
}
strands='1,/^--- bt/p'
bt='/^--- bt/,/^--- backtrace/p'
plain='/^--- backtrace/,$p'
expect "$strands" '^strand .* runs on thread .*, with branch .*inner'
expect "$strands" '^  strand .* waits for 1 branch, with branch .*outer'
expect "$strands" '^    strand .* waits for 1 branch, with branch .*region'
expect "$bt" '^ +arranged'
expect "$bt" '^ +innermost\(?\)? at '
expect "$bt" '^ +inner(\(\))? at '
expect "$bt" '^ +outer(\(\))? at '
expect_not "$bt" 'worker::|fork_frame|make_fcontext'
expect "$plain" 'innermost'
expect_not "$plain" 'worker::|call_branch|make_fcontext'
if [ $failed -ne 0 ]; then printf '%s\n' "$log"; fi
exit $failed
