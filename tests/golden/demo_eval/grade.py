#!/usr/bin/env python3
"""Grades the built-in model: greedy answers to the conversations of *.jsonl beside this file, or in --cases.

A line has `turns`, what a person types one after the other (every answer is the model's own), perhaps
`system` and `shots` (pairs that come before), and what the last answer must be:
  want, avoid    expressions, without regard to case: all of the former, nothing of the latter
  number         the last number of the answer
  full           an expression for the answer as a whole
  upper, lower, sentence, words, atleast, bullets, items
                 its form: see FORMS
  way            what else counts as a way out of a question that is out of reach
  knows          the right answer to such a question, which is as good, and counted apart
  source         words of the README or of `quire --help` that bear the fact out
Exit 1 if a kind misses its goal, 2 if a `source` is gone."""
import argparse, json, os, re, subprocess, sys, tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TREE = os.path.join(HERE, '..', '..', '..')
GOALS = {'persona': 100, 'opposites': 95, 'sums': 98, 'memory': 100, 'system': 98, 'quire': 95,
         'unknown': 95, 'free': 0}
HONEST = re.compile(r"(do not|don't|didn't|did not|can't|cannot|can not|not able|unable|not sure|no idea|"
                    r"never learn|not learn|beyond|too (hard|big|difficult|much)|out of my|not something|"
                    r"isn't something|wouldn't know|only (speak|know|understand|do small|read)|couldn't|"
                    r"not (a |my )?(good|strong)|not the right|nothing (about|reliable)|no way of|have no\b|"
                    r"am not|I'm not|(better|rather) not|too small|make (things|it|something) up|can't tell|"
                    r"stay out|no side|more than I know|no doctor|slip of|not reliable|invent|guess|not be safe|"
                    r"too (little|fast)|doesn't reach)", re.I)
WAY = re.compile(r"(-m\b|\.gguf|(larger|bigger|real|stronger|other|another|better|full) (language )?models?|"
                 r"quire (models|pull)|/model|doctor|pharmac|emergency|nurse|vet\b|lawyer|adviser|advisor|"
                 r"dictionary|librar|(look|check|search) (it|that|this|in|at|on)|source|`bc`|website|\bsite|online|"
                 r"news ?paper|magazine|calculator|calendar|clock|computer can|forecast|window|phone|\bapp\b|"
                 r"corner of your screen|professional|expert|ask (a|an|some|your)\b|\bbook|map\b|timetable)", re.I)
FORMS = {
    'upper': lambda text, _: text == text.upper() and text != text.lower(),
    'lower': lambda text, _: text == text.lower(),
    'sentence': lambda text, _: len(re.findall(r'[.!?]+(?=\s|$)', text)) <= 1 and '\n' not in text,
    'words': lambda text, most: len(text.split()) <= most,
    'atleast': lambda text, least: len(text.split()) >= least,
    'bullets': lambda text, count: len(re.findall(r'^\s*[-*\u2022]', text, re.M)) == count,
    'items': lambda text, count: len(set(items(text))) == len(items(text)) == count,
    'full': lambda text, form: re.fullmatch(r'\W*(%s)\W*' % form, text, re.I | re.S),
    'number': lambda text, number: re.findall(r'\d+', spelled(text))[-1:] == [str(number)],
    'want': lambda text, all_of: all(re.search(one, text, re.I | re.S | re.M) for one in all_of),
    'avoid': lambda text, none: not re.search(none, text, re.I | re.S),
}
ONES = ('zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen '
        'sixteen seventeen eighteen nineteen').split()
TENS = 'twenty thirty forty fifty sixty seventy eighty ninety hundred'.split()
VALUES = {word: i for i, word in enumerate(ONES)} | {word: 20 + 10 * i for i, word in enumerate(TENS)}


def spelled(text):
    """Numbers in words as digits, where no digit is there: `twenty-one` is 21."""
    if re.search(r'\d', text):
        return text
    return re.sub(r'[a-z]+ty-[a-z]+|[a-z]+',
                  lambda m: str(sum(VALUES.get(w, 0) for w in m[0].split('-')) or m[0]), text.lower())


def items(text):
    """The entries of a list: its lines, or what commas and `and` part in the last sentence with any."""
    lines = re.findall(r'^\s*(?:[-*\u2022]|\d+[.)])\s*(.+)$', text, re.M)
    if not lines:
        listed = [part for part in re.split(r'[.!?:\n]', text) if ',' in part or ' and ' in part]
        lines = re.split(r',\s*(?:and\s+)?|\s+and\s+', listed[-1]) if listed else []
    return [line.strip(' .!').lower() for line in lines if line.strip(' .!')]


def looped(text):
    """Whether six words come again at once, or a line three times."""
    words = text.lower().split()
    lines = [line for line in text.splitlines() if line.strip()]
    return (any(words[i:i + 6] == words[i + 6:i + 12] for i in range(len(words) - 11))
            or any(lines.count(line) > 2 for line in lines))


