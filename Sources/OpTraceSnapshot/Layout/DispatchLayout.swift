/// Which words libdispatch's objects begin with.
///
/// Its table for each kind of object has the kind's number at 16 and a pointer to the kind's name at 24 (swift-corelibs-libdispatch,
/// src/object_internal.h, `DISPATCH_VTABLE_HEADER`; the same from Swift 5.10 to 6.4). So the tables are found without symbols.
package struct DispatchLayout: Sendable {
  package enum Kind: String, Sendable, CaseIterable {
    case semaphore, group, source
    case serialQueue = "queue_serial"
    case concurrentQueue = "queue_concurrent"
    case globalQueue = "queue_global"
    case mainQueue = "queue_main"
    case managerQueue = "queue_mgr"
    case runLoopQueue = "queue_runloop"
    case workloop

    /// Its number.
    fileprivate var number: UInt32 {
      switch self {
      case .semaphore: 0x101
      case .group: 0x201
      case .source: 0x113
      case .serialQueue: 0x111
      case .concurrentQueue: 0x211
      case .globalQueue: 0x50311
      case .mainQueue: 0x60611
      case .managerQueue: 0x60511
      case .runLoopQueue: 0x60711
      case .workloop: 0x20012
      }
    }

    package var isQueue: Bool {
      switch self {
      case .semaphore, .group, .source: false
      default: true
      }
    }
  }

  /// By the addresses of the tables.
  package private(set) var kinds: [UInt64: Kind] = [:]
  /// The module with libdispatch in it.
  package private(set) var module: Module?

  /// The library is there, so there must be tables.
  let isLoaded: Bool

  package var isKnown: Bool { Set(kinds.values).count == Kind.allCases.count }

  /// With tables that are known.
  init(kinds: [UInt64: Kind]) { (self.kinds, isLoaded) = (kinds, true) }

  /// - Complexity: O(data of the modules that may hold it).
  init(_ modules: [Module], _ view: MemoryView) throws(MemoryTrouble) {
    let library = modules.first { $0.name.hasPrefix("libdispatch.so") }
    isLoaded = library != nil
    // Without the library, the program itself may have it.
    guard let module = library ?? modules.program else { return }
    let numbers = Dictionary(uniqueKeysWithValues: Kind.allCases.map { (UInt64($0.number), $0) })
    var found: [(UInt64, UInt64)] = []
    for range in module.data where found.count < 1 << 16 {
      try view.memory.search(range, for: WordSet(numbers.keys)) { found.append(($0, $1)) }
    }
    for (address, number) in found {
      guard let kind = numbers[number], let name = view.word(at: address &+ 8), module.contains(name),
        view.text(at: name, limit: 32) == kind.rawValue,
        let dispose = view.word(at: address &- 16), module.hasCode(at: dispose)
      else { continue }
      kinds[address &- 16] = kind
    }
    if !kinds.isEmpty { self.module = module }
  }
}
