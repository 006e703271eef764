import OpTraceSymbols

/// What a process has of the things that programs wait with: one look at it.
package struct FoundObjects: Hashable, Sendable {
  package var operations: FoundOperations?
  package var dispatch: FoundDispatch?
  package var tasks: FoundTasks?
  /// Those that tasks wait for, by address.
  package var actors: [UInt64: FoundActor] = [:]
  /// Objects of Swift's by which tasks wait for the main thread, as `MainActor` does where it is no queue.
  package var mainExecutors: Set<UInt64> = []
  package var leftOut: Set<LeftOut> = []

  /// Numbers for actors of a type that several have, in the order of their addresses.
  var actorNumbers: [UInt64: UInt32] {
    let byType = Dictionary(grouping: actors.values, by: \.name).values.filter { $0.count > 1 }
    return byType.reduce(into: [:]) { numbers, some in
      for (index, one) in some.map(\.address).sorted().enumerated() { numbers[one] = UInt32(index + 1) }
    }
  }

  /// The semaphore or the group whose waiters sleep on this word; nil: there is none.
  func waited(at word: UInt64) -> (object: UInt64, kind: WaitedKind)? {
    if let one = dispatch?.semaphores[word &- 64] { return (one.address, .semaphore) }
    if let one = dispatch?.groups[word &- 52] { return (one.address, .group) }
    return nil
  }

  enum WaitedKind { case semaphore, group }

  /// What two looks show, with what either of them leaves out.
  func agreeing(with other: FoundObjects) -> FoundObjects {
    var result = self
    result.operations = operations.flatMap { one in other.operations.map { one.agreeing(with: $0) } }
    result.dispatch = dispatch.flatMap { one in other.dispatch.map { one.agreeing(with: $0) } }
    result.tasks = tasks.flatMap { one in other.tasks.map { one.agreeing(with: $0) } }
    result.actors = actors.filter { other.actors[$0.key] == $0.value }
    result.mainExecutors = mainExecutors.intersection(other.mainExecutors)
    result.leftOut = leftOut.standing(with: other.leftOut)
    return result
  }
}

