#!/bin/sh
# /preset, /shots and /system: what a conversation begins with, and what that costs.
. "$(dirname "$0")/stage.sh"

cd "$QUIRE_HOME" || exit 1
printf 'USER: red\nASSISTANT: rot\nUSER: blue\nASSISTANT: blau\n' > shots.txt
printf 'USER: red\n' > broken.txt
mkdir presets
printf '# my own\nYou are a pirate.\n' > presets/pirate.txt

start -n 4
ask "/preset none"
wait_for "no preset \"none\""
text "/preset pi"
keys Tab
wait_last "> /preset pirate"
keys Enter
wait_for "Preset set."
ask "/shots shots.txt"
ask "/shots broken.txt"
wait_for "broken.txt: line 1: USER: without ASSISTANT: after it"
ask "/shots"
answer_to "/shots" | grep -q "2 few-shot pairs" || fail "/shots does not count them"
clear_screen
ask "/system"
on_screen "You are a pirate." || fail "/shots took the system prompt away"
on_screen "ASSISTANT: blau" || fail "/system does not show the shots"
ask "green"
ask "/context"
answer_to "/context" | grep -qE '^# preamble +[1-9]' || fail "/context has no preamble"
answer_to "/context" | grep -qE '^= turns +[1-9].* 1 turn$' || fail "/context has not one turn"
ask "/new"
ask "/context"
answer_to "/context" | grep -q 'shared by 2$' || fail "/context: the head is not shared"
ask "yellow"
ask "/stats"
answer_to "/stats" | grep -qE '^prompt tokens +[1-9][0-9]* cached' || fail "the head is not in the cache"
ask "/system You answer in rhymes."
wait_for "Started a new conversation with this system prompt; /resume - goes back"
ask "/shots -"
ask "/shots"
answer_to "/shots" | grep -q "0 few-shot pairs" || fail "/shots - leaves some"
ask "/system -"
ask "/system"
answer_to "/system" | grep -q "No system prompt." || fail "/system - leaves one"
ask "/system @none.txt"
wait_for "cannot read none.txt"
leave
