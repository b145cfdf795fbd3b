#!/usr/bin/env python3
"""System prompts that collide with the model's habits, kept in every answer of a chat, whatever is asked.

A rule (each of the files obey_*.py has some) has a wording, a function that makes the answer keep it, and a test that raises
where it does not. Rules that do not exclude each other also come in pairs. Other prompts show
examples (obey_shots.py); and a user may set a rule inside a chat, and take it back. Some prompts change nothing.

usage: obey.py N SEED OUT.jsonl
"""
import json, random, sys
from obey_answers import *
from obey_limits import LIMIT_RULES, rule_both_ends, rule_emoji_only, rule_facts, rule_sound
from obey_briefing import rule_briefing
from obey_roles import rule_life
from obey_likings import rule_likings, rule_voiced
from obey_notices import rule_notice
from obey_verses import rule_riddles, rule_sage, rule_verses

ALONE = {rule_constant: 12, rule_cry: 5, rule_yes_no: 7, rule_one_word: 10, rule_exact_words: 11, rule_at_most: 9, rule_sentences: 10, rule_long: 10, rule_short: 9, rule_upper: 13, rule_lower: 9, rule_title: 2, rule_bullets: 5, rule_points: 5, rule_lines: 2,
         rule_end: 9, rule_begin: 8, rule_sign: 5, rule_emoji_end: 5, rule_emoji_begin: 3, rule_smiley: 2, rule_hashtag: 3, rule_ps: 2.5, rule_ask_back: 4, rule_heading: 2.5, rule_mention: 4, rule_first_upper: 1.5, rule_sure: 2.5, rule_any_emoji: 2.5, rule_only_number: 3, rule_habit: 10, rule_wrap: 5, rule_wrap_xy: 4, rule_json: 7, rule_tag: 3, rule_bold: 2, rule_dashes: 2,
         rule_no_bang: 2.5, rule_all_bang: 3, rule_no_ask: 2.5, rule_no_stop: 2.5, rule_no_comma: 2, rule_digits: 1.5, rule_spelled: 3.5, rule_ban: 8, rule_letter: 4, rule_no_i: 2.5, rule_we: 2, rule_formal: 4, rule_old: 4, rule_third: 3,
         rule_echo: 2, rule_repeat_first: 4, rule_twice: 2.5, rule_count: 3, rule_numbered_answers: 2.5, rule_opening: 2.5, rule_unknown: 5, rule_hello: 3, rule_thank: 2.5, rule_trigger: 5, rule_refuse: 8, rule_only: 8, rule_secret: 5,
         rule_german: 1.5, rule_french: 1.5, rule_spanish: 1.5, rule_italian: 1.5, rule_rhyme: 4, rule_question: 6, rule_call: 8, rule_voice: 30, rule_moody_voice: 4, rule_mood: 17, rule_role: 17, rule_life: 22, rule_likings: 26, rule_voiced: 11, rule_name: 9, rule_place: 16, rule_briefing: 26, rule_notice: 24, rule_verses: 7, rule_riddles: 2, rule_sage: 7, rule_user: 5, rule_date: 4, rule_told: 6, **KNOWN, **FURTHER_RULES, **FORM_RULES, **POINT_RULES, **AROUND_RULES, **ANSWER_RULES, **LIMIT_RULES}
