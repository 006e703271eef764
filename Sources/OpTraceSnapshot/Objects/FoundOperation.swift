/// An operation of Foundation in a process.
package struct FoundOperation: Hashable, Sendable {
  /// As `Operation.__NSOperationState` of swift-corelibs-foundation has its cases: the byte in memory is a case's place, not its raw value.
  package enum State: UInt8, Sendable, Comparable {
    case initialized, enqueuing, enqueued, dispatching, starting, executing, finishing, finished
    package static func < (one: State, other: State) -> Bool { one.rawValue < other.rawValue }
    /// Whether it has one of its queue's slots.
    package var hasSlot: Bool { self >= .dispatching && self < .finished }
  }

  package var address: UInt64
  package var module: String
  package var className: String
  package var isBlock: Bool
  package var isBarrier: Bool
  package var state: State
  package var name: String?
  /// The queue that it says to be in; nil: none.
  package var queue: UInt64?
  package var dependencies: [UInt64]
  package var unfinishedDependencies: Int
  /// Its answer to `isReady` when the queue last asked.
  package var wasReady: Bool
  package var isCancelled: Bool
  /// The function of its block; nil: it has none.
  package var block: UInt64?
  /// Where those sleep that wait for its end.
  package var condition: Range<UInt64>?
  var previous: UInt64?
  var next: UInt64?
}

/// Reads operations: where Foundation keeps what, by the names of the fields.
struct OperationReader {
  let operation: SwiftClass
  let queue: SwiftClass
  private let block: SwiftClass
  private let barrier: SwiftClass?
  private let condition: SwiftClass
  private let classes: SwiftClasses
  private let liveness: Liveness
  private var view: MemoryView { liveness.view }

  private static let ownFields = [
    "__previousOperation", "__nextOperation", "__queue", "__dependencies", "__unfinishedDependencyCount", "__name",
    "__state", "__cachedIsReady", "__isCancelled", "__waitCondition",
  ]
  private static let queueFields = [
    "__firstOperation", "__lastOperation", "__maxNumOps", "__actualMaxNumOps", "__numExecOps", "__name", "__suspended",
    "__mainQ", "__dispatch_queue", "__backingQueue",
  ]

  /// Nil: the process has no Foundation. Throws what is missing in it.
  init?(_ classes: SwiftClasses, _ liveness: Liveness) throws(Missing) {
    guard let operation = classes.named("Operation", module: "Foundation") else {
      // Several: nobody knows which of them is used.
      if classes.has("Operation", module: "Foundation") { throw Missing(what: "Operation") }
      return nil
    }
    func find(_ name: String, _ fields: [String]) throws(Missing) -> SwiftClass {
      guard let found = classes.named(name, module: "Foundation") else { throw Missing(what: name) }
      if let field = fields.first(where: { found.fields[$0] == nil }) { throw Missing(what: "\(name).\(field)") }
      return found
    }
    self.operation = try find("Operation", Self.ownFields)
    queue = try find("OperationQueue", Self.queueFields)
    block = try find("BlockOperation", ["_block"])
    condition = try find("NSCondition", ["cond"])
    barrier = classes.named("_BarrierOperation", module: "Foundation")
    self.classes = classes
    self.liveness = liveness
    guard operation.instanceSize >= 16 else { throw Missing(what: "Operation") }
  }

  struct Missing: Error { var what: String }

  /// The words that operations begin with, and those of queues.
  var operationClasses: [UInt64] { classes.byMetadata.keys.filter { classes.inherits($0, from: operation) } }
  var queueClasses: [UInt64] { classes.byMetadata.keys.filter { classes.inherits($0, from: queue) } }

