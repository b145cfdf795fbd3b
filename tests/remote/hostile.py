#!/usr/bin/env python3
"""tests/remote/hostile.py QUIRE - a server that means harm, in all the ways of KINDS and ENDLESS.

Each answer ends as it can end: the exit code is 0, 1 or 3, memory stays below 200 MB, and the key, in
any of its forms, is in no output, no file and no database. What has no end is ended by ^C, at once.
It prints the worst of each. With QUIRE_TEST_NO_LIMITS memory and time are not looked at, since a sanitizer
takes a multiple of both.
"""
import base64
import json
import os
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import quote

QUIRE = sys.argv[1]
KEY = 'sk-Sekrit/4711"x+y'
FORMS = [KEY, quote(KEY, safe=""), quote(KEY, safe="").lower(), json.dumps(KEY)[1:-1]] + [
    base64.b64encode(b"\0" * n + KEY.encode()).decode()[n and n + 1:][:22] for n in range(3)]
ESCAPED = "".join("\\u%04x" % ord(c) for c in KEY)
FULL = "QUIRE_TEST_NO_LIMITS" not in os.environ
MEMORY_KB, INTERRUPT_MS = 200 * 1024, 100


def event(data):
    return "data: " + (data if isinstance(data, str) else json.dumps(data)) + "\n\n"


def choice(delta, reason=None, **more):
    return event({"choices": [dict({"index": 0, "delta": delta, "finish_reason": reason}, **more)]})


def text(words):
    return choice({"content": words})


STOP = choice({}, "stop") + event("[DONE]")


def stream(*parts, headers="Content-Type: text/event-stream\r\n", status="200 OK"):
    body = b"".join(p if isinstance(p, bytes) else p.encode() for p in parts)
    return ("HTTP/1.0 %s\r\n%s\r\n" % (status, headers)).encode() + body


def failure(code, body, headers="Content-Type: application/json\r\n"):
    return stream(body, headers=headers, status=code)


def moved(place, code="307 Temporary Redirect"):
    return stream(headers="Location: %s\r\n" % place, status=code)


MIB = 1 << 20


