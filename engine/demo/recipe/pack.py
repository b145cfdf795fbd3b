#!/usr/bin/env python3
"""Runs every generator, encodes all sources and packs them into the rows of both stages.

usage: pack.py IN OUT stage1_tokens stage2_tokens

environment: SEED: another number gives other chats.

IN holds tokenizer.json and the text of others (NAME.jsonl.xz: chats, one list of [role, text] a line; NAME.txt.xz:
documents, separated by <|endoftext|>). The chats of the project are generated here, for each stage anew: few for
stage 1, so that it can begin, and many for stage 2, which are made while stage 1 is trained. OUT/1 and OUT/2 get the
rows (tokens and flags: 1 = loss in stage 2, 2 = a document begins), held-out rows of each source, and DONE when all
is there.
"""
import glob
import hashlib
import importlib
import itertools
import json
import lzma
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor

import numba
import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, HERE + '/authored']
from apart import Apart  # noqa: E402, after the path is set
from way_out import mend  # noqa: E402

ROLE = {'s': 'system', 'u': 'user', 'a': 'assistant'}
CACHES = ['countries.json', 'names.json', 'pc_questions.json', 'wordnet_words.json']  # text of others that gen reads
SEED = int(os.environ.get('SEED', '100'))

# modules with chats(seed, n), and how many chats each gives
MODULES = json.load(open(HERE + '/modules.json'))
# generators that write files into a folder
PROGRAMS = {'smalltalk': ['smalltalk_gen.py', '60000', '{out}'], 'knowledge': ['knowledge_gen.py', '--out', '{out}'], 'tasks': ['tasks_gen.py']}
SYNTH = 420000
DRAWN = {1: .5, 2: 2.5 / 1.35e9}  # of all these counts, in each stage; the second's for each token that is packed

# shares of the two stages, and the largest number of passes over a source
STAGE1 = {'classics_simple': 15, 'openstax_prose': 6, 'onestop_news': 1.5, 'children_stories_text': 1, 'child': .5, 'persona': 1.5, 'sgd': 4,
          'taskmaster': .3, 'gsm8k': 1, 'smalltalk_pc': 1, 'synth': 20, 'smalltalk': 4, 'knowledge': 4, 'tasks': 6}
STAGE2 = {'smalltalk_pc': 2, 'synth': 11, 'long': 8, 'smalltalk': 6, 'knowledge': 6, 'tasks': 5}
for name, m in MODULES.items():
    STAGE1[name], STAGE2[name] = m['share'] * .6, m['share']
CAP = {'classics_simple': 9, 'child': 12, 'smalltalk_pc': 14, 'children_stories_text': 12}

T0 = time.time()


def log(*a):
    print(f'[pack {time.time() - T0:6.1f}]', *a, flush=True)


def render(chat):
    return ''.join(f'<|im_start|>{ROLE[a]}\n{b}<|im_end|>\n' for a, b in chat) + '<|endoftext|>'


def start(path):
    """What every worker has: the tokenizer, on one core, and what is kept from the training."""
    from tokenizers import Tokenizer
    global TK, APART
    TK, APART = Tokenizer.from_file(path), Apart()


class Part:
    """Some documents of one source as tokens, with their lengths and hashes."""

    def __init__(self, name, docs, chats=True):
        ids = [e.ids for e in TK.encode_batch_fast(docs)]
        self.name, self.chats, self.sample = name, chats, []
        self.lengths = np.array([len(i) for i in ids], np.int64)
        self.tokens = np.fromiter(itertools.chain.from_iterable(ids), np.uint16, self.lengths.sum())
        self.keys = np.array([int.from_bytes(hashlib.blake2b(d.encode(), digest_size=8).digest(), 'little') for d in docs], np.uint64)


def part(name, chats):
    """Whole chats as tokens, and one in twelve as text, for the long rows."""
    whole = [mend(m) for m in chats if len(m) > 1 and m[-1][0] == 'a' and all(b.strip() and '<|' not in b for _, b in m)]
    whole = [m for m in whole if APART.free(m)]
    made = Part(name, [render(m) for m in whole])
    made.sample = whole[::12] if name not in ('introductions', 'few_shot') else []  # one row, one person: what was told or shown in one chat must not be there when the next one asks
    return made


def load(path):
    text, name = lzma.open(path, 'rt', encoding='utf-8').read(), os.path.basename(path)
    if name.endswith('.jsonl.xz'):
        return Part(name[:-9], [render(mend(chat)) for chat in map(json.loads, filter(None, text.split('\n'))) if APART.free(chat)])
    return Part(name[:-7], [d.strip() + '<|endoftext|>' for d in text.split('<|endoftext|>') if d.strip()], False)


