// kernels/base/status.h — the one way a call says that it did not work.
//
// A function that can fail returns enum status and writes results through out-parameters, which it
// leaves untouched on failure. A bug in the caller is not a status: it is an ASSERT (assert.h).
#ifndef BASE_STATUS_H
#define BASE_STATUS_H

#ifdef __cplusplus
extern "C" {
#endif

// name, what the person at the terminal reads
#define STATUS_MAP(X)                                        \
    X(OK, "ok")                                              \
    X(NO_MEMORY, "not enough memory")                        \
    X(FULL, "a fixed limit was reached")                     \
    X(TOO_LONG, "does not fit the context")                  \
    X(NOT_FOUND, "not found")                                \
    X(BAD_INPUT, "invalid input")                            \
    X(BAD_FILE, "the file is damaged or has another format") \
    X(UNSUPPORTED, "not supported")                          \
    X(BUSY, "in use")                                        \
    X(IO, "input/output error")                              \
    X(DEVICE, "the device reported an error")                \
    X(CANCELLED, "stopped on request")

#define STATUS_ENUM(name, text) STATUS_##name,
enum status { STATUS_MAP(STATUS_ENUM) };
#undef STATUS_ENUM

#define MUST_CHECK __attribute__((warn_unused_result))

// Passes a failure on. Only in functions that own nothing yet; those that do
// go to their one `done:` label instead.
#define TRY(call)                                         \
    do {                                                  \
        const enum status try_status_ = (call);           \
        if (try_status_ != STATUS_OK) return try_status_; \
    } while (0)

const char *status_text(enum status status); // never NULL, static storage

// Details for a person, filled only where a fact helps: a path, a tensor name,
// the shape expected and the shape found. Passed last; may be NULL.
struct error {
    enum status status;
    char text[1024];
};

// Formats into err (if any) and returns status, so `return error_set(...)` works.
enum status error_set(struct error *err, enum status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
#ifdef __clang_analyzer__ // it does not look into other files for what comes back
#define error_set(err, status, ...) ((void)error_set(err, status, __VA_ARGS__), (status))
#endif

#ifdef __cplusplus
}
#endif
#endif
