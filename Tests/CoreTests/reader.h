// Reads a trace as Documentation/format.md has it, and knows nothing of who wrote it but the numbers.
#ifndef CORETESTS_READER_H
#define CORETESTS_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "COpTrace.h"

typedef struct {
  uint8_t kind;
  uint32_t subject, thread;
  uint64_t ticks;
  uint64_t word[2];       // The second and the third, where it has them.
  const uint8_t *text;
  uint32_t length;
  uint32_t chunk_kind;
  uint64_t sequence;      // Of its chunk.
  size_t place;           // Among all of the file.
} record;

typedef struct {
  uint8_t *bytes;
  size_t size;
  record *records;        // By thread and time.
  size_t count, room;     // Of records: how many there are, and for how many there is memory.
  size_t chunks;
  const char *wrong;      // Null: every byte of it is as it should be.
} trace;

// A file that was closed: each chunk must be sealed, and each checksum hold.
trace trace_read(const char *path);
void trace_free(trace *t);
uint64_t trace_header(const trace *t, size_t offset);
uint64_t trace_lost(const trace *t);
size_t trace_count(const trace *t, uint8_t kind);

// Each record of some bytes of a chunk, with its header; false: they are no whole records.
bool records_walk(const uint8_t *chunk, size_t bytes, void *context, void (*take)(void *context, const record *one));

#endif
