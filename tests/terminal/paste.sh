#!/bin/sh
# What is pasted is text: it runs nothing and attaches nothing, also when it is recalled or edited. File
# names with blanks, by Tab and by paste.
. "$(dirname "$0")/stage.sh"

cd "$QUIRE_HOME" || exit 1
printf 'a secret\n' > secret.txt
printf 'my words\n' > 'my file.txt'
cat > editor.sh <<'EOF'
#!/bin/sh
printf ' edited' >> "$1"
EOF
chmod +x editor.sh

paste() {
    on_tmux set-buffer "$1"
    on_tmux paste-buffer -p -r
}
# Pastes a line, sees it, sends it, and waits for the next prompt.
send_pasted() {
    wait_idle
    paste "$1"
    wait_last "> $1"
    keys Enter
    wait_idle
}
nothing_attached() { ! on_screen "attached: " || fail "a pasted word was read as a file"; }

export VISUAL='' EDITOR="$QUIRE_HOME/editor.sh"
start -n 4

# Blanks alone are no message, typed or pasted.
wait_idle
text "   "
keys Enter
wait_idle
paste '  '
keys Enter
wait_idle
ask "/stats"
on_screen "No turn in this chat yet" || fail "blanks were sent"
clear_screen

send_pasted 'look at @secret.txt'
nothing_attached

# Recalled, edited, in $EDITOR, and as the text of a message that is edited again.
keys Up
wait_last "> look at @secret.txt"
text " again"
keys Enter
wait_idle
nothing_attached
keys Up
wait_last "> look at @secret.txt again"
keys C-g
wait_last "> look at @secret.txt again edited"
keys Enter
wait_idle
ask_only "/edit"
wait_last "> look at @secret.txt again edited"
keys Enter
wait_idle
nothing_attached

paste '/name hijacked'
wait_for "pasted as text; type / to run it"
wait_last "> /name hijacked"
keys Enter
wait_idle
send_pasted '/usr/lib/x.so: cannot open'
ask "/tmp/core is a large file"
send_pasted 'quit'
send_pasted '"""a docstring"""'
send_pasted 'a line that ends in \'
answer_to '/usr/lib/x.so: cannot open' | grep -q "unknown command" && fail "a pasted path was a command"
answer_to '/tmp/core is a large file' | grep -q "unknown command" && fail "a typed path was a command"
on_screen "> \"\"\"a docstring\"\"\"" || fail "quotation marks were taken away"
leave

# Tomorrow it means the same; what was sent is what was pasted.
start -C -n 4
wait_idle
ask "/export talk.jsonl"
for words in 'look at @secret.txt again edited' '/name hijacked' '/usr/lib/x.so: cannot open' '"quit"' \
    'ends in \\\\"'; do
    grep -q "$words" talk.jsonl || fail "not sent as it was: $words"
done
keys Up Up Up
wait_last '> """a docstring"""'
keys Up Up Up Up
wait_last "> /name hijacked"
keys Enter
wait_idle
ask "/show params"
on_screen "hijacked ·" && fail "a recalled paste ran"

# Typed marks and pasted names.
clear_screen
text "See @"
paste "$QUIRE_HOME/my file.txt"
wait_last "> See @\"$QUIRE_HOME/my file.txt\""
keys Enter
wait_idle
wait_for "[1 file attached: "
text "/read "
paste 'my file.txt'
wait_last '> /read "my file.txt"'
keys Enter
wait_idle
wait_for "attaches 1 file: "
ask "/read -"
clear_screen
text "See @my"
keys Tab
wait_last '> See @"my file.txt"'
keys Enter
wait_idle
wait_for "[1 file attached: "
for begun in 'See @my f' 'See @my\ f' 'See (@my f' '/read my f' '/read my\ f'; do
    type_line "$begun"
    keys Tab
    wait_last "> ${begun%my*}\"my file.txt\""
    keys C-c
    wait_idle
done
text 'See @"my f'
keys Tab
wait_last '> See @"my file.txt"'
keys C-c
wait_idle
text "/import tal"
keys Tab
wait_last "> /import talk.jsonl"
keys C-c
wait_idle
# A page, a list and a question take no keys from a paste: it waits at the prompt, and is text there.
on_tmux clear-history
clear_screen
text "/help"
keys Enter
wait_until pages || fail "the help does not page"
paste "q G /name hijacked"
wait_for "q: quit · your paste waits"
keys q
wait_last "> q G /name hijacked"
keys Enter
wait_idle
text "/help"
keys Enter
wait_until pages || fail "the help does not page"
paste 'first @secret.txt
'
paste '/name hijacked'
keys q
wait_last "/name hijacked"
on_screen "> first @secret.txt" || fail "the first paste is gone"
keys Enter
wait_idle
text "/tree"
keys Enter
wait_for "Enter chooses, Esc cancels"
paste 'G /name hij'
wait_for "tree · G /name hij_"
paste 'two
lines'
keys Escape
wait_last "lines"
on_screen "> two" || fail "the paste of two lines is gone"
keys C-c
wait_idle
text "/regen 2"
keys Enter
wait_last "continue with which?"
paste '/name hijacked'
wait_last "continue with which? /name hijacked"
keys Enter
wait_last "> /name hijacked"
keys Enter
wait_idle
ask "/show params"
on_screen "hijacked ·" && fail "a paste ran"
nothing_attached

# What is not UTF-8 costs those bytes, nothing else.
printf 'caf\351 and \303 more \342\200\246' > latin.txt
on_tmux load-buffer latin.txt
on_tmux paste-buffer -p -r
wait_for "the paste was not all UTF-8; bad bytes are now �"
wait_last "> caf� and � more …"
keys Enter
wait_idle
on_screen "not UTF-8:" && fail "the paste was refused"
text "exit"
keys Enter
wait_for "left with 0"
