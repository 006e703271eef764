// Hints for the common branch.
#ifndef OPTRACE_LIKELY_H
#define OPTRACE_LIKELY_H

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

#endif
