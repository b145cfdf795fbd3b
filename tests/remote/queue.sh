#!/bin/sh
# tests/remote/queue.sh QUIRE — lines that are queued behind a line that fails, or whose question is
# answered with no, are not sent: they relied on the model or the text that this line would have brought.
. "$(dirname "$0")/../terminal/stage.sh"
folder=$QUIRE_HOME/server
. "$(dirname "$0")/serve.sh"
trap 'stop_servers; finish' EXIT
unset CURL_CA_BUNDLE SSL_CERT_FILE http_proxy https_proxy all_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY
serve "$folder"

root=$(cd "$(dirname "$0")/../.." && pwd)
mkdir -p "$QUIRE_HOME/models/some/other-model"
cp "$root/tests/golden/llama.gguf" "$QUIRE_HOME/models/some/other-model/tiny.gguf"
sed 's/blk\.0\.attn_q\.weight/blk.0.attn_Q.weight/' "$root/engine/demo/quire-demo-30m-q8_0.gguf" \
    > "$QUIRE_HOME/misnamed.gguf" # opens, but does not load
cd "$QUIRE_HOME" || exit 1

# behind QUESTION LINE…: queues the lines while the answer to the question is written, then lets that end.
behind() {
    clear_screen
    ask_only "$1"
    wait_for "Half an ans"
    shift
    for line in "$@"; do
        text "$line"
        wait_last_ends "> $line"
        keys Enter
    done
    wait_for "$# queued: "
    : > "$folder/go"
}
ends_with() { case $(last_line) in *"$1") ;; *) return 1 ;; esac; }
wait_last_ends() { wait_until ends_with "$1" || fail "waited for the end of the last line: $1"; }

# is_back LINE: it is in the editor, and was never sent.
is_back() {
    wait_last "> $1"
    [ "$(screen | grep -cxF -e "> $1")" = 1 ] || fail "$1 was sent"
    keys C-c C-c
}
said="[not sent: what was queued behind it is back in the editor]"
more="[1 more line comes back after this one]"

start -n 6 -m "http://127.0.0.1:$port/v1#gated"
for line in "/model none.gguf" "/modle tiny" "/read none.txt" "/preset none" "/set temp hot"; do
    behind "Tell a story." "$line" "Who is there?"
    wait_for "$said"
    is_back "Who is there?"
done

# The same behind a message or an answer that fails. The message itself comes back first.
behind "Tell a story." "What is in @none.txt?" "And in which language?"
wait_for "$more"
wait_last "> What is in @none.txt?"
keys C-c C-c
is_back "And in which language?"
behind "Tell and break off." "And a fox?"
wait_for "/continue resumes the answer"
wait_for "$said"
is_back "And a fox?"

# The same if a model is no longer wanted, or cannot be opened, and if a list is left.
behind "Tell a story." "/model tiny" "Who is there?" "/name asked"
wait_choice
keys Escape
wait_for "$more"
is_back "Who is there?"
is_back "/name asked"
behind "Tell a story." "/model misnamed.gguf" "Who is there?"
wait_choice
keys Enter "And a fox?" Enter # typed while the model is opened
wait_for "$said"
wait_for "$more"
is_back "Who is there?"
is_back "And a fox?"
behind "Tell a story." "/tree" "Who is there?"
wait_for "Enter chooses, Esc cancels"
keys Escape
is_back "Who is there?"

# Lines that do not fail hold up nothing.
behind "Tell a story." "/name foxes" "/set temp 0.5" "Who is there?"
wait_for "You said: Who is there?"
on_screen "$said" && fail "a line behind commands that do not fail is not sent"
ask_only "/model tiny"
wait_choice
keys Enter "And a fox?" Enter
wait_for "golden llama"
wait_until has_answer "And a fox?" || fail "what is typed while a model is opened is lost"
answer_to "And a fox?" | grep -q "You said" && fail "the model has not changed"
leave

# A question that is asked in words. /save is obeyed at once, so what stands before it is queued then.
environment="TERM=dumb"
for no in n ""; do
    start -m "http://127.0.0.1:$port/v1#gated"
    ask_only "Tell a story."
    wait_for "Half an ans"
    keys "/model tiny" Enter "Who is there?" Enter /save Enter
    wait_for "Everything is already saved."
    : > "$folder/go"
    wait_for "Continue? [y/N]"
    [ -z "$no" ] || keys "$no"
    keys Enter
    wait_for "$said"
    wait_last "> Who is there?"
    on_screen "You said" && fail "it was sent"
    keys C-c
    wait_idle
    leave
done
