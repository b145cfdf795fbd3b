#!/usr/bin/env python3
"""Honest refusals: what a very small model does not know, asked in every way, and what it says then.

What the other generators teach is read from their own lists and never refused here; a question of the
same form about something that is not taught is. So the border between the two is what is learnt.

usage: reach.py N SEED OUT.jsonl
"""
import json, os, random, re, sys
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]
import knowledge_gen
import reach_slots as slots
from gen import words, extra, segs
from reach_kinds import AFTER, BEFORE, CAN, FOLLOW, KINDS, LARGER, NEUTRAL, SORRY

def plain(text): return re.sub(r'[^a-z0-9 ]', '', text.lower()).strip()

RECORDS = knowledge_gen.load()
ASKED = {plain(q) for rec in RECORDS for q, _ in rec.qas} | {plain(q) for row in words.QA for q in row[0].split(';')}
SMALL = set('a an the of to in on it its we us you they why how what do does did is are was were can have has so work'.split())
CHATTED = {plain(cue) for line in open(os.path.join(HERE, 'smalltalk_gen.py'), encoding='utf-8') if line.startswith('U ') for cue in line[2:].split(' / ')}
CHATTED |= {m.group(1) for m in re.finditer(r'^(?:WORD = T\("{3})?([a-z]+)\|[^|]+\|', open(os.path.join(HERE, 'smalltalk_gen.py'), encoding='utf-8').read(), re.M)}
def content(q): return frozenset(re.sub(r's$', '', w) for w in plain(q).split() if w not in SMALL)
CONTENTS = [content(q) for q in ASKED]
def answered(q):
    """Whether a question of nearly the same words has an answer somewhere."""
    words_of = content(q)
    return any(2 * len(words_of & c) > len(words_of | c) for c in CONTENTS)
HOWTO = {line.split('|')[0] for line in open(os.path.join(HERE, 'knowledge_src', 'howto.lst'), encoding='utf-8') if line.strip()}

def taught_names():
    """Everything that has a definition, a picture of its use or a record somewhere, in singular and plural."""
    names = [n for rec in RECORDS for n in (rec.name, rec.np, rec.plural or '')]
    names += [n for row in words.ANIMALS for n in row[:2]] + [row[0] for row in words.OBJECTS + words.JOBS]
    names += [row[0] for row in extra.CON] + [row[0] for row in words.PLANETS] + list(words.ELEMENTS)
    names += re.findall(r'(?:Who (?:was|is) |What (?:is|causes) (?:an? |the )?)([^?]+)\?', '\n'.join(row[0] for row in words.QA))
    return {re.sub(r'^(a|an|the) ', '', n.lower()) for n in names if n}

TAUGHT = taught_names()
def untaught(items): return [i for i in items if re.sub(r'^(a|an|the) ', '', i.lower()) not in TAUGHT and i.lower() + 's' not in TAUGHT]

def rare_words():
    path = os.path.join(os.path.dirname(HERE), 'gen', 'wordnet_words.json')
    listed = json.load(open(path, encoding='utf-8'))['words'] if os.path.exists(path) else slots.RARE
    simple = {w for pair in (words.OPP, words.SYN, words.PLUR, words.PAST) for kv in pair.items() for w in kv}
    return [w for w in untaught(listed) if w not in simple and w not in CHATTED and len(w) > 3]

def slot_lists():
    table = {name: untaught(value) if name in slots.NEIGHBOURS else value for name, value in slots.SLOTS.items()}
    table['thought'] = [t for t in slots.SLOTS['thought'] if not answered(f'Who invented {t}?') and not answered(f'Who discovered {t}?')]
    table.update(word=rare_words(), name=words.NAMES, city=words.CITIES, lang=[l for l in words.LANGS if l != 'English'])
    table['task'] = [t for t in slots.SLOTS['task'] if t not in HOWTO]
    table['dish'] = [d for d in slots.SLOTS['dish'] if not any(plain(d).split()[-1] in h for h in HOWTO)]
    for name in ('why', 'how'): table[name] = [q for q in slots.SLOTS[name] if not answered(q)]
    return table