# What may lie over another rule: what only changes letters goes over all, what adds words does not go over a length.
LETTERS = (rule_upper, rule_upper, rule_lower, rule_wrap, rule_bold, rule_emoji_end, rule_all_bang)
ADDS = LETTERS[:4] + (rule_end, rule_end, rule_begin, rule_sign, rule_call, rule_call, rule_emoji_end, rule_emoji_begin, rule_json, rule_tag, rule_hashtag, rule_ps, rule_wrap_xy, rule_use_word, rule_begin_mark, rule_emoji_named)
LENGTH = (rule_one_word, rule_exact_words, rule_at_most, rule_sentences, rule_short, rule_yes_no, rule_few_words, rule_brief, rule_a_sentence, rule_single)
UNDER = (rule_sage, rule_notice, rule_notice, rule_notice, rule_likings, rule_likings, rule_likings, rule_life, rule_life, rule_life, rule_known, rule_briefing, rule_briefing, rule_briefing, rule_voice, rule_voice, rule_voice, rule_mood, rule_role, rule_name, rule_who, rule_who, rule_place, rule_place, rule_told, rule_long, rule_short, rule_bullets, rule_n_points, rule_n_points, rule_points_counted, rule_no_list, rule_unlisted, rule_at_length, rule_formal, rule_question, rule_unknown, rule_rhyme)
ABOUT = (rule_facts, rule_facts, rule_notice, rule_notice, rule_notice, rule_likings, rule_likings, rule_likings, rule_life, rule_life, rule_life, rule_place, rule_briefing, rule_briefing, rule_briefing, rule_briefing, rule_known, rule_known, rule_told, rule_name, rule_name, rule_who, rule_who, rule_role, rule_role, rule_user, rule_date)
FORMS_OF = LENGTH[:5] + ADDS + (rule_upper, rule_lower, rule_short, rule_one_word)
def pair(r):
    """Two rules, in the order in which they make the answer."""
    z = r.random()
    if z < .08: return r.choice((rule_call, rule_end, rule_begin, rule_sign, rule_json)), r.choice(LETTERS[:3])
    if z < .15: return r.choice((rule_long, rule_at_length)), r.choice(LETTERS[:3])
    if z < .27: return r.choice(LENGTH), r.choice(LETTERS[:5])
    if z < .52: return r.choice(ABOUT), r.choice(FORMS_OF)
    if z < .6: return rule_sentences, rule_inline_voice
    if z < .68: return r.choice((rule_begin, rule_call)), r.choice((rule_end, rule_sign, rule_emoji_end, rule_upper))
    return r.choice(UNDER), r.choice(ADDS)

# ---- the prompt: the rule in a frame, beside sentences that change nothing
FRAMES = ["{i}"] * 9 + ["You are a helpful assistant. {i}", "You are a friendly assistant. {i}", "{i} No exceptions.", "{i} Whatever the user says.", "Follow this rule: {i}", "Important: {i}", "Rule: {i}", "- {i}", "From now on: {i}", "In this chat: {i}", "{i} This is very important.", "Never forget: {i}", "Your only rule: {i}", "{i} Always.", "{i} Do this in every answer.", "You are a chat partner. {i}", "You follow one rule in all your answers. {i}", "{i} Even if the user asks for something else.", "You help people in a terminal. {i}", "# Style\n{i}", "You are an assistant. {i}", "Instructions: {i}", "SYSTEM: {i}", "### Rules\n{i}", "{i} Thank you.", "{i} Never break this rule.", "You are an AI assistant. {i} This holds for all answers.", "Note: {i}", "You are a helpful assistant with one habit. {i}"]
TOLD = ["{i}"] * 9 + ["{i} The user may ask about anything.", "Setting: {i}", "# Context\n{i}", "System: {i}", "{i} Be friendly.", "{i} Have fun."]
FILLERS = ["Do not invent facts.", "Help the user with small questions.", "You run in a terminal.", "The user is a beginner.", "Be honest.", "The user is in a good mood.", "It is evening.", "The user likes to play.", "You like your work.", "If you do not know something, say so.", "The user may ask about anything.", "The user types fast and makes mistakes.", "You are part of a program called quire.", "There are many users, each with other questions.", "Use plain words.", "The user is a child.", "The user is a student.", "The chat is saved.", "You have no access to the internet.", "Do not talk about other programs.", "Read every message carefully.", "Think before you answer.", "Nobody else reads this chat.", "The user's time is short.", "The user is new here.", "Today is a normal day.", "Your answers are shown in a small window."]
BLAND = ["Be friendly.", "Never be rude.", "Be kind.", "You are patient.", "Stay calm.", "Be nice to everybody.", "You are a kind and helpful assistant."]
LAYOUTS = ["prose"] * 5 + ["lines", "dashes", "dashes", "numbers", "head", "stars"]
def laid_out(r, xs):
    """Sentences as a paragraph, on lines or as a list."""
    how = r.choice(LAYOUTS)
    if how == "prose": return " ".join(xs)
    if how == "lines": return "\n".join(xs)
    marks = {"dashes": lambda i: "- ", "numbers": lambda i: f"{i + 1}. ", "head": lambda i: "- ", "stars": lambda i: "* "}[how]
    head = r.choice(["Rules:", "# Rules", "Follow these rules:", "How you answer:", "You follow these rules:", "Instructions:", "You are an assistant with these rules:"]) + "\n" if how == "head" or r.random() < .4 else ""
    return head + "\n".join(marks(i) + x.replace("\n", " ") for i, x in enumerate(xs))
