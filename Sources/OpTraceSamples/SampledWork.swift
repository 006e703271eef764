import OpTraceKernel
import OpTraceModel

/// Tells whose code ran on a thread at a time, and whether that work is selected.
struct SampledWork {
  /// A stretch in which work ran.
  private struct Run {
    var work: WorkID
    /// Nanoseconds.
    var length: Nanoseconds
  }

  /// What was going on where and when a thread was sampled.
  struct Situation {
    /// The work, the innermost first.
    var works: [WorkID] = []
    /// The innermost task.
    var task: WorkID?
    /// The innermost test or named span.
    var span: SpanID?
    /// Whether the sample is selected, as far as its work decides.
    var isChosen = true
    /// Whether it is selected whatever the other conditions are.
    var isAlwaysChosen = false
  }

  private let trace: Trace
  private let selection: Profile.Selection
  private let runs: NestedRuns<Run>
  private let spans: NestedRuns<SpanID>
  /// For each work that was looked up, whether its queue and class are selected.
  private var chosen: [WorkID: Bool] = [:]

  /// O(n log n) for n runs.
  init(_ trace: Trace, _ selection: Profile.Selection) {
    (self.trace, self.selection) = (trace, selection)
    runs = NestedRuns { add in
      ThreadRuns.forEachRun(in: trace) { work, run, ended in
        add(Run(work: work, length: ended - run.began), run.thread, run.began, ended)
      }
    }
    spans = NestedRuns { add in
      for span in trace.spans {
        // A span that ends on another thread says nothing about either thread.
        guard span.ended.map({ $0.thread == span.began.thread }) ?? true else { continue }
        add(span.id, span.began.thread, span.began.time, span.ended?.time ?? trace.end)
      }
    }
  }

  /// O(log n + depth).
  mutating func situation(at stamp: Stamp) -> Situation {
    let runs = runs.all(at: stamp)
    var situation = situation(of: runs.map(\.work), span: spans.innermost(at: stamp))
    if selection.choosesWork, situation.isChosen, selection.minimumDuration > 0 {
      situation.isChosen = runs.contains { isChosen($0.work) && $0.length >= selection.minimumDuration }
    }
    return situation
  }

  /// The situation of work that is on no thread, such as a suspended task.
  mutating func situation(of works: [WorkID], span: SpanID? = nil) -> Situation {
    var situation = Situation(works: works)
    situation.task = works.first { trace.kind(of: $0) == .task }
    situation.span = span ?? works.first { trace.within[$0] != nil }.flatMap { trace.within[$0] }
    situation.isAlwaysChosen = !selection.always.isEmpty && works.contains { selection.always.contains($0) }
    guard selection.choosesWork else { return situation }
    let isInside: Bool
    switch (selection.works, selection.spans) {
    case (nil, nil): isInside = true
    case (let wanted, let spans):
      isInside =
        wanted.map { wanted in works.contains { wanted.contains($0) } } == true
        || spans.flatMap { spans in situation.span.map { spans.contains($0) } } == true
    }
    let isOfKind = works.contains { isChosen($0) } || selection.queues == nil && selection.classes == nil
    situation.isChosen = isInside && isOfKind
    return situation
  }

  private mutating func isChosen(_ id: WorkID) -> Bool {
    if selection.queues == nil, selection.classes == nil { return true }
    if let known = chosen[id] { return known }
    let answer = isChosen(trace.work(id), class: trace.operation(id)?.className)
    chosen[id] = answer
    return answer
  }

  private func isChosen(_ work: (any Work)?, class name: String?) -> Bool {
    guard let work else { return false }
    if let queues = selection.queues, work.scheduler.map({ !queues.contains($0) }) ?? true { return false }
    if let classes = selection.classes, !(name.map(classes.contains) ?? false), !classes.contains(work.kind) {
      return false
    }
    return true
  }
}

extension Trace {
  /// The kind of the work with this id; nil: there is none. O(log n).
  func kind(of id: WorkID) -> WorkKind? { workIndex(of: id).map { kind(ofWorkAt: $0) } }
}
