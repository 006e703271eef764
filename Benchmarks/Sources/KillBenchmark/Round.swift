import Foundation
import OpTraceModel

/// One process from its beginning to its end, and what its trace says of it.
struct Round {
  private let trace: String
  private let witnessFile: String
  private let way: Ending
  private let moment: UInt32

  init(folder: URL, way: Ending, moment: UInt32) {
    trace = folder.appendingPathComponent("run.optrace").path
    witnessFile = folder.appendingPathComponent("witness").path
    self.way = way
    self.moment = moment
  }

  func run() throws -> Finding {
    unlink(trace)
    let witness = try Witness(creatingFileAt: witnessFile)
    let child = try spawn()
    if way == .kill {
      // A process that does not come so far ends by itself, and says why.
      while witness.isIdle, kill(child, 0) == 0, !hasEnded(child) { usleep(100) }
      usleep(moment)
      kill(child, SIGKILL)
    }
    var status: Int32 = 0
    while waitpid(child, &status, 0) < 0, errno == EINTR {}
    guard status == way.status else {
      var finding = Finding()
      finding.problems.append("the process ended with the wait status \(status) and not with \(way.status)")
      return finding
    }
    return Finding(of: try TraceReader.events(path: trace), at: trace, witness: witness)
  }

  private func hasEnded(_ child: pid_t) -> Bool {
    var info = siginfo_t()
    return waitid(P_PID, id_t(child), &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_signo != 0
  }

  private func spawn() throws -> pid_t {
    let words = [CommandLine.arguments[0], "load", way.rawValue, String(moment), trace, witnessFile]
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
