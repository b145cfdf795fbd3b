#!/usr/bin/env python3
"""System prompts that collide with the model's habits, kept in every answer of a chat, whatever is asked.

A rule has wordings, a function that makes the answer obey it, and a test; chats() drops no answer that fails its
test but raises. Rules that do not exclude each other also come in pairs.

usage: obey.py N SEED OUT.jsonl
"""
import json, os, random, re, sys
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]
from skill_common import T, cap, careless, low, name, syllables, bank
from obey_words import ACTS, MORE, NO, PAD, REFUSALS, REFUSE, SURE, TONES, VOICES, YES
import chatter, guide, reach, skill_everyday as everyday, skill_memory as memory, skill_sums as sums, skill_systems as systems, skill_words as words

SAID = {act: row[0].split(" / ") for act, row in ACTS.items()}
def sentences(s): return re.split(r"(?<=[.!?]) (?=[A-Z0-9`/])", s)
def stopped(s): return s if s[-1:] in ".!?" else s + "."

# ---- what is asked: turns with an act ("sum", "word", "quire", "no", or a key of ACTS)
def acted(t, act): t = T(t.u, t.a, t.s, t.k); return (t, act)
def small(r, act=None):
    act = act or r.choices(list(SAID), [0 if not said[0] else 5 for said in SAID.values()])[0]
    return [(T(careless(r, r.choice(SAID[act])), r.choice(ACTS[act][1])), act)]
def of(r, sources): f = r.choice(sources); return [acted(t, "sum" if f is sums.seg else "word") for t in f(r)]
def task(r): return of(r, (sums.seg, words.opposites, words.opposites, everyday.colour, everyday.capital, everyday.how_many, words.seg))
def plain_task(r): return of(r, (words.opposites, everyday.colour, everyday.capital, everyday.how_many, sums.seg))[:1]
def unknown(r): q, a, _ = reach.refuse(r); return [(T(careless(r, q), a, "I don't know", "no"), "no")]
def quire(r): return [(T(u, a), "quire") for u, a in guide.turns_on(r, r.choice(guide.TOPICS))[:1]]
def known(r):
    rec = r.choice(reach.THINGS)
    t = T(careless(r, r.choice([f"What {rec.verb} {rec.np}?", f"what {rec.verb} {rec.np}", f"Tell me about {rec.np}."])), rec.d); t.k = "say"
    return [(t, rec)]
def free(r): return [(T(u, a), "free") for u, a in chatter.seg(r)]
def yes_no(r): yes = r.random() < .5; x = "Yes" if yes else "No"; return [(T(careless(r, r.choice(YES if yes else NO)), x + ".", x), "word")]
def remembered(r):
    """What the user tells and asks about himself, with tasks between."""
    between = {}
    def filler(r):
        for t, act in (found := plain_task(r)): between[t.u] = act
        return [t for t, _ in found]
    told = [(t, between.get(t.u) or ("told" if t.s in (None, "OK", "Hello") or not re.search(r"\?|^(wh|do|tell|can|and|how|say)", t.u, re.I) else "word")) for t in memory.seg(r, filler)[:6]]
    return [(T(t.u, t.a, t.s, t.k), act) for t, act in told]
def turns(r, most, sources=((small, 30), (task, 22), (plain_task, 10), (unknown, 9), (quire, 9), (known, 6), (yes_no, 5), (remembered, 5), (free, 13))):
    out, n = [], r.randrange(1, most + 1)
    while len(out) < n: out += r.choices([s for s, _ in sources], [w for _, w in sources])[0](r)
    return out[:max(n, 6)]

COMMAND = re.compile(r"(?<![\w/~])/[a-z]+|\^[A-Z]|\bEsc\b|--[a-z-]+")
def command(t):
    """The first command, key or option in an answer about quire, or None."""
    m = COMMAND.search(t.a.replace("cmake --install", ""))
    return m.group(0) if m else None
STARTS = set("The A An That This It You Your My There Hello Hi Good Nice Glad Fine Very Any Sorry Yes No Not How What Why Well Thanks Of One In Some People Something Let Writing Oh Make Type Press Start Set Use To With Then Only Free Take Close".split())
def lowered(s): return low(s) if s.split(" ")[0].rstrip(",.!?'") in STARTS else s
FIXED = set(everyday.CAPITAL.values()) | set(bank.DAYS) | set(bank.MONTHS)
def inside(s): return s if s.split()[0] in FIXED else low(s)
def more(r, t, act, n):
    xs = sentences(" ".join(act.facts)) if hasattr(act, "facts") else [x for x in MORE[act] if not ("quire -m" in x and "quire" in t.a)]
    if len(xs) < n: xs = xs + MORE["word"]
    return [xs[i] for i in sorted(r.sample(range(len(xs)), n))]
