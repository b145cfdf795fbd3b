#!/bin/sh
# tests/remote/faults.sh QUIRE — what a server does wrong ends in one clear line, nothing that was
# shown is lost, and the key is nowhere.
quire=$1
folder=$(mktemp -d) || exit 1
. "$(dirname "$0")/serve.sh"
trap 'stop_servers; rm -rf "$folder"' EXIT
for name in $(env | sed -n 's/^\(QUIRE_[A-Z_]*\)=.*/\1/p'); do unset "$name"; done
unset CURL_CA_BUNDLE SSL_CERT_FILE http_proxy https_proxy all_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_COLOR
export QUIRE_HOME="$folder/home" LC_ALL=C.UTF-8 THE_KEY=sekrit-4711
cd "$folder" || exit 1
echo 'root ::= "a"' > grammar
serve "$folder/server"
url=http://127.0.0.1:$port/v1
bad=0
# The certificate is nobody's.
if command -v openssl > /dev/null; then
    openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=localhost -days 2 -keyout tls.key -out tls.crt \
        > openssl.log 2>&1
    plain=$port
    serve "$folder/tls" tls.crt tls.key
    tls=https://127.0.0.1:$port/v1 port=$plain
else
    tls= && echo "without openssl: certificates are not tested"
fi

# row CODE STDOUT STDERR WORDS…: STDOUT is all of it; STDERR a pattern of one line, which is all but
# notices.
row() {
    code=$1 stdout=$2 stderr=$3
    shift 3
    timeout 60 "$quire" "$@" -p "Good morning" --key-from env:THE_KEY < /dev/null > out 2> err
    got=$?
    lines=$(grep "^quire: " err | grep -cv "trying again in\|cut off at 5 tokens (-n)")
    if [ $got != "$code" ] || [ "$(cat out)" != "$stdout" ] || { [ "$stderr" ] && ! grep -qE -e "$stderr" err; } ||
        [ "$lines" -gt 1 ]; then
        echo "FAILED: quire $*: exit $got, not $code; stdout wants '$stdout', stderr '$stderr'"
        sed 's/^/  stdout: /' out
        sed 's/^/  stderr: /' err
        bad=1
    fi
    cat out err >> said
}
half="Half an ans" more="; to continue it: quire -r [0-9a-f]{8}, then /continue$"
row 0 "You said: Good morning" '' -m "$url#echo"
row 0 "You said: Good morning" '' "http://127.0.0.1:$port/one/v1/"
row 0 "Seen." 'Let me see' -m "$url#thinking"
row 0 "At last." '' -m "$url#slow"
row 0 "Größe 😀" '' -m "$url#split"
row 0 "Größe" '' -m "$url#half_character"
row 0 "As far as" "the answer was cut off at the server.s own token limit; to continue it: quire -r [0-9a-f]{8}, then /continue" -m "$url#cut"
row 0 "As far as" "at the server.s own token limit$" -m "$url#cut" --no-save
row 1 "$half" "the answer was cut off$" -m "$url#broken" --no-save
row 0 "You said: Good morning" '' -m "$url#early"
row 0 "You said: Good morning" '' -m "$url#busy"
row 0 "You said: Good morning" '' -m "$url#renamed"
row 1 "" "redirects to another host, localhost:$port, which is sent neither" -m "$url#moved"
row 0 "Whole." '' -m "$url#no_stream"
row 0 "Done." '' -m "$url#left_open"
row 0 "You said it. 0 1 2 3 4 5 6 7 8 9 Done." '' -m "$url#ended_early"
grep -q tool err && { echo "FAILED: a null tool is a tool"; cat err; bad=1; }
row 0 "Done." '' -m "$url#unasked"
row 0 "[1]
word word word word word word 

[2]
Short." 'sends more than the limit of 5 tokens' -m "$url#unequal" --samples 2 -n 5
row 0 "[1]
word

