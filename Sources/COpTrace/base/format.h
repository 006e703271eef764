// The header of a chunk as a C structure. The constants of the rest of the format are in COpTraceFormat.h, which is generated from
// OpTraceFormat.
#ifndef OPTRACE_FORMAT_H
#define OPTRACE_FORMAT_H

#include <stdatomic.h>

#include "COpTrace.h"

// A chunk's header, as in the file.
typedef struct {
  uint32_t magic;
  uint32_t bytes;
  uint64_t sequence;
  uint64_t base_ticks;
  uint32_t thread;
  uint32_t kind;
  _Atomic uint32_t fill;
  _Atomic uint32_t state;
  uint64_t checksum;
  uint64_t unused[2];
} chunk_header;
_Static_assert(sizeof(chunk_header) == optrace_chunk_size, "the file format fixes it");
_Static_assert(offsetof(chunk_header, bytes) == optrace_chunk_byte_count, "the file format fixes it");
_Static_assert(offsetof(chunk_header, sequence) == optrace_chunk_sequence, "the file format fixes it");
_Static_assert(offsetof(chunk_header, base_ticks) == optrace_chunk_base_ticks, "the file format fixes it");
_Static_assert(offsetof(chunk_header, thread) == optrace_chunk_thread, "the file format fixes it");
_Static_assert(offsetof(chunk_header, kind) == optrace_chunk_kind, "the file format fixes it");
_Static_assert(offsetof(chunk_header, fill) == optrace_chunk_fill, "the file format fixes it");
_Static_assert(offsetof(chunk_header, state) == optrace_chunk_state, "the file format fixes it");
_Static_assert(offsetof(chunk_header, checksum) == optrace_chunk_checksum, "the file format fixes it");

// Returns the size of a chunk that holds this many bytes of records, rounded up to whole cache lines.
static inline uint32_t chunk_bytes(uint32_t records) { return ((uint32_t)sizeof(chunk_header) + records + 63) / 64 * 64; }

#endif
