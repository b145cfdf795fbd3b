#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/base/exit_code.h"
#include "app/base/output.h"
#include "app/base/trace_file.h"
#include "app/bench/bench_command.h"
#include "app/cli/batch.h"
#include "app/cli/completion.h"
#include "app/cli/config.h"
#include "app/cli/doctor.h"
#include "app/cli/help.h"
#include "app/cli/inspect.h"
#include "app/cli/known_models.h"
#include "app/cli/kv.h"
#include "app/cli/kv_disk.h"
#include "app/cli/launch.h"
#include "app/cli/listing.h"
#include "app/cli/man.h"
#include "app/cli/models.h"
#include "app/cli/oneshot.h"
#include "app/cli/pull.h"
#include "app/cli/subcommands.h"
#include "app/cli/template_command.h"
#include "app/cli/tokenize.h"
#include "app/console/interactive.h"
#include "app/screen/complain.h"
#include "app/screen/notice.h"
#include "app/screen/stream.h"
#include "app/screen/terminal.h"
#include "engine/model/mapped_file.h"
#include "kernels/base/log.h"

// The number of a stream that was closed would be the next opened file's, into which an answer
// would then be written. Instead, using such a stream fails, as it should.
static void hold_streams(void) {
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 &&
            open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
            _exit(EXIT_RUN_TIME);
}

// A model file has become shorter: all that was said is stored, and only the model is gone. A
// SIGBUS of another kind is a fault.
static void on_bus_error(int number, siginfo_t *info, void *context) {
    (void)context;
    const char *path = mapped_file_at(info->si_addr);
    terminal_give_back();
    if (!path) {
        signal(number, SIG_DFL);
        raise(number);
        return;
    }
    const char *const parts[] = {
        "\nquire: ", path,
        " was truncated while in use; restore the file, then continue with quire -C\n"};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        const ssize_t ignored = write(STDERR_FILENO, parts[i], strlen(parts[i]));
        (void)ignored;
    }
    _exit(EXIT_MODEL);
}

static void catch_bus_error(void) {
    struct sigaction action = {.sa_sigaction = on_bus_error, .sa_flags = SA_SIGINFO};
    sigemptyset(&action.sa_mask);
    sigaction(SIGBUS, &action, NULL);
}

static void prepare(void) {
    catch_bus_error();
    hold_streams();
    signal(SIGPIPE, SIG_IGN); // a reader that goes away is seen by write()
    signal(SIGXFSZ, SIG_IGN); // and so is the limit of a file's size
    terminal_choose_locale();
    notice_open();
}

static void choose_look(const struct args *args) {
    stream_wishes()->raw = args->raw;
    terminal_choose_color(strcmp(args->color, "always") == 0  ? COLOR_ALWAYS
                          : strcmp(args->color, "never") == 0 ? COLOR_NEVER
                                                              : COLOR_AUTO);
}

// How a chat takes place: at the terminal, or as one answer.
static bool wants_answer(const struct args *args) {
    if (args->stay) return false;
    return args->prompt || args->prompt_file || args->files.count || !isatty(STDIN_FILENO);
}

// *wanted is the conversation that the person wants to continue, or {0}.
static int run_interactive(struct launch *launch, const struct outgoing *prompt,
                           struct wanted_model *wanted, struct reopening *reopening,
                           struct unsent *unsent) {
    const struct args *args = launch->args;
    const char *history = text_string(&launch->config->history_path);
    struct error ignored; // a history that cannot be kept is not worth a word
    const bool kept = !args->no_save && config_make_folder(history, &ignored) == STATUS_OK;
    struct text folder = {0};
    const bool cached =
        !args->no_save && kv_disk_folder(args, launch->config, &folder) == STATUS_OK;
    const struct interactive_options options = {
        .session = launch->session,
        .history_path = kept ? history : NULL,
        .config_path = text_string(&launch->config->config_path),
        .kv_folder = cached ? text_string(&folder) : NULL,
        .first_prompt = prompt->length ? prompt : NULL,
        .quiet = args->quiet,
        .verbose = args->verbose,
        .saved = !args->no_save,
        .resumed = launch->resumed,
        .picks = launch->picks,
        .returned = launch->returned,
        .models = {args, known_models_list, known_models_find, known_models_open},
        .wanted = wanted,
        .reopening = reopening,
        .unsent = unsent,
    };
    const int code = interactive_run(&options);
    text_deinit(&folder);
    return code;
}

