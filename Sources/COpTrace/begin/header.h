// The part of the file's header that is written once; the recorder adds the clocks and the checksum.
#ifndef OPTRACE_HEADER_H
#define OPTRACE_HEADER_H

#include "COpTrace.h"

// How a file begins.
#define TRACE_MAGIC "OPTRACE\n"
enum { trace_magic_size = 8 };

// `name`: what the program calls itself; NULL: as its file is called.
void trace_header_make(uint8_t out[optrace_header_static_checksum], bool use_counter, bool is_ring, const char *name);

#endif
