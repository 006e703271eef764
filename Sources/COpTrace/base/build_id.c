#include "build_id.h"

#include <stdint.h>
#include <string.h>

// The head of a note. Its name and its content follow, each padded to a multiple of four bytes (ELF's gABI).
typedef struct {
  uint32_t name_size, size, type;
} note_head;

enum { build_id_type = 3 };

const void *build_id_find(const void *notes, size_t size, size_t *bytes) {
  note_head head;
  for (const char *at = notes; at && size >= sizeof head;) {
    memcpy(&head, at, sizeof head);
    size_t name = ((size_t)head.name_size + 3) & ~(size_t)3, body = ((size_t)head.size + 3) & ~(size_t)3, left = size - sizeof head;
    if (name > left || head.size > left - name) return NULL;
    at += sizeof head;
    if (head.type == build_id_type && head.name_size == 4 && memcmp(at, "GNU", 4) == 0) {
      *bytes = head.size;
      return at + name;
    }
    if (body > left - name) return NULL;
    at += name + body;
    size = left - name - body;
  }
  return NULL;
}
