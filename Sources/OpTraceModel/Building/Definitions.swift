import OpTraceFormat

/// What records of the sort ``EventSpec/Part/definition`` tell: classes, images, frames and their symbols. They stand before
/// what names them.
struct Definitions {
  private(set) var stacks = StackTable()
  private var classes: [UInt32: SharedClass] = [:]
  private var queues: [UInt32: DispatchQueueRecord] = [:]
  /// By frame, the innermost first; they may stand before it.
  private var symbols: [UInt32: [SymbolRecord]] = [:]

  mutating func add(_ event: TraceEvent, _ strings: [UInt32: String]) {
    func field(_ word: UInt64, _ shift: UInt64, _ width: UInt64) -> UInt32 {
      UInt32(truncatingIfNeeded: word >> shift & (1 << width - 1))
    }
    func text(_ word: UInt64, _ shift: UInt64) -> String? { strings[field(word, shift, 16)] }
    let (first, second) = (event.word1, event.word2)
    switch EventKind(rawValue: event.kind) {
    case .classDescribed:
      let name = text(first, 16) ?? text(first, 0) ?? TraceBuilder.unknownName
      classes[field(first, 0, 16)] = SharedClass(name, module: text(first, 32), code: Self.frame(field(second, 0, 32)))
    case .image:
      stacks.images[event.subject] = ImageRecord(
        path: event.text ?? "", buildID: text(first, 32), base: (second & (1 << 36 - 1)) << 12,
        size: (second >> 36) << 12)
    case .frame:
      let image = field(first, 0, 16)
      let place = FrameRecord.Place(
        image: image == 0 ? nil : image, offset: first >> 16 & (1 << 47 - 1), returns: second >> 32 & 1 != 0)
      stacks.define(
        FrameRecord(place: place, caller: Self.frame(field(second, 0, 32)), isGuessed: first >> 63 != 0),
        as: FrameID(event.subject))
    case .symbol:
      let line = Int(field(second, 0, 24))
      let symbol = SymbolRecord(
        function: event.text ?? "", shortName: text(first, 40) ?? event.text ?? "", module: text(second, 40),
        file: text(second, 24), line: line == 0 ? nil : line)
      let level = Int(field(first, 32, 8))
      // The innermost begins a frame's symbols, anew in a trace where they were looked up again. Those behind a gap are left
      // out: inlined functions are nothing without those that they are in.
      if level == 0 {
        symbols[event.subject] = [symbol]
      } else if level == symbols[event.subject]?.count {
        symbols[event.subject]?.append(symbol)
      }
    case .dispatchQueue:
      var queue = DispatchQueueRecord(id: DispatchQueueID(event.subject))
      let width = Int32(truncatingIfNeeded: first >> 32)
      let target = field(second, 0, 20)
      queue.label = event.text ?? ""
      queue.width = width > 0 ? Int(width) : nil
      queue.target = target == 0 ? nil : DispatchQueueID(target)
      queue.isMain = second >> 32 & 1 != 0
      queue.isGlobal = second >> 33 & 1 != 0
      queues[event.subject] = queue
    default: break
    }
  }

  /// Sorted by id.
  var dispatchQueues: [DispatchQueueRecord] { queues.values.sorted { $0.id < $1.id } }

  /// What `created` names as a class. A name that is not described stands for itself.
  mutating func sharedClass(_ id: UInt32, _ strings: [UInt32: String]) -> SharedClass? {
    if let known = classes[id] { return known }
    guard let text = strings[id] else { return nil }
    let shared = SharedClass(text)
    classes[id] = shared
    return shared
  }

  /// Gives frames their symbols, and the classes of operations the functions that they run. O(operations), where any do.
  mutating func finish(_ operations: inout [OperationRecord]) {
    for (frame, names) in symbols { stacks.define(names, of: FrameID(frame)) }
    var named: [ObjectIdentifier: SharedClass] = [:]
    for shared in classes.values {
      named[ObjectIdentifier(shared)] = shared.named(by: stacks)
    }
    guard !named.isEmpty else { return }
    for place in operations.indices { operations[place].resolveClass { named[ObjectIdentifier($0)] } }
  }

  private static func frame(_ number: UInt32) -> FrameID? { number == 0 ? nil : FrameID(number) }
}
