#include "engine/model/folder_keys.h"

#include <stddef.h>

#include "engine/model/family_keys.h"

// Of training, of images, of generating, of the library that wrote them.
static const char *const harmless[] = {
    "architectures, auto_map, model_type, torch_dtype, dtype, transformers_version, "
    "use_cache, cache_implementation, tokenizer_class, prefix, task_specific_params, "
    "finetuning_task, problem_type, id2label, label2id, keys_to_ignore_at_inference",
    // ids of tokens
    "bos_token_id, eos_token_id, pad_token_id, sep_token_id, unk_token_id, cls_token_id, "
    "eod_token_id, org_vocab_size, decoder_start_token_id, image_token_id, "
    "video_token_id, audio_token_id, vision_start_token_id, vision_end_token_id, "
    "vision_token_id, image_token_index, boi_token_id, eoi_token_id, boa_token_id, "
    "eoa_token_id, eoa_token_index, boi_token_index, eoi_token_index",
    // training
    "initializer_range, initializer_factor, block_mlp_init_scale, block_out_init_scale, "
    "block_use_xavier_init, conv_use_xavier_init",
    "block_norm_eps", // norm_eps again
    "pretraining_tp, embd_pdrop, resid_pdrop, attn_pdrop, output_router_logits, "
    "router_aux_loss_coef, router_z_loss_coef, router_jitter_noise, input_jitter_noise, "
    "aux_loss_alpha, "
    "seq_aux, ep_size, moe_capacity, moe_gate, moe_drop_tokens, "
    "load_balance_coeff, enable_moe_fp32_combine, moe_random_routing_dropped_token, "
    "capacity_factor, router_dtype, num_mtp_modules, "
    "mtp_transformer_layers, use_mtp, moe_use_aux_free, mtp_loss_scaling_factor, "
    "mtp_num_hidden_layers, mtp_use_dedicated_embeddings, mtp_layers_block_type, "
    "mtp_hybrid_override_pattern, init_method, residual_in_fp32, "
    "rescale_prenorm_residual, moe_shared_expert_overlap, is_llama_config, "
    "transformers.js_config, attn_implementation, unsloth_fixed, unsloth_version, "
    "neftune_noise_alpha",
    // so unless they are false, which is refused (folder_reader.c)
    "is_causal, causal, use_causal_mask, use_rope",
    // what the tensors say: one without a place is refused
    "lm_head_bias, attention_bias, attention_out_bias, attn_bias, mlp_bias, qkv_bias, "
    "use_qkv_bias, "
    "use_routing_bias, use_expert_bias, moe_router_enable_expert_bias, "
    "moe_router_enable_shared_expert, use_mixed_mlp_moe, mlp_intermediate_size, "
    "shared_moe_mode, mamba_conv_bias, mamba_proj_bias, use_conv_bias, projectors_bias",
    // of latent attention, in families that have none
    "kv_lora_rank, q_lora_rank, qk_nope_head_dim, qk_rope_head_dim, v_head_dim",
    // of recurrences
    "chunk_size, mamba_chunk_size, mamba_expand, expand, mamba_norm_before_gate, "
    "mamba_ssm_cache_dtype, mamba_ssm_dtype, mamba_use_mlp, mlp_expansion_factor, "
    "use_mamba_kernels, time_step_min, time_step_max, time_step_floor, time_step_rank",
    // of layers that share keys, if there are any
    "cla_share_factor, enable_moe_block",
    "qk_head_dim", // of both parts
    "gating, use_bias, use_embedding_sharing, use_parallel_embedding, use_qk_norm, qk_norm, "
    "block_dim, conv_dim, conv_dim_out, num_heads",
    // of a window or a scaling, if there is one
    "max_window_layers, initial_context_length",
    "experts_per_token", // num_experts_per_tok again
    "layer_switch, order_of_interleaved_layers, position_embedding_type, "
    "model_max_length, original_max_position_embeddings, attn_factor, mrope_section, "
    "mrope_interleaved, type, rope_type",
    // images and sound
    "vision_config, audio_config, text_config, mm_tokens_per_image, "
    "vision_soft_tokens_per_image, vision_feature_layer, projector_hidden_act, "
    "projector_hidden_size, projector_bias, out_hidden_size, multimodal_projector_bias, "
    "spatial_merge_size, deepstack_visual_indexes",
    // how transformers generated when it kept this here
    "max_length, min_length, max_new_tokens, do_sample, temperature, top_k, top_p, "
    "typical_p, repetition_penalty, length_penalty, diversity_penalty, num_beams, "
    "num_beam_groups, num_return_sequences, num_logits_to_keep, return_dict, "
    "use_bfloat16, torchscript, chunk_size_feed_forward",
};

bool folder_key_is_harmless(const char *key) {
    for (size_t i = 0; i < sizeof harmless / sizeof harmless[0]; i++)
        if (family_keys_list(harmless[i], key)) return true;
    return false;
}
