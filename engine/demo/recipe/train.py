#!/usr/bin/env python3
"""Trains the built-in model on one GPU within a wall-clock limit (stage 1: all tokens; stage 2: chats, loss on assistant tokens).

usage: train.py DATA_IN OUT total_seconds stage1_fraction [--smoke]

environment: SIZE=30m, 42m or 3m (the drafter); FIRST_SEED: another number begins with other weights; N1, N2: tokens that are packed for each stage; ROWS: the folder of packed rows
(made by pack.py unless it is there; two runs on two cards can share it); INIT=FILE.gguf: weights to go on with (weights.py), for stage 2
alone and at RATE (0.08 of the full rate), without held-out rows, and REST=FILE.npz: what the run that made them left beside them. A run writes the same two files, quire-demo-SIZE-q8_0.gguf and rest.npz;
LIKE=FILE.gguf: what the file has besides weights and sizes (the one in the tree).
"""
import json, math, os, subprocess, sys, time
T0 = time.time()
IN, OUT, TOTAL, F1 = sys.argv[1], sys.argv[2], float(sys.argv[3]), float(sys.argv[4]); SMOKE = '--smoke' in sys.argv
HERE = os.path.dirname(os.path.abspath(__file__)); W = os.environ.get('ROWS', '/tmp/rows'); os.makedirs(OUT, exist_ok=True)
N1, N2 = ('9e7', '4e7') if SMOKE else (os.environ.get('N1', '9.5e8'), os.environ.get('N2', '1.15e9'))
SIZE = os.environ.get('SIZE', '30m')
try:
    os.mkdir(W); prep = subprocess.Popen([sys.executable, HERE + '/pack.py', IN, W, N1 if F1 > 0 else '0', N2])
except FileExistsError: prep = None  # another run has packed them, or is about to
import numpy as np, torch, torch.nn as nn, torch.nn.functional as F
from torch.nn.attention.flex_attention import flex_attention, create_block_mask
import weights
LOG = open(OUT + '/train.log', 'w')
def log(*a):
    s = f'[{time.time()-T0:6.1f}] ' + ' '.join(str(x) for x in a); print(s, flush=True); LOG.write(s + '\n'); LOG.flush()
log('torch', torch.__version__, torch.cuda.get_device_name())
torch._dynamo.config.cache_size_limit = 64; torch.set_float32_matmul_precision('high'); torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction = False
DEV = 'cuda'; torch.manual_seed(int(os.environ.get('FIRST_SEED') or 1))
V, EPS, THETA, CTX = 8192, 1e-5, 10000.0, 2048
D, L, H, KV, HD, FF = {'30m': (512, 11, 8, 4, 64, 1024), '42m': (512, 16, 8, 4, 64, 1024), '3m': (192, 4, 3, 1, 64, 512)}[SIZE]

class Norm(nn.Module):
    def __init__(s): super().__init__(); s.weight = nn.Parameter(torch.ones(D))
    def forward(s, x): return F.rms_norm(x.float(), (D,), s.weight, EPS).to(x.dtype)
