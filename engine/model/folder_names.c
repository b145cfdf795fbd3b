#include "engine/model/folder_names.h"

#include <stdio.h>
#include <string.h>

#include "kernels/base/assert.h"

// A name, or, where it ends in a dot, what names begin with.
struct name {
    const char *theirs, *ours;
};

// What a layer's tensors are called: up to the dot before "weight" or "bias".
static const struct name layer_names[] = {
    {"self_attn.qkv_proj.", "attn_qkv."},
    {"self_attn.q_proj.", "attn_q."},
    {"self_attn.k_proj.", "attn_k."},
    {"self_attn.v_proj.", "attn_v."},
    {"self_attn.o_proj.", "attn_output."},
    {"self_attn.q_norm.", "attn_q_norm."},
    {"self_attn.k_norm.", "attn_k_norm."},
    {"self_attn.q_a_proj.", "attn_q_a."},
    {"self_attn.q_a_layernorm.", "attn_q_a_norm."},
    {"self_attn.q_b_proj.", "attn_q_b."},
    {"self_attn.kv_a_proj_with_mqa.", "attn_kv_a_mqa."},
    {"self_attn.kv_a_layernorm.", "attn_kv_a_norm."},
    {"self_attn.kv_b_proj.", "attn_kv_b."},
    {"input_layernorm.", "attn_norm."},
    {"attention_layernorm.", "attn_norm."},
    {"feedforward_layernorm.", "ffn_norm."},
    {"operator_norm.", "attn_norm."},
    {"ffn_norm.", "ffn_norm."},
    {"self_attn.out_proj.", "attn_output."},
    {"attention.query_key_value.", "attn_qkv."},
    {"attention.dense.", "attn_output."},
    {"attention.query_layernorm.", "attn_q_norm."},
    {"attention.key_layernorm.", "attn_k_norm."},
    {"self_attn.query_layernorm.", "attn_q_norm."},
    {"self_attn.key_layernorm.", "attn_k_norm."},
    {"self_attn.q_layernorm.", "attn_q_norm."},
    {"self_attn.k_layernorm.", "attn_k_norm."},
    {"conv.in_proj.", "shortconv.in_proj."},
    {"conv.conv.", "shortconv.conv."},
    {"conv.out_proj.", "shortconv.out_proj."},
    {"feed_forward.w1.", "ffn_gate."},
    {"feed_forward.w3.", "ffn_up."},
    {"feed_forward.w2.", "ffn_down."},
    {"pre_feedforward_layernorm.", "ffn_norm."},
    {"post_feedforward_layernorm.", "post_ffw_norm."},
    {"post_self_attn_layernorm.", "post_attention_norm."},
    {"post_mlp_layernorm.", "post_ffw_norm."},
    {"pre_mlp_layernorm.", "ffn_norm."},
    {"self_attn.gate_proj.", "attn_gate."},
    {"self_attn.g_proj.", "attn_gate."},
    {"mlp.gate_up_proj.", "ffn_up."},
    {"self_attn.dense.", "attn_output."},
    {"mlp.fc1.", "ffn_up."},
    {"mlp.fc2.", "ffn_down."},
    {"mlp.c_fc.", "ffn_up."},
    {"mlp.c_proj.", "ffn_down."},
    {"mlp.gate_proj.", "ffn_gate."},
    {"mlp.up_proj.", "ffn_up."},
    {"mlp.down_proj.", "ffn_down."},
    {"mlp.shared_experts.gate_proj.", "ffn_gate_shexp."},
    {"mlp.shared_experts.up_proj.", "ffn_up_shexp."},
    {"mlp.shared_experts.down_proj.", "ffn_down_shexp."},
    {"mlp.shared_mlp.gate_proj.", "ffn_gate_shexp."},
    {"mlp.shared_mlp.up_proj.", "ffn_up_shexp."},
    {"mlp.shared_mlp.down_proj.", "ffn_down_shexp."},
    {"share_expert.gate_proj.", "ffn_gate_shexp."},
    {"share_expert.up_proj.", "ffn_up_shexp."},
    {"share_expert.down_proj.", "ffn_down_shexp."},
    {"moe.gate.", "ffn_gate_inp."},
    {"mlp.gate.wg.", "ffn_gate_inp."},
    {"mlp.gate.", "ffn_gate_inp."},
    {"feed_forward.gate.", "ffn_gate_inp."},
    {"mlp.router.gate.", "ffn_gate_inp."},
    {"mlp.router.", "ffn_gate_inp."},
    {"block_sparse_moe.gate.", "ffn_gate_inp."},
    {"router.proj.", "ffn_gate_inp."},
    {"pre_feedforward_layernorm_2.", "pre_ffw_norm_2."},
    {"post_feedforward_layernorm_1.", "post_ffw_norm_1."},
    {"post_feedforward_layernorm_2.", "post_ffw_norm_2."},
    {"per_layer_input_gate.", "inp_gate."},
    {"per_layer_projection.", "proj."},
    {"post_per_layer_input_norm.", "post_norm."},
    {0},
};

