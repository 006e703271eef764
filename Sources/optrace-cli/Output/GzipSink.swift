import CZlib
import OpTraceText

/// Packs bytes as they come, in pieces of 64 KiB.
final class GzipSink {
  private var stream = z_stream()
  private var target = [UInt8](repeating: 0, count: 1 << 16)

  /// Throws ``Failure`` when there is no memory.
  init() throws {
    // 15 + 16: the largest window, and a gzip header instead of zlib's.
    let status = deflateInit2_(
      &stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
    guard status == Z_OK else { throw Failure(message: "cannot compress: not enough memory", status: .cannotWrite) }
  }

  deinit { deflateEnd(&stream) }

  func write(_ bytes: UnsafeRawBufferPointer, to sink: ByteSink) throws {
    guard let start = bytes.bindMemory(to: UInt8.self).baseAddress else { return }
    stream.next_in = UnsafeMutablePointer(mutating: start)
    stream.avail_in = UInt32(bytes.count)
    repeat { _ = try deflatePiece(Z_NO_FLUSH, to: sink) } while stream.avail_in > 0
  }

  /// Writes what is left and the checksum.
  func finish(to sink: ByteSink) throws {
    stream.next_in = nil
    stream.avail_in = 0
    while try deflatePiece(Z_FINISH, to: sink) != Z_STREAM_END {}
  }

  private func deflatePiece(_ flush: Int32, to sink: ByteSink) throws -> Int32 {
    let (status, count) = target.withUnsafeMutableBufferPointer { buffer in
      stream.next_out = buffer.baseAddress
      stream.avail_out = UInt32(buffer.count)
      let status = deflate(&stream, flush)
      return (status, buffer.count - Int(stream.avail_out))
    }
    guard status == Z_OK || status == Z_STREAM_END || status == Z_BUF_ERROR else {
      throw Failure(message: "cannot compress: zlib reports \(status)", status: .bug)
    }
    try target.withUnsafeBytes { try sink(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
    return status
  }
}
