import Foundation

/// Opens an address in the browser that the user has chosen: by `BROWSER`, else by the system's own settings.
enum Browser {
  /// Starts it and goes on. `whenFailed` is called from another thread, with the reason, where none can be started.
  static func open(_ address: String, whenFailed: @escaping @Sendable (String) -> Void) {
    let candidates = commands(for: address, environment: ProcessInfo.processInfo.environment)
    Thread {
      var why = "there is no \(candidates.last?.first ?? "browser")"
      for words in candidates {
        guard let program = find(words[0]) else { continue }
        guard let status = run(program, words) else { return whenFailed("\(words[0]) cannot be run") }
        if status == 0 { return }
        why = "\(words[0]) ended with status \(status)"
      }
      whenFailed(why)
    }.start()
  }

  /// The commands to try, one after the other. `BROWSER` names them with colons in between; `%s` in one stands for the
  /// address, which else is its last word.
  static func commands(for address: String, environment: [String: String]) -> [[String]] {
    let wishes = (environment["BROWSER"] ?? "").split(separator: ":").map { wish in
      let words = wish.split(separator: " ").map(String.init)
      let filled = words.map { $0.replacingOccurrences(of: "%s", with: address) }
      return filled == words ? words + [address] : filled
    }
    let chosen = wishes.filter { $0.count > 1 }
    if !chosen.isEmpty { return chosen }
    #if canImport(Darwin)
      return [["open", address]]
    #else
      return [["xdg-open", address]]
    #endif
  }

  private static func find(_ name: String) -> String? {
    if name.contains("/") { return access(name, X_OK) == 0 ? name : nil }
    let folders = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
    return folders.map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
  }

  /// Runs it to its end in a session of its own, so that Ctrl-C reaches us alone, without our streams. Its status, or
  /// nil where it cannot be run.
  private static func run(_ program: String, _ words: [String]) -> Int32? {
    #if canImport(Darwin)
      var attributes: posix_spawnattr_t?
      var actions: posix_spawn_file_actions_t?
    #else
      var attributes = posix_spawnattr_t()
      var actions = posix_spawn_file_actions_t()
    #endif
    posix_spawnattr_init(&attributes)
    posix_spawn_file_actions_init(&actions)
    defer {
      posix_spawnattr_destroy(&attributes)
      posix_spawn_file_actions_destroy(&actions)
    }
    var mask = sigset_t()
    var restored = sigset_t()
    sigemptyset(&mask)
    sigemptyset(&restored)
    for number in [SIGINT, SIGTERM, SIGHUP, SIGPIPE] { sigaddset(&restored, number) }
    posix_spawnattr_setsigmask(&attributes, &mask)
    posix_spawnattr_setsigdefault(&attributes, &restored)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF) | newSession)
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    for descriptor in [STDOUT_FILENO, STDERR_FILENO] {
      posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_WRONLY, 0)
    }
    var list = words.map { strdup($0) } + [nil]
    defer { for word in list { free(word) } }
    var process = pid_t()
    guard posix_spawn(&process, program, &actions, &attributes, &list, environ) == 0 else { return nil }
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0 {
      if errno != EINTR { return nil }
    }
    return status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F
  }

  #if canImport(Darwin)
    private static let newSession = Int16(POSIX_SPAWN_SETSID)
  #else
    /// glibc and musl have it; its name is hidden behind `_GNU_SOURCE`.
    private static let newSession = Int16(0x80)
  #endif
}
