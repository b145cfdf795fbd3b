#!/usr/bin/env python3
"""Questions far out of reach, from a hundred fields, and what is said then: that it is unknown, and what helps.

far_src/*.txt has the fields with their terms (see the head of science.txt), frames.txt how they are asked, answers.txt
what is said, follow.txt what comes after a refusal, and voices.txt personas. What is taught as known elsewhere is left
out, and asked in the very same frames with its answer, so that the frame alone tells nothing.

usage: far.py N SEED OUT.jsonl
"""
import glob, json, os, random, re, sys
from collections import defaultdict
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]
import chatter, counting, guide, knowledge_gen, reach, skill_everyday as everyday, skill_sums as sums, skill_systems as systems, skill_words as words, tries, truths
from gen import words as gen_words
from skill_common import T, low
from tasks_instr import instr_dialog
from tasks_poems import poem_dialog
from tasks_stories import story_dialog

SRC = os.path.join(HERE, 'far_src')
def lines(name): return [l.rstrip('\n') for l in open(os.path.join(SRC, name), encoding='utf-8') if l.strip() and l[0] != '#']
def sections(name):
    """{head: lines} of a file with heads that begin with @."""
    found, at = defaultdict(list), None
    for line in lines(name):
        if line[0] == '@': at = line[1:].strip()
        else: found[at].append(line)
    return dict(found)

FRAMES, ANSWERS = sections('frames.txt'), sections('answers.txt')
BRIEF = dict(line.split(': ') for line in ANSWERS['brief'])
CORES = {head[5:]: said for head, said in ANSWERS.items() if head.startswith('core ')}
WAYS = {head[4:]: said for head, said in ANSWERS.items() if head.startswith('way ')}
PLAIN_WAYS = {name: [w for w in said if '`' not in w] for name, said in WAYS.items()}
NAMED = {'idea', 'person', 'event', 'place', 'work', 'brand', 'word', 'dish', 'thing'}  # kinds whose terms may be named
CARING = {'hurt', 'emergency'}  # never only that it is unknown
SUPERLATIVE = {'first', 'office', 'first thing', 'rank'}  # kinds of which some are taught
# Fields of which more is asked than their share of terms
OFTEN = {'made up words': 12, 'allowed': 2.5, 'bones': 3, 'skin': 3, 'bumps': 3, 'mishaps': 3, 'firsts': 2.5, 'offices': 2, 'first things': 1.5, 'ranks': 1.5, 'slips of the keyboard': 7, 'food values': .8, 'dangers': 1.5, 'named after things': 1.5, 'programs': 2, 'errors': 2, 'programming': 2, 'maths problems': 3, 'illnesses': 2, 'drugs': 1.5, 'emergencies': 1.5, 'politics now': 1.5, 'weather': 2.5, 'time': 2.5, 'long texts': 1.5, 'languages': 2, 'own things': 2, 'actions': 2.5, 'puzzles': 2, 'opinions': 2.5, 'country facts': 1.5, 'dates': 1.5}

class Field: pass
def taught(term): return term in reach.HOWTO or re.sub(r'^(a|an|the) ', '', term.lower()) in reach.TAUGHT or reach.plain(term) in reach.ASKED or reach.plain(term) in reach.CHATTED
def fields():
    found = []
    for path in sorted(glob.glob(os.path.join(SRC, '*.txt'))):
        for line in lines(os.path.basename(path)):
            parts = line[1:].split('|')
            if line[0] == '@':
                at = Field()
                if len(parts) < 4: break  # frames, answers and the like
                at.name, at.kind, at.ways, at.about = parts[0], parts[1], parts[2].split(','), parts[3]
                at.core, at.terms, at.frames = parts[4] if len(parts) > 4 else at.kind, [], []
                found.append(at)
            elif line.startswith('t '): at.terms += [t for t in (t.strip() for t in line[2:].split(', ')) if t and not taught(t) and not (at.kind == 'ask' and reach.answered(t))]
            elif line.startswith('q '): at.frames.append(line[2:])
            else: break
    return found
