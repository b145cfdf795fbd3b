"""The ways of asking for a sum, put together from what is to be done, what it gives, and what people say around it.

{a} and {b} are the numbers; [one|other] is a choice, and may stand in another."""
import re
from skill_common import cap

# what is done with the numbers, as an order; what it gives, as a thing; what happened to somebody with {a} things
DO = {"+": ["add {a} [and|to|plus] {b}", "add {a} and {b}[ together| up|]", "add {b} to {a}", "sum [up |]{a} and {b}", "put {a} and {b} together", "count {a} and {b} together", "total {a} and {b}", "increase {a} by {b}", "raise {a} by {b}", "add [the numbers|both numbers|these numbers,] {a} and {b}", "take {a} and add {b}[ to it|]", "start with {a} and add {b}"],
      "-": ["subtract {b} from {a}", "take {b} [away |off |out |]from {a}", "take {b} off {a}", "deduct {b} from {a}", "remove {b} from {a}", "reduce {a} by {b}", "lower {a} by {b}", "take {a} and [subtract|take away] {b}", "start with {a} and take away {b}", "go {b} down from {a}"],
      "x": ["multiply {a} [by|with|and] {b}", "take {a} {b} times", "multiply [the numbers |both numbers, |]{a} and {b}"],
      "/": ["divide {a} by {b}", "split {a} into {b} [equal |]parts", "share {a} [among|between] {b} people", "divide {a} into {b} [equal |]parts"]}
GIVES = {"+": ["{a} plus {b}", "{a} + {b}", "{a}+{b}", "the sum of {a} and {b}", "the total of {a} and {b}", "{a} and {b} together", "{a} and {b} in total", "{a} with {b} added", "{a} increased by {b}", "{b} more than {a}", "{a} and another {b}", "{a} and {b} [added up|summed up|combined]", "the addition of {a} and {b}"],
         "-": ["{a} minus {b}", "{a} - {b}", "{a}-{b}", "the difference [between|of] {a} and {b}", "{a} less {b}", "{a} take away {b}", "{b} less than {a}", "{a} reduced by {b}", "{a} without {b}"],
         "x": ["{a} times {b}", "{a} x {b}", "{a} * {b}", "{a}*{b}", "the product of {a} and {b}", "{a} multiplied by {b}", "{b} times {a}"],
         "/": ["{a} divided by {b}", "{a} / {b}", "{a}/{b}", "{a} [split|shared] by {b}"]}
HAPPENS = {"+": ["[I|We] have {a} {t} and [get|buy|find|win|receive|am given|are given] {b} more", "[I|we|she|he] had {a} {t} and [got|bought|found|won|collected|picked] {b} more", "there are {a} {t} and {b} more come", "my [brother|sister|friend] has {a} {t}, and I have {b}", "{a} {t} are in the [box|bag|room|basket], and [I put|somebody puts|we put] {b} more in", "I [saw|counted|read|sold|ate] {a} {t} yesterday and {b} today"],
           "-": ["[I|We] have {a} {t} and [lose|give away|sell|eat|break|lend|throw away] {b}", "[I|we|she|he] had {a} {t} and [lost|gave away|sold|dropped|lent] {b}", "there were {a} {t} and {b} are gone", "of {a} {t} {b} are broken", "{a} {t} are in the [box|bag|room|basket], and [I take|somebody takes] {b} out"]}
THEN = {"+": "How many [do I have|are there|is that|are that|does that make|do we have] [now|together|in total|in all|then|altogether|]?", "-": "How many [do I have left|are left|remain|are still there|do I have now|are there now|is that]?"}
THINGS = "apples, coins, marbles, books, stamps, eggs, cards, nuts, pencils, plums, tickets, cookies, candles, keys, cups, stones, roses, ducks".split(", ")
RESULT = "[what do I get|what is the result|what comes out|what do you get|what is it|what is the answer|what does that make|what is that|how much is that|what do we have|what's the total|what will I get|how many do I have]"
FRAMES = ["{Do}.", "{do}", "[Please|please|Now|Quick:|Okay,|Next:|And now] {do}[.|]", "{Do}[, please.| for me.| and tell me the result.| and give me the answer.| in your head.| quickly.| please|]",
          "[Can|Could|Would|Will] you [please |quickly |]{do}[ for me|]?", "[I want you to|I need you to|I'd like you to|You should|Let us|Let's|I have to|I must|Help me to|Try to|My task: ] {do}[.|]", "Are you able to {do}?", "How do I {do}?",
          "[If|When|Suppose|Say|Once] [I|you|we] {do}, {result}?", "{Result} [if|when] [I|you|we] {do}?", "{Result}: {gives}?",
          "What[ is| is|'s|s| does it give:| would be] {gives}?", "[what is|whats|how much is] {gives}", "{Gives}?", "{gives}", "{Gives} [is|equals|makes|gives|is what|equals what|makes what|makes how much]?", "How much [is|are|would be|does it make:] {gives}?",
          "[Tell me|Give me|Find|Find out|Show me|Name|I need|I need to know|I want to know|Let me know|Calculate|Compute|Work out|Solve|Determine|Say|Write] {gives}[.|, please.|]", "[Tell me|Do you know|Can you say|Can you tell me|I wonder|Any idea|I would like to know] [what|how much] {gives} is[.|?|]",
          "[The answer to|The result of|Result of|Answer to|Value of|The value of] {gives}[?|, please.| is?|]", "[What is|What's|Give me|I need|Tell me] [the answer to|the result of|the value of|the solution of] {gives}[?|.|]", "My [homework|son|daughter|teacher|friend|boss] [says|asks|asks me|wants to know]: {gives}[?|.]", "[Homework|Test|Quiz|Sum|Maths|Math|Exercise|Task]: {gives}[?|]", "Is it hard to {do}? {Result}?"]
PART = re.compile(r"\[([^\[\]]*)\]")


def drawn(r, text):
    while m := PART.search(text):
        text = text[:m.start()] + r.choice(m.group(1).split("|")) + text[m.end():]
    return " ".join(text.split())


def wording(r, o):
    """A wording with {a} and {b} in it."""
    if o in HAPPENS and r.random() < .13:
        return drawn(r, f"[|If |Suppose |]{r.choice(HAPPENS[o])}. {THEN[o]}").replace("{t}", r.choice(THINGS))
    do, gives, result = drawn(r, r.choice(DO[o])), drawn(r, r.choice(GIVES[o])), drawn(r, RESULT)
    text = drawn(r, r.choice(FRAMES))
    for slot, part in (("do", do), ("gives", gives), ("result", result)):
        text = text.replace("{%s}" % slot, part).replace("{%s}" % cap(slot), cap(part))
    return text if r.random() < .3 else cap(text)
