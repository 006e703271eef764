#ifndef CFLOOR_H
#define CFLOOR_H

#include <stddef.h>
#include <stdint.h>

// The least that any recorder does for an event: reads the clock and stores 24 bytes. `count` times, into `bytes` that are
// used again and again.
void floor_store(uint8_t *bytes, size_t size, uint64_t count);

// How often this program has asked the system's allocator for memory; 0 for good where that can't be counted.
uint64_t allocation_count(void);

#endif