FIELDS = fields()
CHANCES = [len(f.terms) ** .5 * OFTEN.get(f.name, 1) for f in FIELDS]

def plural(term):
    head = re.split(r' (?:of|in|on) ', term)[0]
    return not re.match(r'an? ', term) and (term[0].islower() and head.endswith('s') and not re.search(r"(ss|us|is|ics|as|os|'s)$", head))
def bind(field, term, other):
    """The slots of a question about a term, its number among them."""
    many = term[0] == '+' or plural(term)
    verbs = ('are', 'were', 'do') if many else ('is', 'was', 'does')
    return {'{t}': term.lstrip('+'), '{t2}': other.lstrip('+'), '{f}': field.about, '{is}': verbs[0], '{was}': verbs[1], '{does}': verbs[2]}

AFTER_KNOWN = [a for a in FRAMES['after'] if not re.search(r'300|one sentence|Yes or|Step|examples|sources|link|details|five|detailed|Just the|guess|know$|simply|Roughly', a)]
ASKS = re.compile(r"(what|who|why|how|when|where|which|is|are|do|does|did|can|could|tell|explain|define|write|give|list|should|will|my|i)\b", re.I)
def dressed(r, q, after):
    """A question with what people say around it."""
    if len(q) > 140 or '\n' in q or not ASKS.match(q): return q
    z = r.random()
    if z < .13: return (b := r.choice(FRAMES['before'])) + ' ' * (b[-1] != ' ') + (low(q) if re.search(r'[,:t] ?$', b) and not re.match(r'[A-Z]\w*[ \']?[A-Z]', q) else q)
    return q + (' ' if q[-1] in '.?!' else '. ') + r.choice(after).strip() if z < .24 else q
def typed(r, q, after=FRAMES['after']): return reach.careless(r, dressed(r, q, after))

OTHER = [(re.compile(pattern), forms.split(' / ')) for pattern, forms in (line.split(' => ') for line in FRAMES.pop('other'))]
def otherwise(r, q):
    """A whole question in other words, where it has a form that allows it."""
    found = [m.expand(r.choice(forms)) for pattern, forms in OTHER if (m := pattern.fullmatch(low(q)))]
    return r.choice(found) if found else q
def question(r, field, bound):
    frames = FRAMES[field.kind]
    if field.frames and r.random() < (.05 if field.kind == 'ask' else .4): frames = field.frames
    q = reach.fill(r, r.choice(frames), bound)
    if field.kind == 'ask' and r.random() < .35: q = otherwise(r, q)
    return reach.cap(q) if r.random() < .7 else q
def ask(r, field=None):
    """A far question: the field, its slots and the text."""
    while True:
        f = field or r.choices(FIELDS, CHANCES)[0]
        bound = bind(f, r.choice(f.terms), r.choice(f.terms))
        q = question(r, f, bound)
        if f.kind in SUPERLATIVE and reach.answered(q) and not re.search('second|third|fourth|last', q): continue
        if reach.plain(q) not in reach.ASKED and reach.plain(q) not in reach.CHATTED: return f, bound, q

def core(r, field, bound):
    z, own = r.random(), CORES.get(field.core, [])
    if field.kind == 'noise': said = own
    elif field.kind in NAMED and field.core == field.kind:
        said = own if z < .25 and own else CORES['named'] if z < .5 else CORES['field'] if z < .56 and field.kind in ('idea', 'event') else CORES['any']
    else: said = own if z < .75 or field.core in CARING else CORES['any']
    names = field.kind in NAMED or field.kind in ('ill', 'drug') and not re.search(r'\b(my|on) ', bound['{t}'])
    fits = [s for s in said if ('{t}' not in s or names and len(bound['{t}']) < 32) and ('{made}' not in s or '{made}' in bound)]
    text = r.choice(fits or CORES['any'])
    if r.random() < .12 and re.match(r"I (don't|can't|know|never|haven't)", text): text = r.choice(reach.SORRY) + text
    return reach.cap(reach.fill(r, text, bound))