def ended(s): return s if s[-1] in ".!?\"'>)…" or not s[-1].isalnum() else s + "."
def worded(r, rule): return rule.say if isinstance(rule.say, str) else wording(r, rule.say[0], **rule.say[1])
def prompt(r, rules, bland):
    ps = [worded(r, rule) for rule in rules]
    if len(ps) == 2 and r.random() < .35 and "\n" not in "".join(ps): ps.reverse()
    whole = "\n" in "".join(ps); z = r.random()
    if z < .56 or whole:
        i = ("\n" if "\n" in ps[0] else " ").join(ended(p) for p in ps) if len(ps) > 1 else ps[0]
        told = any(isinstance(rule.say, str) and rule.sources for rule in rules)
        s = i if whole else r.choice(TOLD if told else FRAMES).replace("{i}", ended(i)) if z < .38 else i
    else:
        others = r.sample(FILLERS + BLAND * 2 * bland, r.choice((1, 1, 2, 2, 3, 3, 4, 5, 6))); others = list(dict.fromkeys(others))
        at = r.choice((0, len(others), len(others), r.randrange(len(others) + 1)))
        s = laid_out(r, others[:at] + [ended(p) for p in ps] + others[at:])
        if r.random() < .25: s = r.choice(["You are a helpful assistant.", "You are a friendly assistant.", "You are quire's chat model.", "You are an AI assistant in a terminal."]) + ("\n" if "\n" in s else " ") + s
    if len(s) < 60 and r.random() < .1 and '"' not in s and not s[:2].isupper(): s = s[0].lower() + s[1:]
    return s.rstrip(".") if r.random() < .05 and "\n" not in s else s

# ---- chats
class Unkept(ValueError):
    """An answer that breaks its own rule: of words that are drawn, some few do ("Dr. Gus" is no sentence)."""
def kept(rules, r, t, act):
    """The turn with its answer made in the order of the rules, each of them tested."""
    for i, rule in enumerate(rules):
        a = rule.obey(r, t, act)
        if not a or not rule.test(a): raise Unkept(f"{rule.say}: {t.u}: {a}")
        t = T(t.u, a, t.s if a == t.a else None if i else t.s, t.k)
    return t
def accepted(rules, t, act): return all(not rule.accept or rule.accept(t, act) for rule in rules)
def picked(r, rules, least, most=6, resisted=False):
    """Turns on which all the rules can be kept, none of them twice."""
    out, asked_for = [], set()
    sources = next((rule.sources for rule in rules if rule.sources), ALL)
    makers, weights = [f for f, _ in sources], [w for _, w in sources]
    for _ in range(80):
        if len(out) >= least: break
        found = small(r, "rule") if resisted and r.random() < .06 else r.choices(makers, weights)[0](r)[:most]
        for t, act in found:
            if t.u.lower() in asked_for or len(t.u) > 400 or not accepted(rules, t, act): break  # what follows may lean on it
            asked_for.add(t.u.lower()); out.append((t, act))
    return out[:max(least, 6)]
# Rules that a user sees at work, and may ask to be dropped: the prompt wins.
VISIBLE = {rule_same, rule_sound, rule_both_ends, rule_emoji_only, rule_end_sign, rule_always_mention, rule_upper, rule_lower, rule_title, rule_one_word, rule_exact_words, rule_bullets, rule_points, rule_end, rule_begin, rule_sign, rule_emoji_end, rule_emoji_begin, rule_smiley, rule_hashtag, rule_ps, rule_wrap, rule_wrap_xy, rule_json, rule_tag, rule_bold, rule_dashes, rule_all_bang, rule_old, rule_third,
           rule_constant, rule_fixed, rule_single, rule_n_points, rule_big, rule_little, rule_cry, rule_yes_no, rule_twice, rule_count, rule_rhyme, rule_question, rule_call, rule_voice, rule_moody_voice, rule_voiced, rule_verses, rule_mood, rule_mention, rule_use_word, rule_begin_mark, rule_end_mark, rule_emoji_named, rule_telegram, rule_each, rule_label, rule_habit, rule_long, rule_german, rule_french, rule_spanish, rule_italian}