[2]
Short." '' -m "$url#unequal" --samples 2 --stop " w"
row 0 "Unpacked." '' -m "$url#packed"
row 0 "Read." '' -m "$url#misnamed"
row 1 "" "sends no chat completion .text/event-stream.: .*login fail" -m "$url#other_form"
row 0 "You said: Good morning" '' -m "HTTP://127.0.0.1:$port/v1/chat/completions/#echo"
row 0 "You said: Good morning" '' -m "$url#strict_limit" -n 20
row 0 "You said: Good morning" 'rejects "seed"; asking without it' -m "$url#strict_seed" --seed 5
# sends KEY VALUES: the values of this key in the last requests.
sends() {
    [ "$(jq -c ".body | select(.messages) | .$1" server/requests | tr '\n' ' ')" = "$2" ] ||
        { echo "FAILED: $1 wants $2: $(cat server/requests)"; bad=1; }
}
: > server/requests
row 0 "You said: Good morning" 'rejects "seed"; asking without it' -m "$url#strict_500" --seed 5
sends seed "5 null "
: > server/requests
row 0 "You said: Good morning" '' -m "$url#hot" --temp 0.5
sends temperature "0.5 0.5 "
row 0 "You said: Good morning" 'rejects "top_k"; asking without it' -m "$url#strict_extra" --top-k 5
row 0 "0 1 2 3 4 " 'sends more than the limit of 5 tokens' -m "$url#long" -n 5
row 1 "" "does not send an event stream .text/html; charset=utf-8.: Log in" -m "$url#page"
row 1 "" "failed: model is overloaded" -m "$url#overloaded"
row 1 "" "the model called a tool .look., which is not supported" -m "$url#tool"
row 1 "" "sent an empty answer" -m "$url#nothing"
row 1 "$half" "the answer was cut off$more" -m "$url#broken"
row 1 "$half" "the answer was cut off$more" -m "$url#half_event"
row 1 "$half" "the answer was cut off$more" -m "$url#cut_body"
row 1 "$half" "closed the connection: .*reset by peer$more" -m "$url#reset"
row 1 "$half" "sends invalid JSON: .oh$more" -m "$url#not_json"
row 1 "$half" 'sends a key twice: .*"wer","content":"swer".*'"$more" -m "$url#twice"
row 1 "" 'sends a key twice: .*"One","content":"Two"' -m "$url#twice_body"
row 0 "A whole answer." '' -m "$url#odd_end"
row 0 "A whole answer." "after the whole answer, 127.0.0.1:$port failed: the engine died$" -m "$url#late_error"
row 0 "A whole answer." "after the whole answer, .* sends an event with too many values$" -m "$url#late_excess"
row 0 "[1]
A whole answer.

[2]
A whole answer." "after the whole answer, 127.0.0.1:$port failed: the engine died$" -m "$url#late_error" --samples 2
row 1 "" "^quire: 127.0.0.1:$port failed: the engine died$" -m "$url#late_reason"
row 1 "$half" "^quire: 127.0.0.1:$port failed: the engine died$more" -m "$url#late_cause"
row 1 "$half" "failed: the .31mengine.0m died$more" -m "$url#given_up"
row 1 "[1]
Choice 0

[2]
Choice 1" "the answer was cut off$more" -m "$url#numbered" --samples 2
row 0 "[1]
Choice 0