def way(r, field, plain=False):
    ways = field.ways
    name = ways[0] if len(ways) == 1 or r.random() < .55 else ways[1]
    return name, reach.fill(r, r.choice((PLAIN_WAYS if plain else WAYS)[name]), {})
JOINED = ["I don't know that, but a larger model may: `quire -m FILE`.", "That is beyond me; try a larger model with `quire -m FILE`.", "I don't know, but a larger model may: `quire -m FILE.gguf`.", "I'm too small for that; `quire -m FILE.gguf` opens a larger model.",
          "I can't answer that, but `quire -m hf:ORG/REPO` opens a model that may.", "I can't do that; it needs a larger model than me: `quire -m FILE`.", "I don't know that. You need a larger model; `quire pull hf:ORG/REPO` gets one.", "I know too little for that, but a larger model may help: `quire -m FILE`."]
def refusal(r, field, bound, plain=False):
    """What is said, in one or two sentences, and in a few words."""
    name, helps = way(r, field, plain)
    said = core(r, field, bound)
    if field.core == 'emergency' and r.random() < .5: said, helps = helps, said
    short = "I don't know. " + BRIEF.get(name, 'Try a larger model.')
    if name in ('larger', 'book') and not plain and r.random() < .1: return r.choice(JOINED), short
    return f'{said} {helps}', short
def far(r, plain=False, field=None):
    f, bound, q = ask(r, field)
    a, short = refusal(r, f, bound, plain)
    return T(typed(r, q), a, short, 'no'), f, bound

# ---- what follows a refusal
FOLLOW = {}
for head, said in sections('follow.txt').items():
    FOLLOW[head.split()[0]] = (float(head.split()[1]), [[side.split(' / ') for side in line.split(' => ')] for line in said])
def follow(r, field, bound, plain):
    kind = r.choices(list(FOLLOW), [w for w, _ in FOLLOW.values()])[0]
    asks, says = r.choice(FOLLOW[kind][1])
    u = r.choice(asks)
    if '{t2}' in u and field.kind in ('ask', 'made', 'noise') or plain and kind == 'larger': return follow(r, field, bound, plain)
    u = reach.careless(r, reach.cap(reach.fill(r, u, dict(bound, **{'{t2}': r.choice(field.terms).lstrip('+')}))))
    if says == ['<way>']: return T(u, way(r, field, plain)[1], None, 'no')
    if says == ['<refuse>']:
        a, short = refusal(r, field, {**bound, '{t}': 'x' * 40}, plain)
        if r.random() < .2: a = r.choice(["That neither, sorry. ", "I don't know that either. ", "No, not that either. ", "That is beyond me, too. "]) + way(r, field, plain)[1]
        return T(u, a, short, 'no')
    a = r.choice([s for s in says if not plain or '`' not in s])
    if 'larger' not in a and (kind == 'insist' or kind == 'why' and r.random() < .6): a += ' ' + way(r, field, plain)[1]
    return T(u, a, None, 'no')

# ---- what is within reach, asked in the same frames
KNOWN = {'what': [f for f in FRAMES['idea'] if re.fullmatch(r"(What (exactly )?\{is\} \{t\}\?|what's \{t\}|\{t\}\??|(definition|meaning) of \{t\}|what does \{t\} mean|(tl;dr|\[summarise).*|My \[teacher.*|I \[don't understand.*|I read about .*)", f)] + ['[Explain|Describe|Define] {t}[.| please.| to me.| in one sentence.]', '[Can|Could|Would] you explain {t}[?| to me?]', '[What is the meaning|meaning] of {t}?', 'Do you know what {t} {is}?'],
         'simple': ["explain {t} like I'm five", 'eli5 {t}', 'Explain {t} in simple words.', 'Explain {t} to a child.', '[Can|Could] you explain {t} to a beginner?', 'Explain {t} for dummies.'],
         'tell': ['Tell me [about|everything about|something about|more about|all you know about] {t}.', 'Give me [a summary|an overview|the basics] of {t}.', 'What do you know about {t}?', 'Do you know [anything|much|something] about {t}?', 'List [some|a few] facts about {t}.'],
         'example': ['Give me [an example|a real-world example|a good example] of {t}.']}
