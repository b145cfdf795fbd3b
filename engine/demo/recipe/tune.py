#!/usr/bin/env python3
"""Tunes the weights of a finished run on the processor: what is new is learned, and all else stays as it is.

usage: tune.py FROM.gguf TOKENIZER.json OUT.gguf SECONDS RATE PLAN

tune.json has the plans: how many chats of each generator are drawn, and which are new. There the loss is on the assistant's
tokens as in train.py; of all others it is the divergence (KL, times "keep") from what FROM.gguf says, so that nothing is
pushed out. The chats are shown whole, one to a row, rows of one length together; AdamW with RATE (1e-4) falling to zero
over SECONDS; the products in 16 bits.

Needs python3-torch and python3-regex of Debian, the tables in gen/ and tests/golden of the same tree, as pack.py does.
environment: OMP_NUM_THREADS: Debian's torch takes one core by itself;
MALLOC_MMAP_MAX_=0 MALLOC_TRIM_THRESHOLD_=8000000000 MALLOC_TOP_PAD_=512000000: half of the time goes to pages that come and
go otherwise.
"""
import importlib
import json
import os
import random
import sys
import time

import torch
import torch.nn.functional as F

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, HERE + '/authored']
import weights  # noqa: E402, after the path is set
from apart import Apart  # noqa: E402
from bpe import Tokenizer  # noqa: E402
from way_out import mend  # noqa: E402

HEADS = {'q': 8, 'k': 4}
STEP, ROWS, LONGEST, WARM = 14000, 4096, 1100, 10  # tokens a step and at once, of the longest chat; steps until the full rate
HELD = 300  # chats that are kept for the figures
T0 = time.time()


def log(*a):
    print(f'[tune {time.time() - T0:6.1f}]', *a, flush=True)


def made(name, seed, count):
    if name != 'synth':
        return importlib.import_module(name).chats(seed, count)
    lines = importlib.import_module('generate').chunk((seed, count))
    return ([[m['role'][0], m['content']] for m in json.loads(line)['messages']] for line in lines)


def drawn(plan):
    """(generator, chat, whether it is new) for all chats that are whole and not in the evaluation."""
    apart = Apart()
    for name, part in plan['chats'].items():
        for chat in made(name, plan['seed'], part['count']):
            if len(chat) > 1 and chat[-1][0] == 'a' and all(text.strip() and '<|' not in text for _, text in chat):
                chat = mend(chat)
                if apart.free(chat):
                    yield name, chat, part['new']


class Model:
    """The weights as floats, and the forward pass over rows of one chat each."""

    def __init__(self, path):
        self.w = {n: torch.from_numpy(w.copy()).requires_grad_() for n, w in weights.read(path, HEADS).items()}
        self.layers = 1 + max(int(n.split('.')[1]) for n in self.w if n.startswith('layers.'))
        self.head = self.w['layers.0.q_proj.weight'].shape[0] // HEADS['q']
        angle = torch.arange(LONGEST).float()[:, None] / 10000.0 ** (torch.arange(0, self.head, 2).float() / self.head)
        self.cos, self.sin = angle.cos(), angle.sin()

    def norm(self, x, name):
        x = x.float()
        return (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5) * self.w[name + '.weight']).bfloat16()

    def rope(self, x):
        a, b = x.float().chunk(2, -1)
        cos, sin = self.cos[:x.shape[2]], self.sin[:x.shape[2]]
        return torch.cat([a * cos - b * sin, b * cos + a * sin], -1).bfloat16()

    def attention(self, h, layer, half):
        rows, length, _ = h.shape
        q, k, v = ((h @ half[f'{layer}.{n}_proj.weight'].T).view(rows, length, -1, self.head).transpose(1, 2) for n in 'qkv')
        q, k, groups = self.rope(q), self.rope(k).flatten(0, 1), HEADS['q'] // HEADS['k']
        q = q.reshape(rows * HEADS['k'], groups * length, self.head)
        later = torch.full((length, length), -1e9).triu(1)
        score = (q @ k.transpose(1, 2)).float().view(-1, groups, length, length) * self.head ** -.5 + later
        y = score.softmax(-1).bfloat16().view(q.shape[0], groups * length, length) @ v.flatten(0, 1)
        return y.view(rows, HEADS['q'], length, self.head).transpose(1, 2).flatten(2) @ half[f'{layer}.o_proj.weight'].T

    def logits(self, ids, learned):
        """For each token that is learned, those before it."""
        half = {n: w.bfloat16() for n, w in self.w.items() if w.ndim == 2}
        x = F.embedding(ids, self.w['embed.weight'])
        for i in range(self.layers):
            layer = f'layers.{i}'
            x = x + self.attention(self.norm(x, layer + '.input_layernorm'), layer, half).float()
            h = self.norm(x, layer + '.post_attention_layernorm')
            gate, up, down = (half[f'{layer}.{n}_proj.weight'].T for n in ('gate', 'up', 'down'))
            x = x + ((F.silu((h @ gate).float()).bfloat16() * (h @ up)) @ down).float()
        return (self.norm(x, 'norm')[:, :-1][learned] @ half['embed.weight'].T).float()


