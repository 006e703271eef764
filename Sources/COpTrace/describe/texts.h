// Gives texts that occur again and again (class names, source locations, build ids) a number, and writes each once into the trace.
#ifndef OPTRACE_TEXTS_H
#define OPTRACE_TEXTS_H

#include "COpTraceBegin.h"

// Before anybody records. `byte_limit`: what all definitions may take together. In a ring they stay for good, and must leave room
// for events. False: memory is out, and no text will have a number.
bool texts_begin(optrace_recorder *core, uint64_t byte_limit);
// Reserves room for a definition that others write. False: there is none, which is counted as a loss.
bool texts_reserve(optrace_recorder *core, uint64_t bytes);
// How many bytes of a text to keep: at most so many, and whole characters.
size_t text_prefix(const char *utf8, size_t length, size_t most);

#endif
