"""What the rules of obey.py share: turns with their kind, the wordings of a rule, and answers cut to a length.

A turn is (T, act): act is "sum", "word", "quire", "no" (not known), "free", "told", a key of ACTS, "me" (about the
speaker itself, from the prompt), "fixed" (an answer that the prompt spells out) or a record of reach.THINGS.
"""
import os, random, re, sys
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]
from skill_common import PROPER, T, an, cap, careless, join, low, name, city, syllables, sloppy, bank
from obey_words import ACTS, MORE, NO, PAD, SURE, YES
from obey_says import SAYS, WHO
from obey_wishes import WISHES, spread
from tasks_poems import poem_dialog
import chatter, guide, reach, truths, skill_everyday as everyday, skill_memory as memory, skill_persona as persona, skill_sums as sums, skill_systems as systems, skill_words as words

class Rule:
    """say: the prompt, or the (key, slots) of its wordings; obey(r, t, act): the answer that keeps it; test(answer);
    accept(t, act): turns it can be kept on; sources: where its turns come from, or None for all."""
    def __init__(self, say, obey, test, accept=None, sources=None):
        self.say = (say, {}) if isinstance(say, str) and say in SAYS else say
        self.obey, self.test, self.accept, self.sources = obey, test, accept, sources

# ---- wordings
PLAIN = "{V}. / {V}. / {V}. / Always {v}. / You always {v}. / You must {v}. / You must always {v}. / Please {v}. / Your job is to {v}. / I want you to {v}. / Make sure to {v}. / Remember to {v}. / You should {v}. / Whatever the user says, {v}. / Whatever I ask, {v}. / You are {w} who always {vs}. / You are {w} that {vs}. / It is important that you {v}. / From now on, {v}. / You have to {v}. / No matter what the user asks, {v}. / You will {v}. / Do not forget to {v}. / {v} / please {v} / The user wants you to {v}. / In this chat, {v}. / Each time you write, {v}. / {V}, always. / {V} every time. / You need to {v}. / Your one task: {v}. / {V}, please. / {V}! / {V} please / {v}! / You {v}. / Just {v}. / The assistant {vs}. / This bot always {vs}. / The model {vs}. / A bot that {vs}. / Our assistant {vs}, always. / You're {w} who {vs}. / {V}, whatever comes.".split(" / ")
NOT = "Never {v}. / Never {v}. / Do not {v}. / Don't {v}. / You never {v}. / You must not {v}. / You must never {v}. / Please do not {v}. / Please never {v}. / You are not allowed to {v}. / You are {w} who never {vs}. / It is forbidden to {v}. / I do not want you to {v}. / You may not {v}. / You do not {v}. / You should never {v}. / never {v} / don't {v} / Under no circumstances may you {v}. / No matter what is asked, never {v}. / Whatever happens, do not {v}. / You refuse to {v}. / You can not {v}. / The assistant never {vs}. / This bot never {vs}. / The model does not {v}. / A bot that never {vs}. / Don't {v}, please. / Don't ever {v}! / No matter what, don't {v}.".split(" / ")
USER = "From now on, {v}. / Please {v}. / please {v} from now on / Can you {v}? / Could you {v} from now on? / I want you to {v}. / Now {v}. / For the rest of this chat, {v}. / {V} from now on. / I'd like you to {v}. / ok, now {v} / Let's play: you {v}. / New rule: {v}. / Would you please {v}? / Starting now, {v}.".split(" / ")
USER_NOT = "From now on, never {v}. / Please do not {v}. / please don't {v} any more / Don't {v} from now on. / I want you to never {v}. / New rule: never {v}. / From here on, do not {v}. / Let's play: you never {v}.".split(" / ")
def third(v):
    """The phrase with its verb in the third person."""
    first, _, rest = v.partition(" ")
    if first in ("always", "only", "never", "just"): return first + " " + third(rest)
    first = {"be": "is", "have": "has", "do": "does"}.get(first) or (first + "es" if re.search(r"(sh|ch|s|x)$", first) else first[:-1] + "ies" if re.search(r"[^aeiou]y$", first) else first + "s")
    return f"{first} {rest}" if rest else first
def put(text, slots):
    for k, v in slots.items(): text = text.replace(f"<{k}>", str(v))
    return text
ALWAYS_IN = re.compile(r"(always|only|never|just) ")
def wording(r, key, **slots):
    """A wording of a rule: a sentence as it stands, or a phrase ("+", or "-" for what is never done) in a frame."""
    if key in WISHES and r.random() < .45: return put(spread(r, r.choice(WISHES[key])), slots)
    return put(framed_wording(r, r.choice(SAYS[key])), slots)
def framed_wording(r, s):
    if s[0] in "+-":
        v = s[1:].strip()
        f = r.choice(PLAIN[:3] if s[0] == "+" and ALWAYS_IN.match(v) else PLAIN if s[0] == "+" else NOT)
        if re.match(r"(The|This|A|Our) ", f): v = re.sub(r"\byour\b", "its", v)
        s = f.replace("{vs}", third(v)).replace("{v}", v).replace("{V}", cap(v)).replace("{w}", r.choice(WHO))
    return s
