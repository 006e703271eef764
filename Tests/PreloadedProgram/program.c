// Offers a recorder to what is preloaded, as a program that is linked with OpTrace does, and says whether that has begun it by the time
// that `main` runs.
#include <dlfcn.h>
#include <stdio.h>

static const char *begun = "nothing";

static void begin(void) { begun = "the recorder"; }

__attribute__((constructor)) static void offer(void) {
  void (*offer_to)(void (*)(void)) = (void (*)(void (*)(void)))dlsym(RTLD_DEFAULT, "optrace_preload_register");
  if (offer_to) offer_to(begin);
}

int main(int count, char **arguments) {
  printf("%s, with %s begun\n", count > 1 ? arguments[1] : "no argument", begun);
  return 7;
}
