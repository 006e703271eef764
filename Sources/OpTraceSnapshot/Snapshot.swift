import Foundation
import OpTraceFormat
package import OpTraceModel

/// A process as it was found: its objects, its threads, and what could not be read.
///
/// A process that runs is not stopped. If no thread has run from before the look until after it, all of it is of one moment. Otherwise it
/// is looked at twice, and what both looks show stands: an object that one look puts together from memory that was given away meanwhile
/// is not put together the same way again.
package struct Snapshot: Sendable {
  private(set) var look: Look
  /// Who could still end waits, as far as all who could are known.
  package private(set) var enders = FoundEnders()
  /// Swift's or libdispatch's types were found in it.
  package let hasSwift: Bool
  /// The signals that have a handler, as in a trace's header.
  package let handledSignals: UInt64
  /// How many processors it may use; nil: not known.
  package let processors: Int?
  /// How long it was looked at: what all looks have shown was so for that time.
  package let watched: Duration
  /// How long no thread has run, of that time.
  package let quiet: Duration
  /// Of how many looks it is made.
  package let looks: Int
  /// The time of day then, in nanoseconds since 1970.
  package let wall: UInt64
  /// It is of a process that runs, not of a core.
  package let isLive: Bool

  package var processID: UInt32 { look.processID }
  package var modules: [Module] { look.modules }
  package var objects: FoundObjects { look.objects }
  package var threads: [SeenThread] { look.threads }
  package var roles: Roles { look.roles }
  /// When each thread that has not run meanwhile has last run; nil: not known of all of them, as for a core.
  package var clock: SchedulerClock? { look.clock }
  /// No thread has run from before the last look until after it.
  package var isStill: Bool { look.isStill }

  package static func taken(of memory: LiveMemory) throws(MemoryTrouble) -> Snapshot {
    try watched(memory)
  }

  /// - Parameter patience: how long to wait for a process to come to rest.
  static func watched(
    _ memory: any ProcessMemory, patience: Duration = patience
  ) throws(MemoryTrouble) -> Snapshot {
    var memory = try memory.again()
    var finder = try ObjectFinder(MemoryView(memory))
    var names = RoleNames()
    let began = ContinuousClock.now
    var quiet = Quiet(since: began)
    var all: Look?
    var searches = 0
    for looks in 1... {
      let start = ContinuousClock.now
      let look = try Look(memory, isLive: true, finder, names)
      let agreed = all.map { look.agreeing(with: $0) } ?? look
      // All of one look is of one moment if no thread has run.
      let manager = look.objects.dispatch?.manager
      quiet.saw(look.threads.filter { $0.state.id != manager }, from: start)
      let now = ContinuousClock.now
      let watched = began.duration(to: now)
      var result = Snapshot(
        memory, isLive: true, finder, look.isStill ? look : agreed, watched,
        quiet: quiet.since.duration(to: now), looks)
      // One look at what moves proves nothing, however long it took.
      let isEnough =
        look.isStill ? result.silence >= TraceOrigin.leastRest || watched > patience : looks > 1 && watched > patience
      searches += isEnough ? 1 : 0
      if isEnough, try result.findEnders(in: memory) || searches == Self.mostSearches {
        result.look.objects.leftOut.noteReplaced(in: memory)
        return result
      }
      all = agreed
      usleep(pause)
      let later = try memory.again()
      if later.mappings.filter(\.isOfFile) != memory.mappings.filter(\.isOfFile) {
        finder = try ObjectFinder(MemoryView(later))
        names = RoleNames()
      }
      memory = later
    }
    throw .ended(memory.processID)
  }

  package static func taken(of core: CoreMemory) throws(MemoryTrouble) -> Snapshot {
    let finder = try ObjectFinder(MemoryView(core))
    var look = try Look(core, isLive: false, finder, RoleNames())
    look.objects.leftOut.noteMissing(in: core)
    var result = Snapshot(core, isLive: false, finder, look)
    _ = try result.findEnders(in: core)
    return result
  }

  /// All of the memory has to be of one moment, and that of the look: so nothing is said if a thread has run again. libdispatch's manager looks
  /// around once a second, and moves what waits only by waking others.
  /// - Returns: false if one has, so that another look may find more.
  private mutating func findEnders(in memory: any ProcessMemory) throws(MemoryTrouble) -> Bool {
    guard isStill else { return true }
    let before = isLive ? try memory.threads() : []
    let found = try ReferenceSearch.enders(of: look, in: memory)
    let after = isLive ? try memory.threads() : []
    let isMapped = try memory.again().mappings == memory.mappings
    let isOfLook = !isLive || isSame(before, after) && isMapped
    if isOfLook { enders = found }
    return isOfLook || found.enders.isEmpty
  }

  /// No thread has run from before until after, nor since the look, but for libdispatch's manager.
  private func isSame(_ before: [ThreadState], _ after: [ThreadState]) -> Bool {
    let (before, after) = (before.byID, after.byID)
    return before.count == threads.count && after.count == threads.count
      && threads.allSatisfy { thread in
        guard let first = before[thread.state.id], let last = after[thread.state.id] else { return false }
        return thread.state.id == objects.dispatch?.manager
          || first.isStill(until: last) && thread.state.isStill(until: first)
      }
  }

  /// For who could end waits: threads without work end after some seconds, and so move once.
  private static let mostSearches = 3
  /// For a process that does not come to rest. libdispatch's manager wakes once a second, so there are looks between its turns.
  static let patience = Duration.seconds(2)
  /// In microseconds, between two looks: they cost the machine more than the process that waits.
  private static let pause: useconds_t = 150_000

  /// How long nothing has moved, as far as that is known: since a thread has run last, or while it was looked at. Where nobody knows, as of a
  /// core, it is an unknown time if no thread runs or waits for a time, and 0 otherwise.
  package var silence: Nanoseconds {
    guard isTimed else { return mayMoveByItself ? 0 : TraceOrigin.unknownTime }
    let shown = Nanoseconds(quiet / .nanoseconds(1))
    guard isStill, let clock else { return shown }
    // libdispatch's manager looks around once a second. What it moves, others run.
    let others = threads.filter { $0.state.id != objects.dispatch?.manager }
    return max(
      shown,
      others.compactMap { clock.since($0.state).map { Nanoseconds(clamping: $0) } }.min() ?? 0)
  }

  /// How much longer a thread has not run than nothing has moved; 0: not, or not known.
  func rest(of thread: SeenThread, besides silence: Nanoseconds) -> Nanoseconds {
    guard isTimed, thread.isStill, let since = clock?.since(thread.state) else { return 0 }
    return max(0, Nanoseconds(clamping: since) - silence)
  }

  /// Since when nothing has moved is known, at least for how long: a core does not tell, nor does a system that does not say when threads ran.
  package var isTimed: Bool { isLive && (!isStill || clock != nil) }

  /// A thread runs, or something has a time limit: a core does not say whether that time is long.
  private var mayMoveByItself: Bool {
    threads.contains { thread in
      guard let wait = thread.wait else { return true }
      let isTime = wait.reason == SleepReason.time.rawValue || wait.reason == SleepReason.unknown.rawValue
      return !look.isIdleManager(thread) && !look.isIdleWorker(thread) && (wait.hasLimit || isTime)
    }
  }

  /// The program's name.
  package var program: String {
    modules.program.map { String($0.name) } ?? ""
  }

  private init(
    _ memory: any ProcessMemory, isLive: Bool, _ finder: ObjectFinder, _ look: Look, _ watched: Duration = .zero,
    quiet: Duration = .zero, _ looks: Int = 1
  ) {
    (self.look, self.watched, self.quiet, self.looks) = (look, watched, quiet, looks)
    hasSwift =
      !finder.classes.byMetadata.isEmpty || !finder.classes.modulesWithoutFile.isEmpty || finder.dispatch.isKnown
    processors = memory.processors
    // A core does not say. A program that imports no function for it has no handler.
    handledSignals = memory.handledSignals ?? (finder.installsHandlers ? Signals.asked : 0)
    wall = UInt64(max(0, Date().timeIntervalSince1970 * 1e9))
    self.isLive = isLive
  }
}

extension [ThreadState] {
  fileprivate var byID: [UInt32: ThreadState] {
    Dictionary(map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
  }
}