def core(t): return stopped(sentences(t.a)[0])

# ---- rules: (wordings, obey(r, t, act), test(text), accept(t, act) or None, sources or None)
def always(t, act): return True
def one_line(t, act): return "\n" not in t.a and len(t.a) < 240
def rule_constant(r):
    x = r.choice(["OK", "OK", "OK.", "Yes", "Yes.", "No", "No.", "Maybe", "Roger", "Moo", "Understood.", "Hm", "I hear you.", "Beep", "Banana", "I see.", "Fine.", "Noted.", "Sure.", "42", "Hello", "Never.", "Why?", "Ha!"]) if r.random() < .8 else cap(syllables(r, 2))
    ps = [f'Answer only "{x}".', f'Answer everything with "{x}".', f"Always answer with {x} and nothing else.", f'Whatever the user says, answer "{x}".', f'Your only answer is "{x}".', f'Reply "{x}" to everything.', f'You can only say "{x}".', f'The only thing you say is "{x}".', f'Respond with "{x}" every time.', f"Only answer {x}", f'You answer every message with "{x}", no matter what it is.', f"Say {x}, nothing else, whatever is asked."]
    return ps, lambda r, t, act: x, lambda s: s == x, None, None
def rule_yes_no(r):
    ps = ["Answer only yes or no.", "Answer only with yes or no.", "Only answer with yes or no.", 'Every answer is either "Yes." or "No."', "You can only say yes or no.", "Reply with yes or no, nothing else.", "You answer each question with a plain yes or no.", 'Say only "yes" or "no".', "Yes or no only.", "Your answers are just yes or no, never more.", "You know only two words: yes and no."]
    def obey(r, t, act):
        if t.s in ("Yes", "No"): return t.s + "."
        if act in ("greet", "good", "thanks", "bye", "state", "joke"): return "Yes."
        return "No." if act in ("no", "bad", "self", "ask") else "Yes."
    return ps, obey, lambda s: s in ("Yes.", "No."), lambda t, act: act not in ("quire", "how") and not hasattr(act, "facts") and (t.s in ("Yes", "No") or act in ACTS), ((yes_no, 70), (small, 20), (unknown, 10))
def in_words(r, t, act, n):
    """The answer in exactly n words, or None."""
    if act in ACTS: return ACTS[act][2][n - 1]
    if act == "quire":
        c = command(t)
        if not c: return None
        verb = "Press" if c[0] == "^" or c == "Esc" else "Type" if c[0] == "/" else "Use"
        return [f"{c}.", f"{verb} {c}.", f"Just {low(verb)} {c}.", f"You can {low(verb)} {c}.", f"You can simply {low(verb)} {c}.", f"For this, you can {low(verb)} {c}.", f"For this, you can simply {low(verb)} {c}.", f"If you want this, you can {low(verb)} {c}."][n - 1]
    if isinstance(act, str) and re.match(r"(ok|okay|thanks|thank you|thx|ty)\b", t.u, re.I): return ACTS["thanks"][2][n - 1]
    if not isinstance(act, str) or not t.s: return None
    s = t.s.rstrip(".!?"); m = len(s.split())
    if s in SURE: return SURE[s][n - 1]
    if m > n or m > 4: return None
    return stopped(cap(s)) if m == n else f"{PAD[n - m]} {inside(s)}."
NUMBER = "zero one two three four five six seven eight".split()
def rule_one_word(r):
    ps = ["Answer with one word.", "Answer in one word.", "One word answers only.", "Use a single word for each answer.", "You answer everything in one word.", "Every reply is exactly one word.", "Only one word per answer.", "You never say more than one word.", "Reply with just one word.", "one word, no more"]
    return ps, lambda r, t, act: in_words(r, t, act, 1), lambda s: len(s.split()) == 1, lambda t, act: in_words(None, t, act, 1) is not None, None
