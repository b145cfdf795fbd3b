#!/usr/bin/env python3
"""Chats about quire, from the table of facts that check_facts compares with README.md and the help.

usage: quire_facts.py N SEED OUT.jsonl
"""
import json, random, sys, os
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from quire_table import COMMANDS, FACTS, MISSING
from reach import careless, fill, known, refuse, slots

ABOUT = ['What does {c} do?', 'What is {c}[| for]?', 'Explain {c}.', 'How does {c} work?', '{c}?', 'what does {c} mean', 'Tell me about {c}.', 'When do I use {c}?', 'How do I use {c}?', 'Can you explain {c}?', 'what is {c} good for', 'help with {c}']
NOT = ['Can quire {t}?', 'Can you {t}?', 'How do I make quire {t}?', 'Does quire {t}?', 'Is there a command to {t}?', 'I want quire to {t}.', 'Will quire {t} for me?', 'how can quire {t}', 'Which option makes quire {t}?', 'Can this program {t}?', 'Is quire able to {t}?', 'How do I get quire to {t}?']
NO = ["No, quire can't do that.", 'No.', "No, that is not something quire does.", "No, there is no such command.", "No, it can't."]
UNSURE_ASK = ['[How does|Why does|When does] quire [handle|choose|count|compress|sort|order] [threads|locks|commas|ids|colours|pages|names|fonts|hashes|signals|old files|versions]?', 'What is the default of --[gpu-layers|rope|mirostat|batch-size|penalty|quality|mode|level|cache-size|profile]?', 'What does /[paint|joke|weather|time|web|translate|run|sum|vote|ping|draw|play|login] do?',
    'How do I use /[web|image|voice|run|login|plugin|share|mail|game]?', 'What does --[fast|best|gui|web|voice|sync|cloud|port|serve|login|magic|strict] do?', 'Which [function|file|line|test|header] of quire [does|checks|holds] [that|the cache|the hash|the clock|the tree]?', 'What will the next version of quire [do|bring|change]?', 'When was quire [released|started|first published]?', 'How many [people use|users has|lines of code are in|commits are in] quire?']
UNSURE = ["I'm not sure; type /help or read README.md.", "I don't know that. /help lists the commands, and README.md says more.", "I'm not sure about that. `quire --help` lists all options.", "I don't know such a detail. Please look at /help or README.md.", 'I know of no such thing; /help has what there is.', "I can't say. README.md may have it."]

def command_fact(r):
    called, _, answers, _ = r.choice(COMMANDS)  # what one wants to do is asked by guide.py, where each wish has its own answer
    return fill(r, r.choice(ABOUT).replace('{c}', called[0]), {}), answers[0].replace('¦', '|')

def open_fact(r):
    questions, answers, _ = r.choice(FACTS)
    return fill(r, r.choice(questions), {}), r.choice(answers)

def missing(r):
    tasks, answers = r.choice(MISSING)
    return r.choice(NOT).format(t=r.choice(tasks)), r.choice(NO) + ' ' + r.choice(answers)

def unsure(r): return fill(r, r.choice(UNSURE_ASK), {}), r.choice(UNSURE)

def turn(r): return r.choices([command_fact, open_fact, missing, unsure], [25, 50, 18, 7])[0](r)

def chat(r):
    turns = []
    for _ in range(r.choices([1, 2, 3, 4, 6], [45, 22, 16, 11, 6])[0]):
        x = r.random()
        turns.append(known(r) if x < .12 else refuse(r)[:2] if x < .2 else turn(r))
    out = [['s', r.choice(slots.SYSTEM)]] if r.random() < .2 else []
    for q, a in turns: out += [['u', careless(r, q[:1].upper() + q[1:] if r.random() < .8 else q)], ['a', a]]
    return out

def chats(seed, n):
    r = random.Random(seed)
    for _ in range(n): yield chat(r)

if __name__ == '__main__':
    with open(sys.argv[3], 'w', encoding='utf-8') as out:
        for c in chats(int(sys.argv[2]), int(sys.argv[1])): out.write(json.dumps(c, ensure_ascii=False) + '\n')
