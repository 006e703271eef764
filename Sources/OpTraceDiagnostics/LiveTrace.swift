internal import Foundation
import OpTrace
import OpTraceDoctor
import OpTraceModel
import OpTraceText

/// The trace of a recorder of this process, as far as it is written.
struct LiveTrace {
  var trace: Trace
  /// The present on the trace's clock, from before the file was read: what is missing from the trace came later.
  var now: Nanoseconds

  /// Reads the recorder's own file, whatever file is at its path by now.
  init(of recorder: TraceRecorder) throws(TraceError) {
    let path = recorder.url.path
    let monotonic = TraceRecorder.monotonicNow
    guard let descriptor = recorder.openFile() else {
      throw TraceError(
        file: path, .cannotRead("the recorder was stopped, or the program has closed the recorder's descriptor"))
    }
    trace = try TraceReader.read(descriptor: descriptor, file: path)
    now = Nanoseconds(clamping: monotonic) &- Nanoseconds(clamping: trace.header.startMonotonic)
  }

  var reading: DoctorReport.Reading { .init(trace, now: now) }
}

extension Duration {
  /// Clamped to what a trace's times hold.
  var nanoseconds: Nanoseconds {
    let (seconds, attoseconds) = components
    let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    guard !overflow else { return seconds < 0 ? .min : .max }
    let (sum, overflows) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
    return overflows ? (seconds < 0 ? .min : .max) : sum
  }
}