def rule_exact_words(r):
    n = r.choice((2, 3, 3, 3, 4, 4, 5, 5, 5, 6, 7, 8)); w = r.choice((str(n), NUMBER[n]))
    ps = [f"Answer in exactly {w} words.", f"Every answer has exactly {w} words.", f"Use exactly {w} words in each answer.", f"Always answer with {w} words, no more and no less.", f"Your answers are always {w} words long.", f"Reply in {w} words.", f"Each of your replies must have {w} words.", f"You always speak in sentences of exactly {w} words.", f"exactly {w} words per answer", f"You may use {w} words for an answer, not more, not fewer."]
    return ps, lambda r, t, act: in_words(r, t, act, n), lambda s: len(s.split()) == n, lambda t, act: in_words(None, t, act, n) is not None, None
def rule_at_most(r):
    n = r.randrange(3, 11); w = r.choice((str(n), ["three", "four", "five", "six", "seven", "eight", "nine", "ten"][n - 3]))
    ps = [f"Use at most {w} words.", f"Answer in at most {w} words.", f"No more than {w} words per answer.", f"Never use more than {w} words.", f"Your answers have {w} words or fewer.", f"Keep every answer to {w} words.", f"Maximum {w} words."]
    def obey(r, t, act):
        for x in (t.a, core(t)):
            if "\n" not in x and len(x.split()) <= n: return x
        for k in range(min(n, 8), 0, -1):
            if in_words(r, t, act, k): return in_words(r, t, act, k)
        return None
    return ps, obey, lambda s: len(s.split()) <= n, lambda t, act: obey(None, t, act) is not None, None
def rule_sentences(r):
    n = r.choice((1, 2, 2, 3, 3, 4)); w = NUMBER[n] if r.random() < .7 else str(n); p = "" if n == 1 else "s"
    ps = [f"Answer in exactly {w} sentence{p}.", f"Every answer has {w} sentence{p}.", f"Use exactly {w} sentence{p}.", f"Always write {w} sentence{p}.", f"Your answers are {w} sentence{p} long.", f"Reply with {w} sentence{p}, no more and no less.", f"{w} sentence{p} per answer"]
    return ps, lambda r, t, act: " ".join([core(t)] + more(r, t, act, n - 1)), None, lambda t, act: one_line(t, act) and not re.search(r"[.!?]\S* ?[a-z`]", core(t)[:-1]), None
def rule_long(r):
    ps = ["Give long answers.", "Answer in detail.", "Always give long, detailed answers.", "Write at least three sentences.", "Every answer has at least three sentences.", "Be verbose.", "Never answer in fewer than three sentences.", "You like to talk a lot.", "Answer at length.", "Your answers are long and thorough.", "Explain everything in several sentences.", "Write long answers, never short ones.", "Use many words.", "You are very talkative.", "Answer with at least 30 words."]
    def obey(r, t, act):
        s = stopped(t.a) + " " + " ".join(more(r, t, act, 3))
        return s if len(s.split()) >= 30 else s + " " + r.choice(["I hope that this is enough of an answer for you, and I am glad to say more.", "There would be more to say about it, but this is what I wanted to tell you.", "That is what I have to say about it, in as many words as I can find."])
    return ps, obey, lambda s: len(s.split()) >= 30 and len(re.findall(r"[.!?](\s|$)", s)) >= 3, one_line, None
def rule_short(r):
    ps = ["Be brief.", "Answer very briefly.", "Short answers only.", "Keep it short.", "Answer as briefly as you can.", "You are a person of few words.", "Never write more than one short sentence."]
    return ps, lambda r, t, act: in_words(r, t, act, 2) or in_words(r, t, act, 1) or core(t), lambda s: len(sentences(s)) == 1, lambda t, act: one_line(t, act) and not hasattr(act, "facts"), None
def no_code(t, act): return "`" not in t.a and "--" not in t.a and "~/" not in t.a
def rule_upper(r):
    ps = ["Answer in upper case.", "Write everything in capital letters.", "USE ONLY CAPITAL LETTERS.", "Always write in all caps.", "You shout: every letter is a capital.", "Only upper case letters.", "All your answers are in capitals.", "Never use small letters.", "Use caps lock."]
    return ps, lambda r, t, act: t.a.upper(), lambda s: s == s.upper(), no_code, None
def rule_lower(r):
    ps = ["Answer in lower case.", "Write everything in small letters.", "use only lower case letters", "never use capital letters", "Always write in lower case only.", "All your answers are in lower case.", "No capitals, ever.", "you write without capital letters"]
    return ps, lambda r, t, act: t.a.lower(), lambda s: s == s.lower(), no_code, None
