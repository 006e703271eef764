import COpTrace
import OpTraceSymbols

/// Looks for who refers to what is waited for, then for who refers to these, and so on, up to what can act: tasks, operations, blocks in
/// queues, threads.
///
/// Only where all of them are found is anything said. So whatever may be used by code that nobody sees here makes a wait unknown: a global,
/// memory that is not malloc's, a handler of a task's cancellation. A word that is left over counts as one that is used, unless it is below a
/// stack's end or in memory that was given back: it can hide a proof, and make none.
struct ReferenceSearch {
  /// One bit for each wait.
  private typealias Mask = UInt64

  private let look: Look
  private let memory: any ProcessMemory
  private let areas: MemoryAreas
  private let index: PageIndex
  private let pieces: Pieces
  private let view: MemoryView
  private let works: WorkPieces

  private var awaited: [FoundEnders.Awaited] = []
  /// The threads that wait for each.
  private var waiters: [Set<UInt32>] = []
  private var enders: [Set<FoundEnders.Ender>] = []
  /// Those of which not all enders can be found.
  private var unknown: Mask = 0
  private var seen: [UInt64: Mask] = [:]
  private var seenStacks: [UInt32: Mask] = [:]
  private var targets: [(range: Range<UInt64>, mask: Mask)] = []
  /// All that was searched for.
  private var all: [(range: Range<UInt64>, mask: Mask)] = []

  private static let mostWaits = 1024
  private static let mostLevels = 24
  private static let mostPieces = 4096
  private static let mostHits = 1 << 16
  /// In bytes, of memory that is read again, for all waits.
  private static let mostRead: UInt64 = 512 << 20

  /// Who could end the waits of a process in which no thread has moved.
  static func enders(of look: Look, in memory: any ProcessMemory) throws(MemoryTrouble) -> FoundEnders {
    let waits = waits(of: look)
    guard !waits.isEmpty, look.isStill, !look.objects.leftOut.contains(.allocator) else { return FoundEnders() }
    let view = MemoryView(memory)
    let areas = MemoryAreas(look, memory, view)
    guard areas.areComplete else { return FoundEnders() }
    guard let index = try PageIndex(memory, areas.parts) else { return .tooMuch }
    let pieces = Pieces(index, areas.parts.filter { $0.firstPiece != nil }, own: areas.own, view) {
      look.modules.containing($0) != nil
    }
    var found: [FoundEnders.Awaited: Set<FoundEnders.Ender>] = [:]
    var read: UInt64 = 0
    // As many at a time as a mask has bits: what threads wait for first.
    let ordered = waits.sorted { $0.key < $1.key }.prefix(mostWaits)
    for start in stride(from: 0, to: ordered.count, by: Mask.bitWidth) where read < mostRead {
      var search = ReferenceSearch(
        look, memory, areas, index, pieces, view, ordered.dropFirst(start).prefix(Mask.bitWidth))
      try search.run(&read)
      found.merge(search.result) { one, _ in one }
    }
    if let trouble = view.trouble { throw trouble }
    return FoundEnders(found, isTooMuch: waits.count > mostWaits || read >= mostRead)
  }

  /// What threads and tasks wait for that others signal, with the threads that wait.
  private static func waits(of look: Look) -> [FoundEnders.Awaited: Set<UInt32>] {
    var result: [FoundEnders.Awaited: Set<UInt32>] = [:]
    for thread in look.threads {
      guard let wait = thread.wait, !wait.hasLimit, let (object, _) = look.objects.waited(at: wait.lock) else {
        continue
      }
      result[.object(object), default: []].insert(thread.state.id)
    }
    let sleeping = look.roles.sleeping
    for task in look.objects.tasks?.tasks.values.map(\.self) ?? []
    where task.wait == .continuation && !task.isRunning && !sleeping.contains(task.address) {
      result[.continuation(of: task.address)] = []
    }
    return result
  }

