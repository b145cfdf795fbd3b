#!/bin/sh
# every_command.sh QUIRE COLUMNSxLINES: what each command shows, as screens/COLUMNSxLINES/NAME has it.
# A screen is named after its command, and what follows a dash; a command without one fails.
. "$(dirname "$0")/stage.sh"

size=$2 columns=${2%x*} lines=${2#*x} seen=" "

# check NAME: the screen, up to what $mask takes away.
check() {
    seen="$seen${1%%-*} "
    same_screen "$size/$1"
}

without_disk() { sed -e '/^disk/,/^map/{/^map/!d;}' -e '/^moved/,/^here/{/^here/!d;}'; } # its files' sizes
device() { sed '/^device /,/^context /{/^device /s/,.*/, …/p;/^context /!d;}'; }

# see NAME LINE: what comes when this line is sent to an empty screen.
see() {
    clear_screen
    ask_only "$2"
    check "$1"
}

# see_all NAME LINE…: what comes of one after the other.
see_all() {
    name=$1
    shift
    clear_screen
    for line in "$@"; do ask "$line"; done
    check "$name"
}

# As see, of what leaves a message in the editor; and of what waits for a choice.
see_draft() {
    see "$1" "$2"
    keys C-u
}
see_choice() {
    see "$1" "$2"
    keys Escape
}

# As see, of what a model answers.
answers() {
    awk '/^> / || /^\[([0-9]+|xxxxxxxx.*|answer .*|the summary|.* attached: .*)\]$/ { print; answer = 1; said = 0; next }
         answer && /^[^[>]/ { if (!said) print "(an answer)"; said = 1; next }
         { answer = 0; print }'
}
summary() { answers | sed -E -e 's/, [0-9]+ of/, N of/' -e 's|[0-9]+/2.0k \([0-9]+ %\)|N/2.0k (N %)|'; }
# Whether the likeliest answer of two tokens ends by itself may differ between instruction sets, and
# so may the number of tokens.
likeliest() {
    answers | awk '/^\[cut /, /\]$/ { next } { print }' |
        sed -E -e 's|[0-9]+/2.0k \([0-9]+ %\)|N/2.0k (N %)|' -e 's/[0-9]+ % cached/N % cached/'
}
writing_tokens() {
    tr '\n' '~' | sed -E -e 's/ +[0-9]+ +(none|device) +/ N CACHE /' \
        -e 's/[0-9]+ tokens ·([ ~]+in[ ~]+the[ ~]+cache:[ ~]+device[ ~]+·)?[ ~]+/N tokens · /' |
        tr '~' '\n'
}
free() { sed -E 's/1,9[0-9]+/1,9NN/'; }
numbered_answers() { sed -E 's/^([> ] +[0-9]+  ).*/\1(an answer)/'; }
see_answer() {
    mask=answers
    see "$1" "$2"
    mask=
}


cp "$here/talk.jsonl" "$QUIRE_HOME/river.jsonl"
cd "$QUIRE_HOME" || exit 1
printf 'The fox lives in the wood.\n' > notes.txt
printf 'USER: red\nASSISTANT: rot\nUSER: blue\nASSISTANT: blau\n' > shots.txt
yes 'a dog and a cat' | head -n 335 > long.txt
mkdir presets
printf '# my own\nYou are a pirate.\n' > presets/pirate.txt
ln -s "$here/../../engine/demo/quire-demo-30m-q8_0.gguf" demo.gguf
ln -s demo.gguf other.gguf

# Whatever the machine has: so many threads and so much memory.
engine="-m demo.gguf -t 2 --kv-type f16 --kv-device 32M --kv-host 16M --kv-disk 16M --kv-restore always"
start "$engine --backend cpu -n 2"
wait_idle
check start

# Nothing was said yet.
see_all list-none "/list" "/resume"
see_all diff-none "/diff" "/diff -" "/diff 1" "/diff nobody" "/diff a b c"
see_all regen-none "/regen" "/retry 2" "/beam 2" "/continue" "/alt"
see_all edit-none "/edit" "/rewind" "/undo 2" "/redo" "/fork 1" "/fork -" "/branch 1a" "/tree"
see_all history-none "/history"
see_all copy-none "/copy" "/export" "/name" "/compact" "/bg"
see_all context-none "/context" "/stats" "/think" "/show tokens"
see_all help-unknown "/hepl" "/xyzzy" "/help nothing"

# What is typed wrongly.
see_all set-wrong "/set temp hot" "/set nothing" "/set status maybe" "/verbose maybe" "/think maybe" "/show all"
see_all alt-wrong "/alt 9" "/regen 65" "/beam 1" "/redo x" "/rewind x" "/edit 9" "/continue now" "/bg now"
see_all ask-wrong "/ask" "/ask nobody Hello?" "/resume nobody" "/resume 12" "/delete" "/strip" "/delete nobody"
see_all read-wrong "/read none.txt" "/read presets" "/import" "/import none.jsonl" "/import notes.txt"
see_all system-wrong "/system @none.txt" "/preset none" "/shots notes.txt" "/model none.gguf" "/copy x" "/copy 9"

# A conversation, and what shows it.
see import "/import river.jsonl"
see list "/list"
see list-found "/ls lake"
see list-nothing "/list zebra"
see_choice resume "/resume"
see_choice switch "/switch"
see_choice tree "/tree"
see_all name "/name" "/name the way of the water to the sea" "/name"
see context "/context"
mask=device
see show "/show"
mask=
see show-tokens "/show tokens"
see_all show-template "/show template" "/show system"
see help "/help"
keys G
check help-rest
see help-fork "/help fork"
see help-think "/? think"
see set "/set"
see history "/history"
see_all history-one "/history 1" "/history x"
see show-params "/show params"
see_all set-structure '/set schema {"const": "yes"}' '/set schema' '/set grammar none.gbnf' '/set schema {"not": 1}' '/set schema off'
see_all set-one "/set seed" "/set top_p 0.9" "/set tokens 2"
see_all set-all "/set samples 2" "/set samples 65" "/set beams 1.5" "/set think off" "/set think auto" "/set samples 1"
see_all think "/think" "/think off" "/think on" "/think hide" "/think show"
see_all verbose "/verbose" "/verbose off"
mask=without_disk
see kv "/kv"
mask=
see strip "/strip the way of the water to the sea"
see_all save "/save"
see_all kv-wrong "/kv all" "/save it" "/quit it" "/set seed 18446744073709551616"
see export "/export talk.md"
see_all export-again "/export talk.md" "/export talk.jsonl" "/export talk.html"
see copy "/copy"
see_all copy-one "/copy 1" "/copy code"

# Elsewhere in it, and back.
see_draft rewind "/rewind"
see redo "/redo"
see_draft undo "/undo 2"
see redo-two "/redo 2"
see_draft edit "/edit 1"
see redo-all "/redo 3"
see_choice fork-list "/fork -"
see fork "/fork the lake"
see resume-back "/resume -"
see_draft fork-before "/fork 2"
see resume-name "/resume the lake"
see branch "/branch 2a"
see diff "/diff"
see_choice tree-forks "/tree"
see list-forks "/list"
see delete "/delete the lake"
text "n"
keys Enter
see new "/new there"
see clear "/clear"

# Heads and files.
see preset "/preset"
see preset-one "/preset pirate"
see shots "/shots shots.txt"
see_all shots-count "/shots"
see system "/system"
see_all system-one "/system You answer in rhymes." "/system -" "/shots -" "/system"
see_all read "/read" "/read notes.txt" "/read"
see_answer read-sent "Where is it?"
see_answer read-at "Is it in @notes.txt?"
see_all read-none "/read notes.txt" "/read long.txt" "/read" "/read -"

# Answers.
see stats "/stats"
see_answer regen "/regen"
see_answer regen-some "/regen 2"
text "3"
keys Enter
mask=numbered_answers
see_choice alt "/alt"
mask=
see_answer alt-one "/alt 2"
see_answer retry "/retry"
see_answer question "What is rain?"
see_answer continue "/continue"
see name-here "/name here"
see_answer ask "/ask here,there What is snow?"
mask=likeliest
see beam "/beam 2"
mask=
see compact "/compact the fox"
mask=summary
text "y"
keys Enter
check compact-done

mask=free # a summary's length
see overflow "Look at @long.txt"
text "a"
keys Enter
check overflow-abort
mask=

# Another model, and the end.
places() { sed -E 's|   */.*|   PATH|'; }
mask=places
see_choice model "/model"
costs() { sed -E -e 's/about [0-9]+ tokens/about NN tokens/' -e 's/take [0-9.]+ [KM]iB/take N KiB/'; }
mask=costs
ask "/new"
ask "Hello!"
see_choice model-other "/model other.gguf"
mask=
see quit "/quit"

# An answer that has no end, and comes slowly.
story() { sed '/^> Write/,/^New conversation/{//!d;}'; }
mask=story
rm -rf "$QUIRE_HOME/quire.db"* # so that the list depends on no summary's length
start "$engine $endless"
clear_screen
begin_answer "Write a story."
type_line "/bg"
keys Enter
check bg
mask=
mask=writing_tokens # what there is of it is stored each second
see list-writing "/list"
mask=
see quit-writing "/quit"
keys C-d
wait_for "left with 0"

for name in $(sed -n 's|^/\([a-z]*\) .*|\1|p' "$here/screens/80x24/help"); do
    case $seen in *" $name "*) ;; *) fail "/$name has no screen" ;; esac
done
