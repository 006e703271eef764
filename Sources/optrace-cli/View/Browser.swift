import Foundation
import OpTraceFormat
import OpTraceProcesses

/// Opens an address in the browser that the user has chosen: with `BROWSER`, or in the system's settings.
enum Browser {
  /// Does not wait for the browser. If none can be started, `whenFailed` is called from another thread with the reason.
  static func open(_ address: String, whenFailed: @escaping @Sendable (String) -> Void) {
    let candidates = commands(for: address, environment: ProcessInfo.processInfo.environment)
    Thread {
      var why = "\(candidates.last?.first ?? "a browser") is not installed"
      for words in candidates {
        guard let program = find(words[0]) else { continue }
        guard let status = run(program, words) else { return whenFailed("\(words[0]) cannot be run") }
        if status == 0 { return }
        why = "\(words[0]) ended with status \(status)"
      }
      whenFailed(why)
    }.start()
  }

  /// The commands to try, in this order. `BROWSER` names them, separated by colons. The address replaces `%s` in a command, or is its
  /// last word.
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
    let candidates = name.contains("/") ? [name] : RawPath.programFolders.map { "\($0)/\(name)" }
    return candidates.first { access($0.asPath, X_OK) == 0 }
  }

  /// Runs it to its end in a session of its own, so that Ctrl-C reaches us alone, and without our streams. Returns its status, or nil
  /// if it cannot be run.
  private static func run(_ program: String, _ words: [String]) -> Int32? {
    var browser = Program(path: program.asPath, words: words.map(\.asPath))
    (browser.input, browser.output, browser.errors) = (.nothing, .nothing, .nothing)
    browser.group = .ownSession
    browser.restored = [SIGINT, SIGTERM, SIGHUP, SIGPIPE]
    return try? browser.start().wait().shellStatus
  }
}
