#!/usr/bin/env python3
"""make.py NODE_MODULES [FOLDER [TEXTS]] — small vocabularies of our own, and the ids that others have for them.

Trains a vocabulary of bytes and one of characters on text of this repository, and writes one file for each
kind of tokenizer that quire reads: *.gguf, and *.json as Hugging Face publishes them; texts.txt, of TEXTS
texts; and ids.txt, what llama.cpp (GGUF) and Hugging Face's tokenizers (JSON) make of each; a vocabulary of bytes
under each name of a pre-tokeniser is given to both, and both must agree but for DEPARTS. Merges are
learned across spaces, digits and line breaks, so that a text cut at another place has other ids.
test_vectors compares quire with these files, or with those of another FOLDER that is its argument:

  npm install --prefix /tmp/reference tokenizers node-llama-cpp
  tests/engine/tokenizer/vocabularies/make.py /tmp/reference/node_modules /tmp/more 1000
  build/tests/engine/tokenizer/engine_tokenizer_test_vectors /tmp/more

Only this script needs Node.js and those packages; the tests read what it wrote.
"""
import json
import pathlib
import random
import re
import struct
import subprocess
import sys
import tempfile
from collections import Counter

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[3]
MERGES, TEXTS = 200, 66
MARKS = ["<|user|>", "<|assistant|>", "<|end|>", "<|endoftext|>"]

# Other scripts, numbers, code and white space, of which the conversations in the tree have little.
OWN = """Der Fluß fließt über große Äcker; où est l'été à Noël? Мы живём в Москве, а они в Киеве. Γεια σου κόσμε.
我想在家里喝茶。你好，世界！今日は天気がいいですね。東京タワーへ行きます。안녕하세요 세계, 오늘은 좋아요. नमस्ते दुनिया।
I'm sure they're late; we've said it's OK, he'd say they'll come, don't you? WE'LL SEE. It'S THEIRS.
In 1999 there were 123456 of 7,890,123; 3.14159 and 2026-11-28, 100 %, 0x1F, 12 345, 1st 2nd 3rd.
int main(void) {\n    for (int i = 0; i < 100; i++) {\n        printf("%d\\n", i);\n    }\n    return 0;\n}\n
def getName(self):\n\treturn self.firstName + '_' + self.lastName\n\nclass HTTPServer2(BaseServer):\n\tpass\n\n\n
  * one\n  * two\n\n    - three...   \r\n\r\nWhat?! No!!! -- (yes) [maybe] {never} <tag attr="x">/usr/local/bin</tag>
x    y        z  a\t\tb   \n   \n c == d != e && f || g => h :: i ... j"""

SCRIPTS = [(0x20, 0x7E)] * 6 + [
    (0xA0, 0x17F), (0x300, 0x36F), (0x370, 0x3FF), (0x400, 0x4FF), (0x590, 0x6FF), (0x900, 0x97F), (0xE00, 0xE7F),
    (0x1100, 0x11FF), (0x1E00, 0x1FFF), (0x2000, 0x206F), (0x2070, 0x218F), (0x2460, 0x257F), (0x25A0, 0x27BF),
    (0x3000, 0x30FF), (0x4E00, 0x9FFF), (0xAC00, 0xD7A3), (0xF900, 0xFAFF), (0xFB00, 0xFDFF), (0xFE00, 0xFFEF),
    (0x1D400, 0x1D7FF), (0x1F300, 0x1F9FF), (0x20000, 0x2FFFF), (0xE0000, 0xE01EF)]
BETWEEN = [" ", "  ", "   ", "\n", "\n\n", "\t", " \n ", "\r\n", "'s", "'LL", " 12", "3456", "..", "!?", "\u00a0",
           "\u3000", "\u200b"]
