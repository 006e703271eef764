// The numbers of actors in a trace.
#ifndef OPTRACE_ACTORS_H
#define OPTRACE_ACTORS_H

#include <stdint.h>

// The number of the actor at this address; 0: there is no room for it. When an actor is freed, the next one at the address gets the same
// number. Takes no lock.
uint32_t actor_number(const void *actor);

#endif