/// Looks for objects: what is known of the modules of a process is read once, and the memory at each look.
package struct ObjectFinder {
  package let modules: [Module]
  let classes: SwiftClasses
  let dispatch: DispatchLayout
  let tasks: Result<TaskLayout, TaskLayout.Trouble>
  /// Another module than the C library gives out memory.
  let hasOwnAllocator: Bool

  /// The module with Foundation's operations in it.
  var foundation: Module? {
    classes.named("Operation", module: "Foundation").flatMap { modules.containing($0.metadata) }
  }

  /// Whether the program, or a library that is neither the system's nor Swift's, may give signals a handler.
  var installsHandlers: Bool {
    modules.contains { module in
      guard !Self.ofSystem.contains(String(module.name)), module.path != "[vdso]" else { return false }
      guard let image = module.file.flatMap({ try? ElfImage(path: $0.path) }) else { return true }
      // What is linked into the program calls it without an import.
      let isLinked = NamedSymbols(["sigaction", "signal"], in: image).addresses.isEmpty == false
      return isLinked || NamedSymbols.imports(Self.handlerFunctions, image)
    }
  }

  /// The C library, and Swift's, by their whole names: a program may have others that begin like them.
  private static let ofSystem: Set = [
    "libc.so.6", "libpthread.so.0", "libstdc++.so.6", "ld-linux-x86-64.so.2",
    "ld-linux-aarch64.so.1", "libdispatch.so",
    "libBlocksRuntime.so", "libFoundation.so", "libFoundationEssentials.so",
    "libFoundationInternationalization.so",
    "libFoundationNetworking.so", "libFoundationXML.so", "lib_FoundationICU.so", "libswiftCore.so",
    "libswiftDispatch.so", "libswiftDistributed.so", "libswiftGlibc.so", "libswiftObservation.so",
    "libswiftRegexBuilder.so", "libswiftRemoteMirror.so", "libswiftRuntime.so",
    "libswiftSwiftOnoneSupport.so",
    "libswiftSynchronization.so", "libswift_Builtin_float.so", "libswift_Concurrency.so",
    "libswift_Differentiation.so", "libswift_RegexParser.so", "libswift_StringProcessing.so",
    "libswift_Volatile.so",
  ]

  /// With those by which old programs call it. Not `syscall`: each program with a `Mutex` of Swift's imports it, for futexes.
  private static let handlerFunctions = [
    "sigaction", "__sigaction", "signal", "bsd_signal", "__sysv_signal", "sysv_signal", "ssignal",
    "sigset", "sigvec",
  ]

  /// Names of modules that have the C library's `malloc`: the library, and the loader until it is there.
  private static func givesMemory(_ module: Module) -> Bool {
    guard
      !["libc.so.6", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"].contains(String(module.name)),
      let image = module.file.flatMap({ try? ElfImage(path: $0.path) })
    else { return false }
    return NamedSymbols.exports(["malloc"], image)
  }

  package init(_ view: MemoryView) throws(MemoryTrouble) {
    modules = try Module.all(in: view.memory)
    classes = try SwiftClasses(modules, view)
    dispatch = try DispatchLayout(modules, view)
    hasOwnAllocator = modules.contains(where: Self.givesMemory)
    do throws(TaskLayout.Trouble) {
      tasks = .success(try TaskLayout(modules, view))
    } catch {
      tasks = .failure(error)
    }
    if let trouble = view.trouble { throw trouble }
  }

  /// - Parameter view: a new one for each look.
  /// - Complexity: O(memory that is written).
  package func look(_ view: MemoryView) throws(MemoryTrouble) -> FoundObjects {
    var found = FoundObjects()
    for module in classes.modulesWithoutFile {
      found.leftOut.insert(.file(path: module.path, buildID: module.buildID ?? ""))
    }
    let liveness = Liveness(view: view)
    var reader: OperationReader?
    do throws(OperationReader.Missing) {
      reader = try OperationReader(classes, liveness)
    } catch {
      found.leftOut.insert(.operations(error.what))
    }
    if reader == nil, modules.contains(where: { $0.name == "libFoundation.so" && $0.file != nil }) {
      if !found.leftOut.contains(where: { $0.isOfOperations }) {
        found.leftOut.insert(.operations("Operation"))
      }
    }
    if !dispatch.isKnown, dispatch.isLoaded || !dispatch.kinds.isEmpty { found.leftOut.insert(.dispatch) }
    let kinds = dispatch.isKnown ? Array(dispatch.kinds.keys) : []
    let taskLayout = try? tasks.get()
    let candidates = try candidates(
      (reader?.operationClasses ?? []) + (reader?.queueClasses ?? []), kinds, taskLayout?.metadata, view)
    if let reader { found.operations = FoundOperations(reader, candidates.swift) }
    if dispatch.isKnown {
      found.dispatch = FoundDispatch(
        dispatch, liveness, heap: candidates.dispatch, fixed: candidates.fixed, tasks: taskLayout?.metadata,
        isComplete: !candidates.isCut)
    }
    if let taskLayout {
      found.tasks = FoundTasks(TaskReader(taskLayout, modules, liveness), candidates.tasks)
      found.leftOut.formUnion(found.tasks?.leftOut ?? [])
      for task in found.tasks?.tasks.values.map(\.self) ?? [] {
        guard case .executor(let executor) = task.wait, executor != 0 else { continue }
        found.actors[executor] = FoundActor(at: executor, classes, view)
        if found.actors[executor] != nil || found.dispatch?.queues[executor] != nil { continue }
        if let type = view.word(at: executor).flatMap({ classes[$0] }), type.isMainExecutor {
          found.mainExecutors.insert(executor)
        } else {
          found.leftOut.insert(.executor(task: task.address))
        }
      }
    } else if case .failure(let trouble) = tasks, trouble != .noRuntime {
      found.leftOut.insert(.tasks(trouble))
    }
    found.leftOut.formUnion(found.dispatch?.leftOut ?? [])
    found.leftOut.formUnion(found.operations?.leftOut ?? [])
    if candidates.isCut { found.leftOut.insert(.tooMany("objects")) }
    let knowsAny = reader != nil || dispatch.isKnown || taskLayout != nil
    if knowsAny, hasOwnAllocator || !liveness.tally.isOfGlibc {
      (found.operations, found.dispatch, found.tasks, found.actors) = (nil, nil, nil, [:])
      found.leftOut.insert(.allocator)
    }
    if let trouble = view.trouble { throw trouble }
    return found
  }

  private struct Candidates {
    var swift: [UInt64] = []
    var dispatch: [UInt64] = []
    var tasks: [UInt64] = []
    /// In libdispatch's own data.
    var fixed: [UInt64] = []
    /// There are more.
    var isCut = false
  }

  /// Where words are that objects begin with: in memory that is written, but not in modules, but for libdispatch's own queues.
  private func candidates(
    _ swift: [UInt64], _ kinds: [UInt64], _ task: UInt64?, _ view: MemoryView
  ) throws(MemoryTrouble) -> Candidates {
    var result = Candidates()
    let words = WordSet(swift + kinds + [task].compactMap(\.self))
    let tables = Set(kinds)
    let data = modules.flatMap(\.data)
    for mapping in view.memory.mappings where mapping.isWritable && mapping.isReadable && !mapping.isShared {
      let isOfModule = data.contains { $0.contains(mapping.low) || $0.contains(mapping.high - 1) }
      if words.isEmpty || isOfModule { continue }
      try view.memory.search(mapping.low..<mapping.high, for: words, onlyWritten: true) { address, word in
        guard result.swift.count + result.dispatch.count + result.tasks.count < Self.mostCandidates else {
          result.isCut = true
          return
        }
        if word == task {
          result.tasks.append(address)
        } else if tables.contains(word) {
          result.dispatch.append(address)
        } else {
          result.swift.append(address)
        }
      }
    }
    for range in dispatch.module?.data ?? [] where !kinds.isEmpty {
      try view.memory.search(range, for: WordSet(kinds)) { address, _ in
        if result.fixed.count < Self.mostCandidates {
          result.fixed.append(address)
        } else {
          result.isCut = true
        }
      }
    }
    return result
  }

  private static let mostCandidates = 1 << 21
}
