#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

internal import OpTraceFormat

/// A cheap way to see whether a trace has changed: equal stamps mean equal content.
///
/// A file that is not closed is written through mapped pages, which changes neither its size nor its times, so the fill
/// marks of its chunks count instead. The heartbeat does not count, because it changes nothing that is shown.
package struct TraceStamp: Equatable, Sendable {
  /// A few letters and digits, different for different stamps.
  package let text: String
  /// Whether a program may still write, according to the file.
  package let isOpen: Bool

  /// Reads the header of each chunk, but no records. Throws if there is no file.
  package init(path: String) throws(TraceError) {
    var information = stat()
    guard stat(path.asPath, &information) == 0 else { throw TraceError(file: path, .noSuchFile) }
    var sum = Checksum()
    sum.add(UInt64(truncatingIfNeeded: information.st_dev))
    sum.add(UInt64(truncatingIfNeeded: information.st_ino))
    sum.add(UInt64(truncatingIfNeeded: information.st_size))
    let isFile = information.st_mode & S_IFMT == S_IFREG
    let source = isFile ? try FileSource.open(path: path) : nil
    if let source, let header = try? FileHeader.read(source, file: path), !header.isClosed {
      isOpen = true
      sum.add(header.overwrittenBytes)
      for reason in LossReason.allCases { sum.add(header.lost[reason] ?? 0) }
      var offset = header.headerSize
      while let chunk = ChunkHeader(source.bytes(at: offset, count: Layout.Chunk.size)) {
        sum.add(chunk.sequence)
        sum.add(chunk.fill)
        offset += chunk.byteCount
      }
    } else {
      isOpen = false
      #if canImport(Darwin)
        let changed = information.st_mtimespec
      #else
        let changed = information.st_mtim
      #endif
      sum.add(UInt64(truncatingIfNeeded: changed.tv_sec))
      sum.add(UInt64(truncatingIfNeeded: changed.tv_nsec))
    }
    text = String(sum.value, radix: 36)
  }
}
