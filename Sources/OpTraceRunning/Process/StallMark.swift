import COpTrace
import Foundation
import OpTraceFormat
import OpTraceModel

/// Notes in the trace of a living process that it is ended because nothing has moved, so that later readers use the
/// same time limit.
package enum StallMark {
  /// Without the note the trace ends with the recorder's last heartbeat.
  /// - Parameter path: the trace that the process writes.
  package static func write(path: String) {
    guard let file = OwnedDescriptor(open(path.asPath, O_RDWR | O_CLOEXEC)), let before = LiveHeader(file.number),
      before.isRecording, !before.isClosed,
      LiveHeader.write(optrace_clock_monotonic(), at: Layout.Header.stalled, to: file.number)
    else { return }
    if let now = LiveHeader(file.number), now.isClosed {
      now.takeBack(to: 0, at: Layout.Header.stalled, in: file.number)
    }
  }
}
