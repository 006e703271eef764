import OpTraceKernel
import OpTraceModel

/// Which work ran on which thread, and when.
struct ThreadRuns {
  /// A stretch in which code of a piece of work ran.
  struct Run {
    var began: Nanoseconds
    var ended: Nanoseconds
    /// Its index among all work.
    var work: Int32
    /// For a task: the index of the suspension before the run; -1: none.
    var suspension: Int32 = -1
  }

  /// By thread, in the order of their begins.
  private(set) var runs: [ThreadID: [Run]] = [:]
  /// The threads that ran tasks, other than the main thread, event loops and those of serial queues: the pool.
  private(set) var pool: Set<ThreadID> = []
  /// When these ran anything.
  private var busy = HeldRuns<ThreadID>()
  /// How many of them the system gives a processor at a time.
  private let capacity: Int

  /// O(runs · log runs).
  init(_ trace: Trace, mainThread: ThreadID?) {
    capacity = min(Self.mostProcessors, max(1, Int(trace.header.processors ?? 1)))
    var ranTasks: Set<ThreadID> = []
    for index in 0..<trace.workCount {
      if case .task(let row) = trace.row(ofWorkAt: index) {
        add(trace.tasks[row], index, &ranTasks, trace.end)
      } else {
        for run in trace.work(at: index).runs {
          runs[run.thread, default: []].append(
            Run(began: run.began, ended: run.ended ?? trace.end, work: Int32(clamping: index)))
        }
      }
    }
    for thread in runs.keys { runs[thread]?.sort { ($0.began, $0.work) < ($1.began, $1.work) } }
    let loops = Set(trace.eventLoops.lazy.map(\.thread))
    pool = ranTasks.filter { thread in
      // The system makes these without regard to the number of processors.
      !loops.contains(thread) && thread != mainThread && trace.thread(thread)?.name.hasSuffix("overcommit") != true
    }
    for thread in pool { addStretches(of: thread) }
    busy.settle()
  }

  private static var mostProcessors: Int { 4096 }

  /// Nothing is known.
  init() { capacity = 1 }

  /// A thread goes from one piece of work to the next in less than this.
  private static var nextWork: Nanoseconds { 100_000 }

  private mutating func addStretches(of thread: ThreadID) {
    var stretch: (began: Nanoseconds, ended: Nanoseconds)?
    for run in runs[thread] ?? [] {
      if let open = stretch, run.began <= open.ended + Self.nextWork {
        stretch = (open.began, max(open.ended, run.ended))
        continue
      }
      if let stretch { busy.add(thread, stretch.began, stretch.ended, Int(thread.rawValue)) }
      stretch = (run.began, run.ended)
    }
    if let stretch { busy.add(thread, stretch.began, stretch.ended, Int(thread.rawValue)) }
  }

  /// Who had the pool's threads in a stretch: pieces in the order of time. Where fewer ran than there are processors, nobody had the others
  /// for as much of the time. O(log runs + result).
  func holders(
    _ from: Nanoseconds, _ to: Nanoseconds
  ) -> [(began: Nanoseconds, ended: Nanoseconds, threads: [ThreadID])] {
    busy.pieces(of: pool, except: -1, from, to).flatMap { piece in
      let threads = Set(piece.work).sorted().map { ThreadID(UInt32(clamping: $0)) }
      let free = max(0, capacity - threads.count)
      let unused = Double(piece.ended - piece.began) * Double(free) / Double(capacity)
      let border = min(piece.ended, piece.began + Nanoseconds(unused))
      return [(piece.began, border, []), (border, piece.ended, threads)].filter { $0.1 > $0.0 }
    }
  }

  private mutating func add(_ task: TaskRecord, _ index: Int, _ ranTasks: inout Set<ThreadID>, _ end: Nanoseconds) {
    var suspension = -1
    for run in task.runs {
      while suspension + 1 < task.suspensions.count, task.suspensions[suspension + 1].from.time <= run.began {
        suspension += 1
      }
      runs[run.thread, default: []].append(
        Run(
          began: run.began, ended: run.ended ?? end, work: Int32(clamping: index),
          suspension: Int32(clamping: suspension))
      )
      ranTasks.insert(run.thread)
    }
  }

  /// The run on a thread that lasted at a time; nil: none did. The innermost, where runs are nested. O(log runs).
  func run(on thread: ThreadID, at time: Nanoseconds) -> Run? {
    guard let runs = runs[thread] else { return nil }
    var index = runs.firstSorted { $0.began > time }
    // Runs are nested in few, so look at some before.
    for _ in 0..<8 where index > 0 {
      index -= 1
      if runs[index].ended > time { return runs[index] }
    }
    return nil
  }

  /// The runs on a thread that overlap a stretch. O(log runs + result).
  func runs(on thread: ThreadID, _ from: Nanoseconds, _ to: Nanoseconds) -> ArraySlice<Run> {
    guard let runs = runs[thread] else { return [] }
    var first = runs.firstSorted { $0.began >= from }
    if first > 0, runs[first - 1].ended > from { first -= 1 }
    return runs[first...].prefix { $0.began < to }
  }

  /// The last run on a thread that was over by a time; nil: none was. O(log runs).
  func last(on thread: ThreadID, before time: Nanoseconds) -> Run? {
    guard let runs = runs[thread] else { return nil }
    let next = runs.firstSorted { $0.began >= time }
    return next > 0 && runs[next - 1].ended <= time ? runs[next - 1] : nil
  }
}
