// The exported offsets are in src/init.c and private/queue_private.h of swift-corelibs-libdispatch, the widths in src/queue_internal.h
// (`DISPATCH_QUEUE_WIDTH_MAX`, `…_POOL`), the same from Swift 5.10 to 6.4.
#include "queue_layout.h"

#include <stdbool.h>
#include <string.h>

// Within each queue, whose size is a multiple of a cache line's.
enum { smallest_queue = 128 };

uint16_t queue_width_at(const void *queue, uint32_t offset) {
  uint16_t value;
  memcpy(&value, (const uint8_t *)queue + offset, sizeof value);
  return value;
}

void *queue_target_at(const void *queue, uint32_t offset) {
  void *value;
  memcpy(&value, (const uint8_t *)queue + offset, sizeof value);
  return value;
}

static bool is_width(uint32_t offset, const void *one, const void *many, const void *above) {
  return offset && offset <= smallest_queue - sizeof(uint16_t) && queue_width_at(one, offset) == optrace_queue_width_serial &&
         queue_width_at(many, offset) == optrace_queue_width_concurrent && queue_width_at(above, offset) == optrace_queue_width_serial;
}

static bool is_target(uint32_t offset, const void *one, const void *above) {
  return offset && offset <= smallest_queue - sizeof(void *) && queue_target_at(above, offset) == one && queue_target_at(one, offset) != one;
}

// The first offset that fits.
static queue_layout search(const void *one, const void *many, const void *above) {
  queue_layout found = {0, 0};
  for (uint32_t offset = 2; offset < smallest_queue && !found.width; offset += 2)
    if (is_width(offset, one, many, above)) found.width = offset;
  for (uint32_t offset = 8; offset < smallest_queue && !found.target; offset += 8)
    if (is_target(offset, one, above)) found.target = offset;
  return found;
}

queue_layout queue_layout_prove(const optrace_queue_offsets *exported, const void *one, const void *many, const void *above) {
  if (!exported) return search(one, many, above);
  queue_layout found = {0, 0};
  if (exported->version < optrace_queue_offsets_first_version) return found;
  if (exported->width_size == sizeof(uint16_t) && is_width(exported->width, one, many, above)) found.width = exported->width;
  if (exported->target_size == sizeof(void *) && is_target(exported->target, one, above)) found.target = exported->target;
  return found;
}