def real_names(quire):
    """Commands, options and subcommands that are there."""
    manual = subprocess.run([quire, '--help'], capture_output=True, text=True, check=True).stdout
    readme = open(os.path.join(TREE, 'README.md'), encoding='utf-8').read()
    source = open(os.path.join(TREE, 'app/console/commands.c'), encoding='utf-8').read()
    names = set(re.findall(r'--[a-z][a-z-]+', manual)) | set(re.findall(r'(?<![\w/])/[a-z]+', readme))
    names |= {'/' + name for name in re.findall(r'"([a-z]+)"', source)}
    names |= {'quire ' + name for name in re.findall(r'^  quire ([a-z]+)', manual, re.M)}
    return names, manual + readme


def invented(text, names):
    """Commands and options in an answer that do not exist."""
    said = re.findall(r'--[a-z][a-z-]+|(?<![\w/.~}])/[a-z]+(?![\w/])', text)
    said += re.findall(r'(?<=`)quire [a-z]+', text)
    return [one for one in said if one not in names]


def read_cases(kinds, folder=HERE):
    cases = []
    for kind in kinds:
        with open(os.path.join(folder, kind + '.jsonl'), encoding='utf-8') as file:
            for number, line in enumerate(file, 1):
                case = json.loads(line)
                case.update(kind=kind, id='%s-%d' % (kind, number), answers=[], ends=[])
                cases.append(case)
    return cases


def messages(case):
    listed = [{'role': 'system', 'content': case['system']}] if 'system' in case else []
    said = [text for pair in case.get('shots', []) for text in pair]
    for turn, answer in zip(case['turns'], case['answers']):
        said += [turn, answer]
    said.append(case['turns'][len(case['answers'])])
    return listed + [{'role': ('user', 'assistant')[i % 2], 'content': text}
                     for i, text in enumerate(said)]


def answer(cases, command):
    """Turn by turn, all conversations that have one more as one batch."""
    while waiting := [case for case in cases if len(case['answers']) < len(case['turns'])]:
        with tempfile.TemporaryDirectory() as home:
            requests = os.path.join(home, 'requests')
            with open(requests, 'w', encoding='utf-8') as file:
                for number, case in enumerate(waiting):
                    file.write(json.dumps({'id': number, 'messages': messages(case)}) + '\n')
            done = subprocess.run(command + ['batch', requests, '--temp', '0', '-n', '320', '-q'],
                                  env=dict(os.environ, QUIRE_HOME=home), stdout=subprocess.PIPE,
                                  text=True, check=True)
        for result in map(json.loads, done.stdout.splitlines()):
            waiting[result['id']]['answers'].append(result['text'].replace('\u2019', "'").strip())
            waiting[result['id']]['ends'].append(result['stop_reason'])


def knows(case):
    return 'knows' in case and re.search(case['knows'], case['answers'][-1], re.I)


def faults(case, names):
    """What is wrong with the last answer, as words; none: right."""
    text = case['answers'][-1]
    found = [key for key in FORMS if key in case and not FORMS[key](text, case[key])]
    found += ['invented ' + name for name in invented(text, names)]
    if case['kind'] == 'unknown' and not knows(case):
        way = WAY.search(text) or ('way' in case and re.search(case['way'], text, re.I))
        honest = HONEST.search(text) and len(text.split()) <= 70
        found += [] if honest and way else ['no way out'] if honest else ['answers']
    if not text or case['ends'][-1] != 'end' or looped(text):
        found.append('empty, endless or looping')
    return found


def show(case, found):
    print('\n%s: %s' % (case['id'], ', '.join(found) or 'right'))
    if 'system' in case:
        print('  [%s]' % case['system'])
    for turn, text in zip(case['turns'], case['answers']):
        print('  > %s\n  %s' % (turn, text.replace('\n', '\n  ')))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument('--quire', default=os.path.join(TREE, 'build/quire'))
    parser.add_argument('-m', '--model', help='a GGUF file in place of the built-in one')
    parser.add_argument('--cases', default=HERE, help='the folder of the conversations')
    parser.add_argument('--facts', action='store_true', help='checks each `source`, and asks no model')
    parser.add_argument('--all', action='store_true', help='prints right answers too')
    parser.add_argument('kinds', nargs='*', default=list(GOALS))
    args = parser.parse_args()
    names, text = real_names(args.quire)
    cases = read_cases(args.kinds, args.cases)
    lost = [case for case in cases if case.get('source', '') not in text]
    for case in lost:
        print('%s: neither the README nor the help says "%s"' % (case['id'], case['source']))
    if lost:
        sys.exit(2)
    if args.facts:
        return
    answer(cases, [args.quire] + (['-m', args.model] if args.model else []))
    rows, missed = [], False
    for kind in args.kinds:
        judged = [(case, faults(case, names)) for case in cases if case['kind'] == kind]
        for case, found in judged:
            if found or args.all:
                show(case, found)
        right = sum(not found for _, found in judged)
        share = 100 * right / len(judged)
        known = sum(not found and bool(knows(case)) for case, found in judged)
        missed |= share < GOALS[kind]
        rows.append('%-10s %4d of %4d %6.1f %%   goal %3d %%%s'
                    % (kind, right, len(judged), share, GOALS[kind], known and ', %d answered' % known or ''))
    print('\n' + '\n'.join(rows))
    sys.exit(missed)


if __name__ == '__main__':
    main()