THINGS = [rec for rec in reach.RECORDS if not rec.who]
EXAMPLES = [rec for rec in THINGS if knowledge_gen.has_name(rec.example, rec)]
DIFFERENT = [line.rstrip('\n').split('|') for line in open(os.path.join(HERE, 'knowledge_src', 'compare.lst'), encoding='utf-8') if line.strip()]
def known(r):
    """A thing that is taught, asked as the far ones are."""
    z = r.random()
    if z < .12:
        a, b, d = r.choice(DIFFERENT)
        return [T(typed(r, reach.fill(r, r.choice([f"[What is the difference|What's the difference|difference|Explain the difference] between {a} and {b}?", f'{a} vs {b}', f'[Compare|Contrast] {a} and {b}.', f'How {"is"} {a} different from {b}?']), {}), AFTER_KNOWN), d)]
    if z < .3:
        q, a = r.choice(reach.QUESTIONS)
        return [T(typed(r, q, AFTER_KNOWN), a)]
    way_of = r.choices(list(KNOWN), (55, 12, 28, 5))[0]
    rec = r.choice(EXAMPLES if way_of == 'example' else THINGS)
    many = rec.verb in ('are', 'were')
    q = reach.fill(r, r.choice(KNOWN[way_of]), {'{t}': rec.topic if way_of == 'tell' else rec.np, '{is}': rec.verb, '{was}': 'were' if many else 'was', '{does}': 'do' if many else 'does'})
    a = rec.d if way_of == 'what' else rec.simple if way_of == 'simple' else rec.example if way_of == 'example' else rec.d + ' ' + knowledge_gen.text(r.sample(rec.facts, min(len(rec.facts), r.choice((1, 1, 2, 2, 3)))), rec, prev='s')
    return [T(typed(r, reach.cap(q) if r.random() < .7 else q, AFTER_KNOWN), a, rec.d)]
def taught_fact(r): q, a = reach.known(r); return [T(typed(r, q, AFTER_KNOWN), a)]
def messages(m): return [T(u['content'], a['content'], None, 'data') for u, a in zip(m[::2], m[1::2])]
def written(r):
    """A story, a poem or a task on a text."""
    while True:
        z = r.random()
        m = story_dialog(r) if z < .15 else poem_dialog(r)[0] if z < .35 else instr_dialog(r)[0]
        if m and m[0]['role'] == 'user': return messages(m)[:3]
NEAR = [(row[0].split(';'), row[1]) for row in gen_words.QA if re.search(r'first|largest|biggest|smallest|longest|tallest', row[0])]
NEAR += [(["Who was the first man on the moon?", "Who was the first human on the moon?", "Which man was first on the moon?", "Name the first man on the moon.", "Tell me the first man on the moon.", "Do you know who was the first man on the moon?", "Who walked on the moon first?", "What was the name of the first man on the moon?"], "The first person on the Moon was Neil Armstrong, in 1969.")]
ORDER = 'first second third fourth fifth sixth seventh eighth'.split()
ROWS = [('day of the week', 'Monday Tuesday Wednesday Thursday Friday Saturday Sunday'.split()), ('month of the year', 'January February March April May June July August'.split()), ('planet from the Sun', 'Mercury Venus Earth Mars Jupiter Saturn Uranus Neptune'.split())]
for what, row in ROWS: NEAR += [([f'What is the {n} {what}?', f'Which is the {n} {what}?', f'{n} {what}?', f'Name the {n} {what}.', f'Tell me the {n} {what}.'], f'The {n} {what} is {x}.') for n, x in [*zip(ORDER, row)] + [('last', {'day': 'Sunday', 'month': 'December', 'planet': 'Neptune'}[what.split()[0]])]]
def near(r): qs, a = r.choice(NEAR); return [T(typed(r, r.choice(qs), AFTER_KNOWN), a)]  # what is first or most of all, and taught
def true_or_not(r): q, true = truths.question(r); return [T(typed(r, q, AFTER_KNOWN), "Yes." if true else "No.")]
EASY = [(known, 40), (taught_fact, 14), (sums.seg, 10), (words.seg, 10), (everyday.colour, 2), (everyday.how_many, 3), (everyday.capital, 6), (everyday.yes_no, 1), (true_or_not, 4), (words.lists, 4), (words.opposites, 3),
        (written, 4), (counting.seg, 3), (tries.seg, 7), (near, 4), (lambda r: [T(u, a) for u, a in guide.turns_on(r, r.choice(guide.TOPICS))], 8), (lambda r: [T(u, a) for u, a in chatter.seg(r)], 6)]