def synth(a):
    return part('synth', [[[x['role'][0], x['content']] for x in json.loads(line)['messages']] for line in importlib.import_module('generate').chunk(a)])


def module(a):
    name, seed, n = a
    return part(name, list(importlib.import_module(name).chats(seed, n)))


def program(a):
    """Runs a generator of files in a copy of the recipe, so that the sources stay clean."""
    name, args = a
    with tempfile.TemporaryDirectory() as copy:
        out = shutil.copytree(HERE, copy + '/recipe') + '/authored'
        subprocess.run([sys.executable] + [x.format(out=out) for x in args], cwd=out, check=True, stdout=subprocess.DEVNULL)
        found = [json.loads(line)['messages'] for f in sorted(glob.glob(out + '/*.jsonl')) for line in open(f, encoding='utf-8')]
    return part(name, [[[x['role'][0], x['content']] for x in m] for m in found])


def long_chats(pool, r, limit):
    """Several chats without a system prompt, one after the other, for rows of 2,048."""
    bad = re.compile("told me|mentioned|don't know that yet|your name|about you")
    pool = [m for m in pool if m[0][0] != 's' and not any(bad.search(b) for _, b in m)]
    r.shuffle(pool)
    out, cur, n, most = [], [], 0, r.randint(3000, 7500)
    for m in pool:
        size = sum(len(b) + 12 for _, b in m)
        if n + size > most:
            out.append(cur)
            cur, n, most = [], 0, r.randint(3000, 7500)
        cur, n = cur + m, n + size
        if len(out) >= limit:
            break
    return [m for m in out if m]


def sources(ex, stage, tokens):
    """Every source: {name: its parts}."""
    seed, drawn = SEED + 1000 * stage, DRAWN[stage] * (tokens if stage == 2 else 1)
    texts = ex.map(load, [path for path in sorted(glob.glob(IN + '/*.xz')) if os.path.basename(path).split('.')[0] in (STAGE1, STAGE2)[stage - 1]])
    programs = [ex.submit(program, p) for p in PROGRAMS.items()]
    modules = ex.map(module, [(n, seed + i, int(drawn * m['count'] / 32)) for n, m in MODULES.items() for i in range(32)])
    chats = ex.map(synth, [(seed * 10 + i, int(drawn * SYNTH / 64)) for i in range(64)])
    found, pool = {}, []
    for made in itertools.chain(texts, (p.result() for p in programs), modules, chats):
        found.setdefault(made.name, []).append(made)
        pool += made.sample
        made.sample = []
    rows = long_chats(pool, random.Random(5), 9000)
    found['long'] = list(ex.map(Part, ['long'] * len(rows[::500]), [[render(m) for m in rows[i:i + 500]] for i in range(0, len(rows), 500)]))
    return found


@numba.njit
def mark(t, assistant, first):
    """Bit 15: loss on this token in stage 2 (an assistant's text and its end); first: of a chat with several answers also on the first."""
    on, skip, answers, begin, end = False, 0, 0, 0, 0
    for i in range(t.shape[0]):
        v = t[i]
        if v == 0:
            for j in range(begin, end if answers == 1 else begin):
                t[j] |= 0x8000
            answers = 0
        elif v == 1:
            on = i + 1 < t.shape[0] and t[i + 1] == assistant
            skip = 2
            if on:
                answers += 1
                begin = i + 3
        elif on and skip > 0:
            skip -= 1
        elif on:
            if first or answers > 1:
                t[i] = v | 0x8000
            if v == 2:
                on, end = False, i + 1


@numba.njit
def fit(tok, off, ids, T, out, flg):
    """First fit into a window of 64 open rows; documents longer than T are cut to their first T tokens."""
    W = 64
    n, nxt = out.shape[0], W
    cur, fill = np.arange(W), np.zeros(W, np.int64)
    for x in range(ids.shape[0]):
        a = off[ids[x]]
        l = min(off[ids[x] + 1] - a, T)
        best, bf = -1, -1
        for w in range(W):
            if fill[w] + l <= T and fill[w] > bf:
                best, bf = w, fill[w]
        if best < 0:
            for w in range(W):
                if best < 0 or fill[w] > fill[best]:
                    best = w
            if nxt >= n:
                break
            cur[best], fill[best] = nxt, 0
            nxt += 1
        r, f = cur[best], fill[best]
        for i in range(l):
            out[r, f + i] = tok[a + i] & 0x3fff
            flg[r, f + i] = 1 if tok[a + i] & 0x8000 else 0
        flg[r, f] |= 2
        fill[best] = f + l
    return min(nxt, n)


def pack(tok, off, ids, T, rows):
    out, flg = np.zeros((rows, T), np.uint16), np.zeros((rows, T), np.uint8)
    n = fit(tok, off, ids, T, out, flg)
    return out[:n], flg[:n]


