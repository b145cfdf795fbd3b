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
    [ "$(cat out)" = "Hello 😀 there" ] || fail "$url says $(cat out)"
}
ask "$root/ids/v1" -p "Good morning"
ask "$root/ids/v1" -C --all -p "Good evening"
ask "$root/ids/v1" -C --all --fork -p "Good night" --remote tokens
answer=$(printf 'Hello 😀 there' | eval "$TOKENIZE" | tr ' ' ,),2
set -- $(jq -c 'select(.path == "/ids/completion").body.prompt' server/requests | tr -d '[]')
[ $# = 3 ] || fail "$# requests"
case $2 in "$1,$answer,"*) ;; *) fail "$2 does not extend $1 and $answer" ;; esac
case $3 in "$2,$answer,"*) ;; *) fail "$3 does not extend $2 and $answer" ;; esac

"$quire" -m "$root/other/v1#echo" --vocabulary "$demo" -p Hi > out 2> err || fail "another vocabulary"
grep -q "reads a text as other tokens .* so it gets messages" err || fail "it is not said"
[ "$(cat out)" = "You said: Hi" ] || fail "no messages"
"$quire" -m "$root/other/v1#echo" --vocabulary "$demo" --remote tokens -p Hi > out 2> err
[ $? = 3 ] && grep -q "reads a text as other tokens" err || fail "--remote tokens is not refused"
