#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "app/base/figures.h"
#include "app/chat/report.h"
#include "app/chat/usage.h"
#include "app/console/command.h"
#include "app/console/pager.h"
#include "app/console/view.h"
#include "app/screen/row.h"
#include "app/screen/terminal.h"
#include "engine/draft/draft.h"
#include "kernels/base/assert.h"
#include "kernels/base/size.h"

enum { LABEL_COLUMNS = 14, DESCRIPTION_BYTES = 160 };

static void row(const char *label, const char *value) {
    row_show(&(struct row){
        .label = label, .columns = LABEL_COLUMNS, .text = value, .label_style = WRAP_DIM});
}

static const char *describe_template(const struct chat *chat, char *text, size_t size) {
    const struct chat_template *chat_template = chat->session->chat_template;
    snprintf(text, size, "%s%s%s%s", chat_template_name(chat_template),
             chat_template_guessed(chat_template) ? " (guessed: the file has none)" : "",
             chat_template_folds_system(chat_template)
                 ? "; no system role: the system prompt opens the first message"
                 : "",
             chat_template_drops_thinking(chat_template)
                 ? "; drops the reasoning of earlier answers"
                 : "");
    return text;
}

static void show_conversation(const struct console *console) {
    char value[256], count[COUNT_TEXT_BYTES], turns[TURNS_TEXT_BYTES];
    const struct conversation *conversation = &console->session->front->conversation;
    snprintf(value, sizeof value, "%s %s", conversation->id, conversation->name);
    row("conversation", conversation->id[0] ? value : "(new)");
    snprintf(value, sizeof value, "%s in %s",
             count_format(usage_of(console->session->front).length, count),
             turns_format(chat_turn_count(console->session->front), turns));
    row("tokens", value);
    terminal_say(STYLE_PLAIN, "\n");
}

static void show_overview(struct console *console) {
    struct engine_info info;
    engine_info(console->session->engine, &info);
    char value[256], bytes[SIZE_TEXT_BYTES], count[COUNT_TEXT_BYTES], trained[COUNT_TEXT_BYTES];
    row("model", info.model_name);
    row(info.remote[0] ? "server" : "file", info.model_path ? info.model_path : "(built in)");
    if (info.remote[0]) {
        row("remote", info.remote);
        return show_conversation(console);
    }
    snprintf(value, sizeof value, "%s, %.1f M parameters, %s, %s", info.family,
             (double)info.parameters / 1e6, info.file_type, size_format(info.weight_bytes, bytes));
    row("weights", value);
    if (info.adapters[0]) row("LoRA", info.adapters);
    snprintf(value, sizeof value, "%s, %s", info.backend, info.device);
    row("device", value);
    if (info.placement[0]) row("weights", info.placement);
    snprintf(value, sizeof value, "%s tokens (trained on %s)", count_format(info.context, count),
             count_format(info.trained_context, trained));
    row("context", value);
    row("template", describe_template(console->session->front, value, sizeof value));
    show_conversation(console);
}

// The exact token log as "id·piece", wrapped at the screen's width.
static void show_tokens(struct console *console) {
    if (strcmp(console->session->remote, "messages") == 0) {
        const struct usage usage = usage_of(console->session->front);
        char tokens[COUNT_TEXT_BYTES];
        terminal_tell(STYLE_DIM, "The server does not list its tokens; it counts %s.\n",
                      count_format(usage.length, tokens));
        return;
    }
    const struct tokenizer *tokenizer = engine_tokenizer(console->session->engine);
    struct sequence *sequence = console->session->front->sequence;
    const int32_t length = sequence_length(sequence);
    const int32_t *ids = sequence_tokens(sequence);
    const int width = terminal_width();
    int column = 0;
    struct pager pager;
    pager_begin(&pager, console);
    for (int32_t i = 0; tokenizer && i < length; i++) {
        struct text token = {0};
        const struct gguf_string piece = tokenizer_piece(tokenizer, ids[i]);
        if (text_format(&token, "%" PRId32 "·", ids[i]) == STATUS_OK &&
            text_append(&token, piece.bytes, piece.length) == STATUS_OK) {
            const int columns = text_columns(text_string(&token));
            const bool breaks = column > 0 && column + 2 + columns > width;
            if (column > 0) terminal_say(STYLE_PLAIN, "%s", breaks ? "\n" : "  ");
            column = (column == 0 || breaks ? 0 : column + 2) + columns;
            terminal_text(tokenizer_is_special(tokenizer, ids[i]) ? STYLE_DIM : STYLE_PLAIN,
                          token.bytes, token.length);
        }
        text_deinit(&token);
    }
    char count[COUNT_TEXT_BYTES];
    terminal_say(STYLE_DIM, "%s[%s]\n\n", column > 0 ? "\n" : "", tokens_format(length, count));
    pager_end(&pager);
}

