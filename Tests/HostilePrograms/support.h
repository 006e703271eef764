#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef void (*body)(void *);

// In a library that is loaded, called, and unloaded while what it added goes on.
bool call_library(const char *path, void *context, body call);
// In a handler that runs on a stack of its own.
void call_on_signal_stack(body call, void *context);
// On a stack that nobody else knows.
void call_on_fiber(body call, void *context);
// Starts a thread that waits for ever with a saved bp that leads to itself.
void wait_in_a_loop(void);
// `fork`, which Swift does not import.
int make_child(void);
