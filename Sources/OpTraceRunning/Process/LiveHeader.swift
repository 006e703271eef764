import Foundation
import OpTraceFormat
import OpTraceModel

/// The header of a trace that a living process writes. Others may write two of its numbers: whoever asks for a
/// snapshot, and whoever ends the program because it stalled.
struct LiveHeader {
  private let bytes: [UInt8]

  /// Nil: the file is too short, or cannot be read.
  init?(_ descriptor: Int32) {
    var bytes = [UInt8](repeating: 0, count: Layout.Header.size)
    guard pread(descriptor, &bytes, bytes.count, 0) == bytes.count else { return nil }
    self.bytes = bytes
  }

  /// Whether it is a recorder's own file, not a copy in another form.
  var isRecording: Bool { bytes.starts(with: Layout.magic) }
  var isClosed: Bool { number(at: Layout.Header.state) == Layout.FileState.closed.rawValue }

  func number<Number: FixedWidthInteger>(at offset: Int) -> Number {
    bytes.withUnsafeBytes { Number(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: Number.self)) }
  }

  static func write(_ value: UInt64, at offset: Int, to descriptor: Int32) -> Bool {
    withUnsafeBytes(of: value.littleEndian) {
      pwrite(descriptor, $0.baseAddress, $0.count, off_t(offset)) == $0.count
    }
  }

  /// Restores a number, in case the program closed its trace right before it was written: the checksum does not include
  /// it.
  func takeBack(to former: UInt64, at offset: Int, in descriptor: Int32) {
    var checksum = Checksum()
    bytes.withUnsafeBytes {
      checksum.add(UnsafeRawBufferPointer(rebasing: $0[Layout.Header.state..<Layout.Header.dynamicChecksum]))
    }
    if checksum.value != number(at: Layout.Header.dynamicChecksum) {
      _ = Self.write(former, at: offset, to: descriptor)
    }
  }
}
