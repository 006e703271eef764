// Finds stored properties by name. Swift keeps their names for reflection, and their offsets in the class metadata. Both layouts are part
// of Swift's stable ABI (docs/ABI/TypeMetadata.rst in the Swift repository).
#include "fields.h"

#if OPTRACE_HAS_HOOKS
#include <string.h>

// A relative pointer: it stores the distance from its own address to the target.
static const void *relative(const int32_t *at) { return *at ? (const uint8_t *)at + *at : NULL; }

typedef struct {
  uint32_t flags;
  int32_t parent, name, accessor, fields, superclass;
  uint32_t negative_words, positive_words, member_count, field_count, offsets_at;
} class_description;

typedef struct {
  int32_t type, superclass;
  uint16_t kind, record_size;
  uint32_t count;
} field_list;

typedef struct {
  uint32_t flags;
  int32_t type, name;
} field_record;

uint32_t class_field_offset(const void *metadata, const char *name) {
  const class_description *description = ((const void *const *)metadata)[5];
  if (!description || (description->flags & 0x1F) != 16) return 0;  // 16: a class.
  const field_list *fields = relative(&description->fields);
  if (!fields || fields->record_size < sizeof(field_record) || !description->offsets_at) return 0;
  for (uint32_t i = 0; i < fields->count && i < description->field_count; i++) {
    const field_record *field = (const field_record *)((const uint8_t *)(fields + 1) + i * fields->record_size);
    const char *found = relative(&field->name);
    if (found && strcmp(found, name) == 0)
      return (uint32_t)((const uintptr_t *)metadata)[description->offsets_at + i];
  }
  return 0;
}

uint32_t optrace_class_field(const void *metadata, const char *name) { return class_field_offset(metadata, name); }

#else

uint32_t optrace_class_field(const void *metadata, const char *name) {
  (void)metadata;
  (void)name;
  return 0;
}

#endif
