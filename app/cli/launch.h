// app/cli/launch.h — from options to an open database, a loaded model and a chat in its place.
//
//   launch_store ─► launch_model ─► launch_chat ─► launch_close
//
// The database comes first, as it knows the model's digest, by which blocks on the disk are found
// without reading the model file. Under --no-save there is neither, and nothing on the disk.
//
// -C and -r open the model that the conversation was held with, and only `named` overrides that:
// the same model goes on in place, another one in a fork, whose cost is said.
//
// Each prints why it could not, in one line, and returns the exit code; EXIT_DONE is success.
// Memory: all is owned by the struct, {0} is empty.
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
    struct hash128 file_digest; // of the model's file, or of all its folder, alone
    struct session *session;
    struct progress reading;                  // of a long conversation
    bool once;                                // one answer, no chat: set before launch_store()
    bool picks;                               // -r alone: the chat asks which conversation
    bool resumed;                             // -C or -r: in the conversation
    char conversation[CONVERSATION_ID_BYTES]; // with this id, or in a fork of it
    struct conversation found;                // of which this was known then
    struct text model;                        // path
    struct text preamble;                     // prompts/preamble.h

    // Which model it is, for a conversation that has one (held_model.h).
    const char *named;          // by the command line or /model, which comes before all; or NULL
    struct model_source wanted; // else this, if it is any: set before, or the conversation's
    struct model_source held;   // the conversation's
    struct model_source source; // the one that is open
    const char *first;          // named by the command line, for a chat after another; or NULL
    bool beside;                // another chat was open before this one
    bool reads_only;            // the conversation is shown, and stays its own model's
    bool cost_said;             // of another model
    bool moved;                 // `wanted` is at another host now, and nobody agreed to that
    struct args own;            // the options that open it, in place of those above
    struct held_files files;
    struct text texts[MODEL_PARTS_MAX];
};

int launch_store(struct launch *launch);
int launch_model(struct launch *launch);
int launch_reopen(
    struct launch *launch); // the model, on a fresh device; nothing may use the engine
int launch_chat(struct launch *launch);
void launch_close(struct launch *launch);

// What -m, the operand, the environment or the config file calls the model; NULL: the demo model.
const char *launch_model_name(const struct args *args);

// Of -m, or the operand; else NULL: the environment and the config file give a default only.
const char *launch_named(const struct args *args);

// Says which model a conversation that had none is held with from now on.
void launch_say_first_model(const struct launch *launch);

// Finds what a person calls a model, by any name that quire prints. *source is a known one; of kind
// MODEL_NONE it is not, and *path is its path, or where it is *elsewhere its name.
MUST_CHECK enum status launch_find_named(struct db *db, const struct args *args, const char *name,
                                         struct model_source *source, struct text *path,
                                         bool *elsewhere, struct error *err);

int launch_preamble(struct launch *launch); // the preamble alone; launch_chat() reads it too

// The file or name of --chat-template that is for this model, or NULL.
const char *launch_chat_template(const struct launch *launch);

// Sets --schema or --grammar, if there is one.
MUST_CHECK enum status launch_structure(const struct launch *launch, struct session *session,
                                        struct error *err);

// The model's own sampling, with what the person says instead.
struct sampler_options launch_sampling(const struct launch *launch);

// The model of --model, of the operand (a path or a name, as finder.h says), or the demo model, in
// this order. UNSUPPORTED: one elsewhere (remote_model.h), which launch_model() can open;
// NOT_FOUND: no such model, or the demo model was not installed; BAD_INPUT: the name fits several.
// *demo says whether it is the demo model.
MUST_CHECK enum status launch_find_model(const struct args *args, struct text *path, bool *demo,
                                         struct error *err);

#endif
