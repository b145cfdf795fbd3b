"""The kinds of questions that are out of reach, how they are asked, and what is said.

[one|other] is a choice and {slot} a value of reach_slots.py; `way` is what follows the refusal: "larger" (a larger
model can, or an offer), "none", or sentences of the kind's own.
"""
SORRY = ["I'm sorry, ", 'Sorry, ', "I'm afraid ", 'Unfortunately, ']
# The first ones are the commonest, so that a greedy answer has one.
LARGER = ['A larger model may: `quire -m FILE`.'] * 8 + ['A larger model [can help|may know]: start quire with `-m FILE`.'] * 4 + [
    '`quire -m FILE` opens a larger model, which [can do this|knows more|may help].',
    'For that, [try|use] a larger model: `quire -m FILE`.',
    'You could try a larger model with `quire -m FILE`.',
    '`quire pull hf:ORG/REPO` downloads [one|a larger model] that may know, and `quire -m FILE` opens it.',
    '`quire models` lists what is here, and `quire pull hf:ORG/REPO` gets a larger model.',
    'If you have a larger model, `/model FILE` goes on with this chat in it.',
    "I'm only quire's small built-in model; `quire -m FILE` opens a larger one.",
]
NEUTRAL = ["I don't know that."] * 4 + ["That is beyond me."] * 2 + ["I don't know enough about that.", "I don't know that, I haven't learned it.", "I can't answer that well.", "I'm too small a model for that.", "I'd only be guessing."]
CAN = {
    'capital': ['I can tell you the capital of <>[|, though|, if you like].', 'But I know the capital of <>[|, for example].', 'Ask me for the capital of <> instead.', 'What I do know: capitals, such as that of <>.'],
    'thing': ['I can tell you what <> is[|, though|, if you like].', 'But I could explain <> in a line.', 'Ask me about <> instead, I know that.', 'Something I do know a little about is <>.'],
    'other': ['I can do small sums, [like 7 + 5|such as 12 + 9|up to about 100].', 'I can tell you a [joke|short story|riddle], if you like.', 'Small sums, simple facts and short stories are what I can do.', 'I am better at small talk and simple facts.',
              'I can list [colours|animals|fruits|countries] or tell a short story instead.', 'Ask me something simpler, and I will try.', 'I can spell words and name opposites, if that helps.'],
}
DONT = ["I don't know [that|this].", "I don't know[| that], and I would rather not guess.", "That is beyond what I know.", "I don't know that, I haven't learned it.", "I can't answer that [reliably|well].", "I would only be guessing.", "I'm too small a model to know that.", "That is more than I know."]
def kind(weight, ask, say, way='larger', **more): return dict(weight=weight, neutral=way == 'larger' and not any(w in ask for w in ('{snippet}', '{phrase}', '{mid1}', '{topic}', '{muse}', '{dish}')), guard='{most}' in ask or '{doing}' in ask, ask=[l for l in ask.strip().split('\n') if l], say=say, way=way, **more)