static int launch_all(struct launch *launch) {
    int code = launch_store(launch);
    if (code == EXIT_DONE) code = launch_files(launch);
    if (code == EXIT_DONE) code = launch_model(launch);
    return code == EXIT_DONE ? launch_chat(launch) : code;
}

// Without a session they are dropped.
static void keep_changes(struct session *session, struct session_changes *changes) {
    struct error err = {0};
    if (!session) {
        text_deinit(&changes->structure);
        stop_words_deinit(&changes->stop_words);
    } else if (session_make_changes(session, changes, &err) != STATUS_OK)
        log_write(LOG_WARNING, "answers are unstructured from now on: %s", err.text);
}

// What a chat is left in, so that another one can begin, or this one again.
struct left_chat {
    char conversation[CONVERSATION_ID_BYTES], previous[CONVERSATION_ID_BYTES];
    struct model_source source; // of kind MODEL_NONE where nothing is saved: then
    struct text model;          // its path
    struct args args;           // and the options that it was opened with
    bool reads_only;
    struct session_changes changes;
};

static struct left_chat leave_chat(struct launch *launch) {
    struct session *session = launch->session;
    struct left_chat left = {.source = launch->source,
                             .model = launch->model,
                             .args = *launch->args,
                             .reads_only = session->front->reads_only,
                             .changes = session_take_changes(session)};
    memcpy(left.conversation, session->front->conversation.id, sizeof left.conversation);
    memcpy(left.previous, session->previous, sizeof left.previous);
    launch->source = (struct model_source){0};
    launch->model = (struct text){0};
    launch_close(launch);
    return left;
}

// Another chat with the options in *args, in a conversation, if `how` has its id.
static int relaunch(struct launch *launch, struct args *args, const struct launch *how) {
    args->operand_count = 0;
    args->go_on = false;
    args->name = args->fork = NULL;
    args->resume = how->conversation[0] ? how->conversation : NULL;
    launch_close(launch);
    *launch = *how;
    launch->args = args;
    launch->conversation[0] = '\0';
    launch->follows_chat = true;
    const int code = launch_all(launch);
    args->resume = NULL; // launched: it is not asked for again
    return code;
}

// The model and the conversation that were left, or only its model, to read another conversation.
static int return_to(struct launch *launch, const struct args *given, struct args *args,
                     const struct config *config, const struct left_chat *left,
                     const char *conversation) {
    struct launch how = {.config = config, .first = launch_named(given)};
    const bool same = strcmp(conversation, left->conversation) == 0;
    if (model_source_copy(&left->source, &how.wanted) != STATUS_OK) return EXIT_RUN_TIME;
    *args = *given;
    args_forget_model(args);
    if (how.wanted.kind == MODEL_NONE) { // nothing is saved
        *args = left->args;
        how.named = text_string(&left->model);
    }
    how.reads_only = !same || left->reads_only;
    memcpy(how.conversation, conversation, sizeof how.conversation);
    return relaunch(launch, args, &how);
}