  private init(
    _ look: Look, _ memory: any ProcessMemory, _ areas: MemoryAreas, _ index: PageIndex, _ pieces: Pieces,
    _ view: MemoryView, _ waits: some Sequence<(key: FoundEnders.Awaited, value: Set<UInt32>)>
  ) {
    (self.look, self.memory, self.areas, self.index, self.view) = (look, memory, areas, index, view)
    self.pieces = pieces
    works = WorkPieces(look)
    for (what, threads) in waits {
      awaited.append(what)
      waiters.append(threads)
    }
    enders = awaited.map { _ in [] }
  }

  private mutating func run(_ read: inout UInt64) throws(MemoryTrouble) {
    for (bit, what) in awaited.enumerated() { begin(what, 1 << Mask(bit)) }
    var level = 0
    while !targets.isEmpty {
      level += 1
      guard level <= Self.mostLevels, seen.count < Self.mostPieces, read < Self.mostRead else {
        // What is left leads on.
        for target in targets { unknown |= target.mask }
        break
      }
      let searched = Self.disjoint(targets)
      all += searched
      targets = []
      var hits: [(address: UInt64, range: Int)] = []
      var isCut = false
      read += try index.search(memory, for: searched.map(\.range)) { address, range in
        hits.append((address, range))
        isCut = hits.count == Self.mostHits
        return !isCut
      }
      if isCut { for target in searched { unknown |= target.mask } }
      for hit in hits { follow(hit.address, searched[hit.range]) }
    }
    addThreads()
    addSystem()
    addRelatives()
  }

  private var result: [FoundEnders.Awaited: Set<FoundEnders.Ender>] {
    var found: [FoundEnders.Awaited: Set<FoundEnders.Ender>] = [:]
    for (bit, what) in awaited.enumerated() where unknown >> Mask(bit) & 1 == 0 { found[what] = enders[bit] }
    return found
  }

  private mutating func begin(_ what: FoundEnders.Awaited, _ mask: Mask) {
    switch what {
    case .object(let address):
      guard let area = areas[address], case .heap = area.kind, let piece = pieces.piece(with: address, in: area.part),
        piece.start == address, !piece.isFree
      else {
        unknown |= mask
        return
      }
      search(piece, mask)
    case .continuation(let task):
      guard let size = works.taskSize, works.hasHandler(task) == false else {
        unknown |= mask
        return
      }
      targets.append((task..<task + size, mask))
    }
  }

  private mutating func search(_ piece: Pieces.Piece, _ mask: Mask) {
    let new = mask & ~seen[piece.start, default: 0] & ~unknown
    guard new != 0 else { return }
    seen[piece.start, default: 0] |= new
    targets.append((piece.range, new))
  }

  /// A word leads to something that is searched for: who holds that word?
  private mutating func follow(_ address: UInt64, _ target: (range: Range<UInt64>, mask: Mask)) {
    let mask = target.mask & ~unknown
    // What refers to itself is not held by that.
    guard mask != 0, !target.range.contains(address) else { return }
    switch areas[address]?.kind {
    case .heap(let part):
      // A heap begins with what malloc keeps of it.
      if let first = part.firstPiece, address < first { return }
      guard let piece = pieces.piece(with: address, in: part) else {
        unknown |= mask
        return
      }
      if piece.isFree { return }
      if let work = works[piece, address] { return note(work, mask) }
      search(piece, mask)
    case .stack(let thread): follow(address, onStackOf: thread, mask)
    case .allocator, .unused: return
    case .other, nil: unknown |= mask
    }
  }

  private mutating func follow(_ address: UInt64, onStackOf thread: UInt32, _ mask: Mask) {
    guard let stack = areas.stacks[thread] else {
      unknown |= mask
      return
    }
    // Below its end, with the room that a function may use there, everything is left over.
    guard address >= stack.end else { return }
    // Behind its frames a thread keeps what is its own, and that outlasts what it runs now.
    let isOfFrames = address < stack.frames
    for bit in bits(of: mask) {
      let one: Mask = 1 << Mask(bit)
      if waiters[bit].contains(thread) {
        // A block on its stack may be run by another thread.
        if seenStacks[thread, default: 0] & one == 0 {
          seenStacks[thread, default: 0] |= one
          if stack.end < stack.frames { targets.append((stack.end..<stack.frames, one)) }
        }
      } else if areas.isIdle(thread) {
        if !isOfFrames { unknown |= one }
      } else {
        note(thread: thread, one)
      }
    }
  }

