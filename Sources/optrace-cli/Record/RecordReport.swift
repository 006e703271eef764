import OpTraceDoctor

#if os(Linux)
  import OpTraceRunning
  import Foundation
  import OpTraceFormat
  import OpTraceModel
  import OpTraceProcesses
  import OpTraceText

  /// The report at the end of a run: where each trace is, what is in it, and what to do with it.
  struct RecordReport {
    /// The most traces that are listed; the others are summed up.
    private static let mostEntries = 5

    /// Traces whose files are kept, in the order of their begins.
    private(set) var traces: [RecordedTrace] = []
    private var problems: [String] = []
    private var unknown: [String] = []
    private var removed = 0
    private let program: String
    private let folder: String
    private let process: pid_t
    private let end: ProgramEnding
    private let left: [LeftProcess]
    /// The trace of the process that stalled, after which all were ended.
    private let stalled: String?
    private let debugFile: String?
    /// The program ran already, so nobody knows how it ended.
    private let isAttached: Bool

    /// - Parameters:
    ///   - process: the program's process.
    ///   - left: processes that it has left behind.
    ///   - stalled: the trace of the process that stalled, after which all were ended; nil: none did.
    ///   - debugFile: the file with the symbols of the program, if it was stripped of them.
    ///   - isAttached: the program ran already, so nobody knows how it ended.
    init(
      _ notes: [RecordNotes.Note], program: String, folder: String, process: pid_t, end: ProgramEnding,
      left: [LeftProcess], stalled: String? = nil, debugFile: String? = nil, isAttached: Bool = false
    ) {
      self.program = program
      self.folder = folder
      self.process = process
      self.end = end
      self.left = left
      self.stalled = stalled
      self.debugFile = debugFile
      self.isAttached = isAttached
      for note in notes {
        switch note {
        case .trace(let processID, let path): add(path, of: processID)
        case .failure(let processID, let reason): problems.append("process \(processID): \(printable(reason))")
        }
      }
      dropEmptyOnes()
    }

    /// Adds a trace. If its file is gone, its process has taken it back, and says why, or the program has removed it.
    private mutating func add(_ path: String, of processID: pid_t) {
      guard access(path.asPath, F_OK) == 0 else { return }
      let name = path.hasPrefix(folder + "/") ? String(path.dropFirst(folder.count + 1)) : path
      for index in traces.indices where traces[index].processID == processID { traces[index].isReplaced = true }
      do {
        let trace = try withProgress("reading '\(printable(name))'") { try TraceReader.read(path: path) }
        // Look up names now, because the program's files are here, and may not be where the trace is moved.
        let isBeingWritten = LiveProcess.writes(trace.header)
        if !isBeingWritten {
          let outcome = try withProgress("looking up the names of code") {
            try TraceSymbols(of: trace.stacks, debugFile: debugFile).add(toFile: path)
          }
          if case .cannotWrite(let error) = outcome {
            problems.append("names of code in '\(printable(name))': \(reason(error))")
          }
        }
        traces.append(
          RecordedTrace(
            processID: processID, name: name, path: path, header: trace.header, operations: trace.operations.count,
            queues: trace.queues.count, blocks: trace.blocks.count,
            tasks: trace.tasks.count, samples: trace.samples.count,
            allocations: trace.memory?.allocations.count ?? 0, lost: trace.loss.lostCount,
            isEmpty: trace.operations.isEmpty && trace.queues.isEmpty && trace.blocks.isEmpty && trace.tasks.isEmpty
              && trace.marks.isEmpty && trace.spans.isEmpty && trace.orders.isEmpty
              && trace.memory?.allocations.isEmpty != false
              && trace.loss.isComplete,
            isBeingWritten: isBeingWritten,
            isOfTests: trace.header.processName.hasSuffix(".xctest") && !trace.spans.isEmpty, isStalled: path == stalled
          ))
        if let sentence = trace.unknownWaitsSentence, !unknown.contains(sentence) { unknown.append(sentence) }
      } catch {
        problems.append("'\(printable(name))' cannot be read: \(printable("\(error)"))")
      }
    }

    /// Drops traces without any work: programs that a program runs often have none, and their traces are of no use.
    private mutating func dropEmptyOnes() {
      let kept = traces.filter { entry in
        entry.processID == process || !entry.isEmpty || entry.isBeingWritten || unlink(entry.path.asPath) != 0
      }
      removed = traces.count - kept.count
      traces = kept
    }

    var isStalled: Bool { stalled != nil }

    /// The trace to look at first: the one of what stalled, else one with something in it, if there is any; nil: there
    /// is no trace. If tests ran, it is that of neither the package manager nor the compiler.
    var firstTrace: String? {
      if let stalled = traces.first(where: \.isStalled) { return stalled.name }
      if let ofTests = traces.filter(\.isOfTests).max(by: { $0.work < $1.work }) { return ofTests.name }
      return
        (traces.first { $0.operations > 0 } ?? traces.first { $0.blocks > 0 } ?? traces.first { $0.tasks > 0 }
        ?? traces.first)?.name
    }

    /// - Parameter run: which one of several runs, such as `run 3 of 10: `.
    func text(run: String = "") -> String {
      guard !traces.isEmpty else { return "optrace: \(run)nothing was recorded\(whyNothing)\n" }
      var text = ""
      // If there are many, list those of tests before the package manager's and the compiler's.
      let isFirst = { (trace: RecordedTrace) in trace.isOfTests || trace.isStalled }
      let ordered = traces.filter(isFirst) + traces.filter { !isFirst($0) }
      let told = ordered.count > Self.mostEntries ? Self.mostEntries - 1 : ordered.count
      for entry in ordered.prefix(told) { text += "optrace: \(run)\(describe(entry))\n" }
      let others = ordered.dropFirst(told)
      if !others.isEmpty {
        let sum = others.reduce(0) { $0 + $1.operations }
        let files = counted(others.count, "other file")
        text += "optrace: \(counted(sum, "operation")) in \(files), up to '\(printable(others.last?.name ?? ""))'\n"
      }
      if removed > 0 {
        let processes = counted(removed, "other process", plural: "other processes")
        text += "optrace: no file is kept of \(processes) without operations or queues\n"
      }
      if let problem = problems.first { text += "optrace: not recorded: \(problem)\(moreProblems)\n" }
      if let unrecorded { text += "optrace: \(unrecorded)\n" }
      for sentence in unknown { text += "optrace: \(sentence)\n" }
      return text
    }

    /// The doctor's answer about the trace to look at first, as a line; empty if it is known already, since the program
    /// stalled, or not yet, since the program still runs.
    var answer: String {
      guard let entry = traces.first(where: { $0.name == firstTrace }), !isStalled, !entry.isBeingWritten,
        let report = try? DoctorExamination(of: TraceInput(path: entry.path), stallAfter: nil).report
      else { return "" }
      return "optrace: \(report.answer)\n"
    }

    /// What to do with the trace to look at first; empty if there is none.
    var hints: String {
      guard let first = firstTrace else { return "" }
      let path = quoted(first)
      let stem = quoted(first.hasSuffix(".optrace") ? String(first.dropLast(8)) : first)
      return "  \(calledCommand) summary \(path)\n"
        + "  \(calledCommand) doctor \(path)\n"
        + (traces.contains { $0.samples > 0 } ? "  \(calledCommand) profile \(path)\n" : "")
        + (traces.contains { $0.allocations > 0 } ? "  \(calledCommand) memory \(path)\n" : "")
        + "  \(calledCommand) view \(path)\n"
        + "  \(calledCommand) report \(path) -o \(stem).html\n"
        + "  \(calledCommand) graph \(path) -o \(stem).svg\n"
        + "  \(calledCommand) timeline \(path) -o \(stem).json\n"
    }

    private var moreProblems: String { problems.count > 1 ? " (and \(problems.count - 1) more)" : "" }

    private var whyNothing: String {
      if let problem = problems.first { return ": \(problem)\(moreProblems)" }
      if let unrecorded { return " so far: \(unrecorded)" }
      if removed > 0 { return ": what '\(printable(program))' ran used neither operations nor queues" }
      let nobody = "neither '\(printable(program))' nor what it ran had Foundation when it began"
      guard case .killed(let number) = end else { return ": " + nobody }
      return ": \(nobody), or signal \(number) killed it before that"
    }

    /// A sentence about processes that go on and have noted no trace.
    private var unrecorded: String? {
      let recorded = Set(traces.map(\.processID))
      let others = left.filter { !recorded.contains($0.number) }
      guard let first = others.first else { return nil }
      let more = others.count > 1 ? " and \(others.count - 1) more" : ""
      return
        "'\(printable(program))' has ended, but process \(first.number) (\(printable(first.name)))\(more) still runs and "
        + "has no trace yet: if it starts a program, that gets its own file; a forked copy of a recorded "
        + "program gets none"
    }

    /// `5 operations on 1 queue, 4 blocks and 19 tasks`; a program may use no operations.
    private func amount(_ entry: RecordedTrace) -> String {
      let others = [(entry.blocks, "block"), (entry.tasks, "task")].filter { $0.0 > 0 }.map { counted($0.0, $0.1) }
      let operations = counted(entry.operations, "operation") + " on " + counted(entry.queues, "queue")
      return listed(entry.operations == 0 && !others.isEmpty ? others : [operations] + others)
    }

    private func describe(_ entry: RecordedTrace) -> String {
      var text = amount(entry)
      if entry.samples > 0 { text += ", \(counted(entry.samples, "sample"))" }
      if entry.allocations > 0 { text += ", \(counted(entry.allocations, "sampled allocation"))" }
      if entry.lost > 0 { text += ", \(counted(entry.lost, "record")) lost" }
      text += " in '\(printable(entry.name))'"
      if traces.count > 1 {
        text += ", written by \(entry.phrase)"
      }
      if !entry.header.isClosed { text += ", \(whyOpen(entry))" }
      return text
    }

    private func whyOpen(_ entry: RecordedTrace) -> String {
      if entry.isBeingWritten { return "so far: process \(entry.header.processID) still runs, and writes it" }
      if entry.isReplaced { return "not closed: its process called exec" }
      if stalled != nil { return "not closed: it was ended when nothing moved any more" }
      guard entry.processID == process, !isAttached else {
        return "not closed: its process was killed, called exec or _exit"
      }
      switch end {
      case .killed(let number): return "not closed: signal \(number) killed its process"
      case .exited: return "not closed: its process called exec or _exit"
      }
    }
  }
#endif