CHOSEN = [
    "", " ", "\n", "\t\n", " a", "a ", "  two  spaces ", "x" * 40, " " * 70, "\n" * 9, "1" * 20, "12 345 6789 0",
    "ẞß İı ﬁ Å Å é é", "don't DON'T we'll WE'LL It'S", "HELLO world's iPhone12345 x", "getName HTTPServer2 aB",
    "日本語とテキスト", "안녕하세요 세계", "🇩🇪🏳️‍🌈👨‍👩‍👧", "नमस्ते १२३ ١٢٣٤ １２３ ①②", "foo food foo. a foo", "x Bar y  Bar",
    "a\n\n\nb", "a    b   c", "int i = 0;\n\treturn i;\n", "What?! (yes) [no] -- /usr/local/bin", "1,234,567.89 %",
    "Привет, мир! Γεια σου", "我想在apple工作1314151天～", " \r\n \r\n x", "...and... so=on==x", "a\u00a0b\u3000c\u200bd",
    "e\u0301te\u0301 n\u0303", "12345 1234 123 12 1", "«ça» — “là”… ‘x’", "_snake_case_ __x__ $5 #1 @me ^_^", "no <tag> here",
    "ʼn ǅ ﬀ Ⅷ ½ ²", "ab12cd 3x4y", "Tab\tTab\t\tTab", "end of line   \n  next", "it'squad 'tis", "`code` a`b  `", " zebra zebra",
    "end.\nnext;\n", "x  12   345"]
CONTROL = [f"{MARKS[0]}\nSYS\nHI{MARKS[2]}\n{MARKS[1]}\n", f"a {MARKS[2]}  b{MARKS[2]}{MARKS[0]}", MARKS[1] + " x", "<s></s> <unk>"]

# Merges across what only some expressions cut: where capitals begin, before an accent, behind 't and 's,
# between scripts, before a backtick. Two words no merge makes: some take a word of the vocabulary whole.
ACROSS = [(b"t", b"N"), (b"a", b"B"), (b"e", b"\xCC"), (b"i", b"s"), (b"t", b"is"), (b"s", b"q"), (b"\xA8", b"a"),
          (b" ", b"`"), (b".", b"\n")]


# ---- training

def byte_alphabet():
    """Byte-level BPE's character for each byte."""
    after = iter(range(256, 512))
    return [chr(byte) if 32 < byte < 127 or 160 < byte and byte != 173 else chr(next(after)) for byte in range(256)]


def train(words, count):
    """The `count` most frequent pairs, merged one after another: Sennrich et al., arXiv 1508.07909."""
    words = [list(word) for word in words]
    merges = []
    while len(merges) < count:
        pairs = Counter(pair for word in words for pair in zip(word, word[1:]))
        first, second = max(pairs, key=lambda pair: (pairs[pair], pair))
        merges.append((first, second))
        for word in words:
            at = 0
            while at + 1 < len(word):
                if (word[at], word[at + 1]) == (first, second):
                    word[at:at + 2] = [first + second]
                at += 1
    return merges


def corpus():
    said = (ROOT / "tests/golden/demo_samples.md").read_text(encoding="utf-8")
    return OWN * 3 + said


def trained_bytes(text):
    alphabet = byte_alphabet()
    stretches = ["".join(alphabet[byte] for byte in text[at:at + 200].encode()) for at in range(0, len(text), 200)]
    merges = [tuple("".join(alphabet[byte] for byte in part) for part in pair) for pair in ACROSS]
    merges += [pair for pair in train(stretches, MERGES) if pair not in merges]
    return alphabet + list(dict.fromkeys(a + b for a, b in merges)) + ["zebra", "Ġzebra"], merges


def trained_characters(text):
    text = text.replace(" ", "▁")
    merges = train([text[at:at + 200] for at in range(0, len(text), 200)], MERGES)
    seen = Counter(text)
    letters = sorted(letter for letter in seen if seen[letter] > 2 and letter not in "\n\r\t")
    kept = [(a, b) for a, b in merges if set(a + b) <= set(letters)]
    tokens = list(dict.fromkeys(a + b for a, b in kept))
    return letters + tokens, kept


# ---- GGUF

NORMAL, MARK, OWN_TOKEN, BYTE = 1, 3, 4, 6  # tokenizer.ggml.token_type


