import Foundation
import OpTraceSymbols

@testable import OpTraceSnapshot

/// Bytes of numbers, little-endian.
func little(_ numbers: UInt64..., bytes count: Int = 8) -> [UInt8] {
  numbers.flatMap { number in (0..<count).map { UInt8(truncatingIfNeeded: number >> UInt64(8 * $0)) } }
}

extension [UInt8] {
  func padded(to multiple: Int) -> [UInt8] {
    self + [UInt8](repeating: 0, count: (multiple - count % multiple) % multiple)
  }
}

/// A core file written down as values: what a kernel writes, for the processor of this machine.
struct MadeCore {
  struct Part {
    var low: UInt64
    /// In the core.
    var bytes: [UInt8] = []
    /// In the process.
    var size: UInt64
    /// As in ELF: 1 executable, 2 writable, 4 readable.
    var flags: UInt64 = 6
    /// Where in the core; nil: behind the part before.
    var offset: UInt64?
    /// As the table says it; nil: as many as there are.
    var said: UInt64?
  }
  struct File {
    var low: UInt64
    var size: UInt64
    var page: UInt64 = 0
    var path: String
  }

  var processID: UInt64 = 77
  /// For each thread its id and its registers as the kernel keeps them.
  var threads: [(id: UInt64, registers: [UInt64])] = [
    (77, MadeCore.sleeping(call: 202, on: 0x5000, pc: 0x10010, sp: 0x7000))
  ]
  var parts: [Part] = []
  var files: [File] = []

  /// Registers of a thread that is in a call, with this first argument, or comes back from it with a result.
  static func sleeping(
    call: UInt64, on first: UInt64, pc: UInt64, sp: UInt64, bp: UInt64 = 0, result: Int64 = -512
  ) -> [UInt64] {
    var registers = [UInt64](repeating: 0, count: 27)
    registers[10] = UInt64(bitPattern: result)
    (registers[15], registers[14], registers[16], registers[19], registers[4]) = (call, first, pc, sp, bp)
    return registers
  }

  private func note(_ type: UInt64, _ content: [UInt8]) -> [UInt8] {
    little(5, UInt64(content.count), type, bytes: 4) + Array("CORE\0\0\0\0".utf8) + content.padded(to: 4)
  }

  private var notes: [UInt8] {
    var result: [UInt8] = []
    for (index, thread) in threads.enumerated() {
      let head = [UInt8](repeating: 0, count: 32) + little(thread.id, bytes: 4)
      let status = head + [UInt8](repeating: 0, count: 112 - head.count) + little(thread.registers)
      result += note(1, status + [UInt8](repeating: 0, count: 8))
      guard index == 0 else { continue }
      result += note(
        3, [UInt8](repeating: 0, count: 24) + little(processID, bytes: 4) + [UInt8](repeating: 0, count: 108))
      var ranges = little(UInt64(files.count), 4096)
      for file in files { ranges += little(file.low, file.low + file.size, file.page) }
      result += note(0x4649_4C45, ranges + files.flatMap { Array($0.path.utf8) + [0] })
    }
    return result
  }

  private func little(_ numbers: [UInt64]) -> [UInt8] { numbers.flatMap { OpTraceSnapshotTests.little($0) } }
  private func little(_ numbers: UInt64..., bytes: Int = 8) -> [UInt8] {
    numbers.flatMap { OpTraceSnapshotTests.little($0, bytes: bytes) }
  }

  var bytes: [UInt8] {
    let notes = self.notes
    var head: [UInt8] = [0x7F, 0x45, 0x4C, 0x46, 2, 1, 1] + [UInt8](repeating: 0, count: 9)
    let processor = UInt64(ElfFile.own?.processor ?? 62)
    head += little(4, processor, bytes: 2) + little(1, bytes: 4) + little(0, 64, 0) + little(0, bytes: 4)
    head += little(64, 56, UInt64(parts.count + 1), 0, 0, 0, bytes: 2)
    let start = UInt64(64 + 56 * (parts.count + 1))
    var table = little(4, 0, bytes: 4) + little(start, 0, 0, UInt64(notes.count), 0, 4)
    var content = notes.padded(to: 4096)
    for part in parts {
      table += little(1, part.flags, bytes: 4)
      let offset = part.offset ?? start + UInt64(content.count)
      table += little(offset, part.low, 0, part.said ?? UInt64(part.bytes.count), part.size, 4096)
      content += part.bytes
    }
    return head + table + content
  }
}

/// A small ELF file with a build id, and a byte that is repeated behind its first page.
enum MadeLibrary {
  static func bytes(build: UInt8?, filling: UInt8) -> [UInt8] {
    var head: [UInt8] = [0x7F, 0x45, 0x4C, 0x46, 2, 1, 1] + [UInt8](repeating: 0, count: 9)
    head += little(3, UInt64(ElfFile.own?.processor ?? 62), bytes: 2) + little(1, bytes: 4) + little(0, 64, 0)
    head += little(0, bytes: 4) + little(64, 56, 2, 0, 0, 0, bytes: 2)
    head += little(1, 5, bytes: 4) + little(0, 0, 0, 8192, 8192, 4096)
    let note = build.map { little(4, 20, 3, bytes: 4) + Array("GNU\0".utf8) + [UInt8](repeating: $0, count: 20) } ?? []
    head += little(4, 4, bytes: 4) + little(UInt64(head.count + 56), 176, 0, UInt64(note.count), UInt64(note.count), 4)
    return (head + note).padded(to: 4096) + [UInt8](repeating: filling, count: 4096)
  }
}

/// Counts how often memory was read that changes each time. Only one test's own thread uses it.
final class Changes: @unchecked Sendable {
  private let end: Int
  private var count = 0
  init(until end: Int = .max) { self.end = end }

  func next() -> UInt8 {
    count += 1
    return UInt8(truncatingIfNeeded: min(count, end))
  }
}

/// Memory written down as values.
struct MadeMemory: ProcessMemory {
  let processID: UInt32 = 77
  let machine = ElfFile.own ?? { fatalError("this machine has no /proc/self/exe") }()
  var mappings: [MemoryMapping] { parts.map(\.mapping) }
  var parts: [(mapping: MemoryMapping, bytes: [UInt8])] = []

  static func mapping(_ low: UInt64, _ high: UInt64, path: String = "") -> MemoryMapping {
    MemoryMapping(
      low: low, high: high, isReadable: true, isWritable: true, isExecutable: false, offset: 0, path: path)
  }

  mutating func add(_ low: UInt64, _ bytes: [UInt8], path: String = "") {
    parts.append((Self.mapping(low, low + UInt64(bytes.count), path: path), bytes))
    parts.sort { $0.mapping.low < $1.mapping.low }
  }

  /// Its first byte is another one at each reading.
  var changes: Changes?

  func fill(_ target: UnsafeMutableRawBufferPointer, from address: UInt64) -> Int {
    guard let part = parts.first(where: { $0.mapping.contains(address) }) else { return 0 }
    let rest = part.bytes[Int(address - part.mapping.low)...].prefix(target.count)
    target.copyBytes(from: rest)
    if let changes { target[0] = changes.next() }
    return rest.count
  }

  func threads() -> [ThreadState] { [] }
  func file(of mapping: MemoryMapping) -> ImageFile? { nil }
}
