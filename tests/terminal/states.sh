#!/bin/sh
# A model with a state in place of most keys and values: its conversation is forked, goes back and is
# killed, and comes back from the disk as far as there is a state.
. "$(dirname "$0")/stage.sh"

hybrid="-m '$here/../golden/qwen35.gguf' --seed 3 -n 8 --kv-restore always --kv-disk 16M"
start "$hybrid"
ask "One fish."
ask "Two fish."
ask "/kv"
answer_to "/kv" | grep -qE '^ states +[0-9]' || fail "/kv has no states"
answer_to "/kv" | tr -d ',' | awk '$1 == "states" { exit $2 + $4 + $6 != $8 }' || fail "the states do not sum up"
ask "/fork the side"
wait_for "/resume - goes back"
ask "Red fish."
ask_only "/rewind 1"
wait_for "Back to 2 turns"
keys C-u
ask "Blue fish."
[ -n "$(answer_to "Blue fish.")" ] || fail "no answer after going back"
all_written() { ask "/kv"; answer_to "/kv" | grep -q ', 0 unwritten'; }
wait_until all_written || fail "something stays unwritten"
kill -9 "$(quire_pid)"
wait_for "left with 137"

start -C "$hybrid"
wait_for "the side"
wait_until on_screen "restored " || fail "nothing is restored"
on_screen "(disk, " || fail "what is restored is not from the disk"
screen | sed -n 's/.*restored \([0-9]*\) of \([0-9]*\) tokens.*/\1 \2/p' |
    awk '{ exit !($1 > 0 && $1 < $2 && $1 % 16 == 0) }' || fail "it does not begin at a state"
ask "Fish again."
[ -n "$(answer_to "Fish again.")" ] || fail "no answer after restoring"
leave

# With room for few states the oldest go first, and what that costs is said before it is paid.
start "-m '$here/../golden/qwen35.gguf' --seed 3 -n 8 --kv-device 300K --kv-disk 0"
for color in red green blue white; do
    ask "The $color fish swims around the old boat in the cold river."
done
for color in black brown; do
    ask "The $color fish swims around the old boat in the cold river."
    ask_only "/rewind 1"
    wait_for "Back to 4 turns"
    wait_last "> The $color fish swims around the old boat in the cold river."
    keys C-u
done
on_screen "is gone" && fail "a state that is kept is said to be gone"
ask_only "/fork 4"
wait_for "Turn 4 is in the editor"
wait_for "[state of turn 3 is gone: 2"
wait_last "> The white fish swims around the old boat in the cold river."
keys Enter
wait_idle
answer_to "The white fish swims around the old boat in the cold river." | grep -q . ||
    fail "no answer where the state was gone"
leave