def batches(chats, r):
    """Rows of nearly one length, ROWS tokens at most (or one row), in any order."""
    made, length = [[]], 0
    for chat in sorted(chats, key=lambda c: len(c[1]) + r.random()):
        length = max(length, len(chat[1]))
        if made[-1] and length * (len(made[-1]) + 1) > ROWS:
            made.append([])
            length = len(chat[1])
        made[-1].append(chat)
    r.shuffle(made)
    return made


def tensors(batch):
    """Token ids, which of them are learned (of all but the first), and which of those are new."""
    length = max(len(ids) for _, ids, _, _ in batch)
    ids, said = torch.zeros(len(batch), length, dtype=torch.long), torch.zeros(len(batch), length, dtype=torch.bool)
    for i, (_, a, b, _) in enumerate(batch):
        ids[i, :len(a)], said[i, :len(b)] = torch.tensor(a), torch.tensor(b)
    learned = said[:, 1:]
    return ids, learned, torch.tensor([new for _, _, _, new in batch])[:, None].expand_as(learned)[learned]


def loss(model, teacher, batch, keep):
    """Sum over the tokens that are learned, and their number."""
    ids, learned, new = tensors(batch)
    logits = model.logits(ids, learned).log_softmax(-1)
    with torch.no_grad():
        kept = teacher.logits(ids, learned).log_softmax(-1)
    said = -logits.gather(1, ids[:, 1:][learned][:, None]).squeeze(1)
    apart = (kept.exp() * (kept - logits)).sum(-1)
    return torch.where(new, said, keep * apart).sum(), len(new)


@torch.no_grad()
def held_out(model, chats):
    res = {}
    for name in sorted({c[0] for c in chats}):
        total = number = 0
        for batch in batches([c for c in chats if c[0] == name], random.Random(1)):
            ids, learned, _ = tensors(batch)
            total += float(F.cross_entropy(model.logits(ids, learned), ids[:, 1:][learned], reduction='sum'))
            number += int(learned.sum())
        res[name] = round(total / max(1, number), 4)
    log('held-out', json.dumps(res))


def train(model, teacher, chats, seconds, rate, keep):
    r, todo, step, seen, begin = random.Random(3), [], 0, 0, time.time()
    ps = list(model.w.values())
    opt = torch.optim.AdamW(ps, betas=(0.9, 0.98), eps=1e-9, weight_decay=0.0)
    while (gone := (time.time() - begin) / seconds) < 1:
        opt.param_groups[0]['lr'] = rate * min(1, (step + 1) / WARM) * max(0.02, 1 - gone)
        opt.zero_grad()
        tokens = learned = total = 0
        while tokens < STEP:
            todo = todo or batches(chats, r)
            batch = todo.pop()
            s, n = loss(model, teacher, batch, keep)
            s.backward()
            tokens, learned, total = tokens + sum(len(ids) for _, ids, _, _ in batch), learned + n, total + float(s.detach())
        for p in ps:
            p.grad /= max(1, learned)
        torch.nn.utils.clip_grad_norm_(ps, 1.0)
        opt.step()
        step, seen = step + 1, seen + tokens
        if step % 20 == 0:
            log(f'step {step} loss {total / learned:.4f}, {seen / 1e6:.2f} M tokens, {seen / (time.time() - begin):.0f} a second')


def main():
    init, tokenizer, out, seconds, rate = sys.argv[1], Tokenizer(sys.argv[2]), sys.argv[3], float(sys.argv[4]), float(sys.argv[5])
    plan = json.load(open(HERE + '/tune.json'))[sys.argv[6]]
    chats = [(name, *tokenizer.chat(chat, name != 'few_shot'), new) for name, chat, new in drawn(plan)]
    chats = [c for c in chats if len(c[1]) <= LONGEST]
    random.Random(0).shuffle(chats)
    log(len(chats), 'chats,', round(sum(len(c[1]) for c in chats) / 1e6, 2), 'M tokens')
    model = Model(init)
    held_out(model, chats[:HELD])
    train(model, Model(init), chats[HELD:], seconds, rate, plan['keep'])
    held_out(model, chats[:HELD])
    weights.write(out, init, '42m' if model.layers == 16 else '30m', {n: w.detach().numpy() for n, w in model.w.items()}, HEADS)
    log('written', out)


if __name__ == '__main__':
    main()
