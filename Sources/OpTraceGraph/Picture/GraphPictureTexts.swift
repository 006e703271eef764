import OpTraceDoctor
import OpTraceKernel
import OpTraceModel
import OpTraceText

extension GraphPictureBuilder {
  func caption(of index: Int, _ state: ShownState) -> String {
    let operation = trace.operations[index]
    let times = threadWaits.times(ofOperationAt: index, in: trace)
    let what =
      switch state {
      case .finished: finishedCaption(operation, times.running)
      case .executing: executingCaption(operation, times.running)
      case .ready: readyCaption(operation, times)
      case .pending: operation.isOutcomeKnown ? pendingCaption(operation) : unknownCaption(operation)
      case .cancelled: "never ran"
      case .failed: "failed after \(DurationText.text(times.running))"
      case .deadlocked, .stalled: stuckCaption(operation, times)
      }
    return "\(operation.id) · " + (operation.isBarrier ? "barrier · \(what)" : what)
  }

  /// Returns the caption of a ready operation. It names what the operation waited for longer, a slot or a thread.
  private func readyCaption(_ operation: OperationRecord, _ times: OperationTimes) -> String {
    let what = times.waitingForThread > times.waitingForSlot ? "thread" : slotWord(of: operation)
    return "waits \(DurationText.text(times.waitingForSlot + times.waitingForThread)) for a \(what)"
  }

  /// Returns what it waits for once no dependency holds it up any more.
  private func slotWord(of operation: OperationRecord) -> String {
    barriers.parts(of: operation).contains(.slot) ? "barrier" : "slot"
  }

  private func dependencyWord(of operation: OperationRecord) -> String {
    barriers.parts(of: operation).contains(.dependencies) ? "a barrier" : "dependencies"
  }

  /// Returns the caption of an executing operation. The text says so if it only waits, because it would look the same
  /// as one that works.
  private func executingCaption(_ operation: OperationRecord, _ running: Nanoseconds) -> String {
    guard let wait = openWaits[operation.id] else { return "\(DurationText.text(running)) so far" }
    let target =
      switch wait.target {
      case .operation(let id): "\(id)"
      case .queue(let id): TextEscaping.oneLine(trace.queue(id)?.phrase ?? "\(id)", limit: 28)
      case .object(let id): TextEscaping.oneLine(trace.object(id)?.title ?? "\(id)", limit: 28)
      }
    return "waits \(DurationText.text(max(0, trace.end - wait.began))) for \(target)"
  }

  private func stuckCaption(_ operation: OperationRecord, _ times: OperationTimes) -> String {
    switch operation.state {
    case .executing: executingCaption(operation, times.running)
    case .pending where operation.enqueued == nil || stuckIsBehind(operation): pendingCaption(operation)
    default: "stuck \(DurationText.text(times.total))"
    }
  }

  private func stuckIsBehind(_ operation: OperationRecord) -> Bool {
    trace.index(of: operation.id).map(stuck.stalled.contains) ?? false
  }

  private func finishedCaption(_ operation: OperationRecord, _ running: Nanoseconds) -> String {
    guard operation.executionBegan != nil else { return "did not run" }
    // It ran to its end, whether or not it heeded the request.
    return DurationText.text(running) + (operation.cancelRequested == nil ? "" : " · cancel asked")
  }

  private func pendingCaption(_ operation: OperationRecord) -> String {
    let open = operation.dependencies
      .filter { $0.removed == nil && trace.operation($0.on)?.finished == nil }.map { "\($0.on)" }
    if operation.enqueued == nil { return "never enqueued" }
    switch open.count {
    case 0: return "waits"
    case 1...2: return "waits for \(open.joined(separator: ", "))"
    default: return "waits for \(open[0]) and \(open.count - 1) more"
    }
  }

  private func unknownCaption(_ operation: OperationRecord) -> String {
    operation.coverage == .external ? "not recorded" : "recorded in part"
  }

