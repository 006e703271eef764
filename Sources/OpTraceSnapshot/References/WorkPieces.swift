/// Tasks, operations and blocks by the pieces of memory that they are in: where a search ends.
struct WorkPieces {
  enum Work: Hashable {
    case ender(FoundEnders.Ender)
    /// Others may use what it has without it.
    case unknown
  }

  private let tasks: [UInt64: FoundTask]
  private let operations: [UInt64: FoundOperation]
  private let items: Set<UInt64>
  private let running: [UInt32: [Roles.Work]]
  private let childrenOf: [UInt64: [UInt64]]
  /// In bytes; nil: there are no tasks.
  let taskSize: UInt64?

  init(_ look: Look) {
    tasks = look.objects.tasks?.tasks ?? [:]
    taskSize = look.objects.tasks?.size
    operations = look.objects.operations?.operations ?? [:]
    running = look.roles.executed
    let blocks = look.objects.dispatch?.queues.values.flatMap(\.items).filter(\.isBlock) ?? []
    items = Set(blocks.map(\.address))
    childrenOf = Dictionary(grouping: tasks.values.filter { $0.parent != nil }.map(\.address)) { [tasks] in
      tasks[$0]?.parent ?? 0
    }
  }

  /// What a piece belongs to; nil: to nothing that acts by itself.
  subscript(piece: Pieces.Piece, address: UInt64) -> Work? {
    let start = piece.start
    if tasks[start] != nil { return .ender(.task(start)) }
    if items.contains(start) { return .ender(.item(start)) }
    guard let operation = operations[start] else { return nil }
    // A class of the program's may have properties, by which others reach what is in them; and who has one that is in no queue may start it.
    let isGiven = operation.queue != nil || operation.state >= .starting
    return operation.module == "Foundation" && isGiven ? .ender(.operation(start)) : .unknown
  }

  /// What a thread executes now; nil: nothing that is known.
  func executed(by thread: UInt32) -> Work? {
    guard let object = running[thread]?.first?.object else { return nil }
    if tasks[object] != nil { return .ender(.task(object)) }
    return operations[object] != nil ? .ender(.operation(object)) : nil
  }

  func tasks(executedBy thread: UInt32) -> [UInt64] {
    (running[thread] ?? []).map(\.object).filter { tasks[$0] != nil }
  }

  func children(of task: UInt64) -> [UInt64] { childrenOf[task] ?? [] }

  /// Tasks that wait for this one's end, or for those that do, and for no other child.
  func waiting(for task: UInt64) -> [UInt64] {
    var found: [UInt64] = []
    var next = tasks[task]?.parent
    while let one = next.flatMap({ tasks[$0] }), !found.contains(one.address), !one.isRunning,
      one.wait == .group || one.wait == .task(found.last ?? task), children(of: one.address).count == 1
    {
      found.append(one.address)
      next = one.parent
    }
    return found
  }

  /// Whether code runs when somebody cancels it; nil: there is no such task.
  func hasHandler(_ task: UInt64) -> Bool? { tasks[task]?.hasHandler }
}
