#include "app/console/command_line.h"

#include <string.h>
#include <strings.h>

static const char BLANKS[] = " \t\n";

const char *command_line_with_slash(const char *line) {
    // What leaves vi is no message either; the hint for /q names /quit.
    static const char *const BARE[][2] = {{"exit", "/exit"}, {"quit", "/quit"}, {"help", "/help"},
                                          {"bye", "/bye"},   {":q", "/q"},      {":q!", "/q"},
                                          {":wq", "/q"},     {":x", "/q"},      {":quit", "/q"}};
    const bool path = line[0] == '/' && memchr(line + 1, '/', strcspn(line + 1, BLANKS));
    if (line[0] == '/') return path ? NULL : line;
    for (size_t i = 0; i < sizeof BARE / sizeof BARE[0]; i++) {
        const size_t length = strlen(BARE[i][0]);
        if (strncasecmp(line, BARE[i][0], length) == 0 &&
            strspn(line + length, BLANKS) == strlen(line + length))
            return BARE[i][1];
    }
    return NULL;
}

bool command_line_is_command(const char *line) { return command_line_with_slash(line) != NULL; }
