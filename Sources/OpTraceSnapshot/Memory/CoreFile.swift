import CZlib
import Foundation
import OpTraceSymbols

/// A core file, unpacked if it is packed: systemd keeps cores packed with zstd, and others with gzip.
enum CoreFile {
  /// In bytes, unpacked. What a small file says must not fill a disk.
  static let most: UInt64 = 32 << 30

  static func opened(_ path: String, most: UInt64 = most) throws(MemoryTrouble) -> ImageFile {
    let file: ImageFile
    do throws(SymbolTrouble) {
      file = try ImageFile(path: path)
    } catch {
      switch error {
      case .notElf: throw .notCore(path)
      case .noSuchFile: throw .cannotRead(path, "there is no such file")
      case .cannotRead(_, let reason): throw .cannotRead(path, reason)
      default: throw .cannotRead(path, "this user may not read it")
      }
    }
    let first = file.beginning(at: 0, count: 4)
    let unpacker: any Unpacker
    if first.starts(with: [0x1F, 0x8B]) {
      guard let gzip = Gzip() else { throw .packedCore(path, "zlib refuses") }
      unpacker = gzip
    } else if first == [0x28, 0xB5, 0x2F, 0xFD] {
      guard let zstd = Zstd() else { throw .packedCore(path, "libzstd is not on this machine; `zstd -d` unpacks it") }
      unpacker = zstd
    } else {
      return file
    }
    return try unpacked(file, unpacker, most)
  }

  /// In a file that has no name, so that nothing is left. Pages of zeros take no room.
  private static func unpacked(
    _ file: ImageFile, _ unpacker: any Unpacker, _ most: UInt64
  ) throws(MemoryTrouble)
    -> ImageFile
  {
    var name = Array((NSTemporaryDirectory() + "optrace-core-XXXXXX").utf8CString)
    let descriptor = mkstemp(&name)
    guard descriptor >= 0 else {
      throw .packedCore(
        file.path, "there is no room for a file: \(SystemNumber(value: errno).text)")
    }
    defer { close(descriptor) }
    unlink(name)
    // No program that is started meanwhile keeps it.
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    var space = statvfs()
    // The folder for such files may be memory: others need some, too.
    let free = fstatvfs(descriptor, &space) == 0 ? UInt64(space.f_bavail) &* UInt64(space.f_frsize) : 0
    var size: UInt64 = 0
    var offset: UInt64 = 0
    while offset < file.size {
      let piece = file.beginning(at: offset, count: 1 << 20)
      guard !piece.isEmpty else { throw .packedCore(file.path, "it changed meanwhile") }
      offset += UInt64(piece.count)
      let isWhole = try unpacker.unpack(piece, file.path) { bytes throws(MemoryTrouble) in
        guard size + UInt64(bytes.count) <= most else {
          throw .packedCore(file.path, "it is larger than \(most >> 30) GiB unpacked")
        }
        guard size + UInt64(bytes.count) <= free / 2 else {
          throw .packedCore(
            file.path, "unpacked it would fill more than half of what is free in \(NSTemporaryDirectory())")
        }
        let isZero = bytes.allSatisfy { $0 == 0 }
        if !isZero, pwrite(descriptor, bytes.baseAddress, bytes.count, off_t(size)) != bytes.count {
          throw .packedCore(
            file.path, "there is no room for it: \(SystemNumber(value: errno).text)")
        }
        size += UInt64(bytes.count)
      }
      if isWhole { break }
    }
    guard ftruncate(descriptor, off_t(size)) == 0, let whole = try? ImageFile(path: "/proc/self/fd/\(descriptor)")
    else {
      throw .packedCore(file.path, "there is no room for it")
    }
    return whole
  }
}

/// Takes packed bytes piece by piece. The end may be missing: what there is counts, as of a core that was cut short.
protocol Unpacker: AnyObject {
  /// Gives what it has unpacked to `body`, in pieces of at most 64 KiB. Returns whether that was all.
  func unpack(
    _ piece: [UInt8], _ path: String, _ body: (UnsafeRawBufferPointer) throws(MemoryTrouble) -> Void
  ) throws(MemoryTrouble) -> Bool
}

