#!/usr/bin/env python3
"""Writes the Hugging Face directory and the GGUF files (f16, q8_0) from the training output.

usage: export.py RUN_DIR OUT_DIR      (RUN_DIR holds model.safetensors.NN parts and tokenizer.json)
Needs numpy and the `gguf` Python package (here: PYTHONPATH=gguf-py).
"""
import glob, json, os, struct, sys
import numpy as np
import gguf
RUN, OUT = sys.argv[1], sys.argv[2]; SIZE = os.environ.get('SIZE', '30m'); NAME = 'quire-demo-' + SIZE
V, EPS, THETA, CTX = 8192, 1e-5, 10000.0, 2048
D, L, H, KV, HD, FF = {'30m': (512, 11, 8, 4, 64, 1024), '3m': (192, 4, 3, 1, 64, 512)}[SIZE]
REGEX_NOTE = 'qwen2'      # the pre-tokenizer: the regular expression of Qwen2, digits one by one
TEMPLATE = "{% for message in messages %}{{'<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>' + '\n'}}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
DESC = 'Tiny English chat model that comes with quire: small talk, simple facts, little stories, short-term memory. Trained from scratch.'
os.makedirs(OUT + '/hf', exist_ok=True)
blob = b''.join(open(f, 'rb').read() for f in sorted(glob.glob(RUN + '/model.safetensors.[0-9][0-9]')))
n = struct.unpack('<Q', blob[:8])[0]; meta = json.loads(blob[8:8 + n]); T = {}
for k, v in meta.items():
    if k == '__metadata__': continue
    a, b = v['data_offsets']; u = np.frombuffer(blob[8 + n + a:8 + n + b], np.uint16).astype(np.uint32) << 16
    T[k] = u.view(np.float32).reshape(v['shape']).copy()
tok = json.load(open(RUN + '/tokenizer.json'))
# ---- Hugging Face directory
open(OUT + '/hf/model.safetensors', 'wb').write(blob)
json.dump(tok, open(OUT + '/hf/tokenizer.json', 'w'), ensure_ascii=False)
json.dump(dict(architectures=['LlamaForCausalLM'], model_type='llama', vocab_size=V, hidden_size=D, num_hidden_layers=L, num_attention_heads=H, num_key_value_heads=KV, head_dim=HD, intermediate_size=FF, hidden_act='silu', rms_norm_eps=EPS, rope_theta=THETA, rope_scaling=None, max_position_embeddings=CTX, tie_word_embeddings=True, attention_bias=False, mlp_bias=False, initializer_range=0.02, use_cache=True, bos_token_id=None, eos_token_id=2, pad_token_id=0, dtype='bfloat16', torch_dtype='bfloat16'), open(OUT + '/hf/config.json', 'w'), indent=1)
json.dump(dict(eos_token_id=[2, 0], pad_token_id=0, do_sample=True, temperature=0.7, top_p=0.9), open(OUT + '/hf/generation_config.json', 'w'), indent=1)
json.dump(dict(tokenizer_class='PreTrainedTokenizerFast', model_max_length=CTX, bos_token=None, eos_token='<|im_end|>', pad_token='<|endoftext|>', unk_token=None, clean_up_tokenization_spaces=False, additional_special_tokens=['<|im_start|>', '<|im_end|>'], chat_template=TEMPLATE), open(OUT + '/hf/tokenizer_config.json', 'w'), indent=1)
open(OUT + '/hf/chat_template.jinja', 'w').write(TEMPLATE)
# ---- GGUF
vocab = sorted(tok['model']['vocab'].items(), key=lambda x: x[1]); toks = [k for k, _ in vocab]
for a in tok['added_tokens']:
    assert toks[a['id']] == a['content']
assert len(toks) == V and [v for _, v in vocab] == list(range(V))
merges = [m if isinstance(m, str) else ' '.join(m) for m in tok['model']['merges']]
types = [gguf.TokenType.CONTROL if i < 3 else gguf.TokenType.NORMAL for i in range(V)]
def permute(w, heads):   # HF keeps the halves of a head apart, the ggml llama graph interleaves them
    return w.reshape(heads, 2, w.shape[0] // heads // 2, *w.shape[1:]).swapaxes(1, 2).reshape(w.shape)
def write(path, q8):
    w = gguf.GGUFWriter(path, 'llama')
    w.add_type(gguf.GGUFType.MODEL); w.add_name(NAME); w.add_basename('quire-demo'); w.add_size_label(SIZE.upper()); w.add_description(DESC); w.add_license(os.environ.get('MODEL_LICENSE', 'apache-2.0')); w.add_author('the quire project'); w.add_languages(['en']); w.add_tags(['text-generation', 'chat', 'tiny'])
    w.add_context_length(CTX); w.add_embedding_length(D); w.add_block_count(L); w.add_feed_forward_length(FF); w.add_head_count(H); w.add_head_count_kv(KV); w.add_key_length(HD); w.add_value_length(HD)
    w.add_layer_norm_rms_eps(EPS); w.add_rope_freq_base(THETA); w.add_rope_dimension_count(HD); w.add_vocab_size(V); w.add_file_type(gguf.LlamaFileType.MOSTLY_Q8_0 if q8 else gguf.LlamaFileType.MOSTLY_F16); w.add_quantization_version(2)
    w.add_tokenizer_model('gpt2'); w.add_tokenizer_pre(REGEX_NOTE); w.add_token_list(toks); w.add_token_types(types); w.add_token_merges(merges)
    w.add_bos_token_id(0); w.add_eos_token_id(2); w.add_eot_token_id(2); w.add_pad_token_id(0); w.add_add_bos_token(False); w.add_add_eos_token(False); w.add_chat_template(TEMPLATE)
    names = {'model.embed_tokens.weight': 'token_embd.weight', 'model.norm.weight': 'output_norm.weight'}
    sub = {'input_layernorm': 'attn_norm', 'post_attention_layernorm': 'ffn_norm', 'self_attn.q_proj': 'attn_q', 'self_attn.k_proj': 'attn_k', 'self_attn.v_proj': 'attn_v', 'self_attn.o_proj': 'attn_output', 'mlp.gate_proj': 'ffn_gate', 'mlp.up_proj': 'ffn_up', 'mlp.down_proj': 'ffn_down'}
    order = ['model.embed_tokens.weight'] + [f'model.layers.{i}.{s}.weight' for i in range(L) for s in sub] + ['model.norm.weight']
    assert sorted(order) == sorted(T)
    for k in order:
        t = T[k]
        if k.startswith('model.layers.'): _, _, i, r = k.split('.', 3); g = f'blk.{i}.{sub[r[:-7]]}.weight'
        else: g = names[k]
        if g.endswith('attn_q.weight'): t = permute(t, H)
        if g.endswith('attn_k.weight'): t = permute(t, KV)
        if t.ndim == 1: w.add_tensor(g, t.astype(np.float32))
        elif q8: w.add_tensor(g, gguf.quants.quantize(t, gguf.GGMLQuantizationType.Q8_0), raw_dtype=gguf.GGMLQuantizationType.Q8_0)
        else: w.add_tensor(g, t.astype(np.float16))
    w.write_header_to_file(); w.write_kv_data_to_file(); w.write_tensors_to_file(); w.close(); print(path, os.path.getsize(path))
write(f'{OUT}/{NAME}-f16.gguf', False); write(f'{OUT}/{NAME}-q8_0.gguf', True)
