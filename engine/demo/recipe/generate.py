#!/usr/bin/env python3
"""Synthetic dialogue generator of quire-demo-30m: deterministic by seed, no model output anywhere.

usage: generate.py OUT.jsonl [--chats N] [--seed S] [--jobs J]
Each line: {"messages": [...], "src": "synth_<kind>"}. Needs the fact files under data
(The World Factbook, CC0; Microsoft personality chat questions, MIT).
"""
import argparse, csv, json, random, re, sys, os
from multiprocessing import Pool
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from gen import segs, personas, smalltalk, extra
from gen.segs import T
from gen.words import *

PC = []   # (question, answers) of the personality chat set with our own answers
CACHE = os.path.dirname(os.path.abspath(__file__)) + '/gen/pc_questions.json'
def load_pc():
    if os.path.exists(CACHE): PC.extend((q, smalltalk.R[a]) for q, a in json.load(open(CACHE))); return
    seen = set()
    for r in csv.DictReader(open(segs.D + '/personality_chat/qna_chitchat_friendly.tsv', encoding='utf-8-sig'), delimiter='\t', quoting=csv.QUOTE_NONE):
        q, a = (r['Question'] or '').strip(), (r['Answer'] or '').strip()
        if a in smalltalk.R and q and q.lower() not in seen and not re.search(r'Bing|Cortana|Google|Siri|Alexa|Microsoft|fuck|shit|sex', q):
            seen.add(q.lower()); PC.append((q, smalltalk.R[a]))
def seg_pc(r, cx):
    if not PC: load_pc()
    q, a = r.choice(PC)
    return [T(q, r.choice(a), None, 'chat')]

FACT = [(segs.seg_country, 7), (segs.seg_animal, 4), (segs.seg_thing, 2.5), (segs.seg_job, 1.5), (segs.seg_qa, 6), (segs.seg_planet, 1.2), (extra.seg_concept, 3.5)]
NUM = [(segs.seg_math, 5), (segs.seg_num, 3), (segs.seg_word_problem, 2)]
WORD = [(segs.seg_cal, 2), (segs.seg_words, 4), (segs.seg_text, 4), (segs.seg_list, 4), (extra.seg_copy, 6)]
CHAT = [(segs.seg_activity, 2), (seg_pc, 6), (extra.seg_help, 3)]
MISC = [(segs.seg_poem, 2), (segs.seg_joke, 1), (segs.seg_riddle, 1), (segs.seg_note, 2), (segs.seg_context, 4), (segs.seg_idk, 4), (segs.seg_hard, .8), (segs.seg_fun, 1)]
ANY = FACT + [(f, w * 1.2) for f, w in NUM] + [(f, w * 1.1) for f, w in WORD] + CHAT + MISC
ANYS = ANY + [(segs.seg_story, 4)]
def pick(r, ws): return r.choices([f for f, _ in ws], [w for _, w in ws])[0]

def noise(r, u):
    """users type carelessly"""
    if '\n' in u or len(u) > 160: return u
    z = r.random()
    if z < .12: u = u.lower()
    if r.random() < .10: u = u.rstrip('.?!')
    if r.random() < .03: u = u.replace("'", '')
    if r.random() < .03 and u.endswith('?') and z > .12: u = r.choice(['Please tell me: ', 'Hey, ', 'One question: ', 'I have a question. ', 'Quick question: ', 'Can you help me? ', 'So, ']) + u
    if r.random() < .015 and len(u) > 12 and ' ' in u:      # swap two letters
        i = r.randrange(1, len(u) - 2)
        if u[i].isalpha() and u[i + 1].isalpha() and not re.search(r'[":\d]', u): u = u[:i] + u[i + 1] + u[i] + u[i + 2:]
    return u

