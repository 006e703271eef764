import COpTrace

/// A task of Swift in a process.
package struct FoundTask: Hashable, Sendable {
  /// What it waits for, as the record that the runtime keeps of it says.
  package enum Wait: Hashable, Sendable {
    case task(UInt64)
    case continuation
    case group
    /// Its turn on an actor, or on the pool: 0.
    case executor(UInt64)
  }

  package var address: UInt64
  package var priority: UInt8
  /// A thread runs it.
  package var isRunning: Bool
  /// It can go on, and waits for its turn.
  package var isEnqueued: Bool
  package var isCancelled: Bool
  /// It has not run yet.
  package var isNew: Bool
  package var isInGroup: Bool
  package var isLet: Bool
  /// Whose child it is; nil: of none.
  package var parent: UInt64?
  package var wait: Wait?
  /// Where it and the functions that await it go on, innermost first. Each is the first address of a function.
  package var functions: [UInt64]
  /// What it runs first, if it has not run yet: a closure, behind the functions that only pass it on. The first addresses.
  package var code: [UInt64]
  /// It has code that runs when somebody cancels it, or that is not known to run.
  package var hasHandler: Bool
}

/// Reads tasks. Nothing of it is in a public header of the runtime's, so each task is checked by what leads back to it.
///
/// After Swift's include/swift/ABI/Task.h, TaskStatus.h and stdlib/public/Concurrency/TaskPrivate.h, versions 0 and 1 of the layout.
struct TaskReader {
  private let layout: TaskLayout
  private let modules: [Module]
  private let liveness: Liveness
  private var view: MemoryView { liveness.view }
  var size: UInt64 { layout.size }

  private static let mostFunctions = 512
  private static let mostChildren = 1 << 16
  private static let mostRecords = 64

  /// Bits of the flags.
  private enum Flag {
    static let child: UInt32 = 1 << 24, group: UInt32 = 1 << 26, asyncLet: UInt32 = 1 << 28
  }
  /// Bits of the status.
  private enum Status {
    static let cancelled: UInt64 = 0x100, running: UInt64 = 0x800, enqueued: UInt64 = 0x1000, complete: UInt64 = 0x2000
  }
  private static let status: UInt64 = 0x60, records: UInt64 = 0x68

  init(_ layout: TaskLayout, _ modules: [Module], _ liveness: Liveness) {
    (self.layout, self.modules, self.liveness) = (layout, modules, liveness)
  }

  /// One that was given memory of its own. Nil: there is none, or it has ended.
  func task(at address: UInt64) -> FoundTask? {
    guard liveness.isCounted(at: address), liveness.isGiven(at: address, atLeast: layout.size) else { return nil }
    return content(at: address)
  }

  /// The same for one in its parent's memory, whose references nobody counts.
  func child(at address: UInt64, of parent: UInt64) -> FoundTask? {
    content(at: address).flatMap { $0.parent == parent ? $0 : nil }
  }

  private func content(at address: UInt64) -> FoundTask? {
    let offsets = layout.offsets
    guard address % 16 == 0, view.word(at: address) == layout.metadata,
      let flags = view.half(at: address &+ UInt64(offsets.flags)), flags & 0xFF == 0,
      let id = view.half(at: address &+ UInt64(offsets.id)), id != 0,
      let status = view.word(at: address &+ Self.status), status & Status.complete == 0,
      let resume = view.word(at: address &+ UInt64(offsets.resume)),
      let context = view.word(at: address &+ UInt64(offsets.context)),
      let record = view.word(at: address &+ UInt64(offsets.dependency))
    else { return nil }
    var wait: FoundTask.Wait?
    var start = context
    if record != 0 {
      guard let found = self.wait(at: record, of: address) else { return nil }
      wait = found.what
      // The task's own context is stale until it goes on.
      if found.what == .continuation { start = found.object }
    }
    let isNew = layout.adapters.contains(resume)
    let isRunning = status & Status.running != 0
    guard isRunning || isNew || isCode(resume) else { return nil }
    var functions: [UInt64] = []
    if !isRunning, !isNew {
      guard let chain = chain(from: start) else { return nil }
      functions = (goesOnItself(wait) ? [resume] : []) + chain
    }
    let isChild = flags & Flag.child != 0
    return FoundTask(
      address: address, priority: UInt8(truncatingIfNeeded: flags >> 8), isRunning: isRunning,
      isEnqueued: status & Status.enqueued != 0, isCancelled: status & Status.cancelled != 0, isNew: isNew,
      isInGroup: flags & Flag.group != 0, isLet: flags & Flag.asyncLet != 0,
      parent: isChild ? view.pointer(at: address &+ layout.size) : nil, wait: wait, functions: functions,
      code: isNew ? closure(context) : [], hasHandler: hasHandler(address))
  }

  /// The record of what a task waits for must lead back to it.
  private func wait(at record: UInt64, of task: UInt64) -> (what: FoundTask.Wait, object: UInt64)? {
    let offsets = layout.offsets
    guard record % 8 == 0, view.word(at: record &+ UInt64(offsets.record_task)) == task,
      let object = view.word(at: record &+ UInt64(offsets.record_object)),
      let kind = view.half(at: record &+ UInt64(offsets.record_kind))
    else { return nil }
    switch kind {
    case 1: return (.task(object), object)
    case 2: return (.continuation, object)
    case 3: return (.group, object)
    case 4: return (.executor(object), object)
    default: return nil
    }
  }