[2]
Choi" '' -m "$url#numbered" --samples 2 --stop "ce 1"
row 1 "Some words" "no data for 1 s$more" -m "$url#silent" --silence 1
row 1 "" "no data for 1 s" -m "$url#mute" --first-byte 1
row 1 "Well" "ended the answer because of its content" -m "$url#filtered"
row 1 "Well" "ended the answer because of its content" -m "$url#blocked"
row 1 "" "sends an endless line" -m "$url#endless"
row 1 "" "HTTP 429: come tomorrow" -m "$url#later"
row 1 "" "HTTP 400: this model's maximum context length is 10 tokens" -m "$url#bad"
row 1 "" "rejects the key .HTTP 401.: Incorrect API key provided: Bearer \*+$" -m "$url#refused"
row 1 "" "after .* redirects" -m "$url#circle"
row 1 "" "redirects to a file: address" -m "$url#moved_file"
row 0 "You said: Good morning" "HTTP 429: too many; trying again in 1" -m "$url#busy_twice"
[ "$CHECK_QUICK" ] || row 1 "" "HTTP 500: the engine is broken .tried 5 times." -m "$url#error"
row 2 "" "name a model as URL#MODEL .available: bad, " -m "$url"
row 3 "" "^quire: 127.0.0.1:1 cannot be reached: Connection refused" -m "http://127.0.0.1:1/v1#x"
row 3 "" "HTTP 404; if it does not list its models, name one as URL#MODEL$" -m "http://127.0.0.1:$port/elsewhere"
row 2 "" "name a model as URL#MODEL .available: echo, one." -m "http://127.0.0.1:$port/array/v1"
row 2 "" "name a model as URL#MODEL .available: not listed." -m "http://127.0.0.1:$port/lost/v1"
row 0 "You said: Good morning" '' -m "http://127.0.0.1:$port/names/v1"
row 0 "You said: Good morning" '' -m "http://127.0.0.1:$port/words/v1"
row 2 "" "must not contain a user name" -m "http://me:sekrit-0815@127.0.0.1:$port/v1#echo"
row 2 "" "/v1[?]\*\*\*\*: a URL must not contain" -m "$url?api_key=sekrit-0816#echo"
row 3 "" "start with the scheme: http://127.0.0.1:$port/v1#echo" -m "127.0.0.1:$port#echo"
row 3 "" "start with the scheme: http://127.0.0.1:$port/x/v1#echo" -m "127.0.0.1:$port/x/v1#echo"
row 2 "" "--kv-type is not supported for a model on a server" -m "$url#echo" --kv-type f16
row 2 "" "--beams is not supported for a model on a server" -m "$url#echo" --beams 2
row 0 "You said: Good morning" '' -m "$url#strict" --schema '{"type":"null"}'
row 2 "" "this server accepts schemas, but not grammars" -m "$url#echo" --grammar grammar
row 2 "" "the schema is not a JSON object" -m "$url#echo" --schema grammar
row 2 "" "needs the server's vocabulary" -m "$url#echo" --remote tokens
if [ "$tls" ]; then
    row 3 "" "certificate" -m "$tls#echo"
    export SSL_CERT_FILE="$folder/tls.crt"
    row 3 "" "127.0.0.1" -m "$tls#echo" # it is localhost's
    row 0 "You said: Good morning" '' -m "https://localhost:${tls##*:}#echo"
    unset SSL_CERT_FILE
fi

# What lists and exports say of a server's conversations: its own count of tokens, or none.
listed() {
    "$quire" -m "$url#$2" -p "Good morning" --name "$1" --key-from env:THE_KEY > /dev/null 2>&1 ||
        { echo "FAILED: no answer in $1"; bad=1; }
    "$quire" list --format jsonl > out
    grep -qE "\"name\":\"$1\",.*\"tokens\":$3," out || { echo "FAILED: $1 has no \"tokens\":$3"; cat out; bad=1; }
    "$quire" list > out
    grep -qE " $1 +1 +$4(now|[0-9]+ s) +$2" out || { echo "FAILED: $1 in the list"; cat out; bad=1; }
    "$quire" export "$1" --format jsonl | head -n 1 > out
    grep -qF "\"model\":\"$2 at 127.0.0.1:$port\"" out || { echo "FAILED: $1 exported"; cat out; bad=1; }
}
listed counted echo '[0-9]+' '[0-9]+ +'
listed uncounted thinking null ''

