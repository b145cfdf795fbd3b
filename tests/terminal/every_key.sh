#!/bin/sh
# every_key.sh QUIRE COLUMNSxLINES: what each key does, as screens/COLUMNSxLINES/key-NAME has it.
. "$(dirname "$0")/stage.sh"

size=$2 columns=${2%x*} lines=${2#*x}
check() { same_screen "$size/key-$1"; }

# masked NAME MASK: as check, up to what the mask takes away.
masked() {
    mask=$2
    check "$1"
    mask=
}

# type TEXT: to an empty line on an empty screen.
type() {
    clear_screen
    type_line "$1"
}

give_up_line() {
    keys C-c
    wait_idle
}

cp "$here/talk.jsonl" "$QUIRE_HOME/river.jsonl"
cd "$QUIRE_HOME" || exit 1
printf 'The fox lives in the wood.\n' > notes.txt
yes 'a dog and a cat' | head -n 200 > long.txt
printf '%s\n' '{"type":"conversation","version":1,"messages":2}' '{"role":"user","text":"What is snow?"}' \
    '{"role":"assistant","text":"<think>\nIt is white, it is cold, and it comes from above.\n</think>\n\nWater."}' > snow.jsonl
printf '#!/bin/sh\nprintf " and more,\\nfrom elsewhere\\n" >> "$1"\n' > write
chmod +x write
mkdir bin
ln -s "$program" bin/quire
ln -s "$here/../../engine/demo/quire-demo-30m-q8_0.gguf" demo.gguf
engine="-m demo.gguf -t 2 --kv-type f16 --kv-device 32M --kv-host 16M --kv-disk 16M --kv-restore always"
unset VISUAL
export EDITOR="$QUIRE_HOME/write"

# ---- one line, and several

start "$engine --backend cpu -n 2"
ask "/import river.jsonl"
ask "/name the river trip" # which comes after all ids
answers() { sed -E '/^(> What is rain|"""$|pasted lines)/,/^\[/{//!d;}'; }
type "What is rain?"
keys Enter
masked enter answers

type "one"
keys C-j
text "two"
keys M-Enter
text 'three\'
keys Enter
text "four"
check new-lines
keys C-c
check ctrl-c

type '"""'
keys Enter
text "a block"
keys Enter
text "in two lines"
keys Enter
text '"""'
check block
keys Enter
masked block-sent answers

clear_screen
on_tmux set-buffer "three
pasted lines"
on_tmux paste-buffer -p
check paste
keys Enter
masked paste-sent answers

# ---- back in the draft, and in the history

type "up"
keys C-j
text "and down"
wait_last "and down"
keys Up
text "per"
check up
keys Down
text ","
check down
keys C-c
clear_screen
keys Up Up
check up-history
keys Up
check up-further
keys Down Down
check down-history # an empty line on an empty screen
keys C-r
text "rai"
check ctrl-r
keys C-e
check ctrl-r-taken
give_up_line

type "a draft,"
keys C-g
check ctrl-g
give_up_line
type "a draft,"
keys C-x C-e
check ctrl-x-ctrl-e
give_up_line

# ---- Tab

for what in "commands /re" "command /stri" "conversations /resume " "names /resume th" "paths /read no" "paths-at See @no" \
    "settings /set t" "words /show t" "presets /preset t"; do
    clear_screen
    text "${what#* }"
    keys Tab
    check "tab-${what%% *}"
    give_up_line
done

# ---- the screen, the thinking, the turns

ask "/name"
type_line "a draft"
keys C-l
is_draft() { [ "$(on_tmux capture-pane -p | sed 's/ *$//')" = "> a draft" ]; }
wait_until is_draft || fail "^L: the screen is not clear"
on_tmux clear-history
check ctrl-l
keys C-o
check ctrl-o-none
give_up_line
ask "/import snow.jsonl"
clear_screen
keys C-o
check ctrl-o
ask "/copy"
wait_for "Copied 6 bytes"
clear_screen
keys Escape Escape
check esc-esc
keys Escape
clear_screen
keys C-c
check ctrl-c-empty
keys C-d
check ctrl-d

# ---- while an answer is read or written

start "$engine $endless"
type "Look at @long.txt"
keys Enter C-c
wait_for "[stopped"
wait_last "> Look at @long.txt"
check ctrl-c-reading
give_up_line
clear_screen
begin_answer "Write a story."
story() { sed -E -e '/^> Write/,/^(\[|> And|1 queued)/{//!d;}' -e 's/^(xxxxxxxx · ).*/\1…/'; }
text "And a bear?"
masked typing story
keys Enter
masked queued story
keys C-c
wait_last "> And a bear?"
masked ctrl-c-writing story
give_up_line
leave

# ---- the shell

run "PS1='$ ' ENV= PATH='$QUIRE_HOME/bin:$PATH' exec sh -i"
wait_last "$"
text "quire"
keys Enter
type "a draft"
keys C-z
stopped() { sed -e 's/^\[.*Stopped.*/[Stopped]/' -e '/^$/d'; }
masked ctrl-z stopped
text "fg"
keys Enter
masked fg stopped
give_up_line

# What a picker and a page showed stays above the shell's lines, and is there again below them.
below_shell() { screen | awk '/^\[.*Stopped/ { below = "" } { below = below $0 "\n" } END { print below }' | grep -qF -e "$1"; }
ask_only "/resume"
wait_until picks || fail "no picker"
keys C-z
wait_last "$"
text "fg"
keys Enter
wait_until picks || fail "no picker after fg"
below_shell "$ fg" && below_shell "conversations" || fail "the picker erases what the shell wrote"
give_up_line
ask_only "/help"
wait_until pages || fail "no page"
keys C-z
wait_last "$"
text "fg"
keys Enter
wait_until pages || fail "no line below the page after fg"
keys q
wait_idle
keys C-d
wait_last "$"
