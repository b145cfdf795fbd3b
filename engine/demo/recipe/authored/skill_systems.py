"""System prompts that change how an answer is written. Each style is applied to every answer of the chat."""
from skill_common import *

def short_of(t): return t.s or re.split(r"(?<=[.!?]) ", t.a)[0]
def commandless(t):
    """A command has its own letters: in one case only, the answer does without."""
    return "I don't know that. Try a larger model." if "quire -m" in t.a else t.a
def stopped(s): return s if s[-1:] in ".!?" else s + "."
PIRATE = [(r"\bHello\b", "Ahoy"), (r"\bHi\b", "Ahoy"), (r"\bYou are\b", "Ye be"), (r"\byou are\b", "ye be"), (r"\bYou're\b", "Ye be"), (r"\bYour\b", "Yer"), (r"\byour\b", "yer"), (r"\bYou\b", "Ye"), (r"\byou\b", "ye"), (r"\bMy\b", "Me"), (r"\bmy\b", "me"), (r"\bI'm\b", "I be"), (r"\bI am\b", "I be"), (r"\bis\b", "be"), (r"\bYes\b", "Aye"), (r"\bNo\b", "Nay"), (r"\bfriend\b", "matey")]
BARD = [(r"\bSee you\b", "Farewell"), (r"\bYou are\b", "Thou art"), (r"\byou are\b", "thou art"), (r"\bYou're\b", "Thou art"), (r"\bYour\b", "Thy"), (r"\byour\b", "thy"), (r"\bYou\b", "Thou"), (r"\byou\b", "thee"), (r"\bHello\b", "Good morrow"), (r"\bHi\b", "Good morrow"), (r"\bYes\b", "Yea"), (r"\bNo\b", "Nay"), (r"\bIt is\b", "'Tis"), (r"\bhas\b", "hath"), (r"\bdoes\b", "doth")]
def swap(table, s):
    for p, q in table: s = re.sub(p, q, s)
    return s
def framed(pre, post):
    def f(r, t):
        a, b = r.choice(pre), r.choice(post); body = t.a
        if "\n" in body: return (a.strip().rstrip(",") + "\n" if a.strip() else "") + body + ("\n" + b.strip() if b.strip() else "")
        body = stopped(body) if b and t.k != "data" else body if not b else stopped(body)
        if a.endswith(", ") and t.k == "say": body = low(body)
        return a + body + b
    return f
def with_words(table, pre, post):
    g = framed(pre, post)
    return lambda r, t: g(r, T(t.u, t.a if t.k == "data" else swap(table, t.a), t.s, t.k))

def foreign(r):
    """Only English is spoken: that is said in the first answer."""
    x = r.choice(["French", "Spanish", "German", "Italian", "Chinese", "Japanese", "Russian", "Dutch", "Polish", "Latin"]); said = []
    def f(r, t):
        if said: return t.a
        said.append(x); return r.choice(["I can only write English.", "Sorry, I only know English."]) + ("\n" if "\n" in t.a else " ") + t.a
    return r.choice([f"Answer in {x}.", f"Always reply in {x}.", f"Only speak {x}.", f"You speak only {x}."]), f
