#include "facts.h"

#include <string.h>

#include "COpTraceBegin.h"
#include "../objects/readers.h"

typedef struct {
  optrace_recorder *core;
  uint32_t code, id;
} naming;

static void take_name(void *context, const char *name, size_t length, const char *module, size_t module_length) {
  naming *n = context;
  n->id = optrace_class_id(n->core, name, length, module, module_length, n->code);
}

// Returns the id of a class's name. If `code` is not 0: the id of the name together with the number of the code that the operation runs.
static uint32_t name_of(optrace_recorder *core, const void *class, uint32_t code) {
  naming n = {.core = core, .code = code};
  readers.name_class(class, &n, take_name);
  return n.id;
}

static class_facts make(optrace_recorder *core, const void *class, uint64_t key) {
  class_facts facts = (name_of(core, class, 0) & facts_name) | (readers.class_facts(core, class) & ~(uint32_t)facts_name);
  // Do not cache facts without a name, because there may be room for the name the next time.
  if (facts & facts_name) optrace_cache_add(core, key, 0, facts);
  return facts;
}

// Returns the class's facts with a name that includes the function that this operation runs.
static class_facts choose(optrace_recorder *core, class_facts facts, uint64_t function, const void *class, uint64_t key) {
  if (!function) return facts;
  class_facts known = optrace_cache_find(core, key, function);
  if (known) return known;
  uint32_t code = optrace_code_id(core, function);
  if (!code) return facts;
  class_facts chosen = (facts & ~(uint32_t)facts_name) | (name_of(core, class, code) & facts_name);
  if (chosen & facts_name) optrace_cache_add(core, key, function, chosen);
  return chosen;
}

class_facts facts_of(optrace_recorder *core, void *operation) { return facts_with(core, operation, 0); }

class_facts facts_with(optrace_recorder *core, void *operation, uint64_t function) {
  const void *class = class_of(operation);
  // The second key is 0 for the class alone, or the address of a function.
  uint64_t key = (uint64_t)(uintptr_t)class;
  class_facts facts = optrace_cache_find(core, key, 0);
  if (!facts) facts = make(core, class, key);
  if (!(facts & optrace_class_code_is_chosen)) return facts;
  return choose(core, facts, function ? function : readers.function(operation), class, key);
}

uint32_t class_number(optrace_recorder *core, const void *class) {
  enum { key_of_names = 1 };  // The second key of these entries. No function has this address.
  uint32_t id = optrace_cache_find(core, (uint64_t)(uintptr_t)class, key_of_names);
  if (id) return id;
  id = name_of(core, class, 0);
  if (id) optrace_cache_add(core, (uint64_t)(uintptr_t)class, key_of_names, id);
  return id;
}

uint32_t shown_class(optrace_recorder *core, const char *name, uint64_t function) {
  return optrace_class_id(core, name, strlen(name), NULL, 0, optrace_code_id(core, function));
}
