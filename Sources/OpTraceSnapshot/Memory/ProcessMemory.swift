import OpTraceModel
package import OpTraceSymbols

/// A process as it is at the moment, or as a core file has kept it: its memory, and what its threads do.
///
/// Whatever is read may be wrong: a process goes on while it is read, and a file may be damaged. So every reader checks what it takes
/// from here, and follows no list without a limit.
package protocol ProcessMemory: Sendable {
  var processID: UInt32 { get }
  var machine: ElfFile.Machine { get }
  /// Ascending; none overlaps another.
  var mappings: [MemoryMapping] { get }
  /// The same process with the mappings that it has now.
  func again() throws(MemoryTrouble) -> any ProcessMemory
  /// The first part of a range that the process has written and shares with nobody, so that objects may be there. Nil: there is none.
  func written(in range: Range<UInt64>) throws(MemoryTrouble) -> Range<UInt64>?
  /// The first part of a range of which there may be bytes to read. Nil: there is none.
  func readable(in range: Range<UInt64>) -> Range<UInt64>?
  /// Copies the bytes at an address, as far as there are any; returns how many.
  func fill(_ target: UnsafeMutableRawBufferPointer, from address: UInt64) throws(MemoryTrouble) -> Int
  /// The signals that have a handler, one bit each, signal 1 is the lowest, of those that the recorder asks for. Nil: not known.
  var handledSignals: UInt64? { get }
  /// Where the program's own header is; nil: not known.
  var programHeader: UInt64? { get }
  /// How many processors it may use; nil: not known.
  var processors: Int? { get }
  /// Words that the system keeps for the process, and gives back to it: they may be addresses. Nil: they cannot be read. Empty for a
  /// core, in which a wait is unknown where any thread could fetch them.
  var keptBySystem: [UInt64]? { get }
  /// Ascending by their ids.
  func threads() throws(MemoryTrouble) -> [ThreadState]
  /// The file that is mapped there, checked to be the one that the process has. Nil: there is none on this machine.
  func file(of mapping: MemoryMapping) throws(MemoryTrouble) -> ImageFile?
}

/// A range of addresses, and what is there.
package struct MemoryMapping: Hashable, Sendable {
  package var low: UInt64
  /// Behind the last byte.
  package var high: UInt64
  package var isReadable: Bool
  package var isWritable: Bool
  package var isExecutable: Bool
  /// Where in its file it begins.
  package var offset: UInt64
  /// As the process sees it, or a word of the system in brackets. Empty: it is in no file.
  package var path: String
  /// The file at its path is no longer the one that is mapped.
  package var isDeleted = false
  /// Other processes may have it, too.
  package var isShared = false
  /// Of its file; nil: it is in no file, or not known, as in a core.
  package var node: Node?

  /// A file's number on its disk.
  package struct Node: Hashable, Sendable {
    package var major: UInt64
    package var minor: UInt64
    package var number: UInt64
  }

  package var size: UInt64 { high - low }
  package var isOfFile: Bool { path.hasPrefix("/") }
  package func contains(_ address: UInt64) -> Bool { address >= low && address < high }
}

extension ProcessMemory {
  package var handledSignals: UInt64? { nil }
  package var processors: Int? { nil }
  package var keptBySystem: [UInt64]? { [] }
  package var programHeader: UInt64? { nil }

  package func again() throws(MemoryTrouble) -> any ProcessMemory { self }

  package func written(in range: Range<UInt64>) throws(MemoryTrouble) -> Range<UInt64>? {
    mappings.first(in: range) { $0.isWritable && $0.isReadable && !$0.isShared }
  }

  package func readable(in range: Range<UInt64>) -> Range<UInt64>? {
    mappings.first(in: range) { $0.isReadable }
  }
}

enum Signals {
  /// Those with which programs are told something, as `handled_signals` of the recorder has them: a handler may wake a thread.
  static let asked: UInt64 = [1, 2, 10, 12, 14, 15, 17, 18, 26, 28, 29].reduce(0) { $0 | 1 << UInt64($1 - 1) }
}

extension [MemoryMapping] {
  /// The mapping with an address, of ascending ones. O(log n).
  package func containing(_ address: UInt64) -> MemoryMapping? {
    let index = firstIndex(endingBehind: address)
    return index < count && self[index].contains(address) ? self[index] : nil
  }

  /// Of ascending ones; O(log n).
  func firstIndex(endingBehind address: UInt64) -> Int {
    firstSorted { $0.high > address }
  }

  /// The first part of a range that is in one of these mappings, of ascending ones.
  func first(in range: Range<UInt64>, where fits: (MemoryMapping) -> Bool) -> Range<UInt64>? {
    for mapping in self[firstIndex(endingBehind: range.lowerBound)...] {
      guard mapping.low < range.upperBound else {
        return nil
      }
      if fits(mapping) { return (mapping.low..<mapping.high).clamped(to: range) }
    }
    return nil
  }

  /// Programs have no memory above, on all processors that are known. So a little can be added to each address that is.
  static let top: UInt64 = 1 << 57

  /// In order, without those that overlap the one before or are empty: these are of two moments, or damaged.
  func inOrder() -> [MemoryMapping] {
    var result: [MemoryMapping] = []
    for one in sorted(by: { ($0.low, $0.high) < ($1.low, $1.high) })
    where one.low < one.high && one.low >= result.last?.high ?? 0 && one.high <= Self.top {
      result.append(one)
    }
    return result
  }
}

/// Why a process or a core cannot be read, or not all of it. Each description is one sentence.
package enum MemoryTrouble: Error, Hashable, Sendable, CustomStringConvertible {
  case noSuchProcess(UInt32)
  /// It has ended, and its parent has not asked for its status.
  case zombie(UInt32)
  /// It ended, or became another program, while it was read.
  case ended(UInt32)
  case noPermission(UInt32)
  case ownProcess
  /// A thread of the kernel.
  case noProgram(UInt32)
  case otherMachine(_ name: String)
  /// There is no memory at an address, or its content is not in the core and in no file that was found.
  case unreadable(address: UInt64)
  /// The bytes at an address were different each time.
  case torn(address: UInt64)
  case cannotRead(_ path: String, _ reason: String)
  case notCore(_ path: String)
  case damagedCore(_ path: String, _ what: String)
  /// It cannot be unpacked.
  case packedCore(_ path: String, _ reason: String)

  package var description: String {
    switch self {
    case .noSuchProcess(let id): "There is no process \(id)."
    case .zombie(let id): "Process \(id) has ended; its parent has not asked for its status yet."
    case .ended(let id): "Process \(id) ended while it was looked at."
    case .noPermission(let id):
      "The memory of process \(id) may not be read: run as its user or as root, with the right to trace it (SYS_PTRACE)."
    case .ownProcess: "A process cannot look at itself in this way."
    case .noProgram(let id): "Process \(id) is a thread of the kernel."
    case .otherMachine(let name): "It is a program for \(name), which this machine's optrace cannot read."
    case .unreadable(let address): "There is nothing to read at address 0x\(String(address, radix: 16))."
    case .torn(let address): "What is at address 0x\(String(address, radix: 16)) changes all the time."
    case .cannotRead(let path, let reason): "\(path) cannot be read: \(reason)."
    case .notCore(let path): "\(path) is not a core file of Linux."
    case .damagedCore(let path, let what): "\(path) is damaged: \(what)."
    case .packedCore(let path, let reason): "\(path) cannot be unpacked: \(reason)."
    }
  }
}
