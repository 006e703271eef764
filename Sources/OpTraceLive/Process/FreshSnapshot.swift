import Foundation
import OpTraceFormat
import OpTraceModel

/// Asks the recorder in a living process to look at all its threads now: by a number in the trace's header, which its
/// own thread sees. The process is not stopped, and no permission is needed but that to write the file.
package enum FreshSnapshot {
  package enum Answer: Equatable {
    /// It is in the trace.
    case given
    /// A sentence that says why there is none.
    case none(String)
  }

  private typealias Place = Layout.Header

  /// How often to see whether it is there, and how long at most; in seconds.
  private static let (pause, patience) = (0.02, 3.0)
  /// The format's minor version that brought looks.
  private static let firstMinor: UInt16 = 3

  /// Whether a file is what a recorder writes; true where it cannot be read.
  package static func isRecording(_ path: String) -> Bool {
    guard let file = OwnedDescriptor(open(path.asPath, O_RDONLY | O_CLOEXEC)), let bytes = header(file.number) else {
      return true
    }
    return bytes.starts(with: Layout.magic)
  }

  /// Asks, and waits for the answer.
  /// - Parameter path: the trace that the process writes.
  package static func ask(path: String) -> Answer {
    guard let file = OwnedDescriptor(open(path.asPath, O_RDWR | O_CLOEXEC)) else {
      return .none("its trace cannot be written to: \(reason(errno))")
    }
    guard let before = header(file.number) else { return .none("its trace is too short") }
    guard number(before, at: Place.minorVersion) as UInt16 >= firstMinor else {
      return .none("it is recorded by an older OpTrace")
    }
    guard !isClosed(before) else { return .none("it has ended") }
    let requested: UInt64 = number(before, at: Place.snapshotRequested)
    // 0 stands for no request.
    let wanted = max(1, requested &+ 1)
    guard request(wanted, file.number) else { return .none("its trace cannot be written to: \(reason(errno))") }
    let deadline = ContinuousClock.now + .seconds(patience)
    repeat {
      Thread.sleep(forTimeInterval: pause)
      guard let now = header(file.number) else { break }
      // Others may ask at the same time: whatever is at or behind our number, was looked at since.
      if (number(now, at: Place.snapshotAnswered) as UInt64) &- wanted < 1 << 63 { return .given }
      guard isClosed(now) else { continue }
      takeBack(requested, now, file.number)
      return .none("it has ended")
    } while ContinuousClock.now < deadline
    return .none("it has not answered for \(Int(patience)) seconds: it is stopped, or gets no processor")
  }

  /// The program may have closed its trace right before our number came: its header's checksum is without it.
  private static func takeBack(_ requested: UInt64, _ header: [UInt8], _ descriptor: Int32) {
    var checksum = Checksum()
    header.withUnsafeBytes {
      checksum.add(UnsafeRawBufferPointer(rebasing: $0[Place.state..<Place.dynamicChecksum]))
    }
    if checksum.value != number(header, at: Place.dynamicChecksum) { _ = request(requested, descriptor) }
  }

  private static func request(_ value: UInt64, _ descriptor: Int32) -> Bool {
    withUnsafeBytes(of: value.littleEndian) {
      pwrite(descriptor, $0.baseAddress, $0.count, off_t(Place.snapshotRequested)) == $0.count
    }
  }

  private static func header(_ descriptor: Int32) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: Place.size)
    return pread(descriptor, &bytes, bytes.count, 0) == bytes.count ? bytes : nil
  }

  private static func isClosed(_ header: [UInt8]) -> Bool {
    number(header, at: Place.state) == Layout.FileState.closed.rawValue
  }

  private static func number<Number: FixedWidthInteger>(_ header: [UInt8], at offset: Int) -> Number {
    header.withUnsafeBytes { Number(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: Number.self)) }
  }
}
