// A function is hooked only if that is proven to be safe. Otherwise its calls are not seen, which is counted and reported once, with the
// first reason.
#include "entered.h"

#include "../entries/entries.h"

#if OPTRACE_HAS_HOOKS
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t left_out;
static const char *first_left_out, *first_reason;

static uintptr_t owner_of(const void *function) {
  Dl_info info;
  return function && dladdr(function, &info) ? (uintptr_t)info.dli_fbase : 0;
}

const char *entered_misfit(void) {
  if (!book_is_static()) return NULL;
  if (book_is_stripped()) return "the program's symbols were stripped, so Swift's libraries in it cannot be found";
  if (!entries_is_alone()) return "functions that are linked into the program can be heard only from before its second thread";
  entry_result result = entries_possible();
  return result == entry_taken ? NULL : entry_result_text(result);
}

void entered_find(hooked_import *function) {
  book_entry found;
  bool is_there = book_look_up(function->name, &found);
  function->real = is_there ? found.address : NULL;
  function->owner = owner_of(function->real);
  function->in_program = is_there && found.is_in_program && book_is_static() ? found.address : NULL;
  function->only = function->within ? owner_of(book_find(function->within)) : 0;
}

static void leave_out(const char *name, const char *why) {
  if (!left_out++) first_left_out = name, first_reason = why;
}

// Null, or why the function cannot be hooked.
static const char *try_to_take(const char *name, void *address, uint64_t size, book_range quiet, void *hook, void **call) {
  if (book_is_folded(name, address)) return "the linker has put other functions at its address";
  entry_result result = entry_take(address, size, quiet, hook, call);
  return result == entry_taken ? NULL : entry_result_text(result);
}

static void *take(const char *name, void *address, uint64_t size, book_range quiet, void *hook) {
  void *call = NULL;
  const char *why = try_to_take(name, address, size, quiet, hook, &call);
  if (why) leave_out(name, why);
  return call;
}

void entered_take_import(hooked_import *function) {
  book_entry found;
  if (!function->in_program || function->in_program != function->real || !book_look_up(function->name, &found)) return;
  book_range quiet = book_library_around((uint64_t)(uintptr_t)function->in_program);
  // The calls that matter may come from the library itself.
  if (function->within) {
    uint64_t caller = (uint64_t)(uintptr_t)book_find(function->within);
    if (caller >= quiet.low && caller < quiet.high) quiet = (book_range){0, 0};
  }
  void *call = take(function->name, function->in_program, found.size, quiet, function->hook);
  if (call) function->real = call;
}

void entered_take_method(hooked_method *method) {
  book_entry found;
  if (!method->direct || method->real != method->address || !book_is_static()) return;
  if (!book_look_up(method->symbol, &found) || !found.is_in_program) return;
  void *call = take(method->symbol, method->address, found.size, book_library_around((uint64_t)(uintptr_t)method->address), method->direct);
  if (call) method->real = call;
}

bool entered_take_also(const char *name, const book_entry *function, void *hook, void **call) {
  const char *why = "it is not there";
  if (function->address) why = try_to_take(name, function->address, function->size, (book_range){0, 0}, hook, call);
  if (why && optrace_is_wanted("OPTRACE_VERBOSE")) leave_out(name, why);
  return !why;
}

void optrace_hooks_begin(void) { entries_allow_threads(entries_is_alone()); }
void optrace_hooks_begun(void) {
  entries_allow_threads(false);
  book_close();
}

const char *optrace_hooks_left_out(void) {
  static char text[256];
  if (!left_out) return NULL;
  snprintf(text, sizeof text, "calls of %s%s are not heard: %s", first_left_out, left_out > 1 ? " and others" : "", first_reason);
  return text;
}
#else
void optrace_hooks_begin(void) {}
void optrace_hooks_begun(void) {}
const char *optrace_hooks_left_out(void) { return NULL; }
#endif
