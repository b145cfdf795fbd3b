#!/bin/sh
# The disk fills up while an answer is written: a line says so at once, the answer continues, and it is
# kept in memory until it can be saved. A limit on the size of files stands in for a full disk.
. "$(dirname "$0")/stage.sh"
command -v prlimit > /dev/null || { echo "skipped: prlimit is not installed"; exit 77; }

fill() { prlimit --pid "$(quire_pid)" --fsize=0:unlimited; }
make_space() { prlimit --pid "$(quire_pid)" --fsize=unlimited:unlimited; }
newest() { "$program" show "$("$program" list | awk 'NR == 2 { print $1 }')"; }

# interrupt QUESTION: asks it, and stops the answer once the disk is full.
interrupt() {
    clear_screen
    ask_only "$1"
    wait_until has_answer "$1" || fail "no answer"
    fill
    wait_for "; the answer continues"
    text "And "
    wait_last_ends "And" # below the answer, which continues
    keys C-c
    wait_for "[the answer is kept in memory; your next line saves it]"
    wait_last "> And"
}
ends_with() { case $(last_line) in *"$1") ;; *) return 1 ;; esac; }
wait_last_ends() { wait_until ends_with "$1" || fail "waited for the end of the last line: $1"; }

start "$endless"
interrupt "Tell me a story."
on_screen "the disk is full" || fail "the reason is not said"
shown=$(answer_to "Tell me a story." | sed -n '1,/^cannot save/p' | head -n 1)
text "then?"
wait_last "> And then?"
keys Enter
wait_last "> And then?" # it still cannot be saved, so nothing is sent
keys C-u
text "/save"
keys Enter
wait_idle
on_screen "Everything is already saved." && fail "/save claims what is not so"
keys C-d
wait_for "; ^D again quits without the last answer"
wait_idle
make_space
ask "/save"
answer_to "/save" | grep -q "Everything is already saved." || fail "/save does not save"
kill -9 "$(quire_pid)"
wait_for "left with"
newest > "$QUIRE_HOME/shown"
grep -qF "Tell me a story." "$QUIRE_HOME/shown" || fail "the question is lost"
grep -qF -e "$(echo "$shown" | cut -c 2-20)" "$QUIRE_HOME/shown" || fail "the answer is lost: $(cat "$QUIRE_HOME/shown")"

# The next line saves the answer and is then sent. All that holds for one answer holds for the next one.
start -C "$endless"
interrupt "And another."
make_space
keys C-u
ask_only "/name saved"
wait_for "[the answer is saved now]"
wait_for 'This conversation is now "saved".'
interrupt "A third one."
keys C-u C-d
wait_for "; ^D again quits without the last answer"
keys C-d
wait_for "left with"

# /quit while the answer is written, even of the first prompt, is as ^D behind it.
start -i -p "Begin." "$endless"
wait_until has_answer "Begin." || fail "no answer"
fill
wait_for "; the answer continues"
text "/quit"
wait_last_ends "/quit"
keys Enter
wait_for "; ^D again quits without the last answer"
wait_idle
make_space
keys C-d
wait_for "left with 0"
newest | grep -qF "Begin." || fail "the question is lost"
