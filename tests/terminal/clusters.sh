#!/bin/sh
# Backspace, arrows, ^T and word keys take a character as a person sees it, whole, and the cursor
# stands where it looks.
. "$(dirname "$0")/stage.sh"

cursor() { on_tmux display-message -p '#{cursor_x}'; }
cursor_is() { [ "$(cursor)" = "$1" ]; }
stands_at() { wait_until cursor_is "$1" || fail "$2: the cursor is in column $(cursor), not $1"; }

start
wait_idle
for picture in 👩‍👩‍👧 👍🏽 ⚠️ 1️⃣ é 🇩🇪 한 漢 😀; do
    type_line "a${picture}z"
    keys Left
    keys Left
    stands_at 3 "$picture, left twice"
    keys Right
    text "|"
    wait_last "> a${picture}|z"
    keys BSpace
    wait_last "> a${picture}z"
    keys BSpace
    wait_last "> az"
    stands_at 3 "$picture, taken back"
    text "$picture"
    wait_last "> a${picture}z"
    keys Left
    keys DC
    wait_last "> az"
    text "$picture"
    wait_last "> a${picture}z"
    keys C-t
    wait_last "> az${picture}"
    keys C-e C-u
    wait_last ">"
done

# The arrows pass a syllable whole; Backspace takes what one key has typed.
text "aน้ำz"
keys Left Left
text "|"
wait_last "> a|น้ำz"
keys BSpace C-e Left BSpace
wait_last "> aน้z"
keys BSpace
wait_last "> aนz"
keys C-e C-u
wait_last ">"

# The case of letters and the order of words: an accent stays with its letter.
text "one écafés नमस्ते two"
keys C-a M-c M-u
wait_last "> One ÉCAFÉS नमस्ते two"
keys M-b M-l M-t
wait_last "> One नमस्ते écafés two"
keys C-_
wait_last "> One écafés नमस्ते two"
keys C-e C-u
wait_last ">"

# Marks belong to their words.
type_line "one नमस्ते cafés two"
keys M-b M-b M-b
text "|"
wait_last "> one |नमस्ते cafés two"
keys BSpace
keys M-d
wait_last "> one  cafés two"
keys C-y
wait_last "> one नमस्ते cafés two"
keys M-f
text "|"
wait_last "> one नमस्ते cafés| two"
keys BSpace
keys M-BSpace
wait_last "> one नमस्ते  two"
keys C-e C-u
wait_last ">"
keys C-d
wait_for "left with 0"

# Beside an answer, too.
start "$endless"
wait_idle
text "Why is the sky blue?"
keys Enter
type_line "a👩‍👩‍👧z"
keys Left
keys Left
stands_at 3 "type-ahead"
keys Right
keys BSpace
wait_last "> az"
keys C-c
wait_for "[interrupted"
