#!/bin/sh
# ^C in an answer keeps what was written, and says how to continue.
. "$(dirname "$0")/stage.sh"

# At this temperature an answer has no end; on this backend it comes slowly.
start "$endless"
begin_answer "Write a story."
keys C-c
wait_for "[interrupted"
leave

start -C -n 20
wait_for "[interrupted"
ask "/continue"
on_screen "unknown command" && fail "/continue is not known"
ask "/regen"
ask "/list"
answer_to "/list" | grep -qE '^\* [0-9a-f]{8} ' || fail "the conversation is not in the list"
leave

# A grammar that takes long to read is stopped, and what was set before stays.
echo 'root ::= "x" (((""{100000}){100000}){100000}){100000}' > "$QUIRE_HOME/slow.gbnf"
start
wait_idle
text "/set grammar $QUIRE_HOME/slow.gbnf"
keys Enter C-c
wait_for "stopped while reading the grammar"
wait_idle
ask "/set"
answer_to "/set" | grep -qE '^grammar +off' || fail "the grammar is set"
leave

# While another process writes to the database, ^C ends the wait, and the message comes back.
start -n 4
ask "Hello!"
mkfifo "$QUIRE_HOME/until"
python3 -c '
import sqlite3, sys
db = sqlite3.connect(sys.argv[1] + "/quire.db")
db.execute("BEGIN IMMEDIATE")
open(sys.argv[1] + "/until").read()' "$QUIRE_HOME" &
can_write() {
    python3 -c 'import sqlite3, sys; sqlite3.connect(sys.argv[1], timeout=0).execute("BEGIN IMMEDIATE")' \
        "$QUIRE_HOME/quire.db" 2> /dev/null
}
is_held() { ! can_write; }
wait_until is_held || fail "nobody holds the database"
ask_only "And now?"
text "no word is lost"
keys C-c
wait_for "is writing to"
: > "$QUIRE_HOME/until"
wait_last "> And now?no word is lost"
keys Enter
wait_idle
leave