// Another model, in a fork of the conversation if anything was said in it, or another conversation
// with its own; where that cannot be, the one before. Of nothing that is wanted, the one before on
// a fresh device.
static int change_model(struct launch *launch, const struct args *given, struct args *args,
                        const struct wanted_model *wanted) {
    struct launch how = {.config = launch->config, .first = launch_named(given), .cost_said = true};
    const struct config *config = launch->config;
    struct error err = {0};
    enum status status = STATUS_OK;
    launch_watch();
    if (wanted->source) status = model_source_get(launch->db, wanted->source, &how.wanted, &err);
    struct left_chat left = leave_chat(launch);
    const char *to = wanted->conversation[0] ? wanted->conversation : left.conversation;
    const bool changes = wanted->source || wanted->model.length || wanted->conversation[0];
    int code = EXIT_MODEL;
    memcpy(how.conversation, to, sizeof how.conversation);
    if (wanted->model.length && !wanted->source) how.named = text_string(&wanted->model);
    if (status != STATUS_OK)
        complain_failed(EXIT_RUN_TIME, status, &err);
    else if (changes) {
        *args = *given;
        args_forget_model(args); // what the command line said of the first model is that one's
        code = relaunch(launch, args, &how);
    }
    if (code != EXIT_DONE) {
        launch_watch();
        code = return_to(launch, given, args, config, &left, to);
        launch->returned = changes;
    }
    launch_end_watch();
    keep_changes(code == EXIT_DONE ? launch->session : NULL, &left.changes);
    if (code == EXIT_DONE) {
        const bool moved = strcmp(launch->session->front->conversation.id, left.conversation) != 0;
        memcpy(launch->session->previous, moved ? left.conversation : left.previous,
               sizeof left.previous);
    }
    model_source_deinit(&left.source);
    text_deinit(&left.model);
    return code;
}

static void say_unanswered(const char *question) {
    struct text line = {0};
    if (text_append_string(&line, "not answered, and to be asked again: ") == STATUS_OK &&
        text_append_string(&line, question) == STATUS_OK)
        complain_mildly(text_string(&line));
    text_deinit(&line);
}

// A chat, and after each /model, /resume of another model's conversation, or failure of the device
// another one.
static int run_models(struct launch *launch, const struct args *given,
                      const struct outgoing *prompt) {
    struct args args;
    struct wanted_model wanted = {0};
    struct reopening reopening = {0};
    struct unsent unsent = {0};
    int code = run_interactive(launch, prompt, &wanted, &reopening, &unsent);
    while (wanted.source || wanted.model.length || wanted.conversation[0] || reopening.wanted) {
        struct wanted_model now = wanted;
        struct text question = reopening.question;
        const struct outgoing again = {.text = text_string(&question), .length = question.length};
        wanted = (struct wanted_model){0};
        code = change_model(launch, given, &args, &now);
        reopening = (struct reopening){.done = reopening.done};
        if (code == EXIT_DONE)
            code = run_interactive(launch, &again, &wanted, &reopening, &unsent);
        else if (question.length)
            say_unanswered(text_string(&question));
        text_deinit(&now.model);
        text_deinit(&question);
    }
    unsent_deinit(&unsent);
    launch_close(launch); // before its args go
    return code;
}

static int check_terminal(const struct args *args) {
    struct error err = {0};
    enum status status = STATUS_OK;
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
        status =
            error_set(&err, STATUS_BAD_INPUT,
                      "a chat needs a terminal on stdin and stdout; for one answer use -p TEXT");
    else if (args_source(args, "format") == ARGS_WORDS && strcmp(args->format, "text") != 0)
        status = error_set(&err, STATUS_BAD_INPUT, "--format %s is for one answer: add -p TEXT",
                           args->format);
    return status == STATUS_OK ? EXIT_DONE : complain_failed(EXIT_USAGE, status, &err);
}

static int gather_prompt(const struct args *args, struct text *prompt, size_t *said) {
    struct error err = {0};
    const enum status status = oneshot_gather(args, prompt, said, &err);
    if (status == STATUS_OK) return EXIT_DONE;
    return complain_failed(exit_code_for_file(status), status, &err);
}

// An empty prompt is often only the second mistake: of `quire NAME` without a terminal, the first
// is that there is no such model.
static int refuse_empty(struct launch *launch) {
    const struct args *args = launch->args;
    const int code = launch_check(launch);
    if (code != EXIT_DONE) return code;
    if (args->prompt || args->prompt_file)
        complain("the prompt is empty");
    else
        complain("the prompt is empty: stdin is no terminal and has no text; to ask a question: "
                 "quire -p TEXT");
    return EXIT_USAGE;
}