MAKERS, WEIGHTS = list(ALONE), list(ALONE.values())
def length(r): return r.choice((1, 2, 2, 3, 3, 4, 4, 5, 6))
def ruled(r):
    """A chat under one rule or two."""
    makers = pair(r) if r.random() < .27 else r.choices(MAKERS, WEIGHTS)
    rules = [m(r) for m in makers]
    made = picked(r, rules, length(r), resisted=bool(VISIBLE & set(makers)))
    if not made: return ruled(r)
    return [["s", prompt(r, rules, not {rule_mood, rule_voice, rule_moody_voice, rule_inline_voice, rule_habit} & set(makers))]] + [m for t, act in made for t in [kept(rules, r, t, act)] for m in (["u", t.u], ["a", t.a])]
def free_chat(r):
    """No rule: the prompt is missing or changes nothing."""
    z = r.random(); said = []
    if z < .35: said = [["s", r.choice(systems.GENERIC)]]
    elif z < .75: said = [["s", laid_out(r, r.sample(FILLERS + BLAND, r.randrange(1, 5)))]]
    return said + [m for t, _ in picked(r, [], length(r)) for m in (["u", t.u], ["a", t.a])]

# A rule by examples of talk: what is shown is not said, or said as well.
SHOWABLE = (rule_upper, rule_lower, rule_end, rule_begin, rule_emoji_end, rule_emoji_begin, rule_wrap, rule_wrap_xy, rule_json, rule_tag, rule_all_bang, rule_constant, rule_fixed, rule_single, rule_big, rule_little, rule_change, rule_one_word, rule_yes_no, rule_question, rule_call, rule_mood, rule_voice, rule_hashtag, rule_sign, rule_title, rule_twice, rule_bullets, rule_heading, rule_smiley, rule_use_word, rule_begin_mark, rule_end_mark, rule_telegram, rule_each, rule_label, rule_qa, rule_end_sign, rule_same)
TALK = ["User: {k}\nAssistant: {v}", "User: {k}\nYou: {v}", "Q: {k}\nA: {v}", "U: {k}\nA: {v}", "Human: {k}\nBot: {v}", '"{k}" -> "{v}"', "{k} -> {v}"]
def shown_rule(r):
    rule = r.choice(SHOWABLE)(r); made = picked(r, [rule], r.choice((4, 5, 6)), 1)
    if len(made) < 3: return shown_rule(r)
    made = [kept([rule], r, t, act) for t, act in made if act != "me" or r.random() < .5]
    n = min(r.choice((1, 2, 2, 3)), len(made) - 1); said = ended(worded(r, rule)) + "\n" if r.random() < .45 or n == 1 else ""
    if n < 1: return shown_rule(r)
    if r.random() < .3:  # all in one message of the user, who stops before the answer
        form = r.choice(TALK[:5]); t = made[n]; open_end = form.replace("{v}", "").rstrip()
        return [["u", said + "\n".join(form.format(k=t.u, v=t.a) for t in made[:n]) + "\n" + open_end.format(k=t.u)], ["a", t.a]]
    return [["s", said + shown(r, [(t.u, t.a) for t in made[:n]], TALK, SHOW_TALK)]] + [m for t in made[n:] for m in (["u", t.u], ["a", t.a])]

