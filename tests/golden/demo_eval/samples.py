#!/usr/bin/env python3
"""Writes samples.md: what llama-server answers greedily to every twelfth conversation of *.jsonl.

tests/golden/test_samples.c compares quire with it, token by token. Run it again for a new model:
  samples.py LLAMA_SERVER [MODEL.gguf] >samples.md
"""
import json, os, socket, subprocess, sys, time, urllib.error, urllib.request

from grade import GOALS, TREE, messages, read_cases


def request(url, body=None):
    data = None if body is None else json.dumps(body).encode()
    with urllib.request.urlopen(urllib.request.Request(url, data, {'Content-Type': 'application/json'})) as answer:
        return json.load(answer)


def wait_until_up(url, server):
    for _ in range(300):
        if server.poll() is not None:
            sys.exit('the server has ended')
        try:
            return request(url + '/health')
        except (urllib.error.URLError, ConnectionError):
            time.sleep(0.1)
    sys.exit('the server does not answer')


def main():
    model = sys.argv[2] if len(sys.argv) > 2 else os.path.join(TREE, 'engine/demo/quire-demo-30m-q8_0.gguf')
    with socket.socket() as free:
        free.bind(('127.0.0.1', 0))
        port = free.getsockname()[1]
    url = 'http://127.0.0.1:%d' % port
    server = subprocess.Popen([sys.argv[1], '-m', model, '--port', str(port), '-np', '1', '-t', '2', '--jinja'],
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_until_up(url, server)
        print('# What the built-in model says\n\nGreedy answers of llama.cpp to the same file; written by '
              'samples.py.')
        for number, case in enumerate(read_cases(list(GOALS))[::12], 1):
            if 'shots' in case:  # their answers are nobody's
                continue
            while len(case['answers']) < len(case['turns']):
                body = {'messages': messages(case), 'temperature': 0, 'max_tokens': 300, 'cache_prompt': False}
                text = request(url + '/v1/chat/completions', body)['choices'][0]['message']['content']
                case['answers'].append(text.strip())
            case['turns'].append('')
            print('\n### G%02d' % number)
            for message in messages(case)[:-1]:
                print('\n**%s:** %s' % (message['role'], message['content'].replace('\n', '  \n')))
        print()
    finally:
        server.terminate()
        server.wait()


if __name__ == '__main__':
    main()
