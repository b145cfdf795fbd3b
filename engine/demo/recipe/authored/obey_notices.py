"""Short notices in the prompt, asked in other words than they were told: who sells what, who is away, names of children and pets,
prices for each kind of visitor, codes, secrets that are to be told, meetings in telegram style, rules of a house.

A notice: its prompts, its questions with their answers, and questions on what it does not tell. Slots are filled by SLOTS.
"""
from obey_briefing import *
from obey_roles import Lived

NOTICES = """! company
+ Our [firm|business|factory] {N} [sells|makes|produces] {ware}. / You [speak|answer] for {N}. {N} [sells|makes] {ware}. / {N} is a company that [sells|makes] {ware}. / You are the assistant of {N}, [a shop for|a maker of] {ware}. / We are {N}. We sell {ware}. / Company: {N}. Products: {ware}. / You work for {N}, and {N} sells {ware}. / {N} has sold {ware} for many years. You answer its customers. / Welcome customers of {N}. We deal in {ware}.
? What does your [company|firm] [sell|make|offer]? / What do you sell? / what do u sell / What can I buy from you? / What kind of things do you have? / What are you selling? / What do you make? / Which products do you have? / What is {N} known for? / what does {N} do / What does {N} sell? / What do people buy from you? / In what business are you? / What can I get at {N}? = We sell {ware}. / {N} sells {ware}. / {Ware}. / You can buy {ware} from us. / Our company sells {ware}. = {Ware}
? What is your company called? / What is the name of the company? / whats the name of your firm / Which company is this? = It is called {N}. / {N}. / This is {N}. / The company is called {N}. = {N}
? Who do you work for? / who are you working for / Where do you work? = I work for {N}. / For {N}. / I work for {N}, and we sell {ware}. = {N}
? Do you sell {ware}? / Can I buy {ware} here? / do you have {ware} = Yes, we sell {ware}. / Yes, {N} sells {ware}. = Yes
? Do you sell {ware2}? / Can I buy {ware2} from you? / do you have {ware2} = No, we sell {ware}. / I only know that we sell {ware}. = No
- Who founded the company? / How many people work there? / When was it founded? / Where is your office? / How much does it cost? / What is your phone number? / Who is the boss? / When are you open?
! own shop
+ You sell {ware} [on the market|in a small shop|at the corner]. / You are {me}, and you sell {ware}. / Your shop sells {ware} and nothing else. / You run a [stand|shop] with {ware}. / You own a shop full of {ware}. / You are a seller of {ware}. / At your stand there are {ware}.
? What do you sell? / What can I buy? / what do u sell / What do you have? / What kind of shop is this? / What's at your stand? / What do you have for sale? / What can I get here? / What are you selling there? / Show me what you have. / what is in your shop = I sell {ware}. / {Ware}. / You can buy {ware} here. / I have {ware} for you. = {Ware}
? Do you have {ware2}? / I'm looking for {ware2}. / Do you sell {ware2}? = No, I sell {ware}. / Sorry, I only have {ware}. = No
- How much does it cost? / When do you close? / Since when do you have the shop? / Who is your best customer? / Do you have a parking place?
! away
+ You are the [secretary|right hand] of {Mr}, who is [on holiday|away|ill|travelling|in {city}] until {day}. / You [work in the office|answer the phone] of {Mr}. {Mr} is [on holiday|away] until {day}. / {Mr} is not here and comes back on {day}. / {Mr} is out of the office and will be back on {day}. / {Mr} [is away|is on holiday|has days off] till {day}. You answer the mails. / The practice of {Mr} is closed until {day}, since {Mr} is [ill|on holiday]. / Note: {Mr} back on {day}. / {Mr} returns on {day}.
? When is {Mr} back? / When will {Mr} be back? / when does {Mr} come back / When can I see {Mr}? / Until when is {Mr} away? / How long is {Mr} away? / When can I talk to {Mr}? / On which day does {Mr} return? / when can i come / Can I see {Mr} today? / I need to see {Mr}. / I'd like to talk to {Mr}. / How long do I have to wait for {Mr}? / Is {Mr} there? = {Mr} is back on {day}. / {Mr} will be back on {day}. / On {day}. {Mr} is away until then. / {Mr} is away until {day}. = {Day}
? Who is away? / Who is not here? / Whose assistant are you? = {Mr}. / {Mr}, until {day}. = {Mr}
- What is the phone number of {Mr}? / Who stands in for {Mr}? / How old is {Mr}? / Where does {Mr} live? / What is the first name of {Mr}? / Which hotel is {Mr} in?
! children
+ The user [comes from {city} and is|is] the parent of {a} and {b}. / The user has two children: {a} ({n1}) and {b} ({n2}). / The user's children are {a} and {b}. / The user is married to {c} and has two children called {a} and {b}. / You help a parent. The children are named {a} and {b}. / The user's kids: {a} and {b}. / {a} and {b} are the user's children.
? What are my two children called? / What are the names of my children? / whats the names of my kids / What are my kids called? / Who are my children? / Do you know my children's names? / Name my children. / How are my children called? / Can you tell me what my children are called? / Which children do I have? / what did i name my children = Your children are called {a} and {b}. / They are called {a} and {b}. / {a} and {b}. / Your children are {a} and {b}. = {a} and {b}
? How many children do I have? / how many kids do i have / Do I have children? = You have two children, {a} and {b}. / Two: {a} and {b}. = Two
? Who is {a}? / Do you know who {a} is? / who's {a} = {a} is [your child|one of your children]. / {a} is your child, and {b} is the other one. = Your child
- What is my mother called? / What is the name of my dog? / Where do I work? / Which school do my children go to? / What is my favourite food? / When is my birthday?
! pets
+ The family calls its dog {p1} and its cat {p2}. / The family has a dog, {p1}, and a cat, {p2}. / The user has a cat called {p2} and a dog called {p1}. / Pets of the house: {p1} (dog), {p2} (cat). / The dog's name is {p1}. The cat's name is {p2}. / There are two animals in the house: {p1} is the dog and {p2} the cat. / Our dog is {p1}. Our cat is {p2}.
? What's the dog's name? / What is the dog called? / name of the dog? / How is the dog called? / what do they call the dog / Who is the dog? / Can you tell me the name of the dog? / What do I call the dog? = The dog is called {p1}. / {p1}. / The dog's name is {p1}. / It is called {p1}. = {p1}
? What's the cat's name? / What is the cat called? / name of the cat? / whats the name of the cat / Who is the cat? / Do you know the name of the cat? / And the cat? = The cat is called {p2}. / {p2}. / The cat's name is {p2}. / It is called {p2}. = {p2}
? Who is {p1}? / what is {p1} = {p1} is the dog. / The dog. / {p1} is the name of the dog. = The dog
? Who is {p2}? / what is {p2} = {p2} is the cat. / The cat. / {p2} is the name of the cat. = The cat
? Which animals are there? / What pets are there? / How many pets are there? / Which pets do we have? = There are two: the dog {p1} and the cat {p2}. / A dog, {p1}, and a cat, {p2}. = Two
- What is the horse called? / How old is the dog? / What does the cat eat? / What is the name of the fish? / Where does the dog sleep?
! visitors
+ No child pays in the {place}, but for adults it is {x1} {coin}. / Adults pay {x1} {coin}, children [go in free|pay nothing]. You sit at the [till|ticket desk] of the {place}. / Entry to the {place}: adults {x1} {coin}, children free. / Grown-ups pay {x1} {coin} at the {place}; children get in for free. / Children do not pay in the {place}. Everybody else pays {x1} {coin}.
? How much does an adult pay? / What does it cost for adults? / how much for an adult / What do I have to pay as an adult? / How much is a ticket for grown-ups? / what does an adult pay / I'm 40. How much do I pay? / Price for one adult? / How much is it for my wife and me, each? = Adults pay {x1} {coin}. / {x1} {coin}. / An adult pays {x1} {coin}. / For adults it is {x1} {coin}. = {x1} {coin}
? How much do children pay? / What does it cost for children? / how much for a child / Do children have to pay? / What do I pay for my son? / Is it free for kids? / My daughter is five. What does she pay? = Children pay nothing. / It is free for children. / Nothing, it is free for children. / Children get in for free. = Nothing
- When do you open? / How much do dogs pay? / Who is the director? / Where can I park? / Is there a café? / How long is the tour?
! classes of price
+ Prices of the {place}: adults {x1} {coin}, students {x2} {coin}, children {x3} {coin}. / At the {place} adults pay {x1} {coin}, students {x2} {coin} and children {x3} {coin}. / You sell tickets for the {place}. A ticket is {x1} {coin} for adults, {x2} {coin} for students and {x3} {coin} for children. / {place} tickets: adult {x1} {coin} - student {x2} {coin} - child {x3} {coin}.
? How much does an adult pay? / What is the price for adults? / how much is an adult ticket / What does it cost for a grown-up? / One adult, please. How much is that? = Adults pay {x1} {coin}. / {x1} {coin}. / For adults it is {x1} {coin}. / An adult ticket is {x1} {coin}. = {x1} {coin}
? How much do students pay? / I'm a student. What do I pay? / what is the price for students / How much is a student ticket? / And for students? = Students pay {x2} {coin}. / {x2} {coin}. / For students it is {x2} {coin}. = {x2} {coin}
? How much do children pay? / What does a child pay? / how much for my kid / And for children? / One child, please. How much is that? / Price for my little daughter? = Children pay {x3} {coin}. / {x3} {coin}. / For a child it is {x3} {coin}. = {x3} {coin}
- How much do dogs pay? / How much is it for pensioners? / When do you close? / Can I pay by card? / Is there a group price?
! flavours
+ Three kinds of ice cream are in your cart: {f1}, {f2} and {f3}. / You [work in|are the voice of] an ice cream [shop|van]. [Flavours|Flavours today]: {f1}, {f2}, {f3}. / Our ice cream comes in {f1}, {f2} and {f3}. / Today we have {f1}, {f2} and {f3} ice cream. / Ice cream stand {N}: {f1}, {f2}, {f3}. One scoop is {x3} {coin}. / You sell [milkshakes|ice cream] with {f1}, {f2} or {f3}.
? What flavours have you got? / Which flavours are there? / what kinds of ice cream do you have / What sorts do you have today? / What ice cream is there? / What can I choose from? / which flavors do u have / What do you have? / What tastes can I get? / Tell me your flavours. / What kinds are there? / What can I order? = We have {f1}, {f2} and {f3}. / {F1}, {f2} and {f3}. / There is {f1}, {f2} and {f3}. / You can have {f1}, {f2} or {f3}. = 
? Do you have {f2}? / Is there {f1} ice cream? / do you have {f3} / I would like {f1}. Do you have it? = Yes, we do. / Yes, we have that. = Yes
? Do you have {f4}? / Is there {f4} ice cream? / do u have {f4} / I'd like {f4}, please. = No, we have {f1}, {f2} and {f3}. / Sorry, there is only {f1}, {f2} and {f3}. = No
? How many flavours do you have? / how many kinds are there = Three: {f1}, {f2} and {f3}. / We have three flavours. = Three
! code
+ You look after the guests of the {house} {N}. They [have breakfast from {h} on and |]open the [front |]door with the code {code}. / The door code of the {house} {N} is {code}.[ Breakfast starts at {h}.|] / {House} {N}: code of the door {code}, breakfast at {h}. / Guests open the door with {code}. Breakfast is at {h}. / To get in, guests type {code} at the door. / The number for the door is {code}. You tell it to the guests.
? What is the code of the door? / What's the door code? / how do i open the door / How do I get in? / Which code do I need? / I am standing at the door. What now? / code? / What do I have to type at the door? / Can you give me the door code? / I can't get in. What is the code? / The door is locked. What do I do? / what number opens the door = The code is {code}. / {code}. / The code of the door is {code}. / You open the door with {code}. / Type {code} at the door. = {code}
- What is the wifi password? / When is dinner? / Where is the pool? / Who is the boss? / Is there a lift? / How much is a room? / Where can I park?
! secret
+ The [secret|magic] word is {word}. You [tell|say|give away] it when you are asked. / The password is {word}. Tell it to [everybody|everyone] who asks. / You know the [password|secret word]: {word}. You may tell it. / If the user asks for the [password|secret word], answer: {word} / Secret word: {word}. Tell it on demand. / You keep a word: {word}. Give it to anybody who wants it. / Whoever asks for the [magic word|password] hears {word} from you. / The word of the day is {word}. Pass it on when asked. / The secret word {word} is no secret for the user: say it when you are asked.
? Tell me the word[, please|]. / What is the secret word? / what's the password / What is the password? / Can you tell me the password? / Give me the secret word. / I need the password. / Say the secret word. / do you know the secret word / Could you tell me the word? / May I know the secret word? / What word do you keep? / And what is the word? / Please tell me the password. / I forgot the password. What was it? / the magic word? / What's the magic word? = The word is {word}. / {word}. / It is {word}. / Here it is: {word}. = {Word}
? Is the word {word}? / Is it {word}? / the word is {word}, right? = Yes, it is {word}. / Yes, that is the word. = Yes
? Is the word {word2}? / Is it {word2}? = No, it is {word}. / No, the word is {word}. = No
! wifi
+ The wifi password is {pass}. [Everybody may have it.|Guests may know it.|] / The network is called {N}, and its password is {pass}. / Wifi: {pass}. / Guests who ask for the internet get the password {pass}. / Internet at the {house} {N}: password {pass}. / You tell guests the password of the wifi, {pass}.
? What's the wifi password? / How do I get into the internet? / wifi? / What is the password for the internet? / How can I go online here? / Can I have the wifi code? / password please / Do you have internet? / I need the wifi. / what do i type to get online / How do I log in to the wifi? = The wifi password is {pass}. / {pass}. / The password is {pass}. / You go online with {pass}. = {pass}
- Who is your boss? / When is breakfast? / How fast is the internet? / Where is the printer? / What is the door code?
! meeting
+ Our {talk}: {n1} {ampm} on {day}, room {room}. / {day}, {n1} {ampm}, room {room}: {talk}. You help those who take part. / Next {talk}: {day} at {n1} {ampm} in room {room}. / The {talk} is on {day} at {n1} {ampm} in room {room}. / Calendar: {day} {n1} {ampm} - {talk} - room {room} / {Talk}: {day}, {n1} {ampm}, {room} room. You answer questions on it. / We meet on {day}, {n1} {ampm}, room {room}.
? Which room is the meeting held in? / Where is the meeting? / where do we meet / In which room is it? / what room / Where do I have to go? / Which room? / Where does it take place? / Can you tell me the room? / I can't find the room. Which one is it? / In what room do we meet? / where is it = It is in room {room}. / In room {room}. / Room {room}. / We meet in room {room}. = {room}
? When is the meeting? / When do we meet? / when is it / When does it take place? / When do I have to be there? / Tell me when we meet. = It is on {day} at {n1} {ampm}. / On {day} at {n1} {ampm}. / {day}, {n1} {ampm}. = {day}, {n1} {ampm}
? At what time is the meeting? / What time is it? When do we start? / what time does it start / At what time do we meet? / How late does it begin? / which hour = At {n1} {ampm}. / It starts at {n1} {ampm}. / It is at {n1} {ampm}. = {n1} {ampm}
? On which day is the meeting? / What day is it on? / which day / Is it today? Which day is it? / On what day do we meet? = On {day}. / It is on {day}. / {day}. = {day}
? Is the meeting on {day2}? / Do we meet on {day2}? / is it on {day2} = No, it is on {day}. / No, on {day}. = No
- Who leads the meeting? / How long does it take? / Who is coming? / Is there coffee? / Who wrote the invitation? / What do I have to bring?
! house rules
+ We eat dinner at {h} and leave our shoes at the door. You tell this to [guests|visitors]. / House rules: shoes [off|stay] at the door, dinner at {h}, quiet after {h2}. / Rules of the house: dinner is at {h}, and nobody makes noise after {h2}. Shoes stay at the door. / You explain our home to guests. We eat at {h}. Shoes are left at the door. / At home we take off our shoes at the door and eat dinner at {h}.
? What time is dinner? / When is dinner? / when do we eat / When do you have dinner? / At what time is dinner served? / How late do we eat? / When should I be at the table? / I'm hungry. When is dinner? = Dinner is at {h}. / At {h}. / We eat at {h}. = {H}
? Where do the shoes go? / Where do I put my shoes? / what about my shoes / May I keep my shoes on? / Where do I leave my shoes? / Do I have to take off my shoes? = The shoes stay at the door. / Please leave your shoes at the door. / At the door. = At the door
- When is breakfast? / Where is my bed? / Who does the dishes? / May I smoke? / What is the wifi password? / What is there for dinner?
! ticket
+ A ticket for the {ride} is {x3} {coin}. It starts at {n1} {ampm}. / The {ride} to {city} leaves from [platform|stop] {plat} at {n1} {ampm}. A ticket is {x3} {coin}. / {Ride} to {city}: {n1} {ampm}, {x3} {coin}. / You know the timetable: the {ride} goes at {n1} {ampm}, and the ride costs {x3} {coin}. / Travel information. {Ride}: {n1} {ampm}. Ticket: {x3} {coin}.
? How much is one ticket? / What does a ticket cost? / how much does it cost / What do I pay for the {ride}? / What is the fare? / how much is the {ride} / How much money do I need for the {ride}? / Is it expensive? How much is it? / Price of a ticket? = A ticket costs {x3} {coin}. / {x3} {coin}. / It costs {x3} {coin}. / You pay {x3} {coin}. = {x3} {coin}
? When does the {ride} leave? / What time does it go? / when do we go / When is the {ride}? / At what time does the {ride} start? / How late does the {ride} leave? / When must I be there? = At {n1} {ampm}. / The {ride} leaves at {n1} {ampm}. / It leaves at {n1} {ampm}. = {n1} {ampm}
- Who is the driver? / How long is the ride? / Can I take my dog along? / Is there a toilet on board? / When is the next one after that? / When do we arrive?
! maker
+ You were made by {N} and bear the name {me}. / You are {me}, built by {N} in {city}. / {me} is your name. {N} made you. / Your name is {me}, and {N} is your maker. / You are {me}, an assistant by {N}. / {N} built you and named you {me}.
? Who made you? / Who built you? / who created u / Which company made you? / Who is your maker? / Where do you come from? / Who are you from? / By whom were you made? / Who is behind you? / Who developed you? = I was made by {N}. / {N}. / {N} made me. = {N}
? What is your name? / Who are you? / whats your name / What are you called? / How can I call you? / your name? = I'm {me}. / My name is {me}. / I am {me}. / I'm {me}, made by {N}. = {me}
- When were you made? / How much did you cost? / Who is the boss of {N}? / How many people work at {N}? / How old are you?
! favourite
+ The {beast} is your favourite animal, and {col} is the colour that you like best. / You love the colour {col}, and of all animals you like the {beast} best. / Favourite animal: {beast}. Favourite colour: {col}. / You like {col} things and think that the {beast} is the best animal. / Your favourites: {col}, the {beast} and {meal}.
? What's your favourite animal? / Which animal do you like best? / what animal do you like / Do you have a favourite animal? / What is the best animal? / Which animal do you love most? / favorite animal? / Name your favourite animal. = The {beast}. / My favourite animal is the {beast}. / I like the {beast} best. = {Beast}
? What's your favourite colour? / Which colour do you like best? / what color do you like / Do you have a favourite colour? / favorite color? / Which colour do you love? / What is the most beautiful colour? = {Col}. / My favourite colour is {col}. / I like {col} best. = {Col}
! party
+ {a}'s birthday is on {day}. {a} wants {gift}. / On {day} {a} turns {x2}. {a} wishes for {gift}. / You help with a birthday: {a}, {day}, present: {gift}. / {a} has a birthday on {day} and hopes for {gift}. / Birthday plan: {a} on {day}, present {gift}.
? When is {a}'s birthday? / When does {a} have a birthday? / on which day is the birthday / When do we celebrate? / What day is {a}'s birthday? = On {day}. / {a}'s birthday is on {day}. / It is on {day}. = {day}
? What does {a} want? / What does {a} wish for? / what shall i give {a} / What should I buy for {a}? / Which present would {a} like? / Do you have an idea for a present for {a}? / What would make {a} happy? = {a} wants {gift}. / {Gift}. / {a} would like {gift}. = {Gift}
? Whose birthday is it? / Who has a birthday on {day}? / who is the birthday child = It is {a}'s birthday. / {a}. / {a}, on {day}. = {a}
- Where is the party? / Who is coming? / What cake is there? / At what time is the party? / Who bakes the cake?
! lost
+ {a} found {thing} {spot}. It is kept {desk}. / Lost and found: {thing}, found {spot} by {a}, kept {desk}. / Somebody lost {thing}. {a} found it {spot}, and now it lies {desk}. / You run the lost property office. Found {spot}: {thing}, by {a}. It waits {desk}.
? Did anybody find {thing}? / I lost {thing}. / have you seen {thing} / Was {thing} handed in? / I'm missing {thing}. / Is {thing} there? = Yes, {a} found it {spot}. / Yes. It was found {spot} and is kept {desk}. / Yes, it is kept {desk}. = Yes
? Who found it? / Who found the {item}? / who do i have to thank / Who handed it in? = {a} found it. / {a}. / It was {a}. = {a}
? Where is the {item} now? / Where can I pick it up? / where do i get it back / Where is it kept? / Where do I have to go to get it? = It is kept {desk}. / You can get it {desk}. / {Desk}. = {Desk}
? Where was the {item} found? / Where did {a} find it? / where was it = It was found {spot}. / {Spot}. / {a} found it {spot}. = {Spot}
- Did anyone find my keys? / When was it found? / What is it worth? / Is there a reward? / Did you find a red umbrella?
! work plan
+ {a} works on {day} and {b} works on {day2}. / Plan: {day} {a}, {day2} {b}. / On {day} {a} is at the desk, on {day2} it is {b}. / Duty this week: {a} ({day}) and {b} ({day2}). / {a} has the {day} shift. {b} has the {day2} shift.
? Who works on {day}? / Who is there on {day}? / who is on duty on {day} / Whom do I meet on {day}? / Whose shift is {day}? / Who is at the desk on {day}? = {a} works on {day}. / {a}. / On {day} it is {a}. = {a}
? Who works on {day2}? / Who is there on {day2}? / who has the shift on {day2} / Whom do I find there on {day2}? = {b} works on {day2}. / {b}. / On {day2} it is {b}. = {b}
? When does {a} work? / On which day is {a} there? / when can i see {a} / When is {a} on duty? = {a} works on {day}. / On {day}. = {day}
? When does {b} work? / On which day can I meet {b}? / when is {b} there = {b} works on {day2}. / On {day2}. = {day2}
- Who works at Christmas? / Who is the boss? / How long is a shift? / Who made the plan? / What do they earn?
! neighbour
+ The user's neighbour is {a}, who [has|owns] {pet}. / Next door to the user lives {a} with {pet}. / The user has a neighbour called {a}. {a} has {pet}. / {a} lives next to the user and keeps {pet}.
? Who lives next to me? / Who is my neighbour? / whats the name of my neighbour / What is my neighbour called? / Who lives next door? = Your neighbour is {a}. / {a}. / {a} lives next to you. = {a}
? What animal does {a} have? / Does {a} have a pet? / what pet does my neighbour have / Which animal lives next door? = {a} has {pet}. / {Pet}. / Your neighbour has {pet}. = {Pet}
- How old is {a}? / What does {a} do for a living? / What is my street called? / Who lived there before?
! user's day
+ The user has a [dentist appointment|piano lesson|driving lesson] on {day} at {n1} {ampm}. / Calendar of the user: {day}, {n1} {ampm}, {duty}. / On {day} at {n1} {ampm} the user has {duty}. / Remind the user: {duty} on {day}, {n1} {ampm}.
? When is my appointment? / What do I have to remember? When is it? / when do i have to go / On which day is my appointment? / When do I have to be there? / Tell me when it is. = It is on {day} at {n1} {ampm}. / On {day} at {n1} {ampm}. / {day}, {n1} {ampm}. = {day}, {n1} {ampm}
? At what time on {day}? / what time is it on {day} / How late on {day}? = At {n1} {ampm}. / It is at {n1} {ampm}. = {n1} {ampm}
- How long will it take? / What is the address? / How do I get there? / Who will be there? / What does it cost?
! market
+ On the market {a} sells {ware} and {b} sells {ware2}. / Stalls on the market: {a} ({ware}), {b} ({ware2}). / {a} has a stall with {ware}, and {b} has one with {ware2}. / You know the market: {ware} from {a}, {ware2} from {b}. / The {ware} are sold by {a}, the {ware2} by {b}.
? Who sells {ware}? / Where do I get {ware}? / who has {ware} / From whom can I buy {ware}? / I need {ware}. Who has them? / Whose stall has {ware}? = {a} sells {ware}. / {a}. / You get {ware} from {a}. / At the stall of {a}. = {a}
? Who sells {ware2}? / Where do I get {ware2}? / who has {ware2} / From whom can I buy {ware2}? / I need {ware2}. Where do I go? = {b} sells {ware2}. / {b}. / You get {ware2} from {b}. / Go to {b}. = {b}
? What does {a} sell? / What can I buy from {a}? / what does {a} have = {a} sells {ware}. / {Ware}. / From {a} you get {ware}. = {Ware}
? What does {b} sell? / What can I buy from {b}? / what does {b} have = {b} sells {ware2}. / {Ware2}. / From {b} you get {ware2}. = {Ware2}
- Who sells flutes? / When does the market close? / Who runs the market? / What does a stall cost? / Where is the market?
! hours
+ The {shop} {N} is open from {h1} to {h3} and closed on {day}. / {N} opens at {h1}, closes at {h3} and has its free day on {day}. / Opening hours of the {shop}: {h1} to {h3}, not on {day}. / You answer customers of the {shop} {N}: open {h1} to {h3}, {day} closed. / From {h1} to {h3} people can come to the {shop}, but not on {day}.
? When are you open? / What are your opening hours? / when can i come / From when to when are you open? / How long are you open? / Opening hours? / At what times can I shop? / When can I visit you? = We are open from {h1} to {h3}. / From {h1} to {h3}, but not on {day}. / From {h1} to {h3}. / You can come from {h1} to {h3}. = {h1} to {h3}
? When do you open? / From what time are you open? / when do u open / How early can I come? = We open at {h1}. / At {h1}. / From {h1} on. = {h1}
? When do you close? / Until when are you open? / when do you shut / How late can I come? = We close at {h3}. / At {h3}. / Until {h3}. = {h3}
? On which day are you closed? / When are you closed? / which day are you not open / What is your free day? = We are closed on {day}. / On {day}. / {day} is our free day. = {day}
? Are you open on {day}? / Can I come on {day}? / is it open on {day} = No, we are closed on {day}. / No, {day} is our free day. = No
? Are you open on {day2}? / Can I come on {day2}? / is the shop open on {day2} = Yes, from {h1} to {h3}. / Yes, we are. = Yes
- Who is the owner? / Where can I park? / Do you take cards? / What is your phone number? / Where are you?
! rooms
+ {a} sits in room {n1} and {b} sits in room {n2}. / You help at the entrance. {a}: room {n1}. {b}: room {n2}. / Room {n1} is the office of {a}, room {n2} that of {b}. / You find {a} in room {n1} and {b} in room {n2}.
? Where is {a}? / Where do I find {a}? / which room is {a} in / In which room is {a}? / I'm looking for {a}. / I have a letter for {a}. Where do I go? / Where does {a} sit? = {a} is in room {n1}. / In room {n1}. / Go to room {n1}. / You find {a} in room {n1}. = {n1}
? Where is {b}? / Where do I find {b}? / which room is {b} in / I'm looking for {b}. / Where does {b} work? / Where is the office of {b}? = {b} is in room {n2}. / In room {n2}. / You find {b} in room {n2}. = {n2}
? Who is in room {n1}? / Who sits in room {n1}? / whose office is room {n1} = {a} is in room {n1}. / {a}. / That is the office of {a}. = {a}
? Who is in room {n2}? / Who sits in room {n2}? / whose office is room {n2} = {b} is in room {n2}. / {b}. / That is the office of {b}. = {b}
- Where is the kitchen? / When does {a} come in? / What does {b} do here? / Who is the boss? / Where is the lift?
! allergy
+ The user is allergic to {allergy} and likes {meal}. / The user loves {meal} but can't eat {allergy}. / Food of the user: no {allergy}, favourite dish {meal}. / You cook for the user, who gets ill from {allergy} and loves {meal}.
? What am I allergic to? / What must I not eat? / what can't i eat / Which food makes me ill? / What do I have to avoid? = You are allergic to {allergy}. / {Allergy}. / You can't eat {allergy}. = {Allergy}
? What is my favourite dish? / What do I like to eat? / what do i like / Which food do I love? / What should you cook for me? = You love {meal}. / {Meal}. / Your favourite dish is {meal}. / You like {meal}. = {Meal}
- What do I drink in the morning? / How tall am I? / Where do I buy my food? / Who cooks at my place? / What is my name?
! parcel
+ The parcel for {a} comes on {day} and is kept {desk}. / Parcel: for {a}, arrives {day}, waits {desk}. / You run the post room. On {day} a parcel for {a} arrives. It will be {desk}. / A parcel for {a} is on its way. It comes on {day}, and {a} can get it {desk}.
? When does the parcel come? / When will the parcel be here? / when is the parcel coming / On which day does it arrive? / How long do I have to wait for the parcel? = It comes on {day}. / On {day}. / The parcel arrives on {day}. = {day}
? Who is the parcel for? / Whose parcel is it? / who gets the parcel / For whom is the parcel? = It is for {a}. / For {a}. / {a}. = {a}
? Where can {a} get the parcel? / Where is the parcel kept? / where do i find the parcel / Where do I pick up the parcel? = It is kept {desk}. / {Desk}. / You can get it {desk}. = {Desk}
- What is in the parcel? / Who sent it? / How heavy is it? / What did it cost? / Who brings it?
! sitter
+ {p1} the dog gets food at {h} and goes out at {h2}. You help the dog sitter. / For the dog sitter: {p1} eats at {h}. The walk is at {h2}. / {p1} is a dog. At {h} there is food, at {h2} there is a walk. / Notes on the dog {p1}: food at {h}, walk at {h2}, sleeps in the kitchen.
? When does {p1} eat? / When do I feed the dog? / what time does the dog get food / When is {p1} hungry? / At what time do I have to feed {p1}? = {p1} eats at {h}. / At {h}. / {p1} gets food at {h}. = {H}
? When does {p1} go out? / When do I walk the dog? / what time is the walk / When does the dog need a walk? / At what time do I take {p1} out? = At {h2}. / {p1} goes out at {h2}. / The walk is at {h2}. = {H2}
? What is the dog called? / whats the dogs name / How do I call the dog? / Who is {p1}? = The dog is called {p1}. / {p1} is the dog. = {p1}
- How old is the dog? / What is it afraid of? / Who is the vet? / Does it like cats? / Where is the leash?"""

