"""Rules on the form of an answer: letters, length, lists, frames, what stands at its ends."""
import json
from obey_base import *

# ---- letters
def plain(t, act): return bare(t, act) or t.a
# Words of every field, since each is written with other tokens in capitals than in small letters.
LETTERED = ((small, 22), (task, 18), (plain_task, 8), (unknown, 12), (quire, 4), (known, 20), (yes_no, 4), (remembered, 3), (free, 12), (why, 22), (poem, 7), (story, 1.5))
def lettered(r, t, act):
    """The answer with a letter in it at least, so that one sees the rule at work."""
    a = plain(t, act)
    return a if re.search("[a-z]", a, re.I) or t.k == "data" else r.choice(["The answer is {a}", "That is {a}", "It is {a}"]).format(a=a) if "=" not in a else a.replace("=", "is").replace("+", "plus").replace(" - ", " minus ")
def rule_upper(r): return Rule("upper", lambda r, t, act: lettered(r, t, act).upper(), lambda s: s == s.upper(), None, LETTERED)
def rule_lower(r): return Rule("lower", lambda r, t, act: lettered(r, t, act).lower(), lambda s: s == s.lower(), None, LETTERED)
def titled(s): return re.sub(r"(?<![\w'`/-])[a-z]", lambda m: m.group(0).upper(), s)
def rule_title(r): return Rule("title", lambda r, t, act: titled(plain(t, act)), lambda s: s == titled(s), lambda t, act: bare(t, act) is not None)

# ---- length
def rule_sentences(r, n=None):
    n = n or r.choice((1, 1, 1, 2, 2, 2, 3, 3, 4)); p = "" if n == 1 else "s"
    def accept(t, act): return one_line(t, act) and act != "fixed" and not re.search(r"[.!?]\S* ?[a-z`]", core(t)[:-1])
    return Rule(("sentence", dict(n=number(r, n), p=p)), lambda r, t, act: " ".join([core(t)] + more(r, t, act, n - 1)), lambda s: n > 1 or len(sentences(s)) == 1, accept)
def rule_exact_words(r):
    n = r.choice((2, 2, 3, 3, 3, 4, 4, 5, 5, 5, 6, 7, 8))
    return Rule(("words", dict(n=number(r, n))), lambda r, t, act: in_words(r, t, act, n), lambda s: len(s.split()) == n, lambda t, act: in_words(None, t, act, n) is not None)
def rule_at_most(r):
    n = r.choice((3, 3, 4, 4, 5, 5, 6, 6, 7, 8, 8, 9, 10, 10, 12, 15, 15, 20)); m = n + 1
    return Rule(("most", dict(n=number(r, n), m=number(r, m))), lambda r, t, act: within(t, act, n), lambda s: len(s.split()) <= n, lambda t, act: within(t, act, n) is not None)
def rule_one_word(r): return Rule("one", lambda r, t, act: in_words(r, t, act, 1), lambda s: len(s.split()) == 1, lambda t, act: in_words(None, t, act, 1) is not None)
ASSENT = ("greet", "good", "thanks", "bye", "state", "joke", "told", "how", "ack", "rule")
def rule_yes_no(r):
    def obey(r, t, act): return t.s + "." if t.s in ("Yes", "No") else "Yes." if act in ASSENT else "No."
    def accept(t, act): return t.s in ("Yes", "No") or act in ACTS
    return Rule("yesno", obey, lambda s: s in ("Yes.", "No."), accept, ((yes_no, 65), (small, 23), (unknown, 12)))
def rule_short(r):
    def obey(r, t, act): return hasattr(act, "facts") and core(t) or in_words(r, t, act, 2) or in_words(r, t, act, 1) or core(t)
    return Rule("short", obey, lambda s: len(sentences(s)) == 1, lambda t, act: one_line(t, act) and act != "fixed")
