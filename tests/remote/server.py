#!/usr/bin/env python3
"""tests/remote/server.py FOLDER [CERTIFICATE KEY] - a server of models whose names are faults.

Writes its port to FOLDER/port and each request, a line of JSON, to FOLDER/requests. It answers chat
completions by saying the last message again, word by word; what else it does is its model's name:
see the class Faults. Below /ids it is a llama-server that takes tokens, below /vllm and /sglang
those: it reads a text with the command in TOKENIZE, whose vocabulary ends a turn with the token EOS.
Below /renamed its one model has another name once FOLDER/renamed is there. Below /other it reads
texts otherwise, and below /old it is a vLLM that gives no ids back. It is also
a hub of models: what lies in FOLDER/repos/ORG/REPO, whose faults are ORG's: see the class Hub.
"""
import gzip
import hashlib
import json
import os
import random
import re
import socket
import ssl
import struct
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote

FOLDER = sys.argv[1]
LOCK = threading.Lock()
EIGHT = threading.Barrier(8)
SEEN = {}


def nth(what):
    """How often this was asked for, from 1."""
    with LOCK:
        SEEN[what] = SEEN.get(what, 0) + 1
        return SEEN[what]


def is_enough():
    """The test wants more of what was held back."""
    return os.path.exists(os.path.join(FOLDER, "enough"))


def chunk(delta, reason=None, usage=None, index=0):
    event = {"choices": [{"index": index, "delta": delta, "finish_reason": reason}]}
    if usage:
        event["usage"] = usage
    return "data: " + json.dumps(event, ensure_ascii=False) + "\n\n"


def ids_of(text):
    ids = subprocess.run(os.environ["TOKENIZE"], shell=True, input=text.encode(),
                         stdout=subprocess.PIPE, check=True).stdout
    return [int(i) for i in ids.split()]


