#if canImport(Glibc)
  import Glibc
#endif

/// What a command does with much memory in several steps, each of which has arrays of its own.
enum LargeArrays {
  /// Has them go back to the system when a step is over. glibc would keep more and more of them for later, of which the arrays of the
  /// next step mostly fit none: a fifth of all memory of a large report.
  static func areGivenBack() {
    #if canImport(Glibc)
      // Swift does not see its header.
      guard let own = dlopen(nil, RTLD_NOW), let found = dlsym(own, "mallopt") else { return }
      let mallopt = unsafeBitCast(found, to: (@convention(c) (CInt, CInt) -> CInt).self)
      let mapsFrom: CInt = -3
      _ = mallopt(mapsFrom, 1 << 20)
    #endif
  }
}
