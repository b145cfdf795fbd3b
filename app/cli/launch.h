// app/cli/launch.h — turns options into an open database, a loaded model and a chat.
//
//   launch_store ─► launch_files ─► launch_model ─► launch_chat ─► launch_close
//
// The database comes first, because it remembers the model's digest, which finds blocks on disk
// without reading the model file. With --no-save there is no database and no disk cache.
//
// -C and -r open the model that the conversation used; only `named` overrides that. The same model
// continues in place, another one in a fork, after a message about its cost.
//
// Each launch_* verb that returns int prints a one-line error if it fails and returns the exit
// code; EXIT_DONE is success. Memory: owned by the struct, {0} is empty.
#ifndef APP_LAUNCH_H
#define APP_LAUNCH_H

#include "app/chat/chat.h"
#include "app/cli/args.h"
#include "app/cli/config.h"
#include "app/cli/held_model.h"
#include "app/screen/progress.h"

struct launch {
    const struct args *args;     // borrowed
    const struct config *config; // borrowed
    struct db *db;               // NULL under --no-save
    struct engine *engine;
    struct engine_info info;
    struct hash128 digest;      // of the model and its adapters; of its path under --no-save
    struct hash128 file_digest; // of the model's file or whole folder, without adapters
    struct session *session;
    struct progress reading;                  // while tokenizing a long conversation
    bool once;                                // a single answer, no chat: set before launch_store()
    bool picks;                               // -r without an id: the chat asks which conversation
    bool resumed;                             // -C or -r: continue the conversation
    char conversation[CONVERSATION_ID_BYTES]; // its id; the chat may be in a fork of it
    struct conversation found;                // that conversation as it was found
    struct text model;                        // path
    struct text preamble;                     // prompts/preamble.h

    // Which model to open, given that a conversation may have one (held_model.h).
    const char *named;          // by the command line or /model: wins over the rest; or NULL
    struct model_source wanted; // else this, if set: by the caller, or the conversation's
    struct model_source held;   // the conversation's
    struct model_source source; // the open one
    const char *first;          // named by the command line, if a chat follows another; or NULL
    bool follows_chat;          // another chat was open before this one
    bool returned;              // and is again, because the wanted model cannot be opened
    bool reads_only;            // only show the conversation, which keeps its model
    bool cost_said;             // the cost of switching models was shown
    bool only_finds; // the model is found and its options are checked; see launch_check()
    bool moved;      // `wanted` is at another host now, and the user has not agreed
    struct args own; // options that open the model; replace `args`
    struct held_files files;
    struct text texts[MODEL_PARTS_MAX];
};

int launch_store(struct launch *launch);
int launch_files(struct launch *launch); // reads the preamble, and looks for a grammar or schema
int launch_model(struct launch *launch);
int launch_reopen(struct launch *launch); // the model on a fresh device; nothing may use the engine
int launch_chat(struct launch *launch);
void launch_close(struct launch *launch);

// Where there is a chat to go back to, ^C ends the launching of another one and not the program:
// from the first of these, which forgets an earlier ^C, to the second.
void launch_watch(void);
void launch_end_watch(void);

// In place of launch_model() and launch_chat() where the prompt is empty: reports what else is
// wrong, without loading the model or asking a server.
int launch_check(struct launch *launch);

// The model's name from -m, the operand, the environment or the config file; NULL: the demo model.
const char *launch_model_name(const struct args *args);

// The name from -m or the operand only; else NULL, as the environment and the config file just set
// a default.
const char *launch_named(const struct args *args);

// Tells the user which model a conversation without one uses from now on.
void launch_say_first_model(const struct launch *launch);

// Finds a model by any name that quire prints. *source is a known source, or has kind MODEL_NONE:
// then *path is the model's path or, if *elsewhere, its name on a server.
MUST_CHECK enum status launch_find_named(struct db *db, const struct args *args, const char *name,
                                         struct model_source *source, struct text *path,
                                         bool *elsewhere, struct error *err);

// Are the adapters and chat templates there that are read with a model on this machine?
MUST_CHECK enum status launch_check_parts(const struct args *args, struct error *err);

// The file or name from --chat-template that applies to this model, or NULL.
const char *launch_chat_template(const struct launch *launch);

// Sets the structure of --schema or --grammar, if given.
MUST_CHECK enum status launch_structure(const struct args *args, struct structure *structure,
                                        struct error *err);

// The model's own sampling settings, overridden by the user's.
struct sampler_options launch_sampling(const struct launch *launch);

// The adapters of --lora, in the form of engine_options. Owns its strings; deinit takes {0}, too.
struct launch_adapters {
    struct adapter_source sources[ARGS_LIST_MAX];
    struct text paths[ARGS_LIST_MAX];
    int32_t count;
};
MUST_CHECK enum status launch_read_adapters(const struct args *args,
                                            struct launch_adapters *adapters, struct error *err);
void launch_adapters_deinit(struct launch_adapters *adapters);

// Of an engine's options, those that say where its weights are, and how fast that is.
struct engine_options launch_engine_options(const struct args *args, const struct config *config);

// Where drafts may come from.
enum draft_wish launch_draft_wish(const struct args *args);

// Appends the path of the smaller model that --draft names, if it is not one of its words.
// NOT_FOUND and more: as of finder_find(), in a sentence that has the words.
MUST_CHECK enum status launch_find_drafter(const struct args *args, struct text *path,
                                           struct error *err);

// Finds the model of --model, else of the operand (a path or a name: finder.h), else the demo model
// (*demo). UNSUPPORTED: on a server (remote_model.h), which launch_model() can open; NOT_FOUND: no
// such model, or the demo model is not installed; BAD_INPUT: the name matches several.
MUST_CHECK enum status launch_find_model(const struct args *args, struct text *path, bool *demo,
                                         struct error *err);

#endif
