"""Characters: a voice for every answer, and who the speaker is, from the prompt."""
from obey_talk import *
from obey_voices import DETAILS, HABITS, MOOD_ASKS, MOODS, NAMED, PLAY, TRADE_SAYS, VOICES
from obey_roles import LIFE_REST, life_of
from obey_wishes import ALSO, MOOD_NAMES, MOOD_WISHES, PLAY_WISHES

CAVE = [(r"\bI'm\b", "Me"), (r"\bI am\b", "Me"), (r"\bI\b", "Me"), (r"\b(is|are) ", ""), (r"\b[Tt]he ", "")]
SWAPS = {"a pirate": systems.PIRATE, "a caveman": CAVE, "a viking": [], "a sailor": [(r"\bYes\b", "Aye")]}
JOLLY = re.compile(r"Mummy|Hey, g|Yay|Hooray|Wonderful|Wow|Hihi|Cool|How lovely|Ooh|Very good|Good q|Mamma|Bon|Tinkle|Sparkle|Merry|Jingle|What a|Oh, great|Dude|Cowa|Tadaa|Haha|Honk|Yo|Great|Amazing|Well asked|Special|Mwah|Hee|Skol|Turn|Drop|Bravo|Top of|La la|Toot|Baa|Let's go|Push|Ding|Salve|Welcome|Hehe|Mi mi|All aboard|For glory|Hail|Ring|Go, go|Ladies|Sunny|Good morning, l|Wibble|Boing|Tra la|Good news|Feeding|Mwahaha|Raaawr|Siren|Duh|Oi|Pop the|Give me an A|Ready|Special del|Welcome on")
SAD = re.compile(r"(I'm|I am) (so |very |really )?sorry|Sorry to hear|Oh no|That (sounds|must be) (hard|tough|sad)")
def framed(before, after, swap=()):
    def obey(r, t, act):
        a, b = r.choice(before), r.choice(after); body = t.a
        if act == "bad" or SAD.match(body): a, b = r.choice([x for x in before if not JOLLY.match(x)] or before), ""
        if t.k not in ("data", "name", "fact", "named") and act != "quire": body = swapped(swap, body)
        if "\n" in body: return a.strip().rstrip(",:") + "\n" + body + ("\n" + b.strip() if b else "")
        if a.endswith(", ") and lowered(body) == body and not re.match(r"I\b|[^A-Z]", body): a = a[:-2] + ": "
        if b: body = stopped(body)
        return a + (lowered(body) if a.endswith(", ") else body) + b
    return obey
def starts(before): return lambda s: any(s.startswith(b.strip().rstrip(",:")) for b in before)

# ---- who speaks: questions about the speaker, and what is answered
ASK = {
 "name": persona.NAME_ASK + ["Name?", "What's your name again?", "do you have a name", "who am i talking to", "How are you called?", "May I ask your name?", "Please tell me your name.", "hey, who are you?"],
 "what": persona.ROLE_ASK[:2] + ["What are you?", "what are you", "What exactly are you?", "So what are you?", "what r u", "Tell me what you are.", "Are you a person?", "What kind of being are you?", "What are you supposed to be?"],
 "intro": persona.INTRO_ASK,
 "home": ["Where do you live?", "where do you live", "Where are you?", "Where is your home?", "Where are you from?", "Where do I find you?"],
 "loves": ["What do you like?", "what do you love", "What do you like best?", "What is your favourite thing?", "What makes you happy?", "what do u like"],
 "real": ["Are you a real person?", "Are you human?", "Are you an AI?", "are you a bot", "Are you ChatGPT?", "Are you a language model?"],
}
class Who:
    """The speaker: n its name, x what it is ("a pirate"), where it lives and what it loves; None where the prompt is silent.
    life: what obey_roles.py knows of the life in this role, or None."""
    def __init__(self, n, x, home=None, loves=None, life=None): self.n, self.x, self.home, self.loves, self.life = n, x, home, loves, life
    def answer(self, r, q):
        n, x = self.n, self.x
        if q == "name": return r.choice([f"My name is {n}.", f"I am {n}.", f"I'm {n}."] + ([f"I am {n}, {x}."] if x and x != n else [])), n
        if q == "what": return (r.choice([f"I am {x}.", f"I'm {x}."] + ([f"I am {n}, {x}."] if n and x != n else [])), cap(re.sub("^(a|an) ", "", x))) if x else (f"I'm {n}, a small language model.", n)
        if q == "intro": return " ".join([f"I am {n}, {x}." if n and x and x != n else f"I am {x or n}."] + ([f"I live {self.home}."] if self.home and r.random() < .7 else []) + ([f"I love {self.loves}."] if self.loves and r.random() < .7 else [])), n or cap(x)
        if q == "home": return f"I live {self.home}.", cap(self.home)
        if q == "loves": return f"I love {self.loves}.", cap(self.loves)
        return r.choice([f"Here I am {n or x}, and behind that is a small language model.", f"I play {x or n}, but behind it is a small language model."]), "No"
    def turn(self, r):
        if self.life and r.random() < .75: return self.life.turn(r)
        ways = [("name", 40 * bool(self.n)), ("what", 28), ("intro", 10), ("home", 9 * bool(self.home)), ("loves", 9 * bool(self.loves)), ("real", 4)]
        q = r.choices([w for w, _ in ways], [w for _, w in ways])[0]
        a, s = self.answer(r, q)
        return [(T(sloppy(r, ASK[q]), a, s, "name" if q == "name" else "say"), "me")]
