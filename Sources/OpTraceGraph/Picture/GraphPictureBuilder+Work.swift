import OpTraceKernel
import OpTraceModel
import OpTraceText

/// Draws work other than operations: blocks of dispatch queues and Swift tasks, in lanes of their own, with lines from
/// their submitters.
extension GraphPictureBuilder {
  /// Whether operations are not drawn.
  var isOfOtherWork: Bool {
    !options.layers.contains(.operations) || trace.operations.isEmpty && !otherKinds.isEmpty
  }

  /// The kinds of other work that have boxes.
  private var otherKinds: [WorkKind] {
    WorkKind.allCases.filter { $0 != .operation && options.layers.contains($0.layer) }
  }

  /// Returns the end of an operation's caption: what it submitted, if that has no boxes in the picture.
  func submittedCaption(at index: Int) -> String {
    let kinds = WorkKind.allCases.filter { !options.layers.contains($0.layer) }
    return submitted.text(at: index, of: kinds).map { " · \($0)" } ?? ""
  }

  /// The most tasks that get a box each. With more, they share boxes even if there is room: most are children that do
  /// the same.
  private static let mostTasksAlone = 30

  /// Adds the boxes and lanes of blocks and tasks. O(n log n) for n of them. If there are too many, those with the same
  /// queue and function that one box submitted share a box; if that is not enough, those with the same queue and
  /// function; finally, those with the same queue. Tasks have one lane.
  func addOtherWork(to picture: inout GraphPicture) {
    let shown = shownOthers()
    guard !shown.isEmpty else { return }
    var boxOfWork: [WorkID: Int] = [:]
    for (number, node) in picture.nodes.enumerated() {
      for id in node.fold?.members ?? [node.operation] { boxOfWork[id] = number }
    }
    let lanes = addLanes(of: shown, to: &picture)
    let room = options.mostBoxes.map { max($0 - picture.nodes.count, $0 / 3) } ?? .max
    let tasks = shown.count { trace.kind(ofWorkAt: $0) == .task }
    let members = shown.map { index in
      let work = trace.work(at: index)
      return WorkBoxes.Member(
        index: index, id: work.id, lane: lanes[index] ?? 0, kind: work.kind, submitter: work.submitter,
        isOver: work.over != nil || trace.kind(ofWorkAt: index) == .block,
        alwaysFolds: options.mostBoxes != nil && tasks > Self.mostTasksAlone && trace.kind(ofWorkAt: index) == .task)
    }
    let boxes = WorkBoxes(members, submitters: boxOfWork, room: room)
    var folds = picture.nodes.count { $0.fold != nil }
    let critical = showsPath ? Set(path.works) : []
    for members in boxes.members {
      for index in members { boxOfWork[trace.workID(at: index)] = picture.nodes.count }
      if members.count > 1 { folds += 1 }
      var node = node(of: members, lane: lanes[members[0]] ?? 0, number: folds)
      node.isCritical = members.contains { critical.contains(trace.workID(at: $0)) }
      picture.nodes.append(node)
    }
    addLines(of: shown, boxOfWork, to: &picture)
    let queues = Set(shown.lazy.filter { trace.kind(ofWorkAt: $0) == .block }.compactMap { lanes[$0] }).count
    picture.subtitle += " · " + amounts(of: shown)
    if queues > 0 { picture.subtitle += " · \(counted(queues, "dispatch queue"))" }
    if !isOfOtherWork, hasOpen { picture.verdicts.append(otherOutcome()) }
    if boxes.isFolded, picture.foldingNote == nil {
      let folded = boxes.members.filter { $0.count > 1 }
      let text = "\(amounts(of: folded.flatMap(\.self))) into \(counted(folded.count, "box", plural: "boxes"))"
      picture.verdicts.append(
        GraphPicture.Verdict(
          kind: .note, lead: GraphPicture.foldingLead, text: text + "; optrace graph --full draws all"))
    }
  }

  /// "3 blocks · 2 tasks"
  private func amounts(of indexes: [Int]) -> String {
    var counts: [WorkKind: Int] = [:]
    for index in indexes { counts[trace.kind(ofWorkAt: index), default: 0] += 1 }
    return WorkKind.allCases.compactMap { kind in counts[kind].map { counted($0, kind.word) } }.joined(separator: " · ")
  }

