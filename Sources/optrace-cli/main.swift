#if CLI
  OpTraceCommand.run()
#else
  #if canImport(Darwin)
    import Darwin
  #elseif canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #endif

  let notice =
    "optrace: this command was built without the package trait 'CLI'; build it with `swift build --traits CLI`\n"
  _ = notice.withCString { write(2, $0, notice.utf8.count) }
  exit(70)
#endif
