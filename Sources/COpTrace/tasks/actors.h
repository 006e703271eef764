// Actors, as a trace names them.
#ifndef OPTRACE_ACTORS_H
#define OPTRACE_ACTORS_H

#include <stdint.h>

// The number of the actor at this address; 0: there is no room for it. One that is freed leaves its number to the next one there.
// Takes no lock.
uint32_t actor_number(const void *actor);

#endif
