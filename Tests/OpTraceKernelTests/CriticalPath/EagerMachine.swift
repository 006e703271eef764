import TestSupport

/// Runs a random program of tasks and blocks on a simulated machine with a thread for each, and gives its trace. Only
/// computing takes time. The main task awaits everything that was started.
struct EagerMachine {
  private enum Action {
    case compute(Int)
    /// Starts a child, and goes on.
    case start(Int)
    /// Waits until a child that was started before is over.
    case await(Int)
    /// Starts a block, and is suspended until the end of the block resumes its continuation.
    case resumedBy(Int)
    case sync(Int)
  }

  private struct Job {
    var isTask: Bool
    /// The serial queue of a block, 0 to 3.
    var queue = 0
    var isSync = false
    var actions: [Action] = []
    var next = 0
    var busyUntil = 0
    var thread = 0
    var submitter: Int?
    var began: Int?
    var submitted: Int?
    var isSuspended = false
    var isOver = false
    var resumes: Int?
    /// The block for which it waits inside of a `sync`.
    var blocked: Int?
  }

  private var random: SeededGenerator
  private var jobs: [Job] = []
  private var lines = ""
  private var now = 0
  /// The job that runs in each queue.
  private var holders = [Int?](repeating: nil, count: 4)
  private var waiting = [[Int]](repeating: [], count: 4)
  private var threads = 1
  private(set) var eventCount = 0

  init(seed: Int) {
    random = SeededGenerator(seed)
    jobs.append(Job(isTask: true))
    write(0, depth: 0, level: -1)
    run()
  }

  /// The machine's clock counts milliseconds; each event is a nanosecond after the one before.
  var text: String {
    var typed = TypedTrace()
    typed.isClosed = true
    var head = ""
    for queue in 0..<4 { head += "0 t0 dispatch-queue d\(queue + 1) width=1 \"queue \(queue)\"\n" }
    for thread in 7..<(max(8, threads + 1)) {
      head += "0 t\(thread) thread t\(thread) tid=\(100 + thread) \"worker\"\n"
    }
    return typed.text(head + lines, in: .nanoseconds)
  }

  // MARK: The program

  /// Queues are entered only in the order of their numbers, so there is no cycle. `level`: the innermost queue that it
  /// is in.
  private mutating func write(_ job: Int, depth: Int, level: Int) {
    var actions: [Action] = [.compute(random.number(1..<5))]
    var started: [Int] = []
    for _ in 0..<random.number(0..<(depth > 2 ? 2 : 5)) {
      if random.chance(40) { actions.append(.compute(random.number(1..<6))) }
      guard jobs.count < 40, depth < 4 else { continue }
      switch random.number(0..<5) {
      case 0 where jobs[job].isTask, 1 where jobs[job].isTask:
        let child = add(Job(isTask: true), of: job, depth, -1)
        started.append(child)
        actions.append(.start(child))
      case 2 where jobs[job].isTask:
        let queue = random.number(0..<4)
        let child = add(Job(isTask: false, queue: queue, resumes: job), of: job, depth, queue)
        actions.append(.resumedBy(child))
      case 3 where level < 3:
        let queue = random.number((level + 1)..<4)
        let child = add(Job(isTask: false, queue: queue, isSync: true), of: job, depth, queue)
        actions.append(.sync(child))
      default: break
      }
      if let child = started.last, random.chance(50) {
        started.removeLast()
        actions.append(.await(child))
      }
    }
    for child in started.shuffled(using: &random) { actions.append(.await(child)) }
    if random.chance(50) || job == 0 { actions.append(.compute(random.number(1..<4))) }
    jobs[job].actions = actions
  }

  private mutating func add(_ job: Job, of submitter: Int, _ depth: Int, _ level: Int) -> Int {
    let index = jobs.count
    jobs.append(job)
    jobs[index].submitter = submitter
    write(index, depth: depth + 1, level: level)
    return index
  }

  // MARK: The machine

  private mutating func say(_ job: Int, _ event: String, _ rest: String = "", on thread: Int? = nil) {
    eventCount += 1
    let time = now * 1_000_000 + eventCount
    lines += "\(time) t\(thread ?? jobs[job].thread) \(event) #\(job + 1)\(rest.isEmpty ? "" : " " + rest)\n"
  }

  private mutating func run() {
    jobs[0].thread = 1
    say(0, "task", "enqueued")
    begin(0)
    while !jobs[0].isOver, now < 10_000 {
      var isMoving = true
      while isMoving {
        isMoving = false
        for job in jobs.indices where goOn(job) { isMoving = true }
      }
      now += 1
    }
  }

  private mutating func begin(_ job: Int) {
    if jobs[job].thread == 0 {
      threads += 1
      jobs[job].thread = max(7, threads)
      threads = jobs[job].thread
    }
    jobs[job].began = now
    jobs[job].busyUntil = now
    say(job, jobs[job].isTask ? "task-run" : "run")
  }

  /// Whether the job did anything.
  private mutating func goOn(_ job: Int) -> Bool {
    guard jobs[job].began != nil, !jobs[job].isOver, !jobs[job].isSuspended, jobs[job].busyUntil <= now else {
      return false
    }
    if let inner = jobs[job].blocked {
      guard jobs[inner].isOver else { return false }
      jobs[job].blocked = nil
    }
    guard jobs[job].next < jobs[job].actions.count else {
      end(job)
      return true
    }
    let action = jobs[job].actions[jobs[job].next]
    jobs[job].next += 1
    switch action {
    case .compute(let time): jobs[job].busyUntil = now + time
    case .start(let child):
      submit(child, by: job)
    case .await(let child):
      if jobs[child].isOver { break }
      jobs[child].resumes = job
      suspend(job, "reason=1 for=#\(child + 1)")
    case .resumedBy(let block):
      submit(block, by: job)
      if !jobs[block].isOver { suspend(job, "reason=2") }
    case .sync(let block):
      jobs[block].thread = jobs[job].thread
      jobs[job].blocked = block
      submit(block, by: job)
    }
    return true
  }

  private mutating func suspend(_ job: Int, _ reason: String) {
    say(job, "task-suspended", reason)
    jobs[job].isSuspended = true
  }

  private mutating func submit(_ child: Int, by job: Int) {
    jobs[child].submitted = now
    let thread = jobs[job].thread
    let by = "by=#\(job + 1)"
    if jobs[child].isTask {
      say(child, "task", by + " how=3 enqueued", on: thread)
      begin(child)
      return
    }
    let queue = jobs[child].queue
    say(child, "submitted", by + " queue=d\(queue + 1)\(jobs[child].isSync ? " how=4" : "")", on: thread)
    waiting[queue].append(child)
    takeTurn(queue)
  }

  private mutating func takeTurn(_ queue: Int) {
    guard holders[queue] == nil, !waiting[queue].isEmpty else { return }
    holders[queue] = waiting[queue].removeFirst()
    if let job = holders[queue] { begin(job) }
  }

  private mutating func end(_ job: Int) {
    jobs[job].isOver = true
    if let waiter = jobs[job].resumes, jobs[waiter].isSuspended {
      say(waiter, "task-enqueued", "by=#\(job + 1)", on: jobs[job].thread)
    }
    say(job, jobs[job].isTask ? "task-completed" : "ran")
    if let waiter = jobs[job].resumes, jobs[waiter].isSuspended {
      jobs[waiter].isSuspended = false
      say(waiter, "task-run")
    }
    guard !jobs[job].isTask else { return }
    holders[jobs[job].queue] = nil
    takeTurn(jobs[job].queue)
  }
}
