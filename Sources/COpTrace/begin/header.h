// The part of the file's header that never changes. The recorder adds the clocks and the checksum.
#ifndef OPTRACE_HEADER_H
#define OPTRACE_HEADER_H

#include "COpTrace.h"

// The first bytes of a trace file.
#define TRACE_MAGIC "OPTRACE\n"
enum { trace_magic_size = 8 };

// `name`: the program's name for itself; NULL: use the name of its file.
void trace_header_make(uint8_t out[optrace_header_static_checksum], bool use_counter, bool is_ring, const char *name);

#endif
