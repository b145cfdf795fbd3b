// app/chat/page.h — a conversation, or its whole tree, as one page of HTML.
//
// The page needs nothing else and loads nothing: no script, no image, no font; its own policy
// (Content-Security-Policy) forbids them, whatever a model wrote. Answers are Markdown, rendered by
// cmark-gfm; HTML in them is shown as text, pictures are links, and links that would run something
// or open a file are empty. Questions are shown as they were typed.
//
// Where a message has several replies, each is a part that folds; those on the way to the
// conversation's tip are open.
//
// Memory: all is borrowed, the text is the caller's. No threads.
#ifndef APP_PAGE_H
#define APP_PAGE_H

#include "kernels/base/text.h"
#include "store/conversation.h"

struct page {
    const struct conversation *conversation;
    const struct message *messages; // [count], by id, so parents come before their replies
    size_t count;
};

MUST_CHECK enum status page_append(const struct page *page, struct text *out);

#endif
