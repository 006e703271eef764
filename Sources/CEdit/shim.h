#include <stdio.h>
#include <editline/readline.h>

// Swift takes libedit's settings for variables that threads share; here only the thread that reads lines sets them.

static inline void optrace_complete_with(rl_completion_func_t *matches, const char *word_breaks) {
  rl_attempted_completion_function = matches;
  rl_basic_word_break_characters = word_breaks;
}

// Where there is no match, names of files are none either.
static inline void optrace_complete_nothing_else(void) { rl_attempted_completion_over = 1; }
