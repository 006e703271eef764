import OpTraceKernel
import OpTraceModel

/// Makes the stacks of a profile from those of a trace, each once.
struct SampledStacks {
  /// A task's async stacks around a sample.
  struct Around: Hashable {
    /// The stacks at its last suspension before the sample and its next one after it; nil: not known.
    var last: FrameID?
    var next: FrameID?
  }

  private struct Key: Hashable {
    var at: FrameID?
    var task: Around?
    var reason: String?
  }

  private(set) var code: SampledCode
  private(set) var frames: [Profile.Frame] = []
  private(set) var stacks: [Profile.Stack] = []
  private let table: StackTable
  private var known: [Key: Int] = [:]
  private var frameIndexes: [Profile.Frame: Int] = [:]
  private var stackIndexes: [Profile.Stack: Int] = [:]

  init(_ table: StackTable) {
    self.table = table
    code = SampledCode(table)
  }

  /// The index of the stack of a thread.
  ///
  /// - Parameters:
  ///   - at: its innermost frame; nil: none was recorded.
  ///   - task: the stacks of the task that ran there; nil: none did.
  ///   - reason: what was waited for, in words; nil: it is no wait.
  /// - Complexity: O(depth) the first time, then O(1).
  mutating func stack(_ at: FrameID?, in task: Around? = nil, reason: String? = nil) -> Int {
    let key = Key(at: at, task: task, reason: reason)
    if let index = known[key] { return index }
    let index = make(key)
    known[key] = index
    return index
  }

  private mutating func make(_ key: Key) -> Int {
    var ids = unrepeated(key.at)
    var isCut = self.isCut(ids)
    var callers: [FrameID] = []
    if let task = key.task, let entry = entry(ids) {
      // The frames outside of it belong to the executor, not to the task.
      ids.removeSubrange((entry + 1)...)
      callers = self.callers(of: ids[entry], task)
      isCut = !callers.isEmpty && self.isCut(callers)
    }
    let isGuessed = (ids + callers).contains { table[$0]?.isGuessed == true }
    var shown = key.reason.map { [code.reason($0)] } ?? []
    let outer = visible(callers)
    var inner = visible(ids)
    if inner.isEmpty { inner = ids.isEmpty ? [code.unknown] : ids.first.map { code.shown($0).frames } ?? [] }
    if inner.isEmpty { inner = [code.unknown] }
    shown += outer + inner
    let stack = Profile.Stack(
      frames: shown.map { index(of: $0) }, joined: outer.count, isCut: isCut || ids.isEmpty, isGuessed: isGuessed)
    if let index = stackIndexes[stack] { return index }
    stacks.append(stack)
    stackIndexes[stack] = stacks.count - 1
    return stacks.count - 1
  }

  private mutating func index(of frame: Profile.Frame) -> Int {
    if let index = frameIndexes[frame] { return index }
    frames.append(frame)
    frameIndexes[frame] = frames.count - 1
    return frames.count - 1
  }

  /// The frames, the innermost first. A cycle, in a damaged trace, ends where it would begin again.
  private func unrepeated(_ innermost: FrameID?) -> [FrameID] {
    var met = Set<FrameID>()
    return Array(table.stack(innermost).prefix { met.insert($0).inserted })
  }

  private func isCut(_ ids: [FrameID]) -> Bool {
    guard let last = ids.last.flatMap({ table[$0] }) else { return true }
    // Its caller is not in the trace, or the stack is deeper than the recorder reads.
    return last.isCut || last.caller != nil
  }

  /// The frames of a stack that are shown, the outermost first.
  private mutating func visible(_ ids: [FrameID]) -> [Profile.Frame] {
    let parts = ids.map { code.shown($0) }
    let own = parts.firstIndex { $0.part == .own }
    let program = parts.firstIndex { $0.part != .recorder }
    var result: [Profile.Frame] = []
    var isOuterEnd = true
    var isForwarded = false
    for index in parts.indices.reversed() {
      let one = parts[index]
      let leadsToOwn = own.map { index > $0 } ?? false
      switch one.part {
      case .own, .library: isOuterEnd = false
      case .runner: if leadsToOwn { continue }
      case .start: if leadsToOwn, isOuterEnd { continue }
      case .recorder: if let program, index > program { continue }
      case .glue: continue
      }
      for frame in one.frames {
        // Code without any name but its file's: its functions are shown as one.
        if let last = result.last, last == frame, isNameless(frame) { continue }
        if isForwarded, let last = result.last, isSameFunction(last, frame) { result.removeLast() }
        isForwarded = one.isForwarder
        result.append(frame)
      }
    }
    return result
  }

  private func isSameFunction(_ first: Profile.Frame, _ second: Profile.Frame) -> Bool {
    let (first, second) = (code.functions[first.function], code.functions[second.function])
    return first.name == second.name && first.module == second.module
  }

  private func isNameless(_ frame: Profile.Frame) -> Bool {
    let function = code.functions[frame.function]
    return !function.isOwn && function.name == function.module
  }

  // MARK: - Async callers

  /// The index of the async function that the executor called: the task's outermost frame on the thread's stack. Nil:
  /// the executor's call is not on the stack.
  private func entry(_ ids: [FrameID]) -> Int? {
    if let runner = ids.firstIndex(where: { code.runsJob($0) }) { return runner > 0 ? runner - 1 : nil }
    // Without names: what the outermost frames of the tasks' library call.
    guard let outer = ids.lastIndex(where: { code.isOfTasks($0) }) else { return nil }
    return ids[..<outer].lastIndex { !code.isOfTasks($0) }
  }

  /// The functions that await a task's function, the innermost first, from the suspension before the sample, else from
  /// the one after it. The function is found by its name. Empty: it is on neither stack, or has no name.
  private func callers(of function: FrameID, _ task: Around) -> [FrameID] {
    guard let wanted = table.function(of: function), !CodeLocation(function: wanted.shortName).isGlue else { return [] }
    for suspended in [task.last, task.next] {
      let stack = unrepeated(suspended)
      let found = stack.firstIndex { id in
        table.function(of: id).map { $0.shortName == wanted.shortName && $0.module == wanted.module } == true
      }
      if let found { return Array(stack[(found + 1)...]) }
    }
    return []
  }
}
