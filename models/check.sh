#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks the models with Spin: what must hold holds, what must fail fails.
#
#   check.sh [--build DIR] [CASE...]   all cases but the deep ones, or those named
#   check.sh --list                    their names, one a line
#   check.sh --no-mutants              only what must hold; also with --list
#   check.sh --deep                    larger bounds: minutes, and several GiB
#
# A failed case leaves its trail in DIR/CASE; `spin -t -p -k TRAIL MODEL` with the case's -D replays it.
set -euo pipefail

# reaches: no error, and every statement reached. holds: no error. fails: a mutant, and the search must find out.
# A case is named MODEL.DEFINE.DEFINE...
cases='
reaches deque
reaches deque PLAIN_UNLOCK FORKS=3
reaches deque FENCE
fails   deque NO_BARRIER
fails   deque SHUT_AFTER
fails   deque OPEN_OLD
fails   deque OPEN_UNLOCKED
fails   deque POP_UNLOCKED
fails   deque TAIL_BEFORE_SLOT
fails   deque KEEP_SLOT
fails   deque FENCE NO_BARRIER
fails   deque FENCE NO_OWNER_FENCE
fails   deque FENCE NO_RESTORE
reaches deque ASK
fails   deque ASK NO_BARRIER
fails   deque ASK HAND_OVER_LAST
fails   deque ASK NO_RECLAIM
reaches deque OBSERVED
reaches deque OBSERVED FENCE
fails   deque OBSERVED SEEN_FIRST
fails   deque OBSERVED KEEP_SEEN
fails   deque OBSERVED BY_TAIL
fails   deque OBSERVED FENCE SEEN_FIRST
fails   deque OBSERVED FENCE KEEP_SEEN
fails   deque OBSERVED FENCE BY_TAIL
holds   parts
holds   parts FENCE
fails   parts NO_FLOOR
fails   parts STEAL_NO_FLOOR
fails   parts LOOK_UNTOLD
fails   parts LOOK_STOLEN
fails   parts FORKS=4 LOOK_MOVED
fails   parts LOOK_UNLOCKED
fails   parts LOOK_UNNUMBERED
fails   parts PART_FIRST
fails   parts RIGHT_ABOVE
fails   parts LOWER_UNLOCKED
fails   parts KEEP_SEEN
fails   parts BY_TAIL
fails   parts FENCE LOOK_STOLEN
fails   parts FENCE LOOK_UNLOCKED
fails   parts FENCE LOOK_UNNUMBERED
fails   parts FENCE PART_FIRST
fails   parts FENCE RIGHT_ABOVE
fails   parts FENCE LOWER_UNLOCKED
fails   parts FENCE KEEP_SEEN
fails   parts FENCE BY_TAIL
reaches loop
holds   loop LOOPS=2 FORKS=0 ITERATIONS=3
reaches loop LEAVES=1
reaches loop THROWS=1
reaches loop FENCE
holds   loop FENCE LOOPS=2 FORKS=0
reaches loop FENCE LEAVES=1
reaches loop FENCE THROWS=1
reaches loop ASK ITERATIONS=3
holds   loop SHORT ITERATIONS=3
fails   loop SHORT KEEP_CHUNK
fails   loop SHORT READMIT_UNSEEN
fails   loop NO_BARRIER
fails   loop SHUT_AFTER
fails   loop GATE_FIRST
fails   loop START_LAST
fails   loop READ_TWICE
fails   loop OPEN_LIMIT_EARLY
fails   loop OPEN_HEAD_GATE_EARLY
fails   loop THROWS=1 OPEN_HEAD_GATE_EARLY
fails   loop RETIRE_UNLOCKED
fails   loop NO_MIN
fails   loop LEAVES=1 LEAVE_GATE
fails   loop FENCE NO_CLAIM_FENCE
fails   loop FENCE NO_CUT_FENCE
fails   loop FENCE NO_RESTORE
fails   loop FENCE READ_TWICE
fails   loop FENCE HEAD_EARLY
fails   loop ASK HAND_OVER_GATE
reaches join
reaches join CHILDREN=1
fails   join PUBLISH_BEFORE_SWITCH
fails   join TOUCH_AFTER
fails   join CHILDREN=1 TOUCH_AFTER
fails   join SWITCH_TOUCHES
fails   join OUTCOME_AFTER
reaches join PIECES
reaches join PIECES CHILDREN=3
fails   join PIECES EXPECT_LATE
fails   join PIECES NO_OWN_COUNT
fails   join PIECES FINISH_FIRST
reaches join GROUP
reaches join GROUP CHILDREN=3
fails   join GROUP EXPECT_LATE
fails   join GROUP NO_OWN_COUNT
fails   join GROUP CHILDREN=3 NO_OWN_COUNT
reaches mailbox
reaches mailbox PIECES
reaches mailbox BOXES=2 STRANDS=1
fails   mailbox RETURN_ON_WITHDRAWN
fails   mailbox DROP_POSTED_AT_SLEEP
fails   mailbox DROP_POSTED
fails   mailbox SLEEP_OPEN
fails   mailbox WORK_OPEN
fails   mailbox OPEN_UNSEEN
fails   mailbox CLOSE_IN_TWO
fails   mailbox POST_IN_TWO
fails   mailbox WITHDRAW_IN_TWO
fails   mailbox POST_FIRST
fails   mailbox NO_BOX
fails   mailbox BOX_DECIDES
fails   mailbox HOLDER_ONCE
fails   mailbox BOX_AFTER_LIST
fails   mailbox BOXES=2 STRANDS=1 NO_ANNOUNCE
fails   mailbox PIECES PART_FIRST
reaches spin_wait
fails   spin_wait DROP_FIRST
fails   spin_wait FIRST_FIRST
fails   spin_wait DONE_AFTER_LOOK
fails   spin_wait LEAVE_FIRST
fails   spin_wait FIRST_UNTOLD
fails   spin_wait HOLDER_NULL
holds   sleep
holds   sleep PUSHES=1 INSERTS=1
holds   sleep FENCE
holds   sleep SHUTDOWN
holds   sleep WATCH
fails   sleep NO_BARRIER
fails   sleep LIMIT_BEFORE_TAIL
fails   sleep NO_RECHECK
fails   sleep LAND_LATE
fails   sleep FLAG_OUTSIDE_LOCK
fails   sleep LEAVE_BARE
fails   sleep NO_WAKE_MORE
fails   sleep ATTACH_OPEN
fails   sleep NO_LAST_LOOK
fails   sleep WATCH WATCHED_OUTSIDE_LOCK
fails   sleep FENCE NO_SECOND_LOOK
holds   flow
fails   flow REUSE_EARLY
fails   flow EDGE_LATE
fails   flow NO_RECHECK
fails   flow COUNT_LATE
fails   flow DONE_DROPPED
reaches barrier
fails   barrier NO_FENCE
fails   barrier SAME_NUMBER
fails   barrier EARLY_END
fails   barrier NO_BARRIER
holds   home
holds   home FENCE
deep    home PUSHES=2 REGIONS=1
holds   home PUSHES=2 ALONE
fails   home CALL_FIRST
fails   home KEEP_WAKE
fails   home HOME_READ_LATE
fails   home PUSHES=2 REGIONS=1 ALONE NO_REARM
fails   home PUSHES=2 ALONE WAKE_FOR_FRAME
fails   home PUSHES=2 REGIONS=1 GUEST_LANDS
holds   donation
holds   donation STRICT
holds   donation WAITS DONATIONS=1
holds   donation LEAVES
holds   donation LEAVES STRICT
holds   donation LEAVES RETURNS DONATIONS=1
holds   donation ORDERED
holds   donation ORDERED LEAVES DONATIONS=2
holds   donation GAP
fails   donation NO_UNPARK
fails   donation UNPARK_FIRST
fails   donation DONATE_UNTOLD
fails   donation OPEN_EARLY
fails   donation ENTER_UNTOLD
fails   donation NO_RECHECK
fails   donation NO_OWN_LOOK
fails   donation LOOK_FIRST
fails   donation TAKE_IN_TWO
fails   donation STRICT NO_UNPARK
fails   donation STRICT NO_OWN_LOOK
fails   donation STRICT SHARE
fails   donation LEAVES STRICT NO_RECHECK
fails   donation LEAVES STRICT NOT_ABANDONED
fails   donation LEAVES NOT_ABANDONED
fails   donation LEAVES ABANDON_UNTOLD
fails   donation LEAVES ABANDON_LATE
fails   donation ORDERED NO_TURN
fails   donation ORDERED NO_HOLD
fails   donation GAP NO_POLL
fails   donation GAP NEVER_GIVE_UP
fails   donation GAP COUNT_DONATED
reaches beats
reaches beats DESCRIPTORS OWNERS=1
holds   beats OWNERS=1 BEATEN=1 TAKES=3
holds   beats DESCRIPTORS OWNERS=1 BEATEN=1 TAKES=3
fails   beats RELEASE_TICKET
fails   beats WAIT_FIRST
fails   beats NO_WAIT
fails   beats COUNT_LATE
fails   beats LEAVE_EARLY
fails   beats FILL_LATE
fails   beats FREE_EARLY
fails   beats BEATEN=1 SAME_TICKET
fails   beats DESCRIPTORS ANY_THREAD
fails   beats DESCRIPTORS DESCRIPTOR_FIRST
fails   beats DESCRIPTORS BEATEN=1 ONE_LOOK
holds   modules
fails   modules PUBLISH_FIRST
fails   modules PUBLISH_BLIND
fails   modules FREE_NODE
fails   modules KEEP_ALIVE
fails   modules NEW_NODE
fails   modules REVIVE_ANY
reaches graph
reaches graph THIEF
fails   graph COUNT_LATE
fails   graph COUNT_AS_LISTED
fails   graph NO_RECHECK
fails   graph LINK_LATE
fails   graph MAKE_IN_TWO
fails   graph MARK_IN_TWO
fails   graph COUNT_IN_TWO
fails   graph DONE_IN_TWO
fails   graph SHORTCUT_SHORT
fails   graph DONE_DROPPED
fails   graph OUTCOME_LATE
holds   values
holds   values LATE
holds   values PAIR
holds   values OLD
fails   values GIVE_FIRST
fails   values COUNT_LATE
fails   values SELF_FIRST
fails   values NOTE_LATE
fails   values NO_HOLD
fails   values RELEASE_READ
fails   values CREATE_UNCOUNTED
fails   values PAIR CREATOR_UNCOUNTED
fails   values PAIR CREATOR_LATE
fails   values PAIR LEAVE_LEFT
fails   values OLD RELEASE_CREATED
fails   values LATE WORKERS=3 FREE_AT_ZERO
fails   values LEAVE_UNSEEN
fails   values LATER_UNSEEN
fails   values TAKE_FIRST
deep    values LATE WORKERS=3
deep    donation WAITS
deep    donation DONATIONS=3
deep    donation LEAVES RETURNS STRICT
deep    donation ORDERED RETURNS DONATIONS=2
deep    deque FORKS=5
deep    deque OBSERVED ASK
deep    parts FORKS=4
deep    parts THIEVES=2
deep    parts FENCE THIEVES=2
deep    loop LOOPS=2 FORKS=0
deep    loop LOOPS=2 ITERATIONS=3
deep    loop FENCE LOOPS=2
deep    loop LEAVES=2
deep    loop ITERATIONS=6 CHUNK=3
deep    loop ASK
deep    loop SHORT ASK ITERATIONS=3
deep    loop ASK LOOPS=2 FORKS=0 ITERATIONS=3
deep    join CHILDREN=3
deep    mailbox BOXES=2 FRAMES=2
deep    spin_wait STRANDS=3
deep    spin_wait ROUNDS=2
deep    beats DESCRIPTORS
deep    beats OWNERS=1 TAKES=3
deep    sleep PUSHES=2 INSERTS=1
deep    sleep PUSHES=3
deep    home PUSHES=3
holds   alive
holds   alive MOST=5
holds   alive MOST=3
holds   alive HOLD
holds   alive SHARED
fails   alive MOST=5 ADMIT_LATE
fails   alive MOST=6 GIVE_UNCOUNTED
fails   alive MOST=5 COUNT_LATE
fails   alive NO_ROOM
fails   alive ANY_ORDER
fails   alive MOST=5 NO_ALONE
fails   alive NOT_ALONE
fails   alive NO_AGAIN
fails   alive HOLD FREED_UNTOLD
fails   alive SHARED FREES_SHARED
fails   alive RELEASE_FIRST
deep    alive WORKERS=3
reaches boxes
fails   boxes CLEAR_LATE
fails   boxes NO_SERVED
fails   boxes SEND_UNSEEN
fails   boxes NO_LAST_LOOK
fails   boxes KNOWN_EARLY
fails   boxes NEVER_GIVE_UP
holds   queue
holds   queue ITEMS=5
reaches queue THIEVES=2
holds   queue HIDE
holds   queue BACK
fails   queue NO_BARRIER
fails   queue SHUT_AFTER
fails   queue CLAIM_LATE
fails   queue CLAIM_BLIND
fails   queue GATE_FIRST
fails   queue CLAIM_UNLOCKED
fails   queue PUBLISH_LATE
fails   queue PUBLISH_BLIND
fails   queue ROOM_FIRST
fails   queue OPEN_EARLY
fails   queue KEEP_ROOM
fails   queue ITEM_LATE
fails   queue BACK BACK_IN_TWO
fails   queue BACK CLAIM_BLIND
holds   splices
fails   splices OVER_FIRST
fails   splices NO_LOOK
fails   splices FOREIGN_OVER
fails   splices STOLEN_READY
fails   splices NO_STRANDED
fails   splices NO_WAKE
fails   splices MEET_EARLY
reaches event
fails   event SET_BY_STORE
fails   event ANNOUNCE_BY_STORE
fails   event DATA_LATE
fails   event TOUCH_EVENT
fails   event TOUCH_WAIT
fails   event SUSPEND_LATE
reaches turns
reaches turns ANY ITEMS=3
fails   turns LOOK_THEN_PUT
fails   turns TURN_BY_STORE
fails   turns EMPTY_LATE
fails   turns MANY
fails   turns ANY ITEMS=3 IDLE_BY_STORE
fails   turns ANY ITEMS=3 TAKE_IN_TWO
fails   turns ANY ITEMS=3 LINK_LATE
deep    turns ANY
reaches colors
reaches colors LEAVES
holds   colors WORKERS=2 POSTERS=1 POSTS=3
fails   colors LOOK_FIRST
fails   colors BIT_FIRST
fails   colors WORKERS=2 POSTERS=1 POSTS=3 FORGET_OTHERS
'

