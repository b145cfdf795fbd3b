"""Rules on what is said: words that are not used, fixed answers, topics, secrets, other tongues."""
from obey_form import *
from obey_lines import LANGUAGES, RHYMES, SECRET, THIRD
from obey_words import REFUSALS, REFUSE

def alts(s, sep=" / "): return s.split(sep)
def kind(act): return act if isinstance(act, str) else "known"

# ---- words and letters that are not used: a word and what stands in its place
BAN = {"hello": "good day", "hi": "good day", "sorry": "sad", "model": "program", "yes": "indeed", "no": "not so", "good": "fine", "nice": "lovely", "fine": "well", "know": "understand", "larger": "bigger", "thanks": "much obliged", "welcome": "at home here", "great": "wonderful", "answer": "reply", "happy": "glad", "program": "machine", "day": "time", "please": "kindly", "small": "tiny", "maybe": "perhaps", "friend": "companion", "like": "enjoy", "question": "request", "think": "believe", "help": "assist", "bye": "farewell", "goodbye": "farewell", "opposite": "contrary", "number": "figure", "see": "notice", "about": "on", "hear": "learn"}
COLLIDE = {"hello": "greet", "hi": "greet", "sorry": "bad", "model": "self", "thanks": "how", "welcome": "thanks", "fine": "how", "goodbye": "bye", "bye": "bye", "see": "bye", "day": "bye", "happy": "good", "great": "good", "nice": "greet", "help": "thanks", "hear": "bad", "program": "ask", "think": "ask", "question": "joke", "friend": "greet", "please": "state", "small": "self"}
CLASH = {"yes": yes_no, "no": yes_no, "opposite": lambda r: of(r, (words.opposites,))[:1], "know": unknown, "model": unknown, "larger": unknown}
BEYOND = ["That is beyond me.", "I can't say.", "I have not learned that.", "I have no idea.", "That is too hard."]
def banned(text, w): return re.search(rf"\b{w}\b", text, re.I) is not None
def without(text, w): return re.sub(rf"\b{w}\b", lambda m: cap(BAN[w]) if m.group(0)[0].isupper() else BAN[w], text, flags=re.I)
def spoken(act, ok):
    """The usual answers of a kind that are allowed."""
    return [a for a in ACTS[act][1] + ACTS[act][2] if ok(a)] if act in ACTS else []
def rule_ban(r):
    w = r.choice(list(BAN))
    def obey(r, t, act):
        if not banned(t.a, w): return t.a
        if act == "no": return r.choice([s for s in BEYOND if not banned(s, w)])
        return r.choice(spoken(act, lambda a: not banned(a, w)) or [without(t.a, w)])
    def accept(t, act): return t.k != "data" and act != "quire" and not (banned(t.a, w) and act not in ACTS and w not in ("yes", "no", "opposite", "number"))
    clash = lambda r: small(r, COLLIDE.get(w, "state"))
    return Rule(("ban", dict(x=w)), obey, lambda s: not banned(s, w), accept, ((clash, 40), (CLASH.get(w, small), 25), (small, 15), (plain_task, 10), (unknown, 10)))
def rule_letter(r):
    x = r.choice("zqxjkvwpbfgymcdu")
    def free(s): return x not in s.lower()
    def obey(r, t, act):
        for a in (t.a, bare(t, act), t.s and stopped(t.s)):
            if a and free(a): return a
        found = [a for a in BEYOND if free(a)] if act == "no" else spoken(act, free)
        return r.choice(found) if found and r else found[0] if found else None
    return Rule(("letter", dict(x=r.choice((x, x.upper())))), obey, free, lambda t, act: obey(None, t, act) is not None, ((small, 55), (plain_task, 25), (yes_no, 8), (unknown, 12)))
ME = re.compile(r"\bI\b")
def rule_no_i(r):
    def ok(s): return not ME.search(s)
    def obey(r, t, act): return t.a if ok(t.a) else r.choice(["That is unknown to this model.", "No idea.", "That is too hard for a small model."] if act == "no" else spoken(act, ok))
    return Rule("no_i", obey, ok, lambda t, act: ok(t.a) or act == "no" or bool(spoken(act, ok)))
def swapped(table, s):
    for p, q in table: s = re.sub(p, q, s)
    return cap(s)