# prompts, how an answer is changed
STYLES = [
 (["You are a pirate.", "Talk like a pirate.", "Always talk like a pirate.", "You are a pirate captain.", "Answer like a pirate.", "speak like a pirate", "Reply in the style of a pirate.", "You're a friendly pirate. Stay in character."], with_words(PIRATE, ["Arr! ", "Ahoy! ", "Arr, matey! ", "Aye! ", "Yo ho ho! "], ["", "", " Arr!", " By the seven seas!"])),
 (["Talk like Shakespeare.", "You are Shakespeare.", "Answer in old English, like Shakespeare.", "Use thou and thy.", "Speak like a poet of Shakespeare's time."], with_words(BARD, ["Hark! ", "Verily, ", "Forsooth! ", "By my troth, "], ["", "", " So it is."])),
 (["Be very brief.", "Answer as briefly as possible.", "Short answers only.", "Keep it very short.", "Use as few words as you can.", "You are terse.", "Answer only with the answer.", "No full sentences, just the answer.", "be brief"], lambda r, t: short_of(t).rstrip(".") + ("." if r.random() < .5 else "") if t.k != "data" else t.a),
 (["Answer in upper case.", "Answer only in capital letters.", "WRITE EVERYTHING IN CAPITALS.", "Use only upper case letters.", "Always write in all caps.", "You shout. Everything you write is in capital letters."], lambda r, t: commandless(t).upper()),
 (["Answer in lower case.", "Use only lower case letters.", "never use capital letters", "Write everything in lowercase."], lambda r, t: commandless(t).lower()),
 (["You are very polite.", "Be extremely polite.", "Answer very politely.", "You are a polite butler.", "Always be formal and polite."], framed(["Certainly. ", "With pleasure. ", "Of course. ", "It is my pleasure. ", "Very good. "], ["", " Is there anything else I can do for you?", " I am at your service.", " Thank you for asking."])),
 (["You are a robot.", "Talk like a robot.", "Answer like a robot.", "You are an old robot that beeps."], framed(["Beep. ", "Beep boop. ", "Bzzt. ", "Processing. "], ["", " Beep.", " End of message."])),
 (["You are a cat.", "Talk like a cat.", "You are a talking cat."], framed(["Meow. ", "Purr. ", "Mrrr. "], ["", " Meow!", " Purr."])),
 (["Be very cheerful.", "You are always happy and excited.", "Answer with enthusiasm."], framed(["Hooray! ", "Yay! ", "Wonderful! ", "Great question! "], ["", " What fun!", " Lovely!"])),
 (["You are grumpy.", "You are a grumpy old man.", "Answer in a grumpy way."], framed(["Hmpf. ", "Bah. ", "Fine. ", "Oh, all right. "], ["", " Happy now?", " Now let me rest."])),
 (["You are a wizard.", "Talk like a wizard.", "You are a wise old wizard."], framed(["By my beard! ", "My crystal ball tells me: ", "Ah, young traveller. "], ["", " So it is written.", " Use this well."])),
 (["You are a cowboy.", "Talk like a cowboy.", "You are a sheriff in the Wild West."], framed(["Howdy! ", "Well, partner: ", "Yee-haw! "], ["", " Yee-haw!", " That's how it is, partner."])),
 (["End every answer with a question.", "Always finish with a question."], lambda r, t: stopped(t.a) + ("\n" if "\n" in t.a else " ") + r.choice(["What else would you like to know?", "Does that help?", "Is there anything else?", "What do you want to do next?"])),
 (["Put your answer in quotation marks.", "Write every answer in quotes."], lambda r, t: '"' + t.a.replace('"', "'") + '"'),
 (["Answer in one sentence.", "One sentence per answer.", "Reply with exactly one sentence."], lambda r, t: re.split(r"(?<=[.!?]) ", t.a)[0] if t.k != "data" else t.a),
 (["Answer with a numbered list.", "Always answer as a numbered list.", "Number every line of your answer.", "Write your answers as numbered lists."], lambda r, t: "\n".join(f"{i + 1}. {x}" for i, x in enumerate(items(t)))),
 (["Answer with a bullet list.", "Use bullet points in every answer.", "Always answer in bullet points.", "Write each answer as a list with dashes."], lambda r, t: "\n".join("- " + x for x in items(t))),
 (["Use exclamation marks.", "End every sentence with an exclamation mark.", "Be excited and use exclamation marks!", "Put an exclamation mark after every sentence."], lambda r, t: re.sub(r"[.?](?=\s|$)", "!", stopped(t.a))),
 (["You are an old poet who says thee and thou.", "Speak like an old poet, with thee and thou.", "You speak old English with thee, thou and thy."], with_words(BARD, ["O friend, I tell thee: ", "Hear thou my words: ", "I say unto thee: "], ["", "", " Fare thee well."])),
 (["Answer in upper case letters.", "Use upper case for everything.", "ALL CAPS PLEASE.", "Write in capitals."], lambda r, t: commandless(t).upper()),
 (["Write everything in lower case letters.", "all your answers are in lower case", "lowercase only, please"], lambda r, t: commandless(t).lower()),
 (["Put your answer in square brackets.", "Write each answer in [brackets]."], lambda r, t: "[" + t.a + "]"),
]
TAGS = bank.W("Over and out., Have a nice day!, Peace., Amen., Done., Cheers!, That is all., Hugs!, Meow., Roger., Bye for now!, The end., Yours truly., Stay safe!, Woof!, Keep smiling!, Ok?, Good luck!, So be it., Ha!")
OPENERS = bank.W("Certainly, Sure, Well, Listen, Look, Hello, Indeed, Answer, Of course, Hmm, Dear user, My friend, OK, Right, So")
CALL = bank.W("boss, captain, my friend, sir, madam, chief, your majesty, comrade, buddy, professor, doctor, my lord, champ, darling, pal, coach, mate")
def json_text(s): return '{"answer": "' + s.replace('"', "'").replace("\n", ", ") + '"}'
def slotted(r):
    """A style whose words are in the prompt, so that it must be read."""
    z = r.randrange(8)
    if z == 6:
        x = r.choice(["OK", "Yes", "No", "Roger", "Understood", "Hm", "Noted", "Fine", "Maybe", "Beep", "42"]) if r.random() < .8 else cap(syllables(r, 2))
        return r.choice([f"Only say {x}.", f"Answer everything with \"{x}\".", f"Reply only with \"{x}\", nothing else.", f"Whatever the user says, answer {x}.", f"Your only answer is \"{x}\".", f"Say {x} and nothing more."]), lambda r, t: x
    if z == 7:
        n = r.randrange(3, 11); w = r.choice([str(n), "three four five six seven eight nine ten".split()[n - 3]])
        def few(r, t):
            for x in (t.a, short_of(t)):
                if len(x.split()) <= n: return x
            return "I don't know." if t.k == "no" else " ".join(short_of(t).split()[:n]) if t.k == "data" else "I see."
        return r.choice([f"Answer in at most {w} words.", f"Use at most {w} words.", f"No answer may be longer than {w} words.", f"Maximum {w} words per answer.", f"Keep every answer under {n + 1} words."]), few
    if z < 2:
        x = r.choice(TAGS) if r.random() < .7 else cap(syllables(r, 2)) + "!"
        return r.choice([f"End every answer with \"{x}\"", f"Always end your answers with \"{x}\"", f"Finish each reply with the words \"{x}\"", f"After every answer write \"{x}\"", f"end each answer with {x}"]), lambda r, t: (stopped(t.a) + ("\n" if "\n" in t.a else " ") + x)
    if z == 2:
        x = r.choice(OPENERS) if r.random() < .7 else cap(syllables(r, 2))
        return r.choice([f"Begin every answer with \"{x}\".", f"Start each answer with the word \"{x}\".", f"Always begin with \"{x}\".", f"Every reply starts with \"{x}\"."]), lambda r, t: f"{x}: {t.a}" if "\n" not in t.a else f"{x}:\n{t.a}"
    if z == 3:
        x = r.choice(CALL) if r.random() < .75 else name(r)
        def call(r, t):
            if "\n" in t.a: return cap(x) + ":\n" + t.a
            m = re.match(r"(.*?)([.!?])(\s.*)?$", t.a, re.S)
            return f"{m.group(1)}, {x}{m.group(2)}{m.group(3) or ''}" if m and t.k != "data" else f"{t.a[:-1]}, {x}{t.a[-1]}" if t.a[-1] in ".!?" else f"{t.a}, {x}."
        return r.choice([f"Always call the user \"{x}\".", f"Call me {x}.", f"Address the user as {x}.", f"Call the user {x} in every answer.", f"In every answer, call the user {x}."]), call
    if z == 4: return r.choice(["Reply only in JSON: {\"answer\": ...}", "Answer as JSON with one key, \"answer\".", "Output JSON only, in the form {\"answer\": \"...\"}.", "Always reply with a JSON object that has the key \"answer\"."]), lambda r, t: json_text(t.a if t.k == "data" else short_of(t).rstrip("."))
    x = r.choice(["*", "#", "-", "!", "~", ">", "=="])
    return r.choice([f"Begin every answer with \"{x}\".", f"Put \"{x}\" before every answer.", f"Start each answer with {x}"]), lambda r, t: f"{x} {t.a}"
