#!/usr/bin/env python3
"""A guide to quire: what a person wants of the program, put in many ways, and the exact command, key or fact.

guide_src/*.txt has the topics (see the head of chat.txt); every answer is compared with README.md and the help by
check_facts. A topic's wishes are put into the frames below, and its follow-ups lean on the turn before.

usage: guide.py N SEED OUT.jsonl
"""
import glob, json, os, random, re, sys
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]
import guide_forms

FRAMES = """How do I {w}? / How do I {w}? / How can I {w}? / How can I {w}? / how to {w} / I want to {w}. / I want to {w} / I'd like to {w}. / Can I {w}? / Can I {w}? / Is there a way to {w}? / Is it possible to {w}?
What do I type to {w}? / Is there a command to {w}? / Which command do I need to {w}? / What is the command to {w}? / {w} / {w}? / I need to {w}. / I need to {w}. How? / How do you {w} here? / Tell me how to {w}. / Could you tell me how to {w}?
How would I {w} in quire? / In quire, how do I {w}? / What's the way to {w}? / Please help me {w}. / I'm trying to {w}. / I'm trying to {w}. How? / I can't figure out how to {w}. / I forgot how to {w}. / Any way to {w}? / Do you know how to {w}?
Does quire let me {w}? / What must I do to {w}? / What should I do to {w}? / how does one {w} / how do u {w} / Can you show me how to {w}? / What if I want to {w}? / Suppose I want to {w}. / Explain how to {w}. / What do I do if I want to {w}? / Is there something to {w}?
I would like to {w}, how? / can you tell me how to {w} / How am I supposed to {w}? / What do I press or type to {w}? / How is it possible to {w}? / and how do I {w}? / Say I want to {w}. What then? / Do I have a way to {w}? / May I {w}? / so how do i {w}""".replace("\n", " / ").split(" / ")
TERSE = "{k} / {k} / {k}? / {k}, how? / how {k} / quire {k} / {k} in quire / {k} please / {k}??".split(" / ")
# follow-ups that all topics share, by the key of the answer
SHARED = {
    "undo": "And how do I undo that? / and how do i undo that / How do I undo it? / Can I undo that? / and back? / How do I take that back? / And if I change my mind? / what if that was a mistake / How do I reverse that? / and how do I get back from that? / Can it be undone? / How do I go back after that?".split(" / "),
    "shell": "And in the shell? / and from the shell? / Can I do that from the shell? / and on the command line? / How do I do that without opening the chat? / Is there an option for that? / And at the start? / from the command line? / And outside the chat?".split(" / "),
    "chat": "And in the chat? / and inside the chat? / Can I do that in the chat too? / how do I do that in a running chat / And when the chat is open already?".split(" / "),
    "lost": "Is anything lost? / Do I lose anything? / is something lost then / Will I lose my text? / Does that delete anything? / Is that dangerous? / is it safe / Is the old one gone then?".split(" / "),
    "ex": "Give me an example. / for example? / Can you give an example? / an example please / How does that look? / Show me. / show me an example / Such as?".split(" / "),
    "key": "Is there a key for that? / which key / Which key is that? / And with a key? / is there a shortcut".split(" / "),
}
CLOSE = [("thanks / Thank you! / thx / great, thanks / ok thanks / Thanks, that helps. / ty / perfect, thank you", ["You're welcome!", "You're welcome. Anything else?", "Glad to help.", "Any time!"]),
         ("ok / I see. / got it / Good. / good to know / nice / cool / alright", ["Good! Anything else?", "Is there anything else about quire?", "Good. What next?"])]
CLOSE = [(us.split(" / "), xs) for us, xs in CLOSE]
VERSUS = "How do {a} and {b} differ? / {a} vs {b} / Is {a} the same as {b}? / When do I use {a}, and when {b}? / {a} or {b}, which one? / How is {a} different from {b}? / {a} and {b}: what is the difference? / {b} or {a}? / Do {a} and {b} do the same? / Which one do I need, {a} or {b}? / Explain the difference between {a} and {b}.".split(" / ")
KINDS = {"w": "wishes", "q": "asks", "k": "words", "a": "says", "c": "checks"}

class Topic:
    """One topic: lists of wishes, asks, words, says; checks; follows [(asks, says)]; sides {key of SHARED: what is said}."""
    def __init__(self, name):
        self.name, self.checks, self.follows, self.sides = name, [], [], {}
        self.wishes, self.asks, self.words, self.says = [], [], [], []