// Of the block that drafts (mtp.h).
static const struct name mtp_names[] = {
    {"eh_proj.", "nextn.eh_proj."},
    {"enorm.", "nextn.enorm."},
    {"hnorm.", "nextn.hnorm."},
    {"embed_tokens.", "nextn.embed_tokens."},
    {"shared_head.norm.", "nextn.shared_head_norm."},
    {"shared_head.head.", "nextn.shared_head_head."},
    {0},
};

// Those that have no such end.
static const struct name whole_layer_names[] = {
    {"layer_scalar", "layer_output_scale.weight"},
    {"self_attn.sinks", "attn_sinks.weight"},
    {"self_attn.attention_sink_bias", "attn_sinks.weight"},
    {"router.scale", "ffn_gate_inp.scale"},
    {"router.per_expert_scale", "ffn_down_exps.scale"},
    {"norm.weight", "attn_norm.weight"},
    {"mlp.experts.gate_up_proj", "ffn_gate_up_exps.weight"},
    {"mlp.experts.down_proj", "ffn_down_exps.weight"},
    {"mlp.shared_expert.gate_proj.weight", "ffn_gate_shexp.weight"},
    {"mlp.shared_expert.up_proj.weight", "ffn_up_shexp.weight"},
    {"mlp.shared_expert.down_proj.weight", "ffn_down_shexp.weight"},
    {"mlp.shared_expert_gate.weight", "ffn_gate_inp_shexp.weight"},
    {"experts.gate_up_proj", "ffn_gate_up_exps.weight"},
    {"experts.down_proj", "ffn_down_exps.weight"},
    {"block_sparse_moe.router.layer.weight", "ffn_gate_inp.weight"},
    {"block_sparse_moe.input_linear.weight", "ffn_gate_up_exps.weight"},
    {"block_sparse_moe.output_linear.weight", "ffn_down_exps.weight"},
    {"moe.gate_proj.weight", "ffn_gate_exps.weight"},
    {"moe.up_proj.weight", "ffn_up_exps.weight"},
    {"moe.down_proj.weight", "ffn_down_exps.weight"},
    {"moe.router_bias", "exp_probs_b.bias"},
    {"mlp.gate.e_score_correction_bias", "exp_probs_b.bias"},
    {"mlp.gate.expert_bias", "exp_probs_b.bias"},
    {"mlp.expert_bias", "exp_probs_b.bias"},
    {"mlp.experts.e_score_correction_bias", "exp_probs_b.bias"},
    {"mlp.e_score_correction_bias", "exp_probs_b.bias"},
    {"feed_forward.expert_bias", "exp_probs_b.bias"},
    {"block_sparse_moe.e_score_correction_bias", "exp_probs_b.bias"},
    {"mlp.moe_statics.e_score_correction_bias", "exp_probs_b.bias"},
    {"mixer.gate.e_score_correction_bias", "exp_probs_b.bias"},
    {"mixer.gate.weight", "ffn_gate_inp.weight"},
    {"mixer.experts.up_proj", "ffn_up_exps.weight"},
    {"mixer.experts.down_proj", "ffn_down_exps.weight"},
    {"mixer.shared_experts.up_proj.weight", "ffn_up_shexp.weight"},
    {"mixer.shared_experts.down_proj.weight", "ffn_down_shexp.weight"},
    {0},
};

