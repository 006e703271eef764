#if canImport(Darwin)
  internal import COpTrace
  internal import Foundation
  internal import ObjectiveC
  internal import OpTraceFormat

  /// What is recorded of a whole process besides what ``OperationObserver`` sees. Other programs' overrides come here
  /// with their calls of `super`. Written from Apple's documentation; it has not been run.
  extension ProcessHooks {
    /// Nil, or the reason why it cannot be done; then nothing is changed.
    static func exchangeMethods() -> String? {
      MethodExchange.install(operationMethods + queueAddingMethods + queueMethods)
    }

    static func restoreMethods() { MethodExchange.remove() }

    // MARK: Operations

    /// The observer of an operation that does not record itself, if it is known.
    private static func known(_ operation: Operation) -> OperationObserver? {
      guard operation.probed == nil, let observer = OperationObserver.known(operation) else { return nil }
      return observer.probe.core.flatMap { optrace_recorder_is_recording($0) ? observer : nil }
    }

    /// The same for an operation that may be new: it is introduced.
    private static func met(_ operation: Operation) -> OperationObserver? {
      let observer = known(operation)
      if let observer, !observer.probe.has(OperationProbe.Bits.external) { return observer }
      guard operation.probed == nil, !isFoundationsOwn(operation) else { return nil }
      let recorder = observer?.probe.core.flatMap { TraceRecorder.active($0) } ?? TraceRecorder.watcher
      _ = recorder?.introduce(operation, .started)
      return known(operation)
    }

    /// Foundation has operations of its own, for a barrier for example, which is recorded by its block.
    private static func isFoundationsOwn(_ operation: Operation) -> Bool {
      NSStringFromClass(type(of: operation)).hasPrefix("_NS")
    }

    private static func start(_ operation: Operation, _ proceed: () -> Void) {
      guard let observer = met(operation) else { return proceed() }
      let probe = observer.probe
      // A call of `super` from an override whose beginning was seen is no second start.
      OperationObserver.follow(operation)
      let isStart = probe.claim(OperationProbe.Bits.watched) || probe.has(OperationProbe.Bits.finishRecorded)
      if isStart { probe.record(.started) }
      optrace_frame_push(probe.pointer)
      probe.run(proceed)
      optrace_frame_pop()
      observer.noteFinishSeen(operation)
      if isStart { probe.record(.startReturned) }
    }

    private static func recordDependency(_ operation: Operation, on other: Operation, isAdded: Bool) -> Bool {
      let observer = other === operation ? met(operation) : known(operation)
      guard let observer, let recorder = observer.probe.core.flatMap({ TraceRecorder.active($0) }) else { return false }
      observer.probe.recordDependency(on: recorder.introduce(other), isAdded: isAdded)
      return true
    }

    private static var operationMethods: [MethodExchange] {
      [
        .plain("start", start),
        .object("addDependency:") { (operation: Operation, other, proceed) in
          guard let other = other as? Operation else { return proceed() }
          let isRecorded = recordDependency(operation, on: other, isAdded: true)
          proceed()
          // It was introduced meanwhile, perhaps without this dependency. Readers accept a dependency that is recorded
          // twice.
          if !isRecorded, known(operation) != nil { _ = recordDependency(operation, on: other, isAdded: true) }
        },
        .object("removeDependency:") { (operation: Operation, other, proceed) in
          if let other = other as? Operation { _ = recordDependency(operation, on: other, isAdded: false) }
          proceed()
        },
        .plain("waitUntilFinished") { (operation: Operation, proceed) in
          guard let observer = met(operation), !(optrace_frame_is_waiting() && operation.isFinished) else {
            return proceed()
          }
          observer.probe.record(.waitBegan)
          optrace_frame_waits(true)
          proceed()
          optrace_frame_waits(false)
          observer.noteFinishSeen(operation)
          observer.probe.record(.waitEnded)
        },
        .object("setName:") { (operation: Operation, _, proceed) in
          proceed()
          if let probe = known(operation)?.probe, let name = operation.name {
            probe.record(.operationNamed, text: name)
          }
        },
        .integer("setQueuePriority:") { (operation: Operation, value, proceed) in
          proceed()
          known(operation)?.probe.record(EventFields.PriorityChanged(value: Int64(value)))
        },
        .integer("setQualityOfService:") { (operation: Operation, _, proceed) in
          proceed()
          known(operation)?.probe.record(
            EventFields.QualityChanged(value: UInt64(operation.qualityOfService.traceValue)))
        },
      ]
    }

    // MARK: Queues

    /// The recorder of what is done with a queue that does not record itself.
    private static func recorder(of queue: OperationQueue) -> TraceRecorder? {
      queue is TracedOperationQueue ? nil : TraceRecorder.watcher
    }

    /// Calls `body` with the queue's number in the trace of everything. `onlyKnown`: only if it has one already, for
    /// changes that say nothing about a queue that has not been used.
    private static func withNumber(
      of queue: OperationQueue, onlyKnown: Bool = false, _ body: (OpaquePointer, UInt32) -> Void
    ) {
      guard let recorder = recorder(of: queue), !onlyKnown || QueueCompanion.known(queue) != nil,
        let number = QueueCompanion.of(queue).probe.number(of: queue, in: recorder)
      else { return }
      body(recorder.core, number)
    }

    /// The methods that add may call each other, which is not documented; no operation is recorded as added twice.
    private static func enqueue(_ operations: [Operation], on queue: OperationQueue) {
      guard let recorder = recorder(of: queue) else { return }
      let probe = QueueCompanion.of(queue).probe
      for operation in operations
      where !isFoundationsOwn(operation)
        && recorder.probe(of: operation)?.has(OperationProbe.Bits.enqueued) != true
      {
        probe.recordEnqueued(operation, on: queue, recorder: recorder)
      }
    }

    private static var queueAddingMethods: [MethodExchange] {
      [
        .object("addOperation:") { (queue: OperationQueue, operation, proceed) in
          if let operation = operation as? Operation { enqueue([operation], on: queue) }
          proceed()
        },
        .arrayAndFlag("addOperations:waitUntilFinished:") { (queue: OperationQueue, operations, proceed) in
          if let operations = operations as? [Operation] { enqueue(operations, on: queue) }
          // Foundation may wait for each of them by its own method.
          optrace_frame_waits(true)
          proceed()
          optrace_frame_waits(false)
        },
        .block("addOperationWithBlock:") { (queue: OperationQueue, block, proceed) in
          guard recorder(of: queue) != nil else { return proceed(block) }
          // As Foundation does, but now the operation can be seen before it is added.
          let operation = BlockOperation(block: block)
          if queue.qualityOfService != .default { operation.qualityOfService = queue.qualityOfService }
          // Not an override, which may add blocks itself.
          typealias Add = @convention(c) (NSObject, Selector, Operation) -> Void
          let selector = NSSelectorFromString("addOperation:")
          let add = class_getMethodImplementation(OperationQueue.self, selector)
          unsafeBitCast(add, to: Add.self)(queue, selector, operation)
        },
        .block("addBarrierBlock:") { (queue: OperationQueue, barrier, proceed) in
          var life: BarrierLife?
          if let recorder = recorder(of: queue) {
            withNumber(of: queue) { life = recorder.introduceBarrier(queue: $1, code: 0) }
          }
          guard let life else { return proceed(barrier) }
          proceed { life.run(barrier) }
        },
      ]
    }

    private static var queueMethods: [MethodExchange] {
      [
        // Recorded before the queue changes, because it may then start operations.
        .integer("setMaxConcurrentOperationCount:") { (queue: OperationQueue, limit, proceed) in
          withNumber(of: queue) {
            EventFields.LimitChanged(value: Int64(limit)).emit(to: $0, about: $1)
          }
          proceed()
        },
        .flag("setSuspended:") { (queue: OperationQueue, isSuspended, proceed) in
          let kind = isSuspended ? EventKind.queueSuspended : .queueResumed
          withNumber(of: queue) { optrace_emit1($0, kind.rawValue, $1) }
          proceed()
        },
        .object("setName:") { (queue: OperationQueue, _, proceed) in
          proceed()
          withNumber(of: queue, onlyKnown: true) { core, number in
            UTF8Text.with(queue.name ?? "") {
              optrace_emit_text(core, EventKind.queueRenamed.rawValue, number, 0, false, 0, $0, $1)
            }
          }
        },
        .integer("setQualityOfService:") { (queue: OperationQueue, _, proceed) in
          proceed()
          withNumber(of: queue, onlyKnown: true) {
            EventFields.QueueQualityChanged(value: UInt64(queue.qualityOfService.traceValue)).emit(to: $0, about: $1)
          }
        },
        .object("setUnderlyingQueue:") { (queue: OperationQueue, _, proceed) in
          proceed()
          withNumber(of: queue, onlyKnown: true) {
            EventFields.QueueMainChanged(value: QueueProbe.isMain(queue) ? 1 : 0).emit(to: $0, about: $1)
          }
        },
        .plain("cancelAllOperations") { (queue: OperationQueue, proceed) in
          withNumber(of: queue) { optrace_emit1($0, EventKind.queueCancelledAll.rawValue, $1) }
          proceed()
        },
        .plain("waitUntilAllOperationsAreFinished") { (queue: OperationQueue, proceed) in
          withNumber(of: queue) { optrace_emit1($0, EventKind.queueWaitBegan.rawValue, $1) }
          optrace_frame_waits(true)
          proceed()
          optrace_frame_waits(false)
          withNumber(of: queue) { optrace_emit1($0, EventKind.queueWaitEnded.rawValue, $1) }
        },
      ]
    }
  }
#endif
