#!/bin/sh
# What goes to the terminal, byte by byte, where somebody does not want escapes or has another
# locale, and at 40 and 300 columns.
. "$(dirname "$0")/stage.sh"

escape=$(printf '\033')
bytes=$QUIRE_HOME/bytes

# begin WIDTH ENVIRONMENT OPTIONS…: all that quire writes is in $bytes.
begin() {
    columns=$1 environment=$2
    shift 2
    : > "$bytes"
    run "read -r go; env $environment '$program' --temp 0 $*; echo left with \$?; exec cat"
    on_tmux pipe-pane "cat > '$bytes'"
    keys Enter
    wait_for "/help lists the commands"
}

styles() { grep -q "$escape\[[0-9;]*m" "$bytes"; }
colours() { grep -q "$escape\[[0-9;]*3[1-7]m" "$bytes"; }

talk() {
    ask "/nothing" # an error is red
    ask "Hello!"
    [ -n "$(answer_to "Hello!")" ] || fail "no answer"
    ask "/think"
    on_screen "[the last answer has no reasoning]" || fail "/think shows something"
    leave
    wait_until grep -q "left with" "$bytes" || fail "not all that was written is in the file"
}

begin 80 TERM=tmux -v
talk
colours || fail "no styles on a terminal"
on_screen " tok/s" || fail "no status line"

begin 80 "TERM=tmux NO_COLOR=1"
wait_idle
ask_only "/resume"
wait_for "Enter chooses, Esc cancels"
keys Escape
talk
colours && fail "NO_COLOR has colours"
styles || fail "NO_COLOR takes more than colours"
begin 80 TERM=tmux --color never
talk
colours && fail "--color never has colours"
styles || fail "--color never takes more than colours"
begin 80 NO_COLOR=1 --color always
talk
colours || fail "--color always has no styles"

begin 80 TERM=dumb
talk
grep -q "$escape" "$bytes" && fail "TERM=dumb has escapes: $(grep -a "$escape" "$bytes" | cat -v | head -3)"

begin 80 "LC_ALL=POSIX TERM=tmux"
wait_idle
type_line "漢字 é"
keys BSpace BSpace BSpace
wait_last "> 漢"
keys BSpace
talk
begin 80 "LC_ALL=xx_XX.ISO-8859-1 TERM=tmux"
talk

begin 40 TERM=tmux -v
[ "$(screen | grep -c '^limits · 64 answers at once, 512 tokens$')" = 1 ] || fail "words are broken"
talk
begin 300 TERM=tmux
talk