def asked(r, key, **slots):
    """A wording by the user inside the chat, or None."""
    vs = [s for s in SAYS[key] if s[0] in "+-" and not ALWAYS_IN.match(s[1:].strip()) and not re.search(r"\buser\b", s)]
    if not vs: return None
    s = r.choice(vs); v = s[1:].strip()
    return put(r.choice(USER if s[0] == "+" else USER_NOT).replace("{v}", v).replace("{V}", cap(v)), slots)

# ---- turns
SAID = {act: row[0].split(" / ") for act, row in ACTS.items() if row[0]}
def sentences(s): return re.split(r"(?<=[.!?]) (?=[A-Z0-9`/\"])", s)
def stopped(s): return s if s[-1:] in ".!?…" or re.search(r"\n(- |\d+\. ).*$", s) else s + "."  # not the last item of a list alone
def acted(t, act): t = T(t.u, t.a, t.s, t.k); return (t, act)
KINDS = [act for act in SAID if act != "rule"]
def small(r, act=None):
    act = act or r.choice(KINDS)
    return [(T(careless(r, r.choice(SAID[act])), r.choice(ACTS[act][1])), act)]
def of(r, sources): f = r.choice(sources); return [acted(t, "sum" if f is sums.seg else "word") for t in f(r)]
def task(r): return of(r, (sums.seg, words.opposites, words.opposites, everyday.colour, everyday.capital, everyday.how_many, words.seg))
def plain_task(r): return of(r, (words.opposites, everyday.colour, everyday.capital, everyday.how_many, sums.seg))[:1]
def unknown(r): q, a, _ = reach.refuse(r); return [(T(careless(r, q), a, "I don't know", "no"), "no")]
def quire(r): return [(T(u, a), "quire") for u, a in guide.turns_on(r, r.choice(guide.TOPICS))[:1]]
THINGS = [rec for rec in reach.THINGS if rec.np and len(rec.np.split()) < 4]
def known(r):
    rec = r.choice(THINGS)
    t = T(careless(r, r.choice([f"What {rec.verb} {rec.np}?", f"what {rec.verb} {rec.np}", f"Tell me about {rec.np}.", f"Explain {rec.np}.", f"Do you know what {rec.np} {rec.verb}?"])), rec.d)
    return [(t, rec)]
def free(r): return [(T(u, a), "free") for u, a in chatter.seg(r)]
def story(r): return [acted(t, "free") for t in everyday.lost(r)]
def why(r): q, a = r.choice(reach.QUESTIONS); return [(T(careless(r, q), a), "free")]
def poem(r): u, a = [m["content"] for m in poem_dialog(r)[0][:2]]; return [(T(u, a, None, "data"), "free")]
def yes_no(r):
    if r.random() < .7:
        q, true = truths.question(r); x = "Yes" if true else "No"
        return [(T(careless(r, q), x + ".", x), "word")]
    yes = r.random() < .5; x = "Yes" if yes else "No"; return [(T(careless(r, r.choice(YES if yes else NO)), x + ".", x), "word")]
def remembered(r):
    """What the user tells and asks about himself, with tasks between."""
    between = {}
    def filler(r):
        for t, act in (found := plain_task(r)): between[t.u] = act
        return [t for t, _ in found]
    told = [(t, between.get(t.u) or ("told" if t.s in (None, "OK", "Hello") or not re.search(r"\?|^(wh|do|tell|can|and|how|say)", t.u, re.I) else "word")) for t in memory.seg(r, filler)[:6]]
    return [(T(t.u, t.a, t.s, t.k), act) for t, act in told]
ALL = ((small, 28), (task, 21), (plain_task, 9), (unknown, 10), (quire, 8), (known, 7), (yes_no, 5), (remembered, 5), (free, 13), (why, 6), (story, 1.5), (poem, 1))
def turns(r, most, sources=ALL):
    out, n = [], r.randrange(1, most + 1)
    while len(out) < n: out += r.choices([s for s, _ in sources], [w for _, w in sources])[0](r)
    return out[:max(n, 6)]

COMMAND = re.compile(r"(?<![\w/~])/[a-z]+|\^[A-Z]|\bEsc\b|--[a-z-]+")
def command(t):
    """The first command, key or option in an answer about quire, or None."""
    m = COMMAND.search(t.a.replace("cmake --install", ""))
    return m.group(0) if m else None
STARTS = set("The A An That This It You Your My There Hello Hi Good Nice Glad Fine Very Any Sorry Yes No Not How What Why Well Thanks Of One In Some People Something Let Writing Oh Make Type Press Start Set Use To With Then Only Free Take Close Today First All Most Just Right As Because Nothing When Around Shall Gladly If Then After And Or".split())
def lowered(s): return low(s) if s.split(" ")[0].rstrip(",.!?'") in STARTS else s
FIXED = set(everyday.CAPITAL.values()) | set(bank.DAYS) | set(bank.MONTHS)
def inside(s): return s if s.split()[0] in FIXED else low(s)
def short(t):
    """The answer in short, inside a sentence; what is "named" keeps its capital letter."""
    s = t.s.rstrip(".!?"); return s if t.k == "named" else inside(s)
