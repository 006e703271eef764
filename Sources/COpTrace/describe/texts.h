// Gives texts that occur again and again (class names, build ids) a number, and writes each once into the trace. For recordings
// that are begun from C; Interner.swift is the same for those of the library.
#ifndef OPTRACE_TEXTS_H
#define OPTRACE_TEXTS_H

#include "COpTrace.h"

// One recorder of a process. `byte_limit`: what all definitions may take together. In a ring they stay for good, and must leave
// room for events.
void texts_begin(optrace_recorder *core, uint64_t byte_limit);
// The recorder that was given; NULL: none.
optrace_recorder *texts_recorder(void);
// The number of a text of UTF-8. 0: there is no room, which is counted as a loss; or nothing is recorded.
uint32_t text_id(const char *utf8, size_t length);
// The number that `created` has as a class: of its name, or of the name with the number of the code that its operations run instead
// of the class's own (a frame; 0: none). Describes the class once. `module`: NULL for none.
uint32_t class_id(const char *name, size_t length, const char *module, size_t module_length, uint32_t code);
// Reserves room for a definition that others write. False: there is none, which is counted as a loss.
bool texts_reserve(uint64_t bytes);
// How many bytes of a text to keep: at most so many, and whole characters.
size_t text_prefix(const char *utf8, size_t length, size_t most);

#endif
