#!/bin/sh
# tests/remote/pull.sh QUIRE — models by name: chosen, downloaded in pieces over connections that
# break, verified, found by other tools, removed; and what cannot be is said in one line.
quire=$1
folder=$(mktemp -d) || exit 1
. "$(dirname "$0")/serve.sh"
trap 'stop_servers; rm -rf "$folder"' EXIT
for name in $(env | sed -n 's/^\(\(QUIRE\|HF\|HUGGING\|TRANSFORMERS\)[A-Z_]*\)=.*/\1/p'); do unset "$name"; done
unset CURL_CA_BUNDLE SSL_CERT_FILE http_proxy https_proxy all_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_COLOR XDG_CACHE_HOME
demo=$(cd "$remote/../../engine/demo" && pwd)/quire-demo-30m-q8_0.gguf
golden=$(cd "$remote/../golden" && pwd)
export QUIRE_HOME="$folder/home" HOME="$folder/person" LC_ALL=C.UTF-8 HF_HOME="$folder/hf" HF_TOKEN=sekrit-4711
cd "$folder" || exit 1
bad=0
fail() {
    echo "FAILED: $*"
    sed 's/^/  stderr: /' err
    bad=1
}

# repo ORG/REPO FILE TARGET…: files of the server
repo() {
    at=server/repos/$1
    shift
    while [ $# -gt 0 ]; do
        mkdir -p "$at/$(dirname "$1")" && ln -sf "$2" "$at/$1"
        shift 2
    done
}
small=$golden/llama.gguf
for org in broken slow whole other busy; do repo $org/m demo-Q8_0.gguf "$demo"; done
for org in wrong far huge gated agree gone undigested; do repo $org/m m-Q8_0.gguf "$small"; done
for kind in up root bell turn; do repo hostile/$kind m-Q8_0.gguf "$small"; done
repo some/types m-Q2_K.gguf "$small" "m Q4_K_M.gguf" "$demo" m-Q8_0.gguf "$small" README.md "$remote/run" \
    mmproj-F16.gguf "$small" more/m-F16.gguf "$small"
repo some/plain model.gguf "$small" other.gguf "$small"
repo some/split x-Q8_0-00001-of-00002.gguf "$small" x-Q8_0-00002-of-00002.gguf "$golden/qwen2.gguf"
repo some/half x-Q8_0-00001-of-00002.gguf "$small"
repo some/nothing README.md "$remote/run"
for file in "$golden"/mistral.hf/*; do repo some/folder "$(basename "$file")" "$file"; done
repo some/folder original/consolidated.safetensors "$small"
serve "$folder/server"
export HF_ENDPOINT="http://127.0.0.1:$port"
hub=$HF_HOME/hub
blobs() { find "$hub/models--$1/blobs" -type f 2> /dev/null; }

# row CODE STDOUT STDERR WORDS…: a pattern of each that some line has, "" for not a byte of stdout
row() {
    code=$1 stdout=$2 stderr=$3
    shift 3
    timeout 60 "$quire" "$@" < /dev/null > out 2> err
    got=$?
    case $got in $code) ;; *) fail "quire $*: exit $got, not $code" ;; esac
    if [ "$stdout" ]; then grep -qE -e "$stdout" out; else [ ! -s out ]; fi || fail "quire $*: stdout $(cat out)"
    [ -z "$stderr" ] || grep -qE -e "$stderr" err || fail "quire $*: stderr wants $stderr"
    [ "$(grep -c '^quire: ' err)" -le 1 ] || fail "quire $*: more than one line"
    cat out err >> said
}

# Broken some two hundred times, it continues from there, and the file is the same.
row 0 "$hub/models--broken--m/snapshots/0123456789abcdef0123456789abcdef01234567/demo-Q8_0.gguf" '' pull hf:broken/m:Q8_0
cmp -s "$demo" "$(cat out)" || fail "the file is another one"
breaks=$(grep -c '"/store/broken' server/requests)
[ "$breaks" -ge 200 ] || fail "it broke $breaks times only"
[ "$(cat "$hub/models--broken--m/refs/main")" = 0123456789abcdef0123456789abcdef01234567 ] || fail "refs/main"
blobs broken--m | grep -qE '/[0-9a-f]{64}$' || fail "no blob"
row 0 'snapshots' '' pull hf:broken/m
[ "$(grep -c '"/store/broken' server/requests)" = "$breaks" ] || fail "what is there was downloaded again"

# Bytes go into the cache, not through a link of it.
rm -rf "$hub/models--broken--m/snapshots"
blob=$(blobs broken--m)
printf letters > letters
for link in 'ln -s' ln; do
    rm -f "$blob" "$blob.incomplete"
    $link "$folder/letters" "$blob.incomplete"
    row 1 '' 'incomplete is a link or a device, not a cached file' pull hf:broken/m:Q8_0
    [ "$(cat letters)" = letters ] || fail "a file elsewhere was written, by $link"
done
rm "$blob.incomplete" "$hub"/.locks/models--broken--m/*
ln -s "$folder/locked" "$hub/.locks/models--broken--m/$(basename "$blob").lock"
row 1 '' 'cannot create .*lock: ' pull hf:broken/m:Q8_0
[ ! -e locked ] || fail "a lock elsewhere was created"
rm "$hub"/.locks/models--broken--m/*
row 0 'snapshots' '' pull hf:broken/m:Q8_0

# What it is not is refused and removed.
row 3 '' 'its SHA-256 is .*, but the hub says 000000000000…; removed it' pull hf:wrong/m:Q8_0
[ -z "$(blobs wrong--m)" ] && [ ! -e "$hub/models--wrong--m/snapshots" ] || fail "a wrong file is kept"
row 1 '' 'm-Q8_0.gguf needs 262144 TiB, but only .* is free in' pull hf:huge/m:Q8_0
[ -z "$(blobs huge--m)" ] || fail "a file that does not fit was begun"
row 3 '' 'gated/m is gated; accept its terms at http://127.0.0.1:.*/gated/m with the account' pull hf:gated/m
row 3 '' 'agree/m is gated' pull hf:agree/m
row 3 '' 'gone/m: 127.0.0.1:.* no longer has the file' pull hf:gone/m
row 3 '' 'none/m: 127.0.0.1:.* has no such repository, or rejects the token' pull hf:none/m
row 3 '' 'the hub gives no size or digest for m-Q8_0.gguf' pull hf:undigested/m
row 3 '' 'does not support range requests' pull hf:whole/m:Q8_0
row 1 '' 'sent the wrong range' pull hf:other/m:Q8_0
row 3 '' 'some/nothing has no supported model' pull hf:some/nothing
row 3 '' '1 of 2 parts are there' pull hf:some/half:Q8_0
for kind in up root bell turn; do
    row 3 '' 'with an unsafe name' pull hf:hostile/$kind
    [ "$kind" != bell ] || ! grep -q "$(printf '\a')" err || fail "the name rings"
done
find . -name 'up.gguf' -o -name 'root.gguf' | grep . && fail "a file outside of the cache"
for name in hf: hf:m hf:a/b/c hf:../m hf:a/.. hf:a/b: hf:-a/b 'hf:a b/c' "hf:a/b:$(printf '\a')" Qwen3; do
    row 2 '' '^quire: expected hf:ORG/REPO, or hf:' pull "$name"
done
row 2 '' 'needs a model: hf:ORG/REPO' pull
(ulimit -f 20000 && row 1 '' '^quire: .*incomplete: File too large$' pull hf:busy/m:demo-Q8_0.gguf && exit $bad) || bad=1
row 0 'demo-Q8_0' '' pull hf:busy/m:demo-Q8_0.gguf
cmp -s "$demo" "$(cat out)" || fail "after a full disk it is another file"

# Which one, and why; as one file, parts, a folder.
row 0 '/m Q4_K_M.gguf$' '^> Q4_K_M .*fits +m Q4_K_M.gguf$' pull hf:some/types
sed -e 's/(.* of memory/(N of memory/' err > shown
diff - shown > diffs << END || fail "the list is another: $(cat diffs)"
> Q4_K_M        30.9 MiB  fits       m Q4_K_M.gguf
  Q2_K           222 KiB  fits       m-Q2_K.gguf
  Q8_0           222 KiB  fits       m-Q8_0.gguf
  F16            222 KiB  fits       more/m-F16.gguf
m Q4_K_M.gguf, 30.9 MiB: the usual type for a CPU that fits (N of memory free)
END
row 0 '/m-Q2_K.gguf$' '' pull hf:some/types:q2_k
row 0 '/more/m-F16.gguf$' '' pull hf:some/types:F16 -q
[ ! -s err ] || fail "-q is not quiet"
row 3 '' 'some/types has no model "Q5_0"' pull hf:some/types:Q5_0
row 2 '' 'several models like model.gguf; name a file' pull hf:some/plain
row 0 'x-Q8_0-00001-of-00002.gguf$' '' pull hf:some/split
cmp -s "$golden/qwen2.gguf" "$hub"/models--some--split/snapshots/*/x-Q8_0-00002-of-00002.gguf || fail "a part is missing"
row 0 'models--some--folder/snapshots/[0-9a-f]*$' '' pull hf:some/folder
diff -r -x '*.txt' "$golden/mistral.hf" "$(cat out)" > diffs || fail "the folder is another: $(cat diffs)"
[ -e "$(cat out)/original" ] && fail "what quire does not read was downloaded"
row 0 '^family +llama' '' inspect hf:some/folder
row 0 '[a-z]' '' -m hf:some/types:Q4_K_M -p Hi -n 4 --no-save
row 3 '' '^quire: no model hf:some/plain:model.gguf on this machine; quire pull hf:some/plain:model.gguf downloads it$' \
    -m hf:some/plain:model.gguf -p Hi

# Without the net.
row 0 '[a-z]' '' --offline -m hf:some/types:Q4_K_M -p Hi -n 4 --no-save
row 3 '' 'the network is off .--offline' pull hf:some/types --offline
row 3 '' 'the network is off .--offline' -m "$HF_ENDPOINT/v1#echo" --offline -p Hi
HF_HUB_OFFLINE=1 row 3 '' 'the network is off .HF_HUB_OFFLINE' pull hf:some/types
TRANSFORMERS_OFFLINE=1 row 3 '' 'the network is off .TRANSFORMERS_OFFLINE' pull hf:some/types

# Through a proxy, which is asked for both hosts.
http_proxy=http://127.0.0.1:$port HF_ENDPOINT=http://hub.example row 0 'm-Q8_0.gguf$' '' pull hf:far/m
grep -q '"http://hub.example/api/models/far/m' server/requests && grep -q '"http://localhost:[0-9]*/store/far' server/requests ||
    fail "the proxy was not asked"

# Killed in the middle, it continues; two at once download it once.
"$quire" pull hf:slow/m:Q8_0 > out 2> err &
killed=$!
kept_bytes() { cat "$hub"/models--slow--m/blobs/*.incomplete 2> /dev/null | wc -c; }
has_more_than() { [ "$(kept_bytes)" -gt "$1" ]; }
wait_until has_more_than 1000000 || fail "nothing comes"
kill -9 $killed
wait $killed 2> /dev/null
kept=$(kept_bytes)
"$quire" pull hf:slow/m:Q8_0 > out 2> err &
stopped=$!
wait_until has_more_than "$kept" || fail "nothing more comes"
kill $stopped
wait $stopped
[ $? = 143 ] || fail "SIGTERM: not 143"
grep -qx 'quire: stopped; run the same command again to continue' err || fail "SIGTERM: it does not say so"
[ ! -e "$hub/models--slow--m/snapshots" ] || fail "half a file is a model"
kept=$(kept_bytes)
cmp -s -n "$kept" "$demo" "$hub"/models--slow--m/blobs/*.incomplete || fail "what is kept is not its beginning"
row 0 '^hf:slow/m .* MiB .* incomplete +Hugging Face$' '' models
"$quire" pull hf:slow/m:Q8_0 > first 2> err &
one=$!
wait_until has_more_than "$kept" || fail "nothing comes after a stop"
"$quire" pull hf:slow/m:Q8_0 > second 2> waiting &
two=$!
wait_until grep -q 'another program is downloading demo-Q8_0.gguf; waiting for it' waiting ||
    fail "it does not say that it waits"
touch server/enough
wait $one && wait $two || fail "two at once"
cmp -s first second && cmp -s "$demo" "$(cat first)" || fail "two at once: another file"
grep '"/store/slow' server/requests | grep -q "bytes=$kept-" || fail "it does not go on from $kept"

# What is there is listed and goes again; blobs stay as long as a snapshot needs them.
row 0 '^broken/m/demo-Q8_0 .* Q8_0 .* Hugging Face$' '' models
row 2 '' 'needs --yes without a terminal' models rm broken/m/demo-Q8_0
row 3 '' 'no model "nothing"' models rm nothing --yes
row 2 '' 'expected rm' models list
row 2 '' "needs a model's name" models rm
mkdir -p home/models && cp "$small" home/models/mine.gguf
row 3 '' 'removes models only there' models rm mine --yes

# Only what is in the cache once its links and dots are followed, and of that no more than models.
mkdir -p elsewhere/snapshots/x
cp "$small" elsewhere/snapshots/x/m.gguf
cp "$small" elsewhere/m.gguf
ln -s "$folder/elsewhere" "$hub/models--link--m"
at=$hub/models--broken--m
for path in "$at/../../../elsewhere/m.gguf" "$at/../../../elsewhere/snapshots/x/m.gguf" "$hub/models--link--m/m.gguf" \
    "$hub/models--link--m/snapshots/x/m.gguf" "$at"/blobs/* "$at/blobs" "$at/.." "$at/../../hub"; do
    row '[23]' '' 'removes models only there|one model in this folder' models rm "$path" --yes
done
rm "$hub/models--link--m"
[ "$(find elsewhere -name '*.gguf' | wc -l)" = 2 ] || fail "models rm: something elsewhere is gone"
[ -s "$at"/snapshots/0*/demo-Q8_0.gguf ] || fail "models rm: a model that was not named is gone"
# A cache in a folder whose name looks like a part of one; a person's notes in it stay.
mkdir -p snapshots/hf/hub && cp -a "$at" snapshots/hf/hub && cp "$small" snapshots/notes.gguf
echo notes > snapshots/hf/hub/models--broken--m/notes
HF_HOME=$folder/snapshots/hf row 0 '' 'removed; freed 30.9 MiB' models rm "$folder"/snapshots/hf/hub/models--broken--m/snapshots/0*/*.gguf --yes
[ -s snapshots/notes.gguf ] && [ "$(cd snapshots/hf/hub/models--broken--m && ls)" = notes ] ||
    fail "models rm: more is gone than the model"
old=$hub/models--broken--m/snapshots/fedcba9876543210fedcba9876543210fedcba98
mkdir -p "$old" && cp -P "$hub"/models--broken--m/snapshots/0*/* "$old"
row 0 '' 'removed; freed 0 B' models rm hf:broken/m:Q8_0 --yes
[ -s "$old/demo-Q8_0.gguf" ] || fail "a blob that is needed was removed"
row 0 '' 'removed; freed 30.9 MiB' models rm broken/m/demo-Q8_0 --yes
[ ! -e "$hub/models--broken--m" ] || fail "something of it is left"
row 0 '' 'removed; ' models rm hf:some/types:F16 --yes
[ -s "$hub"/models--some--types/snapshots/0*/m-Q2_K.gguf ] || fail "another one was removed"
row 0 '' 'removed; ' models rm hf:some/split --yes
[ ! -e "$hub/models--some--split" ] || fail "a part is left"
row 3 '' 'no model hf:some/split on this machine' models rm hf:some/split --yes

# The token went to the hub, not to where the files lie, and is nowhere to be seen.
grep '"/api' server/requests | grep -q 'Bearer sekrit-4711' || fail "the token was not sent"
grep '"/store' server/requests | grep -q sekrit && fail "another host got the token"
unset HF_TOKEN
printf 'sekrit-file\n' > "$HF_HOME/token"
row 0 'm-Q2_K' '' pull hf:some/types:Q2_K -v -v --trace trace
tail -n 1 server/requests | grep -q 'Bearer sekrit-file' || fail "the token's file was not read"
grep -l sekrit said trace && fail "the token is shown"
exit $bad