def gguf_bytes(pairs):
    def text(value):
        return struct.pack("<Q", len(value.encode())) + value.encode()

    def value(what):
        if isinstance(what, bool):
            return struct.pack("<I?", 7, what)
        if isinstance(what, int):
            return struct.pack("<II", 4, what)
        if isinstance(what, str):
            return struct.pack("<I", 8) + text(what)
        kinds = {str: (8, text), int: (5, lambda x: struct.pack("<i", x)), float: (6, lambda x: struct.pack("<f", x))}
        kind, write = kinds[type(what[0])]
        return struct.pack("<IIQ", 9, kind, len(what)) + b"".join(write(each) for each in what)
    return b"GGUF" + struct.pack("<IQQ", 3, 0, len(pairs)) + b"".join(text(key) + value(what) for key, what in pairs.items())


def vocabulary(family, model, pre, tokens, types, **more):
    pairs = {"general.architecture": family, f"{family}.context_length": 512, f"{family}.block_count": 1,
             f"{family}.embedding_length": 32, f"{family}.attention.head_count": 1, "tokenizer.ggml.model": model}
    pairs |= {"tokenizer.ggml.pre": pre} if pre else {}
    pairs |= {"tokenizer.ggml.tokens": tokens, "tokenizer.ggml.token_type": types}
    return pairs | {f"tokenizer.ggml.{key}": what for key, what in more.items()}


def lines_of(merges):
    return [f"{a} {b}" for a, b in merges]


def of_bytes(trained, pre, own=()):
    tokens, merges = trained
    ids = tokens + MARKS + list(own)
    types = [NORMAL] * len(tokens) + [MARK] * len(MARKS) + [OWN_TOKEN] * len(own)
    return vocabulary("llama", "gpt2", pre, ids, types, merges=lines_of(merges), eos_token_id=len(tokens) + 2)


def of_characters(trained, family, model, **more):
    """By scores; by merges if `more` has them."""
    letters = trained[0]
    tokens = ["<unk>", "<s>", "</s>"] + [f"<0x{byte:02X}>" for byte in range(256)] + letters + MARKS
    types = [MARK, MARK, MARK] + [BYTE] * 256 + [NORMAL] * len(letters) + [MARK] * len(MARKS)
    learned = {"".join(pair): -float(rank) for rank, pair in enumerate(trained[1])}
    scores = [learned.get(token, -1000.0) if kind == NORMAL else 0.0 for token, kind in zip(tokens, types)]
    return vocabulary(family, model, "default", tokens, types, scores=scores, bos_token_id=1, eos_token_id=2,
                      unknown_token_id=0, **more)


# Where llama.cpp cuts otherwise than Hugging Face's tokenizers do by the expressions that quire has; ids are
# those of the latter. All are as they were published and llama.cpp's are not, but for superbpe, where quire's
# groups of three take characters such as "²" for digits.
DEPARTS = {
    "tekken gpt-4o llama4 kanana2 minimax-m2 talkie": "an accent on its own ends a word",
    "kimi-k2 youtu": "a word does not end where capitals begin",
    "deepseek-llm": "digits stay together, published one by one",
    "afmoe tiny_aya cohere2moe": "a step sees what is beyond its piece",
    "superbpe": "1000²",
}


def pre_tokenizers():
    """Quire's rows: its expressions, its names for them, and whether they take a word of the vocabulary whole."""
    source = ROOT / "engine/tokenizer/pretokenizer_names.c"
    plain = subprocess.run(["cc", "-E", "-P", "-I", ROOT, source], capture_output=True, text=True, check=True).stdout
    literal = r'"(?:[^"\\]|\\.)*"'

    def strings(code):
        joined = re.sub(r'"\s+"', "", code)
        return [re.sub(r"\\(.)", r"\1", each[1:-1]) for each in re.findall(literal, joined)]
    arrays = {name: strings(code) for name, code in
              re.findall(r"char \*const (\w+)\[\] = \{(.*?)\};", plain, re.S)}
    table, after = plain[plain.index("rows[] = {"):].split("\n};", 1)
    rows = [(arrays[name], strings(names)[0].replace("(none)", "").split(), first == "1") for name, names, first in
            re.findall(r"\{(\w+),((?:\s*" + literal + r")+),\s*(\d)", table)]
    return rows, strings(re.search(r"return is_among\((" + literal + r"), name\)", after)[1])[0].split()


# ---- tokenizer.json

