#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# manual_and_completion_test.sh PROGRAM NAME FOLDER: the manual page and the words for shells of a command, as they are installed.
# Catches: an option of --help that the page or a shell does not know, a page that man(1) complains about, a script that a shell
# cannot read, and words in the wrong place.
program=$1 name=$2 folder=$3
failed=0

fail() {
  echo "$name: $*" >&2
  failed=1
}

# offered WORD...: what bash proposes for the last word
offered() {
  COMP_WORDS=("$@")
  COMP_CWORD=$(($# - 1))
  COMPREPLY=()
  "_${name//-/_}"
  echo "${COMPREPLY[*]}"
}

# options WORD...: the options of a command's help
options() { "$program" "$@" --help | grep -oE '^ +(-[a-z],)?--[a-z-]+' | grep -oE '\-\-[a-z-]+'; }

# subcommands WORD...
subcommands() { "$program" "$@" --help | sed -n '/^Subcommands:/,$s/^  \([a-z0-9-]*\) .*/\1/p'; }

page=$(sed 's/\\-/-/g; s/\\f[BRI]//g' "$folder/$name.1")

check_options() {
  for option in $(options "$@"); do
    [[ $page == *"$option"* ]] || fail "the page has no $option of '$*'"
    [[ " $(offered "$name" "$@" "$option") " == *" $option "* ]] || fail "bash does not know $option of '$*'"
    grep -q -- "$option\[" "$folder/_$name" || fail "zsh does not know $option of '$*'"
    grep -q -- " -l ${option#--} " "$folder/$name.fish" || fail "fish does not know $option of '$*'"
  done
}

source "$folder/$name.bash" || fail "bash cannot read its words"
check_options
for word in $(subcommands); do
  [[ $page == *"$name $word"* ]] || fail "the page has no command $word"
  [[ " $(offered "$name" "$word") " == *" $word "* ]] || fail "bash does not know the command $word"
  [ "$word" = splicec ] && continue # a program of its own
  check_options "$word"
  # Of the many kernels a few.
  for below in $(subcommands "$word" | head -n 3); do check_options "$word" "$below"; done
done

if [ "$name" = sennit ]; then
  [ "$(offered sennit sim --steal '')" = "ask barrier fence" ] || fail "bash proposes '$(offered sennit sim --steal '')' as steals"
  [ "$(offered sennit sim --steal = a)" = ask ] || fail "bash proposes '$(offered sennit sim --steal = a)' behind --steal=a"
  [ "$(offered sennit run mand)" = mandelbrot ] || fail "bash proposes '$(offered sennit run mand)' for mand"
  [ -z "$(offered sennit run fib --json x)" ] || fail "bash proposes words where a file is meant"
  [[ $(offered sennit view "") != *--* ]] || fail "bash proposes options where a file is meant"
  [[ $(offered sennit view "$folder/") == *"$folder/sennit.1"* ]] || fail "bash proposes no files beside a command"
  [[ $(offered sennit list --) != *--steal* ]] || fail "bash proposes options of another command"
fi

if command -v mandoc >/dev/null; then
  complaints=$(mandoc -Tlint -W warning "$folder/$name.1" | grep -v 'missing date')
  [ -z "$complaints" ] || fail "$complaints"
fi
for shell in zsh fish; do
  file=$folder/$([ $shell = zsh ] && echo "_$name" || echo "$name.fish")
  if command -v $shell >/dev/null; then $shell -n "$file" || fail "$shell cannot read its words"; fi
done
if [ "$name" = sennit ] && command -v fish >/dev/null; then
  fish --no-config -c "source $folder/sennit.fish; complete -C'sennit view $folder/'" | grep -q sennit.1 || fail "fish proposes no files beside a command"
fi
exit $failed
