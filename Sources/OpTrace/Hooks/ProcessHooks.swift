internal import COpTrace
internal import Foundation
internal import OpTraceFormat

/// What the hooks of this process (`COpTraceHooks.h`) call. A second time beside `describe/describe.c`, which knows one
/// recorder, no traced types and no observers.
enum ProcessHooks {
  /// Records everything that nobody has introduced, to `recorder`, until it is stopped; see ``HookUse``.
  static func watchEverything(for recorder: TraceRecorder, fromOutside: Bool = false) throws(TraceRecorderError) {
    #if canImport(Darwin)
      try HookUse.watchEverything(
        for: recorder, fromOutside: fromOutside, begin: exchangeMethods, end: { restoreMethods() })
    #else
      try HookUse.watchEverything(for: recorder, fromOutside: fromOutside)
    #endif
  }

  /// Objects come without ownership, and live while the hook runs.
  private static func object<Object: AnyObject>(_ pointer: UnsafeMutableRawPointer?) -> Object? {
    pointer.map { Unmanaged<Object>.fromOpaque($0).takeUnretainedValue() }
  }

  private static func probe(_ object: UnsafeMutableRawPointer?) -> OperationProbe? {
    optrace_object_find(object).map { OperationProbe(hooked: $0) }
  }

  /// The recorder that an operation belongs to.
  private static func recorder(of probe: OperationProbe) -> TraceRecorder? {
    probe.owner.flatMap { core in
      if let watcher = TraceRecorder.watcher, watcher.core == core { return watcher }
      return TraceRecorder.active(core)
    }
  }

  private static func queueProbe(_ queue: UnsafeMutableRawPointer?) -> QueueProbe? {
    optrace_object_know(queue, true).map { QueueProbe(pointer: $0) }
  }

  private static func enqueue(
    _ operations: some Sequence<Operation>, on pointer: UnsafeMutableRawPointer?,
    _ adding: UnsafeMutablePointer<optrace_adding>?
  ) {
    guard let recorder = TraceRecorder.watcher, let queue: OperationQueue = object(pointer),
      let probe = queueProbe(pointer)
    else {
      return
    }
    let first = probe.recordEnqueued(operations, on: queue, recorder: recorder)
    adding?.pointee = QueueProbe.beginAdding(first, to: queue, recorder: recorder)
  }

  /// Calls `body` with the queue's number in the trace of everything.
  private static func withQueue(_ pointer: UnsafeMutableRawPointer?, _ body: (OpaquePointer, UInt32) -> Void) {
    guard let recorder = TraceRecorder.watcher, let queue: OperationQueue = object(pointer),
      let number = queueProbe(pointer)?.number(of: queue, in: recorder)
    else { return }
    body(recorder.core, number)
  }

  /// In a structure a closure's two words are stored unchanged; on its own, a closure is passed to generic code in
  /// another form.
  private struct Block {
    let run: @Sendable () -> Void
  }

  /// The two words of a closure, for a caller that owns it.
  private static func hand(
    _ block: Block, _ function: UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
    _ context: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
  ) {
    withExtendedLifetime(block) {
      let words = unsafeBitCast(block, to: (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?).self)
      function?.pointee = words.0
      context?.pointee = words.1
      if let context = words.1 { _ = Unmanaged<AnyObject>.fromOpaque(context).retain() }
    }
  }