// Parts of hybrids' layers, which adapters do not change: some are reordered or multiplied.
static const char *const part_begins[] = {"linear_attn.", "mamba.", "mixer.", "feed_forward."};
static const struct name part_names[] = {
    {"in_proj.", "ssm_in."},
    {"in_proj_qkv.", "attn_qkv."},
    {"in_proj_z.", "attn_gate."},
    {"in_proj_a.", "ssm_alpha."},
    {"in_proj_b.", "ssm_beta."},
    {"in_proj_ba.", "ssm_ba."},
    {"conv1d.", "ssm_conv1d."},
    {"A_log", "ssm_a"},
    {"D", "ssm_d"},
    {"dt_bias", "ssm_dt.bias"},
    {"norm.", "ssm_norm."},
    {"out_proj.", "ssm_out."},
    {"q_proj.", "attn_q."},
    {"k_proj.", "attn_k."},
    {"v_proj.", "attn_v."},
    {"o_proj.", "attn_output."},
    {"gate_proj.", "ffn_gate."},
    {"up_proj.", "ffn_up."},
    {"down_proj.", "ffn_down."},
    {0},
};

// What follows the first of these that the text begins with; the text where it begins with none.
static const char *after(const char *text, const char *const *begins, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (!strncmp(text, begins[i], strlen(begins[i]))) return text + strlen(begins[i]);
    return text;
}

// The list's name for theirs, in a layer or, -1, in none.
static bool find_name(const struct name *names, const char *theirs, int layer,
                      char name[FOLDER_NAME_BYTES]) {
    char block[16] = "";
    if (layer >= 0) snprintf(block, sizeof block, "blk.%d.", layer);
    for (; names->theirs; names++) {
        const size_t length = strlen(names->theirs);
        const bool whole = names->theirs[length - 1] != '.';
        if (strncmp(theirs, names->theirs, length + whole) != 0) continue;
        snprintf(name, FOLDER_NAME_BYTES, "%s%s%.8s", block, names->ours, theirs + length);
        return true;
    }
    return false;
}

// "mlp.experts.3.up_proj.weight" is expert 3's "ffn_up.3.weight".
static bool expert_name(const char *rest, int layer, char name[FOLDER_NAME_BYTES]) {
    ASSERT(layer >= 0);
    static const struct name parts[] = {{"gate_proj", "ffn_gate"}, {"up_proj", "ffn_up"},
                                        {"down_proj", "ffn_down"}, {"w1", "ffn_gate"},
                                        {"w3", "ffn_up"},          {"w2", "ffn_down"}};
    static const char *const begins[] = {"mlp.experts.", "block_sparse_moe.experts.",
                                         "feed_forward.experts.", "mixer.experts."};
    char part[16];
    int expert = -1, used = 0;
    rest = after(rest, begins, sizeof begins / sizeof begins[0]);
    if (sscanf(rest, "%4d.%15[a-z0-9_].weight%n", &expert, part, &used) != 2) return false;
    if (expert < 0 || used == 0 || rest[used]) return false;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (!strcmp(parts[i].theirs, part)) {
            snprintf(name, FOLDER_NAME_BYTES, "blk.%d.%s.%d.weight", layer, parts[i].ours, expert);
            return true;
        }
    return false;
}

// Of what attention adds, or, where nothing norms that, of what the feed-forward reads.
static const char *second_norm(const struct family *family) {
    if (family->second_norm) return family->second_norm;
    if (family->layer.post_norm) return "post_attention_norm.weight";
    return family->layer.ffn_norm ? family->layer.ffn_norm : "ffn_norm.weight";
}

const char *folder_name_in_layer(const char *theirs, int *layer) {
    int used = 0;
    *layer = -1;
    if (sscanf(theirs, "model.layers.%4d.%n", layer, &used) != 1 || *layer < 0) return NULL;
    return used ? theirs + used : NULL;
}