def topics(files="*.txt"):
    """All topics of these files in guide_src, in order."""
    found, known = [], {}
    for path in sorted(glob.glob(HERE + "/guide_src/" + files)):
        for line in open(path, encoding="utf-8").read().split("\n"):
            if not line or line[0] == "#": continue
            if line[0] == "@":
                topic = known.setdefault(line[1:], Topic(line[1:]))  # a later file may add words to a topic
                if topic not in found: found.append(topic)
                continue
            kind, text = line.split(" ", 1)
            if kind == "c": topic.checks.append(text)
            elif kind == "f":
                asks, says = text.split(" => ")
                topic.follows.append((asks.split(" / "), says.split(" / ")))
            elif kind in SHARED:
                topic.follows.append((SHARED[kind], [text]))
                topic.sides[kind] = text
            else: getattr(topic, KINDS[kind]).extend(text.split(" / "))
            two = re.match(r"q What is the difference between (.+?) and (.+?)\?", line)
            if two: topic.asks.extend(f.format(a=two.group(1), b=two.group(2)) for f in VERSUS)
    return found

TOPICS = topics()
OPTION = re.compile(r"\[([^\[\]]*\|[^\[\]]*)\]")
def pick(r, text):
    """[one|other] is a choice."""
    while OPTION.search(text): text = OPTION.sub(lambda m: r.choice(m.group(1).split("|")), text, count=1)
    return re.sub(r" +(?=[?.,]( |$))|(?<= ) +", "", text).strip()

def every(text):
    """Each text that pick() can give."""
    m = OPTION.search(text)
    if not m: return [re.sub(r" +(?=[?.,]( |$))|(?<= ) +", "", text).strip()]
    return [x for choice in m.group(1).split("|") for x in every(text[:m.start()] + choice + text[m.end():])]

def cap(s): return s[:1].upper() + s[1:]
# A question or a message of the program may be put in a sentence of the person's own.
WRAPS = "Can you tell me: {q} / I'd like to know: {q} / I wonder: {q} / One question: {q} / About quire: {q} / A question about quire: {q} / Do you know this: {q} / Tell me, {l} / Please tell me: {q} / Now I want to know: {q} / {q} I can't find it. / {q} Just briefly.".split(" / ")
SAYS = "quire says {m}. / Now it says {m}. / It tells me {m}. / I get the message {m}. / Why does it say {m}? / What does it mean when it says {m}? / What can I do when it says {m}? / There is an error: {m}. / It said {m}. What now? / When I start it, it says {m}. / Suddenly it says {m}. / Help, it says {m}! / What do I do if it says {m}?".split(" / ")
def wrapped(r, q):
    m = re.match(r"It says:? (.*)\.$", q)
    if m: return r.choice(SAYS).format(m=m.group(1)) if r.random() < .7 else q
    if r.random() < .3 and q.endswith("?") and q.count("?") == 1 and q[0].isupper() and ". " not in q:
        return r.choice(WRAPS).format(q=q, l=q if re.match(r"I\b|[A-Z]{2}", q) else q[0].lower() + q[1:])
    return q
def question(r, t):
    z = r.random() * (1 if t.wishes else .55)
    if t.words and z < (.17 if t.wishes else .12): return pick(r, r.choice(TERSE)).format(k=pick(r, r.choice(t.words)))
    if t.asks and z < .55: return wrapped(r, pick(r, r.choice(t.asks)))
    return r.choice(FRAMES).format(w=pick(r, r.choice(t.wishes or t.asks)))

EXACT = re.compile(r"[/\\^@\"]|--|-[a-zA-Z]\b|[A-Z]{3}|\d|[a-z]\.[a-z]|Esc|ctrl")
def typed(r, u, first=True):
    """As people type: what is exact (a command, a path, a number) is left as it is; only a first question has a greeting."""
    z = r.random()
    u = cap(u) if z < .6 else u
    exact = EXACT.search(u)
    if .6 <= z and not exact: u = u.lower()
    if r.random() < .3: u = u.rstrip("?.")
    if first and r.random() < .06: u = r.choice(["hey, ", "hi, ", "ok, ", "please: ", "quick question: ", "hello! ", "so, ", "um, ", "sorry, "]) + u
    elif r.random() < .05 and u[-1:].isalpha(): u += r.choice([" pls", " please", " thx", "??", " ?", "!", " thanks"])
    if r.random() < .05: u = u.replace("'", "")
    if not exact and len(u) > 14 and r.random() < .07:
        i = r.randrange(2, len(u) - 3)
        if u[i].isalpha() and u[i + 1].isalpha(): u = u[:i] + r.choice([u[i + 1] + u[i] + u[i + 2:], u[i + 1:], u[i] + u[i:]])
    return u