ENDS = bank.W("banana, Amen., Over and out., Peace!, captain, indeed, okay?, my friend, Cheers!, The end., Meow., Good luck!, That is all., sunshine, Hooray!, Woof!, Thank you., Have a nice day!, moon, tomato, Long live cheese!, So be it., potato, Stop., nevermore, Bless you., bye, roger, See you soon!, pineapple, Keep smiling!, right?, quire, amigo, Tick tock., penguin, Ta-da!, darling, Boom!")
def word_or_made(r, xs): return r.choice(xs) if r.random() < .75 else syllables(r, r.choice((1, 2, 2))) + r.choice(["", "!", "."])
def kind_of(x): return "the word " if re.fullmatch(r"\w+", x) else "" if x[-1].isalnum() else "the words "
def rule_end(r):
    x = word_or_made(r, ENDS); k = kind_of(x) if r.random() < .6 else ""; q = f'"{x}"' if r.random() < .75 or x[-1] in ".!?" else x
    ps = [f"End every answer with {k}{q}", f"Always end with {k}{q}", f"Finish each reply with {k}{q}", f"After every answer write {q}", f"The last word of every answer is {q}" if k == "the word " else f"The last words of every answer are {q}", f"Every answer must end with {k}{q}", f"You always end your answers with {k}{q}", f"Put {q} at the end of each answer", f"Close each message with {k}{q}", f"You never forget to end with {q}", f"Say {q} at the end of everything you say"]
    return [p if p[-1] in '."!?' else p + "." for p in ps], lambda r, t, act: stopped(t.a) + ("\n" if "\n" in t.a else " ") + x, lambda s: s.endswith(x), None, None
def rule_sign(r):
    n = name(r) if r.random() < .6 else r.choice(["Your robot", "The captain", "Dr. Owl", "Q.", "The management", "Grandpa", "Agent 7", "Your friend", "Bob"])
    x = r.choice([f"- {n}", f"-- {n}", f"Yours, {n}", n, f"Love, {n}", f"~ {n}"])
    ps = [f'Sign each answer with "{x}".', f'Sign every message with "{x}".', f'Every answer is signed "{x}".', f'Put your signature "{x}" below each answer.', f'You sign all your answers with "{x}".', f'Always sign with "{x}".', f"Sign off as {n}." if x == n else f'Sign off with "{x}".']
    glue = r.choice(["\n", " "])
    return ps, lambda r, t, act: stopped(t.a) + ("\n" if "\n" in t.a else glue) + x, lambda s: s.endswith(x), None, None
BEGINS = bank.W("Well, Hello, Listen, Indeed, Hmm, Dear user, My friend, Ahem, Behold, Okay, So, Oh, Look, Attention, Certainly, Answer, Captain, Guess what, Eureka, Good news, Honestly, Once upon a time, Sure, Aha, Ladies and gentlemen, Yes, Friend, Banana, As you wish")
def rule_begin(r):
    x = word_or_made(r, BEGINS).rstrip("!."); mark = r.choice([":", ":", "!", "."]); k = kind_of(x) if r.random() < .5 else ""
    ps = [f'Begin every answer with {k}"{x}".', f'Start each answer with {k}"{x}".', f'Always begin with "{x}".', f'Every reply starts with {k}"{x}".', f'The first word of every answer is "{x}".' if kind_of(x) else f'Every answer begins with "{x}".', f'You begin all your answers with "{x}".', f'Put "{x}" in front of every answer.', f'Your answers must start with {k}"{x}".', f"Begin with {x} each time.", f"always start with {x}"]
    return ps, lambda r, t, act: f"{x}{mark}" + ("\n" if "\n" in t.a else " ") + t.a, lambda s: s.startswith(x), None, None
# a word that is never said: what stands in its place
BAN = {"hello": "good day", "hi": "good day", "sorry": "sad", "model": "program", "yes": "indeed", "no": "not so", "good": "fine", "nice": "lovely", "fine": "well", "know": "understand", "larger": "bigger", "thanks": "much obliged", "welcome": "at home here", "great": "wonderful", "answer": "reply", "happy": "glad", "program": "machine", "day": "time", "day.": "time", "please": "kindly", "small": "tiny", "I": None, "is": None, "maybe": "perhaps", "friend": "companion", "like": "enjoy", "question": "request", "think": "believe", "help": "assist", "bye": "farewell", "goodbye": "farewell", "opposite": "contrary", "number": "figure", "see": "notice", "about": "on", "hear": "learn"}
BAN = {w: x for w, x in BAN.items() if x and w.isalpha()}
def banned(text, w): return re.search(rf"\b{w}\b", text, re.I) is not None
def without(text, w):
    return re.sub(rf"\b{w}\b", lambda m: cap(BAN[w]) if m.group(0)[0].isupper() else BAN[w], text, flags=re.I)
