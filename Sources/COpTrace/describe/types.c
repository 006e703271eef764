#include "types.h"

#include <string.h>

#include "../layouts/swift_abi.h"
#include "../stacks/modules.h"
#include "../stacks/peek.h"
#include "COpTraceBegin.h"
#include "numbers.h"
#include "runtime.h"

#if OPTRACE_HAS_HOOKS

// Kinds of metadata that are no class's: include/swift/ABI/MetadataKind.def.
static const struct {
  uint64_t kind;
  const char *name;
} others[4] = {{0x400, "closure context"}, {0x500, "box"}, {0x501, "error"}, {0x502, "task"}};

static struct {
  number_map known;   // Words to numbers of texts; for words that are no type, 0.
  bool has_runtime;
  uint16_t kinds[4];  // Numbers of the texts of `others`; 0: not asked yet.
} types;

static void begin(void) {
  number_map_clear(&types.known);
  memset(types.kinds, 0, sizeof types.kinds);
  types.has_runtime = !runtime_prepare();
}

static void forget(void) { number_map_clear(&types.known); }

// The runtime crashes on what only looks like metadata.
static bool is_class(const class_metadata *found) {
  enum { largest_instance = 1 << 24, largest_alignment = 4095 };
  uint32_t flags;
  uint64_t description = (uint64_t)(uintptr_t)found->description;
  bool has_sizes = found->instance_size >= 2 * sizeof(void *) && found->instance_size <= largest_instance &&
                   found->class_size > found->class_address && found->instance_address == 0;
  bool has_alignment = found->alignment <= largest_alignment && (found->alignment & (found->alignment + 1)) == 0;
  return !found->kind && has_sizes && has_alignment && description % 4 == 0 && module_of(description) &&
         peek_all(description, &flags, sizeof flags) && (flags & description_kind) == description_of_class;
}

static uint16_t number_of(optrace_recorder *recorder, const char *text, size_t length) {
  uint32_t id = text ? optrace_text_id(recorder, text, optrace_text_length((const uint8_t *)text, length)) : 0;
  return id <= UINT16_MAX ? (uint16_t)id : 0;
}

static uint16_t find_name(optrace_recorder *recorder, uint64_t word) {
  class_metadata found;
  if (!peek_all(word, &found, sizeof found)) return 0;
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    if ((uint64_t)(uintptr_t)found.kind != others[i].kind) continue;
    if (!types.kinds[i]) types.kinds[i] = number_of(recorder, others[i].name, strlen(others[i].name));
    return types.kinds[i];
  }
  if (!types.has_runtime || !is_class(&found)) return 0;
  type_name name = runtime_type_name((const void *)(uintptr_t)word, true);
  return number_of(recorder, name.bytes, name.length);
}

static uint16_t name_of(optrace_recorder *recorder, uint64_t word) {
  enum { least_address = 4096 };
  if (word < least_address || word % 8 != 0 || word >> 47) return 0;
  const uint64_t *known = number_map_find(&types.known, word, 0);
  if (known) return (uint16_t)*known;
  uint16_t name = find_name(recorder, word);
  uint64_t *added = number_map_add(&types.known, word, 0);
  if (added) *added = name;
  return name;
}

const type_names types_of_objects = {.begin = begin, .forget = forget, .name = name_of};

#endif