  /// Adds lines from submitters to what they submitted; on the critical path, from a block to the one that got its turn
  /// from it; and, at the end of the trace, from an awaited task to the task that awaits it. Lines that lead back on
  /// the path are left out, because they would form a cycle.
  private func addLines(of shown: [Int], _ boxOfWork: [WorkID: Int], to picture: inout GraphPicture) {
    struct Ends: Hashable {
      var from, to: Int
      var kind: GraphPicture.Edge.Kind
    }
    var counts: [Ends: Int] = [:]
    var order: [Ends] = []
    let steps = showsPath ? path.steps : []
    let critical = Set(steps.lazy.filter { $0.cause == $0.cause.work.map { .submission($0) } }.map(\.work))
    var criticalLines = Set<Ends>()
    func add(_ kind: GraphPicture.Edge.Kind, _ from: WorkID?, _ id: WorkID, isCritical: Bool = false) {
      guard let from = from.flatMap({ boxOfWork[$0] }), let to = boxOfWork[id], from != to else { return }
      let key = Ends(from: from, to: to, kind: kind)
      if isCritical { criticalLines.insert(key) }
      if counts[key] == nil { order.append(key) }
      counts[key, default: 0] += 1
    }
    for index in shown {
      let id = trace.workID(at: index)
      add(.submission, trace.submitter(ofWorkAt: index), id, isCritical: critical.contains(id))
    }
    for step in steps where trace.index(of: step.work) == nil {
      if case .slot(let before) = step.cause { add(.slot, before, step.work, isCritical: true) }
    }
    for row in shown.lazy.compactMap(trace.taskRow(ofWorkAt:)) {
      let task = trace.tasks[row]
      if let awaited = task.suspension?.awaited { add(.awaited, awaited, task.id) }
    }
    for ends in order {
      let count = counts[ends] ?? 1
      picture.edges.append(
        GraphPicture.Edge(
          from: ends.from, to: ends.to, kind: ends.kind, isCritical: criticalLines.contains(ends),
          isOpen: ends.kind == .awaited,
          label: count > 1 ? "×\(grouped(count))" : nil, count: count))
    }
  }

  /// Returns the indexes of the other work to draw. With a focus, that is everything that came from an operation that
  /// is shown; and the requested work, with everything that submitted it and everything that it submitted.
  private func shownOthers() -> [Int] {
    let all = otherKinds.flatMap { $0.indexes(in: trace) }
    guard let focus = options.focus else { return all }
    let near = Set(shown)
    var before: Set<WorkID> = []
    for id in focus.operations {
      var submitter = trace.workIndex(of: id).flatMap(trace.submitter(ofWorkAt:))
      while let next = submitter, before.insert(next).inserted {
        submitter = trace.workIndex(of: next).flatMap(trace.submitter(ofWorkAt:))
      }
    }
    // Submitted work has a higher number than its submitter.
    var wanted = Set(focus.operations)
    for index in all.sorted(by: { trace.workID(at: $0) < trace.workID(at: $1) }) {
      if let submitter = trace.submitter(ofWorkAt: index), wanted.contains(submitter) {
        wanted.insert(trace.workID(at: index))
      }
    }
    wanted.formUnion(before)
    return all.filter {
      (submitted.root(ofWorkAt: $0).map(near.contains) ?? false) || wanted.contains(trace.workID(at: $0))
    }
  }

