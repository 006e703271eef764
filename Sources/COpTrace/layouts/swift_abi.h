// What Swift's compiler puts into programs, or assumes in them, on 64-bit systems without Objective-C. Runtimes cannot change it without
// breaking programs that were compiled before, so it has no version. It is checked in each process nevertheless, before it is used: who
// does that is said at each part. From Swift's repository at 6.3, unless another place is named.
#ifndef OPTRACE_SWIFT_ABI_H
#define OPTRACE_SWIFT_ABI_H

#include <stddef.h>
#include <stdint.h>

// ---- Classes: include/swift/ABI/Metadata.h (`TargetClassMetadata`). Checks: `is_class`, `find_methods` (objects/classes.c).

// The part of a class's metadata before the methods.
typedef struct {
  const void *kind;
  const void *superclass;
  uint32_t flags, instance_address;
  uint32_t instance_size;
  uint16_t alignment, reserved;
  uint32_t class_size, class_address;
  const void *description;
  void *ivar_destroyer;
} class_metadata;

// `deinit` is this many bytes before the metadata's address.
enum { destroy_offset = 2 * sizeof(void *) };

// ---- Names of stored properties and of cases: docs/ABI/TypeMetadata.rst, include/swift/RemoteInspection/Records.h. Checks: the value of
// each property that is found, in a new object (objects/own.c, describe/closures.c, describe/main_queue.c).

// The head of each type's description. The numbers are distances from their own addresses, 0: nothing.
typedef struct {
  uint32_t flags;
  int32_t parent, name, accessor, fields;
} type_description;
enum { description_kind = 0x1F, description_of_class = 16, description_of_enumeration = 18 };

typedef struct {
  type_description head;
  int32_t superclass;
  uint32_t negative_words, positive_words, member_count, field_count;
  uint32_t offsets_at;  // Where in the metadata the offsets of the properties begin, in words.
} class_description;

// Followed by `count` records, each for a stored property or a case.
typedef struct {
  int32_t type, superclass;
  uint16_t kind, record_size;
  uint32_t count;
} field_list;
typedef struct {
  uint32_t flags;
  int32_t type, name;
} field_record;
// The first byte of a field's type if it is followed by the distance to the type's description.
enum { type_by_description = 1 };

// ---- Arrays: stdlib/public/SwiftShims/swift/shims/GlobalObjects.h. Checks: `arrays_prove`, `strings_prove`.

enum { array_count_word = 2, array_first_element_word = 4 };

// ---- Strings: stdlib/public/core/StringObject.swift. Check: `strings_prove`.

// The highest four bits of the second word contain the form. A large text has its count in the first word. `behind_header`: a bit of a
// large text's first word, the bytes follow the object's header.
enum { string_form_shift = 60, string_behind_header_shift = 60, string_count_bits = 48 };
enum { string_small_count_shift = 56, string_small_count_mask = 15, string_most_small = 15, string_header_bytes = 32 };
// Bits of the form. Immortal: its references are not counted. Small: the bytes are in the two words. Foreign: the bytes are not UTF-8 in
// one piece.
enum { string_is_immortal = 8, string_is_small = 2, string_is_foreign = 1 };

// ---- Closures: include/swift/ABI/Metadata.h (`TargetHeapLocalVariableMetadata`), MetadataValues.h. Check: `closures_prove`.

// The metadata of all contexts of one kind. The runtime's pointer to it points to `kind`.
typedef struct {
  void *free;
  const void *witnesses;
  uintptr_t kind;
  uint32_t first_capture;
  const char *captures;
} context_metadata;
enum { kind_of_contexts = 0x400, object_header_words = 2 };
// What a thunk has caught: the function and the context of another closure, which is a description with an asynchronous function. Words.
enum { caught_function_word = 2, caught_context_word = 3, object_alignment = 16 };

// ---- Values: include/swift/ABI/ValueWitness.def. Check: sizes that fit (hooks/test_frameworks.c).

// The table that every type has.
typedef struct {
  const void *initialize_buffer;
  void (*destroy)(void *value, const void *type);
  const void *copying[4];
  // Returns 0 if there is a payload, else the number of one of `cases` cases without a payload.
  unsigned (*tag)(const void *value, unsigned cases, const void *type);
  const void *set_tag;
  size_t size, stride;
} value_witnesses;

// ---- Jobs and tasks: include/swift/ABI/MetadataValues.h (`JobFlags`, `TaskCreateFlags`). Check: `task_layout_fits` (tasks/task_layout.h).

enum { job_kind = 0xFF, job_task = 0, job_priority_shift = 8, job_group_shift = 26, job_let_shift = 28 };
enum { create_inherits = 1 << 10 };
// A description of an asynchronous function: the distance from here to its code, and the size of its context in bytes.
typedef struct {
  int32_t code;
  uint32_t context_size;
} async_function;

#endif
