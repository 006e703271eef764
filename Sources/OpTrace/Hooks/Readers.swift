internal import COpTrace
internal import Foundation
internal import OpTraceFormat

/// Tells the core what objects are (`COpTraceDescribe.h`). It describes them and records what becomes of them by itself;
/// a process that is not linked with OpTrace has the same core, with readers in C (`describe/layout.c`).
///
/// Objects come without ownership, and live during the call.
enum Readers {
  private static func object<Object: AnyObject>(_ pointer: UnsafeMutableRawPointer?) -> Object? {
    pointer.map { Unmanaged<Object>.fromOpaque($0).takeUnretainedValue() }
  }

  private static func `class`(_ metadata: UnsafeRawPointer) -> AnyClass { unsafeBitCast(metadata, to: AnyClass.self) }

  private static func metadata(_ type: AnyClass) -> UnsafeRawPointer { unsafeBitCast(type, to: UnsafeRawPointer.self) }

  /// A record holds less of a long text, but the core cuts it.
  private static func tell(_ text: String?, _ context: UnsafeMutableRawPointer?, _ take: optrace_take_value) {
    guard var text else { return take(context, 0, nil, 0) }
    text.withUTF8 { take(context, 0, $0.baseAddress, $0.count) }
  }

  fileprivate static func fill(_ readers: inout optrace_readers) {
    fillClasses(&readers)
    fillOperations(&readers)
    fillValues(&readers)
    fillReferences(&readers)
    readers.uses_hooks = { core in core.map { HookUse.isInUse(by: $0) } ?? false }
    readers.fallback = { TraceRecorder.fallback?.core }
    readers.accompany = { operation, entry, serial, queue, queueEntry in
      guard let entry, let queue: OperationQueue = Readers.object(queue) else { return }
      FollowedOperation.enqueued(
        Readers.object(operation), OperationProbe(hooked: entry), number: serial, on: queueEntry
      ) { QueueReader(queue).live }
    }
  }

  private static func fillClasses(_ readers: inout optrace_readers) {
    readers.name_class = { metadata, context, take in
      guard let metadata, let take else { return }
      let type: AnyClass = Readers.class(metadata)
      // Apple's own classes have no Swift module.
      let parts = String(reflecting: type).split(separator: ".", maxSplits: 1)
      let (name, module) = (String(describing: type), parts.count > 1 ? String(parts[0]) : nil)
      take(context, name, name.utf8.count, module, module?.utf8.count ?? 0)
    }
    readers.class_facts = { core, metadata in
      guard let core, let metadata else { return 0 }
      let type: AnyClass = Readers.class(metadata)
      let isOurs = type is TracedOperation.Type || type is TracedBlockOperation.Type
      return HookUse.facts(of: type, isOurs: isOurs, in: core)
        | (RunCode.isChosen(for: type) ? UInt32(optrace_class_code_is_chosen) : 0)
    }
    #if canImport(Darwin)
      // With Objective-C the first word of an object says more than its class.
      readers.class_of = { pointer in
        guard let pointer else { return nil }
        let object = Unmanaged<AnyObject>.fromOpaque(pointer).takeUnretainedValue()
        return Readers.metadata(Swift.type(of: object))
      }
    #else
      readers.traced_operation = metadata(TracedOperation.self)
      readers.traced_block_operation = metadata(TracedBlockOperation.self)
      readers.traced_async_operation = metadata(TracedAsyncOperation.self)
      FoundationLayout.fill(&readers)
      readers.make_operation = { Unmanaged.passRetained(ObservedOperation()).toOpaque() }
    #endif
    readers.records_itself = { metadata in
      guard let metadata else { return false }
      let type: AnyClass = Readers.class(metadata)
      return type is any ProbedOperation.Type || type is TracedOperationQueue.Type
    }
  }

  private static func fillOperations(_ readers: inout optrace_readers) {
    readers.own = { pointer in
      guard let pointer else { return nil }
      return Unmanaged<Operation>.fromOpaque(pointer)._withUnsafeGuaranteedRef { $0.ownProbe?.pointer }
    }
    #if canImport(Darwin)
      readers.observe = { pointer in
        let operation: Operation? = Readers.object(pointer)
        return operation.flatMap { OperationObserver.of($0).probe.pointer }
      }
    #endif
    readers.function = { pointer in
      let operation: Operation? = Readers.object(pointer)
      return operation.map { UInt64(RunCode.address(of: $0)) } ?? 0
    }
    readers.ask = { core, pointer, which, context, take in
      guard let core, let take, let pointer else { return }
      // Without counting references, which costs as much as the rest.
      Unmanaged<Operation>.fromOpaque(pointer)._withUnsafeGuaranteedRef {
        OperationReader.ask($0, which, core) { take(context, $0) }
      }
    }
    readers.dependencies = { pointer, context, take in
      guard let take, let operation: Operation = Readers.object(pointer) else { return }
      for dependency in operation.dependencies { take(context, dependency.address) }
    }
    readers.ask_queue = { pointer, context, take in
      guard let take, let queue: OperationQueue = Readers.object(pointer) else { return }
      QueueReader(queue).tell { take(context, $0) }
    }
  }

