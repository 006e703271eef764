#if canImport(Glibc)
  import Glibc
#endif

/// Memory of commands that work in several steps, each with large arrays of its own.
enum LargeArrays {
  /// Makes the C library return large arrays to the system after each step. glibc would keep more and more of them for
  /// later, though they mostly do not fit the arrays of the next step: a fifth of all memory of a large report.
  static func areGivenBack() {
    #if canImport(Glibc)
      // Swift does not import its header.
      guard let own = dlopen(nil, RTLD_NOW), let found = dlsym(own, "mallopt") else { return }
      let mallopt = unsafeBitCast(found, to: (@convention(c) (CInt, CInt) -> CInt).self)
      let mapsFrom: CInt = -3
      _ = mallopt(mapsFrom, 1 << 20)
    #endif
  }
}