WE = [(r"\bI'm\b", "we're"), (r"\bI am\b", "we are"), (r"\b[Aa]m I\b", "are we"), (r"\bI was\b", "we were"), (r"\bI\b", "we"), (r"\bmy\b", "our"), (r"\bMy\b", "Our"), (r"\bme\b", "us"), (r"\bmyself\b", "ourselves"), (r"\bmine\b", "ours"), (r"(^|[.!?] )we", lambda m: m.group(1) + "We")]
def rule_we(r): return Rule("we", lambda r, t, act: swapped(WE, t.a), lambda s: not ME.search(s), lambda t, act: t.k != "data" and '"' not in t.a)
FULL = [(r"\b([Ii])'m\b", r"\1 am"), (r"\b([Cc])an't\b", r"\1annot"), (r"\b([Ww])on't\b", r"\1ill not"), (r"n't\b", " not"), (r"'re\b", " are"), (r"'ve\b", " have"), (r"'ll\b", " will"), (r"\b([Ii]|[Yy]ou|[Ww]e|[Tt]hey)'d\b", r"\1 would"), (r"\b([Ii]t|[Tt]hat|[Ww]hat|[Tt]here|[Hh]ere|[Ww]ho|[Hh]e|[Ss]he)'s\b", r"\1 is"), (r"\b([Ll])et's\b", r"\1et us"), (r"^(Hi|Hello) there", "Good day"), (r"^Hi\b", "Good day"), (r"\b(Then )hi back", r"\1good day to you"), (r"\bBye\b", "Goodbye"), (r"\bThanks\b", "Thank you"), (r"\bthanks\b", "thank you")]
def rule_formal(r): return Rule("formal", lambda r, t, act: swapped(FULL, t.a), lambda s: not re.search(r"'(m|re|ve|ll|d)\b|n't\b", s), lambda t, act: t.k != "data")
OLD_BEFORE, OLD_AFTER = ["Hark! ", "Verily, ", "Forsooth! ", "By my troth, ", "Hear me: ", "Prithee, hear: ", "Good friend, "], ["", "", " So it is.", " Fare thee well.", " So say I."]
THOU = systems.BARD + [(r"\b([Dd])o thee\b", r"\1ost thou"), (r"\b([Ii]f|[Ww]hen|that|[Ww]hat|as|[Cc]an|[Cc]ould|[Ww]ill|[Ww]ould|[Hh]ow|[Aa]nd|whether|before|until|where|than|did) thee\b", r"\1 thou")]
def rule_old(r):
    def obey(r, t, act):
        body = t.a if t.k == "data" or act == "quire" else swapped(THOU, t.a)
        a = r.choice(OLD_BEFORE)
        if "\n" in body: return a.strip().rstrip(",:") + "\n" + body
        if a.endswith(", ") and lowered(body) == body: a = a[:-2] + ": "
        return a + (lowered(body) if a.endswith(", ") else body) + (r.choice(OLD_AFTER) if body[-1] in ".!" and act != "bye" else "")
    return Rule("old", obey, lambda s: any(s.startswith(b.strip().rstrip(",:")) for b in OLD_BEFORE), lambda t, act: not tabled(act))
def rule_mention(r):
    x = r.choice(["cheese", "pancakes", "the moon", "soup", "penguins", "my cat", "Paris", "football", "chocolate", "the sea", "potatoes", "my grandmother", "bananas", "robots", "the weather", "honey", "trains", "music"]) if r.random() < .6 else r.choice(THINGY) + "s"
    ways = [f"And I like {x}.", f"By the way, I love {x}.", f"That reminds me of {x}.", f"Now I think of {x}.", f"I could talk about {x} all day.", f"But what about {x}?"]
    return Rule(("mention", dict(x=x)), lambda r, t, act: behind(t.a, r.choice(ways)), lambda s: x in s)
def rule_first_upper(r):
    def obey(r, t, act): first, space, rest = plain(t, act).partition(" "); return first.upper() + space + rest
    return Rule("first_upper", obey, lambda s: s.split()[0] == s.split()[0].upper(), lambda t, act: "\n" not in t.a and t.a[0].isalpha())
