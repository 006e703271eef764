#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The descriptors of a program, as `posix_spawn` takes them.
final class SpawnActions {
  #if canImport(Darwin)
    var value: posix_spawn_file_actions_t?
  #else
    var value = posix_spawn_file_actions_t()
  #endif
  private var copies: [Int32] = []

  init() { posix_spawn_file_actions_init(&value) }

  deinit {
    posix_spawn_file_actions_destroy(&value)
    for copy in copies { close(copy) }
  }

  /// False, with `errno`, where there are no more descriptors.
  func add(_ stream: Program.Stream, as number: Int32) -> Bool {
    switch stream {
    case .inherited: break
    case .nothing:
      posix_spawn_file_actions_addopen(&value, number, "/dev/null", number == STDIN_FILENO ? O_RDONLY : O_WRONLY, 0)
    case .descriptor(let ours):
      // A copy with a high number: no other action overwrites it before it is used.
      let copy = fcntl(ours, F_DUPFD_CLOEXEC, 64)
      guard copy >= 0 else { return false }
      copies.append(copy)
      posix_spawn_file_actions_adddup2(&value, copy, number)
    }
    return true
  }
}

/// The group and the signals of a program, as `posix_spawn` takes them.
final class SpawnAttributes {
  #if canImport(Darwin)
    var value: posix_spawnattr_t?
    private static let ownSession = POSIX_SPAWN_SETSID
  #else
    var value = posix_spawnattr_t()
    /// glibc and musl have it; its name is hidden behind `_GNU_SOURCE`.
    private static let ownSession: Int32 = 0x80
  #endif

  init() { posix_spawnattr_init(&value) }

  deinit { posix_spawnattr_destroy(&value) }

  func set(_ group: Program.Group, blocked: sigset_t, restored: [Int32]) {
    let flags: Int32 =
      switch group {
      case .shared: 0
      case .own: Int32(POSIX_SPAWN_SETPGROUP)
      case .ownSession: Self.ownSession
      }
    var (mask, set) = (blocked, sigset_t())
    posix_spawnattr_setsigmask(&value, &mask)
    sigemptyset(&set)
    for number in restored { sigaddset(&set, number) }
    posix_spawnattr_setsigdefault(&value, &set)
    posix_spawnattr_setflags(&value, Int16(flags | Int32(POSIX_SPAWN_SETSIGMASK) | Int32(POSIX_SPAWN_SETSIGDEF)))
  }
}
