"""More forms of examples for few_shot.py: as people tell them in one message, as records, and as turns with marks of their own."""
import json
from introductions import invented
from skill_common import cap, join

# ---- in one message: each gives (message, answer)
def says(r, xs):
    """Told as a game: I say, you say."""
    *shown, (q, a) = xs; i, o = r.choice([("I say", "you say"), ("I write", "you answer"), ("When I say", "you say"), ("If I give", "you give back")])
    return " ".join(f"{i} {k}, {o} {v}." for k, v in shown) + r.choice([f" {i} {q}.", f" And now: {q}", f" Now {q}.", f" What about {q}?", f" {i} {q}, {o}?"]), a
def means(r, xs):
    *shown, (q, a) = xs; w, end = r.choice([("means", "means?"), ("is", "is?"), ("means", "means what?"), ("gives", "gives?"), ("goes with", "goes with?"), ("belongs to", "belongs to?"), ("leads to", "leads to?")]); x = r.choice([", ", ". ", "; ", "\n"])
    return x.join(f"{k} {w} {v}" for k, v in shown) + x + f"{q} {end}", a
def what_becomes(r, xs):
    *shown, (q, a) = xs; m = r.choice(["", "", '"', "'"]); w, ask = r.choice([("becomes", "What does {q} become?"), ("turns into", "What does {q} turn into?"), ("gives", "What does {q} give?"), ("changes to", "What does {q} change to?"), ("is written", "How is {q} written?"), ("maps to", "What does {q} map to?")])
    return " ".join(f"{m}{k}{m} {w} {m}{v}{m}." for k, v in shown) + " " + ask.format(q=f"{m}{q}{m}"), a
def if_is(r, xs):
    *shown, (q, a) = xs; m = r.choice(["", "", '"'])
    return r.choice(["If ", "Suppose ", "Say that ", "When "]) + join([f"{m}{k}{m} is {m}{v}{m}" for k, v in shown]) + r.choice([f", what is {m}{q}{m}?", f", then what is {m}{q}{m}?", f", then {m}{q}{m} is"]), a
def tongue(r, xs):
    """A language made up for this chat."""
    *shown, (q, a) = xs; n = invented(r); m = r.choice(["", "", '"']); x = r.choice([" = ", " is ", ": ", " -> "])
    if r.random() < .3: return "\n".join(f"English: {k}{y}{n}: {v}" for y in [r.choice([" / ", " | ", "\n", ", "])] for k, v in shown) + f"\nEnglish: {q}\n{n}:", a
    return r.choice([f"In {n} ", f"The language {n}: ", f"Translate into {n}: ", f"We speak {n}. ", f"Some words of {n}: "]) + r.choice([", ", "; "]).join(f"{m}{k}{m}{x}{m}{v}{m}" for k, v in shown) + r.choice([f". What is {m}{q}{m} in {n}?", f". What is {m}{q}{m}?", f". How do you say {m}{q}{m}?", f". Now {m}{q}{m}."]), a
def stops(r, xs): *shown, (q, a) = xs; x, y = r.choice([(": ", ". "), (": ", "; "), (" : ", ", "), (" - ", ". "), (" / ", "; "), ("=", ", "), (" -> ", ", "), (" is for ", ". ")]); return y.join(k + x + v for k, v in shown) + y + q + x.rstrip() + r.choice(["", "", " ?", " ..."]), a
def asks(r, xs): *shown, (q, a) = xs; x = r.choice([" -> ", " = ", " => ", "->"]); y = r.choice([", ", ", ", "\n", "; "]); return y.join(k + x + v for k, v in shown) + y + q + x + r.choice(["?", "?", "??", "___", "what?"]), a
def worked(r, xs):
    *shown, (q, a) = xs; x = r.choice([" -> ", " = ", ": "])
    return r.choice(["Here is how it works: ", "The rule is shown here: ", "Look: ", "Like this: ", "For example, ", "I show you: "]) + ", ".join(k + x + v for k, v in shown) + r.choice([". Now do: ", ". Now you: ", ". Your turn: ", ". And this one: ", ". Do the same with "]) + q, a
def fields(r, xs):
    *shown, (q, a) = xs; i, o = r.choice([("text", "label"), ("Source", "Target"), ("word", "result"), ("before", "after"), ("message", "reply"), ("left", "right"), ("Original", "New"), ("prompt", "completion"), ("user", "you")]); x, y = r.choice([(" | ", "\n"), (" | ", " || "), (" / ", "\n"), ("; ", "\n"), (" => ", "\n"), (", ", "\n")])
    return y.join(f"{i}: {k}{x}{o}: {v}" for k, v in shown) + f"{y}{i}: {q}{x}{o}:", a
def array(r, xs): *shown, (q, a) = xs; s = lambda v: json.dumps(v, ensure_ascii=False); return "[" + ", ".join(f"[{s(k)}, {s(v)}]" for k, v in shown) + f", [{s(q)},", s(a) + "]]"
def mapping(r, xs): *shown, (q, a) = xs; s = lambda v: json.dumps(v, ensure_ascii=False); return "{" + ", ".join(f"{s(k)}: {s(v)}" for k, v in shown) + f"}}\n{s(q)}: ?", s(a)
def heads(r, xs): *shown, (q, a) = xs; h, d = r.choice([("# ", "- "), ("* ", "  - "), ("> ", "< "), ("+ ", "= ")]); return "\n".join(f"{h}{k}\n{d}{v}" for k, v in shown) + f"\n{h}{q}\n{d.rstrip()}", a
FORMS = [(says, 4), (means, 4), (what_becomes, 5), (if_is, 4), (tongue, 6), (stops, 6), (asks, 7), (worked, 5), (fields, 7), (array, 1.5), (mapping, 1.5), (heads, 2)]

# ---- as turns: (question, answer) with marks around {x} and {y}
TURNS = [('{"word": "{x}"}', '{"out": "{y}"}'), ('{"in": "{x}"}', '{"out": "{y}"}'), ('{"q": "{x}"}', '{"a": "{y}"}'), ('{"text": "{x}"}', '{"result": "{y}"}'), ('{"x": "{x}"}', '{"y": "{y}"}'), ("<a>{x}</a>", "<b>{y}</b>"), ("<q>{x}</q>", "<a>{y}</a>"), ("in={x}", "out={y}"), ("({x})", "({y})"), ("[{x}]", "[{y}]"), ("Q: {x}", "A: {y}"), ("Input: {x}", "Output: {y}"), ("in: {x}", "out: {y}"), ("x = {x}", "y = {y}"), ("> {x}", "< {y}"), ("{x} =>", "=> {y}"), ("f({x})", "{y}"), ("f({x}) = ?", "f({x}) = {y}"), ('"{x}"', '"{y}"'), ("# {x}", "- {y}"), ("| {x} |", "| {y} |"), ("1. {x}", "1. {y}"), ("Me: {x}", "You: {y}"), ("word: {x}", "{x} = {y}"), ("{x};", "{y};")]
