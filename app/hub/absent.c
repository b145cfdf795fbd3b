// app/hub/absent.c — replaces hub.c and download.c if quire is built without libcurl.
#include "app/hub/hub.h"

enum status hub_open(const struct hub_options *options, struct hub **hub, struct error *err) {
    (void)hub;
    return error_set(err, STATUS_UNSUPPORTED,
                     "%.200s: not supported; quire was built without libcurl", options->url);
}

void hub_close(struct hub *hub) { (void)hub; }

enum status hub_list(const struct hub *hub, const char *repo, struct hub_listing *listing,
                     struct error *err) {
    (void)hub, (void)listing;
    return error_set(err, STATUS_UNSUPPORTED, "%s", repo);
}

enum status hub_download(const struct hub *hub, const struct hub_download *download,
                         struct error *err) {
    (void)hub;
    return error_set(err, STATUS_UNSUPPORTED, "%s", download->repo);
}