SLOTS = slot_lists()
MADE = {
    'person': lambda r: f'{r.choice(words.NAMES)} {r.choice(words.SURNAMES)}',
    'firm': lambda r: r.choice(words.SURNAMES) + ' ' + r.choice(slots.FIRMS),
    'town': lambda r: r.choice(words.SURNAMES) + r.choice(slots.TOWNS),
    'made': lambda r: r.choice(slots.SYLLABLES) + r.choice(slots.SYLLABLES) + r.choice(slots.ENDINGS),
    'big': lambda r: str(r.choice([r.randint(100, 999), r.randint(1000, 9999), r.randint(10000, 9999999)])),
    'mid': lambda r: str(r.randint(13, 99)), 'small': lambda r: str(r.randint(2, 12)),
    'year': lambda r: str(r.randint(1200, 2030)),
    'mash': lambda r: ''.join(r.choice('asdfghjklqwertyuiopzxcvbnm') for _ in range(r.randint(4, 14))),
    'text': lambda r: ' '.join(f for rec in r.sample(RECORDS, r.randint(6, 11)) for f in knowledge_gen.sents(rec.d) + [knowledge_gen.full(f, rec) for f in rec.facts[:3]]),
}

OPTION = re.compile(r'\[([^\[\]]*)\]')
SLOT = re.compile(r'\{(\w+?)(\d?)\}')
def fill(r, template, bound):
    """[one|other] is a choice, {slot} a value; the same slot has one value in a question and its answer."""
    while '[' in template: template = OPTION.sub(lambda m: r.choice(m.group(1).split('|')), template, count=1)
    def value(m):
        key = m.group(0)
        if key not in bound: bound[key] = MADE[m.group(1)](r) if m.group(1) in MADE else r.choice(SLOTS[m.group(1)])
        return bound[key]
    text = re.sub(r' +(?=[ :]|\.(?!\S))', '', SLOT.sub(value, template))
    return re.sub(r'\b([Aa]) (?=[aeiou])(?!uni|use|eu|one)', r'\1n ', text).strip()

def cap(text): return text[:1].upper() + text[1:]

def dressed(r, q):
    if not re.match(r'(What|Who|Why|How|When|Where|Which|Is|Are|Do|Does) .*\?$', q) or len(q) > 120: return q
    x = r.random()
    return r.choice(BEFORE) + q if x < .08 else q + r.choice(AFTER) if x < .15 else q

def careless(r, text):
    """How people type: without capitals, question marks or care."""
    if '\n' in text or len(text) > 200: return text
    x = r.random()
    if x < .30: text = text.lower()
    if r.random() < .25: text = text.rstrip('.?!')
    if r.random() < .04: text = text.replace("'", '')
    question = re.match(r'(what|who|why|how|when|where|which|is|are|do|does|can|tell|explain|define|write|name|list)\b', text, re.I)
    if question and r.random() < .06: text = r.choice(['pls ', 'please ', 'hey, ', 'ok so ', 'um, ', 'quick question: ', 'i need to know: ', 'hi. ', 'hello, ']) + text
    elif question and r.random() < .05: text += r.choice([' pls', ' please', ' thx', '??', ' i need this for school', ' asap', ' ok?', ' lol'])
    if r.random() < .06 and len(text) > 12:
        i = r.randrange(2, len(text) - 2); kind = r.random()
        if text[i].isalpha() and text[i + 1].isalpha():
            text = text[:i] + (text[i + 1] + text[i] + text[i + 2:] if kind < .5 else text[i + 1:] if kind < .8 else text[i] + text[i:])
    if r.random() < .02: text = text.replace(' you ', ' u ').replace('are ', 'r ')
    return text

