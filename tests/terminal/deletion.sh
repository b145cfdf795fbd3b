#!/bin/sh
# What is deleted is nowhere any more: not its text, not its tokens, and not what was typed.
. "$(dirname "$0")/stage.sh"

# The files of the home that have the word, or the ids of its tokens one after the other.
ids=$(printf ' zanzibar' | "$program" tokenize --ids |
    awk '{ printf "\\x%02x\\x%02x\\x%02x\\x%02x", $1 % 256, int($1 / 256) % 256, int($1 / 65536), 0 }')
[ -n "$ids" ] || fail "the word has no tokens"
with_word() { grep -rlai -e zanzibar "$QUIRE_HOME"; LC_ALL=C grep -rlaP "$ids" "$QUIRE_HOME"; }
id_of() { "$program" list --all "$1" --format jsonl | sed -n 's/.*"id":"\([0-9a-f]*\)".*/\1/p' | head -n 1; }

start -n 6 --block-size 8
ask "Where is the isle of zanzibar? zanzibar, zanzibar"
ask "/regen"
ask "And who lives in zanzibar?"
ask "/fork the zanzibar way"
wait_for "/resume - goes back"
ask "Another zanzibar question"
ask_only "/rewind"
wait_last "> Another zanzibar question"
keys C-c
ask "/fork"
ask_only "/compact zanzibar"
wait_last "Summarize anyway? [y/N]"
text "y"
keys Enter
wait_idle
ask "/list zanzibar"
ask "/new"
ask "What is a hen?"
leave
"$program" -q -n 2 -r "the zanzibar way" -p "Is zanzibar warm?" > /dev/null 2>&1 || fail "no answer"
[ "$(with_word | sort -u | wc -l)" -ge 3 ] || fail "the word is not where it should be: $(with_word)"

# One of them: what it shares stays, and who has it is said. An untouched fork is listed.
first=$("$program" list --format jsonl | sed -n 's/.*"id":"\([0-9a-f]*\)".*"forked_from":"".*isle.*/\1/p')
"$program" list | grep -c zanzibar | grep -qx 3 || fail "not every fork is listed: $("$program" list)"
"$program" rm "$first" < /dev/null > "$QUIRE_HOME/out" 2>&1 || fail "rm fails"
grep -q "^removed $first" "$QUIRE_HOME/out" || fail "rm does not say what it removed"
grep -qE "text stays in .*\(the zanzibar way\)" "$QUIRE_HOME/out" || fail "rm does not say where text is kept: $(cat "$QUIRE_HOME/out")"
grep -q "to delete those too: quire rm --family [0-9a-f]*" "$QUIRE_HOME/out" || fail "rm does not say how to delete the rest"
[ -n "$(with_word)" ] || fail "what forks share was deleted"

# The family, in a chat.
start -n 6 --block-size 8
ask_only "/delete the zanzibar way"
wait_last "Delete this conversation permanently? [y/N, f: those too]"
text "f"
keys Enter
wait_idle
ask "/list"
leave
on_tmux kill-server
rm "$QUIRE_HOME/out"
[ -z "$(with_word)" ] || fail "still there: $(with_word) $("$program" list --all)"
grep -q "What is a hen" "$QUIRE_HOME/history" || fail "the history lost what was not deleted"
"$program" list | grep -q "What is a hen" || fail "another conversation was deleted"
