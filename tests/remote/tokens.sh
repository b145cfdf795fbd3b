#!/bin/sh
# tests/remote/tokens.sh QUIRE — where a server takes tokens, each request extends the last one to the
# token, also by those that the server kept to itself; another vocabulary gets messages.
quire=$1
folder=$(mktemp -d) || exit 1
. "$(dirname "$0")/serve.sh"
trap 'stop_servers; rm -rf "$folder"' EXIT
demo=$remote/../../engine/demo/quire-demo-30m-q8_0.gguf
for name in $(env | sed -n 's/^\(QUIRE_[A-Z_]*\)=.*/\1/p'); do unset "$name"; done
unset http_proxy all_proxy HTTP_PROXY ALL_PROXY
export QUIRE_HOME="$folder/home" LC_ALL=C.UTF-8 EOS=2 TOKENIZE="'$quire' tokenize --ids -m '$demo'"
cd "$folder" || exit 1
serve "$folder/server"
root=http://127.0.0.1:$port
fail() {
    echo "FAILED: $*"
    cat err
    exit 1
}

# ask URL OPTIONS…: the answer is the server's.
ask() {
    url=$1
    shift
    "$quire" -m "$url" --vocabulary "$demo" "$@" > out 2> err || fail "$url $*"
    case "$*" in *json*) mv out json && jq -r .text json > out ;; esac
    [ "$(cat out)" = "Hello 😀 there" ] || fail "$url says $(cat out)"
}
answer=$(printf 'Hello 😀 there' | eval "$TOKENIZE" | tr ' ' ,),2

# Three turns, of which each extends the one before; what asks for one token was a probe.
turns() {
    : > server/requests
    rm -rf "$QUIRE_HOME"
    ask "$root/$1/v1" -p "Good morning"
    ask "$root/$1/v1" -C --all -p "Good evening"
    ask "$root/$1/v1" -C --all --fork -p "Good night" --remote tokens --format json
    [ "$(jq .cached_tokens.device json)" -gt 20 ] || fail "$1: no cached tokens in $(cat json)"
    set -- "$1" $(jq -c 'select(.path | test("completions?$|generate$")).body
        | select((.max_tokens // .n_predict // .sampling_params.max_new_tokens) != 1)
        | .prompt // .input_ids' server/requests | tr -d '[]')
    [ $# = 4 ] || fail "$1: $(($# - 1)) requests"
    case $3 in "$2,$answer,"*) ;; *) fail "$1: $3 does not extend $2 and $answer" ;; esac
    case $4 in "$3,$answer,"*) ;; *) fail "$1: $4 does not extend $3 and $answer" ;; esac
}
for server in ids vllm sglang sglang-new; do turns $server; done
"$quire" -m "$root/vllm/v1" --vocabulary "$demo" -p "Good day" --samples 3 --format json > out 2> err ||
    fail "three answers"
[ "$(jq -r ".[].text" out | sort | uniq -c)" = "      3 Hello 😀 there" ] || fail "three answers: $(cat out)"
tail -n 1 server/requests | jq -e '.body.n == 3' > err || fail "three answers are not asked for at once"

"$quire" -m "$root/old/v1" --vocabulary "$demo" -p Hi > out 2> err || fail "a server without ids"
grep -q "returns no token ids at /completions; sending messages instead" err || fail "no ids, and not said"
[ "$(cat out)" = "You said: Hi" ] || fail "no messages after no ids"

"$quire" -m "$root/other/v1#echo" --vocabulary "$demo" -p Hi > out 2> err || fail "another vocabulary"
grep -q "tokenizes text differently .*; sending messages instead" err || fail "it is not said"
[ "$(cat out)" = "You said: Hi" ] || fail "no messages"
"$quire" -m "$root/other/v1#echo" --vocabulary "$demo" --remote tokens -p Hi > out 2> err
[ $? = 3 ] && grep -q "tokenizes text differently" err || fail "--remote tokens is not refused"
