#!/usr/bin/env python3
"""Collects all training sources into compressed files for the training machine (runs here; no dependencies).

Writes OUT/<source>.jsonl.xz (chats: {"messages": [...]}) and OUT/<source>.txt.xz (prose, documents separated by <|endoftext|>).
Sources whose style is not that of the assistant get a system prompt of their own, so that the model keeps them apart.
"""
import json, lzma, os, random, re, sys, glob, subprocess
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from gen import personas, segs
import generate
D = 'data'; P = D + '/_prepared'; OUT = sys.argv[1]
os.makedirs(OUT, exist_ok=True)
r = random.Random(11)
STAT = {}; CLASSICS = float(sys.argv[2]) if len(sys.argv) > 2 else .66
def save(name, chats):
    n = c = 0; p = f'{OUT}/{name}.jsonl'
    with open(p, 'w') as f:
        for m in chats:
            f.write(json.dumps([[x['role'][0], x['content']] for x in m], ensure_ascii=False, separators=(',', ':')) + '\n'); n += 1; c += sum(len(x['content']) for x in m)
    STAT[name] = (n, c); print(name, n, round(c / 1e6, 2), flush=True)
def rd(name): return [json.loads(l)['messages'] for l in open(f'{P}/{name}.jsonl')]
def ok(m): return len(m) > 1 and all(x['content'].strip() for x in m) and m[-1]['role'] == 'assistant' and not any('<|' in x['content'] for x in m)
def gensys(m, p=.25): return ([{'role': 'system', 'content': r.choice(personas.GENERIC)}] + m) if m[0]['role'] != 'system' and r.random() < p else m
def withsys(ms, prompts): return [[{'role': 'system', 'content': r.choice(prompts)}] + m for m in ms]
def noisy(m): return [dict(x, content=generate.noise(r, x['content'])) if x['role'] == 'user' else x for x in m]

# chats (the generator itself runs on the training machine, see pack.py)
generate.load_pc()
save('smalltalk_pc', [gensys(noisy([{'role': 'user', 'content': q}, {'role': 'assistant', 'content': a}])) for q, A in generate.PC for a in A])
def oktext(s): return not re.search(r'\[User|\[Your|\[name|\bAs an AI\b', s)
save('persona', withsys([m for m in rd('synthetic_persona_chat') if ok(m) and all(oktext(x['content']) for x in m)], ['You are a person chatting with a friend.', 'You are a human being who likes small talk.', 'Two people get to know each other.']))
save('sgd', withsys([m for m in rd('sgd') if ok(m)], ['You are a booking assistant.', 'You help the user to book and find things.', 'You are a service agent.']))
save('taskmaster', withsys([m for m in rd('taskmaster4') if ok(m)], ['You take orders in a coffee shop.', 'You are a barista.']))
save('gsm8k', withsys([m for m in rd('gsm8k_train') if ok(m)], ['Solve the word problem step by step.', 'You solve maths problems step by step.']))
save('child', [gensys(m) for m in rd('children_stories') if ok(m)])
# prose
for n in ('classics_simple', 'openstax_prose', 'onestop_news', 'children_stories_text'):
    t = open(f'{P}/{n}.txt').read()
    if n == 'classics_simple':                      # a seeded two thirds of the documents: what travels is limited
        ds = t.split('<|endoftext|>'); r2 = random.Random(4); t = '<|endoftext|>'.join(d for d in ds if r2.random() < CLASSICS)
    STAT[n] = (t.count('<|endoftext|>'), len(t)); open(f'{OUT}/{n}.txt', 'w').write(t)
json.dump(STAT, open(OUT + '/STAT.json', 'w'), indent=1)
ps = [f for f in glob.glob(OUT + '/*') if f.endswith(('.jsonl', '.txt'))]
subprocess.run('printf "%s\\0" ' + ' '.join(ps) + ' | xargs -0 -n1 -P2 xz -f -T1 -4', shell=True, check=True)
print('total xz', sum(os.path.getsize(f) for f in glob.glob(OUT + '/*')) / 2**20, 'MiB')
