internal import COpTrace
internal import Foundation
internal import OpTraceFormat

/// The part of the file's header that is written once; `COpTrace` adds the clocks and the checksum.
enum TraceHeaderBytes {
  static func make(clock: Layout.Clock, mode: Layout.Mode) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: Layout.Header.staticChecksum)
    func put<T: FixedWidthInteger>(_ value: T, at offset: Int) {
      withUnsafeBytes(of: value.littleEndian) { bytes.replaceSubrange(offset..<offset + $0.count, with: $0) }
    }
    func put(_ text: String, at offset: Int, size: Int) {
      let utf8 = UTF8Text.prefix(of: text, bytes: size - 1)
      bytes.replaceSubrange(offset..<offset + utf8.count, with: utf8)
    }
    let processID = UInt32(truncatingIfNeeded: getpid())
    var bootID = [UInt8](repeating: 0, count: 16)
    optrace_boot_id(&bootID)
    bytes.replaceSubrange(0..<Layout.magic.count, with: Layout.magic)
    put(Layout.majorVersion, at: Layout.Header.majorVersion)
    put(Layout.minorVersion, at: Layout.Header.minorVersion)
    put(UInt32(Layout.Header.size), at: Layout.Header.headerSize)
    put(Layout.byteOrderMark, at: Layout.Header.byteOrderMark)
    put(mode.rawValue, at: Layout.Header.mode)
    put(processID, at: Layout.Header.processID)
    put(clock.rawValue, at: Layout.Header.clock)
    put(optrace_process_start(processID), at: Layout.Header.processStart)
    bytes.replaceSubrange(Layout.Header.bootID..<Layout.Header.bootID + 16, with: bootID)
    put(ProcessInfo.processInfo.processName, at: Layout.Header.processName, size: Layout.Header.processNameSize)
    put(UInt32(clamping: ProcessInfo.processInfo.activeProcessorCount), at: Layout.Header.processors)
    put(OpTraceVersion.current, at: Layout.Header.writerVersion, size: Layout.Header.writerVersionSize)
    return bytes
  }
}