class Corpus:
    """All documents as one array of tokens, with the distinct documents of each source but the held-out ones."""

    def __init__(self, found, assistant):
        self.ranges, self.held, self.stats, offsets, tokens, base, first = {}, {}, {}, [], [], 0, 0
        for name, parts in found.items():
            T, L = np.concatenate([p.tokens for p in parts]), np.concatenate([p.lengths for p in parts])
            ids = np.unique(np.concatenate([p.keys for p in parts]), return_index=True)[1]
            if parts[0].chats:
                mark(T, assistant, name != 'few_shot')  # what the first example shows cannot be known before it
            else:  # prose is cut into pieces of 1,024
                L = np.array([p for l in L for p in [1024] * (l // 1024) + ([l % 1024] if l % 1024 else [])])
                ids = np.arange(len(L))
            o = np.concatenate([[0], np.cumsum(L)])
            perm, h = np.random.default_rng(7).permutation(ids), min(max(len(ids) // 100, 8), 300)
            self.held[name] = [T[o[i]:o[i + 1]].copy() for i in perm[:h]]
            self.ranges[name] = (perm[h:] + first, int(L[perm[h:]].sum()))
            offsets.append(o[:-1] + base)
            tokens.append(T)
            base, first = base + len(T), first + len(L)
            self.stats[name] = dict(docs=len(ids), tokens=int(L[ids].sum()))
            log(name, len(L), 'documents,', len(ids), 'distinct,', round(L[ids].sum() / 1e6, 2), 'M tokens')
        self.tok, self.off = np.concatenate(tokens), np.concatenate(offsets + [[base]])

    def rows(self, shares, N, T, seed, out):
        rg, ids, passes = np.random.default_rng(seed), [], {}
        shares = {n: s for n, s in shares.items() if n in self.ranges}
        total = sum(shares.values())
        plan = {n: min(s / total * N / self.ranges[n][1], CAP.get(n, 99)) for n, s in shares.items()}
        factor = N / sum(plan[n] * self.ranges[n][1] for n in plan)  # what the caps left goes to all
        for n, e in plan.items():
            e, d = e * factor, self.ranges[n][0]
            ids += [rg.permutation(d) for _ in range(int(e))] + [rg.permutation(d)[:int((e - int(e)) * len(d))]]
            passes[n] = round(e, 2)
        ids = np.concatenate(ids)
        rg.shuffle(ids)
        o, fl = pack(self.tok, self.off, ids, T, int(N / T * 1.25) + 64)
        p = rg.permutation(len(o) - 64)
        np.save(f'{out}/tok.npy', o[p])
        np.save(f'{out}/flg.npy', fl[p])
        log('rows', len(p), 'T', T, 'tokens', round(len(p) * T / 1e6, 1), 'M; passes', json.dumps(passes))
        return passes


def make(ex, stage, tokens, assistant):
    out = f'{OUT}/{stage}'
    os.makedirs(out)
    c = Corpus(sources(ex, stage, tokens), assistant)
    passes = c.rows((STAGE1, STAGE2)[stage - 1], tokens, 1024 * stage, stage, out)
    for name, docs in c.held.items():
        t, o = np.concatenate(docs), np.concatenate([[0], np.cumsum([len(d) for d in docs])])
        x, fl = pack(t, o, np.arange(len(docs)), 1024, 400)
        keep = (fl & 2).any(1)
        np.savez(f'{out}/held_{name}.npz', tok=x[keep][:96], flg=fl[keep][:96])
    json.dump(dict(sources=c.stats, passes=passes), open(out + '/prep.json', 'w'), indent=1)
    open(out + '/DONE', 'w').write('ok')
    log('stage', stage, 'done')


def main():
    from tokenizers import Tokenizer
    absent = [name for name in CACHES if not os.path.exists(f'{HERE}/gen/{name}')]
    if absent:
        sys.exit('pack.py: not in gen: ' + ', '.join(absent) + ' (text of others, kept beside the recipe: gen/segs.py and generate.py make it from data)')
    Apart()  # says so here when the evaluation is not where it should be: a worker could only die of it
    os.environ['TOKENIZERS_PARALLELISM'] = 'false'  # the workers are the threads
    assistant = Tokenizer.from_file(IN + '/tokenizer.json').encode('assistant').ids
    assert len(assistant) == 1
    with ProcessPoolExecutor(initializer=start, initargs=(IN + '/tokenizer.json',)) as ex:
        for stage, tokens in ((1, N1), (2, N2)):
            if tokens:
                make(ex, stage, tokens, assistant[0])


if __name__ == '__main__':
    IN, OUT, N1, N2 = sys.argv[1], sys.argv[2], int(float(sys.argv[3])), int(float(sys.argv[4]))
    main()