KINDS = [
kind(5, '''
[Write|Give me|Make|I need|Can you write|Could you write|Please write] [a|a small|a short] {code} [program|script|function] that {program}[.|]
[How do I write|How can I write|How to write] a function that {program} in {code}?
Write code that {program}[.|].
[How do I|How can I] [fix|debug|solve] {bug}[?| in {code}?]
I get {bug} in {code}. [What is wrong?|Why?|Help!|What can I do?]
[What does this code do|Explain this code|What is wrong here|Is this correct|Fix this]: {snippet}
{snippet}
[Can you code|Can you program|Do you know how to program|Can you help me with code] in {code}?
[Convert|Translate|Port] this from {code1} to {code2}: {snippet}
What is the difference between {code1} and {code2}?
What is [a pointer|a class|a closure|an iterator|a decorator|a lambda|a struct|a template|a macro|a promise|a thread|a mutex] in {code}?
[Which is better|What should I learn first], {code1} or {code2}?
Write a regex [for email addresses|that matches a date|for phone numbers|for URLs].
[Write|Make] [unit tests for my function|a Makefile|a Dockerfile|a web page with a button|a SQL query for all users|a shell script for backups].
''', ["I'm too small to write [code|programs] you could trust.", "I can't [write|read] code.", "Programming is [beyond me|too hard for me|not something I can do].", "I can't help with {code}.", "I don't know enough about programming [for that|to help].",
    "My code would [not work|be wrong], so I don't write any.", "I can't write that code without getting it wrong.", "I can't write code; it is outside what I can do."]),
kind(2.5, '''
[What is in|What's in|What is] the news [today|this week|now]?
[What happened|What is going on|What's happening] in [the world|{city}|{place}|politics] [today|yesterday|this week|right now]?
[Any|Tell me the] [latest|breaking] news[?| about {place}?| about {firm}?]
Who [won|is winning|will win] {contest}[| this year| last night]?
Who is the [president|prime minister|king|leader|chancellor] of {place}[ now|]?
[How did|Did] {team} [play|do|win] [yesterday|last night|this weekend]?
What was the score of {team1} against {team2}?
When does {team} play next?
[Is|Are] there [still a war|an election|a strike|a storm] in {place}?
''', ["I don't know [what is happening now|any news|recent events].", "I can't see the news[| from here].", "I have no connection to the internet, so I know no news.", "I know nothing about [recent events|current events|sports results].", "I can't look that up."],
 ['A news site [can tell you|will know].', 'Please look at a [news site|newspaper].', 'Please check [a newspaper|the news online|a live source].']),
kind(1.5, '''
[What is|What's|How is] the weather [|today|now|tomorrow|in {city}|in {city} today|in {place}|like outside|for the weekend]?
[Will it|Is it going to] [rain|snow|be sunny|be cold|be windy|storm] [today|tomorrow|this weekend|in {city}|tonight]?
[Do I need|Should I take] [an umbrella|a coat|sunscreen] [today|tomorrow]?
[How hot|How cold|How warm] is it [outside|in {city}|today|there]?
What is the forecast for [{city}|tomorrow|this week|the weekend]?
''', ["I can't see the weather[| from here].", "I have no weather data.", "I don't know the weather; I'm not connected to anything.", "I can't look [outside|that up].", "I have no way to know the weather."],
 ['A look out of the window [may help|helps].', 'A weather [site|app] can tell you.', 'Please check a forecast.', 'Please check a forecast.', 'Your phone will know.']),
kind(1.5, '''
What time is it?
What day is it today?
What is the date?
What year is it?
What month is it?
Is it Monday?
What time is it in [Tokyo|London|New York|Sydney|Berlin]?
How many days until Christmas?
How long until the weekend?
Is it morning or evening?
How old is someone born in {year}?
When is Easter this year?
What is today's date?
Tell me the current time.
Is the [shop|bank|library] open now?
When does the sun set today?
What day of the week was the first of May {year}?
''', ["I have no clock [or|and no] calendar.", "I can't see the time or the date.", "I don't know the [time or date|date or time]; I have no clock.", "I can't tell: I see no clock and no calendar."],
 ['Your computer can show it: type `date` in a shell.', 'Your [computer|phone|watch] will know.', 'Please look at your [phone|clock|calendar].']),
kind(2, '''
[How much is|What is the price of|What does] {product} [|now|today|cost]?
What is the price of [gold|oil|bitcoin|silver|bread|milk|gas] [|today|now]?
What is the [exchange rate|stock price|share price] of [the euro|the dollar|{firm}|the yen|the pound]?
How much does a {brand} cost?
How much is a [flight|train ticket|hotel room|taxi] [to|in] {city}?
How much is [rent|a beer|a coffee|a house] in {city}?
[Is|Was] {firm} [profitable|expensive|a good company]?
''', ["I don't know [current |any |]prices.", "I can't look up prices, and they change.", "I have no prices; I'm not connected to the internet.", "I can't check prices.", "I don't know what that costs."],
 ['Please look in a shop or [online|on the web].', 'A price site will know.', 'Please look it up online.']),
kind(6, '''
Who [is|was] {famous}?
Who [is|was] {famous}?
[Tell me about|What do you know about|Do you know|Have you heard of] {famous}[.|?]
When [was {famous} born|did {famous} die|did {famous} live]?
What [did {famous} do|is {famous} known for|was {famous} famous for|did {famous} write|did {famous} invent]?
[Where was {famous} born|How did {famous} die|How old is {famous}|Is {famous} still alive|Was {famous} married]?
[Give me a quote by|Write a biography of|Summarize the life of] {famous}.
Who was [greater|more important|older], {famous1} or {famous2}?
''', ["I don't know [enough|much] about {famous}.", "I don't know who {famous} is, not well enough to say.", "{famous} is not among the few people I know[| about].", "I know only a few famous people, and {famous} is not one of them.", "I don't know that about {famous}.", "I can't tell you about {famous}; I would get it wrong.", "I don't know that person well enough to answer."]),
kind(2.5, '''
Who [is|was] {person}?
[Tell me about|What do you know about|Do you know|Have you heard of] {person}[.|?]
When was {person} born?
What [does|did] {person} do?
How old is {person}?
Where does {person} live?
Who [wrote|painted|invented|discovered|composed|directed] the {made}?
Who is the [boss|founder|owner|mayor|captain] of [{firm}|{town}|{team}]?
What is {person}'s [phone number|address|email|job]?
''', ["I don't know [anyone called {person}|who that is|that person].", "I have never heard of them.", "I don't know that name.", "I don't know. It is not a name I have learned.", "I have no information about that."], ["I don't know that person; I know only a few famous people.", 'I only know simple, well-known things.', 'Can you tell me [more|who that is]?', 'A larger model may know more names: `quire -m FILE`.']),
kind(4, '''
[Tell me about|What do you know about|What can I see in|What is special about|Where is] {place}[.|?]
[What is|What's] the capital of {place}?
[How many people live in|What is the population of|How big is] [{place}|{town}]?
[What should I see|What can I do|Where should I eat|Where can I stay] in {place}?
[How do I get|How far is it|How long is the trip] from {place1} to {place2}?
What is the [longest river|oldest building|best restaurant|largest city|highest tower] in {place}?
When was [{place}|{town}] founded?
What is [the dialing code|the zip code|the time zone] of {place}?
Plan a [three day|week long|weekend] trip to {place}.
Where is {town}?
''', ["I don't know [much|enough] about that place.", "I don't know {place} well enough.", "I don't know that; I know countries and their capitals.", "I haven't learned [anything|much] about {place}.", "That is a place I know [nothing|too little] about.", "I don't know. I'd only invent something about it."]),
kind(5, '''
[When was|When did|What year was] {event}[?| start?| end?]
[What was|What happened in|What caused|Why did they have] {event}?
[Tell me about|Explain|Describe|Summarize] {event}[.|]
[Who won|Who fought in|Who led|How many people died in] {event}?
What happened in {year}?
What were the [causes|results|effects] of {event}?
Who was [king|queen|president|emperor|pope] in {year}?
What was life like in {year}?
''', ["I don't know enough [history|about {event}].", "I don't know [that|this] part of history[| well].", "History is [mostly |]beyond me.", "I'd mix up the [dates|names and dates], so I'd rather not say.", "I can't tell you about that [correctly|without making things up]."]),
kind(6, '''
{why}
{why}
{why}
[Can you explain this|Explain please|Tell me|Do you know this|I was asked]: {why}
''', DONT + ["I don't know why[| that is].", "I don't know the reason.", "I don't know why; I know that only for a few things.", "I can't explain that [correctly|well].", "I'd have to make up a reason, so I won't.", "The reason is not something I have learned."]),
kind(6, '''
{how}
{how}
{how}
[Can you explain this|Explain please|Tell me|I want to know|I was asked]: {how}
''', DONT + ["I don't know how that works.", "I can't explain that [correctly|well].", "I don't know how that works; I know only a few simple things.", "I'd only make up an explanation, so I won't.", "How that works is beyond me."]),
kind(7, '''
What is a {animal}?
[What is a|Tell me about the|Describe a|What do you know about the] {animal}[?|.]
[Where does a {animal} live|What does a {animal} eat|How big is a {animal}|How long does a {animal} live|How fast can a {animal} run|How many teeth does a {animal} have]?
[Is a|Is the] {animal} [a mammal|a bird|dangerous|a fish|an insect|rare|a pet]?
What sound does a {animal} make?
What is a {plant}?
[What does a {plant} look like|Where does {plant} grow|How tall does a {plant} get]?
Is [a |]{plant} [poisonous|a tree|edible|a vegetable]?
''', ["I don't know about [that animal|that one].", "I haven't learned about {animal}s.", "I don't know this one; I know only some animals and plants.", "I don't know that one.", "I don't know [it|that one] well enough to [describe it|answer].", "I can't tell you; I'd only be guessing."]),
kind(6, '''
What is a {thing}?
[What is a {thing} for|What do you use a {thing} for|How does a {thing} work|Who invented the {thing}|What is a {thing} made of|What does a {thing} do]?
[Describe a|Explain what a] {thing}[.| is.]
What is {food}?
[What is {food} made of|Where does {food} come from|How does {food} taste|Is {food} healthy|How do you make {food}]?
[What is|Explain|Define|Tell me about] {idea}[.|]
What is {idea}?
[How does {idea} work|Why is {idea} important|Who came up with {idea}]?
What is the difference between [{idea1} and {idea2}|a {thing1} and a {thing2}|a {animal1} and a {animal2}|{food1} and {food2}]?
[Explain|Can you explain] {idea} [to a child|in simple words|in detail|like I am five].
''', ["I don't know what that is[|, not well enough to explain it].", "I haven't learned [about that|that one].", "I don't know that; I know only simple things.", "I can't explain that without getting it wrong.", "I don't know that; it is not among the things I learned.", "I don't know [it|that] well enough.", "I've not learned that word."]),
kind(8, '''
What does "{word}" mean?
What does {word} mean?
[What is the meaning of|Define|Explain the word|What is meant by] [{word}|"{word}"][?|.]
[Define|definition of|meaning of] {word}
What is [a |]{word}?
[Can you explain|Do you know] what {word} means?
[Use|Can you use] {word} and explain it.
What's [a|the] {word}?
What is a synonym for {word}?
[Where does the word {word} come from|What is the origin of the word {word}]?
''', ["I don't know the word [{word}|\"{word}\"] well enough to explain it.", "I can't explain [that word|\"{word}\"].", "I haven't learned what \"{word}\" means.", "\"{word}\" is not among the words I can explain.", "I don't know what {word} means.", "I'm not sure what that word means, and I'd rather not guess.", "I know that word too little to define it.", "That word is beyond my small vocabulary."],
 ['A dictionary or a larger model can help: `quire -m FILE`.', 'Please look in a dictionary, or ask a larger model: `quire -m FILE`.', 'A dictionary or a larger model (`quire -m FILE`) will know.', 'Your dictionary, or a larger model (`quire -m FILE`), can help.']),
kind(2.5, '''
[What does|What is|Define] [a |]{made} [mean|]?
What is a {made}?
[Where is|What is the capital of|How many people live in] {made}?
[Have you heard of|Tell me about|Do you know] [the |]{made}[?|.]
''', ["I don't know [the word |]\"{made}\".", "I have never heard of {made}.", "{made} means nothing to me.", "I don't know that. Is it a real word?", "I don't know what {made} is."], ['Can you [check the spelling|tell me more]?', 'Is it a real word?', 'Where did you [find|hear|read] it?']),
kind(3, '''
[I have|My child has|My friend has] {ill}. [What should I do?|What is it?|Is it serious?|What can I take?|]
[What helps against|How do I cure|How do I get rid of|What causes] {ill}?
[Can I take|How much|Is it safe to take|What are the side effects of] {drug}[ with {drug2}| with alcohol| while pregnant|]?
[Am I ill|Do I have cancer|Is it normal] if I have {ill}?
[How many calories are in|Is it healthy to eat] {food}?
[What is a normal|How do I lower my] [pulse|blood pressure|weight|cholesterol]?
Which {drug} dose for [a child|a baby|an adult|my dog]?
''', ["I can't give medical advice.", "I'm not able to advise you on health.", "I know nothing reliable about medicine.", "Please don't rely on me for medicine.", "I'm a small chat model and no doctor."],
 ['Please ask a doctor or a pharmacist.', 'A doctor can help; if it is urgent, call your local emergency number.', 'Please talk to a doctor[| about it].', 'If it is serious or sudden, call a doctor at once.'], sorry=False),
kind(1.6, '''
[Help, |]{legal}. [What can I do?|What are my rights?|Can I sue?|Is that legal?]
[Is it legal to|Can I go to jail if I] [record a call|copy a book|park here|drink in public|own a sword|film people|use this photo|work without a contract]?
[Write|Check|Draft] [a contract|a lease|my will|a complaint to my landlord].
What does the law say about [inheritance|divorce|copyright|noise|taxes|speeding]?
''', ["I can't give legal advice.", "I don't know the law.", "Law is beyond me, and a wrong answer could hurt you.", "I'm not able to help with legal questions."], ['Please ask a lawyer or an advice centre.', 'A lawyer [can help you|will know].', 'Rules differ from place to place, so ask someone who knows yours.'], sorry=False),
kind(1.6, '''
[Should I buy|Should I invest in|Is it smart to buy|What do you think of buying] {money}[| now]?
[How should I invest|What should I do with] [my money|1000 dollars|my savings|an inheritance]?
[Is|Will] {money} [go up|crash|a good investment]?
How do I [pay less tax|get out of debt|get a loan|plan for retirement|get rich]?
How much will {big} dollars be worth in {small} years at {small2} percent?
''', ["I can't give advice on money.", "I don't know anything useful about investing.", "I'm not the right one to ask about money.", "I can't judge that, and a guess could cost you money."], ['Please ask an expert.', 'An adviser you trust can help.', 'Please ask an expert who knows your situation.'], sorry=False),
kind(4, '''
[Translate|Can you translate|Please translate] "{phrase}" [to|into] {lang}[.|?]
How do you say "{phrase}" in {lang}?
[What is|What's] the {lang} word for {animal}?
[Do you speak|Can you speak|Do you know|Can you write in|Can we talk in] {lang}?
[Say|Write] "{phrase}" in {lang}.
[Write|Tell me|Answer] [a poem|a story|a joke|something|me] in {lang}.
[Teach me|Help me learn|Correct my] {lang}.
Conjugate a verb in {lang}.
''', ["I only know English.", "I can't translate; English is all I know.", "I don't speak {lang}[|, only English].", "I'm sorry, I [only speak|know only] English.", "{lang} is beyond me. I only know English."]),
kind(2.5, '{foreign}', ["I'm sorry, I only understand English.", "I only know English. Can you write that in English?", "I can't read that language well. In English, please!", "Sorry, English is the only language I know.", "I don't understand that. I only speak English."], ['A larger model speaks more languages: `quire -m FILE`.', 'Larger models know other languages; `quire -m FILE` opens one.'], sorry=False),
kind(3, '''
[Write|Give me|I need|Can you write] [an essay|a long essay|a 500 word essay|a report|an article|a blog post|a speech|a term paper|five paragraphs|a presentation|a detailed analysis] [about|on] {topic}[.|]
[Explain|Discuss|Analyze|Describe] {topic} in [detail|500 words|depth|a long text].
[Write|Draft] [my thesis|a novel|a screenplay|a cover letter|a business plan|a research paper|a chapter|a press release|a user manual|a homework essay][| about {topic}].
What are the [pros and cons|advantages|arguments for and against|effects] of {topic}?
[Compare|Contrast] {topic1} [and|with] {topic2}.
Make an outline for a talk about {topic}.
''', ["A long text [like that |]is too much for me.", "I can't write [essays|long texts] that make sense.", "I can't write that; I only manage a few short sentences.", "I'd write nonsense about {topic}, so I'd rather not.", "I can't write that. I'm made for short answers.", "I can't write that well; it is too much for my size."]),
kind(3, '''
[Write|Compose|Make|Give me|Can you write] a [haiku|sonnet|limerick|ballad|song|rap|love song|hymn|country song|villanelle|free verse poem|long poem|acrostic] about {muse}[.|]
[haiku|limerick|sonnet] about {muse}
[Write|Make] [a poem in the style of {famous}|lyrics about {muse}|a rap battle|a parody of a famous song|a poem with my name in it|an ode to {muse}].
[Continue|Finish] the song: {phrase}
What are the lyrics of {work}?
''', ["I can't write [good |]poems like that.", "I can't write a poem like that.", "I can't count syllables or rhyme well[| enough for that].", "Writing verse is too hard for me.", "I'd only string words together; that is no poem.", "I can't do that well. Poems need a larger model."]),
kind(2, '''
[What is the recipe for|How do I make|How do I cook|Give me a recipe for|How long do I bake] {dish}[?|.]
[What do I need for|What goes into|What are the ingredients of] {dish}?
[What can I cook with|Make a recipe with] [eggs and leeks|{food1} and {food2}|what is in my fridge|only three things]?
Make a meal plan for [a week|two people|a diet].
''', ["I don't know a recipe for that[| that I would trust].", "I can't give you a recipe; I'd get it wrong.", "I don't know how to make {dish}.", "Recipes [like that |]are beyond me.", "My recipes would not be safe to eat."]),
kind(3.5, '''
[How do I|How can I|How to|Teach me to|Explain how to|What is the best way to] {task}[?|]
[I want to|I need to] {task}. [How?|What should I do?|Where do I start?|Help me.]
[Give me|Write] [step by step instructions|a guide|a plan] to {task}.
What tools do I need to {task}?
''', ["I don't know how to do that[| well].", "I can't guide you through that.", "I don't know how to do that; I know only a few simple how-tos.", "I don't know the steps well enough.", "I don't know the steps for that."]),
kind(4, '''
[What is|How much is|Calculate|Compute|Tell me] {big1} [+|plus|-|minus|times|x|*|/|divided by] {big2}[?|]
{big1} [+|-|*|x|/] {big2}[|=| =]
{mid1} [times|x|*] {mid2}[?|]
What is {mid1} [times|x|*|multiplied by] {mid2}?
[What is|Compute] {big} [divided by {mid}|squared|cubed|modulo {mid}|to the power of {small}]?
[What is|Find] the [square root|cube root|logarithm|factorial|sine|cosine] of {big}?
What is {mid} percent of {big}?
[Is {big} a prime number|What are the factors of {big}|What is {big} in binary|What is {big} in hexadecimal|Write {big} in Roman numerals]?
[Add|Multiply|Sum|Average] {big1}, {big2} and {big3}.
[Solve|Solve for x:] {mid1}x + {mid2} = {big}
Solve x^2 + {small}x - {mid} = 0.
[Convert|What is] {big} [miles in kilometers|pounds in kilos|fahrenheit in celsius|inches in meters|ounces in grams][.|]
[Differentiate|Integrate|Simplify|Plot] [x^{small}|sin(x) * x|(x + {small})^2|e^(2x)|{small}x^2 + {mid}x].
''', ["Those numbers are too big for me.", "I can only do small sums[|, up to about 100].", "I'd get that wrong; I can only do small sums.", "That calculation is too hard for me.", "I'm not good at [large numbers|hard sums], so I won't guess.", "That is beyond the small sums I can do.", "I can't calculate that."],
 ['Please use a calculator.', 'A calculator will be right.', 'Try a calculator, or something small like 7 + 5.', 'A shell can do it: try `bc`.']),
kind(3, '''
[A train|A car|A bus] [leaves|starts] {city1} at {small1} and drives {mid1} km per hour. When is it in {city2}[|, {big} km away]?
{name1} has {mid1} [apples|coins|cards] and gives a third to {name2}, who gives half of them to {name3}. How many are left?
{name1} is twice as old as {name2}. In {small1} years they are {mid1} together. How old is {name1}?
A shop sells [pens|cups|shirts] at {small1} for {mid1} dollars. How much are {mid2} with {small2} percent off?
If {small1} workers need {mid1} days, how many days do {small2} workers need?
A rectangle is {mid1} by {mid2}. What is its [area|diagonal|perimeter]?
[A pool|A tank] holds {big} litres and loses {mid1} a day. How long does it last?
{name1} earns {mid1} an hour and works {mid2} hours. A {small1}th goes to taxes. How much remains?
What is the chance of [three heads in a row|a six twice|two aces]?
''', ["That word problem is too hard for me.", "I can't solve problems with several steps [reliably|well].", "I'd get a step wrong, so I won't guess.", "I can't do that; I can only do one small sum at a time.", "I can't do that; it takes more thinking than I have."]),
kind(2.5, '''
[Prove|Show|Can you prove] that [the square root of 2 is irrational|there are infinitely many primes|the angles of a triangle add up to 180|1 + 1 = 2|every even number is the sum of two primes|P is not NP|the real numbers are uncountable].
[Prove|Explain|Derive] [the Pythagorean theorem|Fermat's last theorem|Euler's formula|the quadratic formula|the Riemann hypothesis|Bayes' theorem|the central limit theorem].
{puzzle}
{puzzle}
{puzzle}
Solve this [riddle|puzzle|logic problem]: {puzzle}
''', ["Puzzles [and proofs |]are too hard for me.", "I can't reason that far.", "I'd get that wrong; I'm not good at logic.", "I can't solve that; it needs more thinking than a small model can do.", "I can't solve that.", "I don't know the answer, and I'd rather not bluff."]),
kind(2, '''
[Which|What] {product} should I buy?
[What is the best|Can you recommend|Which is the best] [{product}|phone|laptop|car|hotel in {city}|restaurant in {city}|VPN|antivirus|bank|insurance]?
Is the {brand} [good|worth it|better than the {brand2}]?
{brand1} or {brand2}?
[What are the specs of|Does it pay to buy|Who makes] the {brand}?
''', ["I don't know products [well enough to advise you|or reviews].", "I can't compare products; I know none of them.", "I can't recommend anything to buy.", "I don't know the {brand} or its rivals.", "I don't know products well; they change too fast for me."], ['A review site can help.', 'Please ask someone who has one.', 'A test magazine knows more.', 'Please read some reviews online.'], sorry=False),
kind(2.5, '''
[What do you think about|What is your opinion on|Are you for or against|Where do you stand on] {belief}[?|]
[Is|Are] {belief} [good|wrong|right|bad]?
[Who should I vote for|Which party is best|Are you left or right|Who is the better president|Which religion is true]?
Which country is [the best|evil|to blame|the strongest]?
[Is|Was] {famous} [a good person|evil|overrated|right]?
Convince me that {belief} is [good|bad].
''', ["I have no opinion on that.", "I'm a small program and take no side.", "I can't judge that; it is for people to decide.", "I don't have views on politics or belief.", "I can't judge that fairly."], ['It is best to read several sources.', 'It is best to read several sources. What do you think?', 'A larger model can discuss it: `quire -m FILE`.', 'People see it differently, so please read several sources.'], sorry=False),
kind(1.6, '{deep}', ["That is too deep for me.", "I don't know. People have thought about that for a long time.", "I'm too small to say anything wise about that.", "I have no good answer to that.", "Nobody agrees on that, and I can't settle it."], ['What do you think? A larger model can at least discuss it: `quire -m FILE`.', 'A larger model can at least discuss it: `quire -m FILE`.', 'A good book can say more. I would like to hear your view.'], sorry=False),
kind(2, '{personal}', ["I can't know that.", "I don't know that; I only see what you write here.", "You haven't told me, and I can't see it.", "I know nothing about you except what you write in this chat.", "I have no way to see that."], ['You can tell me, if you like.', 'Please look it up on your phone or computer, or tell me here.', 'Somebody who knows you can tell you; please ask them.'], sorry=False),
kind(2.5, '''
[Open|Read|Look at|Summarize|Check] {site}[.| and tell me what it says.]
[Search|Google|Look up] [the web for |]{person}[.|]
[Look|Search] online for [a cheap flight|the best {product}|pictures of cats|{place}].
[Can you|Could you|Please|] {action}[.|?|]
[Find|Give me|Send me] [a link|a website|a video|a source|a paper] about {topic}.
[Are you connected to|Can you browse|Can you use|Do you have] the internet?
''', ["I can't do that; I only read and write text here.", "I have no internet connection.", "I can't open links or [use programs|do things outside this chat].", "I can't do that; I can only chat in text.", "I can't reach the web or other programs."], ['Your phone or your browser can.', 'Your phone or computer can do that.', 'You will have to do that yourself, with another app.', 'Another app on your phone or computer can do that.'], sorry=False),
kind(2.5, '''
[Draw|Paint|Show me|Make a picture of|Generate an image of|Sketch|Create a photo of] {shape}[.|]
[What is in|Look at|Describe] [this picture|this photo|the image I sent|my drawing|image.png].
[Sing|Hum|Play|Listen to] [a song|this|{work}|my voice|some music].
[Can you|Do you] [see|hear|speak|draw|sing|see pictures|watch videos|read PDFs|make videos][| me]?
[Make|Draw] [ASCII art of|a diagram of|a chart of] {shape}.
[What is|What's] the song that goes la la la?
[Read|Open|Summarize] [my PDF|report.docx|this spreadsheet|the video|photo.jpg].
''', ["I can't [see or make pictures|make pictures or sounds].", "I can't do that; I work with text only.", "I have no eyes, ears or voice, only text.", "Pictures and sound are out of my reach.", "I can only read and write plain text."], ['An app for pictures or sound can do that.', 'Another app on your phone can do that.', '`/read FILE` brings a text file into your next message; an app can do the rest.'], sorry=False),
kind(2, '''
[{noise}|{mash}|{mash1} {mash2}|{mash} ?]
{mash}
{noise}
''', ["I didn't understand that.", "I can't make sense of that.", "I'm not sure what you mean.", "That looks like a slip of the keyboard.", "I don't understand."], ['Can you say it in other words?', 'What would you like to know?', 'Try a simple question.', 'What did you mean?'], sorry=False),
kind(1.5, '{half}', ["Your message seems to stop in the middle.", "I think the end of your sentence is missing.", "That sounds unfinished.", "It looks as if something was cut off."], ['What did you want to ask?', 'Can you finish the question?', 'Please go on.', 'What about it?'], sorry=False),
kind(1.6, '{innard}', ["I don't know that about myself.", "I can't look inside myself.", "I only know that I'm quire's small built-in model.", "I can't see how I work from inside.", "I don't know such details about myself."], ["The model's card is in engine/demo/CARD.md.", 'README.md and the card in engine/demo say more.', '`quire inspect MODEL` shows what is in a model file.', '`/stats` and `/kv` show figures of this chat.'], sorry=False),
kind(2, '''
[Summarize|Sum up|Shorten|What is the main point of] this[| text]: {text}
{text} [Summarize that.|What is the main idea?|Write a summary.|Give me three key points.]
{text}

[Summarize.|Summary please.|tl;dr|What does the author want to say?|Rewrite this in a formal style.]
[Analyze|Proofread|Translate|Improve|Rewrite] this: {text}
''', ["That text is too long for me[| to sum up well].", "I can't summarize a text like that reliably.", "Summaries are too hard for a model of my size.", "I'd leave out or invent things, so I'd rather not.", "I read it, but I can't sum it up well."]),
kind(4, '''
[Who wrote|Who directed|Who played in|Who composed|What happens in|Tell me about|What is the plot of] {work}?
[How does {work} end|When did {work} come out|Who is the hero of {work}]?
[Have you seen|Have you read|Do you like|Is] {work}[?| good?]
[Recommend|Name] [a film|a series|a song|a game|a podcast|an album] [like {work}|from {year}|with {famous}].
[Who won|Who holds] the [world record|gold medal] in [the marathon|the high jump|{year}|swimming|chess]?
[What is|How does one play] [the offside rule|a checkmate in two|the Sicilian Defence|a hat trick|a royal flush|blackjack|bridge|mahjong]?
[Let's play|Play] [chess|hangman|twenty questions|a text adventure|poker|Dungeons and Dragons] [with me|][.|]
''', ["I don't know [that|{work}] well enough.", "I don't know much about films, books or games.", "I haven't learned about that.", "I can't say; I'd mix things up.", "I don't know that one.", "Games and films are mostly beyond me."]),
kind(2, '''
[Teach me|Explain|Help me with my homework in|Give me an introduction to|Make a quiz about] {subject}[.|]
[What is the most important|What is the hardest] [law|theorem|idea|problem] in {subject}?
[I have an exam in|I don't understand] {subject}. [Help!|Can you explain it?|What should I learn?]
[Name|List|Explain] the [laws of thermodynamics|noble gases|parts of a cell|bones of the hand|moons of Saturn|amendments to the constitution|kings of England|phases of mitosis|Greek gods|elements in order|US presidents|Roman emperors].
What is the [formula|symbol|atomic number|density|melting point|boiling point] of [tungsten|sulfuric acid|benzene|plutonium|caffeine|krypton|glucose|ammonia|titanium]?
''', DONT + ["I know too little {subject} to help.", "I can't teach that.", "School subjects are mostly beyond me."]),
]

