// Numbers texts that occur repeatedly (class names, source locations, build ids), and writes each once into the trace.
#ifndef OPTRACE_TEXTS_H
#define OPTRACE_TEXTS_H

#include "COpTraceBegin.h"

// Creates the recorder's table of texts. Call it before anybody records. `byte_limit`: the most bytes that all definitions may take
// together. A ring never overwrites them, so they must leave room for events. False: memory is out, and no text will have a number.
bool texts_begin(optrace_recorder *core, uint64_t byte_limit);
// Reserves room for a definition that the caller writes. False: there is none, which is counted as a loss.
bool texts_reserve(optrace_recorder *core, uint64_t bytes);
// Returns how many bytes of a text to keep: at most `most`, without splitting a character.
size_t text_prefix(const char *utf8, size_t length, size_t most);

#endif