  func tooltip(of index: Int, _ state: ShownState, isCritical: Bool) -> String {
    let operation = trace.operations[index]
    let times = threadWaits.times(ofOperationAt: index, in: trace)
    func line(_ text: String) -> String { TextEscaping.oneLine(text, limit: 400) }
    let isUnknown = state == .pending && !operation.isOutcomeKnown
    let word = isUnknown ? unknownCaption(operation) : state.rawValue
    var lines = ["\(operation.id) \(line(operation.title)) — \(word)"]
    if operation.title != operation.className, !operation.className.isEmpty {
      lines.append("class \(line(operation.className))")
    }
    if let function = operation.function {
      lines.append("runs \(line(function.shortName))" + (function.lineText.map { " at \(line($0))" } ?? ""))
    }
    if let source = operation.source { lines.append("made at \(line(source))") }
    if let added = trace.stacks.codeLocation(operation.addedAt)?.text { lines.append("added in \(line(added))") }
    if let made = trace.stacks.creationSite(of: operation)?.text { lines.append("made in \(line(made))") }
    if let wait = openWaits[operation.id], let location = trace.stacks.codeLocation(wait.at)?.text {
      lines.append("waits in \(line(location))")
    }
    if let queue = operation.queue {
      lines.append(line(trace.queue(queue)?.phrase ?? "\(queue)") + (operation.isBarrier ? ", barrier" : ""))
    } else {
      lines.append("on no queue")
    }
    lines.append(
      isUnknown
        ? "what became of it is not in the trace"
        : "waiting for \(dependencyWord(of: operation)) \(DurationText.text(times.waitingForDependencies)), "
          + "for a \(slotWord(of: operation)) \(DurationText.text(times.waitingForSlot)), "
          + Self.threadPart(times) + "running \(DurationText.text(times.running))")
    let moments = [
      ("enqueued", operation.enqueued), ("began", operation.executionBegan),
      ("cancelled", operation.cancelRequested), ("ended", operation.finished),
    ].compactMap { what, stamp in stamp.map { "\(what) at \(DurationText.text($0.time - period.lowerBound))" } }
    // A snapshot does not know when something began.
    if !moments.isEmpty, trace.origin == nil { lines.append(moments.joined(separator: " · ")) }
    if let thread = operation.executionBegan?.thread { lines.append("on \(line(threadName(thread)))") }
    if let names = listed(graph.dependencies(of: index)) { lines.append("depends on \(names)") }
    if let names = listed(graph.dependents(of: index)) { lines.append("needed by \(names)") }
    if let text = submitted.text(at: index) { lines.append("submitted \(text)") }
    if let error = operation.error { lines.append("error: \(line(error))") }
    if isCritical { lines.append("on the critical path") }
    if stuck.culprits.contains(index) { lines.append("others cannot go on because of it") }
    return lines.joined(separator: "\n")
  }

  static func threadPart(_ times: OperationTimes) -> String {
    times.waitingForThread > 0 ? "for a thread \(DurationText.text(times.waitingForThread)), " : ""
  }

  private func threadName(_ id: ThreadID) -> String {
    guard let thread = trace.thread(id) else { return "\(id)" }
    if thread.isMain { return "the main thread" }
    return thread.name.isEmpty ? "thread \(thread.systemID)" : "thread \(thread.name)"
  }

  /// Lists at most six operations, by name.
  private func listed(_ indexes: some Collection<Int>) -> String? {
    if indexes.isEmpty { return nil }
    let names = indexes.prefix(6).map { label($0) }.joined(separator: ", ")
    return indexes.count > 6 ? "\(names) and \(indexes.count - 6) more" : names
  }

  private func label(_ index: Int) -> String {
    let operation = trace.operations[index]
    return "\(operation.id) \(TextEscaping.oneLine(operation.title, limit: 60))"
  }

  func subtitle(_ lanes: [GraphPicture.Lane]) -> String {
    let wall = period.upperBound - period.lowerBound
    var parts = [DurationText.text(wall)]
    if options.stuckHops != nil {
      parts.append("\(grouped(shown.count)) of \(counted(trace.operations.count, "operation"))")
      parts.append("what is stuck, and what is next behind it")
    } else if let focus = options.focus {
      parts.append("\(grouped(shown.count)) of \(counted(trace.operations.count, "operation"))")
      let name = TextEscaping.oneLine(focus.name, limit: 60)
      parts.append("at most \(counted(focus.hops, "edge")) from \(name)")
    } else if !isOfOtherWork {
      parts.append(counted(trace.operations.count, "operation"))
    }
    if !isOfOtherWork { parts.append(lanesText(lanes.count { $0.isBoxed })) }
    if showsPath, !path.steps.isEmpty {
      // The wall time is that of the operations: other work in the picture may take longer.
      let all = DurationText.text(path.wall)
      var text = "critical path \(DurationText.text(path.total)) of \(all) (\(percent(path.share)))"
      if !path.remaining.isEmpty { text += ", \(counted(path.remaining.count, "step")) still to run" }
      parts.append(text)
    }
    return parts.joined(separator: " · ")
  }

  /// Counts the lanes. Queues without operations are not drawn, so the total is given too, for readers who see another
  /// count elsewhere.
  private func lanesText(_ count: Int) -> String {
    guard options.grouping == .queue else { return counted(count, "class", plural: "classes") }
    let all = trace.queues.count
    let isWhole = options.stuckHops == nil && options.focus == nil
    return isWhole && count < all ? "\(grouped(count)) of \(counted(all, "queue"))" : counted(count, "queue")
  }