CONTRACTIONS = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)"
LLAMA3 = CONTRACTIONS + r"|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
QWEN2 = LLAMA3.replace(r"\p{N}{1,3}", r"\p{N}")
CASED = (r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+ENDS|"
         r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*ENDS|"
         r"\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+")
O200K = CASED.replace("ENDS", CONTRACTIONS + "?")
TEKKEN = CASED.replace("ENDS", "").replace(r"\p{N}{1,3}", r"\p{N}")
DEEPSEEK3 = [r"\p{N}{1,3}", "[一-龥぀-ゟ゠-ヿ]+",
             r"""[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+|"""
             r" ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"]


def added(first, tokens, **settings):
    usual = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": False}
    return [{"id": first + at, "content": token, **usual, **settings} for at, token in enumerate(tokens)]


def sequence(kind, steps):
    return None if not steps else steps[0] if len(steps) == 1 else {"type": "Sequence", kind: list(steps)}


def as_bytes(cuts=False, prefix=False):
    return {"type": "ByteLevel", "add_prefix_space": prefix, "trim_offsets": True, "use_regex": cuts}


def split(pattern, how="Isolated", invert=False):
    return {"type": "Split", "pattern": pattern if isinstance(pattern, dict) else {"Regex": pattern}, "behavior": how,
            "invert": invert}


def metaspace(scheme, cuts):
    return {"type": "Metaspace", "replacement": "▁", "prepend_scheme": scheme, "split": cuts}


def cut_by(*patterns):
    return [split(pattern) for pattern in patterns] + [as_bytes()]


def steps(*kinds):
    return [{"type": kind} for kind in kinds]


def tokenizer(model, normalizers, cuts, decoder, tokens):
    return {"version": "1.0", "truncation": None, "padding": None, "added_tokens": tokens,
            "normalizer": sequence("normalizers", normalizers), "pre_tokenizer": sequence("pretokenizers", cuts),
            "post_processor": None, "decoder": decoder, "model": model}


def bpe(tokens, merges, **settings):
    usual = {"dropout": None, "unk_token": None, "continuing_subword_prefix": None, "end_of_word_suffix": None,
             "fuse_unk": False, "byte_fallback": False, "ignore_merges": False}
    return {"type": "BPE", **usual, **settings, "vocab": {token: at for at, token in enumerate(tokens)},
            "merges": lines_of(merges)}


def json_kinds(trained, characters):
    tokens, merges = trained
    marks = added(len(tokens), MARKS, special=True)

    def over_bytes(normalizers, *cuts, more=(), **settings):
        return tokenizer(bpe(tokens, merges, **settings), normalizers, cuts, as_bytes(), marks + list(more))

    def over_characters(normalizers, *cuts):
        ids = ["<unk>", "<s>", "</s>"] + [f"<0x{byte:02X}>" for byte in range(256)] + characters[0]
        model = bpe(ids, characters[1], unk_token="<unk>", fuse_unk=True, byte_fallback=True)
        decoder = {"type": "Sequence", "decoders": [
            {"type": "Replace", "pattern": {"String": "▁"}, "content": " "}, {"type": "ByteFallback"}, {"type": "Fuse"},
            {"type": "Strip", "content": " ", "start": 1, "stop": 0}]}
        return tokenizer(model, normalizers, cuts, decoder, added(0, ids[:3], special=True) + added(len(ids), MARKS, special=True))

    next_id = len(tokens) + len(MARKS)
    own = (added(next_id, ["foo"], single_word=True, normalized=True)
           + added(next_id + 1, ["Bar"], lstrip=True, rstrip=True, normalized=True)
           + added(next_id + 2, ["\n\n"]) + added(next_id + 3, ["  ", "日本"], normalized=True))
    space = {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}
    yield "gpt-2", over_bytes([], as_bytes(True))
    yield "space-first", over_bytes([], as_bytes(True, True))
    yield "llama-3", over_bytes([], *cut_by(LLAMA3), ignore_merges=True)
    yield "qwen2", over_bytes(steps("NFC"), *cut_by(QWEN2))
    yield "o200k", over_bytes([], *cut_by(O200K))
    yield "tekken", over_bytes([], *cut_by(TEKKEN), ignore_merges=True)
    yield "deepseek-3", over_bytes([], *cut_by(*DEEPSEEK3))
    yield "smollm", over_bytes([], {"type": "Digits", "individual_digits": True}, as_bytes(True))
    yield "runs-of-digits", over_bytes([], {"type": "Digits", "individual_digits": False}, as_bytes(True))
    yield "punctuation", over_bytes([], {"type": "Punctuation", "behavior": "Isolated"}, as_bytes(True))
    yield "folded", over_bytes(steps("NFKC", "Lowercase"), {"type": "Whitespace"}, as_bytes())
    yield "no-accents", over_bytes(steps("NFD", "StripAccents") + [{"type": "Strip", "strip_left": True, "strip_right": True}],
                                   {"type": "WhitespaceSplit"}, as_bytes())
    for how in ["Removed", "MergedWithPrevious", "MergedWithNext", "Contiguous"]:
        yield "split-" + re.sub("(?<!^)([A-Z])", r"-\1", how).lower(), over_bytes(steps("NFKD"), split(r"[\s,.]", how), as_bytes())
    yield "split-inverted", over_bytes([], split(r"\w+|[^\w\s]+", "Removed", True), as_bytes())
    yield "added", over_bytes([], as_bytes(True), more=own)
    yield "llama-2", over_characters([{"type": "Prepend", "prepend": "▁"}, space])
    yield "mistral", over_characters([], metaspace("first", False))
    yield "metaspace-always", over_characters([], metaspace("always", True))
    yield "metaspace-never", over_characters([], metaspace("never", True))
    yield "gemma", over_characters([space], split({"String": " "}, "MergedWithPrevious"))
    yield "unigram", unigram(characters)


