#!/bin/sh
# tests/remote/held.sh QUIRE — a conversation continues with the model that it was held with, or says why
# not: each kind of model, each way to continue, and what can become of its files, its server or its section.
. "$(dirname "$0")/../terminal/stage.sh"
folder=$QUIRE_HOME/server
remote=$here
. "$here/serve.sh"
. "$here/../harness/gguf.sh"
. "$here/../harness/tokenizer.sh"
trap 'stop_servers; finish' EXIT
unset CURL_CA_BUNDLE SSL_CERT_FILE http_proxy https_proxy all_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY
golden=$here/../golden
serve "$folder"
url=http://127.0.0.1:$port serving=$servers
serve "$QUIRE_HOME/second"
elsewhere=http://127.0.0.1:$port
export HF_HUB_CACHE="$QUIRE_HOME/hub" QUIRE_TOKENS=8 QUIRE_BACKEND=cpu THE_KEY=sekrit-4712
bad=0
commit=0123456789abcdef0123456789abcdef01234567
models=$QUIRE_HOME/models hub=$HF_HUB_CACHE/models--tiny--llama/snapshots/$commit
mkdir -p "$models/moved" "$QUIRE_HOME/at" "$hub" "$QUIRE_HOME/aside" "$HF_HUB_CACHE/models--tiny--llama/refs"
printf $commit >"$HF_HUB_CACHE/models--tiny--llama/refs/main"
cd "$QUIRE_HOME" || exit 1
cp "$golden/llama.gguf" at/one.gguf
cp "$golden/lfm2.gguf" at/other.gguf
cp "$golden/qwen3.gguf" "$hub/qwen-F32.gguf"
cp -r "$golden/mistral.hf" at/folder
write_tokenizer at/folder 122
echo '{"bos_token": "<s>", "eos_token": "</s>"}' >at/folder/tokenizer_config.json
cp "$golden/deepseek2.gguf" at/plain.gguf
adapter at/poet.gguf llama '\002'
{ yes 'word' | head -n 60 | tr '\n' ' '; printf '{%% for m in messages %%}{{ m.content }}{%% endfor %%}'; } >at/odd.jinja
section() { printf '[remote.office]\nurl = %s\nmodel = echo\nkey-from = env:THE_KEY\n' "$1" >config; }
section "$url/renamed/v1"

# KIND: what it was opened with, and its file.
words_of() {
    case $1 in
    file) echo -m at/one.gguf ;;
    folder) echo -m at/folder ;;
    hub) echo -m hf:tiny/llama ;;
    server) echo -m "$url/renamed/v1#echo" --key-from env:THE_KEY ;;
    section) echo -m office ;;
    adapter) echo -m demo --lora at/poet.gguf=0.5 ;;
    template) echo -m at/plain.gguf --chat-template at/odd.jinja ;;
    esac
}
file_of() {
    case $1 in
    file) echo at/one.gguf ;;
    folder) echo at/folder ;;
    hub) echo "$hub/qwen-F32.gguf" ;;
    adapter) echo at/poet.gguf ;;
    template) echo at/odd.jinja ;;
    esac
}

# KIND FATE: becomes of it; and back.
last_byte() { printf '%s' "$2" | dd of="$1" bs=1 seek=$(($(wc -c <"$1") - 1)) conv=notrunc 2>dd.log; }
strike() {
    file=$(file_of "$1")
    case $1-$2 in
    *-there) ;;
    server-changed | section-changed) touch "$folder/renamed" ;;
    server-gone) kill -9 $serving ;;
    section-moved) section "$elsewhere/renamed/v1" ;;
    section-gone) : >config ;;
    *-moved) mv "$file" "$models/moved/" ;;
    *-gone) mv "$file" aside/ ;;
    folder-changed) cp "$file/model-00001-of-00002.safetensors" aside/ && last_byte "$file/model-00001-of-00002.safetensors" '~' ;;
    *-changed) cp "$file" aside/ && last_byte "$file" '~' ;;
    esac
}
mend() {
    file=$(file_of "$1")
    case $1-$2 in
    *-there) ;;
    server-changed | section-changed) rm "$folder/renamed" ;;
    section-*) section "$url/renamed/v1" ;;
    server-gone) ;;
    *-moved) mv "$models/moved/$(basename "$file")" "$file" ;;
    folder-changed) mv aside/model-00001-of-00002.safetensors "$file/" ;;
    *) rm -rf "$file" && mv "aside/$(basename "$file")" "$file" ;;
    esac
}