# One word of a question may be another one that people use for it.
SAME = [w.split(", ") for w in """chat, conversation, talk, dialogue / answer, reply, response / answers, replies, responses / chats, conversations, talks, dialogues / message, question, prompt / delete, remove, erase / show, display, print / see, view, look at / change, alter, modify / start, launch / find, locate / stop, halt / file, document
fast, quick / slow, sluggish / old, earlier, former / big, large / bigger, larger / need, want / folder, directory / machine, computer, PC / command, instruction / limit, restrict / program, tool, app, software / list, overview / write, produce / copy, duplicate / graphics card, video card, GPU / setting, option / settings, options, preferences""".replace("\n", " / ").split(" / ")]
SAME = {w: [o for o in words if o != w] for words in SAME for w in words}
SAME_WORD = re.compile(r"(?<![\w/`-])(" + "|".join(sorted(SAME, key=len, reverse=True)) + r")(?![\w`-])")
def reworded(r, u):
    found = list(SAME_WORD.finditer(u))
    if not found: return u
    m = r.choice(found)
    return u[:m.start()] + r.choice(SAME[m.group()]) + u[m.end():]

LEAD = re.compile(r"(Can I|Can you|Is there|Is it possible|Does quire let|May I|Any way|Do you know) ", re.I)
def answer(r, t, u):
    a = r.choices(t.says, [3, 2, 1, 1][:len(t.says)])[0]
    if t.wishes and LEAD.match(u) and r.random() < .3 and not re.match("Yes|No|You need", a): a = "Yes. " + a
    return a

def turns_on(r, t):
    """A question on the topic, its answer, and at times what leans on both."""
    u = question(r, t)
    if r.random() < .3 and not re.search(r"[Ww]hat does|[Ww]hat is|[Ee]xplain|mean", u): u = reworded(r, u)
    u = typed(r, u)
    out = [(u, answer(r, t, u))]
    if t.follows and r.random() < .4:
        for asks, says in r.sample(t.follows, min(len(t.follows), r.choice((1, 1, 1, 2)))):
            out.append((typed(r, pick(r, r.choice(asks)), False), r.choice(says)))
    return out

# Every option is also a variable and a line of the config file: name, what it is, a value, a setting of the chat or not.
OPTIONS = [("top-k", "top-k", "20", 1), ("top-p", "top-p", "0.9", 1), ("min-p", "min-p", "0.05", 1), ("temp", "the temperature", "0.7", 1), ("seed", "the seed", "42", 1), ("tokens", "the length of answers", "200", 1), ("samples", "the number of answers", "4", 1),
    ("beams", "the number of beams", "4", 1), ("repeat-penalty", "the repeat penalty", "1.1", 1), ("presence-penalty", "the presence penalty", "0.5", 1), ("frequency-penalty", "the frequency penalty", "0.5", 1), ("speculate", "the number of guessed tokens", "8", 1),
    ("titles", "automatic titles", "on", 1), ("think", "thinking", "off", 1), ("stop", "a stop text", "END", 1), ("ctx", "the context length", "8192", 0), ("threads", "the number of threads", "4", 0), ("backend", "the backend", "cpu", 0), ("kv-type", "the type of the cache", "int8", 0),
    ("kv-disk", "the size of the disk cache", "8G", 0), ("kv-device", "the size of the cache", "2G", 0), ("color", "colours", "never", 0), ("format", "the output format", "json", 0), ("overflow", "what happens when the context is full", "compact", 0), ("model", "the model", "FILE.gguf", 0), ("block-size", "the block size", "32", 0), ("system", "the system prompt", "TEXT", 0)]
WHERE = {"option": ["at the start", "on the command line", "when I start quire", "with an option", "in the shell"], "env": ["in the environment", "with a variable", "as an environment variable", "by a variable of the environment"],
         "config": ["for good", "in the config file", "permanently", "for every chat", "once and for all", "always"], "chat": ["in the chat", "with /set", "in a running chat", "while I chat", "for this chat"]}
def said(name, value, where):
    return {"option": f"`--{name} {value}` at the start.", "env": f"QUIRE_{name.upper().replace('-', '_')}={value} in the environment.", "config": f"The line `{name} = {value}` in ~/.config/quire/config.", "chat": f"/set {name} {value}."}[where]
