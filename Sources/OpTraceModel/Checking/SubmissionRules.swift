import OpTraceFormat

/// The rules of blocks of dispatch queues: each is submitted once, runs once, and ends on the thread where it began; a
/// serial queue runs one at a time.
struct SubmissionRules {
  private struct Life {
    var queue: UInt32 = 0
    var isSubmitted = false
    var began: (time: Nanoseconds, thread: UInt32)?
    var isOver = false
  }

  typealias Problem = (rule: Violation.Rule, text: String)

  private var lives: [UInt32: Life] = [:]
  /// Running blocks by dispatch queue: only queues that are serial and not bound to a thread.
  private var running: [UInt32: Set<UInt32>] = [:]
  private let serial: Set<UInt32>
  /// When blocks end, by number.
  private let ends: FirstTimes

  init(serial: Set<UInt32>, ends: FirstTimes) {
    self.serial = serial
    self.ends = ends
  }

  /// A fast check, because it is asked for each event of an operation, and most traces have no blocks.
  func isKnown(_ id: UInt32) -> Bool { !lives.isEmpty && lives[id] != nil }

  mutating func check(_ kind: EventKind, _ event: TraceEvent) -> [Problem] {
    let id = event.subject
    var life = lives[id] ?? Life()
    defer { lives[id] = life }
    var problems: [Problem] = []
    func need(_ isTrue: Bool, _ rule: Violation.Rule, _ text: String) { if !isTrue { problems.append((rule, text)) } }
    switch kind {
    case .blockSubmitted:
      need(!life.isSubmitted, .definedTwice, "block #\(id) is submitted twice")
      life.isSubmitted = true
      life.queue = EventFields.BlockSubmitted(event.word1).queue
    case .runBegan:
      need(life.isSubmitted, .missingBefore, "block #\(id) runs without `submitted`")
      need(life.began == nil, .onlyOnce, "block #\(id) runs twice")
      life.began = (event.time, event.thread.rawValue)
      guard serial.contains(life.queue) else { break }
      let others = running[life.queue, default: []].filter {
        (ends[$0] ?? .max) > event.time &+ TraceBuilder.tolerance
      }
      need(
        others.isEmpty, .limitExceeded,
        "block #\(id) runs beside #\(others.min() ?? 0) on the serial dispatch queue d\(life.queue)")
      running[life.queue, default: []].insert(id)
    case .runEnded:
      need(life.began != nil, .unmatchedEnd, "block #\(id) ends without having begun")
      let thread = life.began?.thread
      need(
        thread == nil || thread == event.thread.rawValue, .nesting,
        "block #\(id) ends on thread t\(event.thread.rawValue) and began on thread t\(thread ?? 0)")
      life.isOver = true
      running[life.queue]?.remove(id)
    case .blockDropped:
      need(life.isSubmitted, .missingBefore, "block #\(id) is dropped without `submitted`")
      need(life.began == nil, .onlyOnce, "block #\(id) is dropped and had begun")
      life.isOver = true
    default: break
    }
    return problems
  }
}
