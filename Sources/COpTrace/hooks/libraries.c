// An address means what is loaded there. So all that is still to be looked up in a library is looked up before it may be unloaded, and what
// was remembered of it is forgotten right after that, before another library can be loaded in its place.
//
// `dlopen` is not hooked: it goes by its caller's library. What it loads is found when its code is first seen.
#include "libraries.h"

#include "../orders/places.h"
#include "../memory/memory.h"
#include "../profile/profile.h"
#include "../stacks/modules.h"

#if OPTRACE_HAS_HOOKS
#include <errno.h>

static ORDERED_BY_EXCHANGE void *real(void) { return library_imports[0].real; }

static int hook_close(void *library) {
  int error = errno;
  modules_refresh();
  profile_drain_all();
  memory_before_unload();
  errno = error;
  int result = ((int (*)(void *))real())(library);
  error = errno;
  modules_refresh_behind();
  places_forget();
  memory_after_unload();
  errno = error;
  return result;
}

hooked_import library_imports[] = {{"dlclose", hook_close}, {0}};
#endif