def option_turns(r):
    """Where an option is set, asked twice at most."""
    name, what, value, in_chat = r.choice(OPTIONS)
    places = r.sample([w for w in WHERE if w != "chat" or in_chat], 2)
    ask = r.choice(["How do I set {x} {p}?", "Can I set {x} {p}?", "How can I change {x} {p}?", "set {x} {p}", "I want to set {x} {p}.", "How is {x} set {p}?", "How do I choose {x} {p}?", "What do I write to set {x} {p}?"]).format(x=r.choice((what, "--" + name) if places[0] != "chat" else (what, name)), p=r.choice(WHERE[places[0]]))
    out = [(typed(r, ask), said(name, value, places[0]))]
    if r.random() < .5: out.append((typed(r, r.choice(["And {p}?", "and {p}", "How about {p}?", "Can I do it {p}, too?", "And how {p}?", "what about {p}"]).format(p=r.choice(WHERE[places[1]]))), said(name, value, places[1])))
    return out

# Names from other programs, and other names of a command: (what is typed, what it is here)
ALIASES = {"undo": "rewind", "clear": "new", "switch": "resume", "branch": "fork", "retry": "regen", "exit": "quit", "bye": "quit", "ls": "list", "?": "help"}
ELSEWHERE = [("reset", "/new starts a new conversation"), ("regenerate", "/regen writes another answer"), ("again", "/regen writes another answer"), ("stop", "Esc or ^C stops an answer"), ("cancel", "Esc or ^C stops an answer"), ("back", "/rewind goes back one turn, and /resume - to the previous conversation"), ("load", "/resume opens a conversation, and /model a model"), ("open", "/resume opens a conversation"), ("search", "/list WORDS searches the conversations"), ("find", "/list WORDS searches the conversations"),
    ("file", "/read FILE attaches a file"), ("attach", "/read FILE attaches a file"), ("upload", "/read FILE attaches a file"), ("summary", "/compact replaces old turns by a summary"), ("summarize", "/compact replaces old turns by a summary"), ("config", "/set lists the settings"), ("settings", "/set lists the settings"), ("temperature", "/set temp 0.7 sets the temperature"), ("rename", "/name NAME names this conversation"), ("title", "/name NAME names this conversation"), ("tokens", "/context counts them, and /show tokens shows them"),
    ("memory", "/kv shows the cache"), ("cache", "/kv shows the cache"), ("speed", "/stats has the speed"), ("info", "/show params shows the chat's settings"), ("role", "/system TEXT gives me a role"), ("persona", "/system TEXT gives me a role"), ("prompt", "/system TEXT sets the system prompt"), ("branches", "/tree shows the branches"), ("log", "/history shows the conversation"), ("chats", "/list shows the conversations"), ("remove", "/delete ID deletes a conversation"), ("rm", "/delete ID deletes a conversation"), ("q", "/quit leaves"), ("close", "/quit leaves"), ("pull", "`quire pull hf:ORG/REPO` in the shell downloads a model"), ("download", "`quire pull hf:ORG/REPO` in the shell downloads a model"), ("multiline", "^J makes a new line"), ("background", "/bg lets an answer go on in the background"), ("compare", "/diff puts two answers side by side"), ("template", "/show template shows the chat's template"), ("go", "/continue goes on with a cut answer"), ("more", "/continue goes on with a cut answer"), ("commands", "/help lists the commands"), ("man", "/help lists the commands")]
TOPIC = {t.name: t for t in TOPICS}
AS_TOPIC = {"rewind": "rewind1", "new": "new", "resume": "resume", "fork": "fork", "regen": "regen", "quit": "quit", "list": "list", "help": "help"}
def name_turn(r):
    if r.random() < .4:
        alias = r.choice(list(ALIASES)); command = ALIASES[alias]
        u = r.choice(["What does /{x} do?", "Is there /{x}?", "/{x}?", "Does /{x} work?", "What is /{x}?", "Can I type /{x}?", "Is /{x} a command?"]).format(x=alias)
        return [(typed(r, u), f"/{alias} is another name of /{command}. " + TOPIC[AS_TOPIC[command]].says[0])]
    other, here = r.choice(ELSEWHERE)
    u = r.choice(["Is there a /{x} command?", "Does /{x} exist?", "Is there /{x}?", "Why does /{x} not work?", "/{x} does not work", "What does /{x} do?", "There is no /{x}?", "I typed /{x}, but it is no command.", "Where is /{x}?", "I miss /{x}."]).format(x=other)
    return [(typed(r, u), r.choice(["There is no /{x}; {h}.", "No command has that name; {h}.", "Not under that name: {h}."]).format(x=other, h=here))]