private final class Gzip: Unpacker {
  private var stream = z_stream()
  /// A member of the file has ended; another one may follow.
  private var isBetween = false
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 8)

  init?() {
    // 15 bits of window, which is the most, and 16 for gzip's header.
    guard inflateInit2_(&stream, 31, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else { return nil }
  }

  deinit {
    inflateEnd(&stream)
    buffer.deallocate()
  }

  func unpack(
    _ piece: [UInt8], _ path: String, _ body: (UnsafeRawBufferPointer) throws(MemoryTrouble) -> Void
  ) throws(MemoryTrouble) -> Bool {
    var piece = piece
    var trouble: MemoryTrouble?
    let isWhole = piece.withUnsafeMutableBufferPointer { input in
      stream.next_in = input.baseAddress
      stream.avail_in = UInt32(input.count)
      while true {
        if isBetween {
          // What follows and is no member is padding.
          guard stream.avail_in > 0 else { return false }
          guard stream.next_in.pointee == 0x1F else { return true }
          inflateReset(&stream)
          isBetween = false
        }
        stream.next_out = buffer.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.avail_out = UInt32(buffer.count)
        let status = inflate(&stream, Z_NO_FLUSH)
        do throws(MemoryTrouble) {
          try body(
            UnsafeRawBufferPointer(rebasing: buffer.prefix(buffer.count - Int(stream.avail_out))))
        } catch {
          trouble = error
          return false
        }
        if status == Z_STREAM_END {
          isBetween = true
          continue
        }
        guard status == Z_OK || status == Z_BUF_ERROR else {
          trouble = .packedCore(path, "its content is damaged")
          return false
        }
        if stream.avail_in == 0, stream.avail_out > 0 { return false }
        if status == Z_BUF_ERROR { return false }
      }
    }
    if let trouble { throw trouble }
    return isWhole
  }
}

/// The library is looked for when a core needs it: nothing here is linked with it, and nearly every Linux has it.
private final class Zstd: Unpacker {
  /// `ZSTD_inBuffer` and `ZSTD_outBuffer`.
  private struct Buffer {
    var bytes: UnsafeMutableRawPointer?
    var size: Int
    var position: Int
  }
  private typealias Make = @convention(c) () -> OpaquePointer?
  private typealias Free = @convention(c) (OpaquePointer?) -> Int
  private typealias Unpack =
    @convention(c) (OpaquePointer?, UnsafeMutableRawPointer, UnsafeMutableRawPointer) -> Int
  private typealias IsError = @convention(c) (Int) -> UInt32

  private let stream: OpaquePointer
  private let free: Free
  private let decompress: Unpack
  private let isError: IsError
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 8)

  init?() {
    guard let library = dlopen("libzstd.so.1", RTLD_NOW | RTLD_LOCAL), let make = dlsym(library, "ZSTD_createDStream"),
      let free = dlsym(library, "ZSTD_freeDStream"), let decompress = dlsym(library, "ZSTD_decompressStream"),
      let isError = dlsym(library, "ZSTD_isError"), let stream = unsafeBitCast(make, to: Make.self)()
    else {
      buffer.deallocate()
      return nil
    }
    self.stream = stream
    self.free = unsafeBitCast(free, to: Free.self)
    self.decompress = unsafeBitCast(decompress, to: Unpack.self)
    self.isError = unsafeBitCast(isError, to: IsError.self)
  }

  deinit {
    _ = free(stream)
    buffer.deallocate()
  }

  func unpack(
    _ piece: [UInt8], _ path: String, _ body: (UnsafeRawBufferPointer) throws(MemoryTrouble) -> Void
  ) throws(MemoryTrouble) -> Bool {
    var piece = piece
    var trouble: MemoryTrouble?
    piece.withUnsafeMutableBytes { bytes in
      var input = Buffer(bytes: bytes.baseAddress, size: bytes.count, position: 0)
      var output = Buffer(bytes: buffer.baseAddress, size: buffer.count, position: 0)
      repeat {
        output.position = 0
        // Its window is at most 128 MiB, if nothing else is asked for.
        let status = withUnsafeMutableBytes(of: &output) { output in
          withUnsafeMutableBytes(of: &input) { input in
            guard let output = output.baseAddress, let input = input.baseAddress else { return -1 }
            return decompress(stream, output, input)
          }
        }
        guard isError(status) == 0 else {
          trouble = .packedCore(path, "its content is damaged")
          return
        }
        do throws(MemoryTrouble) {
          try body(UnsafeRawBufferPointer(rebasing: buffer.prefix(output.position)))
        } catch {
          trouble = error
          return
        }
      } while input.position < input.size || output.position == output.size
    }
    if let trouble { throw trouble }
    // Several frames may stand one behind another.
    return false
  }
}