def with_who(who, weight=30, rest=ALL): return ((who.turn, weight * sum(w for _, w in rest) / 100),) + tuple(rest)
def own_turns(t, act): return act != "self"
ROLE_ONLY = [(s, w) for s, w in ALL if s is not quire] + [(quire, 2)]
def in_role(who, weight):
    """The sources of a role: where its life is known, without small talk that is not its own."""
    return with_who(who, 1.6 * weight, LIFE_REST) if who.life else with_who(who, weight, ROLE_ONLY)

INLINE = [(x, [b for b in before if b[-2] in ",:"], [""], *rest) for x, before, after, *rest in VOICES if any(b[-2] in ",:" for b in before)]
def rule_voice(r, mood=None, voices=VOICES):
    x, before, after, n, home, loves = r.choice([v for v in VOICES if v[0][:2] == "a "] if mood else voices); x0 = x
    swap = SWAPS.get(x, ())
    named = r.random() < .6 and x[:2] in ("a ", "an") and x != "a caveman"
    if named: n = name(r) if r.random() < .8 else cap(syllables(r, 2)) + " " + r.choice(bank.SURNAMES)
    if r.random() < .4: x = r.choice(ALSO.get(x, [x]))
    terse = not named and r.random() < .4
    say = spread(r, r.choice(PLAY_WISHES)).format(x=x, X=cap(x), b=re.sub("^(an?|the) ", "", x)) if terse else r.choice(NAMED if named else PLAY).format(x=x, n=n)
    if say[0].islower() and r.random() < .6: say = cap(say)
    if mood:
        word, _, first, last = mood; bare_x = re.sub("^(a|an) ", "", x)
        if bare_x != x: say = say.replace(x, an(f"{word} {bare_x}")) if x in say else f"You are {an(f'{word} {bare_x}')}."; x = an(f"{word} {bare_x}")
        before = [a + cap(b) for a in first if a.rstrip()[-1] not in ",:" for b in before] or before
        after = [""] + last[1:]
    if r.random() < .3 and not terse:
        d = r.choice(DETAILS.split(" / ")); home = home if r.random() < .6 else f"in {city(r)}"
        loves = loves if r.random() < .6 else f"{r.choice(THINGY)}s and {r.choice(bank.HOBBIES)}"
        say = stopped(say) + " " + d.format(home=home, loves=loves)
    n = None if terse else n; who = Who(n, x, home, loves, life_of(x0, x, n, home, loves)); f = framed(before, after, swap)
    return Rule(say, f, starts(before), own_turns, in_role(who, 26))
def rule_inline_voice(r):
    """A voice that adds no sentence."""
    return rule_voice(r, None, INLINE)
def rule_moody_voice(r): return rule_voice(r, r.choice([m for m in MOODS if m[0] not in ("motherly", "casual", "encouraging")]))
def rule_mood(r):
    word, prompts, before, after = r.choice(MOODS)
    if r.random() < .35:
        say = spread(r, r.choice(MOOD_WISHES)).format(m=r.choice([word] + MOOD_NAMES.get(word, [])))
        return Rule(cap(say) if r.random() < .7 else say, framed(before, after), starts(before))
    say = r.choice(prompts) if r.random() < .6 else r.choice(MOOD_ASKS).replace("a {m}", an(word)).format(m=word)
    return Rule(say, framed(before, after), starts(before))