  /// The functions that go on one after another, up to the runtime's. Nil: these are no contexts.
  private func chain(from context: UInt64) -> [UInt64]? {
    var functions: [UInt64] = []
    var next = context
    var seen: Set<UInt64> = []
    while next != 0, functions.count < Self.mostFunctions {
      guard next % 16 == 0, seen.insert(next).inserted,
        let parent = view.word(at: next &+ UInt64(layout.offsets.context_parent)),
        let function = view.word(at: next &+ UInt64(layout.offsets.context_return)), isCode(function)
      else { return nil }
      functions.append(function)
      next = parent
    }
    // The outermost ones are the runtime's, which ends the task: a chain that does not lead there is none.
    guard next == 0, !functions.isEmpty else { return functions }
    guard layout.isLibrary else { return functions.dropLast() }
    guard functions.last.map(layout.module.contains) == true else { return nil }
    while functions.last.map(layout.module.contains) == true { functions.removeLast() }
    return functions
  }

  /// After a wait for a task, a continuation or a group, a function of the runtime's goes on first.
  private func goesOnItself(_ wait: FoundTask.Wait?) -> Bool {
    switch wait {
    case .executor, nil: true
    default: false
    }
  }

  /// Of a task that has not run: the function of its closure and its context stand before the task's context. A thunk has caught a
  /// description of the function that it calls, and that one's context.
  private func closure(_ context: UInt64) -> [UInt64] {
    guard let function = view.word(at: context &- 24), isCode(function) else { return [] }
    var functions = [function]
    var next = view.word(at: context &- 16) ?? 0
    while functions.count < 4, next % 16 == 0, let caught = view.word(at: next &+ 16), caught % 4 == 0,
      modules.containing(caught) != nil, let function = view.relative(at: caught), isCode(function)
    {
      functions.append(function)
      next = view.word(at: next &+ 24) ?? 1
    }
    return functions
  }

  private func isCode(_ address: UInt64) -> Bool { modules.containing(address)?.hasCode(at: address) == true }

  /// Its records (`TaskStatusRecord`), each with its kind. Not complete: one cannot be read, or there are too many.
  private func records(of task: UInt64) -> (all: [(address: UInt64, kind: UInt64)], isComplete: Bool) {
    guard var record = view.word(at: task &+ Self.records).map({ $0 & ~7 }) else { return ([], false) }
    var all: [(address: UInt64, kind: UInt64)] = []
    while record != 0 {
      guard all.count < Self.mostRecords, let kind = view.word(at: record), let next = view.word(at: record &+ 8)
      else { return (all, false) }
      all.append((record, kind & 0xFF))
      record = next & ~7
    }
    return (all, true)
  }

  /// Whether its records have others than those of what it waits for, its children, and where it prefers to run.
  private func hasHandler(_ task: UInt64) -> Bool {
    let records = records(of: task)
    return !records.isComplete || records.all.contains { ![0, 1, 2, 5].contains($0.kind) }
  }

  /// The children that a task's records lead to: its own, and those of a group of it.
  func children(of task: UInt64) -> [UInt64] {
    var children: [UInt64] = []
    for record in records(of: task).all where record.kind == 1 || record.kind == 2 {
      var child = view.word(at: record.address &+ 16) ?? 0
      while child != 0, children.count < Self.mostChildren, view.word(at: child) == layout.metadata {
        children.append(child)
        child = view.word(at: child &+ layout.size &+ 8) ?? 0
      }
    }
    return children
  }
}

/// The tasks of a process that have not ended.
package struct FoundTasks: Hashable, Sendable {
  package private(set) var tasks: [UInt64: FoundTask] = [:]
  package private(set) var leftOut: Set<LeftOut> = []
  /// In bytes, of one.
  let size: UInt64

  init(_ reader: TaskReader, _ candidates: [UInt64]) {
    size = reader.size
    var open = candidates.compactMap { reader.task(at: $0) }
    for one in open { tasks[one.address] = one }
    var listed: Set<UInt64> = []
    while let one = open.popLast() {
      for address in reader.children(of: one.address) where listed.insert(address).inserted {
        guard tasks[address] == nil, let child = reader.child(at: address, of: one.address) else { continue }
        tasks[address] = child
        open.append(child)
      }
    }
    // A child that its parent does not know is not of this moment, nor are its own children.
    while true {
      let lost = tasks.values.filter { one in
        one.parent.map { tasks[$0] == nil || !listed.contains(one.address) } ?? false
      }
      if lost.isEmpty { break }
      for one in lost {
        tasks[one.address] = nil
        leftOut.insert(.task(address: one.address))
      }
    }
  }

  /// What is the same in both.
  func agreeing(with other: FoundTasks) -> FoundTasks {
    var result = self
    result.tasks = tasks.filter { other.tasks[$0.key] == $0.value }
    result.leftOut = leftOut.standing(with: other.leftOut)
    return result
  }
}