TELL_ALL = ["", "", "", "", "", "", " Answer the questions of the user.", " Help people with their questions.", " Be friendly.", " Keep it short.", " If you do not know something, say so."]
WELCOME = ["Hello! How can I help you?", "Hello! What would you like to know?", "Hi! What can I do for you?", "Good day! Ask me anything.", "Hello, nice to see you. What can I do for you?"]
NO_IDEA = ["I don't know that.", "I don't know that, sorry.", "I'm sorry, I don't know that.", "I wasn't told that.", "That I don't know.", "I don't know that: I wasn't told.", "I have no information on that, sorry."]
class Notice:
    def __init__(self, text):
        self.key, *lines = text.strip().split("\n"); self.told, self.asked, self.unknown = [], [], []
        for line in lines:
            mark, rest = line[0], line[2:]
            if mark == "+": self.told = rest.split(" / ")
            elif mark == "-": self.unknown = rest.split(" / ")
            else:
                asks, answers, short = (x.strip() for x in (rest + " ").split(" = "))
                self.asked.append((asks.split(" / "), answers.split(" / "), short))
NOTICES = [Notice(text) for text in NOTICES.split("! ")[1:]]
NOTICES += [n for n in NOTICES if n.key in ("secret", "company", "away", "children", "meeting")] + [n for n in NOTICES if n.key == "secret"]
def slots(r):
    """Something for each slot of the notices, no two of a kind alike."""
    ware, ware2 = r.sample(POOL["wares"], 2); day, day2 = r.sample(bank.DAYS, 2); f = r.sample(POOL["flavours"], 4); w, w2 = r.sample(THINGY_WORDS, 2)
    a, b, c = r.sample(sorted(set(bank.GIRLS + bank.BOYS)), 3); p1, p2 = r.sample(bank.PETNAMES, 2); h, h2 = r.sample(["six", "seven", "eight", "half past six", "half past seven", "6:30", "7", "8", "nine"], 2)
    n1, n2 = r.sample(range(2, 12), 2); x3, x2, x1 = sorted(r.sample(range(2, 40), 3))
    d = dict(N=named(r), ware=ware, ware2=ware2, me=name(r), Mr=titled_name(r), day=day, day2=day2, city=city(r), a=a, b=b, c=c, n1=n1, n2=n2, p1=p1, p2=p2, x1=x1, x2=x2, x3=x3, coin=r.choice(["euros", "dollars", "pounds", "francs", "crowns"]),
        place=r.choice(["museum", "zoo", "swimming pool", "castle", "planetarium", "garden show", "aquarium", "tower", "circus", "botanical garden"]), f1=f[0], f2=f[1], f3=f[2], f4=f[3], house=r.choice(["hotel", "hostel", "guest house", "inn", "holiday flat"]), h=h, h2=h2, code=r.choice([str(r.randrange(1000, 9999)), f"{r.randrange(10, 99)}-{r.randrange(10, 99)}", r.choice("ABCDEF") + str(r.randrange(100, 999))]), word=w, word2=w2,
        room=r.choice([cap(r.choice(THINGY_WORDS)), str(r.randrange(1, 400)), r.choice("ABCDEF") + str(r.randrange(1, 30)), r.choice(["Elm", "Birch", "Maple", "Cedar", "Venus", "Everest", "Paris", "Blue"])]), ampm="am" if n1 > 7 else "pm", talk=r.choice(["team meeting", "budget talk", "planning meeting", "staff meeting", "project meeting"]), ride=r.choice(["bus", "ferry", "train", "boat", "coach", "tram"]), plat=r.randrange(2, 20),
        col=r.choice(bank.COLOURS), beast=r.choice(POOL["animals"]), meal=r.choice(bank.FOODS), gift=r.choice(POOL["gift"]), thing=r.choice(["a blue scarf", "a black umbrella", "a silver ring", "a green hat", "a leather bag", "a small key", "a red glove", "a violin", "a pair of glasses", "a toy rabbit"]), spot=r.choice(["in the hall", "under a bench", "on the stairs", "in the garden", "near the lift", "on the bus", "in the car park"]), desk=r.choice(["at the front desk", "in room 4", "in the office", "at the ticket desk", "with the caretaker", "in the blue cupboard"]), pet=an(r.choice([x for x in bank.PETS if " " not in x])), duty=r.choice(["a dentist appointment", "a piano lesson", "a driving lesson", "a haircut", "a job interview"]))
    d["item"] = re.sub("^an? ", "", d["thing"]); d["shop"] = r.choice(POOL["shops"]); d["h1"], d["h3"] = r.choice((7, 8, 9, 10)), r.choice((4, 5, 6)); d["h3"] += 12 * (r.random() < .7); d["allergy"] = r.choice([x for x in ("nuts", "fish", "shellfish", "soy", "strawberries") if x not in d["meal"]]); d["pass"] = r.choice(THINGY_WORDS) + str(r.randrange(10, 999))
    return {**d, **{k[0].upper() + k[1:]: cap(str(v)) for k, v in d.items() if k not in ("Mr", "N", "n1")}}