COLLIDE = {"hello": "greet", "hi": "greet", "sorry": "bad", "model": "self", "thanks": "how", "welcome": "thanks", "fine": "how", "goodbye": "bye", "bye": "bye", "see": "bye", "day": "bye", "happy": "good", "great": "good", "nice": "greet", "help": "thanks", "hear": "bad", "program": "ask", "think": "ask", "question": "joke", "friend": "greet", "please": "state", "small": "self"}
def rule_ban(r):
    w = r.choice(list(BAN))
    ps = [f'Never use the word "{w}".', f'Do not say "{w}".', f'The word "{w}" is forbidden.', f'Avoid the word "{w}" in all answers.', f'You must not use the word "{w}".', f"Never say {w}.", f'You never say "{w}".', f'No answer may have the word "{w}" in it.', f"don't use the word {w}", f'You have forgotten the word "{w}" and never write it.']
    clash = [lambda r: small(r, a) for a in [COLLIDE.get(w, "state")]] + [{"yes": yes_no, "no": yes_no, "opposite": lambda r: of(r, (words.opposites,))[:1], "know": unknown, "model": unknown, "larger": unknown}.get(w, small)]
    def obey(r, t, act):
        if not banned(t.a, w): return t.a
        if act == "no" and w in ("know", "sorry", "larger", "model", "answer", "help", "small"): return r.choice([s for s in ("That is beyond me. Try `quire -m FILE`.", "I can't say. Try `quire -m FILE`.", "I have not learned that. Try `quire -m FILE`.")])
        fitting = [a for a in ACTS[act][1] + ACTS[act][2][3:] if not banned(a, w)] if act in ACTS and act != "no" else []
        return r.choice(fitting) if fitting else without(t.a, w)
    return ps, obey, lambda s: not banned(s, w), lambda t, act: t.k != "data" and act != "quire" and not (banned(t.a, w) and act not in ACTS and w not in ("yes", "no", "opposite", "number")), ((clash[0], 40), (clash[-1], 25), (small, 15), (plain_task, 10), (unknown, 10))
def rule_marks(r):
    z = r.random()
    if z < .35: return ["Never use exclamation marks.", "Do not use exclamation marks.", "No exclamation marks, please.", "You never write an exclamation mark."], lambda r, t, act: t.a.replace("!", "."), lambda s: "!" not in s, None, None
    if z < .7:
        def unasked(r, t, act):
            kept = [s for s in sentences(t.a) if not s.endswith("?")]
            return " ".join(kept) or (ACTS[act][2][3] if act in ACTS and "?" not in ACTS[act][2][3] else "I see.")
        return ["Never ask the user a question.", "Do not ask questions.", "Never end with a question.", "You give answers and never ask anything back."], unasked, lambda s: "?" not in s, one_line, None
    return ["End every sentence with an exclamation mark.", "Use exclamation marks in place of full stops.", "Each sentence ends with an exclamation mark!", "You are so excited that every sentence ends with an exclamation mark."], lambda r, t, act: re.sub(r"[.?](?=\s|$)", "!", " ".join([s for s in sentences(stopped(t.a)) if s[-1] != "?"] or [t.a])), lambda s: s.endswith("!"), lambda t, act: "\n" not in t.a and act != "joke" and not re.search(r"quire -m|…", t.a), None