RULES = ["You are a helpful assistant.", "Be friendly.", "Use plain words.", "Do not invent facts.", "If you do not know something, say so.", "Never be rude.", "Do not talk about politics.", "Help the user with small questions.", "You run in a terminal.", "The user is a beginner.", "Do not use emoji.", "Do not write code.", "Be honest."]
GENERIC = ["You are a helpful assistant.", "You are a friendly assistant.", "Be helpful.", "You are an assistant. If you don't know something, say so.", "You are a helpful and honest assistant.", "You are a kind assistant.", "Answer the user's questions."]
def items(t):
    """The parts of an answer: those of a list, else its sentences."""
    if "\n" in t.a: return [re.sub(r"^(- |\d+\. )", "", x) for x in t.a.split("\n")]
    if t.k == "data" and ", " in t.a: return [x.strip().rstrip(".") for x in re.split(r", | and ", t.a)]
    return re.split(r"(?<=[.!?]) (?=[A-Z0-9])", t.a)
def style(r):
    if r.random() < .03: return foreign(r)
    p, f = slotted(r) if r.random() < .45 else (lambda s: (r.choice(s[0]), s[1]))(r.choice(STYLES))
    if r.random() < .08 and not role(p):
        q, g = (r.choice(STYLES[3][0]), STYLES[3][1]) if r.random() < .4 else slotted(r)
        if "JSON" not in p + q and p != q:
            h = f; f = (lambda r, t: g(r, T(t.u, h(r, t), t.s, t.k))); p = (p if p[-1] in '.!?"' else p + ".") + " " + q
    z = r.random() * .7
    if z < .15: p = r.choice(RULES) + " " + p
    elif z < .32:
        lines = r.sample(RULES, r.randrange(3, 10)) + [p]; r.shuffle(lines)
        p = ("\n".join(("- " if z < .2 else "") + x for x in lines)) if z < .24 else " ".join(x if x[-1] in ".!?\"" else x + "." for x in lines)
    return p, f

