// Swift keeps the names of stored properties and of cases for reflection, and the offsets of properties in the class metadata.
#include "fields.h"

#if OPTRACE_HAS_HOOKS
#include <string.h>

#include "../layouts/swift_abi.h"

// A relative pointer: it stores the distance from its own address to the target.
static const void *relative(const int32_t *at) { return *at ? (const uint8_t *)at + *at : NULL; }

static const field_list *fields_of(const type_description *type, uint32_t kind) {
  const field_list *fields = type && (type->flags & description_kind) == kind ? relative(&type->fields) : NULL;
  return fields && fields->record_size >= sizeof(field_record) ? fields : NULL;
}

// Null: there is none of this name.
static const field_record *find(const field_list *fields, const char *name, uint32_t *index) {
  for (uint32_t i = 0; fields && i < fields->count; i++) {
    const field_record *field = (const field_record *)((const uint8_t *)(fields + 1) + i * fields->record_size);
    const char *found = relative(&field->name);
    if (!found || strcmp(found, name) != 0) continue;
    *index = i;
    return field;
  }
  return NULL;
}

static const class_description *description_of(const void *metadata) { return ((const class_metadata *)metadata)->description; }

static const field_record *property(const void *metadata, const char *name, uint32_t *index) {
  const class_description *class = description_of(metadata);
  return class ? find(fields_of(&class->head, description_of_class), name, index) : NULL;
}

uint32_t class_field_offset(const void *metadata, const char *name) {
  const class_description *class = description_of(metadata);
  uint32_t index = 0;
  if (!property(metadata, name, &index) || index >= class->field_count || !class->offsets_at) return 0;
  return (uint32_t)((const uintptr_t *)metadata)[class->offsets_at + index];
}

bool class_field_case(const void *metadata, const char *name, const char *case_name, uint8_t *index) {
  uint32_t found = 0;
  const field_record *field = property(metadata, name, &found);
  const uint8_t *type = field ? relative(&field->type) : NULL;
  if (!type || *type != type_by_description) return false;
  int32_t distance;
  memcpy(&distance, type + 1, sizeof distance);
  const field_list *cases = fields_of((const type_description *)(const void *)(type + 1 + distance), description_of_enumeration);
  if (!find(cases, case_name, &found) || found > UINT8_MAX) return false;
  *index = (uint8_t)found;
  return true;
}

uint32_t optrace_class_field(const void *metadata, const char *name) { return class_field_offset(metadata, name); }

#else

uint32_t optrace_class_field(const void *metadata, const char *name) {
  (void)metadata;
  (void)name;
  return 0;
}

#endif
