#!/bin/sh
# tests/remote/chats.sh QUIRE — conversations with a model elsewhere: kept, forked, left in the
# background, interrupted and continued, killed and resumed, and read by a model that is here.
. "$(dirname "$0")/../terminal/stage.sh"
folder=$QUIRE_HOME/server
. "$(dirname "$0")/serve.sh"
trap 'stop_servers; finish' EXIT
unset HUGGINGFACE_HUB_CACHE HUGGING_FACE_HUB_TOKEN HF_HUB_OFFLINE TRANSFORMERS_OFFLINE
unset CURL_CA_BUNDLE SSL_CERT_FILE http_proxy https_proxy all_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY
serve "$folder"
url=http://127.0.0.1:$port/v1

mkdir -p "$QUIRE_HOME"
printf '[remote.office]\nurl = %s\nmodel = long\n' "$url" > "$QUIRE_HOME/config"
start -m "$url#echo"
wait_for "echo at 127.0.0.1:$port · remote: messages · 4,096 tokens"
ask "/name first"
ask "One fish"
answer_to "One fish" | grep -q "You said: One fish" || fail "no answer"
on_screen "first · 6/4.0k (0 %) · 50 % cached" || fail "the status line has no figures"
ask "Two fish"
ask "/stats"
answer_to "/stats" | grep -q "cached" || fail "/stats has no cached tokens"
ask "/fork second"
ask "Red fish"
ask_only "/rewind"
wait_for "Back to 2 turns"
wait_last "> Red fish"
keys C-c
ask_only "/regen 3"
wait_last "continue with which?"
keys Enter
wait_idle
ask_only "/alt"
wait_for "4 of 4"
keys Escape
ask "/list"
answer_to "/list" | grep -q "second" || fail "/list has no fork"
ask "/kv"
answer_to "/kv" | grep -q "The KV cache is on the server" || fail "/kv does not say whose the cache is"
ask "/show tokens"
answer_to "/show tokens" | grep -q "The server does not list its tokens" || fail "/show tokens invents some"
ask "/set beams 2"
ask_only "Blue fish"
wait_for "beam search is not supported on a server"
wait_last "> Blue fish"
keys C-c
ask "/set beams 1"
ask "/set speculate 4"
on_screen "speculate has no effect on a server" || fail "/set speculate does not say that it has no effect"

# All branches of a tree have one key by which a gateway can send them to the same machine, and what
# is asked beside them has it, too.
ask "/compact"
grep -q "Summarize\|Summarise\|summary" "$folder/requests" || fail "no summary is asked for"
grep -v '"x-session-id": "[0-9a-f]*"' "$folder/requests" > "$folder/without" &&
    fail "there is a request without a route: $(cut -c 1-200 "$folder/without")"
[ "$(grep -o '"x-session-id": "[0-9a-f]*"' "$folder/requests" | sort -u | wc -l)" = 1 ] ||
    fail "a branch has another route than its root"
keys C-c
ask_only "/quit"
wait_for "left with 0"

# ^C while a command gets the key, even one that ignores it.
printf '#!/bin/sh\ntrap "" INT TERM\necho $$ >%s/sleeper\nsleep 1000\n' "$QUIRE_HOME" > "$QUIRE_HOME/key"
chmod +x "$QUIRE_HOME/key"
start -m "$url#echo" --key-from "command:$QUIRE_HOME/key"
sleeps() { [ -s "$QUIRE_HOME/sleeper" ]; }
wait_until sleeps || fail "the command is not run"
keys C-c
wait_for "left with 130"
wait_until has_ended "$(cat "$QUIRE_HOME/sleeper")" || fail "the command goes on"

# ^C in a flood stops it, and what has come and is not drawn yet is not drawn first.
start -m "$url#fast"
ask_only "All at once."
wait_for "word "
keys C-c
wait_for "[interrupted"
on_screen "word 11999999 of" && fail "^C waits until the whole flood is drawn"
wait_idle
ask_only "/quit"
wait_for "left with 0"

# Interrupted, killed, resumed: what was shown is there, and /continue writes the rest.
start -m "$url#long"
ask "/name third"
ask_only "Count."
wait_for "0 1 2 3"
keys C-c
wait_for "interrupted"
wait_idle
begin_answer "Count again."
is_stored() { [ "$("$program" show third | grep -c "0 1 2 3")" = 2 ]; }
wait_until is_stored || fail "nothing of it is stored"
kill -9 "$(quire_pid)"
wait_for "left with 137"
start -m "$url#echo" -C
wait_for "third"
wait_for "Count again."
on_screen "0 1 2 3" || fail "what was shown of the answer is lost"
ask "/continue"
on_screen "and on." || fail "/continue does not go on"
tail -n 1 "$folder/requests" | grep -q '"continue_final_message": true' || fail "/continue asks for a new answer"

