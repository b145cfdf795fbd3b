#!/bin/sh
# A message that does not fit: what is too much, and the four ways; /compact; the warning before.
. "$(dirname "$0")/stage.sh"

long=$(awk 'BEGIN { for (i = 0; i < 20; i++) printf "a dog " }')

# Each answer is ten tokens: as in `endless`, the one that ends it does not come.
unended="--temp 9 --top-k 0 --top-p 1 --min-p 0 --seed 4"

in_editor() { case $(last_line) in *"a dog") ;; *) return 1 ;; esac; }

fill() {
    for i in 1 2 3 4; do ask "Tell me about a dog, a cat, a fish and a bird, number $i."; done
}

start -n 10 -c 192 $unended
ask "/compact"
wait_for "nothing to summarize yet"
ask "Why?"
ask_only "/compact"
wait_last "Summarize anyway? [y/N]"
screen | tr -s '\n ' ' ' | grep -qE 'A summary would replace [0-9]+ tokens and could take [0-9]+, which may be longer\.' ||
    fail "/compact does not say what it would cost"
text "n"
keys Enter
wait_idle
ask "/new"
clear_screen
fill
wait_for "/compact frees some]"
clear_screen
on_tmux set-buffer "$long$long"
on_tmux paste-buffer -p
wait_until on_screen "a dog a dog" || fail "the paste is not there"
keys Enter
wait_for "[c]ompact [d]rop oldest [e]dit [a]bort"
on_screen "of 192 are free" || fail "the dialogue has no numbers"
text "e"
keys Enter
wait_until in_editor || fail "[e]: the message is not in the editor"
keys Enter
wait_last "[c]ompact [d]rop oldest [e]dit [a]bort"
text "do what?"
keys Enter
wait_for "a dog do what?" # typed at the question, and no choice
keys Enter
wait_last "[c]ompact [d]rop oldest [e]dit [a]bort"
text "a"
keys Enter
wait_for "Not sent"
wait_idle
clear_screen
keys Up
wait_until on_screen "> a dog a dog" || fail "[a]: the message is not in the history"
keys Enter
wait_last "[c]ompact [d]rop oldest [e]dit [a]bort"
text "d"
keys Enter
wait_for "Dropped the oldest "
wait_idle
on_screen "/resume - goes back to the original." || fail "[d] does not say how to come back"
ask "/list"
answer_to "/list" | grep -qE '└ ' || fail "[d] was not in a fork"
ask "/resume -"
clear_screen
ask "/context"
answer_to "/context" | grep -q ' 4 turns$' || fail "[d] changed the original"
printf 'A cat sat.\n' > "$QUIRE_HOME/cat.txt"
ask "/read $QUIRE_HOME/cat.txt"
on_tmux set-buffer "$long$long"
on_tmux paste-buffer -p
wait_until on_screen "a dog a dog" || fail "the paste is not there"
keys Enter
wait_last "[c]ompact [d]rop oldest [e]dit [a]bort"
text "a"
keys Enter
wait_idle
clear_screen
ask "/read"
answer_to "/read" | grep -q "^The next message attaches 1 file: " || fail "[a]: the file does not wait any more"
ask "/read -"
ask "/compact the dog"
wait_for "[the summary]"
says_what_stays() {
    screen | tr -s '\n ' ' ' |
        grep -qE 'The summary replaces [23] turns; the last (turn stays as it was|2 turns stay as they were)\.'
}
wait_until says_what_stays || fail "/compact does not say what it replaced"
wait_for "Now in the fork "
ask "/context"
answer_to "/context" | grep -qE ' [23] turns$' || fail "/compact: not a summary and the last turns"
ask "/name"
answer_to "/name" | tr -d '\n ' | grep -qF '(shortened' || fail "/compact gave the fork no name"
ask_only "/tree"
wait_for "Summarise our conversation so f… → "
keys Escape
ask "/resume -"
on_tmux set-buffer "$long$long$long$long$long$long"
on_tmux paste-buffer -p
wait_until on_screen "a dog a dog" || fail "the paste is not there"
keys Enter
wait_last "[e]dit [a]bort"
text "a"
keys Enter
leave

# What leaves room for a few tokens only asks first, and may be sent all the same; what the context ends
# is said once.
start -n 10 -c 192 $unended
fill
ask "/set tokens 0"
ask_only "Why?"
wait_last "[s]end [c]ompact [d]rop oldest [e]dit [a]bort"
on_screen "(64 are reserved" || fail "the reserve is not said"
text "e"
keys Enter
wait_last "> Why?"
keys Enter
wait_last "[s]end [c]ompact [d]rop oldest [e]dit [a]bort"
clear=$(screen | grep -c "/compact")
text "s"
keys Enter
wait_idle
has_answer "Why?" || on_screen "[the context is full" || fail "[s] does not send"
[ "$(screen | grep -c "/compact")" -le $((clear + 1)) ] || fail "one fact, two notices"
ask "/list"
answer_to "/list" | grep -qE '└ Tell me about a' || fail "a summary's fork is not called by what was asked"
leave

cd "$QUIRE_HOME" || exit 1
printf '%s%s' "$long" "$long" > long
"$program" -q -n 4 -c 192 -r "$("$program" list --format jsonl | sed -n '/"turns":4/s/.*"id":"\([^"]*\)".*/\1/p')" \
    --prompt-file long > out 2> said < /dev/null
[ $? = 4 ] || fail "--overflow is error where nothing is said: $(cat said)"
id=$("$program" list --format jsonl | sed -n '/"turns":4/s/.*"id":"\([^"]*\)".*/\1/p')
printf '%s%s%s%s' "$long" "$long" "$long" "$long" > long
for way in drop compact; do
    "$program" -n 4 -c 320 --temp 0 -r "$id" --overflow $way --prompt-file long > out 2> said < /dev/null ||
        fail "--overflow $way: $(cat said)"
    [ -s out ] || fail "--overflow $way has no answer"
    grep -q "old turns were shortened (--overflow $way) in the fork" said || fail "--overflow $way says: $(cat said)"
done
"$program" show "$id" --format jsonl > out
[ "$(wc -l < out)" = 8 ] || fail "--overflow changed the original"
