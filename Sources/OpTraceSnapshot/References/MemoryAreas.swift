import OpTraceModel
import OpTraceSymbols

/// What the parts of a process's memory are for: what a word in one of them means depends on it.
struct MemoryAreas {
  enum Kind {
    /// Pieces of malloc's.
    case heap(PageIndex.Part)
    /// A thread's own: its stack, and what it keeps for itself.
    case stack(of: UInt32)
    /// The stack of a thread that has ended, which is kept for the next one.
    case unused
    /// The C library's and the loader's data, which lead to pieces of memory without using them.
    case allocator
    /// Globals, and memory that something else gives out.
    case other
  }

  struct Area {
    var part: PageIndex.Part
    var kind: Kind
  }

  struct Stack {
    /// Where its functions' memory ends, with the room below the stack pointer that the innermost one may use.
    var end: UInt64
    /// Where the outermost function's frame begins.
    var frames: UInt64
  }

  /// Ascending.
  private let all: [Area]
  private(set) var stacks: [UInt32: Stack] = [:]
  /// Where threads keep what is their own, behind their stacks.
  private(set) var own: [Range<UInt64>] = []
  /// Threads that run nothing of the program's.
  private let idle: Set<UInt32>
  /// All memory that may lead to something is among them.
  let areComplete: Bool

  var parts: [PageIndex.Part] { all.map(\.part) }

  init(_ look: Look, _ memory: any ProcessMemory, _ view: MemoryView) {
    idle = Set(look.threads.filter(look.isIdle).map(\.state.id))
    // The kernel keeps addresses for a program that uses its rings.
    areComplete =
      !look.objects.leftOut.contains(.cutShort) && !memory.mappings.contains { $0.path.contains("io_uring") }
    var byMapping: [UInt64: [SeenThread]] = [:]
    for thread in look.threads {
      guard let sp = thread.state.registers?.sp, let mapping = memory.mappings.containing(sp) else { continue }
      byMapping[mapping.low, default: []].append(thread)
    }
    var areas: [Area] = []
    let highest = memory.mappings.last { $0.isWritable && $0.isReadable && !$0.isShared }?.low
    for (index, mapping) in memory.mappings.enumerated() where mapping.isWritable && mapping.isReadable {
      let range = mapping.low..<mapping.high
      if mapping.isShared {
        areas.append(Area(part: .init(range: range, isShared: true), kind: .other))
        continue
      }
      var rest = range
      let hasGuard =
        index > 0 && memory.mappings[index - 1].high == mapping.low && !memory.mappings[index - 1].isReadable
      if let threads = byMapping[mapping.low], threads.count == 1 {
        let thread = threads[0]
        let isMain = thread.state.id == look.processID
        let top =
          isMain
          ? (mapping.low == highest ? mapping.high : nil)
          : hasGuard ? Self.top(ofStackOf: thread, in: mapping, view) : nil
        if let top, let sp = thread.state.registers?.sp {
          let frames = thread.isWhole ? thread.pointers.last ?? top : top
          stacks[thread.state.id] = Stack(end: sp - min(sp, Self.room), frames: max(sp, min(frames, top)))
          areas.append(Area(part: .init(range: mapping.low..<top), kind: .stack(of: thread.state.id)))
          rest = top..<mapping.high
          if !isMain, thread.isWhole { own.append(frames & ~7..<top) }
        }
      } else if byMapping[mapping.low] != nil {
        areas.append(Area(part: .init(range: range), kind: .other))
        continue
      }
      if rest == range, hasGuard,
        let record = Self.record(
          ofThread: 0, in: rest.upperBound - min(PageIndex.page, UInt64(rest.count))..<rest.upperBound, view)
      {
        areas.append(Area(part: .init(range: rest.lowerBound..<record), kind: .unused))
        areas.append(Area(part: .init(range: record..<rest.upperBound), kind: .other))
        continue
      }
      if !rest.isEmpty { areas.append(Self.area(rest, mapping, look, view)) }
    }
    all = areas
    let ofMain = areas.filter { area in
      guard case .stack(of: look.processID) = area.kind else { return false }
      return stacks[look.processID].map { !area.part.range.contains($0.frames) } ?? true
    }
    own += ofMain.map(\.part.range)
  }

  /// Bytes below the stack pointer that a function of System V's rules may use.
  private static let room: UInt64 = 128

  subscript(address: UInt64) -> Area? {
    let next = all.firstSorted { $0.part.range.upperBound > address }
    return next < all.count && all[next].part.range.contains(address) ? all[next] : nil
  }

  func isIdle(_ thread: UInt32) -> Bool { idle.contains(thread) }

  private static func area(
    _ range: Range<UInt64>, _ mapping: MemoryMapping, _ look: Look, _ view: MemoryView
  ) -> Area {
    var part = PageIndex.Part(range: range)
    if let module = look.modules.containing(range.lowerBound) {
      let isAllocator = ["libc.so.6", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"].contains(String(module.name))
      return Area(part: part, kind: isAllocator ? .allocator : .other)
    }
    var own = mapping
    own.low = range.lowerBound
    part.firstPiece = Pieces.first(in: own, view)
    if part.firstPiece != nil { return Area(part: part, kind: .heap(part)) }
    // The loader makes the memory in which the main thread keeps what is its own.
    if range.count <= 1 << 16, record(ofThread: look.processID, in: range, view) != nil {
      return Area(part: part, kind: .stack(of: look.processID))
    }
    return Area(part: part, kind: .other)
  }

  /// Behind the frames of a thread's stack is the C library's record of it, in the last page; what comes behind that page may be anything.
  private static func top(ofStackOf thread: SeenThread, in mapping: MemoryMapping, _ view: MemoryView) -> UInt64? {
    guard thread.isWhole, let frames = thread.pointers.last, mapping.contains(frames) else { return nil }
    let range = frames & ~7..<min(mapping.high, frames + farthest)
    guard let record = record(ofThread: thread.state.id, in: range, view) else { return nil }
    let top = (record + PageIndex.page) & ~(PageIndex.page - 1)
    return top <= mapping.high ? top : nil
  }

  /// In bytes: how large the variables of a thread are, which are between its stack and its record.
  private static let farthest: UInt64 = 1 << 18

  /// glibc's `struct pthread`: it begins with a pointer to itself, and has the thread's id (nptl/descr.h).
  private static func record(ofThread id: UInt32, in range: Range<UInt64>, _ view: MemoryView) -> UInt64? {
    var address = (range.lowerBound + 15) & ~15
    while address < range.upperBound {
      if view.word(at: address) == address, view.word(at: address &+ 16) == address,
        view.half(at: address &+ 0x2D0) == id
      {
        return address
      }
      address += 16
    }
    return nil
  }
}