  /// Adds a lane for each dispatch queue, and one for tasks (or one for each function). Returns the lane of each piece
  /// of work.
  private func addLanes(of shown: [Int], to picture: inout GraphPicture) -> [Int: Int] {
    let titles = QueueTitles(trace)
    var lanes: [Int: Int] = [:]
    var known: [String: Int] = [:]
    for (name, indexes) in groups(of: shown) {
      let lane = picture.lanes.count
      for index in indexes { lanes[index] = lane }
      let isTasks = trace.kind(ofWorkAt: indexes[0]) == .task
      let queue = queue(ofBlockAt: indexes[0]).flatMap(trace.dispatchQueue)
      let slug = TextEscaping.slug(name)
      known[slug, default: 0] += 1
      let id = (slug.isEmpty ? "\(lane)" : slug) + (known[slug] == 1 && !slug.isEmpty ? "" : "-\(lane)")
      let isQueue = options.grouping == .queue
      let title = isQueue && !isTasks ? queue.map(titles.title(of:)) ?? "no dispatch queue" : name
      var parts = [isQueue ? queue.map(width) : nil, amounts(of: indexes)].compactMap(\.self)
      let open = indexes.count { !trace.isOver(workAt: $0) }
      if open > 0 { parts.append("\(grouped(open)) not over") }
      let what = isQueue && queue?.isMain == false ? "dispatch queue" : nil
      picture.lanes.append(
        GraphPicture.Lane(
          id: (isTasks ? "tasks-" : "dispatch-") + id, nodeClass: (isTasks ? "t-" : "d-") + id,
          title: TextEscaping.oneLine(title, limit: 120),
          caption: ([what] + parts).compactMap(\.self).joined(separator: " · "),
          tooltip: TextEscaping.oneLine(queue.map(titles.phrase(of:)) ?? title, limit: 120)
            + ": \(parts.joined(separator: ", "))",
          style: Palette.lanes[lane % Palette.lanes.count], isBoxed: !isQueue || queue != nil || isTasks))
    }
    return lanes
  }

  /// Groups the work. By queue: in the order of the queues, then work without a queue, then tasks. By function: in the
  /// order of first occurrence.
  private func groups(of shown: [Int]) -> [(name: String, indexes: [Int])] {
    guard options.grouping == .queue else {
      var numbers: [String: Int] = [:]
      var groups: [(name: String, indexes: [Int])] = []
      for index in shown {
        let kind = trace.work(at: index).kind
        let key = "\(trace.kind(ofWorkAt: index).word) \(kind)"
        let number = numbers[key] ?? groups.count
        if number == groups.count {
          numbers[key] = number
          groups.append((kind, []))
        }
        groups[number].indexes.append(index)
      }
      return groups
    }
    let blocks = shown.filter { trace.kind(ofWorkAt: $0) == .block }
    let byQueue = Dictionary(grouping: blocks) { queue(ofBlockAt: $0)?.rawValue ?? .max }
    var groups = byQueue.sorted { $0.key < $1.key }.map { queue, indexes in
      (trace.dispatchQueue(DispatchQueueID(queue))?.title ?? "none", indexes)
    }
    let tasks = shown.filter { trace.kind(ofWorkAt: $0) == .task }
    if !tasks.isEmpty { groups.append((TaskRecord.groupTitle, tasks)) }
    return groups
  }

  /// Returns the dispatch queue of the work with this index. Nil: it is no block, or its queue is not known.
  private func queue(ofBlockAt index: Int) -> DispatchQueueID? {
    guard case .block(let row) = trace.row(ofWorkAt: index) else { return nil }
    return trace.blocks[row].queue
  }

  private func width(of queue: DispatchQueueRecord) -> String {
    if queue.isMain { return "main queue" }
    switch queue.width {
    case 1: return "serial"
    case let width?: return "max \(width)"
    case nil: return "concurrent"
    }
  }

  /// Makes the node of one piece of work, or of several that share a box.
  private func node(of indexes: [Int], lane: Int, number: Int) -> GraphPicture.Node {
    let works = indexes.map { trace.work(at: $0) }
    let times = works.map { $0.times(traceEnd: trace.end) }
    let states = works.map { ShownState($0.finalState) }
    var sum = OperationTimes()
    for one in times {
      sum.waitingForDependencies = sum.waitingForDependencies.saturating(one.waitingForDependencies)
      sum.waitingForSlot = sum.waitingForSlot.saturating(one.waitingForSlot)
      sum.running = sum.running.saturating(one.running)
    }
    let first = works[0]
    let name = TextEscaping.oneLine(first.title, limit: 300)
    let isBarrier = works.allSatisfy { ($0 as? BlockRecord)?.way == .barrier }
    guard works.count > 1 else {
      return GraphPicture.Node(
        operation: first.id, lane: lane, state: states[0], name: name,
        caption: "\(first.id) · " + (isBarrier ? "barrier · " : "") + outcome(of: first, times[0]),
        bar: bar(of: first, times[0]), isBarrier: isBarrier,
        tooltip: tooltip(of: first, times[0]))
    }
    var fold = GraphPicture.Fold(number: number, members: works.map(\.id))
    for state in states { fold.states[state, default: 0] += 1 }
    fold.times = sum
    let isTasks = works.allSatisfy { $0 is TaskRecord }
    fold.timesText = timesText(sum, isTask: isTasks, isCaption: true)
    let order: [ShownState] = [.executing, .ready, .pending, .cancelled, .finished]
    let parts = order.compactMap { state in fold.states[state].map { "\(grouped($0)) \(state.rawValue)" } }
    let state = order.first { fold.states[$0] != nil && $0 != .cancelled } ?? .cancelled
    let common = commonName(of: works)
    return GraphPicture.Node(
      operation: first.id, lane: lane, state: state,
      name: common.map { "\(grouped(works.count)) × \(TextEscaping.oneLine($0, limit: 300))" } ?? amounts(of: indexes),
      caption: parts.count == 1 ? "all \(state.rawValue)" : parts.joined(separator: " · "),
      bar: span(of: works).map { bar($0.times, from: $0.from) } ?? [], isBarrier: isBarrier,
      tooltip:
        "\(grouped(works.count)) × \(TextEscaping.oneLine(common ?? name, limit: 300))\nfolded, from \(first.id) to "
        + "\(works[works.count - 1].id)\nin all \(fold.timesText)", fold: fold)
  }