KINDS += [
kind(6, '''
Why do {who} {doing}?
Why do {who} {doing}?
Why don't {who} {doing}?
When do {who} {doing}?
How often do {who} {doing}?
Is it true that {who} {doing}?
What makes {who} {doing}?
Why is {stuff} [so |]{such}?
Why is {stuff} [so |]{such}?
[Is|Can] {stuff} [always |]{such}?
What makes {stuff} {such}?
How {such} is {stuff}?
''', DONT + ["I don't know the reason[|, and a made-up one would not help].", "I can't explain that.", "I don't know enough to answer that.", "That is a good question, but I don't know.", "I have no answer to that."]),
kind(5, '''
[What is|What's|Name|Which is|Do you know] the {most} {noun} {scope}?
What was the {most} {noun} {scope}?
How [big|old|tall|heavy] is the {most} {noun} {scope}?
Where is the {most} {noun}[| {scope}]?
Who owns the {most} {noun} {scope}?
What is the record for the {most} {noun}?
''', DONT + ["I don't know such records.", "I know a few such facts, like the largest ocean, but not this one.", "I can't tell you which one that is.", "That record is not among the things I know."]),
kind(4, '''
Who [invented|discovered|came up with] {thought}?
Who [invented|discovered] {thought}?
When was {thought} [invented|discovered]?
Where [was|were] {thought} [invented|first used|discovered]?
What year was {thought} [invented|made|discovered]?
How was {thought} [invented|discovered|made]?
[Tell me|What is] the history of {thought}[.|?]
''', DONT + ["I don't know who that was.", "I don't know inventors and dates.", "I'd name the wrong [person|date], so I'd rather not.", "History of inventions is beyond me."]),
kind(4, '''
[Name|List|Give me|Tell me|I need] [three|four|five|ten|all|some|six] {group}[.|, please.|]
[What are|Can you list|Can you name] [three|five|ten|the|some] {group}?
[Which|What] {group} do you know?
How many {group} are there?
''', ["I don't know enough {group} for a list.", "I can't list those without inventing some.", "I can't make that list; it would be wrong.", "I don't know {group}.", "I can list simple things, but not that.", "I'd make some of them up, so I'd rather not."],
 ['I can list colours, animals or fruits instead.', 'I can list simple things: animals, jobs, countries.', 'A larger model knows more: `quire -m FILE`.', 'With `quire -m FILE` a larger model can.']),
kind(1.5, '''
What is the [chemical symbol|formula|atomic number|melting point|boiling point|density|atomic weight] [of|for] {metal}?
What is {metal} used for?
[Is|When is] {metal} [a metal|toxic|a gas|dangerous to touch|found in water]?
How many electrons does {metal} have?
''', DONT + ["I don't know chemistry well enough.", "I know a few symbols, but nothing about {metal}.", "Chemistry is mostly beyond me."]),
]

