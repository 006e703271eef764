#include <stdio.h>
#include <editline/readline.h>

// Swift takes libedit's settings for variables that threads share; here only the thread that reads lines sets them.

static inline void optrace_complete_with(rl_completion_func_t *matches, const char *word_breaks) {
  rl_attempted_completion_function = matches;
  rl_basic_word_break_characters = word_breaks;
}

// Where there is no match, names of files are none either.
static inline void optrace_complete_nothing_else(void) { rl_attempted_completion_over = 1; }

// Where the reading of a line calls a function at Ctrl-C, which arrives as a key.
static inline void optrace_interrupt_with(rl_command_func_t *function) {
  rl_initialize();
  rl_add_defun("optrace-interrupt", function, 3);
}

// The line ends without a text.
static inline void optrace_end_line(void) { rl_done = 1; }