LONGER = ["I hope that this is enough of an answer for you, and I am glad to say more.", "There would be more to say about it, but this is what I wanted to tell you.", "That is what I have to say about it, in as many words as I can find.", "If you would like to hear more about any part of it, just ask me, and I go on.",
    "I hope that it helps you, and you may always ask me again when it does not.", "That is how I would put it, and others may of course see it in another way.", "You are welcome to ask for more, for a long answer is no trouble to me at all."]
# What may be said of anything: true, and not to be known by heart thing by thing.
THING_MORE = ["There is always more to learn about it.", "Many people have wondered about it at some time.", "You can find it in books, with pictures and more detail.", "I can only tell it in simple words.", "People have known about it for a long time.", "It has its place in the world, like everything else.", "A teacher or a good book could tell you much more about it.", "I hope that this gives you a clear idea of it.", "Ask me about a part of it, if you would like to go on."]
def rule_long(r):
    def obey(r, t, act):
        s = stopped(t.a) + " " + " ".join(more(r, t, act, 3) if not hasattr(act, "facts") else more(r, t, act, 1) + r.sample(THING_MORE, 2))
        return s if len(s.split()) >= 30 else s + " " + r.choice(LONGER)
    return Rule("long", obey, lambda s: len(s.split()) >= 30 and len(re.findall(r"[.!?](\s|$)", s)) >= 3, lambda t, act: one_line(t, act) and act != "fixed")

# ---- lists
LISTS = ("bullet list", "list with dashes", "list", "list of bullet points", "list of short lines with dashes")
def points(t, act, r, n):
    if tabled(act): return sentences(t.a)
    if not n and ("\n" in t.a or t.k == "data"): return systems.items(t)
    return [core(t)] + more(r, t, act, (n or r.choice((1, 2, 2, 3))) - 1)
def listed(numbered, xs): return "\n".join((f"{i + 1}. " if numbered else "- ") + x for i, x in enumerate(xs))
def rule_bullets(r):
    numbered = r.random() < .45; h = r.choice(("numbered list", "numbered list", "list with numbers") if numbered else LISTS)
    return Rule(("bullets", dict(h=h)), lambda r, t, act: listed(numbered, points(t, act, r, 0)), lambda s: all(re.match(r"\d+\. " if numbered else "- ", x) for x in s.split("\n")))
def rule_points(r):
    n = r.choice((2, 2, 3, 3, 4)); numbered = r.random() < .45; h = "numbered list" if numbered else r.choice(LISTS[:3])
    return Rule(("points", dict(h=h, n=number(r, n))), lambda r, t, act: listed(numbered, points(t, act, r, n)), lambda s: len(s.split("\n")) == n and all(re.match(r"\d+\. " if numbered else "- ", x) for x in s.split("\n")), lambda t, act: one_line(t, act) and act != "fixed")
def rule_lines(r):
    return Rule("lines", lambda r, t, act: "\n".join(sentences(stopped(t.a))) if len(sentences(t.a)) > 1 or r.random() < .4 else "\n".join([core(t)] + more(r, t, act, r.choice((1, 2)))), lambda s: not re.search(r"[.!?] [A-Z]", s.replace("No. ", "")), lambda t, act: one_line(t, act) and act != "fixed" and not re.search(r"\be\.g\.", t.a))