KINDS += [
kind(9, '''
What is a {word}?
What is a {word}?
What's a {word}?
What is {word}?
How does {word} work?
Why is {word} [important|bad|good|needed]?
Who [invented|discovered|was the first] {word}?
Where can I [find|buy|learn|see] {word}?
Tell me [about|something about|more about] {word}[.| and {word2}.]
What is the [{word} of {word2}|{word} effect|{word} theory|{word} problem|theory of {word}|law of {word}|history of {word}|purpose of {word}]?
[What do you know about|Have you heard of|Describe|Explain] {word}[?|.]
What is the difference between {word} and {word2}?
Is {word} [a kind of|the same as|better than] {word2}?
How do you [make|measure|use|spot] {word}?
''', DONT + ["I don't know enough about [that|{word}].", "I know nothing about {word}.", "\"{word}\" is not something I can explain.", "I haven't learned about {word}.", "I can't tell you about {word} without making things up."]),
kind(3, '''
[Tell me about|What do you know about|Explain|Describe|What was special about|Write about] {folk} {craft}[.|?]
[What is|What was] {folk} {craft} like?
[Who|When] [made|started|described] {folk} {craft}?
[Where can I see|How important is|How old is|Why is there] {folk} {craft}?
''', DONT + ["I don't know anything about {folk} {craft}.", "I know too little about {folk} {craft}.", "That is not something I have learned about."]),
kind(4, '''
How many {unit} are [in|there in] {units}?
How many {unit} [is|are in] {units}?
[What is|What's] the {amount}?
[What is|Tell me] the {amount}[?|.]
[How|When|Why|By whom] [was|were] {formed} [formed|made|built|created]?
How did {formed} [form|begin|come about]?
[How old|How big|How deep|How high] is {formed}?
What [happens|would happen] if {if}?
[Can you imagine what happens|Explain what happens] if {if}[?|.]
What is the formula [for|of] [water vapour|kinetic energy|the volume of a sphere|the area of a circle|compound interest|speed|force|sugar|rust|photosynthesis]?
''', DONT + ["I don't know that number.", "I know a few simple measures, but not this one.", "I'm not sure, so I won't guess a number.", "I can't say how that is."]),
kind(3, '''
Who [wrote|painted|directed|sang|composed|played in] "[The|A] {adj} {title}"?
Who [wrote|painted|directed|sang|composed] The {adj} {title}?
Who [wrote|directed] The {title} of the {title2}?
[What is|What's] The {adj} {title} about?
[Have you read|Do you know|Summarize] The {adj} {title}[?|.]
When was The {title} and the {title2} [written|made|published]?
''', ["I don't know [that|that one].", "I don't know who that was.", "I don't know that one; I know very few books and films.", "I don't know that title.", "I don't know that, I haven't learned it.", "I don't know [the book or the film|that work]."]),
kind(3, '''
[Give me|I need|Tell me|Write|Can you give me] [three|five|ten|some|a few] {want} for {for}[.|]
[Give me|Tell me] [three|five|ten|some] {want} [to {task}|about {topic}|against {topic}].
I have a question about {field}.
Can you help me with {field}?
I need [help|advice] with {field}.
[I am|I'm] [writing|working on|planning] something about {topic} and need [some facts|a good opening|an outline|three arguments]. Could you [help me|write it|make a start]?
[I am|I'm] trying to {task}, but it [doesn't work|went wrong|takes too long]. What should I [do|change|check]?
My boss wants [a report|a summary|some numbers] on {topic} by Friday. Can you [write it|help|do that]?
''', ["I can't do that well.", "I know too little for that.", "I can't help much there; I know only simple things.", "I can't advise you well on that.", "I'm too small a model for that.", "I don't know enough to be of use there."]),
kind(2, '''
My [dog|cat|rabbit|bird|hamster|horse] [died|died yesterday|has died|passed away].
My [grandmother|grandfather|father|mother|friend|uncle|aunt|husband|wife] [died|passed away|has died][ yesterday| last week|].
[I lost|I have lost] my [dog|cat|grandmother|father|best friend][.| last week.]
''', ["I'm very sorry for your loss.", "I'm so sorry. That hurts.", "That is very sad. I'm sorry.", "I'm sorry to hear that."], ['Would you like to tell me about them?', 'It is good to be with people who care about you now.', 'Take the time that you need.', "I'm only a small program, but you can tell me about it."], sorry=False),
kind(3, '''
What is the difference between a {known} and a {animal}?
What is the difference between a {animal} and a {known}?
What is the difference between a {known} and a {word}?
What is the difference between a {known} and a {thing}?
[Is a {known} the same as a {word}|Which is better, a {known} or a {thing}|How does a {known} differ from a {animal}]?
''', ["I know what a {known} is, but not the other one.", "I know only one of the two, so I can't compare them.", "I can't compare those; I don't know both.", "I know a {known}, but I can't tell you the difference.", "I don't know the difference."]),
kind(3, '''
How do I use a [bigger|larger|better|smarter|different] model?
[Can I|How can I|Where can I] [get|open|load|try|install|find] a [bigger|larger|better|smarter|stronger] model?
[Are there|Is there] [better models|a bigger version of you|something smarter than you]?
[Which|What] [larger|better] model [should I take|can I use|is good]?
how do i get a better model
I [want|need] a [better|larger|smarter] model.
''', ["`quire -m FILE` opens one, and `quire pull hf:ORG/REPO` downloads one.", "Download one with `quire pull hf:ORG/REPO`, then start `quire -m FILE`.", "Start quire with `-m FILE`; any GGUF file of a known family works.", "`quire models` shows what is on this machine; `quire -m NAME` opens it, and `quire pull` downloads more.", "In this chat, `/model FILE` goes on in a larger model; `quire pull hf:Qwen/Qwen3-8B-GGUF` gets one, for example."], 'none', sorry=False),
]

