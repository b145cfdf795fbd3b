#!/bin/sh
# ^C, /continue, /rewind, /regen, /fork and kill -9 while a smaller model drafts: every answer is the
# one without drafts, greedily and by a seed. Its program drafts in each step
# (tests/harness/always_drafts.c), on a backend whose answers come slowly.
. "$(dirname "$0")/stage.sh"

demo=$(cd "$here/../../engine/demo" && pwd) || exit 1
story="Tell me a long story about a fox and a bear."
more="What did the bear do then?"
common="--backend reference -n 20"

# answers [NAME]: those on its path, a line each; or of the only conversation.
only() { "$program" list --all --format jsonl | sed -n 's/.*"id":"\([0-9a-f]*\)".*/\1/p'; }
answers() {
    "$program" show "${1:-$(only)}" --format json | python3 -c '
import json, sys
for message in json.load(sys.stdin)["messages"]:
    if message["role"] == "assistant": print(message["text"].replace("\n", " "))'
}
same() { # WANTED WHAT [NAME]
    [ "$(answers "${3-}")" = "$1" ] || fail "$2: another answer than without drafts: $(answers "${3-}"), not $1"
}

# begin LINE: an answer that would become long, of which some is there. stop LINE: and no more comes.
begin() {
    ask "/set tokens 400"
    begin_answer "$1"
}
stop() {
    begin "$1"
    keys C-c
    wait_for "[interrupted"
    ask "/set tokens 20"
}

# live SAMPLING
live() {
    "$program" -q $1 $common -n 60 --draft off -p "$story" > "$QUIRE_HOME/out" || fail "no answer"
    long=$(answers)
    rm "$QUIRE_HOME"/quire.db*
    "$program" -q $1 $common --draft off -p "$story" > "$QUIRE_HOME/out" || fail "no answer"
    first=$(answers)
    "$program" -q $1 $common --draft off -C -p "$more" > "$QUIRE_HOME/out" || fail "no second answer"
    both=$(answers)
    rm "$QUIRE_HOME"/quire.db* # history has nothing of them

    start "$1 $common --draft '$demo/quire-demo-3m-q8_0.gguf'"
    stop "$story"
    if [ "$1" = "--temp 0" ]; then
        ask "/continue"
        whole=$(answers)
        case $long in
        "$whole"*) ;;
        *) case $whole in "$long"*) ;; *) fail "/continue: another answer: $whole, not $long" ;; esac ;;
        esac
    fi
    clear_screen
    text "/rewind"
    keys Enter
    wait_last "> $story"
    keys Enter
    wait_idle
    same "$first" "/rewind"
    stop "/regen"
    clear_screen
    ask "/regen"
    same "$first" "/regen"
    ask "/fork other way"
    ask "$more"
    same "$both" "a fork" "other way"
    ask "/stats"
    answer_to "/stats" | grep -qE '^drafts right .*drafter [0-9]+ of [1-9]' || fail "nothing was drafted"
    clear_screen
    begin "/regen"
    kill -9 "$(quire_pid)"
    wait_for "left with 137"
    start "$1 $common --draft '$demo/quire-demo-3m-q8_0.gguf' -C"
    wait_for "2 turns]"
    ask "/regen"
    same "$both" "after a kill" "other way"
    leave
    rm "$QUIRE_HOME"/quire.db*
}

live "--temp 0"
live "--temp 0.8 --seed 7"
