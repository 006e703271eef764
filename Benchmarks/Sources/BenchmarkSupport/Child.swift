public import Foundation

/// A program that has ended, and what it took.
public struct Child: Sendable {
  /// As a shell reports it: 128 and the signal's number where it was killed.
  public var status: Int32
  /// Seconds.
  public var wall: Double
  /// Seconds, of user and system together.
  public var cpu: Double
  /// The most memory that it had at a time, bytes.
  public var peak: Int
  /// What it wrote to its standard output, where that was asked for.
  public var output: Data = Data()

  /// Runs a program and waits for it. Its standard output is dropped unless `keepsOutput`; its standard error unless
  /// `showsErrors`. Where it is not over after `limit` seconds, `atLimit` is called once, for instance to end what it waits for,
  /// and two minutes later the program is killed; without `atLimit` at once.
  public static func run(
    _ words: [String], keepsOutput: Bool = false, showsErrors: Bool = true, limit: Double = .infinity,
    atLimit: (() -> Void)? = nil
  ) throws -> Child {
    guard let program = words.first else { throw Failed(what: "no program") }
    var strings: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
    strings.append(nil)
    defer { for string in strings { free(string) } }
    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
    #else
      var actions = posix_spawn_file_actions_t()
    #endif
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    var output: String?
    if keepsOutput {
      let path = NSTemporaryDirectory() + "/optrace-bench-\(getpid())-\(UInt64.random(in: 0...UInt64.max)).out"
      posix_spawn_file_actions_addopen(&actions, 1, path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
      output = path
    } else {
      posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
    }
    defer { if let output { unlink(output) } }
    if !showsErrors { posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0) }
    var child: pid_t = 0
    let begin = DispatchTime.now().uptimeNanoseconds
    guard posix_spawnp(&child, program, &actions, nil, strings, environ) == 0 else { throw Failed(what: program) }
    var status: Int32 = 0
    var usage = rusage()
    if limit < .infinity { wait(for: child, limit: limit, atLimit) }
    while wait4(child, &status, 0, &usage) < 0, errno == EINTR {}
    let wall = Double(DispatchTime.now().uptimeNanoseconds - begin) / 1e9
    #if canImport(Darwin)
      let peak = Int(usage.ru_maxrss)
    #else
      let peak = Int(usage.ru_maxrss) * 1024
    #endif
    var result = Child(
      status: status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F, wall: wall,
      cpu: seconds(usage.ru_utime) + seconds(usage.ru_stime), peak: peak)
    if let output { result.output = FileManager.default.contents(atPath: output) ?? Data() }
    return result
  }

  /// Until it is over, by itself or not; its status stays to be waited for.
  private static func wait(for child: pid_t, limit: Double, _ atLimit: (() -> Void)?) {
    let begin = DispatchTime.now().uptimeNanoseconds
    var atLimit = atLimit
    var limit = limit
    while !hasEnded(child) {
      usleep(2_000)
      guard Double(DispatchTime.now().uptimeNanoseconds - begin) / 1e9 > limit else { continue }
      if let call = atLimit {
        atLimit = nil
        limit += 120
        call()
      } else {
        kill(child, SIGKILL)
        return
      }
    }
  }

  private static func hasEnded(_ child: pid_t) -> Bool {
    var info = siginfo_t()
    return waitid(P_PID, id_t(child), &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_signo != 0
  }

  private static func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
}

public struct Failed: Error, CustomStringConvertible {
  public var what: String
  public init(what: String) { self.what = what }
  public var description: String { "\(what) failed" }
}