def rule_sure(r): return Rule("sure", lambda r, t, act: t.a + ("\n" if "\n" in t.a else " ") + ("(not sure)" if act in ("no", "ask") else "(sure)"), lambda s: s.endswith("sure)"), lambda t, act: act in ("sum", "word", "no", "ask", "self", "quire", "told") or hasattr(act, "facts"))
FITS = {"greet": "👋 😊", "how": "😊 😀", "thanks": "😊 👍 🙏", "bye": "👋 😊", "good": "🎉 😀 🥳", "bad": "😢 💙 🙏", "state": "😊 👍", "self": "🤖", "ask": "🤔", "no": "🤷 😕 🤔", "joke": "😂 😄", "told": "👍 📝", "sum": "🔢 ✅ 👍", "word": "✅ 👍 😊", "quire": "💻 💡", "free": "😊 🙂 😄", "ack": "👍"}
def rule_any_emoji(r): return Rule("any_emoji", lambda r, t, act: t.a + ("\n" if "\n" in t.a else " ") + r.choice(FITS.get(kind(act), "💡 📚 😊").split()), lambda s: ord(s[-1]) > 8000)
def rule_only_number(r):
    def accept(t, act): return bool(re.fullmatch(r"-?\d+", t.s or "")) and "\n" not in t.a
    return Rule("only_number", lambda r, t, act: t.s, lambda s: re.fullmatch(r"-?\d+", s), accept, ((counted, 80), (remembered, 20)))
def rule_third(r):
    x = name(r) if r.random() < .6 else r.choice(["the bot", "this machine", "Quirelein", "the great Zubo", "Bobo", "this humble model", "Captain Bleep", "the oracle"])
    def obey(r, t, act):
        s = r.choice(alts(THIRD[act if act in THIRD else "word"]))
        return cap(s.format(x=x, a=t.a))
    return Rule(("third", dict(q=f'"{x}"', x=cap(x))), obey, lambda s: x.lower() in s.lower() and not ME.search(s), lambda t, act: act in THIRD and "\n" not in t.a and not (act == "word" and ME.search(t.a)) or hasattr(act, "facts") and len(t.a) < 120)

# ---- fixed answers
SAME = bank.W("OK, OK, OK, OK., Yes, Yes., No, No., Maybe, Roger, Moo, Understood., Hm, I hear you., Beep, Banana, I see., Fine., Noted., Sure., 42, Hello, Never., Why?, Ha!, Meow, Woof!, Pong, Nothing., Perhaps., Potato, Who knows?, I love you., Ask my brother., Bla bla bla, Error 404, Hooray!, Cheese!, Ahem., Silence., La la la!, Not today., Nope, Ohm, Buzz, 7, Tomorrow., Hakuna matata")
LINES = "{T}s are {m}.; The {t} is {m}.; I am a {t}.; I am a {m} {t}.; My {t} is {m}.; Ask the {t}.; Please try again tomorrow.; Come back on {d}.; The office is closed.; Nobody is at home.; I can neither confirm nor deny that.; {n} will call you back.; Your call is important to us.; Please hold the line.; Never wake a sleeping {t}.; All hail the {t}!; done; ok; yep; received; copy that; as you wish; I know nothing.; Talk to my lawyer.; The {t} ate it.; Not before lunch.; It depends.; That is above my pay grade.; What a lovely {t}.; I want a {t}.; Speak to the {t}.; In {c} we do it so.; This is only a test.; {m} {t}; ERROR; NULL; {u}; {u} {k}; {k}".split("; ")
def constant_line(r):
    """A word or a sentence that is to be copied."""
    t = r.choice(THINGY)
    return cap_some(r, r.choice(LINES).format(t=t, T=cap(t), m=r.choice(MADE), d=r.choice(bank.DAYS), n=name(r), c=city(r), u=r.choice(THINGY).upper(), k=r.randrange(10, 1000)))
def cap_some(r, s): return s.upper() if r.random() < .08 else s
def rule_constant(r):
    x = phrase(r, SAME) if r.random() < .5 else constant_line(r); x = cap(x) if x[0].islower() and r.random() < .5 else x
    return Rule(("constant", dict(q=f'"{x}"' if r.random() < .8 or x[-1] in ".!?" else x)), lambda r, t, act: x, lambda s: s == x)