def complete(h, prompt):
    """An emoji, of which llama-server sends the last token only, and words."""
    first, more = ids_of("Hello \U0001f600"), ids_of(" there")
    h.stream()
    for text, ids in [("Hello", first[:1]), (" \U0001f600", first[-1:]), (" there", more)]:
        h.say("data: " + json.dumps({"content": text, "tokens": ids, "stop": False}) + "\n\n")
    end = {"content": "", "tokens": [int(os.environ["EOS"])], "stop": True, "stop_type": "eos",
           "tokens_evaluated": len(prompt), "tokens_predicted": len(first) + len(more) + 1,
           "timings": {"cache_n": len(prompt) // 2}}
    h.say("data: " + json.dumps(end) + "\n\n")


def complete_vllm(h, asked):
    """docs.vllm.ai, OpenAI-Compatible Server, Completions API: return_token_ids."""
    first, more = ids_of("Hello \U0001f600"), ids_of(" there")
    parts = [("Hello", first[:1]), ("", first[1:-1]), (" \U0001f600", first[-1:]), (" there", more)]
    h.stream()
    for index in range(asked.get("n", 1)):
        for text, ids in parts[:asked["max_tokens"]]:
            choice = {"index": index, "text": text, "token_ids": ids, "finish_reason": None}
            if h.path.startswith("/old/"):
                del choice["token_ids"]
            h.say("data: " + json.dumps({"choices": [choice]}) + "\n\n")
        h.say("data: " + json.dumps({"choices": [{"index": index, "text": "", "token_ids": [],
                                                  "finish_reason": "stop"}]}) + "\n\n")
    usage = {"prompt_tokens": len(asked["prompt"]), "completion_tokens": 7,
             "prompt_tokens_details": {"cached_tokens": len(asked["prompt"]) // 2}}
    h.say("data: " + json.dumps({"choices": [], "usage": usage}) + "\n\ndata: [DONE]\n\n")


def complete_sglang(h, asked):
    """docs.sglang.io, Native APIs, /generate: all ids so far, or, with --stream-output, the new."""
    ids = ids_of("Hello \U0001f600 there") + [int(os.environ["EOS"])]
    ids = ids[:asked["sampling_params"]["max_new_tokens"]]
    first = 0
    h.stream()
    for end in range(1, len(ids) + 1):
        about = {"prompt_tokens": len(asked["input_ids"]), "completion_tokens": end,
                 "cached_tokens": len(asked["input_ids"]) // 2,
                 "finish_reason": {"type": "stop", "matched": ids[-1]} if end == len(ids) else None}
        h.say("data: " + json.dumps({"text": "", "output_ids": ids[first:end], "meta_info": about})
              + "\n\n")
        first = end if "new" in h.path else 0
    h.say("data: [DONE]\n\n")


class Faults:
    """One method for each model; the handler's say() sends what is streamed."""

    def echo(self, h, words):
        count = sum(len(m["content"].split()) for m in h.messages)
        choices = h.asked.get("n", 1)
        h.stream()
        for word in words:
            for index in reversed(range(choices)):
                h.say(chunk({"content": word}, index=index))
        usage = {"prompt_tokens": count, "completion_tokens": len(words) * choices,
                 "prompt_tokens_details": {"cached_tokens": count // 2}}
        for index in range(choices):
            h.say(chunk({}, "stop", index=index))
        h.say("data: " + json.dumps({"choices": [], "usage": usage}) + "\n\ndata: [DONE]\n\n")

    def thinking(self, h, words):
        h.stream()
        h.say(chunk({"reasoning": "Let me "}) + chunk({"reasoning_content": "see."}))
        h.say(chunk({"content": "Seen."}) + chunk({}, "stop"))

    def numbered(self, h, words):
        """Two choices in one event, and the second broken off."""
        h.stream()
        both = [{"index": i, "delta": {"content": "Choice %d" % i}} for i in (1, 0)]
        h.say("data: " + json.dumps({"choices": both}) + "\n\n" + chunk({}, "stop"))

    def one(self, h, words):
        """It has no choices, and does not say so."""
        h.asked.pop("n", None)
        return self.echo(h, words)

    def strict(self, h, words):
        """It refuses what it does not know."""
        for name in ("n", "prompt_cache_key"):
            if name in h.asked:
                return h.refuse(400, "Unrecognized request argument supplied: " + name)
        return self.echo(h, words)

    def strict_seed(self, h, words, names=("seed", "stream_options")):
        """It refuses one after the other."""
        for name in names:
            if name in h.asked:
                return h.refuse(400, "Unsupported parameter: '%s'." % name)
        return self.echo(h, words)

    def strict_limit(self, h, words):
        return self.strict_seed(h, words, ["max_tokens"])

    def strict_500(self, h, words):
        """As strict_seed, with the code of a fault of its own."""
        if "seed" in h.asked:
            return h.refuse(500, "create() got an unexpected keyword argument 'seed'")
        return self.echo(h, words)

    def hot(self, h, words):
        """A fault of its own, whose words name a field."""
        if nth("hot") == 1:
            return h.refuse(500, "the temperature of the card is 99 C")
        return self.echo(h, words)

    def strict_extra(self, h, words):
        """It names all that it does not know, as web frameworks do."""
        known = {"model", "messages", "stream", "max_tokens", "temperature"}
        wrong = [{"loc": ["body", name], "msg": "Extra inputs are not permitted"}
                 for name in sorted(set(h.asked) - known)]
        return h.answer({"detail": wrong}, 422) if wrong else self.echo(h, words)

    def cut_at(self, h, words):
        """The bytes of an answer before the one that the message names."""
        answer = chunk({"content": "One. "}) + chunk({"content": "Zwei \U0001f600"}) + chunk({}, "stop")
        h.stream()
        h.say((answer + "data: [DONE]\n\n").encode()[:int(h.messages[-1]["content"])])

    def no_stream(self, h, words):
        body = {"choices": [{"index": 0, "message": {"role": "assistant", "content": "Whole."},
                             "finish_reason": "stop"}], "usage": {"prompt_tokens": 3}}
        h.send_response(200)
        h.end_headers()
        h.say(json.dumps(body, indent=2))

    def cut_body(self, h, words):
        """Pretty-printed, and cut within its text."""
        body = {"choices": [{"message": {"content": "Half an ans and more"}, "finish_reason": "stop"}]}
        h.send_response(200)
        h.end_headers()
        h.say(json.dumps(body, indent=2).partition(" and more")[0])

    def no_end(self, h, words):
        h.stream()
        for i in range(1 << 20):
            h.say(chunk({"content": "words and words " * 64}) * 64)

    def page(self, h, words):
        h.send_response(200)
        h.send_header("Content-Type", "text/html; charset=utf-8")
        h.end_headers()
        h.say("<html><head><title>Log in</title></head><body>No.</body></html>")

    def overloaded(self, h, words):
        return h.refuse(200, "model is overloaded")

    def tool(self, h, words):
        call = {"index": 0, "function": {"name": "look", "arguments": "{}"}}
        h.stream()
        h.say(chunk({"tool_calls": [call]}) + chunk({}, "tool_calls"))

    def nothing(self, h, words):
        h.stream()
        h.say(chunk({}, "stop"))

    def ended_early(self, h, words):
        """A stop reason with every piece, and text behind it."""
        h.stream()
        for text in ("", "You ", "said ", "it."):
            h.say(chunk({"content": text, "tool_calls": None, "function_call": None}, "stop"))
        for i in range(10):  # in all longer than counts may take behind the last text
            time.sleep(0.3)
            h.say(chunk({"content": " %d" % i}, "stop"))
        h.say(chunk({"content": " Done."}) + "data: [DONE]\n\n")

    def repeated(self, h, words):
        """The whole message behind its pieces."""
        h.stream()
        h.say(chunk({"content": "Once "}) + chunk({"content": "only."}) + chunk({}, "stop"))
        whole = {"index": 0, "message": {"content": "Once only."}, "finish_reason": "stop"}
        h.say("data: " + json.dumps({"choices": [whole]}) + "\n\n")

    def unasked(self, h, words):
        """Behind a whole answer, another one that nobody wants and that never ends."""
        h.stream()
        h.say(chunk({"content": "Done."}) + chunk({}, "stop"))
        while True:
            h.say(chunk({"content": "more "}, index=1))
            time.sleep(0.1)

    def unequal(self, h, words):
        """The second of two answers ends, and the first never does."""
        h.stream()
        h.say(chunk({"content": "word word "}))
        time.sleep(0.5)
        h.say(chunk({"content": "Short."}, index=1) + chunk({}, "stop", index=1))
        while True:
            h.say(chunk({"content": "word "}))
            time.sleep(0.1)

    def packed(self, h, words):
        """Compressed, which nobody asked for."""
        body = gzip.compress((chunk({"content": "Unpacked."}) + chunk({}, "stop")).encode())
        h.send_response(200)
        h.send_header("Content-Type", "text/event-stream")
        h.send_header("Content-Encoding", "gzip")
        h.end_headers()
        h.say(body)

    def misnamed(self, h, words):
        """Its Content-Encoding is none."""
        h.send_response(200)
        h.send_header("Content-Type", "text/event-stream")
        h.send_header("Content-Encoding", "utf-8")
        h.end_headers()
        h.say(chunk({"content": "Read."}) + chunk({}, "stop"))

    def other_form(self, h, words):
        """Events of another protocol."""
        h.stream()
        h.say(": ping\n\nevent: error\ndata: " + json.dumps({"base_resp": {"status_msg": "login fail"}}) + "\n\n")

    def blocked(self, h, words):
        h.stream()
        h.say(chunk({"content": "Well"}) + chunk({}, "content_filter: PROHIBITED_CONTENT"))

    def left_open(self, h, words):
        """The answer has ended, but the connection stays."""
        h.stream()
        h.say(chunk({"content": "Done."}) + chunk({}, "stop") + "data: [DONE]\n\n")
        time.sleep(30)

    def slow(self, h, words):
        time.sleep(1)
        h.stream()
        for _ in range(3):
            h.say(": ping\n\n")
            time.sleep(0.5)
        h.say(chunk({"content": "At last."}) + chunk({}, "stop"))

    def split(self, h, words):
        """Every byte for itself, lines ended in all three ways."""
        text = "\ufeff: hello\r\n" + chunk({"content": "Größe 😀"}).replace("\n\n", "\r\r")
        h.stream()
        for byte in (text + chunk({}, "stop").replace("\n", "\r\n")).encode():
            h.say(bytes([byte]))

    def long(self, h, words):
        h.stream()
        for i in range(400):
            h.say(chunk({"content": "%d " % i}))
            time.sleep(0.05)

    def fast(self, h, words):
        """More in one event than is drawn in a second, and more to come than in a minute."""
        h.stream()
        for i in range(100):
            h.say(chunk({"content": "".join("word **%d** of `many`\n" % (120000 * i + j) for j in range(120000))}))
            time.sleep(0.5)

    def together(self, h, words):
        """Goes on when eight have begun, until FOLDER/enough is there."""
        h.stream()
        h.say(chunk({"content": "Here "}))
        EIGHT.wait(60)
        while not is_enough():
            h.say(chunk({"content": "words "}))
            time.sleep(0.02)
        h.say(chunk({"content": "There."}) + chunk({}, "stop"))

    def gated(self, h, words):
        """An answer to "Tell …" ends when FOLDER/go is there; one to "Tell and break" is broken off."""
        last, go = h.messages[-1]["content"], os.path.join(FOLDER, "go")
        if not last.startswith("Tell"):
            return self.echo(h, words)
        choices = range(h.asked.get("n", 1))
        h.stream()
        for index in choices:
            h.say(chunk({"content": "Half an ans"}, index=index))
        while not os.path.exists(go):
            time.sleep(0.02)
        os.remove(go)
        if "break" in last:
            return h.reset()
        for index in choices:
            h.say(chunk({"content": "wer."}, index=index) + chunk({}, "stop", index=index))
        return None

    def silent(self, h, words):
        h.stream()
        h.say(chunk({"content": "Some words"}))
        time.sleep(30)

    def mute(self, h, words):
        time.sleep(30)

    def broken(self, h, words):
        h.stream()
        h.say(chunk({"content": "Half an ans"}))

    def reset(self, h, words):
        h.stream()
        h.say(chunk({"content": "Half an ans"}))
        time.sleep(0.2)
        h.reset()

    def early(self, h, words):
        """The connection breaks twice before anything comes."""
        if nth("early") <= 2:
            return h.reset()
        return self.echo(h, words)

    def half_event(self, h, words):
        h.stream()
        h.say(chunk({"content": "Half an ans"}) + 'data: {"choices": [{"del')

    def half_character(self, h, words):
        h.stream()
        h.say(chunk({"content": "Gr@"}).encode().replace(b"@", b"\xc3"))
        h.say(chunk({"content": "@ße"}).encode().replace(b"@", b"\xb6") + chunk({}, "stop").encode())

    def not_json(self, h, words):
        h.stream()
        h.say(chunk({"content": "Half an ans"}) + "data: {oh\n\n")

    def twice(self, h, words):
        """Two different texts by one name."""
        h.stream()
        h.say(chunk({"content": "Half an ans"}))
        h.say('data: {"choices": [{"delta": {"content": "wer", "content": "swer"}}]}\n\n' + chunk({}, "stop"))

    def twice_body(self, h, words):
        h.send_response(200)
        h.end_headers()
        h.say('{"choices": [{"message": {"content": "One", "content": "Two"}}]}')

    def odd_end(self, h, words):
        h.stream()
        h.say(chunk({"content": "A whole answer."}) + chunk({}, "stop") + "data: [done]\n\ndata: bye\n\n")

    def late_error(self, h, words):
        """Behind a whole answer, of as many choices as are wanted."""
        h.stream()
        for index in range(h.asked.get("n", 1)):
            h.say(chunk({"content": "A whole answer."}, index=index) + chunk({}, "stop", index=index))
        h.say('data: {"error": {"message": "the engine died"}}\n\n')

    def late_reason(self, h, words):
        """Behind an answer that ended without text, why."""
        h.stream()
        h.say(chunk({}, "stop") + 'data: {"error": {"message": "the engine died"}}\n\n')

    def late_cause(self, h, words):
        """Behind an answer that ended with an error, which one."""
        h.stream()
        h.say(chunk({"content": "Half an ans"}) + chunk({}, "error") + 'data: {"error": {"message": "the engine died"}}\n\n')

    def late_excess(self, h, words):
        """Behind a whole answer, more values in an event than any answer has."""
        h.stream()
        h.say(chunk({"content": "A whole answer."}) + chunk({}, "stop"))
        h.say("data: [" + "0," * (1 << 20) + "0]\n\n")

    def endless(self, h, words):
        h.stream()
        h.say("data: ")
        for _ in range(5000):
            h.say("x" * 4096)

    def given_up(self, h, words):
        h.stream()
        h.say(chunk({"content": "Half an ans"}))
        h.say('data: {"error": {"message": "the \x1b[31mengine\x1b[0m died"}}\n\n')

    def filtered(self, h, words):
        h.stream()
        h.say(chunk({"content": "Well"}) + chunk({}, "content_filter"))

    def cut(self, h, words):
        h.stream()
        h.say(chunk({"content": "As far as"}) + chunk({}, "length"))

    def busy(self, h, words):
        if nth("busy") <= 1:
            return h.refuse(429, "too many", {"Retry-After": "1"})
        return self.echo(h, words)

    def busy_twice(self, h, words):
        if nth("busy_twice") <= 2:
            return h.refuse(429, "too many", {"Retry-After": "1"})
        return self.echo(h, words)

    def later(self, h, words):
        return h.refuse(429, "come tomorrow", {"Retry-After": "86400"})

    def error(self, h, words):
        return h.refuse(500, "the engine is broken")

    def bad(self, h, words):
        return h.refuse(400, "this model's maximum context length is 10 tokens")

    def refused(self, h, words):
        return h.refuse(401, "Incorrect API key provided: " + h.headers.get("Authorization", ""))

    def moved(self, h, words):
        """To the same port under another name, as curl sees it another host."""
        if h.headers["Host"].startswith("127.0.0.1"):
            return h.redirect("http://localhost:%d%s" % (h.server.server_port, h.path))
        return self.echo(h, words)

    def moved_file(self, h, words):
        return h.redirect("file:///etc/passwd")

    def renamed(self, h, words):
        """To another path of the same host."""
        if h.path.startswith("/v1/"):
            return h.redirect("/elsewhere" + h.path)
        return self.echo(h, words)

    def circle(self, h, words):
        return h.redirect(h.path)


class Hub:
    """A listing and the files of a repository. Large files lie at another host: localhost."""
    COMMIT = "0123456789abcdef0123456789abcdef01234567"
    RANDOM = random.Random(4711)

    def file(self, name, path):
        key = ("digest", os.path.realpath(path))
        if key not in SEEN:
            data = open(path, "rb").read()
            blob = hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()
            SEEN[key] = {"size": len(data), "blobId": blob}
            if len(data) > 4096:
                digest = hashlib.sha256(data).hexdigest()
                SEEN[key]["lfs"] = {"sha256": digest, "size": len(data)}
        return dict(SEEN[key], rfilename=name)

    def listing(self, h, repo):
        org, _, name = repo.partition("/")
        top = os.path.join(FOLDER, "repos", repo)
        if org == "gated":
            return h.answer({"error": "Access is restricted"}, 403, {"X-Error-Code": "GatedRepo"})
        if org == "busy" and nth("busy hub") == 1:
            return h.refuse(429, "slowly", {"Retry-After": "1"})
        if not os.path.isdir(top):
            return h.answer({"error": "Invalid username or password."}, 401)
        files = [os.path.relpath(os.path.join(at, f), top) for at, _, fs in os.walk(top) for f in fs]
        siblings = [self.file(f, os.path.join(top, f)) for f in sorted(files)]
        if org == "wrong":
            for s in siblings:
                s["lfs"] = {"sha256": "0" * 64, "size": s["size"]}
        if org == "huge":
            siblings[0]["size"] = 1 << 58
        if org == "hostile":
            siblings[0]["rfilename"] = {"up": "../../../up.gguf", "root": "/root.gguf",
                                        "bell": "a\a.gguf", "turn": "a\u202e.gguf"}[name]
        if org == "undigested":
            del siblings[0]["blobId"], siblings[0]["lfs"]
        h.answer({"id": repo, "sha": self.COMMIT, "siblings": siblings})

    def send(self, h, repo, name):
        """The file, or the part of it that is wanted, as far as the repository's faults let it."""
        org = repo.partition("/")[0]
        path = os.path.join(FOLDER, "repos", repo, name)
        size = os.path.getsize(path)
        wanted = re.match(r"bytes=(\d+)-(\d+)$", h.headers.get("Range", ""))
        if org == "whole":
            wanted = None
        first, last = (int(n) for n in wanted.groups()) if wanted else (0, size - 1)
        with open(path, "rb") as file:
            file.seek(first)
            part = file.read(last + 1 - first)
        if org == "other" and first:
            first += 1
        h.send_response(206 if wanted else 200)
        h.send_header("Content-Length", str(len(part)))
        if wanted:
            h.send_header("Content-Range", "bytes %d-%d/%d" % (first, last, size))
        h.end_headers()
        if org == "broken":
            with LOCK:
                cut = self.RANDOM.randrange(len(part)) if len(part) > 1000 else len(part)
                cut = min(cut, self.RANDOM.randrange(300000))
            h.say(part[:cut])
            return h.reset() if cut % 2 else None
        for at in range(0, len(part), 1 << 16):
            h.say(part[at:at + (1 << 16)])
            while org == "slow" and at >= 1 << 21 and not is_enough():
                time.sleep(0.01)

    def get(self, h):
        """False: it is not for the hub."""
        path = re.sub("^http://hub.example", "", h.path)  # as a proxy gets it
        listed = re.match(r"/api/models/([^/]+/[^/]+)/revision/main\?blobs=true$", path)
        file = re.match(r"(?:http://localhost:\d+)?/(store/|)([^/]+/[^/]+)/resolve/%s/(.*)$" % self.COMMIT, path)
        if not listed and not file:
            return False
        with LOCK, open(os.path.join(FOLDER, "requests"), "a") as log:
            log.write(json.dumps({"path": h.path, "headers": dict(h.headers)}) + "\n")
        if listed:
            self.listing(h, listed.group(1))
        elif file.group(2).startswith("agree/"):
            h.answer({"error": "Access is restricted"}, 403, {"X-Error-Code": "GatedRepo"})
        elif file.group(2).startswith("gone/"):
            h.answer({}, 404, {"X-Error-Code": "EntryNotFound"})
        elif file.group(1):
            self.send(h, file.group(2), unquote(file.group(3)))
        elif os.path.getsize(os.path.join(FOLDER, "repos", file.group(2), unquote(file.group(3)))) > 4096:
            h.redirect("http://localhost:%d/store%s" % (h.server.server_port, path))
        else:
            self.send(h, file.group(2), unquote(file.group(3)))
        return True


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.0"  # the answer ends where the connection does

    def log_message(self, *_):
        pass

    def stream(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()

    def say(self, text):
        self.wfile.write(text if isinstance(text, bytes) else text.encode())
        self.wfile.flush()

    def refuse(self, code, message, headers=()):
        self.answer({"error": {"message": message}}, code, headers)

    def redirect(self, place):
        self.answer({}, 307, {"Location": place})

    def reset(self):
        self.wfile.flush()
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()
        self.wfile = open(os.devnull, "wb")

    def answer(self, what, code=200, headers=()):
        body = json.dumps(what).encode()
        self.send_response(code)
        for name, value in dict(headers).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        if HUB.get(self):
            return
        kind = {"/ids": "llamacpp", "/sgl": "sglang", "/vll": "vllm", "/old": "vllm"}
        lists = {"/array": [{"id": "echo"}, {"id": "one"}], "/names": {"models": [{"name": "echo"}]},
                 "/words": {"data": ["echo"]}, "/lost": {"data": None}}
        if self.path.endswith("/v1/models") and self.path[:-10] in lists:
            self.answer(lists[self.path[:-10]], headers={"Content-Encoding": "utf-8"})
        elif self.path == "/v1/models":
            names = sorted(name for name in vars(Faults) if name[0] != "_")
            self.answer({"data": [{"id": name, "max_model_len": 4096} for name in names]})
        elif self.path == "/renamed/v1/models" and os.path.exists(os.path.join(FOLDER, "renamed")):
            self.answer({"data": [{"id": "another", "max_model_len": 512}]})
        elif self.path.endswith("/v1/models"):
            self.answer({"data": [{"id": "echo", "owned_by": kind.get(self.path[:4], "us"),
                                   "max_model_len": 512}]})
        elif self.path in ("/ids/props", "/other/props"):
            self.answer({"default_generation_settings": {"n_ctx": 512}})
        else:
            self.answer({}, 404)

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        asked = json.loads(body)
        with LOCK, open(os.path.join(FOLDER, "requests"), "a") as log:
            log.write(json.dumps({"path": self.path, "headers": dict(self.headers),
                                  "body": asked}) + "\n")
        if self.path.endswith("/tokenize"):
            text, quire, end = asked["content"].rpartition(" quire")
            ids = ids_of(text + quire) + ([int(os.environ["EOS"])] if end else [])
            return self.answer({"tokens": ids[self.path.startswith("/other/"):]})
        if self.path == "/ids/completion":
            return complete(self, asked["prompt"])
        if self.path in ("/vllm/v1/completions", "/old/v1/completions"):
            return complete_vllm(self, asked)
        if self.path in ("/sglang/generate", "/sglang-new/generate"):
            return complete_sglang(self, asked)
        if not self.path.endswith("/chat/completions"):
            return self.answer({}, 404)
        self.asked, self.messages = asked, asked["messages"]
        last = self.messages[-1]["content"]
        words = re.findall(r"\S+\s*", "You said: " + last)
        if self.messages[-1]["role"] == "assistant":
            words = [" and", " on."]
        getattr(Faults(), asked["model"])(self, words)


HUB = Hub()


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        pass  # of clients that have gone


def main():
    server = Server(("127.0.0.1", 0), Handler)
    if len(sys.argv) > 2:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(sys.argv[2], sys.argv[3])
        server.socket = context.wrap_socket(server.socket, server_side=True)
    port = os.path.join(FOLDER, "port")
    with open(port + ".new", "w") as file:
        file.write(str(server.server_port))
    os.rename(port + ".new", port)
    server.serve_forever()


main()