# key CODE STDERR FROM: where the key comes from.
key() {
    "$quire" -m "$url#echo" -p Hi --no-save --key-from "$3" > out 2> err
    got=$?
    if [ $got != "$1" ] || { [ "$2" ] && ! grep -qE -e "$2" err; }; then
        echo "FAILED: --key-from $3: exit $got, not $1" && cat err && bad=1
    fi
    cat out err >> said
}
printf ' sekrit-file \n' > keyfile
: > none
key 0 '' "file:$folder/keyfile"
key 0 '' "command:echo sekrit-command"
key 2 'expected env:NAME' sekrit-4711
key 2 'NOT_THERE is not set' env:NOT_THERE
key 2 'no key found' "file:$folder/none"
key 3 'printed no key' "command:false"
key 3 'printed no key: no .x1b.31msuch thing$' "command:printf 'no \033[31msuch thing\nat all' >&2; exit 3"
key 0 'says: .*echo [*]{4}$' "command:set -x; echo sekrit-traced"
[ "$(wc -l < err)" = 1 ] || { echo "FAILED: a command says more than a line"; cat err; bad=1; }

# What a command has started ends with quire, and with the command.
sleeper_ends() { wait_until has_ended "$(cat sleeper)" || { echo "FAILED: $*"; bad=1; }; }
key 0 '' "command:sleep 1000 > /dev/null 2>&1 & echo \$! > sleeper; echo sekrit-beside"
sleeper_ends "what a command left behind goes on"
: > sleeper
"$quire" -m "$url#echo" -p Hi --no-save --key-from "command:trap '' INT TERM; sleep 1000 & echo \$! > sleeper; wait" \
    > out 2> err < /dev/null &
child=$!
wait_until test -s sleeper
kill -TERM $child
wait $child
[ $? = 143 ] || { echo "FAILED: SIGTERM while a command runs: $(cat err)"; bad=1; }
sleeper_ends "a command outlives quire"
for wanted in sekrit-file sekrit-command sekrit-4711; do
    grep -q "Bearer $wanted\"" server/requests || { echo "FAILED: $wanted was not sent"; bad=1; }
done
mkdir -p "$QUIRE_HOME"
printf '[remote.office]\nurl = %s\nmodel = echo # of all\nkey-from = file:%s/keyfile\n' "$url" "$folder" \
    > "$QUIRE_HOME/config"
: > server/requests
"$quire" -m office -p "Good morning" > out 2> err || { cat err; bad=1; }
grep -q "Bearer sekrit-file" server/requests || { echo "FAILED: the section's key was not sent"; bad=1; }

# samples MODEL ANSWERS REQUESTS: three answers are one request where the server has choices, else
# each of them has its own.
samples() {
    : > server/requests
    "$quire" -m "$url#$1" -p "Good morning" --samples 3 --no-save --format json > out 2> err
    if [ "$(jq -r ".[].text" out | sort | uniq -c | tr -s ' \n' ' ')" != "$2" ] ||
        [ "$(grep -c '"path": "/v1/chat' server/requests)" != "$3" ]; then
        echo "FAILED: three answers of $1: $(wc -l < server/requests) requests" && cat out err && bad=1
    fi
}
samples echo ' 3 You said: Good morning ' 1
samples one ' 3 You said: Good morning ' 3
samples strict ' 3 You said: Good morning ' 4
samples early ' 3 You said: Good morning ' 1

# Cut anywhere, an answer keeps what has come, and says so; behind its last word it is whole or broke off.
for at in 0 1 60 90 91 120 180 181 184 200 270 273 274 285; do
    "$quire" -m "$url#cut_at" -p $at --no-save > out 2> err
    got=$?
    case "$got $(cat out)" in
    "1 " | "1 One. " | "1 One. Zwei 😀" | "0 One. Zwei 😀") ;;
    *) echo "FAILED: cut at $at: exit $got" && cat out err && bad=1 ;;
    esac
    [ $got = 0 ] || grep -q "the answer was cut off\|does not send an event stream" err || { echo "FAILED: cut at $at"; cat err; bad=1; }
done

# What nobody sets is left to the server, and so is the seed.
: > server/requests
"$quire" -m "$url#echo" -p Hi --no-save > out 2> err
"$quire" -m "$url#echo" -p Hi --no-save --seed 7 > out 2> err
sends seed "null 7 "

