"""The tokenizer of the built-in model in plain Python, for steps that must not need the `tokenizers` package."""
import json

import regex

ROLE = {'s': 'system', 'u': 'user', 'a': 'assistant'}
END_OF_TEXT, START, END = 0, 1, 2


def letters():
    """What stands for each byte in the vocabulary: printable ones themselves, the others 256 and on."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [b for b in range(256) if b not in plain]
    return {b: chr(b) for b in plain} | {b: chr(256 + i) for i, b in enumerate(others)}


class Tokenizer:
    def __init__(self, path):
        file = json.load(open(path, encoding='utf-8'))
        self.ids = file['model']['vocab']
        self.rank = {tuple(pair): i for i, pair in enumerate(file['model']['merges'])}
        self.words = regex.compile(file['pre_tokenizer']['pretokenizers'][0]['pattern']['Regex'])
        self.letters, self.known = letters(), {}

    def word(self, word):
        if word not in self.known:
            parts = [self.letters[b] for b in word.encode()]
            while len(parts) > 1:
                rank, i = min((self.rank.get(pair, len(self.rank)), i) for i, pair in enumerate(zip(parts, parts[1:])))
                if rank == len(self.rank):
                    break
                parts[i:i + 2] = [parts[i] + parts[i + 1]]
            self.known[word] = [self.ids[p] for p in parts]
        return self.known[word]

    def encode(self, text):
        return [i for word in self.words.findall(text) for i in self.word(word)]

    def chat(self, chat, first=True):
        """Token ids of a chat in ChatML, and which of them an assistant says; of several answers not the first unless `first`."""
        ids, said, answers, several = [], [], 0, sum(role == 'a' for role, _ in chat) > 1
        for role, text in chat:
            head, body = [START, *self.encode(ROLE[role] + '\n')], [*self.encode(text), END]
            answers += role == 'a'
            learned = role == 'a' and (first or not several or answers > 1)
            tail = self.encode('\n')
            ids += head + body + tail
            said += [False] * len(head) + [learned] * len(body) + [False] * len(tail)
        return ids + [END_OF_TEXT], said + [False]
