import Foundation
import OpTraceModel

/// The programs on this machine that are being recorded, as far as this user may see them.
package enum RecordedPrograms {
  /// One entry for each trace, sorted by process. Leaves out programs of other users, and those that end meanwhile.
  /// O(processes and their mappings).
  package static func all() -> [RecordedProgram] {
    let numbers = namesInFolder("/proc").compactMap { UInt32($0) }.sorted()
    return numbers.flatMap { number in
      (MappedTraces.paths(of: String(number)) ?? []).compactMap { program(number, writing: $0) }
    }
  }

  /// Nil: the process has mapped the trace but does not write it, like a fork of the one that does.
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
