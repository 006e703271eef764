#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A regular file, open. It is read by `pread` and never mapped: a mapped file that shrinks would kill the reader.
final class ImageFile {
  /// As it was asked for.
  let path: String
  /// In bytes, when it was opened. What lies behind is not read.
  let size: UInt64
  private let descriptor: Int32

  /// Anything but a regular file is refused, and none is waited for: a path in a trace may lead to a pipe.
  init(path name: UnsafePointer<CChar>) throws(SymbolTrouble) {
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
  func holds(_ offset: UInt64, _ count: UInt64) -> Bool { offset <= size && count <= size - offset }

  /// All of the bytes, or nil: a number in the file may be wrong, and the file may have shrunk.
  func bytes(at offset: UInt64, count: Int) -> [UInt8]? {
    guard count >= 0, holds(offset, UInt64(count)) else { return nil }
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      filled = read(at: offset, into: UnsafeMutableRawBufferPointer(buffer))
    }
    return bytes.count == count ? bytes : nil
  }

  /// Up to `count` bytes, fewer where the file ends.
  func beginning(at offset: UInt64, count: Int) -> [UInt8] {
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