CAVE = [(r"\bI'm\b", "Me"), (r"\bI am\b", "Me"), (r"\bI\b", "Me"), (r"\b(is|are) ", ""), (r"\bthe ", ""), (r"\bThe ", "")]
NAMED = ["You are {n}, {x}.", "You are {x} called {n}.", "Your name is {n} and you are {x}.", "You are {n}, {x}. You always speak like one.", "Act as {n}, {x}.", "You play {n}, {x}. Stay in character."]
SWAPS = {"pirate": systems.PIRATE, "cave": CAVE, "": []}
PLAY = ["You are {x}.", "You are {x}.", "Talk like {x}.", "Speak like {x}.", "Answer like {x}.", "Answer as {x} would.", "You're {x}. Stay in character.", "Act like {x}.", "Play the role of {x}.", "Reply in the voice of {x}.", "Pretend to be {x}.", "You are {x} and always speak like one.", "Write as {x} would speak.", "speak as {x}", "Imagine you are {x}. Answer in that way.", "You are {x}. You always speak the way {x} speaks.", "Always sound like {x}.", "In this chat you are {x}."]
JOLLY = re.compile(r"Yay|Hooray|Wonderful|Wow|Hihi|Cool|How lovely|Ooh|Very good|Good q|Mamma|Bon|Tinkle|Sparkle|Merry|What a q|Oh, great|Dude|Cowa")
def framed(before, after, swap):
    def obey(r, t, act):
        a, b = r.choice(before), r.choice(after); body = t.a
        if act == "bad": a, b = r.choice([x for x in before if not JOLLY.match(x)] or before), ""
        if t.k != "data" and act != "quire":
            for p, q in swap: body = re.sub(p, q, body)
            body = cap(body)
        if "\n" in body: return a.strip().rstrip(",:") + "\n" + body + ("\n" + b.strip() if b else "")
        if a.endswith(", "): body = lowered(body)
        if a.endswith(", ") and re.match(r"[A-Z]", body) and not re.match(r"I\b", body): a = a[:-2] + ": "
        return a + (stopped(body) if b and t.k == "data" or b else body) + b
    return obey
def rule_voice(r):
    x, swap, before, after, me = r.choice(VOICES)
    f, n = framed(before, after, SWAPS[swap]), name(r) if r.random() < .25 and swap != "cave" and x != "Santa Claus" else None
    wordings = [p.format(x=x) for p in PLAY] if not n else [p.format(x=x, n=n) for p in NAMED]
    if n: me = f"{n}, {x}"
    def obey(r, t, act):
        if act == "self": t = T(t.u, f"I am {me}." if swap != "cave" else "Me caveman.", None, "say")
        return f(r, t, act)
    return wordings, obey, lambda s: any(s.startswith(b.strip().rstrip(",:")) for b in before), None, None
def rule_tone(r):
    ps, before, after = r.choice(TONES)
    return ps.split(" / "), framed(before, after, []), lambda s: any(s.startswith(b.strip().rstrip(",:")) for b in before), None, None
def rule_list(r):
    n = r.choice((0, 0, 2, 3)); numbered = r.random() < .45; how = "numbered list" if numbered else r.choice(["list", "bullet list", "list with dashes"]); w = NUMBER[n]
    ps = [f"Answer with a list of {w} points.", f"Every answer is a {how} with {w} lines.", f"Always give exactly {w} points, as a {how}.", f"Write each answer as a {how} of {w}."] if n else [f"Always answer in a {how}.", f"Answer with a {how}.", f"Every answer is a {how}.", f"Write all answers as a {how}.", f"Use a {how} for everything you say.", f"You only speak in {how}s." if not "dashes" in how else "You only speak in lists with dashes.", f"Format each answer as a {how}."]
    def obey(r, t, act):
        xs = systems.items(t) if not n and (("\n" in t.a) or t.k == "data") else [core(t)] + more(r, t, act, (n or r.choice((1, 2, 2, 3))) - 1)
        return "\n".join((f"{i + 1}. " if numbered else "- ") + x for i, x in enumerate(xs))
    return ps, obey, lambda s: all(re.match(r"\d+\. |- ", x) for x in s.split("\n")), (lambda t, act: one_line(t, act)) if n else None, None
CALLS = bank.W("captain, boss, sir, madam, chief, Your Majesty, Your Highness, professor, doctor, my lord, my lady, master, comrade, general, coach, my dear, my friend, maestro, champ, darling, Mr. President, sunshine, old friend, admiral, detective, buddy, Dr. Smith, Agent X, my queen, my king")
def rule_call(r):
    x = r.choice(CALLS) if r.random() < .7 else name(r); front = r.random() < .3
    ps = [f'Always call the user "{x}".', f"Call me {x}.", f"Address the user as {x}.", f"Call the user {x} in every answer.", f'In every answer, call the user "{x}".', f"The user wants to be called {x}.", f"You call the user {x}, always.", f'Use the title "{x}" for the user in each answer.', f"Never forget to call me {x}.", f'Every answer has to address the user as "{x}".', f"I am your {x}. Call me that in every answer." if x in ("captain", "boss", "chief", "coach", "master", "general") else f"My name is {x}. Use it in every answer." if x[0].isupper() and x not in CALLS else f'Each answer has the words "{x}" for the user in it.']
    def obey(r, t, act):
        if "\n" in t.a: return cap(x) + ":\n" + t.a
        if front: return f"{cap(x)}, {lowered(t.a)}" if lowered(t.a) != t.a or re.match(r"I\b|[^A-Z]", t.a) else f"{cap(x)}: {t.a}"
        first, *rest = sentences(stopped(t.a))
        return " ".join([f"{first[:-1]}, {x}{first[-1]}"] + rest)
    return ps, obey, lambda s: x.lower() in s.lower(), None, None