def kinds():
    """What is answered."""
    return {
        # sizes
        "choices": stream(event('{"choices":[%s]}' % ",".join(["{}"] * 20000)), STOP),
        "all_choices": stream(event('{"choices":[%s]}' % ",".join(["{}"] * 87000)), STOP),
        "named_choices": stream(event({"choices": [{"index": i, "delta": {"content": "x"}} for i in range(20000)]})),
        "many_members": stream(event("{%s}" % ",".join('"a%d":0' % i for i in range(50000)))),
        "same_members": stream(event('{"choices":[{"delta":{%s}}]}' % ",".join(['"content":"x"'] * 50000)), STOP),
        "numbers": stream(event('{"choices":[%s]}' % ",".join(["0"] * 2000000))),
        "deep_arrays": stream(event("[" * 1000000)),
        "deep_objects": stream(event('{"choices":' * 200000)),
        "deep_content": stream(choice({"content": eval("[" * 80 + '"x"' + "]" * 80)}), STOP),
        "deep_error": stream(event('{"error":' * 900 + '"x"' + "}" * 900)),
        "long_line": stream(b"x" * (100 * MIB)),
        "long_event": stream(b"data: x\n" * MIB),
        "long_body": stream(b"{" + b" " * (100 * MIB)),
        "long_words": stream(text("w" * (MIB // 4)), STOP),
        "long_refusal": failure("400 Bad", b"x" * (100 * MIB)),
        "many_events": stream(text("a") * 20000, STOP),
        "many_empty": stream(b"\n" * (4 * MIB), text("a"), STOP),
        "many_comments": stream(b": x\n" * MIB, text("a"), STOP),
        "many_tools": stream(choice({"tool_calls": [{"function": {"name": "look"}}] * 20000}), STOP),
        "many_errors": stream(event({"detail": [{"msg": "x", "loc": ["body"] * 50}] * 5000})),
        "many_thoughts": stream((choice({"reasoning": "a"}) + text("b")) * 3000, STOP),
        "many_marks": stream(text("<think></think>" * 20000), STOP),
        "many_closings": stream(text("`</think>`" * 20000), STOP),
        "long_tool": stream(choice({"tool_calls": [{"function": {"name": "n" * MIB}}]}), STOP),
        "behind_limit": stream(text("word ") * 5000, STOP),
        "long_header": stream(text("a"), STOP, headers="X: %s\r\n" % ("x" * 90000)),
        "many_headers": stream(text("a"), STOP, headers="X-Header: aaaaaaaaaaaaaaaaa\r\n" * 100000),
        "many_cookies": stream(text("a"), STOP, headers="Set-Cookie: a%s=b\r\n" * 500),
        # bytes
        "empty": b"",
        "no_http": b"\x00\xff\x16\x03garbage\r\n\r\n" * 100,
        "http_09": b"just text\n",
        "no_status": b"HTTP/1.0 \r\n\r\n" + text("a").encode(),
        "status_999": failure("999 What", "{}"),
        "status_204": stream(status="204 No Content"),
        "status_304": stream(status="304 Not Modified"),
        "switched": stream("raw", status="101 Switching Protocols"),
        "nul_bytes": stream(b'data: {"choices":[{"delta":{"content":"a\x00b"}}]}\n\n', STOP),
        "nul_escapes": stream(event('{"choices":[{"delta":{"content":"a\\u0000b"}}]}'), STOP),
        "not_utf8": stream(b'data: {"choices":[{"delta":{"content":"\xc0\xaf\xed\xa0\x80\xf5"}}]}\n\n', STOP),
        "half_pairs": stream(event('{"choices":[{"delta":{"content":"\\ud800\\udbff\\udc00"}}]}'), STOP),
        "terminal": stream(text("\x1b]52;c;aaaa\a\x1b[2J\x9b31m\u202e\u2066"), STOP),
        "marks": stream(text("\ufdd0a\ufdd1b\ufdd0c"), STOP),
        "bare_cr": stream(text("a").replace("\n", "\r"), STOP.replace("\n", "\r")),
        "odd_kinds": stream(*[event('{"choices":[{"delta":%s,"finish_reason":%s,"index":%s}],"usage":%s}' % (a, b, c, d))
                              for a in ('7', '[]', '{"content":{}}') for b in ('1', '{}', '[]')
                              for c in ('-1', '1e400', '"0"') for d in ('[]', '{"prompt_tokens":-1e99}', '"x"')], STOP),
        "odd_events": stream(*[event(x) for x in ("3", "[]")]),
        "chunks_wrong": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabc",
        "chunks_huge": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\nabc",
        "length_huge": b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999999\r\n\r\nabc",
        "length_short": b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n" + text("a").encode(),
        "two_lengths": b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 5\r\n\r\nabcde",
        "packed": stream(b"\x1f\x8b\x08" + b"\0" * 100, headers="Content-Encoding: gzip\r\n"),
        "page": stream("<html><script>alert(1)</script>log in</html>", headers="Content-Type: text/html\r\n"),
        # places
        "elsewhere": moved("http://localhost:%(port)d/v1/chat/completions"),
        "other_port": moved("http://127.0.0.1:%(other)d/v1/chat/completions"),
        "file": moved("file:///etc/passwd"),
        "gopher": moved("gopher://127.0.0.1:%(port)d/x"),
        "no_place": moved(""),
        "circle": moved("/v1/chat/completions", "301 Moved Permanently"),
        "key_host": moved("http://%s.example/" % quote(KEY, safe=""), "302 Found"),
        "later": failure("429 Slow", "{}", "Retry-After: 999999999999\r\n"),
        # the key
        "key_error": stream(event({"error": {"message": "no, " + KEY}})),
        "key_late": stream(text("Half"), event({"error": {"message": "no, " + KEY}})),
        "key_escaped": stream(event('{"error":{"message":"%s"}}' % ESCAPED)),
        "key_percent": stream(event({"error": quote(KEY, safe="")})),
        "key_base64": stream(event({"error": base64.b64encode(KEY.encode()).decode()})),
        "key_header64": stream(event({"error": base64.b64encode(b"a:" + KEY.encode()).decode()})),
        "key_text": stream(text("It is " + KEY + "."), STOP),
        "key_pieces": stream(*[text(c) for c in KEY], STOP),
        "key_halves": stream(text(KEY[:5]), text(KEY[5:]), STOP),
        "key_thought": stream(*[choice({"reasoning_content": c}) for c in KEY], text("a"), STOP),
        "key_part": stream(choice({"content": [{"type": "text", "text": KEY}]}), STOP),
        "key_whole": stream(json.dumps({"choices": [{"message": {"content": KEY}, "finish_reason": "stop"}]})),
        "key_refusal": stream(choice({"refusal": KEY}), STOP),
        "key_tool": stream(choice({"tool_calls": [{"function": {"name": KEY}}]}), STOP),
        "key_choice": stream(choice({}, error={"message": KEY})),
        "key_line": stream("error: " + KEY + "\n\n"),
        "key_no_json": stream(event("{" + KEY)),
        "key_page": stream("<title>%s</title>" % KEY, headers="Content-Type: text/html\r\n"),
        "key_kind": stream("no", headers="Content-Type: %s\r\n" % KEY),
        "key_status": stream("no", status="400 " + KEY),
        "key_cut": failure("401 No", json.dumps({"error": {"message": "." * 290 + KEY}})),
        "key_bounds": failure("500 No", b" " * ((64 << 10) - 9) + KEY.encode(), "Retry-After: 999\r\n"),
        "key_control": failure("403 No", '{"error":"sk-\\u0007%s"}' % KEY[3:].replace('"', '\\"')),
        "key_lines": failure("400 No", json.dumps({"detail": [{"loc": [KEY], "msg": KEY}]})),
        "key_plain": failure("400 No", KEY),
    }


def endless():
    """A beginning, and what is sent again and again; nothing more if that is empty."""
    return {
        "text": (stream(), text("words and words ").encode() * 50),
        "thoughts": (stream(), choice({"reasoning": "hm "}).encode() * 50),
        "comments": (stream(), b": still here\n\n" * 1000),
        "choices_again": (stream(), event('{"choices":[%s]}' % ",".join(["{}"] * 20000)).encode()),
        "headers": (b"HTTP/1.0 200 OK\r\n", b""),
        "continue": (b"", b""),
        "mute": (stream(text("Some words")), b""),
        "dead": (b"", b""),
        "refused": (failure("401 No", b"x"), b"x" * 65536),
        "lines": (stream(), b"x\n" * 30000),
    }


class Server:
    def __init__(self, other=None):
        self.asked, self.begun = [], []  # for which host; endless answers
        self.other, self.kinds, self.endless = other, {}, {}
        self.socket = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = self.socket.getsockname()[1]

    def start(self):
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            connection, _ = self.socket.accept()
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        try:
            self.answer(connection)
        except OSError:
            pass  # it has gone
        connection.close()

    def answer(self, connection):
        request = b""
        while b"\r\n\r\n" not in request:
            part = connection.recv(65536)
            if not part:
                return
            request += part
        head, _, body = request.partition(b"\r\n\r\n")
        length = [line for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")]
        while length and len(body) < int(length[0].split(b":")[1]):
            body += connection.recv(65536)
        self.asked += [line.decode() for line in head.split(b"\r\n") if line.startswith(b"Host:")]
        if head.startswith(b"GET"):
            known = b"/models" in head
            names = json.dumps({"data": [{"id": KEY if b"/listed/" in head else n} for n in [*self.kinds, *self.endless]]})
            if head.startswith(b"GET /asked"):
                names, known = json.dumps([len(self.kinds), self.asked, self.begun]), True
            return connection.sendall(stream(names if known else "{}", status="200 OK" if known else "404 No"))
        name = json.loads(body)["model"]
        if name in self.endless:
            first, again = self.endless[name]
            connection.sendall(first)
            self.begun.append(name)
            while again:
                connection.sendall(again)
            return time.sleep(60)
        answer = self.kinds.get(name, b"")
        ports = {b"%(port)d": b"%d" % self.port, b"%(other)d": b"%d" % self.other.port}
        for mark, port in ports.items():
            answer = answer.replace(mark, port) if len(answer) < 10000 else answer
        connection.sendall(answer)
        if name == "reset":
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def serve():
    """In a process of its own: a program that is started has at first the memory of who starts it."""
    other = Server()
    server = Server(other)
    pid = os.fork()
    if pid:
        return server.port, other.port, pid
    server.kinds, server.endless = kinds(), endless()
    other.start()
    server.accept()


PORT, OTHER_PORT, PID = serve()


def ask(port, path):
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.sendall(b"GET %s HTTP/1.0\r\n\r\n" % path.encode())
        return json.loads(connection.makefile("rb").read().partition(b"\r\n\r\n")[2])


failures, worst = [], {"memory": (0, ""), "time": (0, ""), "interrupt": (0, "")}
lock = threading.Lock()


def note(what, value, name):
    with lock:
        worst[what] = max(worst[what], (value, name))


def fail(name, what):
    with lock:
        failures.append("%s: %s" % (name, what))


def leaks(data):
    return any(form.encode() in data for form in FORMS)


def start(name, folder, *more, path="/v1"):
    home = os.path.join(folder, "home")
    environment = {k: v for k, v in os.environ.items() if not k.startswith("QUIRE_") and not k.lower().endswith("_proxy")}
    environment.update(QUIRE_HOME=home, QUIRE_API_KEY=KEY, LC_ALL="C.UTF-8")
    out, err = open(os.path.join(folder, "out"), "wb"), open(os.path.join(folder, "err"), "wb")
    url = "http://127.0.0.1:%d%s#%s" % (PORT, path, name)
    return subprocess.Popen([QUIRE, "-v", "-v", "-m", url, "-p", "Hi", "-n", "100", "--trace",
                             os.path.join(folder, "trace"), *more], stdin=subprocess.DEVNULL,
                            stdout=out, stderr=err, env=environment)


def ended(process, name, folder, limit_s):
    """Waits, and looks at all that was written."""
    timer = threading.Timer(limit_s, process.kill)
    timer.start()
    _, status, usage = os.wait4(process.pid, 0)
    timer.cancel()
    process.returncode = os.waitstatus_to_exitcode(status)
    note("memory", usage.ru_maxrss, name)
    if FULL and usage.ru_maxrss > MEMORY_KB:
        fail(name, "%d MB" % (usage.ru_maxrss >> 10))
    for at, _, files in os.walk(folder):
        for file in files:
            if leaks(open(os.path.join(at, file), "rb").read()):
                fail(name, "the key is in " + file)
    return process.returncode


def answer(name):
    with tempfile.TemporaryDirectory() as folder:
        before = time.monotonic()
        code = ended(start(name, folder), name, folder, 60)
        note("time", time.monotonic() - before, name)
        errors = open(os.path.join(folder, "err"), "rb").read()
        if code not in (0, 1, 3):
            fail(name, "exit %d: %s" % (code, errors[-200:]))
        if code == 1 and errors.count(b"\nquire: ") + errors.startswith(b"quire: ") == 0:
            fail(name, "exit 1 without a word")


def begun(name):
    return ask(PORT, "/asked")[2].count(name)


def interrupted(name, alone=False):
    """The best of some tries, as the machine may have other work. Returns whether it took too long, for a trial alone."""
    best = None
    for _ in range(10 if alone else 3):
        with tempfile.TemporaryDirectory() as folder:
            before = begun(name)
            process = start(name, folder, "-n", "10000000")
            while begun(name) == before and process.poll() is None:
                time.sleep(0.05)
            time.sleep(0.3)
            if process.poll() is not None:
                return fail(name, "it ended before ^C: %s" % open(os.path.join(folder, "err")).read()[-200:])
            before = time.monotonic()
            process.send_signal(signal.SIGINT)
            code = ended(process, name, folder, 20)
            took = (time.monotonic() - before) * 1000
            if code != 130:
                return fail(name, "exit %d after ^C" % code)
            best = took if best is None else min(best, took)
            if best <= INTERRUPT_MS:
                break
    slow = FULL and best > INTERRUPT_MS
    if slow and not alone:
        return True
    note("interrupt", best, name)
    if slow:
        fail(name, "^C takes %d ms" % best)
    return False


def main():
    names = [model["id"] for model in ask(PORT, "/v1/models")["data"]]
    count = ask(PORT, "/asked")[0]
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(answer, names[:count]))
    with ThreadPoolExecutor(4) as pool:
        slow = list(pool.map(interrupted, names[count:]))
    for name in (name for name, late in zip(names[count:], slow) if late):
        interrupted(name, alone=True)
    with tempfile.TemporaryDirectory() as folder:
        ended(start("", folder, path="/listed/v1"), "a list of models", folder, 60)
        for form in ("json", "jsonl"):
            ended(start("key_pieces", folder, "--format", form), form, folder, 60)
    if ask(OTHER_PORT, "/asked")[1] or any("localhost" in host for host in ask(PORT, "/asked")[1]):
        fail("a redirect", "another host was asked")
    print("%d answers, %d endless; most memory %d MB (%s), time %.2f s (%s), ^C %d ms (%s)" % (
        count, len(names) - count, worst["memory"][0] >> 10, worst["memory"][1], *worst["time"], *worst["interrupt"]))
    for line in failures:
        print("FAILED: " + line)
    return bool(failures)


try:
    sys.exit(main())
finally:
    os.kill(PID, signal.SIGKILL)