  func verdicts() -> [GraphPicture.Verdict] {
    // Findings concern operations, which are not drawn here.
    if isOfOtherWork { return [otherOutcome()] + lossVerdicts() }
    var verdicts = stuck.findings.prefix(3).map(verdict)
    let more = stuck.findings.count - verdicts.count
    if more > 0, let last = verdicts.last {
      verdicts.append(GraphPicture.Verdict(kind: last.kind, lead: "Besides:", text: counted(more, "more finding")))
    }
    if !stuck.findings.contains(where: { $0.severity == .error }) { verdicts.append(outcome()) }
    verdicts += lossVerdicts()
    return verdicts
  }

  private func verdict(on finding: Finding) -> GraphPicture.Verdict {
    let isCycle = Diagnosis.verdict([finding]) == .deadlocked
    let lead =
      finding.severity == .error
      ? (isCycle ? "Deadlock:" : "Stalled:") : finding.isOfStuck(in: trace) ? "Perhaps stuck:" : "Warning:"
    // A cycle of dependencies is best described by its members.
    let text = isOfDependencies(finding.cycle) ? cycle(finding.cycle) : TextEscaping.oneLine(finding.title, limit: 300)
    return GraphPicture.Verdict(kind: finding.severity == .error ? .deadlock : .warning, lead: lead, text: text)
  }

  /// Whether each operation depends on the next, and the last on the first.
  private func isOfDependencies(_ cycle: [OperationID]) -> Bool {
    guard let first = cycle.first else { return false }
    return zip(cycle, cycle.dropFirst() + [first]).allSatisfy { waiter, next in
      trace.operation(waiter)?.dependencies.contains { $0.on == next && $0.removed == nil } == true
    }
  }

  private func cycle(_ ids: [OperationID]) -> String {
    let indexes = ids.compactMap(trace.index)
    var text = indexes.prefix(6).map(label).joined(separator: " waits for ")
    if indexes.count > 6 { text += " waits for \(indexes.count - 6) more" }
    return text
      + (indexes.count == 1 ? " waits for itself" : indexes.first.map { " waits for \(trace.operations[$0].id)" } ?? "")
  }

  private func outcome() -> GraphPicture.Verdict {
    var counts: [OperationState: Int] = [:]
    var unknown = 0
    for operation in trace.operations {
      if operation.isOutcomeKnown { counts[operation.state, default: 0] += 1 } else { unknown += 1 }
    }
    let known = trace.operations.count - unknown
    let inPart = unknown > 0 ? ", \(grouped(unknown)) recorded in part" : ""
    if known == 0, unknown > 0 {
      let text = "what became of \(counted(unknown, "operation")) is not in the trace"
      return GraphPicture.Verdict(kind: .note, lead: "Recorded in part:", text: text)
    }
    func listed(_ states: [OperationState]) -> String {
      states.compactMap { state in counts[state].map { "\($0) \(state.rawValue)" } }.joined(separator: ", ")
    }
    let open = listed([.executing, .ready, .pending])
    if !open.isEmpty { return GraphPicture.Verdict(kind: .note, lead: "Not over:", text: open + inPart) }
    let failed = counts[.failed] ?? 0
    if failed > 0 {
      let text = "\(failed) of \(counted(known, "operation")) finished with an error\(inPart)"
      return GraphPicture.Verdict(kind: .warning, lead: "Failed:", text: text)
    }
    let cancelled = counts[.cancelled].map { ", \($0) of them cancelled" } ?? ""
    if trace.operations.isEmpty, trace.workCount > 0 { return otherOutcome() }
    let text =
      trace.operations.isEmpty ? "the trace holds no operation" : "all operations are over\(cancelled)\(inPart)"
    return GraphPicture.Verdict(kind: .good, lead: trace.operations.isEmpty ? "Empty:" : "Done:", text: text)
  }

  private func lossVerdicts() -> [GraphPicture.Verdict] {
    let loss = trace.loss
    var parts: [String] = []
    if loss.lostCount > 0 { parts.append(counted(Int(clamping: loss.lostCount), "record") + " lost") }
    if loss.isDamaged {
      parts.append("\(counted(loss.damage.count, "part")) of the file \(loss.damage.count == 1 ? "is" : "are") damaged")
    }
    if loss.overwrittenBytes > 0 {
      parts.append("the ring has replaced \(grouped(loss.overwrittenBytes)) bytes of older records")
    }
    if !loss.unknownKinds.isEmpty { parts.append("records of a newer version were skipped") }
    if parts.isEmpty { return [] }
    return [GraphPicture.Verdict(kind: .warning, lead: "Incomplete:", text: parts.joined(separator: ", "))]
  }
}
