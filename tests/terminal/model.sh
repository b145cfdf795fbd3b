#!/bin/sh
# /model: another model in a new conversation; one that can not be loaded changes nothing.
. "$(dirname "$0")/stage.sh"

demo=$(cd "$(dirname "$0")/../../engine/demo" && pwd)/quire-demo-30m-q8_0.gguf
cp "$demo" "$QUIRE_HOME/other.gguf"
head -c 5000 "$demo" > "$QUIRE_HOME/broken.gguf"

start -n 6
ask "/model"
wait_for "quire-demo-30m, "
ask "Hello!"
ask "/name first"
ask "/model $QUIRE_HOME/none.gguf"
wait_for "none.gguf can not be read: No such file or directory"
keys C-l
ask_only "/model $QUIRE_HOME/other.gguf"
wait_for "/help lists the commands"
wait_idle
ask "/model"
wait_for "other.gguf"
ask "/list"
answer_to "/list" | grep -q '^\*' && fail "/model: not a new conversation"
ask "/resume first"
wait_for "1 turn]"
ask_only "/model $QUIRE_HOME/broken.gguf"
wait_for "quire: "
wait_for "1 turn]"
wait_idle
ask "What is a dog?"
ask "/list"
answer_to "/list" | grep -qE '^\* .* 2 .*first' || fail "/model: the conversation does not go on"
leave
start --no-save -n 6
ask "Hello!"
ask "/model $QUIRE_HOME/other.gguf"
wait_for "nothing is saved in this chat"
leave