# A server that has moved has another URL. A section says which, and that is another host.
opens() {
    case $1-$2 in
    *-there | file-moved | folder-moved | hub-moved | adapter-moved | template-moved) ;;
    *) return 1 ;;
    esac
}

complain() {
    echo "FAILED: $kind $fate $*"
    sed 's/^/  stdout: /' out
    sed 's/^/  stderr: /' err
    bad=1
}
value() { sed -n "s/.*\"$1\":\"\\{0,1\\}\\([^\",}]*\\).*/\\1/p" out; }

id_of() { "$program" list --all --format jsonl | sed -n "s/.*\"id\":\"\([^\"]*\)\",\"name\":\"$1\".*/\1/p"; }

# go_on CODE WORDS…
go_on() {
    code=$1
    shift
    timeout 60 "$program" "$@" -p Again --format json </dev/null >out 2>err
    got=$?
    [ $got = "$code" ] || complain "$*: exit $got, not $code"
    [ $got = 0 ] && return
    [ "$(wc -l <err)" = 1 ] && grep -qF "$model" err && grep -q " -m \|quire pull" err ||
        complain "$*: not one line with the model and a command"
    [ -s out ] && complain "$*: something on stdout"
}

by_words() {
    code=3
    opens "$kind" "$fate" && code=0
    for way in "-r $kind" "-C --all" "-r $kind --fork"; do
        # What the environment says of models is for new conversations.
        QUIRE_MODEL=$QUIRE_HOME/at/other.gguf QUIRE_LORA=none QUIRE_CHAT_TEMPLATE=chatml go_on $code $way
        [ $code = 0 ] || continue
        [ "$(value model)" = "$model" ] || complain "$way: the model is $(value model), not $model"
        [ $kind != template ] || [ "$(value prompt_tokens)" -ge 60 ] || complain "$way: not its template"
        grep -qv 'no chat template\|cut off at 8 tokens' err && complain "$way: stderr has another line"
    done
}

# Words that one host has had go to another only if somebody says so.
by_moved_words() {
    : >"$QUIRE_HOME/second/requests"
    go_on 3 -r section
    grep -q "has moved from $url to $elsewhere; quire -r section -m office sends the conversation there" err ||
        complain "not both hosts, or not how"
    [ -s "$QUIRE_HOME/second/requests" ] && complain "something was sent: $(cat "$QUIRE_HOME/second/requests")"
    own=$(id_of section)
}
by_moved_command() {
    ask_only "/resume section"
    wait_for "to $elsewhere"
    wait_for "send all of section there? [y/N]"
    keys n Enter
    wait_for "read only; /model NAME"
    [ -s "$QUIRE_HOME/second/requests" ] && fail "something was sent before it was agreed to"
    wait_idle
    clear_screen
    ask_only "/resume section"
    wait_for "send all of section there? [y/N]"
    keys y Enter
    wait_for "echo at ${elsewhere#http://}"
    ask "And now?"
    answer_to "And now?" | grep -q "You said: And now?" || fail "the other host does not go on with it"
    clear_screen
    ask "/resume -"
    clear_screen
}
by_moved_words_again() {
    go_on 0 -r section
    grep -q " has moved " err && complain "the host was not recorded"
    [ "$(value conversation)" = "$own" ] || complain "not in place"
    section "$url/renamed/v1"
    go_on 0 -r section -m office
    grep -q "has moved from $elsewhere to $url" err ||
        complain "-m: it is not said that it goes to another host"
    [ "$(value conversation)" = "$own" ] || complain "-m: not in place"
    section "$elsewhere/renamed/v1"
    go_on 3 -r section
}

says_model() { answer_to "/show" | grep -qF "${model%:*}"; }
by_command() {
    ask "/resume $kind"
    if opens "$kind" "$fate"; then
        ask "/show"
        says_model || fail "$kind $fate: /resume does not open $model"
    else
        wait_for "read only; /model NAME"
        on_screen "$model" || fail "$kind $fate: $model is not named"
        ask_only "Hm?"
        wait_for "which is not open"
        wait_last "> Hm?"
        keys C-u
    fi
    clear_screen
    ask "/resume -"
    ask "/show"
    answer_to "/show" | grep -qF "lfm2" || fail "$kind $fate: /resume - does not come back"
    clear_screen
}

