// The modules of another process, from its list of mappings: for a snapshot from outside.
#ifndef OPTRACE_MAPS_H
#define OPTRACE_MAPS_H

#include <stdbool.h>
#include <stdint.h>

#include "peek.h"

// From now until `maps_end`, memory and modules are those of that process, as far as they may be read. Allocates. Only one process at
// a time.
void maps_begin(uint32_t process);
void maps_end(void);

// The same for a process whose memory comes from a function (see `peek_by`). It begins without modules. False: another thread is using
// the list of modules.
bool maps_begin_by(uint32_t process, peek_reader *read, peek_has_thread *has_thread, void *context);
// Adds the program or library whose first page is at this address. False: there is none.
bool maps_add(uint64_t address, const char *path);

#endif