void command_show(struct console *console, const char *argument) {
    char value[DESCRIPTION_BYTES];
    if (!argument[0])
        show_overview(console);
    else if (strcmp(argument, "system") == 0)
        command_system(console, "");
    else if (strcmp(argument, "params") == 0)
        command_set(console, "");
    else if (strcmp(argument, "template") == 0)
        terminal_tell(STYLE_PLAIN, "%s\n",
                      describe_template(console->session->front, value, sizeof value));
    else if (strcmp(argument, "tokens") == 0)
        show_tokens(console);
    else
        terminal_tell(STYLE_ERROR, "usage: /show [system|params|template|tokens]\n");
}

enum { RATE_BYTES = 48 };

// "231 tok/s" after `before`; "": it was not measured.
static const char *rate_format(double rate, const char *before, char text[RATE_BYTES]) {
    text[0] = '\0';
    if (rate > 0) snprintf(text, RATE_BYTES, "%s%.0f tok/s", before, rate);
    return text;
}

static void show_cached(const struct answer_cache *cache) {
    char value[160], device[COUNT_TEXT_BYTES], host[COUNT_TEXT_BYTES], disk[COUNT_TEXT_BYTES];
    snprintf(value, sizeof value, "device %s · host %s · disk %s",
             count_format(cache->device_tokens, device), count_format(cache->host_tokens, host),
             count_format(cache->disk_tokens, disk));
    row("cached in", value);
    if (cache->host_tokens + cache->disk_tokens == 0) return;
    snprintf(value, sizeof value, "%.0f ms", (double)cache->restore_us / 1e3);
    row("restored in", value);
}

// Of the sources that may draft.
static void show_drafts(const struct draft_stats *drafts) {
    char value[200];
    size_t length = 0;
    for (enum draft_source_kind i = 0; i < DRAFT_SOURCES; i++) {
        if (!(drafts->sources >> i & 1)) continue;
        length += (size_t)snprintf(value + length, sizeof value - length,
                                   "%s %" PRId64 " of %" PRId64 " · ", draft_source_name(i),
                                   drafts->of[i].accepted, drafts->of[i].drafted);
        ASSERT(length < sizeof value);
    }
    snprintf(value + length, sizeof value - length, "%.2f tokens/step",
             report_tokens_per_step(drafts));
    row(drafts->sources ? "drafts right" : "drafts", drafts->sources ? value : "off");
}

// The last generated answer here; its figures are stored with it.
static const struct message *last_written(const struct chat *chat) {
    for (size_t i = chat_message_count(chat); i-- > 0;) {
        const struct message *message = chat_message(chat, i);
        if (message->role == MESSAGE_ASSISTANT && message->stats.output_tokens > 0) return message;
    }
    return NULL;
}

// Uses the turn in memory if it is the last one here, because it also knows in which tier cached
// tokens were found.
void command_stats(struct console *console, const char *argument) {
    (void)argument;
    const struct turn_report turn = turn_first(&console->session->front->turn);
    const struct message *last = last_written(console->session->front);
    if (!last) {
        terminal_tell(STYLE_DIM, "No turn in this chat yet.\n");
        return;
    }
    const struct message_stats *stats = &last->stats;
    const int64_t new_tokens = stats->prompt_tokens - stats->cached_tokens;
    char value[128], a[COUNT_TEXT_BYTES], b[COUNT_TEXT_BYTES], rate[RATE_BYTES];
    snprintf(value, sizeof value, "%s cached, %s new", count_format(stats->cached_tokens, a),
             count_format(new_tokens, b));
    row("prompt tokens", stats->prompt_tokens > 0 ? value : "not counted by the server");
    if (turn.any && turn.message == last->id && stats->cached_tokens > 0 &&
        !console->session->remote[0])
        show_cached(&turn.cache);
    if (report_prefill_rate(stats) > 0)
        row("prefill", rate_format(report_prefill_rate(stats), "", rate));
    snprintf(value, sizeof value, "%.0f ms", (double)stats->first_token_us / 1e3);
    row("first token", value);
    snprintf(value, sizeof value, "%s%s", tokens_format(stats->output_tokens, a),
             rate_format(report_decode_rate(stats), ", ", rate));
    row("answer", value);
    if (turn.any && turn.message == last->id && turn.drafts.steps > 0) show_drafts(&turn.drafts);
    row("stopped by", message_stop_name(last->stop));
    terminal_say(STYLE_PLAIN, "\n");
}

void command_history(struct console *console, const char *argument) {
    const struct chat *chat = console->session->front;
    struct pager pager;
    int64_t turns = chat_turn_count(chat);
    if (argument[0] && !command_number(argument, &turns)) {
        terminal_tell(STYLE_ERROR, "usage: /history [N]\n");
        return;
    }
    if (chat_message_count(chat) == 0) {
        terminal_tell(STYLE_DIM, "This conversation is empty.\n");
        return;
    }
    pager_begin(&pager, console);
    view_history(chat, turns);
    pager_end(&pager);
}