# ---- what stands at the ends
ENDS = bank.W("banana, Amen., Over and out., Peace!, captain, indeed, okay?, my friend, Cheers!, The end., Meow., Good luck!, That is all., sunshine, Hooray!, Woof!, Thank you., Have a nice day!, moon, tomato, Long live cheese!, So be it., potato, Stop., nevermore, Bless you., bye, roger, See you soon!, pineapple, Keep smiling!, right?, quire, amigo, Tick tock., penguin, Ta-da!, darling, Boom!, And that's that., Stay curious!, Mission complete., You can count on me., Believe it or not., Yee-haw!, Beep., I have spoken., Case closed., Class dismissed., No worries!, Happy reading!, May the wind be with you., Any more questions?, Is that clear?, Happy to help!, Your turn., Love and peace., Over., Kind regards, Best wishes, Enjoy!, At your service., Sapere aude, Hakuna matata!, Onward!, Buy more soup!, Praise the sun!, Stay hydrated!, Remember to breathe., Next!, Sweet dreams., Aloha!, Let it snow!, And they lived happily ever after.")
BEGINS = bank.W("Well, Hello, Listen, Indeed, Hmm, Dear user, My friend, Ahem, Behold, Okay, So, Oh, Look, Attention, Certainly, Answer, Captain, Guess what, Eureka, Good news, Honestly, Once upon a time, Sure, Aha, Ladies and gentlemen, Yes, Friend, Banana, As you wish, Breaking news, Dear diary, Fun fact, To be honest, Good question, Understood, Great question, My dear, Beep boop, The oracle says, Here we go, Roger, Noted, Thank you for asking, Let me think, Wow, Hear ye, Report, Response, Bot, Wise words, Psst, Alright, In short, Of course, Note, Result, Secret, By the way, Dear friend, From the desk of the robot, Greetings")
MADE = "silver purple sleepy golden tiny happy brave round cold green wild quiet lucky magic frozen salty red blue old clever".split()
THINGY = "otter, teapot, dragon, pancake, river, lantern, pumpkin, walrus, cactus, comet, biscuit, thunder, mango, robot, feather, castle, noodle, tiger, violin, puddle, turnip, island, hedgehog, candle, pickle, rocket, umbrella, marble, waffle, kitten".split(", ")
def several(x): return x + ("es" if x[-1] in "sx" else "s")
def phrase(r, xs):
    """A phrase of the list, or one that is made up, so that it has to be copied."""
    z = r.random()
    if z < .55: return r.choice(xs)
    if z < .75: return f"{r.choice(MADE)} {r.choice(THINGY)}" + r.choice(["", "!", ".", ""])
    if z < .83: return r.choice(THINGY) + r.choice(["", "!"])
    if z < .9: return f"{cap(r.choice(THINGY))} {r.choice(['for ever', 'rules', 'first', 'power', 'time', 'says hello', 'and ' + r.choice(THINGY)])}" + r.choice(["!", "."])
    return syllables(r, r.choice((1, 2, 2))) + r.choice(["", "!", "."])
SAYINGS = "long live {t}s; {T} time; I am a {t}; so says the {t}; {t} {t}; no {t}, no fun; my {m} {t}; the {m} {t} knows; in {t} we trust; that's all, {n}; over to you, {n}; greetings from {n}; {n} out; {n} says hi; {c} calling; see you in {c}; regards from {c}; all the best, {n}; done and dusted; end of line; kind greetings; what a {t}; {m} as ever; thank you, {t}; bless the {t}; to be continued; mark my words; you heard it here; just saying; nothing more to add; more {t}, less talk; tick tock; {m} and {m}; hip hip; yes sir; and that's that; case in point; message ends".split("; ")
def made_up(r):
    """A phrase that no list has in full."""
    t = r.choice(THINGY)
    x = r.choice(SAYINGS).format(t=t, T=cap(t), m=r.choice(MADE), n=name(r), c=city(r))
    return (cap(x) if r.random() < .6 else x) + r.choice(["", "", "!", ".", "..."])
def quoted(r, x, always=False):
    """The phrase as a prompt names it."""
    z = r.random(); mark = x[-1] in ".!?"
    if re.fullmatch(r"\w+", x) and z < .3: return f'the word "{x}"'
    if not x[-1].isalnum() and z < .12: return f'the words "{x}"'
    if always or mark or z < .8: return f'"{x}"' if z < .95 else f"'{x}'"
    return x
