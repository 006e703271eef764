import OpTraceSnapshot
import OpTraceSymbols

/// Judges the stack of a thread that is to be borrowed. It must be known to its end, and hold nothing of the allocator, the loader, or of
/// what else may hold a lock of the C library.
final class BorrowedStack {
  private let libraries: LoadedLibraries
  /// Names of functions by their addresses on stacks; the second nil: it has none.
  private var names: [UInt64: String?] = [:]

  init(_ libraries: LoadedLibraries) { self.libraries = libraries }

  enum Verdict: Hashable {
    case fine
    case unsuitable(AttachTrouble.NoThread)
    /// The names of its functions were not asked for yet.
    case unknown
  }

  /// Asks for the names of the functions on a stack, which takes some time.
  func learn(_ thread: SeenThread) {
    for module in libraries.modules {
      let asked = Set(Self.code(of: thread).filter { module.contains($0) && names[$0] == nil })
      guard !asked.isEmpty else { continue }
      let addresses = asked.sorted()
      let lookups = addresses.map { $0 &- module.bias }
      let image = module.file.flatMap { try? ElfImage(path: $0.path) }
      let found = image.map { LinkerNames.of(lookups, in: $0) } ?? lookups.map { _ in nil }
      for (address, name) in zip(addresses, found) { names.updateValue(name, forKey: address) }
    }
  }

  /// Where its functions are, the innermost first. A return address is behind the call; what follows may be another function.
  private static func code(of thread: SeenThread) -> [UInt64] {
    thread.addresses.prefix(1) + thread.addresses.dropFirst().map { $0 &- 1 }
  }

  func verdict(on thread: SeenThread) -> Verdict {
    guard thread.isWhole, thread.guessedFrom == thread.addresses.count, !thread.addresses.isEmpty else {
      return .unsuitable(.unclearStack)
    }
    var frames: [(module: Module, name: String?)] = []
    for address in Self.code(of: thread) {
      guard let module = libraries.modules.containing(address), module.hasCode(at: address) else {
        return .unsuitable(.unclearStack)
      }
      guard let name = names[address] else { return .unknown }
      frames.append((module, name))
    }
    for frame in frames {
      if LoadedLibraries.isLoader(frame.module) { return .unsuitable(.busyInLibrary) }
      if libraries.allocators.contains(where: { $0.low == frame.module.low }) { return .unsuitable(.busyInLibrary) }
      if frame.name.map(Self.allocates) == true { return .unsuitable(.busyInLibrary) }
    }
    return areWaits(frames) ? .fine : .unsuitable(.busyInLibrary)
  }

  /// The C library may be on the stack where the thread waits, and where it began. Nowhere else: what calls back may hold a lock.
  private func areWaits(_ frames: [(module: Module, name: String?)]) -> Bool {
    let areLibrary = frames.map { libraries.isLibrary($0.module) }
    let inner = areLibrary.prefix { $0 }.count
    // The main thread begins in the program's own `_start`, which has a name unless the program was stripped.
    let begins = frames.last.map { $0.module.isProgram && $0.name ?? "_start" == "_start" } == true ? 1 : 0
    let outer = frames.count - begins - areLibrary.dropLast(begins).reversed().prefix { $0 }.count
    for index in frames.indices where areLibrary[index] {
      guard index < inner || index >= outer else { return false }
      // Functions that only the library itself uses have no name where it is stripped. All that takes a lock waits for it in one that has.
      guard let name = frames[index].name else { continue }
      let names = index < inner ? Self.waits : Self.beginnings
      let plain = Self.plain(name)
      guard names.contains(where: { plain.hasPrefix($0) }) else { return false }
    }
    return true
  }

  private static func plain(_ name: String) -> Substring {
    let bare = name.drop { $0 == "_" }
    return (bare.hasPrefix("GI_") ? bare.dropFirst(3) : bare[...]).drop { $0 == "_" }
  }

  /// What waits for something of the program. Not for a mutex: who waits for one may be in the allocator.
  private static let waits = [
    "futex_", "new_sem_", "sem_wait", "sem_timedwait", "sem_clockwait", "pthread_cond_wait", "pthread_cond_timedwait",
    "pthread_cond_clockwait", "pthread_join", "pthread_timedjoin", "pthread_clockjoin", "poll", "ppoll", "nanosleep",
    "clock_nanosleep", "sleep", "usleep", "read", "libc_read", "epoll_wait", "epoll_pwait", "sigsuspend", "wait4",
    "waitpid",
    "waitid", "pause", "syscall", "internal_syscall_cancel", "syscall_cancel",
    // A stream's lock is its own; nobody else takes it.
    "IO_", "underflow", "uflow", "getline", "getdelim", "fgets", "fread", "getc", "fgetc",
  ]

  /// What a thread begins with. `nptl_deallocate_tsd`: libdispatch keeps the main thread in a destructor.
  private static let beginnings = [
    "start_thread", "clone", "libc_start_main", "libc_start_call_main", "start", "nptl_deallocate_tsd",
  ]

  private static func allocates(_ name: String) -> Bool {
    let known: Set<Substring> = [
      "malloc", "calloc", "realloc", "free", "memalign", "aligned_alloc", "posix_memalign", "valloc", "pvalloc",
      "reallocarray",
      "libc_malloc", "libc_calloc", "libc_realloc", "libc_free", "libc_memalign", "malloc_trim", "malloc_stats",
      "mallinfo",
    ]
    return known.contains(plain(name)) || name.hasPrefix("_Zn") || name.hasPrefix("_Zd")
  }
}
