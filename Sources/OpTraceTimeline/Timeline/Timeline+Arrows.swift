import OpTraceKernel
import OpTraceModel

extension Timeline {
  /// Draws an arrow for every dependency with both ends started. A dependency that was removed before the operation ran
  /// held nothing up, and gets no arrow.
  ///
  /// Both ends lie strictly inside their slices if these are longer than a nanosecond: at the edge, an arrow would bind
  /// to the neighbour if slices touch.
  mutating func drawArrows(_ trace: Trace) {
    var executionIndex = [Int32](repeating: -1, count: trace.operations.count)
    for (index, execution) in executions.enumerated() where execution.track >= 0 {
      if Int(execution.work) < executionIndex.count { executionIndex[Int(execution.work)] = Int32(index) }
    }
    trace.operations.withUnsafeBufferPointer { operations in
      for index in operations.indices where executionIndex[index] >= 0 && !operations[index].dependencies.isEmpty {
        let target = executions[Int(executionIndex[index])]
        for dependency in operations[index].dependencies {
          if let removed = dependency.removed, removed <= target.begin { continue }
          guard let other = trace.index(of: dependency.on), executionIndex[other] >= 0 else { continue }
          let source = executions[Int(executionIndex[other])]
          var arrow = Arrow(
            kind: .dependency, from: UInt32(executionIndex[other]), to: UInt32(executionIndex[index]),
            leaves: source.end - source.begin > 1 ? source.end - 1 : source.begin,
            arrives: target.end - target.begin > 1 ? target.begin + 1 : target.begin)
          if arrow.leaves > arrow.arrives {
            // The operation did not wait: the dependency was added too late. An arrow still has to lead forward in
            // time.
            arrow.leaves = max(source.begin, min(arrow.leaves, arrow.arrives))
            arrow.arrives = max(arrow.arrives, arrow.leaves)
            let last = target.end - target.begin > 1 ? target.end - 1 : target.begin
            guard arrow.arrives <= last else {
              counts.backwardDependencies += 1
              continue
            }
          }
          arrows.append(arrow)
        }
      }
    }
    drawSubmissions(trace)
    arrows.sort { ($0.leaves, $0.to, $0.from) < ($1.leaves, $1.to, $1.from) }
  }

  /// Draws an arrow for each piece of work that was submitted and ran: from the run in which the submitter's code did
  /// so, or else from the submission on its thread, to the first run. Also draws one for each suspension that other
  /// work ended: from the run in which its code did so to the run that followed.
  private mutating func drawSubmissions(_ trace: Trace) {
    let others = WorkKind.others(in: trace)
    guard !others.isEmpty else { return }
    let executionsOfWork = IndexesByGroup(executions.lazy.map { Int($0.work) }, groups: trace.workCount)
    for index in others {
      let runs = executionsOfWork[index]
      guard let target = runs.first(where: { executions[$0].kind == .run && executions[$0].track >= 0 }) else {
        continue
      }
      if let submitted = trace.work(at: index).submitted?.time {
        let submitter = trace.submitter(ofWorkAt: index).flatMap(trace.workIndex(of:))
        let source =
          submitter.map { last(of: executionsOfWork[$0], at: submitted) }
          ?? runs.first { executions[$0].kind == .submission }
        if addArrow(.submission, from: source, at: submitted, to: target) { counts.submissionArrows += 1 }
      }
      guard case .task(let row) = trace.row(ofWorkAt: index) else { continue }
      let task = trace.tasks[row]
      for suspension in task.suspensions {
        guard let to = suspension.to, let enqueued = suspension.letGoOn?.time,
          let resumer = suspension.resumer,
          resumer != task.id, let source = trace.workIndex(of: resumer),
          let target = first(of: runs, from: to)
        else { continue }
        if addArrow(.resumption, from: last(of: executionsOfWork[source], at: enqueued), at: enqueued, to: target) {
          counts.resumptionArrows += 1
        }
      }
    }
  }

  /// Returns the last execution that began no later than `time`; the indexes must be in the order of time. O(log n).
  private func last(of indexes: some RandomAccessCollection<Int>, at time: Nanoseconds) -> Int? {
    let after = indexes.partition { executions[$0].begin > time }
    return after > indexes.startIndex ? indexes[indexes.index(before: after)] : nil
  }

  private func first(of indexes: some RandomAccessCollection<Int>, from time: Nanoseconds) -> Int? {
    let found = indexes.partition { executions[$0].begin >= time }
    return found < indexes.endIndex && executions[indexes[found]].kind == .run ? indexes[found] : nil
  }

  /// Adds an arrow if both ends are drawn and it does not lead back in time. The clocks of two processors may differ a
  /// little.
  private mutating func addArrow(_ kind: Arrow.Kind, from source: Int?, at time: Nanoseconds, to target: Int) -> Bool {
    guard let source, executions[source].track >= 0, executions[target].track >= 0 else { return false }
    let (from, to) = (executions[source], executions[target])
    let arrives = to.end - to.begin > 1 ? to.begin + 1 : to.begin
    let inside = from.end - from.begin > 1 ? min(max(time, from.begin + 1), from.end - 1) : from.begin
    let leaves = max(from.begin, min(inside, arrives))
    guard leaves <= arrives else { return false }
    arrows.append(Arrow(kind: kind, from: UInt32(source), to: UInt32(target), leaves: leaves, arrives: arrives))
    return true
  }
}

extension RandomAccessCollection {
  /// Returns the first index whose element satisfies `holds`; so must all elements after it. O(log n).
  fileprivate func partition(_ holds: (Element) -> Bool) -> Index {
    var (low, count) = (startIndex, self.count)
    while count > 0 {
      let half = count / 2
      let middle = index(low, offsetBy: half)
      if holds(self[middle]) {
        count = half
      } else {
        low = index(after: middle)
        count -= half + 1
      }
    }
    return low
  }
}