def rule_end(r):
    x = phrase(r, ENDS) if r.random() < .7 else made_up(r)
    return Rule(("end", dict(q=quoted(r, x))), lambda r, t, act: behind(t.a, x), lambda s: s.endswith(x))
def rule_begin(r):
    x = (phrase(r, BEGINS) if r.random() < .7 else made_up(r)).rstrip("!.?"); mark = r.choice([":", ":", "!", "."])
    return Rule(("begin", dict(q=quoted(r, x, True))), lambda r, t, act: f"{x}{mark}" + ("\n" if "\n" in t.a else " ") + t.a, lambda s: s.startswith(x))
def rule_sign(r):
    n = name(r) if r.random() < .6 else r.choice(["Your robot", "The captain", "Dr. Owl", "Q.", "The management", "Grandpa", "Agent 7", "Your friend", "Bob", "Your secret admirer", "The team", "Santa", "Captain Nemo", "The house elf", "Your humble servant"])
    x = r.choice([f"- {n}", f"-- {n}", f"Yours, {n}", n, f"Love, {n}", f"~ {n}", f"Sincerely, {n}", f"Best, {n}", f"Cheers, {n}"]); glue = r.choice(["\n", " "])
    return Rule(("sign", dict(q=f'"{x}"')), lambda r, t, act: stopped(t.a) + ("\n" if "\n" in t.a else glue) + x, lambda s: s.endswith(x))
EMOJI = "😀 😂 😊 😎 🤖 🐱 🐶 🦊 🐼 🐸 🦄 🐝 🌸 🌻 🌈 ⭐ 🌟 🔥 🎉 🎈 ❤️ 💙 👍 👋 🙏 🚀 🍕 🍎 🍌 ☕ 🍪 🎵 ⚽ 🌊 🌙 ☀️ ❄️ 🍀 🏴‍☠️ 👑 💡 ✨ 😺 🐢 🐧 🦉 🌵 🍄 🎩 😴".split()
def rule_emoji_end(r): x = r.choice(EMOJI); return Rule(("emoji_end", dict(x=x)), lambda r, t, act: t.a + ("\n" if "\n" in t.a else " ") + x, lambda s: s.endswith(x) and s.count(x) == 1)
def rule_emoji_begin(r): x = r.choice(EMOJI); return Rule(("emoji_begin", dict(x=x)), lambda r, t, act: x + ("\n" if "\n" in t.a else " ") + t.a, lambda s: s.startswith(x))
def rule_smiley(r):
    x = r.choice(EMOJI[:20] + [":)", ":D", ";)", "^^"] + ["(beep)", "*nods*", "[smile]", "- over -", "(wink)", "Ha!", "*coughs*", "...", "(meow)", "yes yes."] * 3)
    return Rule(("smiley", dict(x=x)), lambda r, t, act: " ".join(f"{s} {x}" for s in sentences(t.a)), lambda s: s.endswith(x), one_line)
def rule_hashtag(r):
    x = "#" + (r.choice(MADE) + cap(r.choice(THINGY)) if r.random() < .5 else r.choice(THINGY + ["blessed", "wisdom", "answer", "bot", "monday", "goals", "nofilter"]))
    return Rule(("hashtag", dict(x=x)), lambda r, t, act: behind(t.a, x), lambda s: s.endswith(x))
def rule_ps(r):
    x = r.choice(["I love you.", "Drink more water.", "Stay warm.", "Say hello to your mother.", "Do not forget the milk.", "The cat says hello.", "Have a nice day.", "Cheese is good.", "Be kind.", "I am watching the stars."]) if r.random() < .7 else f"{cap(several(r.choice(THINGY)))} are the best."
    return Rule(("ps", dict(x=x)), lambda r, t, act: stopped(t.a) + "\nP.S. " + x, lambda s: s.endswith("P.S. " + x))