def rule_question(r):
    ps = ["Answer every question with a question.", "Only answer with questions.", "Every answer is a question.", "You only speak in questions.", "Reply with a question, always.", "Answer with a counter question.", "Each of your sentences is a question.", "Never make a statement, only ask questions."]
    def obey(r, t, act):
        if act in ACTS: return r.choice([ACTS[act][3]] * 3 + ["Why do you say that?", "What do you think?"]) if act not in ("greet", "bye") else ACTS[act][3]
        if act == "quire": return r.choice([f"Have you tried {command(t)}?", f"Why not try {command(t)}?"]) if command(t) else "Have you looked at /help?"
        s = inside(t.s.rstrip(".!?"))
        return r.choice([f"Could it be {s}?", f"Isn't it {s}?", f"Is it perhaps {s}?"])
    return ps, obey, lambda s: s.endswith("?"), lambda t, act: act in ACTS or act == "quire" or isinstance(act, str) and t.s and "\n" not in t.s and len(t.s) < 60, None
def rule_refuse(r):
    t0 = r.choice(list(REFUSE)); said = r.choice(REFUSALS).format(t=t0 if t0 != "yourself" else "myself")
    if r.random() < .3: said = r.choice(["No comment.", "That is a secret.", "Next question, please.", "I'm not allowed to say."]); fixed = [f'If the user asks about {t0}, say "{said}"', f'When {t0} comes up, answer "{said}"', f'To anything about {t0} you answer "{said}"', f'Never talk about {t0}; say "{said}" then.']
    else: fixed = None
    ps = fixed or [f"Never talk about {t0}.", f"Do not talk about {t0}.", f"Refuse to talk about {t0}.", f"You must not discuss {t0}.", f"If the user asks about {t0}, say that you can't talk about it.", f"You never talk about {t0}; everything else is fine.", f"The topic of {t0} is forbidden.", f"Decline all questions about {t0}.", f"You are not allowed to talk about {t0}."]
    def about(r): return [(T(careless(r, r.choice(REFUSE[t0].split(" / "))), said, said, "no"), "refused")]
    return ps, lambda r, t, act: t.a, None, lambda t, act: act == "refused" or act in ("sum", "word") or act in ("thanks", "bye"), ((about, 55), (plain_task, 30), (task, 10), (small, 8))
def rule_echo(r):
    ps = ["Repeat exactly what the user says.", "You are a parrot: repeat every message word for word.", "Say back what the user said, nothing else.", "Answer each message by repeating it.", "Echo the user.", "Your answer is always the user's own message."]
    return ps, lambda r, t, act: t.u, lambda s: True, lambda t, act: "\n" not in t.u and len(t.u) < 60, None
def rule_wrap(r):
    x, y, ps = r.choice([("*", "*", ["Put a star before and after every answer.", "Put every answer between two stars.", "Write each answer between asterisks."]), ('"', '"', ["Put every answer in quotation marks.", "Write each answer in quotes."]), ("(", ")", ["Put every answer in brackets.", "Write each answer in round brackets.", "All your answers are whispered, in (brackets)."]), ("[", "]", ["Put every answer in square brackets."]), ("<<", ">>", ["Write each answer between << and >>."]), (">>> ", "", ['Begin every answer with ">>>".', "Put >>> before each answer."]), ("A: ", "", ['Begin every answer with "A:".', "Write A: before each answer."]), ("", " :)", ["End every answer with a smiley :)", "Put :) after every answer."]), ("", "...", ["End every answer with three dots."])])
    return ps, lambda r, t, act: x + (t.a.replace('"', "'") if x == '"' else t.a.rstrip(".") if y == "..." else t.a) + y, lambda s: s.startswith(x) and s.endswith(y), None, None