def rope(x, cos, sin):          # halves, as in transformers' Llama
    a, b = x[..., :HD // 2], x[..., HD // 2:]
    return torch.cat([a * cos - b * sin, b * cos + a * sin], -1)
class Block(nn.Module):
    def __init__(s):
        super().__init__(); lin = lambda i, o: nn.Linear(i, o, bias=False)
        s.input_layernorm, s.post_attention_layernorm = Norm(), Norm()
        s.q_proj, s.k_proj, s.v_proj, s.o_proj = lin(D, H * HD), lin(D, KV * HD), lin(D, KV * HD), lin(H * HD, D)
        s.gate_proj, s.up_proj, s.down_proj = lin(D, FF), lin(D, FF), lin(FF, D)
    def forward(s, x, cos, sin, bm):
        B, T, _ = x.shape; h = s.input_layernorm(x)
        q = s.q_proj(h).view(B, T, H, HD).transpose(1, 2); k = s.k_proj(h).view(B, T, KV, HD).transpose(1, 2); v = s.v_proj(h).view(B, T, KV, HD).transpose(1, 2)
        q, k = rope(q, cos, sin).to(v.dtype), rope(k, cos, sin).to(v.dtype)
        if bm is None: y = F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
        else: y = flex_attention(q, k, v, block_mask=bm, enable_gqa=True)
        x = x + s.o_proj(y.transpose(1, 2).reshape(B, T, H * HD))
        h = s.post_attention_layernorm(x)
        return x + s.down_proj(F.silu(s.gate_proj(h)) * s.up_proj(h))
class Model(nn.Module):
    def __init__(s):
        super().__init__(); s.embed = nn.Embedding(V, D); s.layers = nn.ModuleList(Block() for _ in range(L)); s.norm = Norm()
        for n, p in s.named_parameters():
            if p.ndim == 2: nn.init.normal_(p, 0, 0.02 / (math.sqrt(2 * L) if n.endswith(('o_proj.weight', 'down_proj.weight')) else 1))
        f = 1.0 / THETA ** (torch.arange(0, HD, 2).float() / HD); t = torch.arange(CTX).float()[:, None] * f
        s.register_buffer('cos', t.cos(), False); s.register_buffer('sin', t.sin(), False)
    def hidden(s, ids, bm=None):
        x = s.embed(ids)
        if torch.is_autocast_enabled('cuda'): x = x.to(torch.bfloat16)
        T = ids.shape[1]; c, n = s.cos[:T], s.sin[:T]
        for b in s.layers: x = b(x, c, n, bm)
        return s.norm(x)
    def forward(s, ids): return s.hidden(ids) @ s.embed.weight.T.to(s.embed.weight.dtype)

def head_loss(h, w, tgt, wt):
    lg = (h @ w.to(torch.bfloat16).T).float()
    l = F.cross_entropy(lg.flatten(0, 1), tgt.flatten(), reduction='none') * wt.flatten()
    return l.sum(), wt.sum()
model = Model().to(DEV); NP = sum(p.numel() for p in model.parameters()); log('parameters', NP)
for b in model.layers: b.compile(fullgraph=True, dynamic=False)
head_loss_c = torch.compile(head_loss, dynamic=False)
# document masks: static buffers, one per row length, so that nothing is compiled again
SH = {1024: 128, 2048: 64}; DOC = {t: torch.zeros(b, t, dtype=torch.int32, device=DEV) for t, b in SH.items()}
def mod(T):
    doc = DOC[T]
    def m(b, h, q, k): return (q >= k) & (doc[b, q] == doc[b, k])
    return m
MOD = {t: mod(t) for t in SH}; cbm = torch.compile(create_block_mask, dynamic=False)
def batch(tok, flg, stage):
    T = tok.shape[1]; DOC[T].copy_(((flg & 2) > 0).cumsum(1, dtype=torch.int32))
    bm = cbm(MOD[T], SH[T], None, T, T, device=DEV)
    x = tok.long(); y = torch.roll(x, -1, 1); nf = torch.roll(flg, -1, 1)
    w = (nf & 1).float() if stage == 2 else ((x != 0) | (y != 0)).float()
    w = w * ((nf & 2) == 0); w[:, -1] = 0
    return x, y, w, bm
def fwd(tok, flg, stage):
    x, y, w, bm = batch(tok, flg, stage)
    with torch.autocast('cuda', torch.bfloat16):
        h = model.hidden(x, bm); return head_loss_c(h, model.embed.weight, y, w)

# Muon for the matrices, AdamW for embedding and norms
def ns5(G):
    X = G.bfloat16(); tr = X.size(-2) > X.size(-1)
    if tr: X = X.mT
    X = X / (X.norm(dim=(-2, -1), keepdim=True) + 1e-7)
    for _ in range(5): A = X @ X.mT; X = 3.4445 * X + (-4.7750 * A + 2.0315 * A @ A) @ X
    return X.mT if tr else X
class Muon:
    def __init__(s, ps, lr=0.02, mom=0.95, wd=0.02):
        s.g = {}; s.lr, s.mom, s.wd = lr, mom, wd
        for p in ps: s.g.setdefault(tuple(p.shape), []).append(p)
        s.m = {k: torch.zeros(len(v), *k, device=DEV) for k, v in s.g.items()}
    @torch.no_grad()
    def step(s, f):
        for k, ps in s.g.items():
            g = torch.stack([p.grad for p in ps]); m = s.m[k]; m.lerp_(g, 1 - s.mom); u = ns5(g.lerp(m, s.mom)).float() * max(1, k[0] / k[1]) ** 0.5
            lr = s.lr * f; torch._foreach_mul_(ps, 1 - lr * s.wd); torch._foreach_add_(ps, list(u.unbind(0)), alpha=-lr)
mats = [p for n, p in model.layers.named_parameters() if p.ndim == 2]; rest = [model.embed.weight] + [p for n, p in model.named_parameters() if p.ndim == 1]
MU = Muon(mats); AD = torch.optim.AdamW(rest, lr=2e-3, betas=(0.9, 0.98), eps=1e-9, weight_decay=0.0, fused=True)
def opt(f):
    torch.nn.utils.clip_grad_norm_(rest, 1.0); MU.step(f)
    for g in AD.param_groups: g['lr'] = 2e-3 * f
    AD.step(); AD.zero_grad(set_to_none=True)
    for p in mats: p.grad = None

# compile and measure on random rows while the data are prepared on the processor
def dummy(T):
    tok = torch.randint(3, V, (SH[T], T), dtype=torch.int32, device=DEV); flg = (torch.rand(SH[T], T, device=DEV) < 0.01).to(torch.uint8) * 2 + 1; flg[:, 0] |= 2; return tok, flg
INIT, HEADS = os.environ.get('INIT'), {'q': H, 'k': KV}
LIKE = INIT or os.environ.get('LIKE', HERE + '/../quire-demo-30m-q8_0.gguf')
if INIT:
    first = weights.read(INIT, HEADS, np.load(os.environ['REST']) if 'REST' in os.environ else None)
    with torch.no_grad():
        for n, p in model.named_parameters(): p.copy_(torch.from_numpy(first[n]))
sd = {k: v.clone() for k, v in model.state_dict().items()}
for T in (2048,) if INIT else (1024, 2048):
    for i in range(14 if T == 1024 else 8):
        if i == 4: torch.cuda.synchronize(); ts = time.time(); n0 = i
        ls, ws = fwd(*dummy(T), 1); (ls / ws).backward(); opt(0.0)
    torch.cuda.synchronize(); tps = SH[T] * T * (i + 1 - n0) / (time.time() - ts); log('compiled T', T, 'tokens/s', round(tps), 'mem', round(torch.cuda.max_memory_allocated() / 2**30, 1), 'GiB')
if not INIT:
    with torch.no_grad(): fwd(*dummy(1024), 2)
    log('compiled for evaluation')
model.load_state_dict(sd)
MU = Muon(mats); AD = torch.optim.AdamW(rest, lr=2e-3, betas=(0.9, 0.98), eps=1e-9, weight_decay=0.0, fused=True)
def rows(stage):
    """The rows of a stage on the device, and its held-out ones, when they are packed."""
    w = f'{W}/{stage}'
    while not os.path.exists(w + '/DONE'):
        if prep and prep.poll() not in (None, 0): open(W + '/FAILED', 'w'); log('prep failed', prep.returncode); sys.exit(1)
        if not prep and (os.path.exists(W + '/FAILED') or not os.listdir(W)): log('nobody packs rows into', W); sys.exit(1)
        time.sleep(0.2)
    tok, flg = (torch.from_numpy(np.load(f'{w}/{n}.npy')) for n in ('tok', 'flg')); tok = tok.view(torch.int16).to(DEV); flg = flg.to(DEV)
    log('data on device', stage, tuple(tok.shape)); return tok, flg, {f[5:-4]: np.load(f'{w}/{f}') for f in sorted(os.listdir(w)) if f.startswith('held_')}
@torch.no_grad()
def evaluate(tag, held):
    res = {}
    for n, z in held.items():
        tok, flg = torch.from_numpy(z['tok'].astype(np.int32)).to(DEV), torch.from_numpy(z['flg']).to(DEV)
        k = 128 - len(tok); tok = F.pad(tok, (0, 0, 0, k)); flg = F.pad(flg, (0, 0, 0, k)); o = []
        for st in (1, 2):
            ls, ws = fwd(tok, flg, st); o.append(round((ls / ws).item(), 4) if ws.item() else None)
        res[n] = o
    log('held-out', tag, '(all tokens, assistant tokens)', json.dumps(res)); return res

FIRST_STAGE = 1 if F1 > 0 else 2; FIRST = rows(FIRST_STAGE)
START = time.time(); S1END = START + (TOTAL - (START - T0)) * F1; END = T0 + TOTAL
LO = float(os.environ.get('RATE', '0.08')) if INIT else 0.4
def lrf(stage, now, step):
    if stage == 1:
        p = (now - START) / (S1END - START); f = 1.0 if p < 0.6 else 1 - (1 - LO) * 0.5 * (1 - math.cos(math.pi * min(1, (p - 0.6) / 0.4)))
        return f * min(1, (step + 1) / 150)
    p = (now - S1END) / (END - S1END); return LO * max(0.0, 1 - p) * min(1, (step + 1) / 60) + 0.002
hist, evals, seen = [], {}, {1: 0, 2: 0}
for stage in (1, 2) if F1 > 0 else (2,):
    tok, flg, held = FIRST if stage == FIRST_STAGE else rows(stage); T = tok.shape[1]; B = SH[T]; n = len(tok) // B; step = 0; acc = []; tl = time.time()
    stop = S1END if stage == 1 else END
    while True:
        now = time.time()
        if now >= stop: break
        i = (step % n) * B; ls, ws = fwd(tok[i:i + B], flg[i:i + B], stage); loss = ls / ws; loss.backward(); f = lrf(stage, now, step); opt(f); step += 1; acc.append(loss.detach())
        if step % 4 == 0: torch.cuda.synchronize() if step % 16 else None
        if step % 50 == 0:
            l = torch.stack(acc).mean().item(); acc = []; dt = time.time() - tl; tl = time.time(); hist.append((stage, step, round(l, 4), round(f, 4)))
            if step % 100 == 0: log(f'stage {stage} step {step}/{n} loss {l:.4f} lr x{f:.3f} {50*B*T/dt/1e6:.3f} Mtok/s epoch {step/n:.2f}')
            if not math.isfinite(l): log('not finite'); sys.exit(2)
    seen[stage] = step * B * T; torch.cuda.synchronize(); evals[f'stage{stage}'] = None if INIT else evaluate(f'after stage {stage}, {seen[stage]/1e6:.1f} M tokens', held)
left = weights.write(f'{OUT}/quire-demo-{SIZE}-q8_0.gguf', LIKE, SIZE, {n: p.detach().float().cpu().numpy() for n, p in model.named_parameters()}, HEADS)
np.savez_compressed(OUT + "/rest.npz", **left); log('written', f'{OUT}/quire-demo-{SIZE}-q8_0.gguf')
# weights: HF names, bf16
from safetensors.torch import save
HF = {'model.embed_tokens.weight': model.embed.weight, 'model.norm.weight': model.norm.weight}
for i, b in enumerate(model.layers):
    for n, p in b.named_parameters():
        n = ('self_attn.' + n) if n[:2] in ('q_', 'k_', 'v_', 'o_') else ('mlp.' + n) if n.split('_')[0] in ('gate', 'up', 'down') else n
        HF[f'model.layers.{i}.{n}'] = p
HF = {k: v.detach().to(torch.bfloat16).contiguous().cpu() for k, v in HF.items()}
blob = save(HF, metadata={'format': 'pt'}); P = 15 * 2**20
for i in range(0, len(blob), P): open(f'{OUT}/model.safetensors.{i//P:02d}', 'wb').write(blob[i:i + P])
log('saved', len(blob), 'bytes')
# reference: float32 model from the bf16 weights; samples, greedy texts, logits
from tokenizers import Tokenizer
tk = Tokenizer.from_file(IN + '/tokenizer.json')
ref = Model().to(DEV).float()
with torch.no_grad():
    for k, v in HF.items():
        k = k.replace('model.', '', 1).replace('embed_tokens', 'embed').replace('self_attn.', '').replace('mlp.', ''); dict(ref.named_parameters())[k].copy_(v.float())
torch.set_float32_matmul_precision('highest')
PR = json.load(open(HERE + '/prompts.json'))
def chatml(m): return ''.join(f'<|im_start|>{r}\n{c}<|im_end|>\n' for r, c in m) + '<|im_start|>assistant\n'
@torch.no_grad()
def gen(texts, temp, mx=260, top_p=0.9, seed=0):
    ids = [tk.encode(t).ids for t in texts]; n = torch.tensor([len(x) for x in ids], device=DEV); M = max(map(len, ids)) + mx; x = torch.zeros(len(ids), M, dtype=torch.long, device=DEV)
    for i, a in enumerate(ids): x[i, :len(a)] = torch.tensor(a)
    done = torch.zeros(len(ids), dtype=torch.bool, device=DEV); pos = n.clone(); ar = torch.arange(len(ids), device=DEV); g = torch.Generator(DEV).manual_seed(seed)
    with torch.autocast('cuda', torch.bfloat16, enabled=temp > 0):
        while not done.all() and (pos - n).max() < mx:
            k = int(pos.max()); h = ref.hidden(x[:, :k])[ar, pos - 1].float(); lg = h @ ref.embed.weight.T
            if temp == 0: t = lg.argmax(-1)
            else:
                p = (lg / temp).softmax(-1); s, o = p.sort(-1, True); s[s.cumsum(-1) - s > top_p] = 0; t = o.gather(1, torch.multinomial(s, 1, generator=g)).squeeze(1)
            t = torch.where(done, torch.zeros_like(t), t); x[ar, pos.clamp(max=M - 1)] = t; done |= (t == 2) | (t == 0); pos = torch.where(done, pos, pos + 1)
    return [tk.decode(x[i, len(a):int(pos[i])].tolist()).strip() for i, a in enumerate(ids)]
def run(temp, seed=0):
    conv = [[('system', c['system'])] if c.get('system') else [] for c in PR]; out = [[] for _ in PR]
    for turn in range(max(len(c['user']) for c in PR)):
        act = [i for i, c in enumerate(PR) if turn < len(c['user'])]
        for i in act: conv[i].append(('user', PR[i]['user'][turn]))
        for i, a in zip(act, gen([chatml(conv[i]) for i in act], temp, seed=seed + turn)): conv[i].append(('assistant', a))
    return conv
smp = {}
try:
    for t in (0,):
        smp[t] = run(t); log('samples at', t)
        if time.time() - T0 > TOTAL + 24: break
    # logits of the float32 reference at the end of some greedy prompts
    q = [chatml([('user', 'What is the capital of France?')]), chatml([('system', 'You are a pirate.'), ('user', 'Tell me a story about a fox.')]), 'Once upon a time, there was a little']
    with torch.no_grad(): np.savez(OUT + '/ref.npz', **{f'ids{i}': np.array(tk.encode(t).ids) for i, t in enumerate(q)}, **{f'lg{i}': ref(torch.tensor([tk.encode(t).ids], device=DEV))[0].float().cpu().numpy().astype(np.float32)[-1] for i, t in enumerate(q)})
except Exception as e: log('samples failed', repr(e))
json.dump(dict(params=NP, hist=hist, evals=evals, seen=seen, prep=[json.load(open(f'{W}/{stage}/prep.json')) for stage in seen if seen[stage]], samples={str(k): v for k, v in smp.items()}), open(OUT + '/log.json', 'w'))
import shutil; shutil.copy(IN + '/tokenizer.json', OUT + '/tokenizer.json')
log('end'); prep and prep.wait()
