import Foundation

/// Counts instructions with an emulator (valgrind's callgrind), for machines whose counters can't be had, and for figures
/// that are the same on a busy machine.
public struct InstructionCounter: Sendable {
  private let program: String

  /// Nil where valgrind is missing. `program` is copied without its debug information, which valgrind may not know.
  public init?(_ program: String, folder: URL) throws {
    let copy = folder.appendingPathComponent("counted").path
    for words in [["valgrind", "--version"], ["strip", "--strip-debug", "-o", copy, program]] {
      guard (try? Child.run(words).status) == 0 else { return nil }
    }
    self.program = copy
  }

  /// The instructions of a whole run, all threads in turn.
  public func count(_ arguments: [String]) throws -> Double {
    let log = program + ".log"
    let words = [
      "valgrind", "--tool=callgrind", "--fair-sched=try", "--callgrind-out-file=/dev/null", "--log-file=" + log,
      program,
    ]
    guard try Child.run(words + arguments).status == 0 else { throw Failed(what: "valgrind \(arguments)") }
    let text = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
    for line in text.split(separator: "\n") where line.contains("Collected : ") {
      if let number = line.split(separator: " ").last.flatMap({ Double($0) }) { return number }
    }
    throw Failed(what: "valgrind, which says: \(text.suffix(300))")
  }

  /// Instructions per unit of work: two runs of different length, so that what every run does falls out.
  public func perUnit(_ arguments: (Int) -> [String], from few: Int, to many: Int) throws -> Double {
    (try count(arguments(many)) - count(arguments(few))) / Double(many - few)
  }
}