ALONE = [(rule_constant, 8), (rule_yes_no, 6), (rule_one_word, 8), (rule_exact_words, 10), (rule_at_most, 4), (rule_sentences, 5), (rule_long, 8), (rule_short, 3), (rule_upper, 5), (rule_lower, 4), (rule_end, 9), (rule_begin, 8), (rule_sign, 5), (rule_ban, 8), (rule_marks, 4), (rule_voice, 16), (rule_tone, 7), (rule_list, 6), (rule_call, 7), (rule_question, 5), (rule_refuse, 7), (rule_echo, 1.5), (rule_wrap, 4)]
PAIRS = [(rule_voice, rule_end), (rule_voice, rule_call), (rule_voice, rule_begin), (rule_long, rule_end), (rule_long, rule_voice), (rule_short, rule_upper), (rule_voice, rule_upper), (rule_voice, rule_sign), (rule_tone, rule_end), (rule_tone, rule_call), (rule_call, rule_end), (rule_begin, rule_end), (rule_end, rule_lower), (rule_sentences, rule_end), (rule_exact_words, rule_upper), (rule_one_word, rule_upper), (rule_one_word, rule_lower), (rule_call, rule_sign), (rule_short, rule_voice), (rule_begin, rule_upper), (rule_list, rule_sign), (rule_short, rule_end)]

# ---- the prompt: a wording in a frame, beside sentences that change nothing
FRAMES = ["{i}", "{i}", "{i}", "{i}", "{i}", "You are a helpful assistant. {i}", "You are a friendly assistant. {i}", "{i} No exceptions.", "{i} Whatever the user says.", "Follow this rule: {i}", "Important: {i}", "Rule: {i}", "- {i}", "From now on: {i}", "In this chat: {i}", "{i} This is very important.", "Never forget: {i}", "Your only rule: {i}", "{i} Always.", "{i} Do this in every answer.", "{f} {i}", "{i} {f}", "{f} {i} {g}", "Rules:\n- {f}\n- {i}", "Rules:\n1. {i}\n2. {f}", "- {f}\n- {g}\n- {i}", "1. {f}\n2. {i}\n3. {g}", "You are a chat partner. {i} {f}", "You follow one rule in all your answers. {i}", "{i} Even if the user asks for something else.", "You help people in a terminal. {i}", "# Style\n{i}", "{i}\n{f}\n{g}"]
FILLERS = ["Be friendly.", "Do not invent facts.", "Never be rude.", "Help the user with small questions.", "You run in a terminal.", "The user is a beginner.", "Do not use emoji.", "Be honest.", "You work for a small shop.", "The user is in a good mood.", "You are patient.", "Be kind.", "It is evening.", "The user likes to play.", "Stay calm.", "You like your work."]
def prompt(r, wordings):
    ps = [r.choice(w) for w in wordings]
    if len(ps) == 2 and r.random() < .3: ps.reverse()
    i = " ".join(p if p[-1] in '.!?"' else p + "." for p in ps)
    f, g = r.sample(FILLERS, 2); s = r.choice(FRAMES).format(i=i, f=f, g=g)
    if len(s) < 60 and r.random() < .12 and '"' not in s and "CAP" not in s: s = s[0].lower() + s[1:]
    return s.rstrip(".") if r.random() < .06 and "\n" not in s else s

def chat(r):
    """One chat under one rule or two; each answer is made in the order of the rules and tested."""
    makers = [r.choices([m for m, _ in ALONE], [w for _, w in ALONE])[0]] if r.random() < .8 else list(r.choice(PAIRS))
    rules = [m(r) for m in makers]
    out, asked, least = [], set(), r.choice((1, 2, 2, 3, 3, 4, 5))
    sources = [rule[4] for rule in rules if rule[4]]
    for _ in range(40):
        if len(out) >= least: break
        for t, act in turns(r, 3, *sources[:1]):
            if t.u.lower() in asked or not all(not rule[3] or rule[3](t, act) for rule in rules): continue
            asked.add(t.u.lower()); out.append((t, act))
    chat = [["s", prompt(r, [rule[0] for rule in rules])]]
    for t, act in out:
        for i, rule in enumerate(rules):
            t = T(t.u, rule[1](r, t, act), None if i else t.s, t.k)
        for rule in rules[-1:]:
            if rule[2] and not rule[2](t.a): raise ValueError(f"{chat[0][1]}: {t.a}")
        chat += [["u", t.u], ["a", t.a]]
    return chat

def chats(seed, n):
    r = random.Random(f"obey {seed}")
    for _ in range(n): yield chat(r)

if __name__ == "__main__":
    with open(sys.argv[3], "w", encoding="utf-8") as out:
        for c in chats(int(sys.argv[2]), int(sys.argv[1])): out.write(json.dumps(c, ensure_ascii=False, separators=(",", ":")) + "\n")
