// What only tests want to know of a recorder.
#ifndef CRECORDERINSIDE_H
#define CRECORDERINSIDE_H

#include "COpTrace.h"

// Its descriptor, to do with it what a careless host does.
int test_descriptor(const optrace_recorder *recorder);
// A checksum of all that the threads which record share, but for the file itself.
uint64_t test_shared(const optrace_recorder *recorder);
// Whether a forked child finds both kinds of pages empty that are to be so, and its parent does not.
bool test_child_finds_pages_empty(void);

#endif