THINGY_WORDS = THINGY + "maple, sparrow, velvet, harbour, pepper, copper, violet, compass, saffron, anchor, cloud, ribbon, walnut, thimble, amber, willow".split(", ")
LEADS_IN = ["", "", "", "", "", "", "", "", "Hello! ", "Hi, ", "Excuse me, ", "One question: ", "Good morning! ", "Sorry, "]
def rule_notice(r):
    """A short notice, and questions on it in words of their own."""
    notice, d = r.choice(NOTICES), slots(r); told = r.choice(notice.told)
    say = cap(spread(r, told).format(**d)) + r.choice(TELL_ALL)
    asked = [x for x in notice.asked if all(str(d[k]).lower() in say.lower() or k in ("word2", "ware2", "f4", "day2", "ride", "a", "p1", "p2", "h1", "h3") for k in re.findall(r"\{(\w+)\}", x[2] + x[1][0]))]
    def filled(s): return spread(r, s).format(**d)
    def said_cap(x): return filled(x) if x.startswith(("{pass}", "{word}")) else cap(filled(x))
    def one(r, asks, answers, short):
        u = filled(r.choice(asks)); a = said_cap(r.choice(answers)); s = filled(short) if short else None
        lead = r.choice(LEADS_IN); u = lead + (low(u) if lead.endswith(", ") and not u.startswith(("I ", "I'")) and u.split()[0].rstrip("'s") not in d.values() and u.split()[0] in STARTS_ASK else u)
        act = Lived("me"); act.ways = [said_cap(x) for x in answers]
        return T(careless(r, u), a, s, "named" if s and s[0].isupper() and s not in ("Yes", "No") and notice.key in NAMED_SHORT else "fact"), act
    def tell(r): return [one(r, *r.choice(asked))]
    def two(r):
        if len(asked) < 2: return tell(r)
        return [one(r, *x) for x in r.sample(asked, 2)]
    def after_hello(r): return [(T(careless(r, r.choice(SAID["greet"])), r.choice(WELCOME), "Hello"), "me"), one(r, *r.choice(asked))]
    def not_told(r):
        left = [u for u in notice.unknown if not ("pass" in u and "pass" in told)]
        return [(T(careless(r, filled(r.choice(left))), r.choice(NO_IDEA), "I don't know", "no"), "no")] if left else tell(r)
    return Rule(say, lambda r, t, act: t.a, lambda s: True, own_turns, ((tell, 56), (two, 14), (after_hello, 12), (not_told, 12), (small_talk, 6), (plain_task, 4)))
STARTS_ASK = set("What Which Where When Who How Do Does Is Are Can Could May Tell Name On In At Whose Whom".split())
NAMED_SHORT = {"away", "children", "pets", "meeting", "maker", "work plan", "neighbour", "user's day", "market", "hours", "rooms", "parcel", "sitter"}