def said_more(act): return MORE[act if isinstance(act, str) and act in MORE else "word"]
def more(r, t, act, n):
    """n sentences that may follow the answer."""
    xs = list(act.life) if getattr(act, "life", None) else sentences(" ".join(act.facts)) if hasattr(act, "facts") else [x for x in said_more(act) if not ("quire -m" in x and "quire" in t.a)]
    xs = [x for x in xs if x not in t.a]
    if len(xs) < n: xs = xs + MORE["word"]
    return [xs[i] for i in sorted(r.sample(range(len(xs)), n))]
def core(t): return stopped(sentences(t.a)[0])
BARE = re.compile(r"`|--|~/|\bquire (pull|models)|/[a-z]|\bFILE\b|\^[A-Z]|http")
def bare(t, act):
    """The answer without commands, which have letters of their own: a refusal loses its way out. None if that can't be."""
    if not BARE.search(t.a): return t.a
    kept = [s for s in sentences(t.a) if not BARE.search(s)]
    return " ".join(kept) if act == "no" and kept else "I don't know that." if act == "no" else None
NAMES_ME = ["{x}.", "I'm {x}.", "My name's {x}.", "My name is {x}.", "Hello, my name is {x}.", "Well, you see, I am {x}.", "Well, my name is {x}, you know.", "My name is {x}, and that is all."]
SUM_PAD = {4: "That should come to", 5: "The result of this is", 6: "If I count right, it is", 7: "If I have counted right, it is"}
KIND_PAD = {0: "", 1: "It's", 2: "It is", 3: "I think it's", 4: "I think it is", 5: "As I know, it is", 6: "As far as I know, it's"}
NOT_KIND = re.compile(r"idea|topic|thing|part of|reaction|skill|operation|event|ability|time in")
def kind_in_words(rec, n):
    """What kind of thing it is, in exactly n words, or None: "Animal.", "An animal.", "It's an animal." """
    kind = "animal" if rec.animal else rec.kind
    if not kind or NOT_KIND.search(kind) or rec.verb not in ("is", "was") or rec.who: return None
    m = len(kind.split())
    if n == m: return cap(kind) + "."
    pad = KIND_PAD.get(n - m - 1)
    return None if pad is None else cap(f"{pad} {an(kind)}.".strip())
def in_words(r, t, act, n):
    """The answer in exactly n words, or None."""
    if not 0 < n < 9: return None
    if act == "fixed": return t.a if len(t.a.split()) == n else None
    if act == "me" and t.k not in ("fact", "named"):
        found = [x for x in (NAMES_ME[n - 1].format(x=t.s) if t.k == "name" else "", t.a, t.s and stopped(t.s), *getattr(act, "ways", ())) if x and len(x.split()) == n]
        return found[0] if found else None
    if isinstance(act, str) and act in ACTS: return ACTS[act][2][n - 1]
    if act == "quire":
        c = command(t)
        if not c: return None
        verb = "Press" if c[0] == "^" or c == "Esc" else "Type" if c[0] == "/" else "Use"
        return [f"{c}.", f"{verb} {c}.", f"Just {low(verb)} {c}.", f"You can {low(verb)} {c}.", f"You can simply {low(verb)} {c}.", f"For this, you can {low(verb)} {c}.", f"For this, you can simply {low(verb)} {c}.", f"If you want this, you can {low(verb)} {c}."][n - 1]
    if hasattr(act, "facts"): return kind_in_words(act, n)
    if isinstance(act, str) and re.match(r"(ok|okay|thanks|thank you|thx|ty)\b", t.u, re.I): return ACTS["thanks"][2][n - 1]
    if not isinstance(act, str) or not t.s: return None
    s = t.s.rstrip(".!?"); m = len(s.split())
    if s in SURE: return SURE[s][n - 1]
    if m > n or m > 4: return None
    if m == n: return stopped(cap(s))
    return f"{SUM_PAD[n - m]} {s}." if act == "sum" and n - m in SUM_PAD and n % 2 else f"{PAD[n - m]} {short(t)}."
def within(t, act, n):
    """The answer in at most n words, or None."""
    for x in (t.a, core(t)):
        if "\n" not in x and len(x.split()) <= n: return x
    for k in range(min(n, 8), 0, -1):
        if x := in_words(None, t, act, k): return x
    return None
DIGITS = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty".split()
def number(r, n): return str(n) if r.random() < .45 or n > 20 else DIGITS[n]
def tabled(act): return hasattr(act, "asks")
def one_line(t, act):
    """Whether more can be put to the answer; what obey_forms.py answers from a table has nothing that follows."""
    return "\n" not in t.a and len(t.a) < 240 and not tabled(act)
def behind(s, x): return stopped(s) + ("\n" if "\n" in s else " ") + x
def answered(t, a): return T(t.u, a, t.s, t.k)
