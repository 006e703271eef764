// What is not recorded because its layout is not the known one.
#ifndef OPTRACE_LEFT_OUT_H
#define OPTRACE_LEFT_OUT_H

// Adds a reason, part of a sentence, to `optrace_layouts_left_out`. Null adds nothing. Only one thread at a time.
void leave_out(const char *why);

#endif
