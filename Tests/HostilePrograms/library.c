// A library that is gone again when what was added from it runs.
void enter(void (*call)(void *), void *context);
void enter(void (*call)(void *), void *context) {
  call(context);
  __asm__ volatile("");
}