def unigram(characters):
    """Pieces as likely as they are early: what matters is that sums of them differ."""
    pieces = [["<pad>", 0.0], ["</s>", 0.0], ["<unk>", 0.0]]
    rank = {token: at for at, token in enumerate(reversed(characters[0]))}
    pieces += [[token, -3.0 - 0.0625 * rank[token] - (0.0 if len(token) > 1 else 4.0)] for token in characters[0]]
    squeeze = {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "}
    model = {"type": "Unigram", "unk_id": 2, "vocab": pieces, "byte_fallback": False}
    special = added(0, ["<pad>", "</s>", "<unk>"], special=True) + added(len(pieces), MARKS, special=True)
    return tokenizer(model, steps("NFKC") + [squeeze], [metaspace("always", True)], metaspace("always", True), special)


# ---- what is written

def texts_of(count):
    dice = random.Random(7)
    source = corpus()
    made = [["text", text] for text in CHOSEN] + [["control", text] for text in CONTROL]
    while len(made) < count:
        text = ""
        for _ in range(dice.randint(1, 6)):
            low, high = dice.choice(SCRIPTS)
            text += "".join(chr(dice.randint(low, high)) for _ in range(dice.randint(1, 6)))
            text += dice.choice(BETWEEN) if dice.random() < 0.5 else ""
        at = dice.randrange(len(source) - 100)
        made.append(["text", source[at:at + dice.randint(1, 100)] if len(made) % 4 == 0 else text])
    return made


def quoted(text):
    for character, letter in [("\\", "\\"), ('"', '"'), ("\n", "n"), ("\r", "r"), ("\t", "t")]:
        text = text.replace(character, "\\" + letter)
    return f'"{text}"'


def ask(modules, texts, files):
    request = json.dumps({"texts": texts, "files": [str(path) for path in files]})
    ran = subprocess.run(["node", str(HERE / "reference.mjs")], input=request, capture_output=True, text=True,
                         cwd=pathlib.Path(modules).resolve().parent, check=False)
    lines = [line for line in ran.stdout.splitlines() if line.startswith(("[[", "[]", "{"))]
    answers = [json.loads(line) for line in lines]
    if ran.returncode or len(answers) != len(files):
        sys.exit(f"reference.mjs: {ran.stderr[-2000:]}")
    for path, answer in zip(files, answers):
        if isinstance(answer, dict):
            sys.exit(f"{path}: {answer['error']}")
    return answers


def settle(of_names, names, theirs, texts):
    """Both say the same of each name, or it is known that llama.cpp departs. Returns what is not known."""
    unknown = []
    for name in names:
        other = [at for at, ids in enumerate(of_names[name]) if ids != theirs[at]]
        if other and name in " ".join(DEPARTS).split():
            print(f"{name}: llama.cpp departs in {len(other)} of {len(texts)}")
        elif other:
            unknown.append(f"{name}: {texts[other[0]]}: llama.cpp {of_names[name][other[0]]}, tokenizers {theirs[other[0]]}")
        of_names[name] = theirs
    return unknown


def write_kinds(out, kinds):
    """A line of "=" is as in the kind before."""
    before = None
    for names, ids in kinds:
        print("kind", *names, file=out)
        for at, line in enumerate(ids):
            print("=" if before and before[at] == line else " ".join(map(str, line)), file=out)
        before = ids


def main(modules, folder=HERE, count=TEXTS):
    folder, texts = pathlib.Path(folder), texts_of(int(count))
    folder.mkdir(exist_ok=True)
    trained, characters = trained_bytes(corpus()), trained_characters(corpus())
    rows, by_characters = pre_tokenizers()
    by_bytes = [name for _, names, _ in rows for name in names]
    merged = {"merges": lines_of(characters[1]), "add_space_prefix": False}
    runs = [" " * length for length in range(2, 25)]
    fixed = {"bytes.gguf": of_bytes(trained, "default"), "spaces.gguf": of_bytes(trained, "mpt", runs),
             "characters.gguf": of_characters(characters, "llama", "llama"),
             "no-space.gguf": of_characters(characters, "llama", "llama", add_space_prefix=False),
             "phi3.gguf": of_characters(characters, "phi3", "llama") | {"general.name": "phi-3"},
             "merges.gguf": of_characters(characters, "gemma4", "gemma4", **merged)}
    for name, pairs in fixed.items():
        (folder / name).write_bytes(gguf_bytes(pairs))
    published = dict(json_kinds(trained, characters))
    for name, plain in published.items():
        (folder / f"{name}.json").write_text(json.dumps(plain, ensure_ascii=False, separators=(",", ":")) + "\n", encoding="utf-8")
    with tempfile.TemporaryDirectory() as room:
        files = []
        for name in by_bytes + by_characters:
            of = of_bytes(trained, name) if name in by_bytes else \
                of_characters(characters, "llama", "gpt2", **merged) | {"tokenizer.ggml.pre": name}
            files.append(pathlib.Path(room) / f"{name}.gguf")
            files[-1].write_bytes(gguf_bytes(of))
        for expressions, names, first in rows:
            model = bpe(*trained, ignore_merges=first)
            plain = tokenizer(model, [], cut_by(*expressions), as_bytes(), added(len(trained[0]), MARKS, special=True))
            files.append(pathlib.Path(room) / f"{names[0]}.json")
            files[-1].write_text(json.dumps(plain), encoding="utf-8")
        single = [folder / name for name in fixed if name != "bytes.gguf"] + [folder / f"{name}.json" for name in published]
        answers = dict(zip(files + single, ask(modules, texts, files + single)))
        of_names = {path.stem: answers[path] for path in files if path.suffix == ".gguf"}
        unknown = []
        for _, names, _ in rows:
            unknown += settle(of_names, names, answers[pathlib.Path(room) / f"{names[0]}.json"], texts)
        if unknown:
            sys.exit("\n".join(unknown))
    groups = []
    for name, ids in of_names.items():
        file = "bytes.gguf" if name in by_bytes else "merges.gguf"
        same = next((names for names, other in groups if other == ids and names[0] == file), None)
        if same:
            same.append(name)
        else:
            groups.append(([file, name], ids))
    kinds = groups + [([path.name], answers[path]) for path in single]
    with open(folder / "texts.txt", "w", encoding="utf-8") as out:
        out.writelines(f"{kind} {quoted(text)}\n" for kind, text in texts)
    with open(folder / "ids.txt", "w", encoding="utf-8") as out:
        write_kinds(out, kinds)
    print(f"{len(texts)} texts, {len(kinds)} kinds")
    for names, _ in kinds:
        print(" ", *names)


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3, 4):
        sys.exit(__doc__)
    main(*sys.argv[1:])
