#!/bin/sh
# Unknown commands, settings, help and completion.
. "$(dirname "$0")/stage.sh"

start
for words in "demo model, 30 M parameters, to try quire; for a real one: quire -m FILE.gguf" \
    "quire · quire-demo-30m · q8_0 · cpu · 2,048 tokens" "/help lists the commands, ^D quits"; do
    wait_until in_words "$words" || fail "the banner breaks inside a word: $words"
done
ask "/hepl"
wait_for "unknown command /hepl; did you mean /help?"
ask "/foo"
wait_for "unknown command /foo; /help lists them"
ask "/xyzzy"
wait_for "unknown command /xyzzy"
ask "/set temp 0.5"
answer_to "/set temp 0.5" | grep -qE '^temp +0\.5' || fail "/set does not set"
ask "/set temp hot"
wait_for 'temp must be a number from 0 to 100, not "hot"'
ask "/temp 0.3"
answer_to "/temp 0.3" | grep -q '^temp  *0.3 ' || fail "/temp does not set it"
ask "/set temperature=0.4"
answer_to "/set temperature=0.4" | grep -q '^temp  *0.4 ' || fail "/set temperature= does not set it"
ask "/cost"
wait_for "unknown command /cost; did you mean /stats?"
ask "/usage"
wait_for "unknown command /usage; did you mean /stats?"
ask "/load a chat"
wait_for "unknown command /load; did you mean /resume?"
ask "/set temp=0.3"
answer_to "/set temp=0.3" | grep -q '^temp  *0.3 ' || fail "/set temp= does not set it"
for line in /Help help; do
    clear_screen
    ask "$line"
    on_screen "list the commands, or explain one" || fail "$line does not help"
done
ask "/resume a28"
words='no conversation "a28"; type at least four characters of an id; /list shows the conversations'
wait_until in_words "$words" || fail "an error breaks inside a word"
ask "/name -"
wait_until in_words 'the name "-" starts with one of - / @ "; choose another' || fail "/name - is taken"
if [ "${lines-24}" = 15 ]; then # what is longer than the screen stops there
    for line in /set /kv; do
        ask_only "$line"
        wait_until pages || fail "$line does not page"
        keys q
        wait_idle
    done
fi
ask "/Verbose off"
wait_for "Figures are shown only by /stats."
text "/set think au"
keys Tab
wait_last "> /set think auto"
keys C-c
wait_idle
ask "/save"
wait_for "already saved"
wait_idle
text "/he"
keys Tab
wait_last "> /help"
keys C-c
text "/str"
keys Tab
wait_last "> /strip"
keys Enter
wait_for "usage: /strip ID"
ask "/strip 1234abcd"
wait_for 'no conversation "1234abcd"'
ask "/delete nobody"
wait_for 'no conversation "nobody"; /list shows the conversations'
ask "/list"
wait_for "No conversations yet."
clear_screen
ask_only "/help"
wait_for "Space: more, q: quit"
keys G
wait_for "send a message that starts with a slash"
ask "/kv"
ask "/stats"
ask "/show"
leave

# What -p asked is in no list and is not continued by -C, unless asked for; a chat that continues it owns it.
rm -rf "$QUIRE_HOME"/*
"$program" -q -n 2 --temp 0 -p "What is a hen?" > "$QUIRE_HOME/out" || fail "-p failed"
start -n 2 -C
wait_for "no chat to continue; --all includes conversations started with -p"
start -n 2 -C --all
wait_for "1 turn]"
ask "/list"
on_screen "No conversations yet." || fail "/list has what -p has asked"
on_screen "1 asked with -p left out · /list --all" || fail "/list does not say what it leaves out"
ask "/list --all"
on_screen " -p What is a hen?" || fail "/list --all has not what -p has asked"
ask "And a fox?"
ask "/list"
on_screen " What is a hen? · And a fo" || fail "/list does not have what the chat went on with"
ask_only "/rewind 2"
wait_for "Back to the beginning; the message is in the editor."
wait_last "> What is a hen?"
keys C-u
ask "/redo"
ask "/name alpha"
ask_only "/resume"
wait_for "Enter chooses, Esc cancels"
text "zzz"
wait_for "0 of 1 · nothing matches; Backspace, or Esc cancels"
keys Escape
ask "/new other"
ask "/resume alp"
wait_for "alpha · 2 turns]"
ask_only "quit"
wait_for "left with 0"

# Who leaves the list that -r begins with has not asked for a chat.
start -r
wait_for "Enter chooses, Esc cancels"
keys Escape
wait_for "left with 0"

# What a search finds takes more rows than a title; the newest stays on the screen all the same.
words="the river goes down to the sea and over the stones and past the mill and under the old bridge to the zebra"
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
    printf '%s\n' '{"type":"conversation","version":1,"messages":2}' "{\"role\":\"user\",\"text\":\"Where is $i?\"}" \
        "{\"role\":\"assistant\",\"text\":\"$words\"}" > "$QUIRE_HOME/zebra.jsonl"
    "$program" -q import "$QUIRE_HOME/zebra.jsonl" > "$QUIRE_HOME/out" || fail "import failed"
done
start
ask "/list zebra"
on_screen " more · Enter lists all to pick from" || fail "/list shows more than fits"
on_tmux capture-pane -p | grep -q "^> /list zebra" || fail "what /list has found first has left the screen"
# No cached block was written yet, so there is nothing to compare the written bytes with.
ask "/kv"
on_screen "disk read 0 B" || fail "no /kv"
! on_screen "0.00 ×" || fail "/kv: a ratio to nothing"
leave
