import Foundation
import OpTraceFormat
import TestSupport
import Testing

@testable import OpTraceModel

/// Traces as texts, each with its expected outcome: `NAME.txt` and `NAME.expected`.
///
/// A new case: write `NAME.txt`, run the tests with `OPTRACE_UPDATE_GOLDEN=1`, and read what was written to
/// `NAME.expected` as if somebody else claimed it.
@Suite struct GoldenTests {
  static let folder = SampleTraces.textFolder
  static let names = SampleTraces.textNames

  static func events(_ name: String) throws -> TraceEvents {
    try TraceReader.events(path: folder.appendingPathComponent(name + ".txt").path)
  }

  @Test func thereAreGoodAndBadTexts() {
    #expect(Self.names.filter { $0.hasPrefix("good-") }.count >= 8)
    #expect(Self.names.filter { $0.hasPrefix("bad-") }.count >= 5)
  }

  @Test(arguments: names) func outcomeIsAsExpected(_ name: String) throws {
    let found = outcome(try Self.events(name))
    let expected = Self.folder.appendingPathComponent(name + ".expected")
    if ProcessInfo.processInfo.environment["OPTRACE_UPDATE_GOLDEN"] != nil {
      try found.write(to: expected, atomically: true, encoding: .utf8)
    }
    let lines = { (text: String) in text.split(separator: "\n", omittingEmptySubsequences: false) }
    let (now, was) = (lines(found), lines(try String(contentsOf: expected, encoding: .utf8)))
    let first = zip(now, was).enumerated().first { $1.0 != $1.1 }?.offset ?? min(now.count, was.count)
    #expect(
      now == was,
      """
      line \(first + 1) of \(name).expected: '\(first < was.count ? was[first] : "")' is now \
      '\(first < now.count ? now[first] : "")'. OPTRACE_UPDATE_GOLDEN=1 writes it anew; read what changes.
      """)
  }

  @Test(arguments: names) func goodTextsBreakNoRuleAndBadTextsDo(_ name: String) throws {
    #expect(TraceValidator.check(try Self.events(name)).isEmpty == name.hasPrefix("good-"))
  }

  @Test func everyRuleIsBrokenSomewhere() throws {
    let broken = try Self.names.flatMap { TraceValidator.check(try Self.events($0)).map(\.rule) }
    for rule in Violation.Rule.allCases { #expect(broken.contains(rule), "\(rule.rawValue)") }
  }

  /// They are the seeds of the fuzzer of texts, too.
  @Test("every kind of event is in a golden text") func everyKindIsThere() throws {
    let kinds = try Set(Self.names.flatMap { try Self.events($0).map(\.kind) })
    for spec in EventSpec.table where spec.part != .bookkeeping {
      #expect(kinds.contains(spec.kind.rawValue), "`\(spec.name)` stands in no text in \(Self.folder.path)")
    }
  }

  @Test(arguments: names) func binaryFormIsTheSameTrace(_ name: String) throws {
    let events = try Self.events(name)
    let again = try TraceReader.events(bytes: TraceWriter.bytes(events))
    #expect(outcome(again) == outcome(events))
    #expect(TraceText.string(again) == TraceText.string(events))
  }

  // MARK: - What a trace says, in words

  private func outcome(_ events: TraceEvents) -> String {
    let trace = TraceBuilder.build(events)
    var lines = ["events \(trace.eventCount), last \(trace.lastEvent), end \(trace.end)"]
    for thread in trace.threads {
      lines.append("\(thread.id): tid \(thread.systemID) \"\(thread.name)\"\(thread.isMain ? " main" : "")")
      lines += others(thread)
    }
    for queue in trace.queues {
      let flags = (queue.isMain ? " main" : "") + (queue.isSuspended ? " suspended" : "")
      lines.append(
        "\(queue.id): \"\(queue.name)\" limit \(queue.limit) \(queue.quality)\(flags), \(queue.changes.count) changes"
          + stack(queue.madeAt, trace))
      lines += queue.changes.map { "  \($0.kind) at \($0.time) by \($0.thread)" } + others(queue)
    }
    for operation in trace.operations { lines += describe(operation, trace) }
    for queue in trace.dispatchQueues {
      let flags = (queue.isMain ? " main" : "") + (queue.isGlobal ? " global" : "")
      lines.append("\(queue.id): \"\(queue.title)\" width \(show(queue.width)) on \(show(queue.target))\(flags)")
      lines += others(queue)
    }
    for block in trace.blocks { lines += describe(block, trace) }
    for task in trace.tasks { lines += describe(task, trace) }
    for wait in trace.waits + trace.holdups {
      lines.append(
        "wait for \(wait.target) on \(wait.thread) inside \(show(wait.inside)): \(wait.began) to \(show(wait.ended))\(stack(wait.at, trace))"
      )
      if let signal = wait.lastSignal { lines.append("  last signal \(show(signal))") }
      if let signal = wait.endSignal { lines.append("  ended by \(show(signal))") }
      lines += others(wait)
    }
    if let snapshot = trace.snapshot {
      let part = snapshot.isPartial ? ", partial" : ""
      lines.append("snapshot at \(snapshot.time), \(snapshot.moved) moved, \(snapshot.refused) refused\(part)")
      lines += snapshot.threads.map { seen in
        let reason = seen.isBusy ? "busy" : "\(seen.reason) \(show(seen.lock)) of \(show(seen.owner))"
        return "  \(seen.thread) \(seen.state): \(reason), call \(show(seen.call)), "
          + "cpu \(seen.cpu), \(show(seen.cpuSince)) in \(show(seen.since))\(stack(seen.at, trace))"
      }
      lines += others(snapshot) + snapshot.threads.flatMap(others)
    }
    for object in trace.objects {
      lines.append("\(object.id): \(object.title) at \(object.address)")
      lines += others(object)
    }
    for span in trace.spans {
      lines.append("span \"\(span.name)\" of \(show(span.work)): \(show(span.began)) to \(show(span.ended))")
      lines += describe(span)
    }
    for mark in trace.marks {
      lines.append("mark \"\(mark.name)\" of \(show(mark.operation)): \(show(mark.at))")
      lines += others(mark)
    }
    lines += trace.stacks.images.sorted { $0.key < $1.key }.map { number, image in
      "image \(number): \(image.name) build \(image.buildID ?? "-") \(image.base) to \(image.base + image.size)"
    }
    if let profile = trace.profile {
      lines.append(
        "sampled by \(profile.way) every \(profile.period), kernel \(profile.seesKernel), copied \(profile.copied), "
          + "refused \(show(profile.refused)), used \(profile.used), lost \(profile.lost), missing \(profile.missing)")
      lines += others(profile)
    }
    lines += trace.samples.map { one in
      "sample at \(one.time) on \(one.thread)\(one.isInKernel ? " in the kernel" : "")" + stack(one.at, trace)
    }
    for loop in trace.loops {
      lines.append(
        "loop of \(loop.thread)\(loop.isManager ? ", libdispatch's" : ""): \(loop.turns) turns, busy \(loop.busy), "
          + "idle \(loop.idle), longest \(loop.longest)")
      lines += loop.seconds.map {
        "  \($0.began) to \($0.time): \($0.turns) turns, busy \($0.busy), idle \($0.idle), longest \($0.longest)"
      }
      lines += loop.longTurns.map { "  long turn: \($0.began) to \(show($0.ended))" } + others(loop)
    }
    lines += trace.machine.map { one in
      "until \(one.time) threads waited \(one.waited) for \(one.processors) processors and ran \(one.used) in \(one.over), stopped "
        + "\(one.throttled)"
    }
    if let origin = trace.origin {
      lines.append(
        "from outside\(origin.isCore ? ", a core" : ""), moved \(origin.hasMoved), timed \(origin.isTimed), watched "
          + "\(origin.watched)")
      lines += origin.leftOut.map { "  left out: \($0)" } + others(origin)
    }
    lines += others(trace)
    if !trace.loss.isComplete {
      lines.append("lost \(trace.loss.lostCount), unknown \(trace.loss.unknownKinds.values.reduce(0, +))")
      for gap in trace.loss.gaps { lines.append("gap of \(gap.count) on \(gap.thread): \(gap.from) to \(gap.to)") }
    }
    lines += TraceValidator.check(events).map { "violation: \($0)" }
    return lines.joined(separator: "\n") + "\n"
  }

  private func describe(_ task: TaskRecord, _ trace: Trace) -> [String] {
    var lines = [
      "\(task.id) \"\(task.title)\": \(task.way) by \(show(task.submitter)), child of \(show(task.parent)), priority \(task.priority)"
    ]
    lines.append(
      "  created \(show(task.submitted)), enqueued \(show(task.enqueued)), completed \(show(task.completed)), "
        + "cancel \(show(task.cancelRequested))" + stack(task.submittedAt, trace))
    if let code = task.code { lines.append("  runs" + stack(code, trace)) }
    lines += task.runs.map { "  ran on \($0.thread): \($0.began) to \(show($0.ended))" }
    lines += task.suspensions.map { one in
      "  \(one.reason) for \(show(one.awaited)): \(show(one.from)) to \(show(one.to)), "
        + "enqueued \(show(one.enqueued)) by \(show(one.resumer))"
        + (one.resumption.map { ", resumed \(show(one.resumed)) with \($0)" } ?? "") + stack(one.at, trace)
    }
    lines += task.actorWaits.map { one in
      "  \(one.actor.title): \(show(one.queued)) to \(show(one.began)) by \(show(one.by)), "
        + "suspension \(one.suspension.map { "\($0)" } ?? "-")"
    }
    return lines + others(task)
  }

  private func describe(_ span: SpanRecord) -> [String] {
    var lines: [String] = []
    if span.kind != .internal || span.parent != nil { lines.append("  \(span.kind), parent \(show(span.parent))") }
    if let context = span.context {
      lines.append("  trace \(context.traceID), span \(context.spanID), remote parent \(show(context.remoteParent))")
    }
    lines += span.attributes.map { "  \($0.key) = \($0.value) (\($0.type))" }
    if let status = span.status { lines.append("  \(status.code): \(show(status.message))") }
    if span.leftOut > 0 { lines.append("  \(span.leftOut) left out") }
    lines += span.links.map { "  link to \(show($0.span)), \($0.context.map { "\($0.traceID) \($0.spanID)" } ?? "-")" }
    return lines + others(span)
  }

  private func describe(_ block: BlockRecord, _ trace: Trace) -> [String] {
    let flags =
      (block.isInGroup ? " in group" : "") + (block.isItem ? " item" : "") + (block.over != nil ? " over" : "")
    var lines = [
      "\(block.id) \"\(block.title)\": \(block.way) on \(show(block.queue)) by \(show(block.submitter))\(flags)",
      "  submitted \(show(block.submitted)), began \(show(block.began)), ended \(show(block.ended)), dropped \(show(block.dropped)), cancel \(show(block.cancelRequested))",
    ]
    if block.code != nil { lines.append("  runs\(stack(block.code, trace))") }
    if block.submittedAt != nil { lines.append("  submitted\(stack(block.submittedAt, trace))") }
    return lines + others(block)
  }

  private func describe(_ operation: OperationRecord, _ trace: Trace) -> [String] {
    var flags = "\(operation.state) \(operation.coverage)"
    if operation.isAsynchronous { flags += " asynchronous" }
    if operation.overridesReady { flags += " own-ready" }
    if operation.isBarrier { flags += " barrier" }
    var lines = [
      "\(operation.id) \(operation.className) \"\(operation.title)\": \(flags), \(operation.quality), priority \(operation.priority)"
    ]
    if let source = operation.source { lines.append("  made at \(source)") }
    if let module = operation.classModule { lines.append("  class of module \(module)") }
    if operation.code != nil { lines.append("  runs\(stack(operation.code, trace))") }
    if operation.addedAt != nil { lines.append("  added\(stack(operation.addedAt, trace))") }
    if operation.madeAt != nil { lines.append("  made\(stack(operation.madeAt, trace))") }
    if let error = operation.error { lines.append("  error: \(error)") }
    lines.append(
      "  created \(show(operation.created)), enqueued \(show(operation.enqueued)) in \(operation.queue.map { "\($0)" } ?? "none"), "
        + "ready \(show(operation.ready))")
    lines.append(
      "  started \(show(operation.started)), began \(show(operation.executionBegan)), "
        + "ended \(show(operation.executionEnded)), returned \(show(operation.startReturned)), "
        + "finished \(show(operation.finished))")
    if let seen = operation.finishSeen { lines.append("  finish seen \(show(seen))") }
    if let cancel = operation.cancelRequested { lines.append("  cancel \(show(cancel))") }
    if let since = operation.addingSince { lines.append("  being added since \(show(since))") }
    if let completion = operation.completion {
      lines.append(
        "  completion block queued \(show(completion.queued)), began \(show(completion.began)), "
          + "ended \(show(completion.ended))")
    }
    if let span = trace.within[operation.id] { lines.append("  within \(span)") }
    if let used = operation.processorTime { lines.append("  used \(used) of a processor") }
    if let released = operation.released { lines.append("  released \(show(released))") }
    lines.append(
      "  starts \(operation.startCount), enqueued \(operation.enqueueCount), finishes \(operation.finishCount)")
    for edge in operation.dependencies {
      lines.append("  depends on \(edge.on) from \(edge.added) to \(show(edge.removed))")
    }
    for block in operation.blocks {
      lines.append("  block \(block.index) on \(block.thread): \(block.began) to \(show(block.ended))")
    }
    return lines + others(operation) + others(operation.rare)
  }

  /// What the words above do not tell.
  private func others(_ value: some Any) -> [String] { UnsaidValues.lines(of: value).map { "  " + $0 } }

  private func stack(_ innermost: FrameID?, _ trace: Trace) -> String {
    trace.stacks.stack(innermost).map { id in
      let symbols = trace.stacks.symbols(of: id).map { "\($0.shortName) (\($0.module ?? "-"), \($0.lineText ?? "-"))" }
      let address = trace.stacks[id].map {
        "\($0.address.offset)\($0.address.returns ? " returns" : "")\($0.isGuessed ? " guessed" : "")"
      }
      return
        " < \(id) \(trace.stacks.image(of: id)?.name ?? "-") \(address ?? "-") \(symbols.joined(separator: " in "))"
    }.joined()
  }

  private func show(_ signal: WaitRecord.Signal) -> String {
    "\(signal.time) on \(signal.thread.map { "\($0)" } ?? "-") inside \(show(signal.operation))"
  }
  private func show(_ stamp: Stamp?) -> String { stamp.map { "\($0.time)@t\($0.thread.rawValue)" } ?? "-" }
  private func show(_ value: (some CustomStringConvertible)?) -> String { value.map { "\($0)" } ?? "-" }
}