  private func bits(of mask: Mask) -> [Int] { awaited.indices.filter { mask >> Mask($0) & 1 == 1 } }

  private mutating func note(thread: UInt32, _ mask: Mask) {
    note(works.executed(by: thread) ?? .ender(.thread(thread)), mask)
  }

  private mutating func note(_ work: WorkPieces.Work, _ mask: Mask) {
    switch work {
    case .ender(let ender): for bit in bits(of: mask) { enders[bit].insert(ender) }
    case .unknown: unknown |= mask
    }
  }

  /// Threads of which not all is known. The registers of one in the system are not to be had of a process that runs. And what a thread does next
  /// may lead to more than its registers: to data in a pipe, or in memory that is not in a core.
  private mutating func addThreads() {
    for thread in look.threads where !areas.isIdle(thread.state.id) {
      let id = thread.state.id
      for bit in awaited.indices where !waiters[bit].contains(id) && !enders[bit].contains(.thread(id)) {
        enders[bit].insert(.possibly(id))
      }
    }
  }

  /// A loop may have an address in the system alone, which gives it back with an event.
  private mutating func addSystem() {
    guard let words = memory.keptBySystem else {
      unknown = .max
      return
    }
    for word in words {
      for target in all where target.range.contains(optrace_word_address(word)) { unknown |= target.mask }
    }
  }

  /// A task's children may have what is in its memory. One of which a handler waits for its cancellation runs that for whoever cancels it.
  private mutating func addRelatives() {
    for bit in awaited.indices {
      var tasks: [UInt64] = enders[bit].compactMap { if case .task(let task) = $0 { task } else { nil } }
      if case .continuation(let task) = awaited[bit] { tasks.append(task) }
      for thread in waiters[bit] { tasks += works.tasks(executedBy: thread) }
      var seen = Set(tasks)
      while let task = tasks.popLast() {
        if works.hasHandler(task) != false { unknown |= 1 << Mask(bit) }
        for child in works.children(of: task) where seen.insert(child).inserted {
          enders[bit].insert(.task(child))
          tasks.append(child)
        }
      }
      // Whoever waits does nothing else meanwhile, nor do tasks that wait for it, if nothing else lets them go on.
      if case .continuation(let task) = awaited[bit] {
        let waiting = [task] + works.waiting(for: task)
        if enders[bit].isSubset(of: waiting.map { .task($0) }) { enders[bit] = [] }
        enders[bit].remove(.task(task))
      }
      for thread in waiters[bit] {
        enders[bit].remove(.thread(thread))
        if case .ender(let own)? = works.executed(by: thread) { enders[bit].remove(own) }
      }
    }
  }

  /// Ascending, none of which overlaps another.
  private static func disjoint(
    _ ranges: [(range: Range<UInt64>, mask: Mask)]
  ) -> [(range: Range<UInt64>, mask: Mask)] {
    let edges = Set(ranges.flatMap { [$0.range.lowerBound, $0.range.upperBound] }).sorted()
    let ordered = ranges.sorted { $0.range.lowerBound < $1.range.lowerBound }
    var result: [(range: Range<UInt64>, mask: Mask)] = []
    var open: [(range: Range<UInt64>, mask: Mask)] = []
    var next = 0
    for (low, high) in zip(edges, edges.dropFirst()) {
      while next < ordered.count, ordered[next].range.lowerBound <= low {
        open.append(ordered[next])
        next += 1
      }
      open.removeAll { $0.range.upperBound <= low }
      let mask = open.reduce(0) { $0 | $1.mask }
      if mask != 0 { result.append((low..<high, mask)) }
    }
    return result
  }
}
