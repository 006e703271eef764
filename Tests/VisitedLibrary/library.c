// Loaded and unloaded by tests of the core: calls back, so that a walk goes through code that comes and goes.
int visit(int (*back)(void *context), void *context);

int visit(int (*back)(void *context), void *context) {
  int result = back(context);
  __asm__ volatile("" ::: "memory");
  return result + 1;
}
