#!/bin/sh
# look.sh QUIRE COLUMNSxLINES: what is read rather than typed, as screens/look/COLUMNSxLINES-NAME has it.
. "$(dirname "$0")/stage.sh"

size=$2 columns=${2%x*} lines=${2#*x}
check() { same_screen "look/$size-$1"; }

# see NAME LINE: what comes when this line is sent to an empty screen.
see() {
    clear_screen
    ask_only "$2"
    check "$1"
}

cp "$here/rivers.jsonl" "$QUIRE_HOME/rivers.jsonl"
cd "$QUIRE_HOME" || exit 1
start "-n 2 -t 2 --backend cpu --kv-restore always --kv-device 32M --kv-host 16M --kv-disk 16M"
wait_idle
check start

# The tab says which conversation it is, and what it said before when quire has left.
title_is() { [ "$(on_tmux display-message -p '#{pane_title}')" = "$1" ]; }
wait_title() { wait_until title_is "$1" || fail "the title is not $1"; }
wait_title "quire"

# A conversation comes as it was streamed, and says what is above.
see import "/import rivers.jsonl"
wait_title "quire · three rivers"
see history "/history"
keys Enter
check history-line
keys End
check history-end
see history-left "/history"
keys q
wait_idle
see history-one "/history 1"
clear_screen
for line in "/copy code" "/copy code 1" "/copy code 9" "/copy code x" "/copy codex"; do ask "$line"; done
check copy-code
see history-wrong "/history x"

# Conversations: in a list, in the picker that Enter and -r open, and forks where they left.
ask "/fork 2a"
ask "What is a hen?"
ask "/fork unused"
ask "/fork"
ask "/new"
ask "What is the capital of Peru?"
wait_title "quire · What is the capital of Peru?"
see list "/list"
keys Enter
wait_for "Esc cancels"
check list-enter
keys Down Down
check list-down
text "hen"
check list-filter
keys Enter
wait_for "[1 earlier turn"
wait_idle
see diff "/diff"
keys End
wait_idle
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26; do ask "/new chat $i"; done
see list-many "/list"
leave
start "-r -n 2 --kv-restore never"
wait_for "Esc cancels"
check resume
text "capital"
check resume-filter
keys Enter
wait_for "1 turn"
leave