CAPITALS = [(c['the'] + c['n'], c['cap']) for c in segs.load_countries() if c['cap']] or [(rec.np, m.group(1)) for rec in RECORDS for f in rec.facts for m in [re.match(r'Its capital is ([^.,;]+)\.?$', f)] if m]
QUESTIONS = [(q, a) for rec in RECORDS for q, a in rec.qas if knowledge_gen.has_name(q, rec)]
ANIMALS = [rec for rec in RECORDS if rec.animal and rec.plural]
OBJECTS = [rec for rec in RECORDS if rec.kind in slots.OBJECT_KINDS and rec.plural]
SLOTS['known'] = [rec.name for rec in ANIMALS + OBJECTS if rec.np in ('a ' + rec.name, 'an ' + rec.name)]
THINGS = [rec for rec in RECORDS if not rec.who and len(rec.d) < 130]

def known(r):
    """A question that it can answer, and the answer."""
    x = r.random()
    if x < .3:
        rec = r.choice(THINGS)
        topic = rec.np
        return r.choice(['What {v} {t}?', 'What {v} {t}?', 'Tell me what {t} {v}.', 'what {v} {t}', 'Can you explain what {t} {v}?']).format(v=rec.verb, t=topic), rec.d
    if x < .45:
        return r.choice(QUESTIONS)
    if x < .65: qs, a, _ = r.choice(words.QA); return r.choice(qs.split(';')), a
    if x < .85: n, c = r.choice(CAPITALS); return r.choice([f'What is the capital of {n}?', f'capital of {n}?', f"What's the capital of {n}?"]), f'The capital of {n} is {c}.'
    a, b = r.randint(1, 20), r.randint(1, 20)
    return r.choice([f'What is {a} + {b}?', f'{a} + {b}', f'How much is {a} plus {b}?']), r.choice([f'{a} + {b} = {a + b}.', f'{a + b}.', f'{a} plus {b} is {a + b}.'])

def can(r):
    """What it offers instead, and the question that takes the offer with its answer."""
    x = r.random()
    if x < .35:
        n, c = r.choice(CAPITALS)
        return fill(r, r.choice(CAN['capital']), {}).replace('<>', n), (f'What is the capital of {n}?', f'The capital of {n} is {c}.')
    if x < .75:
        rec = r.choice(THINGS)
        return fill(r, r.choice(CAN['thing']), {}).replace('<>', rec.np), (f'What {rec.verb} {rec.np}?', rec.d)
    return fill(r, r.choice(CAN['other']), {}), None

FACTS_OF = {rec.name: ' '.join(rec.facts + [rec.d, rec.simple] + [q + a for q, a in rec.qas]).lower() for rec in RECORDS}
def border_country(r, asks):
    name, capital = r.choice(CAPITALS)
    a = fill(r, r.choice(slots.BORDER_SAY), {}).replace('<p>', name).replace('<a>', name)
    if r.random() < .4: a += r.choice([f' I know its capital: {capital}.', f' What I know: the capital of {name} is {capital}.', f' Its capital is {capital}, that I know.'])
    return cap(fill(r, r.choice(asks), {}).replace('<a>', name)), cap(a + ' ' + fill(r, r.choice(LARGER), {}))

def border(r):
    """A known subject, and a question about it whose answer is not taught."""
    while True:
        group, asks, guarded = r.choice(slots.BORDER)
        if group == 'country': return border_country(r, asks)
        rec = r.choice(ANIMALS if group == 'animal' else OBJECTS)
        q = fill(r, r.choice(asks), {}).replace('<p>', rec.plural or rec.np).replace('<a>', rec.np).replace('<n>', rec.name)
        if not re.search(guarded, FACTS_OF[rec.name]) and not any(2 * len(content(q) & content(o)) > len(content(q) | content(o)) for o, _ in rec.qas): break
    name = rec.plural or rec.np
    a = fill(r, r.choice(slots.BORDER_SAY), {}).replace('<p>', name).replace('<a>', rec.np)
    if r.random() < .5: a += ' ' + r.choice(['What I know: ', 'I only know this: ', 'But I know this: ', 'Something I do know: ', '']) + r.choice([rec.d] + [f for f in (knowledge_gen.standalone(f, rec) for f in rec.facts) if f])
    return cap(q), cap(a + ' ' + fill(r, r.choice(LARGER), {}))

