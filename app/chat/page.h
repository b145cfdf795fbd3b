// app/chat/page.h — renders a conversation, or its whole tree, as one HTML page.
//
// The page is self-contained and loads nothing: no script, image or font. Its
// Content-Security-Policy forbids them, whatever a model wrote. Answers are Markdown, rendered by
// cmark-gfm; HTML in them is shown as text, images become links, and links that would run code or
// open a file are removed. Questions are shown as typed.
//
// If a message has several replies, each is collapsible; those on the path to the tip are open.
//
// Memory: arguments are borrowed; the text is the caller's. Threads: no state.
#ifndef APP_PAGE_H
#define APP_PAGE_H

#include "kernels/base/text.h"
#include "store/conversation.h"

struct page {
    const struct conversation *conversation;
    const struct message *messages; // [count], ordered by id, so parents precede replies
    size_t count;
};

MUST_CHECK enum status page_append(const struct page *page, struct text *out);

#endif