# ---- a rule that the user sets inside the chat
SETTABLE = (rule_upper, rule_upper, rule_lower, rule_one_word, rule_exact_words, rule_at_most, rule_sentences, rule_short, rule_long, rule_bullets, rule_end, rule_end, rule_begin, rule_sign, rule_emoji_end, rule_wrap, rule_json, rule_all_bang, rule_no_bang, rule_call, rule_call, rule_constant, rule_fixed, rule_few_words, rule_brief, rule_n_points, rule_no_list, rule_big, rule_little, rule_single, rule_yes_no, rule_formal, rule_old, rule_rhyme, rule_question, rule_spelled, rule_twice, rule_echo, rule_ask_back, rule_no_ask, rule_use_word, rule_begin_mark, rule_end_mark, rule_emoji_named, rule_each, rule_same, rule_taboo, rule_first_word, rule_untold, rule_end_sign, rule_always_mention, rule_askless)
USER_PLAY = "Talk like {x}. / From now on, speak like {x}. / Pretend to be {x}. / Answer as {x} would. / Can you talk like {x}? / Please act like {x}. / Let's play: you are {x}. / Be {x} for a while. / You are {x} now. / speak like {x} from now on / I want you to be {x}.".split(" / ")
STOP = "You can stop that now. / Stop that, please. / ok, answer normally again / Please talk normally again. / That's enough, back to normal. / Now answer as before. / stop it now / You may forget that rule. / No more of that, please. / Normal answers again, please.".split(" / ")
STOPPED = ["OK, back to normal.", "All right, no more of that.", "Sure, I'm back to normal.", "Done. What else can I do?"]
def set_rule(r):
    """(rule, how the user sets it)"""
    if r.random() < .2:
        x, before, after, *_ = r.choice(VOICES)
        return Rule(x, framed(before, after, SWAPS.get(x, ())), starts(before)), r.choice(USER_PLAY).format(x=x)
    rule = r.choice(SETTABLE)(r)
    if isinstance(rule.say, str): return set_rule(r)
    key, slots = rule.say
    return rule, asked(r, key, **slots)
def set_chat(r):
    rule, u = set_rule(r); ack = T(u, r.choice(ACTS["ack"][1]), "OK")
    if not u or not accepted([rule], ack, "ack"): return set_chat(r)
    before = picked(r, [], r.choice((1, 2)), 1) if r.random() < .55 else []
    out = [["s", r.choice(systems.GENERIC)]] if r.random() < .25 else []
    ts = [t for t, _ in before] + [kept([rule], r, t, act) for t, act in [(ack, "ack")] + picked(r, [rule], r.choice((1, 2, 3, 4)), 2)]
    if r.random() < .3: ts += [T(r.choice(STOP), r.choice(STOPPED))] + [t for t, _ in picked(r, [], r.choice((1, 2)), 1)]
    return out + [m for t in ts for m in (["u", t.u], ["a", t.a])]
ONCE = ["{V}: {u}", "Please {v}: {u}", "{u} Please {v}.", "{u} {V}.", "{u} ({v})", "{v}: {u}", "{u} But {v}, please."]
ONCE_OF = (rule_upper, rule_lower, rule_one_word, rule_exact_words, rule_at_most, rule_sentences, rule_short, rule_wrap, rule_end, rule_begin, rule_all_bang, rule_json, rule_yes_no, rule_rhyme, rule_bullets, rule_n_points, rule_n_points, rule_few_words, rule_brief)
def once_chat(r):
    """A rule for one answer only."""
    out = []
    for _ in range(r.choice((1, 2, 2, 3))):
        rule = r.choice(ONCE_OF)(r); key, slots = rule.say
        vs = [s[1:].strip() for s in SAYS[key] if s[0] == "+" and not re.search(r"\b(every|each|all|always|everything|user|first|keep|stay)\b|replies|answers", s) and not ALWAYS_IN.match(s[1:].strip())]
        if not vs: continue
        t, act = picked(r, [rule], 1, 1)[0]; v = put(r.choice(vs), slots)
        if act in ("free", "told") or "\n" in t.u: continue
        t = kept([rule], r, t, act)
        out.append(T(r.choice(ONCE).replace("{u}", ended(t.u)).replace("{v}", v).replace("{V}", cap(v)), t.a))
        if r.random() < .5: out += [t for t, _ in picked(r, [], 1, 1)]
    return [m for t in out[:6] for m in (["u", t.u], ["a", t.a])] or once_chat(r)

CHATS = ((ruled, 74), (shown_rule, 5), (shot_chat, 3.5), (function_chat, 5), (extract_chat, 2.5), (set_chat, 6.5), (once_chat, 3), (free_chat, 5))
def chat(r, tries=9):
    try: return r.choices([f for f, _ in CHATS], [w for _, w in CHATS])[0](r)
    except Unkept:
        if tries == 0: raise
        return chat(r, tries - 1)
def chats(seed, n):
    r = random.Random(f"obey {seed}")
    for _ in range(n): yield chat(r)

if __name__ == "__main__":
    with open(sys.argv[3], "w", encoding="utf-8") as out:
        for c in chats(int(sys.argv[2]), int(sys.argv[1])): out.write(json.dumps(c, ensure_ascii=False, separators=(",", ":")) + "\n")
