import Foundation

/// How long `optrace doctor` takes for traces of different sizes, and how much memory: `DoctorBenchmark OPTRACE [COUNT…]`.
///
/// The traces are real ones, made by `MakeTrace` beside this program. Each is looked at several times; the least is
/// what the work takes when nothing else is in the way.
@main
enum DoctorBenchmark {
  static func main() throws {
    let arguments = CommandLine.arguments.dropFirst()
    guard let optrace = arguments.first else {
      FileHandle.standardError.write(Data("usage: DoctorBenchmark OPTRACE [COUNT…]\n".utf8))
      exit(64)
    }
    let given = arguments.dropFirst().compactMap { Int($0) }.filter { $0 > 0 }
    let maker = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
      .appendingPathComponent("MakeTrace").path
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("optrace-bench-\(getpid())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    print("operations       file   wall s    CPU s   peak memory   memory/file   CPU µs/operation")
    for count in given.isEmpty ? [250_000, 500_000, 1_000_000] : given {
      let trace = folder.appendingPathComponent("\(count).optrace").path
      guard try Child.run([maker, "\(count)", trace]).status == 0 else { throw Failed(what: "MakeTrace \(count)") }
      let size = (try FileManager.default.attributesOfItem(atPath: trace)[.size] as? Int) ?? 0
      var best: Child?
      for _ in 0..<5 {
        let run = try Child.run([optrace, "doctor", trace])
        guard run.status == 0 else { throw Failed(what: "optrace doctor, with status \(run.status)") }
        if run.wall < best?.wall ?? .infinity { best = run }
      }
      guard let best else { continue }
      print(
        String(
          format: "%10d %7.1f MB %8.2f %8.2f %10.1f MB %12.2fx %18.2f", count, Double(size) / 1e6, best.wall, best.cpu,
          Double(best.peak) / 1e6, Double(best.peak) / Double(size), best.cpu * 1e6 / Double(count)))
      try FileManager.default.removeItem(atPath: trace)
    }
  }
}

struct Failed: Error, CustomStringConvertible {
  var what: String
  var description: String { "\(what) failed" }
}

/// A program that has ended, and what it took.
struct Child {
  var status: Int32
  /// Seconds.
  var wall: Double
  var cpu: Double
  /// Bytes.
  var peak: Int

  static func run(_ words: [String]) throws -> Child {
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
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
    var child: pid_t = 0
    let begin = DispatchTime.now().uptimeNanoseconds
    guard posix_spawn(&child, words[0], &actions, nil, strings, environ) == 0 else { throw Failed(what: words[0]) }
    var status: Int32 = 0
    var usage = rusage()
    while wait4(child, &status, 0, &usage) < 0, errno == EINTR {}
    let wall = Double(DispatchTime.now().uptimeNanoseconds - begin) / 1e9
    let cpu = seconds(usage.ru_utime) + seconds(usage.ru_stime)
    #if canImport(Darwin)
      let peak = Int(usage.ru_maxrss)
    #else
      let peak = Int(usage.ru_maxrss) * 1024
    #endif
    return Child(
      status: status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F, wall: wall, cpu: cpu, peak: peak)
  }

  private static func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
}
