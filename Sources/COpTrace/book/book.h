// Functions and variables of Swift's libraries, by name.
#ifndef OPTRACE_BOOK_H
#define OPTRACE_BOOK_H

// Null: the program has none of this name.
void *book_find(const char *name);

#endif