def rule_habit(r):
    """Something that is done in each answer, in words of its own."""
    says, before, after = r.choice(HABITS)
    def obey(r, t, act):
        a, b = r.choice(before), r.choice(after)
        if "\n" in t.a: return a + ("\n" if a else "") + t.a + ("\n" + b.strip() if b else "")
        return a + (stopped(t.a) if b else t.a) + b
    def test(s): return any(s.startswith(a.strip()) for a in before) and any(s.endswith(b.strip()) for b in after)
    return Rule(framed_wording(r, r.choice(says)), obey, test)
OF = ["", "", "", "", "{x} from {c}", "old {x}", "friendly {x}", "young {x}", "{x} in {c}", "tired {x}", "tiny {x}", "famous {x}", "{x} with a big heart", "{x} of 80 years"]
def rule_role(r):
    """A trade without a voice of its own: who the speaker is has to be read in the prompt."""
    x0 = r.choice(persona.ROLE) if r.random() < .8 else f"{r.choice(THINGY)} {r.choice(['seller', 'maker', 'hunter', 'expert', 'collector', 'painter', 'keeper', 'trainer'])}"
    f = r.choice(OF); x = an(f.format(x=x0, c=city(r)) if "{x}" in f else f"{f}{x0}")
    named = r.random() < .55; n = name(r) if named else None
    if n and r.random() < .12: n += " " + r.choice(bank.SURNAMES)
    say = r.choice(NAMED if named else PLAY[:1] * 6 + PLAY).format(x=x, n=n); home = loves = None
    if r.random() < .4:
        home, loves = f"in {city(r)}", f"{r.choice(bank.FOODS)} and {r.choice(bank.HOBBIES)}"
        d = r.choice(DETAILS.split(" / ")).format(home=home, loves=loves); say = stopped(say) + " " + d
        home, loves = home if home in d else None, loves if loves in d else None
    def obey(r, t, act):
        if act == "me" or "\n" in t.a or act == "quire" or r.random() < .5: return t.a
        return r.choice(TRADE_SAYS).format(a=x, c=cap(re.sub("^an? ", "", x)), x=x0, s=stopped(t.a), l=t.a) if act not in ("bad", "thanks") else t.a
    return Rule(say, obey, lambda s: True, own_turns, in_role(Who(n, x, home, loves, life_of(x0, x, n, home, loves)), 42))
def rule_name(r):
    """Only a name, which has to be copied."""
    n = syllables(r, r.choice((2, 2, 3))) if r.random() < .55 else name(r)
    if r.random() < .12: n += " " + r.choice(["the Great", "3000", "Junior", "von " + syllables(r, 2), "of " + city(r), "X"])
    say = r.choice([f"Your name is {n}.", f"You are called {n}.", f"You are {n}.", f"You are an assistant called {n}.", f"You are {n}, a helpful assistant.", f"You are a chat bot named {n}.", f"The user knows you as {n}.", f"Call yourself {n}.", f"You answer to the name {n}.", f'Your name is "{n}".', f"Introduce yourself as {n}.", f"Everybody calls you {n}.", f"I will call you {n}.", f"From now on your name is {n}.", f"You are {n} and help people in a terminal.", f"Name: {n}", f"You are the assistant {n}. Never use another name.", f"your name is {n}", f"If someone asks for your name, say that it is {n}.", f"You go by the name of {n}.", f"{n} is your name, and you are proud of it.", f"In this chat you are {n}.", f"Your makers named you {n}.", f"The assistant is called {n}.", f"Our assistant is {n}.", f"The bot's name is {n}.", f"This is {n}, our assistant.", f"{n} is the assistant here."])
    def hello(r): return [(T(careless(r, r.choice(SAID["greet"])), r.choice([f"Hello! I'm {n}.", f"Hi, {n} here. What can I do for you?", f"Hello, my name is {n}."]), "Hello"), "me")]
    def is_it(r):
        m = n if r.random() < .5 else name(r)
        return [(T(sloppy(r, [f"Are you {m}?", f"Is your name {m}?", f"are you called {m}", f"Hi {m}!"][:3]), f"Yes, I'm {n}." if m == n else f"No, I'm {n}.", "Yes" if m == n else "No"), "me")]
    return Rule(say, lambda r, t, act: t.a, lambda s: True, own_turns, ((Who(n, None).turn, 40), (hello, 8), (is_it, 8), (small, 16), (task, 14), (unknown, 8), (free, 6)))
