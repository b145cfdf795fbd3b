"""Gives a refusal of the older generators a way out in the same message: mend(chat)."""
import re
from gen import personas

WAYS = [  # what the refusal speaks of, and what helps then; the first that fits
    (r'weather|clock|calendar|the time|the date', 'Your computer or phone can tell you.'),
    (r'news|recent|right now|price|internet|look that up|look up|not up to date', 'A search on the web can help.'),
    (r'see anything|no eyes|only your text|words you write|alarm|only (read|chat|talk|write)', 'What I can do: answer simple questions, or /help for what quire can.'),
    (r'', 'A larger model may: `quire -m FILE`.'),
]
REFUSAL = re.compile(r"^(Sorry, |I'm sorry, |I am sorry, )?(I (don't|do not) (know|have (access|that information|a clock|opinions))|I (can't|cannot) (do that|check|write|look|see|advise|answer|translate|decide|choose|judge|really judge|teach|know that)|"
                     r"I only (know|speak|understand) |I('m| am) not sure|I('m| am) too small|I have (no (access|connection|information|way|opinion|eyes)|never heard)|I would (only|have to) |My knowledge is|That is (far )?too (hard|difficult|much)|That is (beyond|outside)|That topic|"
                     r"Programming is|Those numbers|Prices change|Real code|The (name|word) .* (tells|new|not a word)|\".*\" is not a word|.* is beyond me)")
FOUND = re.compile(r', but |quire|larger|bigger|doctor|pharmac|lawyer|professional|expert|calculator|dictionary|emergency|news site|weather report|look outside|phone|[Ss]hall we|told me|mention|your name|my name|feel|larger|The text|[Ww]hat do you like|What I know|I do know|I can tell|something I know|[Tt]ell me|hear yours|your home|future|know sport|see films|see you|[Pp]lease |can (help|tell|do|find|show|discuss|advise)|will (know|tell|find|have)|has (it|the|a)|knows (it|the)|may (know|find)|wait and see|Time will|several sources|own view|[Yy]our (browser|computer)|What do you think|in words instead|far better|say no more|fewer|think of it|real thinking|/\w+')

def mend(chat):
    """The chat with a way out behind each bare refusal; a chat under a prompt that sets a style stays as it is."""
    if chat[0][0] == 's' and chat[0][1] not in personas.GENERIC: return chat
    return [[role, end(text) if role == 'a' else text] for role, text in chat]

def end(text):
    if len(text) > 220 or not REFUSAL.match(text) or FOUND.search(text): return text
    return text + ' ' + next(way for about, way in WAYS if re.search(about, text))