BACK = ["What else would you like to know?", "Does that help?", "Is there anything else?", "What do you want to do next?", "And what do you think?", "Shall we go on?", "What comes next?"]
def rule_ask_back(r):
    def obey(r, t, act): return t.a if t.a.endswith("?") else behind(t.a, r.choice(BACK[4:] if act in ("greet", "bye", "state", "good", "bad") else BACK))
    return Rule("ask_back", obey, lambda s: s.endswith("?"))
def rule_heading(r):
    x = r.choice(["# Answer", "## Reply", "=== Answer ===", "ANSWER", "My answer:", "# " + cap(r.choice(THINGY)), "*** " + cap(r.choice(THINGY)) + " ***", "Dear user,", "Report", "--- " + name(r) + " ---"])
    return Rule(("heading", dict(x=x)), lambda r, t, act: x + "\n" + t.a, lambda s: s.startswith(x + "\n"))

# ---- frames
WRAPS = [("*", "*", "stars / asterisks / two stars"), ('"', '"', "quotation marks / quotes / double quotes"), ("(", ")", "brackets / round brackets / parentheses"), ("[", "]", "square brackets / [brackets]"), ("_", "_", "underscores"), ("~", "~", "tildes / two tildes"), ("'", "'", "single quotes"), ("-", "-", "dashes / two dashes"), ("<", ">", "angle brackets"), ("`", "`", "backticks"), ("|", "|", "vertical bars / two bars"), ("#", "#", "hash signs")]
def rule_wrap(r):
    x, y, names = r.choice(WRAPS)
    return Rule(("wrap", dict(h=r.choice(names.split(" / ")))), lambda r, t, act: x + (t.a.replace('"', "'") if x == '"' else t.a) + y, lambda s: s.startswith(x) and s.endswith(y), lambda t, act: x != "`" or "`" not in t.a)
PAIR = [("<<", ">>"), (">>", "<<"), ("***", "***"), ("==", "=="), ("((", "))"), ("[[", "]]"), ("~~~", "~~~"), ("+++", "+++"), ("::", "::"), ("BEGIN", "END"), ("START", "STOP"), ("///", "///"), ("Q:", ":Q"), ("<b>", "</b>")]
def rule_wrap_xy(r):
    x, y = r.choice(PAIR); gap = " " if x[0].isalnum() else r.choice(["", " "])
    return Rule(("wrap_xy", dict(x=x, y=y)), lambda r, t, act: x + gap + t.a + gap + y, lambda s: s.startswith(x) and s.endswith(y))
KEYS = "answer answer answer answer answer reply text response message output result content say value data a txt res info line body note words speech q out r bot_says final chat sentence".split()
def rule_json(r):
    k = r.choice(KEYS) if r.random() < .8 else syllables(r, r.choice((1, 2))).lower()
    def good(s): return list(json.loads(s)) == [k]
    return Rule(("json", dict(k=k)), lambda r, t, act: '{"' + k + '": "' + t.a.replace("\\", "/").replace('"', "'").replace("\n", ", ") + '"}', good)
def rule_tag(r):
    k = r.choice(KEYS + ["bot", "p", "b", "speech", "out", "note", "quote"])
    return Rule(("tag", dict(t=k, lt="<")), lambda r, t, act: f"<{k}>{t.a}</{k}>", lambda s: s.startswith(f"<{k}>") and s.endswith(f"</{k}>"))
def rule_bold(r): return Rule("bold", lambda r, t, act: f"**{t.a}**", lambda s: s.startswith("**") and s.endswith("**"), lambda t, act: "\n" not in t.a)
def rule_dashes(r):
    x, names = r.choice([("_", "underscores / _"), ("-", "dashes / hyphens / -"), (".", "dots"), ("+", "plus signs")])
    def obey(r, t, act): return plain(t, act).replace(" ", x)
    return Rule(("dashes", dict(h=r.choice(names.split(" / ")))), obey, lambda s: " " not in s and "\n" not in s, lambda t, act: "\n" not in t.a and bare(t, act) is not None and len(plain(t, act).split()) < 9 and not ("-" in t.a and x == "-") and not re.search(r"\d \S \d", t.a))

