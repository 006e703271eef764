import COpTrace
import Foundation
import OpTraceSymbols

// All unsafe code of this module but what hands memory to C stands here. Reading another process's memory and searching it are the two
// things that are done for each of some hundred million bytes: an array of them would be filled with zeros first, and each element's
// index checked. Every pointer here is into a buffer that the function itself, or its caller, has just made, with its size beside it.

extension ProcessMemory {
  /// All of the bytes.
  package func bytes(at address: UInt64, count: Int) throws(MemoryTrouble) -> [UInt8] {
    let bytes = try beginning(at: address, count: count)
    guard bytes.count == count else { throw .unreadable(address: address &+ UInt64(bytes.count)) }
    return bytes
  }

  /// Up to `count` bytes, fewer where there are no more.
  package func beginning(at address: UInt64, count: Int) throws(MemoryTrouble) -> [UInt8] {
    var trouble: MemoryTrouble?
    let bytes = [UInt8](unsafeUninitializedCapacity: max(0, count)) { buffer, filled in
      let target = UnsafeMutableRawBufferPointer(start: buffer.baseAddress, count: max(0, count))
      do throws(MemoryTrouble) {
        filled = try fill(target, from: address)
      } catch {
        trouble = error
      }
    }
    if let trouble { throw trouble }
    return bytes
  }

  /// Bytes that were the same twice: with more than a word of a process that runs, one reading may be half of what was and half of what
  /// is.
  package func unchanged(at address: UInt64, count: Int) throws(MemoryTrouble) -> [UInt8] {
    var last = try bytes(at: address, count: count)
    for _ in 0..<3 {
      let next = try bytes(at: address, count: count)
      if next == last { return next }
      last = next
    }
    throw .torn(address: address)
  }

  /// Calls `body` with each word in a range that is one of `words`, and its address. What cannot be read is passed over.
  /// - Parameter onlyWritten: what the process has not written, or shares, is passed over, too.
  /// - Complexity: O(what is there of the range); 1 MiB of memory.
  func search(
    _ range: Range<UInt64>, for words: WordSet, onlyWritten: Bool = false,
    _ body: (_ address: UInt64, _ word: UInt64) -> Void
  ) throws(MemoryTrouble) {
    let piece = 1 << 20
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: piece, alignment: 8)
    defer { buffer.deallocate() }
    var address = range.lowerBound
    while address < range.upperBound,
      let part = try onlyWritten
        ? written(in: address..<range.upperBound) : readable(in: address..<range.upperBound)
    {
      address = (max(address, part.lowerBound) &+ 7) & ~7
      // Never back: at the top of memory the next address is none.
      while address >= part.lowerBound, address < part.upperBound {
        let target = UnsafeMutableRawBufferPointer(
          rebasing: buffer.prefix(Int(min(UInt64(piece), part.upperBound - address))))
        let count = try fill(target, from: address)
        let found = UnsafeRawBufferPointer(rebasing: target.prefix(count & ~7)).bindMemory(
          to: UInt64.self)
        var index = optrace_words_next(found.baseAddress, found.count, 0, words.bits)
        while index < found.count {
          if words.contains(found[index]) { body(address + UInt64(index) * 8, found[index]) }
          index = optrace_words_next(found.baseAddress, found.count, index + 1, words.bits)
        }
        // Behind what cannot be read: the next page.
        address = count == target.count ? address + UInt64(count) : ((address + UInt64(count)) | 4095) &+ 1
      }
      guard address >= part.upperBound else { return }
    }
  }

  /// How many bytes of a range the process has written; or how many there may be to read of it.
  func size(ofWrittenIn range: Range<UInt64>, orAny isAny: Bool) throws(MemoryTrouble) -> UInt64 {
    var size: UInt64 = 0
    var low = range.lowerBound
    while low < range.upperBound,
      let part = try isAny ? readable(in: low..<range.upperBound) : written(in: low..<range.upperBound)
    {
      size += part.upperBound - part.lowerBound
      low = part.upperBound
    }
    return size
  }

  /// Calls `body` with the words of each page of a range that is there, from its first address in the range on, until it returns false.
  /// - Parameter onlyWritten: what the process has not written, or shares, is passed over, too.
  /// - Complexity: O(what is there of the range); 256 KiB of memory.
  func pages(
    _ range: Range<UInt64>, onlyWritten: Bool, _ body: (_ address: UInt64, _ words: UnsafeBufferPointer<UInt64>) -> Bool
  ) throws(MemoryTrouble) {
    let page = UInt64(optrace_page_size)
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 * Int(page), alignment: 8)
    defer { buffer.deallocate() }
    var address = (range.lowerBound &+ 7) & ~7
    while address < range.upperBound,
      let part = try onlyWritten
        ? written(in: address..<range.upperBound) : readable(in: address..<range.upperBound)
    {
      address = (max(address, part.lowerBound) &+ 7) & ~7
      while address >= part.lowerBound, address < part.upperBound {
        // Up to the end of a page, so that the next piece begins with one.
        let end = min((address & ~(page - 1)) &+ UInt64(buffer.count), part.upperBound)
        let target = UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(Int(end - address)))
        let count = try fill(target, from: address)
        let words = UnsafeRawBufferPointer(rebasing: target.prefix(count & ~7)).bindMemory(to: UInt64.self)
        var done = 0
        while done < words.count {
          let at = address + UInt64(done) * 8
          let rest = min(Int((page - at % page) / 8), words.count - done)
          guard body(at, UnsafeBufferPointer(rebasing: words[done..<done + rest])) else { return }
          done += rest
        }
        // Behind what cannot be read: the next page.
        address = count == target.count ? end : ((address + UInt64(count)) | (page - 1)) &+ 1
      }
      guard address >= part.upperBound else { return }
    }
  }
}