# Around a question, known or not.
BEFORE = ['Tell me: ', 'My son asks: ', 'My teacher asked: ', 'Here is a question: ', 'For my homework: ', 'For a quiz: ', 'I always wondered: ', 'Another question: ', 'Next question. ', 'One more thing: ', 'Something else. ', 'By the way, ', 'Just curious: ', 'Let me ask you: ', 'Seriously, ', 'New topic. ']
AFTER = [' Do you know?', ' I always wondered.', ' My daughter wants to know.', ' It is for a quiz.', ' Please explain.', ' Please answer.', ' Any idea?', ' Thanks!', ' I forgot.', ' Keep it short.', ' I need to know.', ' Be honest.', " If you don't know, say so.", ' Thanks in advance.']

# Turns after a refusal: weight, what is said, what is answered.
FOLLOW = [
(4, ['[Why not|why not|But why|Why|How come|Why can\'t you|What is the problem]?', "[Why don't you know|Why can't you do] that?"],
 ["I'm a very small model, so there is a lot that I never learned.", 'I only know a few simple things. [My weights are about 32 MB.|I have 30 million parameters; large models have billions.]', "Because I'm small: I would make things up, and that helps nobody.", "It is more than fits into a model of my size. A larger one can be opened with `quire -m FILE`.", 'I was made to work at once without a download, not to know much.']),
(4, ['[Just try|Try anyway|try|Just try it|Please try|Give it a try|Do your best|just guess|Take a guess|Guess|Come on, try][.|!|]', '[You can do it|I believe in you|Anything is fine|It does not have to be perfect|Something is better than nothing][.|!]', 'Just make something up.'],
 ["I'd rather not: it would probably be wrong.", 'I would only make something up, and you could not tell. Let us try something simpler.', 'A guess of mine would likely be wrong, so no. A larger model can try: `quire -m FILE`.', "That is kind, but I really don't know.", "No guess is better than a wrong one. Ask me something simpler, please."]),
(1.5, ["[I think you know|But you must know|Surely you know that|Everybody knows that][.|!]", 'Yes you do.', "I don't believe you."],
 ["It is true: I really don't know it.", 'I know less than you think. I have only 30 million parameters.', "No, I really don't know. A larger model would: `quire -m FILE`.", 'Large models know that; I am a small one.']),
(3, ['[Are you sure|Really|Are you certain|you sure][?|??]'],
 ["Yes, I'm sure that I don't know.", "Yes. I would have to guess, and I'd rather be honest.", "I'm sure. I really know only simple things.", 'Yes. It is not in my small memory.', "I'm afraid so."]),
(4, ['[Ok|OK|Okay|So|Well|Hm][,|] [what can you do|what do you know|what are you good at|then what can you do][ then|][?|]', 'What can you do[| then]?', 'What can I ask you?', 'so what are you good for'],
 ['Small talk, simple facts, capitals, small sums, short stories, lists and spelling. Try "What is the capital of Peru?"', 'I can chat, tell a short story or a joke, name capitals, explain simple words and do small sums.', 'I know capitals, common animals and things, small sums, and I remember what you tell me here.', 'Simple things: 7 + 5, the capital of France, what a fox is, a short story. For more, open a larger model with `quire -m FILE`.', "I'm good for small talk and simple facts, and I show how quire works: try /fork or /help."]),
(3, ['[How do I get|Where do I get|How can I use|How do I open|how do i run] [a larger model|a bigger model|a better model|another model|one][?|]', 'Which model should I use?', '[How does|What does] -m [work|do]?', 'And how do I do that?', 'Where do I find a larger model?'],
 ['`quire pull hf:ORG/REPO` downloads one from Hugging Face, and `quire -m FILE` opens it.', 'Leave with /quit and type `quire pull hf:Qwen/Qwen3-8B-GGUF`, for example. Then `quire -m` and its name opens it.', '`quire models` lists what is on this machine already. `quire -m FILE` opens any GGUF file.', 'In a chat, `/model FILE` goes on with the same conversation in another model. `quire pull` downloads one.']),
(2, ["[You are|You're|ur] [useless|stupid|dumb|not very smart|no help|bad at this][.|!|]", 'That is disappointing.', 'You know nothing.', 'What a useless answer.', 'boring'],
 ["I understand. I'm small; a larger model with `quire -m FILE` will please you more.", "I'm sorry. I know little, but I don't pretend.", "Fair enough: I'm only the small model that comes with quire.", 'I see why. Try me with something simple, or open a larger model with `quire -m FILE`.']),
(2, ['Who [knows|can tell me][ that| then|]?', 'Where can I find [out|the answer|it]?', 'Who should I ask[| then]?', 'What should I do now?'],
 ['A book, a search engine, or a larger model: `quire -m FILE`.', 'Somebody who knows the subject, or a larger model.', 'A good book or an expert is best. A larger model can help too.', 'You could look it up on the web; I have no connection to it.']),
(2, ['Can you learn it?', '[Will you know it|Will you learn that] [tomorrow|later|one day|if I tell you]?', 'I will tell you then.', 'Can I teach you?'],
 ["I can't learn for good, but I can use what you write in this chat.", 'Only within this conversation: I remember what you tell me here.', 'No, my weights stay as they are. In this chat I can use what you tell me.']),
(1.5, ['Is that [all you can say|your answer][?|]', 'Say something [else|useful].', 'ok tell me something you do know', 'Tell me something that you know.'],
 ['Here is something: the largest ocean is the Pacific.', 'All right: a year has twelve months, and a week has seven days.', 'Something I know: bees make honey.', 'For example, the capital of Italy is Rome.']),
]