ABOUT = "What does {c} do? / What is {c}? / What is {c} for? / Explain {c}. / How does {c} work? / {c}? / what does {c} mean / When do I use {c}? / How do I use {c}? / Tell me about {c}. / what is {c} good for / {c} does what?".split(" / ")
COMMANDS = {"/" + n: n for n in "help new list resume fork bg diff tree redo edit regen alt beam continue ask read system preset shots set show history think context compact stats verbose model kv name export import copy delete strip save quit".split()}
COMMANDS.update({"/rewind": "rewind1", "^J": "newline", "^R": "search_typed", "^G": "editor", "^O": "ctrl_o", "^D": "ctrl_d", "@FILE": "at_file", "Tab": "tab", "Esc Esc": "escesc", "quire pull": "pull", "quire models": "models", "quire doctor": "doctor", "quire inspect": "inspect", "quire bench": "bench", "quire batch": "batch", "quire kv": "kv_disk_list", "quire kv drop": "kv_drop", "quire tokenize": "tokenize", "quire template": "template_cmd", "quire show": "shell_show", "quire list": "shell_list", "quire rm": "shell_rm", "quire export": "shell_export",
    "-p": "once", "-C": "yesterday", "-m": "open_model", "-c": "ctx", "-t": "threads", "-q": "quiet", "--schema": "schema", "--grammar": "grammar", "--lora": "lora", "--offline": "offline", "--no-save": "no_save", "--speculate": "speculate", "--kv-type": "kv_type", "--kv-disk": "kv_disk_size", "--kv-device": "kv_device", "--raw": "raw", "--titles": "titles", "--samples": "samples", "--stop": "stop_text", "--trace": "trace", "--overflow": "overflow", "--deterministic": "deterministic", "--chat-template": "chat_template", "--completion": "completion", "--resume-batch": "batch_resume", "QUIRE_HOME": "home", "QUIRE_MODEL": "default_model", "QUIRE_API_KEY": "api_key", "NO_COLOR": "colours", "HF_TOKEN": "hub_refused"})
def about_turns(r):
    c = r.choice(list(COMMANDS)); t = TOPIC[COMMANDS[c]]
    out = [(typed(r, r.choice(ABOUT).format(c=c)), t.says[0])]
    if t.follows and r.random() < .4:
        asks, says = r.choice(t.follows)
        out.append((typed(r, pick(r, r.choice(asks)), False), says[0]))
    return out

def form_turn(r):
    """A command with its argument, a side of a command, or an exit code."""
    z = r.random()
    u, a = guide_forms.of_form(r, FRAMES) if z < .5 else guide_forms.of_code(r) if z < .58 else guide_forms.of_side(r, COMMANDS, TOPIC) or guide_forms.of_form(r, FRAMES)
    return [(typed(r, u), a)]
def seg(r, topics):
    """One or more turns about quire."""
    z = r.random()
    if z < .7: return turns_on(r, r.choice(topics))
    return about_turns(r) if z < .79 else option_turns(r) if z < .85 else name_turn(r) if z < .89 else form_turn(r)
def chat(r, other, topics):
    out, n = [], r.choices((1, 2, 3, 4, 6), (40, 24, 18, 12, 6))[0]
    while len(out) < n:
        out += seg(r, topics) if r.random() < .85 else other(r)
        if r.random() < .08:
            us, xs = r.choice(CLOSE); out.append((r.choice(us), r.choice(xs)))
    return out
def chats(seed, n, topics=TOPICS):
    import skill_chat, skill_sums, skill_systems, skill_words
    r = random.Random(f"guide {seed}")
    def other(r): return [(t.u, t.a) for t in r.choice((skill_chat.seg, skill_words.seg, skill_sums.seg))(r)]
    for _ in range(n):
        system = r.choice(skill_systems.GENERIC) if r.random() < .15 else None
        yield ([["s", system]] if system else []) + [m for u, a in chat(r, other, topics)[:10] for m in (["u", u], ["a", a])]
if __name__ == "__main__":
    with open(sys.argv[3], "w", encoding="utf-8") as out:
        for c in chats(int(sys.argv[2]), int(sys.argv[1])): out.write(json.dumps(c, ensure_ascii=False, separators=(",", ":")) + "\n")
