#!/usr/bin/env python3
"""tests/engine/tokenizer/peers.py — do quire and Hugging Face's tokenizers agree on a tokenizer.json?

usage: peers.py QUIRE      (in the top folder; needs the Python packages tokenizers and nothing else)

Trains small tokenizers of each kind that published models have, on this repository's own text, and
gives hundreds of texts to both: this source, and random characters of many scripts. Prints a line
for each kind; exit code 1 when some ids differ. It is no part of tests/run, which needs no Python.
"""
import glob
import json
import os
import random
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, processors, trainers
from tokenizers import __version__ as version
from tokenizers.normalizers import NFC, NFD, NFKC, NFKD, Lowercase, Prepend, Replace, Strip, StripAccents
from tokenizers.pre_tokenizers import (ByteLevel, Digits, Metaspace, Punctuation, Sequence, Split, Whitespace,
                                       WhitespaceSplit)

TEXTS = 400
SCRIPTS = [(0x20, 0x7E)] * 6 + [
    (0xA0, 0x17F), (0x300, 0x36F), (0x370, 0x3FF), (0x400, 0x4FF), (0x590, 0x6FF), (0x900, 0x97F), (0xE00, 0xE7F),
    (0x1100, 0x11FF), (0x1E00, 0x1FFF), (0x2000, 0x206F), (0x2070, 0x218F), (0x2460, 0x27BF), (0x3000, 0x30FF),
    (0x4E00, 0x9FFF), (0xAC00, 0xD7A3), (0xF900, 0xFAFF), (0xFB00, 0xFDFF), (0xFE00, 0xFFEF), (0x1D400, 0x1D7FF),
    (0x1F300, 0x1F9FF), (0x20000, 0x2FFFF), (0xE0000, 0xE01EF)]
BETWEEN = [" ", "  ", "   ", "\n", "\n\n", "\t", " \n ", "\r\n", "'s", "'LL", " 12", "3456", "..", "!?", "\u00a0",
           "\u3000", "\u200b"]
EXTREMES = ["", " ", "\n", " a", "a ", "x" * 300, " " * 70, "\n" * 9, "1" * 20, "▁a▁ b", "ẞß İı ﬁ Å Å é é",
            "don't DON'T we'll WE'LL", "HELLO world's iPhone12345 x", "日本語とテキスト", "안녕하세요 세계",
            "🇩🇪🏳️‍🌈👨‍👩‍👧", "नमस्ते १२३ ١٢٣٤ １２３ ①②", "foo food foo. a foo", "x Bar y  Bar", "a\n\n\nb", "a    b   c"]

CONTRACTIONS = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)"
LLAMA3 = (CONTRACTIONS + r"|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+")
QWEN2 = LLAMA3.replace(r"\p{N}{1,3}", r"\p{N}")
CASED = (r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+ENDS|"
         r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*ENDS|"
         r"\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+")
O200K = CASED.replace("ENDS", CONTRACTIONS + "?")
TEKKEN = CASED.replace("ENDS", "").replace(r"\p{N}{1,3}", r"\p{N}")
DEEPSEEK3 = [r"\p{N}{1,3}", "[一-龥぀-ゟ゠-ヿ]+",
             r"""[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+|"""
             r" ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"]


def learned_from():
    names = sorted(glob.glob("*.md") + glob.glob("engine/**/*.c", recursive=True) + glob.glob("prompts/**/*.txt"))
    return [open(name, encoding="utf-8").read() for name in names]


def mixed(dice):
    text = []
    for _ in range(dice.randint(1, 20)):
        low, high = dice.choice(SCRIPTS)
        text += [chr(dice.randint(low, high)) for _ in range(dice.randint(1, 6))]
        text.append(dice.choice(BETWEEN) if dice.random() < 0.5 else "")
    return "".join(text)


def texts_of(corpus):
    dice = random.Random(7)
    source = "\n".join(corpus)
    made = list(EXTREMES)
    while len(made) < TEXTS:
        at = dice.randrange(len(source) - 400)
        made.append(source[at:at + dice.randint(1, 400)] if len(made) % 4 == 0 else mixed(dice))
    return made


def over_bytes(corpus, normalizer, *steps, **settings):
    tokenizer = Tokenizer(models.BPE(**settings))
    if normalizer:
        tokenizer.normalizer = normalizer
    tokenizer.pre_tokenizer = Sequence(list(steps)) if len(steps) > 1 else steps[0]
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.train_from_iterator(corpus, trainers.BpeTrainer(
        vocab_size=4000, special_tokens=["<|first|>", "<|last|>"], show_progress=False,
        initial_alphabet=ByteLevel.alphabet()))
    return tokenizer


def cut_by(*patterns):
    return [Split(Regex(pattern), "isolated") for pattern in patterns] + [as_bytes()]


def as_bytes(cuts=False, prefix=False):
    return ByteLevel(add_prefix_space=prefix, use_regex=cuts)


def with_first(tokenizer):
    tokenizer.post_processor = processors.TemplateProcessing(single="<|first|> $A",
                                                             special_tokens=[("<|first|>", 0)])
    return tokenizer