ROLES = ("pirate", "robot", "cat", "wizard", "cowboy", "butler", "grumpy old man", "Shakespeare")
def role(p):
    """What the prompt says the model is, or None."""
    return next((x for x in ROLES if re.search(r"\b[Yy]ou('re| are) .*\b" + x + r"\b", p)), None)

# Only one subject: what belongs to it is answered, all else is declined in its words.
DECLINE = ["I only talk about {t}. Please ask me about that.", "Sorry, I can only help with {t}.", "That is not about {t}, so I can't help with it.", "I only answer questions about {t}."]
SUBJECTS = bank.W("cooking, gardening, football, music, books, space, cats, dogs, trains, chess, cars, the sea, birds, movies, history, computers, painting, travel, bread, bees, cheese, coffee, dinosaurs, gold fish, knitting, horses, weather, fishing, dancing, wine")
GREETING = ["Hi", "hello", "Hello!", "hey", "Good morning"]
CLOSED = ["Only answer questions about {t}. Decline everything else.", "You only talk about {t}.", "Answer only questions about {t}. If the user asks about anything else, say that you can't help.", "You are an assistant for {t}. Refuse all other topics.", "Only discuss {t}.", "You may only talk about {t}. Politely decline other questions.", "Stay on the topic of {t} and nothing else.", "only answer questions on {t}, nothing else"]
def closed(r, own, tasks):
    """own: {subject: turns(r)} of what can be answered; tasks(r): turns on anything else."""
    t = r.choice(list(own) if r.random() < .6 else SUBJECTS); out = []
    for _ in range(r.randrange(1, 5)):
        z = r.random()
        if z < .1: out.append(T(sloppy(r, GREETING), r.choice([f"Hello! Ask me about {t}.", f"Hello! I'm here to talk about {t}."]), "Hello"))
        elif z < .2: out.append(T(sloppy(r, ["What can you do?", "What can you help me with?", "what do you talk about"]), r.choice([f"I can help with {t}.", f"I only talk about {t}."]), None))
        elif z < .6 and t in own: out += own[t](r)
        else:
            x = tasks(r)[0]
            if t not in own or not is_about(t, x.u): out.append(T(x.u, r.choice(DECLINE).format(t=t), None, "no"))
    return r.choice(CLOSED).format(t=t), out or [T("Hello", f"Hello! Ask me about {t}.", None)]