def dialogue(r):
    cx = {'mem': {}}; sysm = None; turns = []; kind = 'mix'; z = r.random()
    if z < .20: sysm = r.choice(personas.GENERIC)
    elif z < .25: p, m = personas.userfacts(r); cx['mem'].update(m); sysm = r.choice(['You are a helpful assistant. ', '', '']) + p; kind = 'sys'
    c = r.random()
    def add(f):
        cx['started'] = bool(turns); ts = f(r, cx)
        if ts: turns.extend(ts)
    if sysm and cx['mem']:                          # the system prompt told something about the user
        for k in r.sample(list(cx['mem']), r.randint(1, len(cx['mem']))): turns.append(segs.mem_ask(r, cx, k))
        if r.random() < .3: turns.insert(0, *segs.seg_greet(r, cx)[:1])
        if r.random() < .3: turns.append(segs.mem_unknown(r, cx))
        if r.random() < .4: add(pick(r, ANY))
    elif c < .14:                                   # story
        if kind == 'mix': kind = 'story'
        add(segs.seg_story)
    elif c < .42:                                   # one topic
        add(pick(r, ANY))
    elif c < .66:                                   # several topics
        if r.random() < .4: add(segs.seg_greet)
        for _ in range(r.choice([2, 2, 2, 3, 3, 4])):
            add(pick(r, ANYS if r.random() < .2 else ANY))
            if turns and r.random() < .12: turns.append(segs.again(r, turns[-1]))
        if r.random() < .35: add(segs.seg_bye)
    elif c < .92:                                   # memory
        if kind == 'mix': kind = 'mem'
        if r.random() < .3: add(segs.seg_greet)
        n = r.choice([1, 1, 1, 2, 2, 3, 4])
        if r.random() < .45: turns.append(segs.mem_tell(r, cx, 'name')); n -= 1
        for _ in range(n):
            turns.append(segs.mem_tell(r, cx))
            if r.random() < .25: add(pick(r, ANY))
        if not cx['mem']: turns.append(segs.mem_tell(r, cx))
        for _ in range(r.choice([0, 0, 1, 1, 2, 3])): add(pick(r, ANY))
        if r.random() < .12:
            t = segs.mem_update(r, cx)
            if t: turns.append(t)
            if r.random() < .5: add(pick(r, ANY))
        if r.random() < .15: turns.append(segs.mem_unknown(r, cx))
        ks = list(cx['mem']); r.shuffle(ks)
        for k in ks[:r.choice([1, 1, 2, 3])]: turns.append(segs.mem_ask(r, cx, k))
        if r.random() < .12 and len(cx['mem']) > 1: turns.append(segs.mem_summary(r, cx))
        if r.random() < .15: add(segs.seg_bye)
    elif c < .95: turns.append(segs.mem_unknown(r, cx)); (add(pick(r, ANY)) if r.random() < .5 else None)
    else: add(segs.seg_greet); add(pick(r, CHAT)); (add(segs.seg_bye) if r.random() < .5 else None)
    if not turns: add(segs.seg_greet)
    turns = turns[:10]
    ms = [{'role': 'system', 'content': sysm}] if sysm else []
    for u, a, s, k in turns:
        ms.append({'role': 'user', 'content': noise(r, u)}); ms.append({'role': 'assistant', 'content': a.strip()})
    return {'messages': ms, 'src': 'synth_' + kind}

def chunk(a):
    seed, n = a; r = random.Random(seed); out = []; seen = set()
    for _ in range(n):
        d = dialogue(r); key = json.dumps(d['messages'])
        if key in seen: continue
        seen.add(key); out.append(json.dumps(d, ensure_ascii=False))
    return out

if __name__ == '__main__':
    ap = argparse.ArgumentParser(); ap.add_argument('out'); ap.add_argument('--chats', type=int, default=160000); ap.add_argument('--seed', type=int, default=1); ap.add_argument('--jobs', type=int, default=2)
    a = ap.parse_args(); n = 64
    seen = set(); w = 0
    if not PC: load_pc()
    segs.country(random.Random(0))
    with Pool(a.jobs) as p, open(a.out, 'w') as f:
        for ls in p.imap(chunk, [(a.seed * 1000 + i, a.chats // n) for i in range(n)]):
            for l in ls:
                h = l[:400]
                if h in seen: continue
                seen.add(h); f.write(l + '\n'); w += 1
    print(w, os.path.getsize(a.out))