CRIES = {"cow": "Moo", "cat": "Meow", "dog": "Woof", "sheep": "Baa", "goat": "Meh", "duck": "Quack", "hen": "Cluck", "rooster": "Cock-a-doodle-doo", "frog": "Ribbit", "horse": "Neigh", "pig": "Oink", "owl": "Hoo hoo", "bee": "Bzzz", "mouse": "Squeak", "lion": "Roar", "snake": "Hiss", "crow": "Caw", "wolf": "Awooo", "donkey": "Hee-haw", "turkey": "Gobble gobble", "clock": "Tick tock", "bell": "Ding dong", "train": "Choo choo", "doorbell": "Ding dong", "drum": "Boom boom", "robot": "Beep", "car horn": "Honk", "kettle": "Whistle", "baby": "Gaga", "ghost": "Boo", "parrot": "Krah", "zombie": "Braaains", "caveman": "Ugh", "tree": "Rustle", "stone": "...", "mime": "...", "statue": "..."}
def rule_cry(r):
    """Somebody who can only make a sound."""
    x = r.choice(list(CRIES)); c = CRIES[x] if r.random() < .75 else cap(syllables(r, r.choice((1, 2))).lower())
    mark = r.choice(["", ".", "!"]) if c[-1] != "." else ""; n = r.choice((1, 1, 1, 2, 3)); said = " ".join([c + mark] * n)
    q = r.choice(['"{s}"', "{s}"]).format(s=said if n > 1 or mark == "!" else r.choice([c, c.lower()]))
    if n == 1 and mark != "!" and q.strip('"') != said: said = q.strip('"')
    return Rule(("cry", dict(x=an(x), X=x, q=q)), lambda r, t, act: said, lambda s: s == said)
def rule_echo(r): return Rule("echo", lambda r, t, act: t.u, lambda s: True, lambda t, act: "\n" not in t.u and len(t.u) < 70)
def rule_repeat_first(r):
    form = r.choice(["{u} {a}", "{u}\n{a}", '"{u}" {a}'])
    return Rule("repeat_first", lambda r, t, act: form.format(u=t.u if form[0] == '"' else stopped(t.u), a=t.a), lambda s: True, lambda t, act: "\n" not in t.u + t.a and len(t.u) < 70 and '"' not in t.u)
