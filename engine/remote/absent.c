// engine/remote/absent.c — replaces the other sources if quire is built without libcurl.
#include "engine/remote/remote.h"

enum status remote_open(struct engine *engine, const struct remote_options *options,
                        struct error *err) {
    (void)engine;
    return error_set(err, STATUS_UNSUPPORTED, "%.200s: this quire was built without libcurl",
                     options->url);
}

void *remote_main(void *argument) { return argument; }
void remote_close(struct remote *remote) { (void)remote; }
void remote_info(const struct engine *engine, struct engine_info *info) {
    (void)engine;
    (void)info;
}
struct sampler_options remote_sampler_defaults(void) {
    return sampler_options_default();
}