# What a person sets reaches the server, even where it is what others have by default; the rest is
# left to it. A structure is wished for as OpenAI does.
: > server/requests
"$quire" -m "$url#echo" -p Hi --no-save --temp 1 --schema '{"type": "null"}' > out 2> err || { cat err; bad=1; }
jq -e '.body | .temperature == 1 and (has("top_p") or has("top_k") | not)
    and .response_format.json_schema == {"name": "answer", "schema": {"type": "null"}, "strict": true}
    and (.prompt_cache_key | length) == 16' server/requests > out || { echo "FAILED: $(cat server/requests)"; bad=1; }

# A seed that the server chose is not known; one that it got is.
for words in "" "--seed 7"; do
    # shellcheck disable=SC2086
    "$quire" -m "$url#echo" -p Hi --no-save --format json $words < /dev/null 2> err | jq -c .seed
    # shellcheck disable=SC2086
    echo '{"prompt": "Hi"}' | "$quire" batch - -m "$url#echo" $words 2> err | jq -c 'select(.text) | .seed'
done > out
[ "$(tr '\n' ' ' < out)" = "null null 7 7 " ] || { echo "FAILED: seeds in JSON: $(cat out)"; bad=1; }

# What a server does not count is not said to be none.
"$quire" -m "$url#thinking" -p Hi --no-save --format json < /dev/null 2> err | jq -c .prompt_tokens > out
echo '{"prompt": "Hi"}' | "$quire" batch - -m "$url#thinking" 2> err | jq -c 'select(.text) | .prompt_tokens' >> out
"$quire" -m "$url#echo" -p Hi --no-save --format json < /dev/null 2> err | jq -c '.prompt_tokens > 0' >> out
"$quire" -m "$url#thinking" -p Hi --no-save -v < /dev/null 2>&1 | grep -c '^[0-9]* tokens*, first token after' >> out
"$quire" -m "$url#repeated" -p Hi --no-save --format json < /dev/null 2> err | jq -c '[.text, .output_tokens]' >> out
[ "$(tr '\n' ' ' < out)" = 'null null true 1 ["Once only.",2] ' ] || { echo "FAILED: uncounted: $(cat out)"; bad=1; }

# An answer has an end, whatever its server says.
"$quire" -m "$url#no_end" -p Hi --format json < /dev/null > out 2> err
[ "$(jq -c '[.stop_reason, (.text | length)]' out)" = '["length",1048576]' ] && grep -q "sends more than 1024 KiB" err ||
    { echo "FAILED: an endless answer: $(head -c 200 out; cat err)"; bad=1; }

# The doctor asks a server, by its URL and by its section.
for name in "$url#echo" office; do
    "$quire" doctor -m "$name" > out 2> err || { echo "FAILED: doctor -m $name"; cat out err; bad=1; }
    grep -q "^good  model     echo at 127.0.0.1:$port, accepts messages" out || { echo "FAILED: doctor -m $name"; cat out; bad=1; }
done
"$quire" doctor -m "http://127.0.0.1:1/v1#x" > out 2> err && { echo "FAILED: doctor likes a server that is not there"; bad=1; }
grep -q "^WRONG model     127.0.0.1:1 cannot be reached" out || { echo "FAILED: doctor without a server"; cat out; bad=1; }

# In a batch as well it is the server's words that are the error.
echo '{"prompt": "Hi"}' | "$quire" batch - -m "$url#bad" > out 2> err
grep -q '"error":".*HTTP 400: this model' out || { echo "FAILED: a batch says $(cat out err)"; bad=1; }

# Along with a redirect to another host goes nothing.
: > server/requests
"$quire" -m "$url#moved" -p Hi --key-from env:THE_KEY > out 2>&1
grep -q chat/completions server/requests || { echo "FAILED: nothing was asked"; bad=1; }
grep -q '"Host": "localhost' server/requests && { echo "FAILED: another host was asked"; bad=1; }
"$quire" -m "$url#echo" -v -v -p Hi --key-from env:THE_KEY --trace trace >> said 2>&1
"$quire" -m "$url#echo" -p Hi --key-from env:THE_KEY --format json >> said 2>&1
grep -l sekrit said trace "$QUIRE_HOME"/quire.db* 2> /dev/null && { echo "FAILED: the key is shown"; bad=1; }
exit $bad
