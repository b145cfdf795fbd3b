#!/bin/sh
# /read, @FILE with Tab, what is refused; /export, /import, /copy.
. "$(dirname "$0")/stage.sh"

cd "$QUIRE_HOME" || exit 1
printf 'The fox lives in the wood.\n' > notes.txt
printf 'a\0b' > binary.bin
mkdir folder
yes 'a dog and a cat' | head -n 2000 > long.txt

start -n 4 -c 512
ask "/read"
wait_for "No file attached"
ask "/read notes.txt"
wait_for "1 file: "
ask "/read notes.txt none.txt"
wait_for "cannot read none.txt: No such file or directory"
ask "/read binary.bin"
wait_for "is not text"
ask "/read folder"
wait_for "Is a directory"
clear_screen
ask "/read"
wait_for "1 file: "
ask "Where does it live?"
wait_for "[1 file attached: "
ask "/list"
answer_to "/list" | grep -q " Where does it live?$" || fail "the conversation is called by a file"
[ "$(on_tmux display-message -p '#{pane_title}')" = "quire · Where does it live?" ] ||
    fail "the tab is called by a file"
clear_screen
ask "/read notes.txt"
wait_for "attaches 1 file: "
costs=$(screen | sed -n 's/.*attaches 1 file: \([0-9]* tokens\), .*/\1/p' | tail -n 1)
ask "/read -"
ask "Where does it live, and what of the fox that is in @notes.txt?"
wait_for "[1 file attached: $costs, "
ask "/read long.txt"
wait_for "This does not fit the context; /read - drops it."
ask "/read -"
wait_for "Dropped the attached files."
clear_screen
text "See @no"
keys Tab
wait_last "> See @notes.txt"
keys Enter
wait_idle
wait_for "[1 file attached: "
ask_only "See @nots.txt"
wait_for "no file nots.txt (\\@ sends the word as it is)"
wait_last "> See @nots.txt"
keys C-u
ask "Ask @anna."
clear_screen
ask "/export talk.md"
wait_for "messages to talk.md."
ask "/export talk.md"
wait_for "talk.md already exists; choose another name"
grep -q '^## user' talk.md || fail "the export has no heading"
grep -q 'The fox lives in the wood.' talk.md || fail "the file was not in the message"
ask "/export none/talk.md"
wait_for "cannot create none/talk.md: its folder does not exist"
ask "/export talk.pdf"
wait_for 'unsupported file type ".pdf" (expected .md, .html or .jsonl)'
ask "/export talk.jsonl"
ask "/new"
ask "/copy"
wait_for "no answer yet"
ask "/export"
wait_for "nothing to export yet"
clear_screen
ask "/import talk.jsonl"
wait_for "4 turns]"
on_screen "Ask @anna." || fail "/import does not show what it brought"
ask "/import notes.txt"
wait_for "notes.txt: line 1: expected one JSON object"
ask "/import"
wait_for "usage: /import FILE.jsonl"
ask "/export again.jsonl"
sed 1d talk.jsonl | sed 's/,"created_ms.*//' > a
sed 1d again.jsonl | sed 's/,"created_ms.*//' > b
cmp a b || fail "what was imported is not what was exported"
ask "/copy 1"
wait_for "bytes to the clipboard."
[ "$(on_tmux show-buffer)" = "$(sed -n '3s/.*"text":"\([^"]*\)".*/\1/p' talk.jsonl)" ] ||
    fail "the clipboard has: $(on_tmux show-buffer)"
ask "/copy 9"
wait_for "turn 9 has no answer"
leave

# Far from tmux's own buffers, as over a network: the terminal is asked, which is tmux.
near=$program
printf '#!/bin/sh\nunset TMUX DISPLAY WAYLAND_DISPLAY\nPATH=/none exec "%s" "$@"\n' "$near" > far
chmod +x far
program=$QUIRE_HOME/far
start -C
wait_for "turns]"
wait_idle
on_tmux set-option -s set-clipboard on
ask "/copy 1"
wait_for "bytes to the clipboard."
[ "$(on_tmux show-buffer)" = "$(sed -n '3s/.*"text":"\([^"]*\)".*/\1/p' talk.jsonl)" ] ||
    fail "the terminal's clipboard has: $(on_tmux show-buffer)"
leave
program=$near

"$program" export "$("$program" list --format jsonl | sed -n '1s/.*"id":"\([^"]*\)".*/\1/p')" \
    --format jsonl > out.jsonl || fail "quire export"
"$program" import out.jsonl 2> said || fail "quire import: $(cat said)"
grep -qE '^imported [0-9a-f]{8}: 8 messages$' said || fail "quire import says: $(cat said)"
"$program" import notes.txt 2> said
[ $? = 2 ] || fail "quire import of something else"