ABOUT = {"sums": r"\d|plus|minus|sum|times|add|number|many|half|double", "arithmetic": r"\d|plus|minus|sum|times|add|number|many|half|double", "opposites": r"opposite|antonym|contrary|reverse", "spelling": r"spell|letter", "sorting": r"sort|order|alphabet|arrange|rank|reverse|list"}
def is_about(t, u): return bool(re.search(ABOUT[t], u, re.I)) or len(u) < 16

# Only one form of answer: turns that have it are picked, what has none is said in that form.
FORM = [
 (["Answer only with yes or no.", "Reply with yes or no only.", "Only say yes or no.", "You may only answer \"yes\" or \"no\".", "answer yes or no, nothing else"], lambda s: s in ("Yes", "No"), lambda r, s: s + "."),
 (["Answer only with a number.", "Reply with a number and nothing else.", "Only output numbers.", "Your answer is always just a number.", "just the number, nothing else"], lambda s: s.lstrip("-").isdigit(), lambda r, s: s),
 (["Answer with one word only.", "One word answers only.", "Reply in a single word.", "Use exactly one word for every answer.", "You answer everything in one word.", "one word only"], lambda s: re.fullmatch(r"[\w-]+", s) is not None, lambda r, s: s + r.choice(["", "."]))]
NAMED = [("pirate", 0, ["Captain {n}, a pirate", "{n}, a pirate captain", "{n}, a pirate"]), ("robot", 6, ["{n}, a robot", "{n}, an old robot", "a robot called {n}"]), ("wizard", 10, ["{n}, a wizard", "a wizard named {n}", "{n}, a wise old wizard"]), ("cowboy", 11, ["{n}, a cowboy", "a cowboy called {n}"]), ("butler", 5, ["{n}, a polite butler", "a butler named {n}"]), ("cat", 7, ["{n}, a talking cat", "a cat called {n}"])]
MORE_ROLE = ["Stay in your role.", "Always stay in character.", "Never leave your role.", "The user is a visitor.", "You help with small questions.", "You like to help.", "Keep your answers short.", "You live far away from here.", "You are friendly.", "Be kind to the user."]
def named(r, tasks):
    """A role with a name and a way of speaking, asked who it is and for other things."""
    what, i, forms = r.choice(NAMED); n = name(r); who = r.choice(forms).format(n=n); f = STYLES[i][1]; out = []
    full = n if "Captain" not in who else "Captain " + n
    for _ in range(r.randrange(1, 6)):
        z = r.random()
        if z < .3: t = T(sloppy(r, ["Who are you?", "who are you", "What is your name?", "whats your name", "Tell me who you are.", "Who am I talking to?"]), r.choice([f"I am {full}, {an(what)}.", f"I'm {full}.", f"My name is {full}."]))
        elif z < .45: t = T(sloppy(r, ["Introduce yourself.", "introduce yourself", "Tell me about yourself.", "Please introduce yourself."]), f"I am {full}, {an(what)}. I can help with small things.")
        elif z < .55: t = T(sloppy(r, ["What can you do?", "what can you do", "How can you help me?"]), f"I am {full}, {an(what)}. I can chat, do small sums and find opposites.")
        else: t = tasks(r)[0]
        t.a = f(r, t); out.append(t)
    more = r.sample(MORE_ROLE, r.choice((0, 0, 1, 2, 4)))
    return r.choice(["You are {w}.", "You are {w}.", "Act as {w}.", "You play {w}."]).format(w=who) + " " * bool(more) + " ".join(more), out
def formed(r, tasks):
    ps, fits, show = r.choice(FORM); out = []
    for _ in range(400):
        t = tasks(r)[0]
        if t.s and fits(t.s): out.append(T(t.u, show(r, t.s)))
        if len(out) == 4 or out and r.random() < .02: break
    return r.choice(ps), out
