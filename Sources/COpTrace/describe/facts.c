#include "facts.h"

#include <string.h>

#include "../hooks/classes.h"
#include "closures.h"
#include "code.h"
#include "texts.h"

#if OPTRACE_HAS_HOOKS

// Returns the id of a class's name. If `code` is not 0: the id of the name together with the number of the code that the operation runs.
static uint32_t name_of(optrace_recorder *core, const void *metadata, uint32_t code) {
  type_name name = runtime_type_name(metadata, false), qualified = runtime_type_name(metadata, true);
  const char *dot = qualified.length ? memchr(qualified.bytes, '.', qualified.length) : NULL;
  // The module is the part before the first dot.
  bool has_module = dot && dot > qualified.bytes && dot + 1 < qualified.bytes + qualified.length;
  size_t length = has_module ? (size_t)(dot - qualified.bytes) : 0;
  return optrace_class_id(core, name.bytes, name.length, has_module ? qualified.bytes : NULL, length, code);
}

static class_facts make(optrace_recorder *core, const void *metadata, uint64_t key) {
  class_facts facts = name_of(core, metadata, 0) & facts_name;
  const class_entry *class = class_know(metadata, class_operation);
  if (class && class->readies_itself) facts |= facts_readies_itself;
  if (class && class->executes_itself) facts |= facts_executes_itself;
  if (class && class->runs_itself) facts |= facts_runs_itself;
  if (!class || class->answers_itself) facts |= facts_answers_itself;
  if (is_block_operation(metadata)) facts |= facts_code_is_chosen;
  // Do not cache facts without a name, because there may be room for the name the next time.
  if (facts & facts_name) optrace_cache_add(core, key, 0, facts);
  return facts;
}

// Returns the class's facts with a name that includes the function that this operation runs.
static class_facts choose(optrace_recorder *core, class_facts facts, const void *operation, const void *metadata, uint64_t key) {
  uint64_t function = block_function(operation);
  if (!function) return facts;
  class_facts known = optrace_cache_find(core, key, function);
  if (known) return known;
  uint32_t code = optrace_code_id(core, function);
  if (!code) return facts;
  class_facts chosen = (facts & ~(uint32_t)facts_name) | (name_of(core, metadata, code) & facts_name);
  if (chosen & facts_name) optrace_cache_add(core, key, function, chosen);
  return chosen;
}

class_facts facts_of(optrace_recorder *core, void *operation) {
  const void *metadata = *(const void *const *)operation;
  // The second key is 0 for the class alone, or the address of a function.
  uint64_t key = (uint64_t)(uintptr_t)metadata;
  class_facts facts = optrace_cache_find(core, key, 0);
  if (!facts) facts = make(core, metadata, key);
  return facts & facts_code_is_chosen ? choose(core, facts, operation, metadata, key) : facts;
}

uint32_t class_number(optrace_recorder *core, const void *metadata) {
  enum { key_of_names = 1 };  // The second key of these entries. No function has this address.
  uint32_t id = optrace_cache_find(core, (uint64_t)(uintptr_t)metadata, key_of_names);
  if (id) return id;
  id = name_of(core, metadata, 0);
  if (id) optrace_cache_add(core, (uint64_t)(uintptr_t)metadata, key_of_names, id);
  return id;
}

uint32_t shown_class(optrace_recorder *core, const char *name, uint64_t function) {
  return optrace_class_id(core, name, strlen(name), NULL, 0, optrace_code_id(core, function));
}
#endif
