import COpTrace
import Foundation

/// A thread, where it is, and what it waits for.
package struct SeenThread: Hashable, Sendable {
  package var state: ThreadState
  /// It did not run from before the look until after it, so that what was read of it is of one moment.
  package var isStill: Bool
  /// Its place, then the return addresses outwards. Empty: not known.
  package var addresses: [UInt64] = []
  /// The stack pointer at each of them: a function's frame is from its own to the next one's.
  package var pointers: [UInt64] = []
  /// From here on they were found without an unwind rule.
  package var guessedFrom: Int = 0
  /// The last address is in the function that the thread began with.
  package var isWhole = false
  /// What it sleeps in; nil: it runs, or is not still.
  package var wait: Wait?

  /// As a record of a snapshot has it.
  package struct Wait: Hashable, Sendable {
    package var reason: UInt8
    package var lock: UInt64
    /// The system's id of the thread that has the lock; nil: none, or not known.
    package var owner: UInt32?
    package var ownerEnded: Bool
    package var hasLimit: Bool
  }
}

/// Walks the stacks of a process with the recorder's own walker, whose memory comes from a ``ProcessMemory``. Only one process at a time:
/// the walker keeps its list of modules.
package final class StackWalker {
  private let reader: Reader
  private let isLive: Bool

  /// What C calls back. It is only used by the thread that walks.
  private final class Reader {
    let memory: any ProcessMemory
    let threads: Set<UInt32>
    var trouble: MemoryTrouble?

    init(_ memory: any ProcessMemory, _ threads: Set<UInt32>) { (self.memory, self.threads) = (memory, threads) }
  }

  private static let turn = NSLock()

  /// Calls `body` with a walker; waits for others that walk.
  package static func with<Value>(
    _ memory: any ProcessMemory, isLive: Bool, _ modules: [Module], threads: Set<UInt32>,
    _ body: (StackWalker) -> Value
  ) throws(MemoryTrouble) -> Value? {
    turn.lock()
    defer { turn.unlock() }
    let reader = Reader(memory, threads)
    let value: Value? = withExtendedLifetime(reader) {
      // The pointer is used only until `optrace_others_end`.
      var others = optrace_others(
        context: Unmanaged.passUnretained(reader).toOpaque(), process: isLive ? memory.processID : 0,
        read: { context, address, out, size in
          guard let context, let out else { return 0 }
          let reader = Unmanaged<Reader>.fromOpaque(context).takeUnretainedValue()
          do throws(MemoryTrouble) {
            return try reader.memory.fill(
              UnsafeMutableRawBufferPointer(start: out, count: size), from: address)
          } catch {
            reader.trouble = error
            return 0
          }
        },
        has_thread: { context, id in
          guard let context else { return false }
          return Unmanaged<Reader>.fromOpaque(context).takeUnretainedValue().threads.contains(id)
        })
      guard optrace_others_begin(&others) else { return nil }
      defer { optrace_others_end() }
      for module in modules { _ = optrace_others_add(module.low, module.path) }
      return body(StackWalker(reader, isLive: isLive))
    }
    if let trouble = reader.trouble { throw trouble }
    return value
  }

  private init(_ reader: Reader, isLive: Bool) { (self.reader, self.isLive) = (reader, isLive) }

  /// It sleeps until a word changes, and the word has changed: it was about to go on when the core was written.
  private func isWoken(_ state: ThreadState) -> Bool {
    // FUTEX_WAIT and FUTEX_WAIT_BITSET, without the bits for private words and the clock.
    guard state.call == Self.futex, [0, 9].contains(state.arguments[1] & 0x7F) else { return false }
    var value: UInt32 = 0
    let count = withUnsafeMutableBytes(of: &value) {
      (try? reader.memory.fill($0, from: state.arguments[0])) ?? 0
    }
    return count == 4 && value != UInt32(truncatingIfNeeded: state.arguments[2])
  }

  #if arch(x86_64)
    private static let futex: Int32 = 202
  #else
    private static let futex: Int32 = 98
  #endif

  /// Where threads are and what they wait for.
  package func walked(_ states: [ThreadState]) -> [SeenThread] {
    var threads = states.map { walked($0) }
    var calls: [optrace_others_call] = []
    var asleep: [Int] = []
    for (index, thread) in threads.enumerated() {
      let state = thread.state
      guard state.registers != nil, let number = state.call, state.arguments.count == 6, isLive || !isWoken(state)
      else { continue }
      var call = optrace_others_call()
      call.call = number
      withUnsafeMutableBytes(of: &call.arguments) { $0.copyBytes(from: state.arguments.withUnsafeBytes { Array($0) }) }
      calls.append(call)
      asleep.append(index)
    }
    optrace_others_explain(&calls, calls.count)
    for (index, call) in zip(asleep, calls) {
      let found = call.wait
      threads[index].wait = SeenThread.Wait(
        reason: found.reason, lock: found.lock, owner: found.owner == 0 ? nil : found.owner,
        ownerEnded: found.owner_ended, hasLimit: found.has_limit)
    }
    return threads
  }

  /// Where a thread is.
  package func walked(_ state: ThreadState) -> SeenThread {
    var thread = SeenThread(state: state, isStill: false)
    guard let registers = state.registers else { return thread }
    var start = optrace_start(pc: registers.pc, sp: registers.sp, bp: registers.bp ?? 0)
    var stack = optrace_others_stack()
    thread.addresses = [UInt64](unsafeUninitializedCapacity: Int(optrace_others_deepest)) { addresses, count in
      thread.pointers = [UInt64](unsafeUninitializedCapacity: Int(optrace_others_deepest)) { pointers, count in
        stack = optrace_others_walk(&start, addresses.baseAddress, pointers.baseAddress)
        count = Int(stack.depth)
      }
      count = Int(stack.depth)
    }
    (thread.guessedFrom, thread.isWhole) = (Int(stack.guessed), stack.is_whole)
    return thread
  }
}
