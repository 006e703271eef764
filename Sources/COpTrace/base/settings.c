#include "settings.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static const char *_Atomic given;

void settings_use(const char *texts) { atomic_store(&given, texts); }

bool settings_are_given(void) { return atomic_load(&given) != NULL; }

const char *setting(const char *name) {
  const char *text = atomic_load(&given);
  if (!text) return getenv(name);
  size_t length = strlen(name);
  for (; *text; text += strlen(text) + 1)
    if (strncmp(text, name, length) == 0 && text[length] == '=') return text + length + 1;
  return NULL;
}