/// Words to search for.
struct WordSet {
  private let all: Set<UInt64>
  /// Rejects nearly all other words, in C: this is asked of each word of a process.
  fileprivate let bits: [UInt32]

  init(_ words: some Sequence<UInt64>) {
    all = Set(words)
    var bits = [UInt32](repeating: 0, count: Int(optrace_word_bits) / 32)
    for word in all {
      let bit = optrace_word_bit(word)
      bits[Int(bit / 32)] |= 1 << (bit % 32)
    }
    self.bits = bits
  }

  var isEmpty: Bool { all.isEmpty }
  func contains(_ word: UInt64) -> Bool { all.contains(word) }
}

/// A file of `/proc`, which says nothing of its size.
final class SystemFile: Sendable {
  private let descriptor: Int32

  /// Throws the system's number for what is wrong.
  init(_ path: String) throws(SystemNumber) {
    var descriptor: Int32
    repeat { descriptor = open(path, O_RDONLY | O_CLOEXEC) } while descriptor < 0 && errno == EINTR
    guard descriptor >= 0 else { throw SystemNumber(value: errno) }
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  /// Copies the bytes there; returns how many, which are fewer where there are no more. Throws only if there are none.
  func fill(_ target: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(SystemNumber) -> Int {
    guard let base = target.baseAddress else { return 0 }
    var done = 0
    while done < target.count {
      guard let position = off_t(exactly: offset + UInt64(done)) else { return done }
      let count = pread(descriptor, base + done, target.count - done, position)
      if count < 0, errno == EINTR { continue }
      if count < 0, done == 0 { throw SystemNumber(value: errno) }
      guard count > 0 else { return done }
      done += count
    }
    return done
  }

  /// The numbers there, fewer where there are no more.
  func words(at offset: UInt64, count: Int) throws(SystemNumber) -> [UInt64] {
    var trouble: SystemNumber?
    let words = [UInt64](unsafeUninitializedCapacity: count) { buffer, filled in
      do throws(SystemNumber) {
        filled = try fill(UnsafeMutableRawBufferPointer(buffer), at: offset) / 8
      } catch {
        trouble = error
      }
    }
    if let trouble { throw trouble }
    return words
  }

  /// All of a text, or nil where it is longer than `limit` bytes.
  static func text(_ path: String, limit: Int = 64 << 20) throws(SystemNumber) -> String? {
    let file = try SystemFile(path)
    var text: [UInt8] = []
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 8)
    defer { buffer.deallocate() }
    while text.count <= limit {
      let count = read(file.descriptor, buffer.baseAddress, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw SystemNumber(value: errno) }
      if count == 0 { return String(decoding: text, as: UTF8.self) }
      text += buffer.prefix(count)
    }
    return nil
  }
}

/// An `errno`.
struct SystemNumber: Error {
  let value: Int32
  var isMissing: Bool { value == ENOENT || value == ESRCH }
  var isRefused: Bool { value == EACCES || value == EPERM }
  var text: String { String(cString: strerror(value)) }
}
