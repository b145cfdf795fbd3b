// app/hub/hub_client.h — what hub.c and download.c share. Private to them.
#ifndef APP_HUB_CLIENT_H
#define APP_HUB_CLIENT_H

#include "app/hub/hub.h"
#include "engine/remote/http.h"

struct hub {
    struct endpoint endpoint;
};

// Turns a failed exchange into an error about the repository.
enum status hub_explain(const struct hub *hub, const char *repo, const struct exchange *exchange,
                        CURLcode code, const struct text *body, struct error *err);

#endif