models=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=$models/../build/models
deep=false
list=false
mutants=true
chosen=()
while (($#)); do
  case $1 in
    --build) build=${2:?--build needs a directory}; shift ;;
    --list) list=true ;;
    --no-mutants) mutants=false ;;
    --deep) deep=true ;;
    -*) echo "check.sh: unknown option $1 (see the head of $0)" >&2; exit 2 ;;
    *) chosen+=("$1") ;;
  esac
  shift
done

is_wanted() {  # KIND NAME
  local name
  if ((${#chosen[@]} == 0)); then
    if [[ $1 == fails ]] && ! $mutants; then return 1; fi
    if $deep; then [[ $1 == deep ]]; else [[ $1 != deep ]]; fi
    return
  fi
  for name in "${chosen[@]}"; do
    [[ $name == "$2" ]] && return
  done
  return 1
}

# Prints what is wrong with a search's report, or nothing.
fault() {  # KIND REPORT
  local kind=$1 report=$2
  # A search cut short proves nothing, whatever it has found so far.
  if grep -qE 'max search depth too small|out of memory|MEMLIM|VECTORSZ|hash-compact|aborted' "$report"; then
    echo 'search cut short'
  elif ! grep -qE 'errors: [0-9]+$' "$report"; then
    echo 'no verdict'
  elif [[ $kind == fails ]]; then
    if grep -q 'errors: 0$' "$report"; then
      echo 'the mutant was not found out'
    elif grep -q 'assertion violated.*pending' "$report"; then
      echo 'a store buffer was full: raise BUFFER'
    elif ! grep -qE '^pan:[0-9]+: (assertion violated|invalid end state)' "$report"; then
      echo 'failed for a reason of no interest'
    fi
  elif ! grep -q 'errors: 0$' "$report"; then
    message_of "$report"
  elif [[ $kind == reaches ]] && grep -E '^\s.*, state [0-9]+, ' "$report" | grep -qv -- '-end-'; then
    echo 'statements not reached'
  fi
}

message_of() {  # REPORT
  sed -nE 's/^pan:[0-9]+: (.*) \(at depth.*/\1/p' "$1" | tr -s ' ' | head -1
}

check() {  # KIND NAME MODEL DEFINE...
  local kind=$1 name=$2 model=$3 directory=$build/$2 started=$EPOCHREALTIME wrong found states seconds
  # A mutant is found out sooner than its search is compiled well.
  local level=-O1
  [[ $kind == fails ]] && level=-O0
  shift 3
  rm -rf "$directory"
  mkdir -p "$directory"
  if ! (
    cd "$directory"
    spin "${@/#/-D}" -a "$models/$model.pml" > spin.txt 2>&1
    "${CC:-gcc}" $level -w -DSAFETY -DMEMLIM=$($deep && echo 16000 || echo 2000) -o pan pan.c > gcc.txt 2>&1
    ./pan -m100000 -w20 > report.txt 2>&1 || [[ -s report.txt ]]
  ); then
    wrong="not built: see $directory"
    : >> "$directory/report.txt"
  else
    wrong=$(fault "$kind" "$directory/report.txt")
  fi
  states=$(sed -nE 's/^ *([0-9]+) states, stored.*/\1/p' "$directory/report.txt")
  seconds=$(awk -v a="$started" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.1f", b - a }')
  if [[ -n $wrong ]]; then
    found="FAILED: $wrong"
  elif [[ $kind == fails ]]; then
    found="fails as it must: $(message_of "$directory/report.txt")"
  else
    found=holds
  fi
  printf '%-32s %9s states %6s s  %s\n' "$name" "${states:-?}" "$seconds" "$found"
  [[ -z $wrong ]]
}

passed=0
failed=0
while read -r kind model defines; do
  [[ -n $kind ]] || continue
  name=$model${defines:+.${defines// /.}}
  is_wanted "$kind" "$name" || continue
  if $list; then
    echo "$name"
  elif check "$kind" "$name" "$model" $defines; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
  fi
done <<< "$cases"
$list && exit

if ((passed + failed < ${#chosen[@]} || passed + failed == 0)); then
  echo "check.sh: no such case among: ${chosen[*]} (check.sh --list names them)" >&2
  exit 2
fi
echo "$passed passed, $failed failed"
((failed == 0))