  /// Returns the title that all share, else the title that they share apart from numbers, else their function. Nil if
  /// they do not even share that.
  private func commonName(of works: [any Work]) -> String? {
    func common(_ text: (any Work) -> String) -> String? {
      guard let first = works.first.map(text), !first.isEmpty else { return nil }
      return works.dropFirst().allSatisfy { text($0) == first } ? first : nil
    }
    return common { $0.title } ?? common { NameStem.of($0.title) } ?? common { $0.kind }
  }

  /// Returns the times of a box as a whole: until the first ran, and until the last was over.
  private func span(of works: [any Work]) -> (from: Nanoseconds, times: OperationTimes)? {
    guard let from = works.lazy.compactMap({ $0.submitted?.time ?? $0.began?.time }).min() else { return nil }
    let over = max(from, works.lazy.map { $0.over ?? trace.end }.max() ?? from)
    let began = min(max(works.lazy.compactMap { $0.began?.time }.min() ?? over, from), over)
    var times = OperationTimes()
    times.waitingForSlot = began - from
    times.running = over - began
    return (from, times)
  }

  /// Returns the times of a box in a few words.
  private func timesText(_ times: OperationTimes, isTask: Bool, isCaption: Bool = false) -> String {
    var parts =
      isTask
      ? [
        ("suspended", times.waitingForDependencies),
        (isCaption ? "ready" : "waiting for its turn", times.waitingForSlot),
      ]
      : [("waiting", times.waitingForDependencies.saturating(times.waitingForSlot))]
    if isCaption { parts.removeAll { $0.1 == 0 } }
    return (parts + [("running", times.running)]).map { "\($0) \(DurationText.text($1))" }
      .joined(separator: isCaption ? " · " : ", ")
  }

  /// Returns the time bar. For a task, each piece is drawn at its own time, if it is long enough to be seen.
  private func bar(of work: any Work, _ times: OperationTimes) -> [GraphPicture.BarPart] {
    guard let task = work as? TaskRecord else {
      return bar(times, from: work.submitted?.time ?? work.began?.time ?? period.upperBound)
    }
    let shortest = (period.upperBound - period.lowerBound) / 400
    var parts: [GraphPicture.BarPart] = []
    var begin: Nanoseconds?
    var sums = OperationTimes()
    func close() {
      if let begin { parts += bar(sums, from: begin) }
      begin = nil
      sums = OperationTimes()
    }
    // Short pieces are drawn together: their sums, one after another.
    for piece in task.pieces(traceEnd: trace.end) {
      let length = piece.end - piece.begin
      if length >= shortest { close() }
      begin = begin ?? piece.begin
      switch piece.kind {
      case .suspended: sums.waitingForDependencies += length
      case .turn: sums.waitingForSlot += length
      case .run: sums.running += length
      }
      if length >= shortest || sums.total >= shortest { close() }
    }
    close()
    return parts
  }