  /// Nil: there is no operation.
  func operation(at address: UInt64) -> FoundOperation? {
    guard let isa = view.word(at: address), let type = classes[isa], classes.inherits(isa, from: operation),
      liveness.isObject(at: address, size: type.instanceSize),
      let state = byte("__state", address).flatMap(FoundOperation.State.init),
      let isReady = flag("__cachedIsReady", address), let isCancelled = flag("__isCancelled", address),
      let dependencies = SwiftValues.objects(at: at("__dependencies", address), view),
      let count = view.word(at: at("__unfinishedDependencyCount", address)), count <= 1 << 16,
      let queue = view.word(at: at("__queue", address)),
      let previous = view.word(at: at("__previousOperation", address)),
      let next = view.word(at: at("__nextOperation", address))
    else { return nil }
    let isBlock = classes.inherits(isa, from: block)
    let blockField = barrier.map { classes.inherits(isa, from: $0) } == true ? barrier?.fields["_block"] : nil
    let field = isBlock ? block.fields["_block"] : blockField
    return FoundOperation(
      address: address, module: type.module, className: type.name, isBlock: isBlock, isBarrier: blockField != nil,
      state: state, name: SwiftValues.text(at: at("__name", address), view), queue: queue == 0 ? nil : queue,
      dependencies: dependencies, unfinishedDependencies: Int(count), wasReady: isReady, isCancelled: isCancelled,
      block: field.flatMap { view.word(at: address &+ $0) }.flatMap { $0 == 0 ? nil : $0 },
      condition: condition(of: address), previous: previous == 0 ? nil : previous, next: next == 0 ? nil : next)
  }

  /// A condition of the C library is 48 bytes, and its waiters sleep at words in it.
  private func condition(of address: UInt64) -> Range<UInt64>? {
    guard let object = view.pointer(at: at("__waitCondition", address)), view.word(at: object) == condition.metadata,
      let offset = condition.fields["cond"], let place = view.pointer(at: object &+ offset), place < 1 << 47
    else { return nil }
    return place..<place + 48
  }

  private func at(_ field: String, _ address: UInt64) -> UInt64 { address &+ (operation.fields[field] ?? 0) }
  private func byte(_ field: String, _ address: UInt64) -> UInt8? { view.byte(at: at(field, address)) }
  private func flag(_ field: String, _ address: UInt64) -> Bool? {
    byte(field, address).flatMap { $0 <= 1 ? $0 == 1 : nil }
  }

  // MARK: - Queues

  /// Nil: there is no queue.
  func queue(at address: UInt64) -> FoundOperationQueue? {
    func at(_ field: String) -> UInt64 { address &+ (queue.fields[field] ?? 0) }
    func flag(_ field: String) -> Bool? { view.byte(at: at(field)).flatMap { $0 <= 1 ? $0 == 1 : nil } }
    guard let isa = view.word(at: address), let type = classes[isa], classes.inherits(isa, from: queue),
      liveness.isObject(at: address, size: type.instanceSize), let isSuspended = flag("__suspended"),
      let isMain = flag("__mainQ"), let limit = view.word(at: at("__maxNumOps")).map(Int64.init(bitPattern:)),
      limit >= -1, let executing = view.half(at: at("__numExecOps")).map(Int32.init(bitPattern:)), executing >= 0,
      let first = view.word(at: at("__firstOperation")), let last = view.word(at: at("__lastOperation"))
    else { return nil }
    let given = view.word(at: at("__dispatch_queue")) ?? 0
    let made = view.word(at: at("__backingQueue")) ?? 0
    // Foundation names a queue by its address if nobody else does.
    let name = SwiftValues.text(at: at("__name"), view).flatMap { $0.hasPrefix("NSOperationQueue 0x") ? nil : $0 }
    return FoundOperationQueue(
      address: address, name: name, limit: limit, executing: Int(executing), isSuspended: isSuspended, isMain: isMain,
      underlying: given == 0 ? nil : given, backing: made == 0 ? nil : made, operations: [],
      first: first == 0 ? nil : first, last: last == 0 ? nil : last)
  }
}

/// An operation queue of Foundation in a process.
package struct FoundOperationQueue: Hashable, Sendable {
  package var address: UInt64
  /// Nil: nobody has named it.
  package var name: String?
  /// How many operations may run at once; -1: the system decides.
  package var limit: Int64
  package var executing: Int
  package var isSuspended: Bool
  package var isMain: Bool
  /// The dispatch queue that the program has given to it.
  package var underlying: UInt64?
  /// The one that it made for itself.
  package var backing: UInt64?
  /// In their order.
  package var operations: [UInt64]
  var first: UInt64?
  var last: UInt64?
}
