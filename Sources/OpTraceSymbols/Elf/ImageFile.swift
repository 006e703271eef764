#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The bytes of an ELF file: those of the file itself, or as far as a process has it in its memory.
package protocol ElfBytes {
  /// For messages.
  var path: String { get }
  /// All of the bytes, or nil.
  func bytes(at offset: UInt64, count: Int) -> [UInt8]?
  /// Up to `count` bytes, fewer where there are no more.
  func beginning(at offset: UInt64, count: Int) -> [UInt8]
}

/// A regular file, open. It is read by `pread` and never mapped: a mapped file that shrinks would kill the reader.
///
/// Sendable: nothing of it changes.
package final class ImageFile: ElfBytes, Sendable {
  /// As it was asked for.
  package let path: String
  /// In bytes, when it was opened. What lies behind is not read.
  package let size: UInt64
  private let descriptor: Int32

  /// Anything but a regular file is refused, and none is waited for: a path in a trace may lead to a pipe.
  package init(path name: UnsafePointer<CChar>) throws(SymbolTrouble) {
    let path = String(cString: name)
    var descriptor: Int32
    repeat { descriptor = openToRead(name) } while descriptor < 0 && errno == EINTR
    guard descriptor >= 0 else {
      switch errno {
      case ENOENT, ENOTDIR: throw .noSuchFile(path)
      case EACCES, EPERM: throw .noPermission(path)
      default: throw .cannotRead(path, String(cString: strerror(errno)))
      }
    }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      throw .notElf(path)
    }
    self.path = path
    self.descriptor = descriptor
    size = UInt64(clamping: status.st_size)
  }

  deinit { close(descriptor) }

  /// Whether all of these bytes lie in the file.
  package func holds(_ offset: UInt64, _ count: UInt64) -> Bool { offset <= size && count <= size - offset }

  /// All of the bytes, or nil: a number in the file may be wrong, and the file may have shrunk.
  package func bytes(at offset: UInt64, count: Int) -> [UInt8]? {
    guard count >= 0, holds(offset, UInt64(count)) else { return nil }
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      filled = read(at: offset, into: UnsafeMutableRawBufferPointer(buffer))
    }
    return bytes.count == count ? bytes : nil
  }

  /// As far as the file goes; returns how many bytes.
  package func fill(_ target: UnsafeMutableRawBufferPointer, at offset: UInt64) -> Int {
    guard offset < size else { return 0 }
    return read(at: offset, into: .init(rebasing: target.prefix(Int(min(UInt64(target.count), size - offset)))))
  }

  /// Up to `count` bytes, fewer where the file ends.
  package func beginning(at offset: UInt64, count: Int) -> [UInt8] {
    guard offset < size else { return [] }
    return bytes(at: offset, count: Int(min(UInt64(count), size - offset))) ?? []
  }

  private func read(at offset: UInt64, into target: UnsafeMutableRawBufferPointer) -> Int {
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
}

/// It does not wait for a pipe's other end.
private func openToRead(_ path: UnsafePointer<CChar>) -> Int32 { open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