def easy(r): return r.choices([f for f, _ in EASY], [w for _, w in EASY])[0](r)
THEN = ['OK, something easier: ', 'Then something easy: ', 'ok then: ', 'Fine. ', 'Alright, ', 'Then tell me this: ', 'OK. ', 'Maybe this: ', 'And this? ', 'Let me try something simpler. ', 'What about this: ', 'hm ok. ']

# ---- system prompts
VOICES = [[side.strip().split(' / ') for side in line.split('|')] for line in lines('voices.txt')]
UNFIT = re.compile(r'words|polite|formal|butler|cheerful|happy|excited|enthusias|wizard|crystal|[Qq]uestion|French|Spanish|German|Italian|Chinese|Japanese|Russian|Dutch|Polish|Latin')
CASED = re.compile(r'upper|lower|capital|caps', re.I)
def voiced(r):
    prompts, no, yes = r.choice(VOICES if r.random() < .6 else VOICES[-4:])
    def say(r, t):
        opener = r.choice(no if t.k == 'no' else yes)
        if not opener or '\n' in t.a or t.k == 'data' or r.random() < .25: return t.a
        return opener + ' ' + (low(t.a) if opener[-1] == ',' or opener.endswith('but') else t.a)
    return r.choice(prompts), say
def system(r):
    """A prompt and what it makes of an answer."""
    if r.random() < .7: return (*voiced(r), False)
    while True:
        prompt, say = systems.style(r)
        if not UNFIT.search(prompt): return prompt, say, bool(CASED.search(prompt))

def chat(r):
    prompt, say, plain = system(r) if r.random() < .2 else (None, None, False)
    n, turns, last = r.choices([1, 2, 3, 4, 5, 7], [44, 20, 15, 10, 7, 4])[0], [], None
    contrast = r.random() < .15  # chats in which nothing is refused
    while len(turns) < n:
        z = r.random()
        if contrast or z < (.35 if turns else .12 if n > 1 else 0):
            got = easy(r)
            if last and r.random() < .25 and len(got[0].u) < 80 and ASKS.match(got[0].u): got[0].u = r.choice(THEN) + got[0].u
            turns, last = turns + got, None
        elif last and z < .62: turns.append(follow(r, *last, plain))
        else:
            t, *last = far(r, plain, last[0] if last and r.random() < .3 else None)
            turns.append(t)
    turns = turns[:10]
    for t in turns if prompt else []: t.a = say(r, t)
    return ([['s', prompt]] if prompt else []) + [m for t in turns for m in (['u', t.u], ['a', t.a])]

def chats(seed, n):
    r = random.Random(f'far {seed}')
    for _ in range(n): yield chat(r)

if __name__ == '__main__':
    with open(sys.argv[3], 'w', encoding='utf-8') as out:
        for c in chats(int(sys.argv[2]), int(sys.argv[1])): out.write(json.dumps(c, ensure_ascii=False, separators=(',', ':')) + '\n')
