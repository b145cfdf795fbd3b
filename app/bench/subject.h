// app/bench/subject.h — what a bench measures: a model on a backend.
#ifndef APP_BENCH_SUBJECT_H
#define APP_BENCH_SUBJECT_H

#include "engine/engine.h"

struct bench_subject {
    const char *model_path; // a file, or NULL and
    const char *shape;      // a named shape
    const char *type;       // weight type of the shape: "q8_0"
    const char *backend;    // this and the rest as in engine_options
    const char *kv_type;
    size_t kv_device_bytes;
    int32_t threads; // 0: one per core
    bool unshared;
};

static inline struct engine_options bench_subject_engine(const struct bench_subject *subject) {
    return (struct engine_options){
        .model_path = subject->model_path,
        .shape = subject->shape,
        .shape_type = subject->type,
        .backend = subject->backend,
        .kv_type = subject->kv_type,
        .kv_device_bytes = subject->kv_device_bytes,
        .threads = subject->threads,
        .unshared = subject->unshared,
    };
}

#endif