  fileprivate static var calls: optrace_hook_calls {
    var calls = optrace_hook_calls()
    calls.traced_operation = unsafeBitCast(TracedOperation.self as AnyClass, to: UnsafeRawPointer.self)
    calls.traced_block_operation = unsafeBitCast(TracedBlockOperation.self as AnyClass, to: UnsafeRawPointer.self)
    calls.traced_async_operation = unsafeBitCast(TracedAsyncOperation.self as AnyClass, to: UnsafeRawPointer.self)
    #if !canImport(Darwin)
      FoundationLayout.fill(&calls)
    #endif
    #if !canImport(Darwin)
      calls.make_operation = { Unmanaged.passRetained(ObservedOperation()).toOpaque() }
    #endif
    calls.records_itself = { metadata in
      guard let metadata else { return false }
      let type: AnyClass = unsafeBitCast(metadata, to: AnyClass.self)
      return type is any ProbedOperation.Type || type is TracedOperationQueue.Type
    }
    calls.probe = { operation in
      guard let operation: Operation = ProcessHooks.object(operation) else { return nil }
      return operation.probed?.probe.pointer
    }
    calls.introduce = { pointer, isRunning in
      guard let operation: Operation = ProcessHooks.object(pointer) else { return }
      // Our own operations go to the default recorder, as they do if they record their start themselves.
      let isOurs = operation.probed != nil
      let known = (operation.ownProbe ?? ProcessHooks.probe(pointer)).flatMap { ProcessHooks.recorder(of: $0) }
      let recorder = known ?? (isOurs ? TraceRecorder.fallback : TraceRecorder.watcher)
      _ = recorder?.introduce(operation, isRunning ? .running : .started)
    }
    calls.goes_unmet = { pointer in
      guard let pointer, let operation: Operation = ProcessHooks.object(pointer) else { return }
      var name: String?
      var dependencies: [Operation] = []
      let isAsked = withUnsafeMutablePointer(to: &name) { name in
        withUnsafeMutablePointer(to: &dependencies) { optrace_operation_ask(pointer, name, $0) }
      }
      guard isAsked, !dependencies.isEmpty else { return }
      TraceRecorder.introduceReleased(operation, name: name, probe: nil, dependencies: dependencies)
    }
    calls.dependency = { pointer, other, added in
      guard let probe = ProcessHooks.probe(pointer), let recorder = ProcessHooks.recorder(of: probe),
        let target: Operation = ProcessHooks.object(other)
      else { return }
      probe.recordDependency(on: recorder.introduce(target), isAdded: added)
    }
    calls.operation_changed = { pointer, kind, value in
      guard let probe = ProcessHooks.probe(pointer), let value else { return }
      switch EventKind(rawValue: kind) {
      case .operationNamed:
        if let name = value.load(as: String?.self) { probe.record(.operationNamed, text: name) }
      case .priorityChanged:
        let priority = value.load(as: Operation.QueuePriority.self)
        probe.record(EventFields.PriorityChanged(value: Int64(priority.rawValue)))
      case .qualityChanged:
        probe.record(EventFields.QualityChanged(value: UInt64(value.load(as: QualityOfService.self).traceValue)))
      default: break
      }
    }
    calls.enqueue = { queue, operation, adding in
      guard let operation: Operation = ProcessHooks.object(operation) else { return }
      ProcessHooks.enqueue(CollectionOfOne(operation), on: queue, adding)
    }
    // An array is one pointer to its storage.
    calls.enqueue_all = { queue, array, adding in
      if let array { ProcessHooks.enqueue(unsafeBitCast(array, to: [Operation].self), on: queue, adding) }
    }
    calls.wait_all = { array in
      guard let array else { return }
      optrace_frame_waits(true)
      for operation in unsafeBitCast(array, to: [Operation].self) { operation.waitUntilFinished() }
      optrace_frame_waits(false)
    }
    calls.barrier = { queue, function, context, newFunction, newContext, adding in
      guard let recorder = TraceRecorder.watcher, let object: OperationQueue = ProcessHooks.object(queue),
        let probe = ProcessHooks.queueProbe(queue), let number = probe.number(of: object, in: recorder)
      else { return false }
      let barrier = unsafeBitCast((function, context), to: Block.self)
      let life = recorder.introduceBarrier(queue: number, code: UInt(bitPattern: function))
      probe.accompany(life, on: object)
      adding?.pointee = QueueProbe.beginAdding(life.probe.serial, to: object, isBarrier: true, recorder: recorder)
      ProcessHooks.hand(Block { life.run(barrier.run) }, newFunction, newContext)
      return true
    }
    calls.completion = { operation, function, context, newFunction, newContext in
      guard let operation else { return }
      let block = unsafeBitCast((function, context), to: Block.self)
      guard let recorded = CompletionBlocks.recorded(block.run, of: OperationProbe(hooked: operation)) else { return }
      ProcessHooks.hand(Block(run: recorded), newFunction, newContext)
    }
    calls.release = { context in
      if let context { Unmanaged<AnyObject>.fromOpaque(context).release() }
    }
    calls.queue_number = { queue, recorder in
      var found: UInt32 = 0
      ProcessHooks.withQueue(queue) { core, number in
        recorder?.pointee = core
        found = number
      }
      return found
    }
    calls.queue_event = { queue, kind in
      ProcessHooks.withQueue(queue) { optrace_emit1($0, kind, $1) }
    }
    calls.queue_value = { queue, kind, value in
      ProcessHooks.withQueue(queue) { optrace_emit2($0, kind, $1, UInt64(bitPattern: value)) }
      if kind == EventKind.limitChanged.rawValue { ProcessHooks.queueProbe(queue)?.noteLimit(Int(value)) }
    }
    calls.queue_changed = { pointer, kind, value in
      guard let value else { return }
      ProcessHooks.withQueue(pointer) { core, number in
        switch EventKind(rawValue: kind) {
        case .queueRenamed:
          ProcessHooks.queueProbe(pointer)?.noteName(value.load(as: String?.self))
          UTF8Text.with(value.load(as: String?.self) ?? "") {
            optrace_emit_text(core, kind, number, 0, false, 0, $0, $1)
          }
        case .queueQualityChanged:
          let quality = UInt64(value.load(as: QualityOfService.self).traceValue)
          EventFields.QueueQualityChanged(value: quality).emit(to: core, about: number)
        case .queueMainChanged:
          let isMain = QueueProbe.isMain(value.load(as: DispatchQueue?.self))
          EventFields.QueueMainChanged(value: isMain ? 1 : 0).emit(to: core, about: number)
        default: break
        }
      }
    }
    calls.joined = { texts, to, room in
      guard let texts, let to else { return 0 }
      return ProcessHooks.copy(unsafeBitCast(texts, to: [String].self).joined(separator: "/"), to, room)
    }
    calls.text = { first, second, to, room in
      var words = (first, second)
      return withUnsafeMutablePointer(to: &words) { words in
        words.withMemoryRebound(to: String.self, capacity: 1) { text in
          let text = text.move()
          return to.map { ProcessHooks.copy(text, $0, room) } ?? 0
        }
      }
    }
    return calls
  }

  /// Whole characters only.
  private static func copy(_ text: String, _ to: UnsafeMutablePointer<CChar>, _ room: Int) -> Int {
    var count = 0
    for character in text {
      let bytes = character.utf8
      guard count + bytes.count <= room else { break }
      for byte in bytes {
        to[count] = CChar(bitPattern: byte)
        count += 1
      }
    }
    return count
  }
}

/// The C core calls it before it installs the first hook (`hooks/install.c`), because C cannot import this module.
@_cdecl("optrace_fill_hook_calls")
func fillHookCalls(_ calls: UnsafeMutablePointer<optrace_hook_calls>) { calls.pointee = ProcessHooks.calls }