bool folder_matrix_name(const char *theirs, char name[FOLDER_NAME_BYTES]) {
    int layer;
    const char *rest = folder_name_in_layer(theirs, &layer);
    return rest && find_name(layer_names, rest, layer, name);
}

static bool layer_name(const struct family *family, const char *theirs,
                       char name[FOLDER_NAME_BYTES]) {
    int layer;
    const char *rest = folder_name_in_layer(theirs, &layer);
    if (!rest) return false;
    if (!strcmp(rest, "post_attention_layernorm.weight") ||
        !strcmp(rest, "pre_ff_layernorm.weight")) {
        snprintf(name, FOLDER_NAME_BYTES, "blk.%d.%s", layer, second_norm(family));
        return true;
    }
    if (family->norms == NORM_LAYER && !strcmp(rest, "post_attention_layernorm.bias")) {
        snprintf(name, FOLDER_NAME_BYTES, "blk.%d.ffn_norm.bias", layer);
        return true;
    }
    if (family->quantized && !strncmp(rest, "mlp.experts.", 12)) return false; // laid out otherwise
    if (find_name(whole_layer_names, rest, layer, name) ||
        find_name(layer_names, rest, layer, name) || expert_name(rest, layer, name) ||
        (family->mtp && find_name(mtp_names, rest, layer, name)))
        return true;
    const char *part = after(rest, part_begins, sizeof part_begins / sizeof part_begins[0]);
    return part != rest && find_name(part_names, part, layer, name); // "mamba.in_proj.weight"
}

const char *folder_name_unnested(const struct family *family, const char *theirs,
                                 char name[FOLDER_NAME_BYTES]) {
    static const char *const nests[][2] = {{"model.language_model.", "model."},
                                           {"language_model.model.", "model."},
                                           {"language_model.lm_head.", "lm_head."},
                                           {"backbone.", "model."}};
    for (size_t i = 0; i < sizeof nests / sizeof nests[0]; i++) {
        const size_t length = strlen(nests[i][0]);
        if (!(i < 3 ? family->multimodal : family->single) ||
            strncmp(theirs, nests[i][0], length) != 0)
            continue;
        snprintf(name, FOLDER_NAME_BYTES, "%s%s", nests[i][1], theirs + length);
        return name;
    }
    return theirs;
}

const char *folder_name_of_mtp(const char *theirs, int32_t layers, char name[FOLDER_NAME_BYTES]) {
    static const struct name parts[] = {{"mtp.layers.0.", ""},
                                        {"mtp.fc.", "eh_proj."},
                                        {"mtp.pre_fc_norm_embedding.", "enorm."},
                                        {"mtp.pre_fc_norm_hidden.", "hnorm."},
                                        {"mtp.norm.", "shared_head.norm."}};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        const size_t length = strlen(parts[i].theirs);
        if (strncmp(theirs, parts[i].theirs, length) != 0) continue;
        snprintf(name, FOLDER_NAME_BYTES, "model.layers.%d.%s%s", (int)layers, parts[i].ours,
                 theirs + length);
        return name;
    }
    return NULL;
}

bool folder_name_find(const struct family *family, const char *theirs,
                      char name[FOLDER_NAME_BYTES]) {
    static const struct name whole[] = {
        {"model.embed_tokens.weight", "token_embd.weight"},
        {"model.word_embeddings.weight", "token_embd.weight"},
        {"model.norm.", "output_norm."},
        {"model.embedding_norm.weight", "output_norm.weight"},
        {"model.final_layernorm.", "output_norm."},
        {"model.norm_f.weight", "output_norm.weight"},
        {"model.embeddings.weight", "token_embd.weight"},
        {"model.embedding.weight", "token_embd.weight"},
        {"lm_head.", "output."},
        {"model.embed_tokens_per_layer.weight", "per_layer_token_embd.weight"},
        {"model.per_layer_model_projection.weight", "per_layer_model_proj.weight"},
        {"model.per_layer_projection_norm.weight", "per_layer_proj_norm.weight"},
        {0}};
    return find_name(whole, theirs, -1, name) || layer_name(family, theirs, name);
}