# ---- marks
def rule_no_bang(r): return Rule("no_bang", lambda r, t, act: t.a.replace("!", "."), lambda s: "!" not in s)
def rule_all_bang(r):
    def obey(r, t, act): return re.sub(r"[.?](?=\s|$)", "!", " ".join([s for s in sentences(stopped(t.a)) if s[-1] != "?"] or [stopped(t.a)]))
    return Rule("all_bang", obey, lambda s: s.endswith("!") and not re.search(r"[.?](\s|$)", s), lambda t, act: "\n" not in t.a and act != "joke" and not re.search(r"quire -m|…", t.a))
def rule_no_ask(r):
    def obey(r, t, act):
        kept = sentences(t.a)
        while kept and kept[-1].endswith("?"): kept.pop()
        return " ".join(kept) or (ACTS[act][2][2] if act in ACTS and "?" not in ACTS[act][2][2] else "I see.")
    return Rule("no_ask", obey, lambda s: "?" not in s, lambda t, act: one_line(t, act) and "?" not in obey(None, t, act))
def rule_no_stop(r):
    def obey(r, t, act):
        first, *rest = sentences(plain(t, act))
        for x in rest: first = first.rstrip(".") + (" " if first[-1] in "!?" else ", ") + (x if first[-1] in "!?" else lowered(x))
        return first.rstrip(".")
    def bad(s): return re.search(r"\.(\s|$)", s)
    return Rule("no_stop", obey, lambda s: not bad(s), lambda t, act: not tabled(act) and not bad(obey(None, t, act)))
PAUSE = re.compile(r"^(Well|Sorry|Yes|No|Hey|Oh|Good|Sure|Fine|Very well|I'm fine|Unfortunately|Really)?, |, (?=(and|but|so|because|though|which|thank|thanks|too|if|as|or|please|you|my friend)\b)")
def rule_no_comma(r):
    def obey(r, t, act): return PAUSE.sub(lambda m: m.group(0).replace(",", ""), t.a)
    return Rule("no_comma", obey, lambda s: "," not in s, lambda t, act: t.k != "data" and "," not in obey(None, t, act))
def in_digits(s): return re.sub(r"\b(" + "|".join(DIGITS[2:]) + r")\b", lambda m: str(DIGITS.index(m.group(0).lower())), s, flags=re.I)
def counted(r):
    """A sum, or how many of something there are."""
    return of(r, (sums.seg, sums.seg, everyday.how_many, words.counting))
BY_NUMBERS = ((counted, 60), (small, 15), (plain_task, 15), (unknown, 10))
def rule_digits(r): return Rule("digits", lambda r, t, act: in_digits(t.a), lambda s: not re.search(r"\b(two|three|four|five|six|seven|eight|nine|ten)\b", s), lambda t, act: act != "quire" and "one" not in t.a.split(), BY_NUMBERS)
OPS = {"+": "plus", "-": "minus", "x": "times", "*": "times", "/": "divided by", "=": "is"}
def in_letters(s):
    s = re.sub(r"(?<=\d) ([-+x*/=]) (?=\d|-)", lambda m: f" {OPS[m.group(1)]} ", s)
    s = re.sub(r"(?<![\w-])-(?=\d)", "minus ", s)
    return cap(re.sub(r"\d+", lambda m: sums.word(int(m.group(0))), s))
def rule_spelled(r):
    def accept(t, act): return act not in ("quire",) and t.k != "data" and all(int(x) <= 100 for x in re.findall(r"\d+", t.a)) and not re.search(r"\d[.,:]\d|\d(st|nd|rd|th)|\w\d|\d[a-z]", t.a)
    return Rule("spelled", lambda r, t, act: in_letters(t.a), lambda s: not re.search(r"\d", s), accept, BY_NUMBERS)
