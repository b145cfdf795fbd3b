#!/bin/sh
# ^C before the answer gives the message back; SIGTERM and SIGHUP save, and restore the terminal. So
# does a window that is closed, whatever is typed in it.
. "$(dirname "$0")/stage.sh"

start
ask "Hello!"
wait_idle
long=$(awk 'BEGIN { for (i = 0; i < 140; i++) printf "Fox %d found a berry in the wood. ", i }')
on_tmux set-buffer "$long
What now?"
on_tmux paste-buffer -p
wait_for "[2 lines pasted, "
keys Enter C-c
wait_for "[stopped — the message is back in the editor]"
keys C-c
wait_idle

leave
start -C "$endless"
wait_for "1 turn]"
begin_answer "Tell me a long story about a fox and a bear."
kill -TERM "$(quire_pid)"
wait_for "left with 143"
wait_until last_line_is "echo" || fail "the terminal does not have its modes back"

start -C
wait_for "[interrupted"
wait_for "2 turns" # the message that went back is none
wait_idle
type_line "a draft"
kill -HUP "$(quire_pid)"
wait_for "left with 129"

start
wait_idle
keys Up
wait_last "> a draft"
keys C-c
leave

# Ended, whether anybody has asked how or not.
start "$endless"
begin_answer "Tell me of a fox."
type_line "a draft beside it"
pid=$(quire_pid)
on_tmux kill-server
wait_until has_ended "$pid" || { kill -KILL "$pid"; echo "$0: quire runs on without a terminal"; exit 1; }

# What was typed is not lost with the window.
start -C
wait_for "1 turn"
wait_idle
keys Up
wait_last "> a draft beside it"
keys C-c
leave

# Nor is a message that was not answered yet.
column_is() { [ "$(on_tmux display-message -p '#{cursor_x}')" = "$1" ]; }
start --backend reference -n 1
wait_idle
on_tmux set-buffer "$long
And now?"
on_tmux paste-buffer -p
wait_for "[2 lines pasted, "
keys Enter
wait_until column_is 0 || fail "it is not sent"
kill -TERM "$(quire_pid)"
wait_for "left with 143"
start -C
wait_for "[the last message has no answer; it is in the editor]"
wait_for "> [2 lines, 4.8 KB: "
keys C-c
leave