static int run_chat(const struct args *args, const struct config *config) {
    const bool once = wants_answer(args);
    choose_look(args);
    const bool asked = once || args->prompt || args->prompt_file || args->files.count;
    struct launch launch = {
        .args = args, .config = config, .once = once, .named = launch_named(args)};
    struct text prompt = {0};
    size_t said = 0;
    int code = once ? EXIT_DONE : check_terminal(args);
    if (code == EXIT_DONE && asked) code = gather_prompt(args, &prompt, &said);
    if (code == EXIT_DONE) code = launch_store(&launch);
    if (once) oneshot_catch_signals();
    if (code == EXIT_DONE && asked && !prompt.length) code = refuse_empty(&launch);
    if (code == EXIT_DONE) code = launch_files(&launch);
    if (code == EXIT_DONE) code = launch_model(&launch);
    if (code == EXIT_DONE) code = launch_chat(&launch);
    const struct outgoing message = {
        .text = text_string(&prompt), .length = prompt.length, .said = said};
    if (code == EXIT_DONE)
        code = once ? oneshot_run(&launch, &message) : run_models(&launch, args, &message);
    launch_close(&launch);
    text_deinit(&prompt);
    return code;
}

// Nothing of a batch is saved: what can be taken up again is its journal's.
static int run_batch(const struct args *args, const struct config *config) {
    struct args unsaved = *args;
    unsaved.no_save = true;
    struct launch launch = {.args = &unsaved, .config = config};
    batch_catch_signals();
    const int code = batch_run(&launch);
    launch_close(&launch);
    return code;
}

static int run_listing(const struct args *args, const struct config *config,
                       int (*verb)(struct db *db, const struct args *args)) {
    struct launch launch = {.args = args, .config = config};
    int code = launch_store(&launch);
    if (code == EXIT_DONE) code = verb(launch.db, args);
    launch_close(&launch);
    return code;
}

static int run_remove(const struct args *args, const struct config *config) {
    struct launch launch = {.args = args, .config = config};
    struct text folder = {0};
    struct error err = {0};
    int code = launch_store(&launch);
    if (code == EXIT_DONE && kv_disk_folder(args, config, &folder) != STATUS_OK)
        code = complain_failed(EXIT_RUN_TIME, STATUS_NO_MEMORY, &err);
    const struct removal_paths paths = {text_string(&folder), text_string(&config->history_path)};
    if (code == EXIT_DONE) code = listing_remove(launch.db, args, &paths);
    text_deinit(&folder);
    launch_close(&launch);
    return code;
}

static bool keeps_files(const struct args *args) {
    switch (args->command) {
    case COMMAND_CHAT:
        return !args->no_save;
    case COMMAND_LIST:
    case COMMAND_SHOW:
    case COMMAND_EXPORT:
    case COMMAND_IMPORT:
    case COMMAND_RM:
    case COMMAND_KV:
    case COMMAND_DOCTOR:
        return true;
    case COMMAND_INSPECT:
    case COMMAND_TOKENIZE:
    case COMMAND_BENCH:
    case COMMAND_BATCH:
    case COMMAND_TEMPLATE:
    case COMMAND_MODELS:
    case COMMAND_PULL:
        return false;
    }
    return false;
}

static int run_command(const struct args *args, const struct config *config) {
    switch (args->command) {
    case COMMAND_CHAT:
        return run_chat(args, config);
    case COMMAND_LIST:
        return run_listing(args, config, listing_list);
    case COMMAND_SHOW:
        return run_listing(args, config, listing_show);
    case COMMAND_EXPORT:
        return run_listing(args, config, listing_export);
    case COMMAND_IMPORT:
        return run_listing(args, config, listing_import);
    case COMMAND_RM:
        return run_remove(args, config);
    case COMMAND_INSPECT:
        return inspect_run(args, config);
    case COMMAND_TOKENIZE:
        return tokenize_run(args);
    case COMMAND_BENCH:
        return output_exit_code(bench_command_run(args, config));
    case COMMAND_KV:
        return kv_run(args, config);
    case COMMAND_BATCH:
        return run_batch(args, config);
    case COMMAND_TEMPLATE:
        return template_command_run(args);
    case COMMAND_MODELS:
        return args->operand_count ? models_remove(args) : models_run(args);
    case COMMAND_PULL:
        return pull_run(args);
    case COMMAND_DOCTOR:
        return doctor_run(args, config);
    }
    return EXIT_USAGE;
}