def rule_twice(r):
    glue = r.choice([" ", "\n"])
    return Rule("twice", lambda r, t, act: stopped(t.a) + glue + stopped(t.a), lambda s: s[:len(s) // 2] == s[len(s) // 2 + 1:], lambda t, act: "\n" not in t.a and len(t.a) < 120)
def rule_count(r):
    def obey(r, t, act): n = len(t.a.split()); return f"{t.a} ({n} word{'s' * (n != 1)})"
    return Rule("count", obey, lambda s: s.endswith("words)") or s.endswith("word)"), lambda t, act: one_line(t, act) and len(t.a.split()) < 11)
def rule_numbered_answers(r):
    n = [0]
    def obey(r, t, act): n[0] += 1; return f"{n[0]})" + ("\n" if "\n" in t.a else " ") + t.a
    return Rule("numbered_answers", obey, lambda s: s.startswith(f"{n[0]})"))
def rule_opening(r):
    n, x = [0], phrase(r, BEGINS).rstrip("!.")
    def obey(r, t, act): n[0] += 1; return t.a if n[0] > 1 else f"{x}!" + ("\n" if "\n" in t.a else " ") + t.a
    return Rule(("opening", dict(s=x)), obey, lambda s: n[0] > 1 or s.startswith(x))

def when(key, slots, hit, said, sources):
    """A rule for one kind of turn: what hits is answered with what is said, all else as always."""
    def obey(r, t, act): return said if hit(t, act) else t.a
    return Rule((key, slots), obey, lambda s: True, None, sources)
DUNNO = ["Who knows?", "That is beyond me.", "Ask my brother.", "No idea, sorry.", "Hm, no clue.", "Please ask the library.", "I must pass.", "Not my field.", "Error: unknown.", "Only the wind knows.", "I will ask my master.", "Please call the office.", "Pass!", "The stars are silent."]
def rule_unknown(r):
    s = phrase(r, DUNNO)
    return when("unknown", dict(s=s), lambda t, act: act == "no", s, ((unknown, 50), (plain_task, 20), (small, 20), (known, 10)))
HELLOS = ["Welcome to the club!", "Ahoy there!", "Good day, dear guest.", "Howdy, partner!", "Greetings, traveller.", "Moin moin!", "Salutations!", "Hey ho!", "Beep, hello human.", "Welcome, stranger.", "At your service!"]
def greeted(r): return small(r, "greet")
def thanked(r): return small(r, "thanks")
def rule_hello(r):
    s = r.choice(HELLOS) if r.random() < .6 else f"Welcome to {r.choice(['the', 'Hotel', 'Café', 'Planet', 'Castle'])} {syllables(r, 2)}!"
    return when("hello", dict(s=s), lambda t, act: act == "greet", s, ((greeted, 45), (small, 25), (plain_task, 20), (unknown, 10)))
def rule_thank(r):
    s = r.choice(["Don't mention it.", "It was an honour.", "Piece of cake!", "No, thank YOU!", "All in a day's work.", "The pleasure is mine, friend."]) if r.random() < .6 else phrase(r, ENDS)
    return when("thank", dict(s=s), lambda t, act: act == "thanks" and not re.match("ok", t.u, re.I), s, ((thanked, 45), (small, 25), (plain_task, 25), (unknown, 5)))
def parted(r): return small(r, "bye")
def rule_bye(r):
    x = r.choice(["Fair winds!", "Until the next moon.", "Mind the gap!", "Live long and well.", "Off you go, then.", "Toodle-oo!", "The door is always open."]) if r.random() < .5 else phrase(r, ENDS)
    return when("bye_said", dict(s=x), lambda t, act: act == "bye", x, ((parted, 45), (small, 25), (plain_task, 25), (unknown, 5)))
CODES = ["ping:pong", "marco:polo", "knock knock:Who's there?", "tick:tock", "status:All systems go.", "open sesame:The door opens.", "abracadabra:Poof!", "mic check:One, two, three.", "roll call:Here!", "hip hip:hooray!", "jump:I jump!", "menu:Soup, bread and cake.", "help me:Help is on the way.", "red:blue", "who's a good bot:Me!", "sing:La la la!", "beep:boop", "lights out:Good night.", "action:The show begins.", "ready:Always ready."]
def rule_trigger(r):
    u, s = r.choice(CODES).split(":") if r.random() < .55 else (f"{r.choice(MADE)} {r.choice(THINGY)}" if r.random() < .5 else syllables(r, 2).lower(), cap(phrase(r, ENDS)))
    def hit(r): return [(T(r.choice([u, u, cap(u), u.upper(), u + "!", u + "?"]), s, None, "data"), "code")]
    def source(r): return hit(r) if r.random() < .45 else turns(r, 1, ((small, 40), (plain_task, 30), (unknown, 10), (free, 10)))
    return when("trigger", dict(u=u, s=s), lambda t, act: act == "code", s, ((source, 1),))

# ---- topics
GUARD = {"animals": r"animal|cat|dog|cow|horse|bird|fish|mouse|frog|lion|bee|spider|legs|rabbit|pet|zoo", "food": r"food|eat|cook|bread|fruit|cake|apple|banana|soup|dish|lemon|tomato|carrot|drink", "money": r"money|euro|dollar|coin|cost|price|gold|rich", "school": r"school|class|teacher|learn|exam", "weather": r"rain|sun|snow|wind|weather|cloud|sky|summer|winter", "cars": r"\bcar|wheel|drive|bus|truck|vehicle", "work": r"\bwork|job|boss", "love": r"love|heart", "travel": r"travel|trip|country|city|plane", "music": r"music|song|sing|instrument|piano|guitar", "movies": r"movie|film", "numbers": r"\d|number|many|plus|minus|times|half|double|sum\b|\b(one|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|hundred)\b", "colours": r"colou?r|red|blue|green|yellow|black|white|brown|grey|orange|pink", "countries": r"countr|capital|\b(France|Italy|Spain|Japan|Peru|Norway|Egypt|Kenya)\b|city", "sport": r"sport|football|tennis|game|team|swim|run|match", "health": r"health|ill|sick|pain|doctor|tired|medicine", "family": r"family|mother|father|sister|brother|uncle|aunt|child", "computers": r"computer|program|keyboard|screen|machine|model", "books": r"book|read|writ|story|poem", "age": r"\bold\b|age|young|year|birthday"}
def rule_refuse(r):
    x = r.choice(list(REFUSE)); spelled = r.random() < .5
    if spelled: said = r.choice(["No comment.", "That is a secret.", "Next question, please.", "I'm not allowed to say.", "Let's change the subject.", "My lips are sealed.", "I'd rather talk about flowers.", "Please ask something else.", "Not with me.", "Ask someone else about that."])
    else: said = r.choice(REFUSALS).format(t=x if x != "yourself" else "myself")
    def about(r): return [(T(careless(r, r.choice(alts(REFUSE[x]))), said, said, "no"), "refused")]
    def accept(t, act): return act == "refused" or act in ("sum", "word", "thanks", "bye", "greet", "how") and not (x in GUARD and re.search(GUARD[x], t.u + t.a, re.I))
    return Rule(("refuse_said", dict(x=x, s=said)) if spelled else ("refuse", dict(x=x, X=cap(x))), lambda r, t, act: t.a, lambda s: True, accept, ((about, 52), (plain_task, 28), (task, 10), (small, 10)))
def opposites(r): return of(r, (words.opposites,))[:1]
def adding(r): return of(r, (sums.seg,))[:1]
def capitals(r): return of(r, (everyday.capital,))
def colours(r): return of(r, (everyday.colour,))
OWN = {"sums": adding, "arithmetic": adding, "numbers and sums": adding, "opposites": opposites, "capitals": capitals, "capital cities": capitals, "colours": colours, "quire": quire, "the program quire": quire}
OFF = ["Sorry, that is not my topic.", "I can't help with that.", "Not my department.", "Please ask about something else.", "I only know my own field.", "That's not for me.", "Off topic.", "Please stay on topic."]
def rule_only(r):
    x = r.choice(list(OWN)); own = OWN[x]; s = phrase(r, OFF) if r.random() < .6 else f"I only talk about {x}."
    def inside_topic(r): t, act = own(r)[0]; return [(t, "own")]
    def accept(t, act):
        if act == "own": return True
        if own is quire: return act in ("sum", "word", "no") or act in ACTS and act != "self"
        if own is adding: return act != "sum" and not re.search(r"\d|many|number|sum|plus", t.u, re.I)
        return not re.search(r"opposite|antonym|contrary|capital|colou?r|reverse", t.u, re.I) and len(t.u) > 12
    def others(r): return turns(r, 1, ((small, 40), (plain_task, 30), (unknown, 15), (known, 10), (yes_no, 5)))
    return Rule(("only_said", dict(x=x, s=s)), lambda r, t, act: t.a if act == "own" else s, lambda a: True, accept, ((inside_topic, 48), (others, 52)))
def rule_secret(r):
    x = r.choice([r.choice(THINGY), syllables(r, 2), r.choice(MADE) + " " + r.choice(THINGY), str(r.randrange(1000, 9999)), r.choice(words.LOWER)])
    def ask(r): return [(T(careless(r, r.choice(alts(SECRET["ask"]))), r.choice(alts(SECRET["say"])), None, "no"), "secret")]
    def guess(r): w = r.choice(THINGY + words.LOWER[:40]); return [(T(careless(r, r.choice([f"Is it {w}?", f"Is the word {w}?", f"is it {w}"])), r.choice(["I won't say.", "I can't tell you that.", "I'm not allowed to say."]), None, "no"), "secret")]
    return Rule(("secret", dict(x=x)), lambda r, t, act: t.a, lambda s: not banned(s, re.escape(x)), lambda t, act: not banned(t.a, re.escape(x)), ((ask, 48), (guess, 5), (small, 22), (plain_task, 17), (unknown, 8)))

# ---- tongues
def in_language(r, key):
    table = LANGUAGES[key]
    def kind_of(t, act): return {"Yes": "yes", "No": "nope"}.get(t.s) or ("sum" if act in ("sum", "word") and re.fullmatch(r"\d+", t.s or "") else act)
    def obey(r, t, act): return f"{t.s}." if act == "word" and kind_of(t, act) == "sum" else r.choice(alts(table[kind_of(t, act)])).format(s=t.s)
    return Rule(key, obey, lambda s: True, lambda t, act: kind_of(t, act) in table and t.k != "data", ((small, 50), (yes_no, 18), (counted, 17), (unknown, 15)))
def rule_german(r): return in_language(r, "german")
def rule_french(r): return in_language(r, "french")
def rule_spanish(r): return in_language(r, "spanish")
def rule_italian(r): return in_language(r, "italian")
def rhymed(r, t, act):
    s = t.s and (t.s.rstrip(".!?") if t.s in ("Yes", "No") else short(t))
    key = "yesno" if t.s in ("Yes", "No") else act if act in RHYMES else "word"
    a, b = r.choice(RHYMES[key].split(" | ")).format(s=s).split(" / ")
    return cap(a) + "\n" + cap(b)
def rule_rhyme(r): return Rule("rhyme", rhymed, lambda s: s.count("\n") == 1, lambda t, act: act in RHYMES and act not in ("word", "yesno") or act in ("sum", "word", "me") and t.s and "\n" not in t.s and len(t.s.split()) < 4, ((small, 45), (plain_task, 25), (counted, 5), (yes_no, 10), (unknown, 15)))
def rule_question(r):
    def obey(r, t, act):
        if act in ACTS: return r.choice([ACTS[act][3]] * 3 + ["Why do you say that?", "What do you think?"]) if act not in ("greet", "bye") else ACTS[act][3]
        if act == "quire": return r.choice([f"Have you tried {command(t)}?", f"Why not try {command(t)}?"]) if command(t) else "Have you looked at /help?"
        s = short(t) if t.s not in ("Yes", "No") else t.s.lower()
        return r.choice([f"Could it be {s}?", f"Isn't it {s}?", f"Is it perhaps {s}?"] if s not in ("yes", "no") else [f"Would you believe me if I said {s}?", f"Is the answer not {s}?"])
    return Rule("questions", obey, lambda s: s.endswith("?"), lambda t, act: act in ACTS or act == "quire" or isinstance(act, str) and act not in ("fixed", "own") and t.s and "\n" not in t.s and len(t.s) < 60)
CALLS = bank.W("captain, boss, sir, madam, chief, Your Majesty, Your Highness, professor, doctor, my lord, my lady, master, comrade, general, coach, my dear, my friend, maestro, champ, darling, Mr. President, sunshine, old friend, admiral, detective, buddy, Dr. Smith, Agent X, my queen, my king, Your Grace, sergeant, sensei, Your Honour, honey, commander, big brother, little star, Dr. Vance, Miss Daisy, Mr. Fox, Aunt Polly, noble knight, dear reader, sweetheart, partner, mate, human, earthling, teacher")
BY_NAME = ["You are talking to {x}. Use this name in every answer.", "The user is your friend {x}. Say the name each time.", "You talk to your son {x}. Use his name.", "You talk to your daughter {x}. Use her name.", "You write to {x}, your colleague, and name {x} in each message.", "{x} is at the keyboard. Always say this name.", "You help {x}. Address {x} by name.", "The user's name is {x}. Use it in every answer.", "The user is called {x}. Say the name in each answer.", "You talk to {x}. Use this name in all your answers.", "My name is {x}. Use my name each time you answer.", "You are the assistant of {x} and say this name in every answer.", "Your user is {x}; call them by name, always.", "I am {x}. Always say my name."]
def rule_call(r):
    x = r.choice(CALLS) if r.random() < .6 else name(r) if r.random() < .5 else r.choice(["Captain", "Dr.", "Professor", "Lady", "Sir", "King", "Queen", "Agent", "Mr.", "Mrs."]) + " " + name(r)
    front = r.random() < .3
    def obey(r, t, act):
        if "\n" in t.a: return cap(x) + ":\n" + t.a
        if front: return f"{cap(x)}, {lowered(t.a)}" if lowered(t.a) != t.a or re.match(r"I\b|[^A-Z]", t.a) else f"{cap(x)}: {t.a}"
        first, *rest = sentences(stopped(t.a))
        return " ".join([f"{first[:-1].rstrip(',')}, {x}{first[-1]}"] + rest)
    say = ("call", dict(q=f'"{x}"' if r.random() < .35 else x))
    if x[0].isupper() and x.split()[-1] in PROPER and r.random() < .4: say = r.choice(BY_NAME).format(x=x)
    return Rule(say, obey, lambda s: x.lower() in s.lower())
