import OpTraceFormat

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Bytes that can be read at any offset, repeatedly: a file may grow or shrink between two reads.
package protocol ByteSource {
  /// The current size in bytes.
  func size() -> UInt64
  /// Copies up to `target.count` bytes from `offset` on; returns fewer at the source's end. Never blocks to wait for
  /// more.
  func read(at offset: UInt64, into target: UnsafeMutableRawBufferPointer) -> Int
  /// Bytes that are missing because the original file is damaged, with offsets in that file.
  var damage: [LossReport.Damage] { get }
  /// The offset of the next bytes after a gap; nil: there is no gap at `offset`.
  func gapEnd(at offset: UInt64) -> UInt64?
  /// The same bytes for another thread, to be read at the same time; nil: not possible, or not worth it.
  func another() -> (any ByteSource)?
}

extension ByteSource {
  package var damage: [LossReport.Damage] { [] }
  package func gapEnd(at offset: UInt64) -> UInt64? { nil }

  /// `count` bytes, or fewer where the source ends.
  package func bytes(at offset: UInt64, count: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      filled = read(at: offset, into: UnsafeMutableRawBufferPointer(buffer))
    }
  }
}

/// Bytes in memory.
package struct MemorySource: ByteSource {
  let content: [UInt8]

  package init(content: [UInt8]) { self.content = content }

  package func another() -> (any ByteSource)? { self }
  package func size() -> UInt64 { UInt64(content.count) }

  package func read(at offset: UInt64, into target: UnsafeMutableRawBufferPointer) -> Int {
    guard offset < UInt64(content.count) else { return 0 }
    let start = Int(offset)
    let count = min(target.count, content.count - start)
    content.withUnsafeBytes { target.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[start..<start + count])) }
    return count
  }
}

/// An open file. It is read by `pread` and never mapped: a mapped file that shrinks would kill the reader.
final class FileSource: ByteSource {
  private let descriptor: Int32

  /// Opens a regular file. Anything else that can be read (a pipe, a terminal) is read to its end into memory, after
  /// `check` has seen its first bytes: it throws if the rest is not worth waiting for.
  static func open(
    path: String, check: (_ beginning: [UInt8]) throws(TraceError) -> Void = { _ in }
  ) throws(TraceError) -> any ByteSource {
    var descriptor: Int32
    repeat { descriptor = openReadOnly(path) } while descriptor < 0 && errno == EINTR
    guard descriptor >= 0 else {
      let code = errno
      throw TraceError(file: path, code == ENOENT ? .noSuchFile : .cannotRead(systemWords(code)))
    }
    let source = FileSource(descriptor: descriptor)
    var information = stat()
    guard fstat(descriptor, &information) == 0 else { throw TraceError(file: path, .cannotRead(systemWords(errno))) }
    switch information.st_mode & S_IFMT {
    // Files that the kernel generates report no size, so read them to their end.
    case S_IFREG where information.st_size > 0: return source
    case S_IFDIR: throw TraceError(file: path, .cannotRead("it is a folder"))
    default: return MemorySource(content: try source.drain(path: path, check: check))
    }
  }

  /// Takes ownership of the descriptor.
  init(descriptor: Int32) { self.descriptor = descriptor }
  deinit { close(descriptor) }

  /// Every read has its own offset and changes no state, so the same object will do.
  func another() -> (any ByteSource)? { self }

  func size() -> UInt64 {
    var information = stat()
    return fstat(descriptor, &information) == 0 ? UInt64(max(0, information.st_size)) : 0
  }

  func read(at offset: UInt64, into target: UnsafeMutableRawBufferPointer) -> Int {
    guard let base = target.baseAddress else { return 0 }
    var done = 0
    while done < target.count {
      guard let position = off_t(exactly: offset + UInt64(done)) else { return done }
      let count = pread(descriptor, base + done, target.count - done, position)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return done }
      done += count
    }
    return done
  }

  /// The most bytes to read from a pipe, because they are kept in memory and a pipe may never end.
  static let longestPipe = 1 << 30

  private func drain(
    path: String, check: (_ beginning: [UInt8]) throws(TraceError) -> Void
  ) throws(TraceError) -> [UInt8] {
    var result: [UInt8] = []
    var isChecked = false
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = posixRead(descriptor, &piece, piece.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw TraceError(file: path, .cannotRead(systemWords(errno))) }
      guard count > 0 else { return result }
      result.append(contentsOf: piece[..<count])
      if !isChecked, result.count >= Layout.Header.size {
        isChecked = true
        try check(result)
      }
      guard result.count <= Self.longestPipe else {
        throw TraceError(file: path, .cannotRead("more than 1 GiB comes out of it: write it to a file and read that"))
      }
    }
  }
}

/// C functions under names that the methods above do not shadow.
private func openReadOnly(_ path: String) -> Int32 { open(path.asPath, O_RDONLY | O_CLOEXEC) }
private func posixRead(_ descriptor: Int32, _ target: UnsafeMutableRawPointer, _ count: Int) -> Int {
  read(descriptor, target, count)
}

/// An open descriptor and its only owner: it is closed when the owner goes or asks for it, and never twice. By the time
/// of a second close, its number may belong to another file.
package struct OwnedDescriptor: ~Copyable, Sendable {
  /// For calls that leave it open. Do not keep it.
  package let number: Int32

  /// Takes ownership of a descriptor that the system has just returned.
  ///
  /// - Returns: nil if the system has returned none; `errno` says why.
  package init?(_ number: Int32) {
    guard number >= 0 else { return nil }
    self.number = number
  }

  deinit { _ = systemClose(number) }

  /// Closes it now.
  ///
  /// - Returns: the system's error number, or nil. A close also reports writes that failed late.
  package consuming func close() -> Int32? {
    let number = number
    discard self
    // An interrupted close closes it all the same.
    return systemClose(number) == 0 || errno == EINTR ? nil : errno
  }
}

private func systemClose(_ number: Int32) -> Int32 { close(number) }

/// Numbers as they are stored in files: little-endian, at any offset.
extension [UInt8] {
  /// The number at an offset that the caller has checked; 0 outside.
  package func number<Number: FixedWidthInteger>(at offset: Int) -> Number {
    guard offset >= 0, offset + MemoryLayout<Number>.size <= count else { return 0 }
    return withUnsafeBytes { Number(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: Number.self)) }
  }

  /// A text of at most `size` bytes, up to its first zero.
  func text(at offset: Int, size: Int) -> String {
    guard offset + size <= count else { return "" }
    return String(decoding: self[offset..<offset + size].prefix { $0 != 0 }, as: UTF8.self)
  }

  package func checksum(of range: Range<Int>) -> UInt64 {
    var checksum = Checksum()
    withUnsafeBytes { checksum.add(UnsafeRawBufferPointer(rebasing: $0[range])) }
    return checksum.value
  }

  package mutating func put<Number: FixedWidthInteger>(_ number: Number, at offset: Int) {
    Swift.withUnsafeBytes(of: number.littleEndian) { bytes in
      for (index, byte) in bytes.enumerated() { self[offset + index] = byte }
    }
  }
}
