import Foundation
import OpTraceModel

/// One process from its beginning to its end, and what its trace says of it.
final class Round {
  private let trace: String
  private let witnessFile: String
  private let witness: Witness
  private let way: Ending
  private let moment: UInt32
  private let ring: Int
  private let isSteady: Bool
  private var child: pid_t = 0
  private var counts: Counts?

  /// `ring`: the size of a flight recorder in bytes; 0: none.
  init(folder: URL, way: Ending, moment: UInt32, ring: Int, isSteady: Bool) throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    trace = folder.appendingPathComponent("run.optrace").path
    witnessFile = folder.appendingPathComponent("witness").path
    witness = try Witness(creatingFileAt: witnessFile)
    (self.way, self.moment, self.ring, self.isSteady) = (way, moment, ring, isSteady)
  }

  func begin() throws {
    unlink(trace)
    child = try spawn()
  }

  /// Until it works as it is to be killed.
  func waitUntilItWorks() {
    // A process that does not come so far ends by itself, and says why.
    while isSteady ? !witness.isSteady : witness.isIdle, kill(child, 0) == 0, !hasEnded(child) { usleep(100) }
  }

  /// What is done from now on must be in the trace.
  func count() { counts = witness.counts }

  func killProcess() { kill(child, SIGKILL) }

  func end() throws -> Finding {
    if way == .kill, !isSteady {
      waitUntilItWorks()
      usleep(moment)
      killProcess()
    }
    var status: Int32 = 0
    while waitpid(child, &status, 0) < 0, errno == EINTR {}
    guard status == way.status else {
      var finding = Finding()
      finding.problems.append("the process ended with the wait status \(status) and not with \(way.status)")
      return finding
    }
    let events = try TraceReader.events(path: trace)
    return Finding(of: events, at: trace, witness: witness, isRing: ring > 0, since: counts)
  }

  /// Kills processes that work steadily, a second and some moments after all of them do.
  static func killSteady(_ rounds: [Round]) {
    for round in rounds { round.waitUntilItWorks() }
    for round in rounds { round.count() }
    usleep(1_000_000)
    var passed: UInt32 = 0
    for round in rounds.sorted(by: { $0.moment < $1.moment }) {
      usleep(round.moment - passed)
      passed = round.moment
      round.killProcess()
    }
  }

  private func hasEnded(_ child: pid_t) -> Bool {
    var info = siginfo_t()
    return waitid(P_PID, id_t(child), &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_signo != 0
  }

  private func spawn() throws -> pid_t {
    let words = [
      CommandLine.arguments[0], "load", way.rawValue, String(moment), trace, witnessFile, String(ring),
      isSteady ? "steady" : "busy",
    ]
    var strings: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
    strings.append(nil)
    // A crash is what is wanted here, and no report of it.
    let variables: [UnsafeMutablePointer<CChar>?] = [strdup("SWIFT_BACKTRACE=enable=no"), nil]
    defer { for string in strings + variables { free(string) } }
    var child: pid_t = 0
    let error = posix_spawn(&child, "/proc/self/exe", nil, nil, strings, variables)
    guard error == 0 else { throw Failed(what: "starting \(words[0])", why: error) }
    return child
  }
}

extension Ending {
  /// As `waitpid` reports it.
  var status: Int32 {
    switch self {
    case .kill: SIGKILL
    case .fault: SIGSEGV
    case .abort: SIGABRT
    case .exit: Self.exitStatus << 8
    }
  }
}