def refuse(r, kind=None):
    """One refused question: (question, answer, the follow-up that takes an offer or None)."""
    kind = kind or r.choices(KINDS, [k['weight'] for k in KINDS])[0]
    bound, taken = {}, None
    q = cap(fill(r, r.choice(kind['ask']), bound)) if r.random() < .95 else fill(r, r.choice(kind['ask']), bound)
    core = r.choice(NEUTRAL) if kind['neutral'] and r.random() < .6 else fill(r, r.choice([s for s in kind['say'] if all(m.group(0) in bound for m in SLOT.finditer(s)) and ('reason' not in s or 'hy ' in q)]), bound)
    if kind.get('sorry', True) and r.random() < .25 and re.match(r"I\b(?!'m sorry)", core): core = r.choice(SORRY) + core
    parts, way = [core], kind['way']
    if isinstance(way, list): parts.append(fill(r, r.choice(way), bound))
    if way == 'larger' and r.random() < .12:
        offer, taken = can(r); parts.append(offer)
    if way == 'larger' or isinstance(way, list) and kind['weight'] > 1.4 and r.random() < (.9 if 'What do you think?' in way else .3): parts.append(fill(r, r.choice(LARGER), bound))
    if plain(q) in CHATTED or plain(q) in ASKED or q.endswith('?') and kind['guard'] and answered(q): return refuse(r)
    return q, cap(' '.join(p for p in parts if p)), taken

def follow(r):
    row = r.choices(FOLLOW, [f[0] for f in FOLLOW])[0]
    said = cap(fill(r, r.choice(row[2]), {}))
    return fill(r, r.choice(row[1]), {}), said if re.search(r'quire|larger|/help|Try|capital', said) else said + ' ' + fill(r, r.choice(LARGER), {})

THANKS = [(['thanks', 'ok thanks', 'Thank you anyway.', 'thanks for being honest', 'Thank you.', 'thx'], ["You're welcome.", "You're welcome. Is there anything else?", 'Any time. Ask me something simple.']),
          (['ok', 'Okay.', 'I see.', 'fair enough', 'too bad', 'alright then', 'hm', 'pity', 'no problem', 'never mind'], ['What else would you like to know?', 'Thank you for understanding. Shall we try something else?', 'Ask me something simple any time.', 'Is there something else?'])]
def chat(r):
    turns, x = [], r.random()
    n = r.choices([1, 2, 3, 4, 5, 7, 9], [38, 22, 16, 10, 7, 4, 3])[0]
    while len(turns) < n:
        x = r.random()
        if turns and x < .34: turns.append(known(r)); continue
        if not turns and n > 1 and r.random() < .35: turns.append(known(r)); continue
        q, a, taken = (*border(r), None) if r.random() < .2 else refuse(r); turns.append((q, a))
        if taken and r.random() < .4: turns.append((r.choice([taken[0], 'ok. ' + taken[0], 'Ok, ' + taken[0], 'Then tell me. ' + taken[0]]), taken[1]))
        elif r.random() < .22: turns += [follow(r)]
        if r.random() < .08:
            said, answers = r.choice(THANKS); turns.append((r.choice(said), r.choice(answers)))
    chat = [['s', r.choice(slots.SYSTEM)]] if r.random() < .22 else []
    for q, a in turns[:12]: chat += [['u', careless(r, dressed(r, q))], ['a', a]]
    return chat

def chats(seed, n):
    r = random.Random(seed)
    for _ in range(n): yield chat(r)

if __name__ == '__main__':
    with open(sys.argv[3], 'w', encoding='utf-8') as out:
        for c in chats(int(sys.argv[2]), int(sys.argv[1])): out.write(json.dumps(c, ensure_ascii=False) + '\n')