  private static func fillValues(_ readers: inout optrace_readers) {
    readers.read_value = { kind, value, context, take in
      guard let take, let value else { return }
      switch EventKind(rawValue: kind) {
      case .operationNamed, .queueRenamed: Readers.tell(value.load(as: String?.self), context, take)
      case .priorityChanged:
        take(context, Int64(value.load(as: Operation.QueuePriority.self).rawValue), nil, 0)
      case .qualityChanged, .queueQualityChanged:
        take(context, Int64(value.load(as: QualityOfService.self).traceValue), nil, 0)
      default: take(context, QueueReader.isMain(value.load(as: DispatchQueue?.self)) ? 1 : 0, nil, 0)
      }
    }
    readers.take_text = { first, second, context, take in
      var words = (first, second)
      let text: String? = withUnsafeMutablePointer(to: &words) { words in
        words.withMemoryRebound(to: String?.self, capacity: 1) { $0.move() }
      }
      if let take { Readers.tell(text, context, take) }
    }
    // An array is one pointer to its storage.
    readers.each_text = { array, context, take in
      guard let array, let take else { return }
      for text in unsafeBitCast(array, to: [String].self) { Readers.tell(text, context, take) }
    }
    readers.make_closure = { kind, words, function, context in
      guard let kind else { return false }
      let closure = CoreClosure(kind)
      words?.pointee = closure.words
      Block { closure.run() }.hand(function, context)
      return true
    }
  }

  private static func fillReferences(_ readers: inout optrace_readers) {
    readers.retain = { if let object = $0 { _ = Unmanaged<AnyObject>.fromOpaque(object).retain() } }
    readers.release = { if let object = $0 { Unmanaged<AnyObject>.fromOpaque(object).release() } }
    readers.weak_make = { object in
      let object: AnyObject? = Readers.object(object)
      return Unmanaged.passRetained(WeakReference(object)).toOpaque()
    }
    readers.weak_take = { reference in
      let reference: WeakReference? = Readers.object(reference)
      return reference?.object.map { Unmanaged.passRetained($0).toOpaque() }
    }
    readers.weak_free = { if let reference = $0 { Unmanaged<WeakReference>.fromOpaque(reference).release() } }
  }
}

private final class WeakReference {
  weak var object: AnyObject?
  init(_ object: AnyObject?) { self.object = object }
}

/// A closure that calls C, with memory for what C keeps in it.
///
/// Sendable: the pointers are constants, and who may touch the memory is up to the core.
private final class CoreClosure: @unchecked Sendable {
  private typealias Room = (
    UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64
  )

  private let kind: UnsafePointer<optrace_closure_kind>
  @exclusivity(unchecked) private var room: Room = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
  /// Inside this object. Objects do not move, so neither does it while the object lives, although Swift promises that only
  /// for the time of a call.
  private(set) var words: UnsafeMutablePointer<UInt64>?

  init(_ kind: UnsafePointer<optrace_closure_kind>) {
    assert(MemoryLayout<Room>.size == Int(optrace_closure_words) * MemoryLayout<UInt64>.size)
    self.kind = kind
    words = withUnsafeMutableBytes(of: &room) { $0.baseAddress?.assumingMemoryBound(to: UInt64.self) }
  }

  func run() { kind.pointee.run(words) }
  deinit { kind.pointee.end(words) }
}

/// In a structure a closure's two words are stored unchanged; on its own, a closure is passed to generic code in
/// another form.
private struct Block {
  let run: @Sendable () -> Void

  init(_ run: @escaping @Sendable () -> Void) { self.run = run }

  /// The two words of the closure, for a caller that owns it.
  func hand(
    _ function: UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
    _ context: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
  ) {
    withExtendedLifetime(self) {
      let words = unsafeBitCast(self, to: (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?).self)
      function?.pointee = words.0
      context?.pointee = words.1
      if let context = words.1 { _ = Unmanaged<AnyObject>.fromOpaque(context).retain() }
    }
  }
}

/// The C core calls it before it describes anything, because C cannot import this module.
@_cdecl("optrace_fill_readers")
func fillReaders(_ readers: UnsafeMutablePointer<optrace_readers>) { Readers.fill(&readers.pointee) }
