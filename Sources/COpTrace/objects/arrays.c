#include "arrays.h"

#if OPTRACE_HAS_HOOKS

const char *arrays_prove(const optrace_readers *readers, const hooked_method *methods) {
  method_object depend = (method_object)methods[method_add_dependency].real;
  SWIFT void *(*dependencies)(SELF) = methods[method_get_dependencies].real;
  void *one = readers->make_operation(), *others[2] = {readers->make_operation(), readers->make_operation()};
  bool fits = one && others[0] && others[1];
  // Test with zero, one and two dependencies. Their order does not matter.
  for (size_t count = 0; fits && count <= 2; count++) {
    if (count) depend(others[count - 1], one);
    void *array = dependencies(one);
    fits = array_count(array) == count;
    for (size_t i = 0; fits && i < count; i++) {
      size_t found = 0;
      for (size_t k = 0; k < count; k++) found += array_object(array, k) == others[i];
      fits = found == 1;
    }
    readers->release(array);
  }
  if (one) readers->release(one);
  for (size_t i = 0; i < 2; i++)
    if (others[i]) readers->release(others[i]);
  return fits ? NULL : "arrays of operations have another layout in this program";
}
#endif