# A server that takes the connection and never answers: ^C ends the wait, and the conversation is
# there again. The limit on such a wait is 30 s.
python3 -c '
import socket, sys, time
listener = socket.create_server(("127.0.0.1", 0))
open(sys.argv[1], "w").write(str(listener.getsockname()[1]))
while True:
    taken = listener.accept()[0]
    open(sys.argv[1] + ".taken", "a").write("x")
    time.sleep(600)
' "$QUIRE_HOME/deaf" &
servers="$servers $!"
wait_until test -s "$QUIRE_HOME/deaf" || fail "no server that never answers"
deaf=http://127.0.0.1:$(cat "$QUIRE_HOME/deaf")/v1
ask_only "/model $deaf#x"
wait_until test -s "$QUIRE_HOME/deaf.taken" || fail "it is not asked"
keys C-c
wait_for "had not answered" # reaching the limit of the wait has another message
wait_idle
ask "And so?"
on_screen "You said: And so?" || fail "the chat before does not go on"
pid=$(quire_pid) # the shell has had the ^C, too, and ends with it
ask_only "/quit"
wait_until has_ended "$pid" || fail "it does not leave"
start -m "$url#echo" -C
wait_for "You said: And so?"

# Two in the background, and an answer at the same time; then to a model that is here, and back.
ask "/model office"
wait_for "long at"
ask "/new fourth"
begin_answer "Count."
to_background
wait_idle
begin_answer "Count once more."
keys C-c
wait_idle
ask_only "/quit"
wait_for "1 answer is still being written"
ask_only "/quit"
wait_for "left with 0"
start -m demo -r first
wait_for "first was written with echo at"
wait_for "Two fish"
ask "Hello!"
[ -n "$(answer_to "Hello!")" ] || fail "the demo model does not go on with it"
ask_only "/quit"
wait_for "left with 0"
start -m "$url#echo" -C
wait_for "Hello!"
ask "And now?"
answer_to "And now?" | grep -q "You said: And now?" || fail "the server does not go on with it"
tail -n 1 "$folder/requests" | grep -q '"One fish".*"Two fish".*"Hello!".*"And now?"' ||
    fail "the server does not get the whole conversation"
ask_only "/quit"
wait_for "left with 0"

# Eight conversations are written at once, by the threads that were there before; what is typed
# is on the screen all the while.
start -m "$url#together"
wait_idle
pid=$(quire_pid)
threads=$(ls "/proc/$pid/task" | wc -l)
for i in 1 2 3 4 5 6 7; do
    begin_answer "Count $i."
    type_line "/bg"
    keys Enter
done
ask_only "Count 8."
goes_on() { answer_to "Count 8." | grep -q "words words"; }
wait_until goes_on || fail "the eight do not go on together"
type_line "A word, while they are written"
[ "$(ls "/proc/$pid/task" | wc -l)" = "$threads" ] || fail "eight answers take other threads than none"
keys C-u
touch "$folder/enough"
wait_idle
all_end() { [ "$(screen | grep -c "has an answer: ")" = 7 ]; }
wait_until all_end || fail "not all seven in the background have ended"
ask_only "/quit"
wait_for "left with 0"

# A model by name: it asks, downloads, and is there the next time.
mkdir -p "$folder/repos/some/model"
ln -s "$here/../../engine/demo/quire-demo-30m-q8_0.gguf" "$folder/repos/some/model/demo-Q8_0.gguf"
environment="HF_ENDPOINT=http://127.0.0.1:$port HF_HOME='$QUIRE_HOME/hf' HF_HUB_CACHE= HF_TOKEN="
start -m hf:some/model
wait_for "download 30.9 MiB? [y/N]"
keys n Enter
wait_for "left with 130"
on_screen "quire: nothing was downloaded" || fail "it does not say that nothing was downloaded"
start -m hf:some/model
wait_for "download 30.9 MiB? [y/N]"
keys y Enter
ask "Hello!"
[ -n "$(answer_to "Hello!")" ] || fail "the model that was downloaded says nothing"
ask_only "/model hf:some/other"
wait_for "no model hf:some/other on this machine; quire pull hf:some/other"
ask_only "/quit"
wait_for "left with 0"
start -m hf:some/model:Q8_0 --offline
ask_only "/quit"
wait_for "left with 0"
run "$environment '$program' models rm some/model/demo-Q8_0; echo left with \$?; exec cat"
wait_for "demo-Q8_0.gguf? [y/N]"
keys y Enter
wait_for "removed; freed 30.9 MiB"
wait_for "left with 0"
