import Foundation
import OpTraceModel

/// The programs of this machine that are being recorded, as far as we may look at them.
package enum RecordedPrograms {
  /// Sorted by process, one for each trace. What is another user's is left out, and so is what ends meanwhile. O(processes and what
  /// they have mapped).
  package static func all() -> [RecordedProgram] {
    let numbers = namesInFolder("/proc").compactMap { UInt32($0) }.sorted()
    return numbers.flatMap { number in
      (MappedTraces.paths(of: String(number)) ?? []).compactMap { program(number, writing: $0) }
    }
  }

  /// Nil: the process has the trace mapped and does not write it, as a copy of who did (a fork).
  private static func program(_ number: UInt32, writing path: String) -> RecordedProgram? {
    guard let header = try? TraceReader.header(path: path), header.processID == number, LiveProcess.writes(header)
    else {
      return nil
    }
    return RecordedProgram(
      processID: number, program: header.processName, since: LiveProcess.now(of: header), file: path,
      mode: header.mode, state: LiveProcess.isStopped(number) ? .stopped : .running)
  }
}
