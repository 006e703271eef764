import OpTraceFormat

/// What records of the sort ``EventSpec/Part/definition`` define: classes, images, frames and their symbols, dispatch
/// queues, how processor time is sampled. Definitions come before the records that refer to them.
struct Definitions {
  private(set) var stacks = StackTable()
  /// How processor time is sampled; nil: it is not.
  private(set) var profile: ProfileRecord?
  /// How allocations are sampled, in the order of time; empty: they are not.
  private(set) var memory: [Memory.Setting] = []
  private var classes: [UInt32: SharedClass] = [:]
  private var queues: [UInt32: DispatchQueueRecord] = [:]
  private struct NameKey: Hashable { var short, file, module: UInt32 }
  /// For each short name, file and module: the full name of the last symbol that had them.
  private var functions: [NameKey: String] = [:]
  /// Symbols by frame, the innermost first. They may come before the frame.
  private var symbols: [UInt32: [SymbolRecord]] = [:]
  /// Frames that only samples refer to, and that are written again when needed.
  private var passing: Set<UInt32> = []

  mutating func add(_ event: TraceEvent, _ strings: [UInt32: String]) {
    switch EventKind(rawValue: event.kind) {
    case .classDescribed:
      let fields = EventFields.ClassDescribed(event)
      let name = strings[fields.class] ?? strings[fields.name] ?? TraceBuilder.unknownName
      classes[fields.name] = SharedClass(
        name, module: strings[fields.module], code: FrameID(orNone: fields.code))
    case .image:
      let fields = EventFields.Image(event)
      stacks.images[event.subject] = ImageRecord(
        path: event.text ?? "", buildID: strings[fields.build], base: fields.page * Layout.imagePage,
        size: UInt64(fields.pages) * Layout.imagePage)
    case .frame:
      let fields = EventFields.Frame(event)
      let address = FrameRecord.Address(
        image: fields.image == 0 ? nil : fields.image, offset: fields.offset, returns: fields.returns)
      stacks.define(
        FrameRecord(
          address: address, caller: FrameID(orNone: fields.caller), isGuessed: fields.guessed,
          isCut: fields.cut, library: LinkedLibrary(rawValue: fields.library)),
        as: FrameID(event.subject))
      // A ring writes the frames of samples beside the samples, again in each chunk.
      if event.thread.rawValue != 0 { passing.insert(event.subject) }
    case .symbol:
      let fields = EventFields.Symbol(event)
      let key = NameKey(short: UInt32(fields.short), file: UInt32(fields.file), module: UInt32(fields.module))
      var function = event.text ?? ""
      // A repeated full name is written only once.
      if function.isEmpty {
        function = functions[key] ?? strings[fields.short] ?? ""
      } else {
        functions[key] = function
      }
      let symbol = SymbolRecord(
        function: function, shortName: strings[fields.short] ?? function,
        module: strings[fields.module], file: strings[fields.file], line: fields.line == 0 ? nil : Int(fields.line))
      let level = Int(fields.inlined)
      // Level 0, the innermost function, begins a new list of symbols, also in a trace whose symbols were looked up
      // again. Symbols after a gap are left out: inlined functions mean nothing without the functions that they are in.
      if level == 0 {
        symbols[event.subject] = [symbol]
      } else if level == symbols[event.subject]?.count {
        symbols[event.subject]?.append(symbol)
      }
    case .profile:
      let fields = EventFields.Profile(event)
      var record = ProfileRecord(period: Nanoseconds(fields.period))
      record.way = ProfileRecord.Way(rawValue: fields.by) ?? .events
      record.seesKernel = fields.kernel
      record.copied = fields.copied
      record.refused = fields.refused == 0 ? nil : Int32(fields.refused)
      profile = record
    case .memory: memory.append(Memory.Setting(time: event.time, fields: EventFields.Memory(event)))
    case .dispatchQueue:
      var queue = DispatchQueueRecord(id: DispatchQueueID(event.subject))
      let fields = EventFields.DispatchQueue(event)
      queue.label = event.text ?? ""
      queue.width = fields.width > 0 ? Int(fields.width) : nil
      queue.target = fields.target == 0 ? nil : DispatchQueueID(fields.target)
      queue.isMain = fields.main
      queue.isGlobal = fields.global
      queue.stop = DispatchQueueRecord.Stop(rawValue: fields.stopped)
      queues[event.subject] = queue
    default: break
    }
  }

  /// If there are many frames that only samples refer to, forgets all of these but those of the given stacks. O(frames
  /// of the stacks).
  mutating func forgetFrames(except kept: some Sequence<FrameID>) {
    guard passing.count > Self.manyFrames else { return }
    var needed: Set<UInt32> = []
    for frame in kept {
      for id in stacks.stack(frame) where passing.contains(id.rawValue) { needed.insert(id.rawValue) }
    }
    stacks.remove(passing.subtracting(needed))
    passing = needed
  }

  private static let manyFrames = 65_536

  /// Sorted by id.
  var dispatchQueues: [DispatchQueueRecord] { queues.values.sorted { $0.id < $1.id } }

  /// The class that `created` refers to. If no record describes a name, the name itself is used.
  mutating func sharedClass(_ id: UInt32, _ strings: [UInt32: String]) -> SharedClass? {
    if let known = classes[id] { return known }
    guard let text = strings[id] else { return nil }
    let shared = SharedClass(text)
    classes[id] = shared
    return shared
  }

  /// Gives frames their symbols, and classes of operations the functions that they run. O(operations) if any do so.
  mutating func finish(_ operations: inout [OperationRecord]) {
    for (frame, names) in symbols { stacks.define(names, of: FrameID(frame)) }
    var named: [ObjectIdentifier: SharedClass] = [:]
    for shared in classes.values {
      named[ObjectIdentifier(shared)] = shared.named(by: stacks)
    }
    guard !named.isEmpty else { return }
    for index in operations.indices { operations[index].resolveClass { named[ObjectIdentifier($0)] } }
  }
}
