# tests/terminal/stage.sh — a terminal with quire in it, and what a person does there.
#
# Each script sources this with the program as its first argument and, if that is not 80x24, the
# terminal's size as its second. It has a tmux server and a QUIRE_HOME of its own. It waits until
# something is on the screen, with a limit, so nothing depends on how fast the machine is.

program=$1
case ${2-} in [0-9]*x[0-9]*) columns=${2%x*} lines=${2#*x} ;; esac
here=$(cd "$(dirname "$0")" && pwd) || exit 1
. "$here/../harness/wait.sh"
command -v tmux > /dev/null || { echo "skipped: tmux is not installed"; exit 77; }
export LC_ALL=C.UTF-8
# Ignores what the person who runs this has set up: quire's settings, shell and key bindings.
for name in TMUX NO_COLOR VISUAL $(env | sed -n 's/^\(QUIRE_[A-Z_]*\)=.*/\1/p' | grep -vx QUIRE_TEST_SCREENS); do
    unset "$name"
done
export SHELL=/bin/sh INPUTRC=/dev/null
QUIRE_HOME=$(mktemp -d) || exit 1
export QUIRE_HOME
socket=quire-test-$$

# Options for an answer that is slow and does not end: all tokens are about equally likely, and with
# this seed the one that would end the answer does not come.
endless="--temp 9 --top-k 0 --top-p 1 --min-p 0 --seed 4 --backend reference -n 1400 -c 1900"

on_tmux() { tmux -L "$socket" -f /dev/null "$@"; }

finish() {
    on_tmux kill-server 2> /dev/null
    # The programs in the terminal may still be writing to this folder.
    for try in 1 2 3 4 5 6 7 8 9 10; do
        rm -rf "$QUIRE_HOME" 2> /dev/null && break
        sleep 0.1
    done
}
trap finish EXIT
trap 'exit 1' INT TERM

screen() { on_tmux capture-pane -p -S - | sed 's/ *$//'; }

fail() {
    echo "$0: $*"
    echo "--- the screen:"
    screen
    exit 1
}

no_terminal() { ! on_tmux list-sessions > /dev/null 2>&1; }

# run COMMAND: in a new terminal of $columns x $lines (80x24 if unset), on another tmux server than
# before, because the last one may still be ending.
run() {
    on_tmux kill-server 2> /dev/null
    wait_until no_terminal || exit 1
    starts=$((${starts-0} + 1))
    socket=quire-test-$$-$starts
    on_tmux new-session -d -x "${columns:-80}" -y "${lines:-24}" "$1" || exit 1
}

# start OPTIONS…: quire, with the variables in $environment. When it has ended, the screen shows
# "left with N", where N is its exit code, and the terminal's modes.
start() {
    run "${environment-} '$program' --temp 0 $*; echo left with \$?; stty -a | grep -o -e '-*echo ' -e '-*icanon'; exec cat"
}

# The pane's process is the shell; quire is its child.
quire_pid() { ps -o pid= --ppid "$(on_tmux list-panes -F '#{pane_pid}')" | awk 'NR == 1 { print $1 }'; }

# resize COLUMNS ROWS: and waits until the program can see the new size.
size_is() { [ "$(stty -F "$(on_tmux display-message -p '#{pane_tty}')" size)" = "$1" ]; }
resize() {
    on_tmux resize-window -x "$1" -y "$2"
    wait_until size_is "$2 $1" || fail "the screen is not $1x$2"
}

keys() { on_tmux send-keys "$@"; }
text() { on_tmux send-keys -l "$1"; }

# on_screen TEXT: in one row, or broken into several between words or by the terminal.
on_screen() {
    screen | grep -qF -e "$1" || on_tmux capture-pane -p -J -S - | sed 's/ *$//' | tr -s '\n ' ' ' |
        grep -qF -e "$(printf '%s' "$1" | tr -s ' ')"
}
# in_words TEXT: in one row, or broken between words only.
in_words() { screen | tr -s '\n ' ' ' | grep -qF -e "$1"; }
wait_for() { wait_until on_screen "$1" || fail "waited for: $1"; }

# The last line, joined if it takes several rows.
last_line() { on_tmux capture-pane -p -J -S - | sed -e 's/ *$//' -e '/^$/d' | tail -n 1; }
last_line_is() { [ "$(last_line)" = "$1" ]; }
# Waits for an empty prompt.
wait_idle() { wait_until last_line_is ">" || fail "waited for the prompt"; }
wait_last() { wait_until last_line_is "$1" || fail "waited for the last line: $1"; }

# A list waits for a choice; /model for a yes.
picks() { last_line | grep -q "Esc cancels[.]*$"; }
wait_choice() { wait_until picks || fail "waited for a choice"; }

pages() { last_line | grep -q 'q: quit$'; }
idle_or_pages() { last_line_is ">" || pages; }

# Types a line, at an empty prompt or while an answer is written, and waits until it is shown.
type_line() {
    text "$1"
    wait_last "> $1"
}

# Types a line, sends it, and waits for the next prompt, through all pages.
ask() {
    ask_only "$1"
    wait_until idle_or_pages || fail "waited for the prompt"
    ! pages || keys G
    wait_idle
}

# As ask, but without waiting for the end.
ask_only() {
    wait_idle
    type_line "$1"
    keys Enter
}

# As ask, but waits only until some of the answer is there.
begin_answer() {
    ask_only "$1"
    wait_until has_answer "$1" || fail "no answer comes to: $1"
}

# Sends the answer that is being written to the background.
to_background() {
    type_line "/bg"
    keys Enter
    wait_for "The answer continues in the background"
}

# What stands below the last line that reads "> $1", up to the next prompt, without the status line.
answer_to() {
    screen | awk -v line="> $1" '
        $0 == line { answer = ""; inside = 1; next }
        inside && /^>/ { inside = 0 }
        /^(.* · )?[0-9.k]+\/[0-9.k]+ \([0-9]+ %\)/ { next }
        inside && NF { answer = answer $0 "\n" }
        END { printf "%s", answer }'
}

# What is on the screen, and what has scrolled off it since it was cleared. Whatever differs between
# runs or machines is replaced or removed: ids, ages, speeds, this test's folder, what stands after an
# arrow, and what the command $mask takes away.
shown() {
    on_tmux capture-pane -p -S - | sed -E -e 's/[0-9a-f]{8}/xxxxxxxx/g' -e 's/ +(now|[0-9]+ min)  /  AGE  /' \
        -e 's/^    (now|[0-9]+ min) · /    AGE · /' \
        -e 's/→ .*/→ …/' -e 's/ · [0-9]+ tok.s//' -e 's/ · pool [0-9]+ %//' -e 's|[0-9]+ tok/s|N tok/s|' -e 's/disk [0-9.]+ [KM]iB of/disk N of/' \
        -e 's/^(first token +)[0-9]+ ms/\1N ms/' -e "s|$QUIRE_HOME|HOME|g" -e 's/ +$//' | ${mask:-cat}
}

# has_answer LINE: some of the answer to it is there.
has_answer() { answer_to "$1" | grep -qvE '^(reading|waiting for) '; }

is_still() {
    before=$(shown)
    sleep 0.5
    [ "$(shown)" = "$before" ]
}

# same_screen NAME: waits until the screen is that of the file screens/NAME. With
# QUIRE_TEST_SCREENS=write it writes the file instead.
is_same() { [ "$(shown)" = "$(cat "$1")" ]; }
same_screen() {
    file=$here/screens/$1
    if [ "${QUIRE_TEST_SCREENS-}" = write ]; then
        wait_until is_still
        printf '%s\n' "$(shown)" > "$file"
    elif ! wait_until is_same "$file"; then
        printf "%s\n" "$(shown)" | diff "$file" -
        fail "the screen is not $file"
    fi
}

# is_clear: there is nothing but an empty prompt on the screen.
is_clear() { [ "$(on_tmux capture-pane -p | sed 's/ *$//')" = ">" ]; }
clear_screen() {
    wait_until idle_or_pages || fail "waited for the prompt"
    ! pages || keys q
    wait_idle
    keys C-l
    wait_until is_clear || fail "the screen is not empty"
    on_tmux clear-history
}

leave() {
    wait_idle
    keys C-d
    wait_for "left with 0"
}