def with_added(tokenizer):
    tokenizer.add_tokens([AddedToken("foo", single_word=True), AddedToken("Bar", lstrip=True, rstrip=True),
                          AddedToken("\n\n", normalized=False), AddedToken("  "), AddedToken("日本")])
    return tokenizer


def over_characters(corpus, normalizer, steps):
    fallback = ["<0x%02X>" % byte for byte in range(256)]
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=True, byte_fallback=True))
    if normalizer:
        tokenizer.normalizer = normalizer
    if steps:
        tokenizer.pre_tokenizer = steps
    tokenizer.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(),
                                           decoders.Strip(" ", 1, 0)])
    tokenizer.train_from_iterator(corpus, trainers.BpeTrainer(
        vocab_size=4000, special_tokens=["<unk>", "<s>", "</s>"] + fallback, show_progress=False))
    plain = json.loads(tokenizer.to_str())
    plain["added_tokens"] = [token for token in plain["added_tokens"] if token["content"] not in fallback]
    return Tokenizer.from_str(json.dumps(plain))


def unigram(corpus):
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.normalizer = normalizers.Sequence([NFKC(), Replace(Regex(" {2,}"), " ")])
    tokenizer.pre_tokenizer = Metaspace("▁", prepend_scheme="always", split=True)
    tokenizer.decoder = decoders.Metaspace()
    tokenizer.train_from_iterator(corpus, trainers.UnigramTrainer(
        vocab_size=2000, unk_token="<unk>", special_tokens=["<pad>", "</s>", "<unk>"], show_progress=False))
    return tokenizer


def kinds(corpus):
    marked = normalizers.Sequence([Prepend("▁"), Replace(" ", "▁")])
    yield "gpt-2", over_bytes(corpus, None, as_bytes(True))
    yield "gpt-2, space first", over_bytes(corpus, None, as_bytes(True, True))
    yield "llama 3", with_first(over_bytes(corpus, None, *cut_by(LLAMA3), ignore_merges=True))
    yield "qwen 2", over_bytes(corpus, NFC(), *cut_by(QWEN2))
    yield "o200k", over_bytes(corpus, None, *cut_by(O200K))
    yield "tekken", over_bytes(corpus, None, *cut_by(TEKKEN), ignore_merges=True)
    yield "deepseek 3", over_bytes(corpus, None, *cut_by(*DEEPSEEK3))
    yield "smollm", over_bytes(corpus, None, Digits(individual_digits=True), as_bytes(True))
    yield "runs of digits", over_bytes(corpus, None, Digits(individual_digits=False), as_bytes(True))
    yield "punctuation", over_bytes(corpus, None, Punctuation("isolated"), as_bytes(True))
    yield "whitespace, folded", over_bytes(corpus, normalizers.Sequence([NFKC(), Lowercase()]), Whitespace(),
                                           as_bytes())
    yield "whitespace, no accents", over_bytes(corpus, normalizers.Sequence([NFD(), StripAccents(), Strip()]),
                                               WhitespaceSplit(), as_bytes())
    for how in ["removed", "merged_with_previous", "merged_with_next", "contiguous"]:
        yield "split " + how, over_bytes(corpus, NFKD(), Split(Regex(r"[\s,.]"), how), as_bytes())
    yield "split inverted", over_bytes(corpus, None, Split(Regex(r"\w+|[^\w\s]+"), "removed", True), as_bytes())
    yield "added tokens", with_added(over_bytes(corpus, None, as_bytes(True)))
    yield "llama 2", over_characters(corpus, marked, None)
    yield "mistral", over_characters(corpus, None, Metaspace("▁", prepend_scheme="first", split=False))
    yield "metaspace always", over_characters(corpus, None, Metaspace("▁", prepend_scheme="always", split=True))
    yield "metaspace never", over_characters(corpus, None, Metaspace("▁", prepend_scheme="never", split=True))
    yield "gemma", over_characters(corpus, Replace(" ", "▁"), Split(" ", "merged_with_previous"))
    yield "unigram", unigram(corpus)


def ids_of(quire, path, text):
    ran = subprocess.run([quire, "tokenize", "--ids", "-m", path], input=text.encode(), capture_output=True)
    return [int(word) for word in ran.stdout.split()] if ran.returncode == 0 else ran.stderr.decode().strip()


def differences(quire, path, tokenizer, texts):
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        ours = list(pool.map(lambda text: ids_of(quire, path, text), texts))
    theirs = [tokenizer.encode(text, add_special_tokens=False).ids for text in texts]
    return [each for each in zip(texts, theirs, ours) if each[1] != each[2]]


def main(quire):
    corpus = learned_from()
    texts = texts_of(corpus)
    wrong = 0
    print(f"tokenizers {version}, {len(texts)} texts each")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "tokenizer.json")
        for name, tokenizer in kinds(corpus):
            tokenizer.save(path)
            found = differences(quire, path, tokenizer, texts)
            print(f"{name}: {len(found)} differ")
            for text, theirs, ours in found[:3]:
                print(f"  {text!r}\n    theirs {theirs}\n    ours   {ours}")
            wrong += len(found)
    return 1 if wrong else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1]))
