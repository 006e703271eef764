// The modules of another process, from its list of mappings: for a snapshot from outside.
#ifndef OPTRACE_MAPS_H
#define OPTRACE_MAPS_H

#include <stdint.h>

// From now until `maps_end`, memory and modules are those of that process, as far as they may be read. Allocates. Only one process at
// a time.
void maps_begin(uint32_t process);
void maps_end(void);

#endif