"$program" -q -m at/other.gguf -p Hello --name home </dev/null >out
for kind in file folder hub section adapter template server; do
    model='' fate=there
    # shellcheck disable=SC2046
    timeout 60 "$program" $(words_of $kind) -p Hello --name $kind --format json </dev/null >out 2>err ||
        complain "cannot be opened at first"
    model=$(value model)
    for fate in there changed gone moved; do
        [ $kind-$fate != server-moved ] || continue
        strike $kind $fate
        by_words
        [ $kind-$fate != section-moved ] || by_moved_words
        start -m at/other.gguf
        ask "/resume home"
        if [ $kind-$fate = section-moved ]; then by_moved_command; else by_command; fi
        leave
        [ $kind-$fate != section-moved ] || by_moved_words_again
        mend $kind $fate
    done
done
# The command line overrides: the same content in place, another model in a fork, which is said.
kind=override fate=there
cp at/one.gguf at/copy.gguf
cp "$golden/qwen3.gguf" at/qwen.gguf
"$program" -q -m at/one.gguf -p Hello --name own </dev/null >out
go_on 0 -m at/copy.gguf -r own
[ "$(value conversation)" = "$(id_of own)" ] || complain "the same content under another name: not in place"
go_on 0 -m at/qwen.gguf -r own
[ "$(value conversation)" != "$(id_of own)" ] || complain "another model: not in a fork"
grep -q 'KiB of weights and recomputes about [0-9]* tokens .* fork' err || complain "another model: no cost"
go_on 0 at/qwen.gguf -r own
[ "$(value conversation)" != "$(id_of own)" ] || complain "another model as an operand: not in a fork"
go_on 0 -r own
[ "$(value model)" = "golden llama" ] || complain "the conversation has another model now"

# One that was stored without a model takes the default, says so once, and keeps it; it needs none to be read.
"$program" export own --format jsonl >own.jsonl
head -n 1 own.jsonl | grep -q '"model":"golden llama"' || complain "the export does not name its model"
own=$("$program" -q import own.jsonl)
"$program" list --all --format jsonl | grep -q '"id":"'"$own"'".*"tokens":null,"model":"golden llama"' ||
    complain "the import has not its model"
QUIRE_MODEL=at/qwen.gguf go_on 0 -r "$own"
[ "$(value model)" = "golden llama" ] && ! grep -q "stored without" err || complain "the import has another model"
sed 's/"model":"[^"]*"/"model":"nobody knows"/' own.jsonl >nobody.jsonl
own=$("$program" -q import nobody.jsonl)
QUIRE_MODEL=at/qwen.gguf go_on 0 -r "$own"
grep -q " was saved without its model; it uses golden qwen3 from now on" err || complain "not said"
go_on 0 -r "$own"
[ "$(value model)" = "golden qwen3" ] && ! grep -q "saved without" err || complain "not stored"
"$program" list --all --format jsonl | grep -q '"id":"'"$own"'".*"model":"golden qwen3","model_from":"[^"]*/at/qwen.gguf"' ||
    complain "list has not its model"
mv at/qwen.gguf aside/
for word in show export rm; do
    # shellcheck disable=SC2086
    "$program" $word "$own" </dev/null >out 2>err || complain "$word needs its model"
done

# Each name that quire prints finds its model; and a question to several goes to those of this one.
section "$elsewhere/v1"
start -m at/other.gguf
for name in "golden llama" "golden ll…" "$QUIRE_HOME/at/copy.gguf" moved/one demo quire-demo-30m office hf:tiny/llama; do
    case $name in
    moved/one) cp at/one.gguf models/moved/ && model="golden llama" ;;
    golden*|*copy*) model="golden llama" ;;
    office) model="echo at" ;;
    hf:*) model="golden qwen3" ;;
    *) model="quire-demo-30m" ;;
    esac
    ask "/model $name"
    ask "/show"
    says_model || fail "/model $name does not open $model"
    clear_screen
done
ask "/ask own,home Well?"
wait_for "uses lfm2, which is not open"
leave
grep -rqF "$THE_KEY" quire.db* && { echo "FAILED: the key is in the database"; bad=1; }
exit $bad
