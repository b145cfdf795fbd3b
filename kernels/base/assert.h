// kernels/base/assert.h — on in every build: a failed one is a bug in this program.
#ifndef BASE_ASSERT_H
#define BASE_ASSERT_H

#ifdef __cplusplus
extern "C" {
#endif

#define ASSERT(condition) ((condition) ? (void)0 : assert_fail(#condition, __FILE__, __LINE__))

// The same for a call with an effect, which cannot fail here.
#define MUST(call) ASSERT(call)

// Called once before the program aborts; app/ gives the terminal back in it.
void assert_set_hook(void (*hook)(void));

__attribute__((noreturn)) void assert_fail(const char *what, const char *file, int line);

#ifdef __cplusplus
}
#endif
#endif