  private func outcome(of work: any Work, _ times: OperationTimes) -> String {
    if let suspension = (work as? TaskRecord)?.suspension {
      let time = DurationText.text(max(0, trace.end - suspension.from.time))
      return TextEscaping.oneLine(suspension.words(in: trace), limit: 60) + " since \(time)"
    }
    return switch work.finalState {
    case .executing: "\(DurationText.text(times.running)) so far"
    case .ready: "waits \(DurationText.text(times.waitingForSlot))"
    case .pending: (work as? TaskRecord)?.wordsBeforeItsFirstRun ?? "waits for a time or a group"
    case .cancelled: "never ran"
    default: DurationText.text(times.running)
    }
  }

  private func tooltip(of work: any Work, _ times: OperationTimes) -> String {
    func line(_ text: String) -> String { TextEscaping.oneLine(text, limit: 400) }
    var lines = ["\(work.id) \(line(work.title)) — \(ShownState(work.finalState).rawValue)"]
    if let location = work.function?.lineText { lines.append("at \(line(location))") }
    if let submitter = work.submitter {
      lines.append("submitted by \(submitter) \(line(trace.work(submitter)?.title ?? ""))")
    } else if let thread = work.submitted?.thread {
      lines.append("submitted by \(line(trace.thread(thread)?.timelineName ?? "\(thread)"))")
    }
    if let location = trace.stacks.codeLocation(work.submittedAt)?.text {
      lines.append("submitted in \(line(location))")
    }
    if let task = work as? TaskRecord {
      if let way = task.way.words { lines.append(way) }
      if let suspension = task.suspension {
        let location = trace.stacks.codeLocation(suspension.at)?.text
        lines.append(line(suspension.words(in: trace)) + (location.map { " in \(line($0))" } ?? ""))
      }
      if task.runs.count > 1 { lines.append("\(counted(task.runs.count, "run"))") }
    }
    if let block = work as? BlockRecord, let way = block.way.words(isInGroup: block.isInGroup) { lines.append(way) }
    if case .dispatchQueue(let id)? = work.scheduler, let queue = trace.dispatchQueue(id) {
      lines.append("dispatch queue \(line(queue.title))")
    }
    lines.append(timesText(times, isTask: work is TaskRecord))
    return lines.joined(separator: "\n")
  }

  private var hasOpen: Bool {
    WorkKind.allCases.contains { kind in
      kind != .operation && kind.indexes(in: trace).contains { !trace.isOver(workAt: $0) }
    }
  }

  /// Returns the verdict on a picture without operations.
  func otherOutcome() -> GraphPicture.Verdict {
    let kinds = WorkKind.allCases.filter { $0 != .operation && !$0.indexes(in: trace).isEmpty }
    let hidden = kinds.filter { !options.layers.contains($0.layer) }
    let hint = hidden.isEmpty ? "" : "; --layers \(hidden.map(\.layer.rawValue).joined(separator: ",")) draws them"
    let all = kinds.map { counted($0.indexes(in: trace).count, $0.word) }
    let open = kinds.compactMap { kind -> String? in
      let indexes = kind.indexes(in: trace)
      let open = indexes.count { !trace.isOver(workAt: $0) }
      return open > 0 ? "\(grouped(open)) of \(counted(indexes.count, kind.word))" : nil
    }
    if !open.isEmpty {
      return GraphPicture.Verdict(kind: .note, lead: "Not over:", text: open.joined(separator: ", ") + hint)
    }
    if kinds.isEmpty {
      return GraphPicture.Verdict(kind: .good, lead: "Empty:", text: "the trace holds nothing to draw")
    }
    let words = kinds.map { "\($0.unit)" }.joined(separator: " and ")
    let text = hidden.isEmpty ? "all \(words) are over" : "no operation, but \(all.joined(separator: ", "))\(hint)"
    return GraphPicture.Verdict(kind: .good, lead: "Done:", text: text)
  }
}

extension GraphPicture {
  /// Whether some box contains tasks.
  var hasTasks: Bool { lanes.contains { $0.id.hasPrefix("tasks-") } }

  /// Whether some box contains work other than operations.
  var hasOtherWork: Bool { hasTasks || lanes.contains { $0.id.hasPrefix("dispatch-") } }
}

extension WorkKind {
  /// The layer in which this kind of work is drawn.
  var layer: GraphOptions.Layer {
    switch self {
    case .operation: .operations
    case .block: .dispatch
    case .task: .tasks
    }
  }
}
