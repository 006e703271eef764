import Foundation
import OpTraceFormat
import OpTraceModel

/// Asks the recorder in a living process for a snapshot of all its threads now. The request is a number in the trace's
/// header, which the flusher sees. The process is not stopped, and the only permission needed is to write the file.
package enum FreshSnapshot {
  package enum Answer: Equatable {
    /// The snapshot is in the trace.
    case given
    /// There is none; the sentence says why.
    case none(String)
  }

  private typealias Place = Layout.Header

  /// How often to check for the answer, and how long to wait at most; in seconds.
  private static let (pause, patience) = (0.02, 3.0)
  /// The minor version of the format that introduced requests for snapshots.
  private static let firstMinor: UInt16 = 3

  /// Whether a file is one that a recorder writes; also true if it cannot be read.
  package static func isRecording(_ path: String) -> Bool {
    guard let file = OwnedDescriptor(open(path.asPath, O_RDONLY | O_CLOEXEC)), let header = LiveHeader(file.number)
    else {
      return true
    }
    return header.isRecording
  }

  /// Asks, and waits for the answer.
  /// - Parameter path: the trace that the process writes.
  package static func ask(path: String) -> Answer {
    guard let file = OwnedDescriptor(open(path.asPath, O_RDWR | O_CLOEXEC)) else {
      return .none("its trace cannot be written to: \(reason(errno))")
    }
    guard let before = LiveHeader(file.number) else { return .none("its trace is too short") }
    guard before.number(at: Place.minorVersion) as UInt16 >= firstMinor else {
      return .none("it is recorded by an older OpTrace")
    }
    guard !before.isClosed else { return .none("it has ended") }
    let requested: UInt64 = before.number(at: Place.snapshotRequested)
    // 0 stands for no request.
    let wanted = max(1, requested &+ 1)
    guard LiveHeader.write(wanted, at: Place.snapshotRequested, to: file.number) else {
      return .none("its trace cannot be written to: \(reason(errno))")
    }
    let deadline = ContinuousClock.now + .seconds(patience)
    repeat {
      Thread.sleep(forTimeInterval: pause)
      guard let now = LiveHeader(file.number) else { break }
      // Others may ask at the same time. If the answered number is ours or a later one, the snapshot was taken after
      // our request.
      if (now.number(at: Place.snapshotAnswered) as UInt64) &- wanted < 1 << 63 { return .given }
      guard now.isClosed else { continue }
      now.takeBack(to: requested, at: Place.snapshotRequested, in: file.number)
      return .none("it has ended")
    } while ContinuousClock.now < deadline
    return .none("it has not answered for \(Int(patience)) seconds: it is stopped, or gets no processor")
  }
}
