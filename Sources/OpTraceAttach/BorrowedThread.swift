import COpTrace
import COpTraceAttach
import Foundation
import OpTraceSnapshot

/// Looks for a thread that may be borrowed, and lets it start another one.
struct BorrowedThread {
  let processID: UInt32
  let libraries: LoadedLibraries
  let library: String
  let settings: [UInt8]
  private let stacks: BorrowedStack
  /// Threads that were looked at and are not fit where they sleep: each with its place.
  private var unfit: [UInt32: (place: Place, why: AttachTrouble.NoThread)] = [:]

  private struct Place: Hashable {
    var call: Int32?
    var arguments: [UInt64]
    var registers: ThreadState.Registers?

    init(_ state: ThreadState) { (call, arguments, registers) = (state.call, state.arguments, state.registers) }
  }

  init(_ processID: UInt32, _ libraries: LoadedLibraries, library: String, settings: [UInt8]) {
    (self.processID, self.libraries, self.library, self.settings) = (processID, libraries, library, settings)
    stacks = BorrowedStack(libraries)
  }

  /// In microseconds, between two looks at all threads.
  private static let pause: useconds_t = 5_000

  /// A thread that was started in the process.
  struct Started {
    /// Where its block is.
    var block: UInt64
    /// When the borrowed thread was stopped.
    var stopped: ContinuousClock.Instant
  }

  /// Starts a thread in the process.
  mutating func lend(patience: Duration) throws(AttachTrouble) -> Started {
    let limit = ContinuousClock.now + patience
    var reasons: [AttachTrouble.NoThread: Int] = [:]
    repeat {
      reasons = [:]
      if let started = try round(&reasons) { return started }
      usleep(Self.pause)
    } while ContinuousClock.now < limit
    throw .noThread(reasons)
  }

  /// Tries each thread once. Nil: none is fit.
  private mutating func round(_ reasons: inout [AttachTrouble.NoThread: Int]) throws(AttachTrouble) -> Started? {
    var outcome: Result<Started?, AttachTrouble> = .success(nil)
    do throws(MemoryTrouble) {
      let memory = try LiveMemory(processID)
      guard let block = LoadedLibraries.freeAddress(memory.mappings) else { throw .ended(processID) }
      let threads = try memory.threads()
      var counts = reasons
      _ = try StackWalker.with(memory, isLive: true, libraries.modules, threads: Set(threads.map(\.id))) { walker in
        for state in Self.inOrder(threads) {
          let attempt = self.attempt(state, walker, memory, block)
          switch attempt {
          case .unfit(let why): counts[why, default: 0] += 1
          case .done(let stopped):
            outcome = .success(Started(block: block, stopped: stopped))
            return
          case .failed(let trouble):
            outcome = .failure(trouble)
            return
          }
        }
      }
      reasons = counts
    } catch {
      throw .memory(error)
    }
    return try outcome.get()
  }

  /// Those whose call is the simplest to make again come first.
  private static func inOrder(_ threads: [ThreadState]) -> [ThreadState] {
    let futex: Int32 = 202
    return threads.filter { $0.call == futex } + threads.filter { $0.call != futex }
  }

  private enum Attempt {
    case unfit(AttachTrouble.NoThread)
    case done(stopped: ContinuousClock.Instant)
    case failed(AttachTrouble)
  }

  private mutating func attempt(
    _ state: ThreadState, _ walker: StackWalker, _ memory: LiveMemory, _ block: UInt64
  ) -> Attempt {
    guard state.letter == UInt8(ascii: "S"), let call = state.call, let registers = state.registers else {
      return .unfit(.running)
    }
    guard suits(call, state.arguments) else { return .unfit(.otherCall) }
    if let known = unfit[state.id], known.place == Place(state) { return .unfit(known.why) }
    guard hasRoom(registers.sp, memory) else { return note(.smallStack, state) }
    // What is slow is done while it sleeps: its registers are not known then, so this stack may be a wrong one.
    stacks.learn(walker.walked(state))
    // Its stack is known only while it is held. If that shows functions whose names were not asked for, it is held once more.
    for _ in 0..<3 {
      var held = optrace_held()
      let stopped = ContinuousClock.now
      switch optrace_attach_hold(Int32(bitPattern: state.id), &held) {
      case optrace_hold_refused: return .failed(errno == EPERM ? .refused : .ended)
      case optrace_hold_ended: return .unfit(.running)
      default: break
      }
      guard held.call == Int64(call), held.again != optrace_again_never, held.pc == registers.pc,
        held.sp == registers.sp
      else {
        optrace_attach_let_go(&held)
        return .unfit(.running)
      }
      var now = state
      now.registers?.bp = held.bp
      let walked = walker.walked(now)
      switch stacks.verdict(on: walked) {
      case .fine: return lend(&held, block, since: stopped)
      case .unsuitable(let why):
        optrace_attach_let_go(&held)
        return note(why, state)
      case .unknown:
        optrace_attach_let_go(&held)
        stacks.learn(walked)
      }
    }
    return .unfit(.running)
  }

  private mutating func note(_ why: AttachTrouble.NoThread, _ state: ThreadState) -> Attempt {
    unfit[state.id] = (Place(state), why)
    return .unfit(why)
  }

  private func suits(_ call: Int32, _ arguments: [UInt64]) -> Bool {
    guard arguments.count == 6 else { return false }
    var processID = processID
    return withUnsafeMutablePointer(to: &processID) {
      optrace_attach_suits(
        Int64(call), arguments,
        { context, descriptor in
          guard let context else { return false }
          return ProcessFacts.isPlain(descriptor, of: context.load(as: UInt32.self))
        }, $0)
    }
  }

  /// Of the main thread's stack only a part is mapped; it grows. Other stacks end at a page that must not be touched; where there is none, it
  /// may be a part of something else.
  private func hasRoom(_ pointer: UInt64, _ memory: LiveMemory) -> Bool {
    guard let index = memory.mappings.lastIndex(where: { $0.low <= pointer }) else { return false }
    let mapping = memory.mappings[index]
    guard mapping.contains(pointer), mapping.isWritable, !mapping.isShared else { return false }
    let mapped = pointer - mapping.low
    if mapping.path == "[stack]" { return mapped >= UInt64(optrace_attach_stack_mapped) }
    guard index > 0, memory.mappings[index - 1].high == mapping.low else { return false }
    let guardPage = memory.mappings[index - 1]
    return !guardPage.isReadable && !guardPage.isWritable && mapped >= UInt64(optrace_attach_stack_needed)
  }

  /// The thread goes on, whatever becomes of it.
  private func lend(_ held: inout optrace_held, _ block: UInt64, since stopped: ContinuousClock.Instant) -> Attempt {
    let result = library.withCString { path in
      settings.withUnsafeBytes { bytes in
        var plan = optrace_attach_plan()
        plan.process = processID
        plan.command_start = optrace_process_start(UInt32(getpid()))
        plan.code = libraries.code
        plan.block = block
        plan.library = path
        plan.settings = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
        plan.settings_size = bytes.count
        plan.functions = libraries.functions
        return optrace_attach_lend(&held, &plan)
      }
    }
    switch result {
    case optrace_lend_done: return .done(stopped: stopped)
    case optrace_lend_too_long: return .failed(.tooLong)
    case optrace_lend_ended: return .failed(.ended)
    default: return .failed(.refused)
    }
  }
}
