#!/bin/sh
# A hostile text through every surface: no byte of it that a terminal obeys gets there.
. "$(dirname "$0")/stage.sh"

cd "$QUIRE_HOME" || exit 1
bytes=$QUIRE_HOME/bytes
# ESC ] 52 (the clipboard), C1 as a character, and what turns text around or breaks its line.
clip=$(printf '\033]52;c;aGFsbG8=\007')
hostile="$clip$(printf '\033[31mred\302\233\342\200\256\342\201\246\342\200\250x')"
json='\u001b]52;c;aGFsbG8=\u0007\u001b[31mred\u009b\u202e\u2066\u2028x'
printf '%s\n' '{"type":"conversation","version":1,"name":"bad \u202ename","messages":2}' \
    "{\"role\":\"user\",\"text\":\"ask $json\"}" "{\"role\":\"assistant\",\"text\":\"tell $json\"}" > bad.jsonl
printf '%s\n' "$hostile" > "$hostile.txt"

# watch COMMAND: it runs in a terminal, and what it writes there is in $bytes.
watch() {
    : > "$bytes"
    run "read -r go; $1; echo left with \$?; exec cat"
    on_tmux pipe-pane "cat > '$bytes'"
    keys Enter
}

# ours: quire's own escapes have no OSC but the tab's title, no red, and no such characters.
harmless() {
    wait_until grep -q "left with" "$bytes" || fail "$1: not all that was written is in the file"
    LC_ALL=C sed "s/$(printf '\033')]2;//g" "$bytes" > "$bytes.own"
    for bad in "$(printf '\033]')" "$(printf '\033[31mred')" "$(printf '\302\233')" \
        "$(printf '\342\200\256')" "$(printf '\342\201\246')" "$(printf '\342\200\250')"; do
        if LC_ALL=C grep -qF "$bad" "$bytes.own"; then
            fail "$1 lets $(printf '%s' "$bad" | od -An -tx1) through"
        fi
    done
}

id=$("$program" import bad.jsonl 2> /dev/null) || fail "the import failed"
for command in "show $id" "show $id --format json" "show $id --format jsonl" "export $id" "export $id --format json" \
    "export $id --format jsonl" "list" "list red" "list --format json" "kv" "kv --format json" \
    "import '$hostile.txt'" "-m '$hostile' -p x" "show '$hostile'" "tokenize '$hostile'"; do
    watch "'$program' $command"
    wait_for "left with"
    harmless "quire $(printf '%s' "$command" | cut -c 1-20)"
done

watch "'$program' -C -n 2"
wait_for "tell "
wait_idle
for line in "/list" "/list red" "/tree" "/context" "/show tokens" "/history"; do
    text "$line"
    keys Enter
    wait_until on_screen "> $line" || fail "$line is not there"
    [ "$line" = /tree ] && wait_for "Enter chooses" && keys Escape
    wait_idle
done
on_tmux load-buffer "$hostile.txt"
on_tmux paste-buffer -p
wait_until on_screen "52;c;" || fail "the paste is not there"
keys C-c
wait_idle
text "/read $QUIRE_HOME/none"
keys Enter
wait_for "cannot read "
wait_idle
keys C-d
wait_for "left with 0"
harmless "the chat"

# A terminal on which Readline draws the line by itself; and what a batch answers.
watch "TERM=dumb '$program' -n 2"
wait_idle
on_tmux set-buffer "$(printf 'red\302\233\342\200\256\342\201\246\342\200\250x')" # no keys: it comes typed
on_tmux paste-buffer
wait_until on_screen "red" || fail "the paste is not there"
keys C-u
wait_idle
keys C-d
wait_for "left with 0"
harmless "the chat on a dumb terminal"
printf '%s\n' "{\"id\":\"$json\",\"prompt\":\"x\"}" > requests.jsonl
watch "'$program' batch requests.jsonl -n 2"
wait_for "left with 0"
harmless "quire batch"

# A conversation is deleted only when the person says so; a script is not asked.
watch "'$program' rm $id"
wait_for "permanently? [y/N]"
keys n Enter
wait_for "left with 0"
harmless "quire rm"
"$program" show "$id" > /dev/null || fail "n deletes"
watch "'$program' rm $id"
wait_for "permanently? [y/N]"
keys y Enter
wait_for "removed $id"