// Questions about the program itself, for which nothing is read or opened.
static bool asks(const struct args *args) {
    return args->help || args->version || args->man || args->completion;
}

static bool put_answer(FILE *out, const struct args *args) {
    if (args->topic) return help_print_topic(out, args->topic);
    if (args->help && args->command != COMMAND_CHAT) // quire list --help
        return help_print_topic(out, subcommand_at(args->command)->name);
    if (args->help)
        help_print(out);
    else if (args->version)
        version_print(out);
    else if (args->man)
        man_print(out);
    else
        completion_print(out, args->completion);
    return true;
}

static int refuse_topic(const char *topic) {
    struct error err = {0};
    return complain_failed(EXIT_USAGE,
                           error_set(&err, STATUS_BAD_INPUT,
                                     "no command or option \"%.60s\" (see quire --help)", topic),
                           &err);
}

static int answer_question(const struct args *args) {
    char *bytes = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&bytes, &length);
    const bool found = !out || put_answer(out, args);
    const bool whole = out && fclose(out) == 0;
    if (whole) output_write(bytes, length);
    if (!whole) complain(status_text(STATUS_NO_MEMORY));
    free(bytes);
    if (!found) return refuse_topic(args->topic);
    return output_exit_code(whole ? EXIT_DONE : EXIT_RUN_TIME);
}

// The options of all three sources, checked; or the exit code.
static int read_options(int argc, char **argv, struct args *args, struct config *config) {
    struct error err = {0};
    enum status status = args_read_words(args, argc - 1, argv + 1, &err);
    if (status != STATUS_OK) return complain_failed(EXIT_USAGE, status, &err);
    if (asks(args)) return EXIT_DONE;
    status = args_read_environment(args, &err);
    if (status != STATUS_OK) return complain_failed(EXIT_USAGE, status, &err);
    status = config_open(config, &err);
    if (status != STATUS_OK && keeps_files(args))
        return complain_failed(EXIT_RUN_TIME, status, &err);
    if (status == STATUS_OK) status = config_read(config, args, &err);
    if (status == STATUS_BAD_INPUT) return complain_failed(EXIT_USAGE, status, &err);
    if (status != STATUS_OK && config->config_path.length)
        return complain_failed(EXIT_RUN_TIME, status, &err);
    args_settle(args);
    status = args_check(args, &err);
    return status == STATUS_OK ? EXIT_DONE : complain_failed(EXIT_USAGE, status, &err);
}

// A shell asks this in the middle of a line, so a failure is silent.
static int complete(int count, char **words) {
    struct config config = {0};
    struct error ignored;
    if (config_open(&config, &ignored) == STATUS_OK)
        completion_offer(stdout, words, count, &config);
    config_close(&config);
    return fflush(stdout) == 0 ? EXIT_DONE : EXIT_RUN_TIME;
}

static int open_trace(const char *path) {
    struct error err = {0};
    const enum status status = trace_file_open(path, &err);
    return status == STATUS_OK ? EXIT_DONE : complain_failed(EXIT_RUN_TIME, status, &err);
}

int main(int argc, char **argv) {
    struct args args;
    struct config config = {0};
    prepare();
    if (argc > 1 && strcmp(argv[1], "--complete") == 0) return complete(argc - 2, argv + 2);
    args_init(&args);
    int code = read_options(argc, argv, &args, &config);
    if (args.quiet) notice_show_from((enum log_level)(LOG_WARNING + 1));
    if (args.verbose) notice_show_from(args.verbose > 1 ? LOG_DEBUG : LOG_INFO);
    if (code == EXIT_DONE && !asks(&args)) args_warn_of_environment(&args);
    if (code == EXIT_DONE && args.trace) code = open_trace(args.trace);
    if (code == EXIT_DONE)
        code = asks(&args) ? answer_question(&args) : run_command(&args, &config);
    trace_file_close();
    config_close(&config);
    args_deinit(&args);
    return code;
}
