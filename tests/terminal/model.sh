#!/bin/sh
# /model: the same conversation in another model, in a fork, after its cost was said; no, or a model that
# cannot be loaded, changes nothing.
. "$(dirname "$0")/stage.sh"

root=$(cd "$(dirname "$0")/../.." && pwd)
demo=$root/engine/demo/quire-demo-30m-q8_0.gguf
mkdir -p "$QUIRE_HOME/models/some/other-model"
cp "$root/tests/golden/llama.gguf" "$QUIRE_HOME/models/some/other-model/tiny.gguf"
# Its header and its shape are whole, and half of its weights are missing.
head -c 16000000 "$demo" >"$QUIRE_HOME/broken.gguf"

cd "$QUIRE_HOME" || exit 1

# is_open NAME: /show has it as the model.
is_open() {
    ask "/show"
    answer_to "/show" | grep -qE "^(model|file) +$1" || fail "/show: the model is not $1"
    keys C-l
}

start -n 6
is_open quire-demo-30m
ask "Hello!"
ask "/name first"
ask '/set stop "no such end" never'
ask "/set temp 0.5"
ask '/set schema {"type": "string"}'
ask "/model none.gguf"
answer_to "/model none.gguf" | grep -q "none.gguf" || fail "/model: what is not there is not said"
keys C-l
text "/model $QUIRE_HOME/models/so"
keys Tab
wait_last "> /model $QUIRE_HOME/models/some/"
keys C-u
text "/model de"
keys Tab
wait_last "> /model demo"
keys C-u
wait_idle
ask_only "/model tiny"
wait_choice
screen | tr '\n' ' ' | grep -qE "This loads .* of weights and recomputes about [0-9]+ tokens +of this +conversation" ||
    fail "/model: what it costs is not said"
keys Escape
wait_idle
is_open quire-demo-30m
ask_only "/model tiny" # a line that is typed at the question is no answer to it
wait_last "Enter continues, Esc cancels."
type_line "/name"
keys C-u
is_open quire-demo-30m
ask_only "/model tiny"
wait_choice
keys Enter
wait_for "/help lists the commands"
wait_for "1 turn]"
wait_idle
[ "$(screen | grep -c '^> Hello!')" = 2 ] || fail "/model: the conversation is not shown again"
is_open ".*tiny.gguf"
ask "/set"
for kept in 'temp +0\.5' 'stop +on +"no such end" "never"' 'schema +on +\{'; do
    answer_to "/set" | grep -qE "^$kept" || fail "/model: $kept is forgotten"
done
ask "/set schema off"
ask "/list"
answer_to "/list" | grep -qE '^\* .* golden llama' || fail "/list: the fork has its original's model"
ask "And a second one."
ask "/list"
answer_to "/list" | grep -qE '^\* .* 2 ' || fail "/model: the fork does not go on"
answer_to "/list" | grep -qE ' 1 .*first' || fail "/model: the old conversation has not stayed"
clear_screen
ask "/resume first"
wait_for "1 turn]"
ask_only "/model $QUIRE_HOME/broken.gguf"
wait_idle
ask "/list"
answer_to "/list" | grep -qE '^\* .* 1 .*first' || fail "/model: the conversation was left for a broken model"
leave
start --no-save -n 6
ask "Hello!"
ask "/model tiny"
wait_for "this chat is not saved"
leave

# A LoRA adapter is shown, is part of the model's name, and stays with its model.
. "$root/tests/harness/gguf.sh"
adapter "$QUIRE_HOME/poet.gguf" llama '\002'
sed 's/blk\.0\.attn_q\.weight/blk.0.attn_Q.weight/' "$demo" >"$QUIRE_HOME/misnamed.gguf" # opens, and does not load
start -n 6 --lora "$QUIRE_HOME/poet.gguf=0.5"
ask "/show"
answer_to "/show" | grep -qE '^LoRA +poet, rank 1, scale 0\.5 *$' || fail "/show: no adapter"
answer_to "/show" | grep -qE '^model +quire-demo-30m \+ poet=0\.5 *$' || fail "/show: the adapter is not named"
ask "Hello!"
ask "/name verse"
keys C-l
ask_only "/model $QUIRE_HOME/misnamed.gguf"
wait_choice
keys Enter
wait_for "1 turn]"
wait_idle
is_open "quire-demo-30m \\+ poet=0.5"
clear_screen
ask_only "/model tiny"
wait_choice
keys Enter
wait_for "1 turn]"
wait_idle
is_open "golden llama"
leave

# What is not sent yet goes along: lines sent behind /model while an answer was written, which wait if
# that model cannot be opened, the line that was begun, and attached files.
printf 'The fox lives in the wood.\n' > notes.txt
start "--temp 9 --top-k 0 --top-p 1 --min-p 0 --seed 4 --backend reference -n 50 -c 1000"
begin_answer "Where is the fox?"
keys "/model misnamed.gguf" Enter "Who is there?" Enter
wait_choice
keys Enter
wait_last "> Who is there?" # it was not for this model
keys C-u
clear_screen
ask "/read notes.txt"
ask_only "/model misnamed.gguf"
wait_choice
keys Enter
wait_for "[restored"
begin_answer "What is red?"
on_screen "[1 file attached" || fail "/model: an attached file is forgotten"
keys "/model tiny" Enter "Who are you?" Enter "half a line"
wait_choice
keys Enter
wait_last "> half a line"
on_screen "> Who are you?" || fail "/model: a queued line is forgotten"
keys C-u
is_open "golden llama"
leave
"$program" list --format json | tr -d '\n\t' | grep -qE '"name":"verse"[^}]*"model":"quire-demo-30m \+ poet=0.5"' ||
    fail "list: the adapter is not stored"
