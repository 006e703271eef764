import OpTraceBlame
import OpTraceKernel
import OpTraceModel
import OpTraceSamples
package import OpTraceText

/// Units of work for people: a table of kinds, and for each kind where the time of its median and of its slowest units went.
package struct RequestsText {
  private let requests: Requests
  private let memory: UnitMemory?
  private let ids: RequestIDs
  private let style: TextStyle
  /// Kinds that are told in full, and rows of a breakdown.
  private static let mostKinds = 8
  private static let mostShares = 8

  /// - Parameter memory: what the units allocate; nil: not sampled.
  package init(_ requests: Requests, memory: UnitMemory? = nil, style: TextStyle = .plain) {
    self.requests = requests
    self.memory = memory
    self.style = style
    ids = RequestIDs(requests)
  }

  /// Ends with a line end. `name`: only kinds of this name; `slowest`: examples of each.
  package func text(named name: String? = nil, slowest: Int) -> String {
    let kinds = requests.kinds.filter { name == nil || $0.name == name }
    guard !kinds.isEmpty else { return "No unit of work has ended.\n" }
    let told = name == nil ? kinds.filter { $0.isOwn || kinds.allSatisfy { !$0.isOwn } } : kinds
    var parts = [table(kinds)]
    if let memory { parts.append(self.memory(memory, named: name)) }
    parts += told.prefix(Self.mostKinds).map { details($0, slowest) }
    if told.count > Self.mostKinds {
      parts.append(style.paint(.faint, "\(told.count - Self.mostKinds) more kinds: see --kind NAME") + "\n")
    }
    if name == nil, !requests.loops.isEmpty { parts.append(loops) }
    if name == nil, !requests.actors.isEmpty { parts.append(actors) }
    return parts.joined(separator: "\n")
  }

  private var loops: String {
    var table = TextTable([
      .text("event loop", widest: 32), .number("turns"), .number("busy"), .number("longest"), .number("10 ms or more"),
      .number("in these"), .text("mostly", widest: 44), .text("source", widest: 32),
    ])
    for loop in requests.loopFigures {
      table.add([
        loop.name, grouped(loop.turns), percent(loop.busy), duration(loop.longest), grouped(loop.longTurns),
        duration(loop.longTime), loop.mostly?.function ?? "", loop.mostly?.lineText ?? "",
      ])
    }
    return style.paint(.strong, "Event loops") + "\n" + table.text(style)
  }

  private static let mostActors = 8

  private var actors: String {
    var table = TextTable([
      .text("actor", widest: 32), .number("waits"), .number("p50"), .number("p99"), .number("deepest"), .number("used"),
      .text("most in", widest: 44), .text("source", widest: 32),
    ])
    for actor in requests.actorFigures.prefix(Self.mostActors) {
      table.add([
        actor.title, grouped(actor.waits), duration(actor.p50Wait), duration(actor.p99Wait), grouped(actor.deepest),
        percent(actor.used), actor.holder?.function ?? "", actor.holder?.lineText ?? "",
      ])
    }
    return style.paint(.strong, "Actors that tasks waited for") + "\n" + table.text(style)
  }

  private func table(_ kinds: [RequestKind]) -> String {
    var table = TextTable([
      .text("kind", widest: 44), .number("count"), .number("per s"), .number("p50"), .number("p95"), .number("p99"),
      .number("max"), .number("failed"), .text("source", widest: 32),
    ])
    for kind in kinds {
      table.add([
        kind.name, grouped(kind.count), rate(kind.perSecond), duration(kind.p50), duration(kind.p95),
        duration(kind.p99),
        duration(kind.max), kind.failed > 0 ? grouped(kind.failed) : "", kind.location?.lineText ?? "",
      ])
    }
    let open = requests.open > 0 ? style.paint(.faint, "  \(counted(requests.open, "more unit")) not over\n") : ""
    return style.paint(.strong, "Units of work") + "\n" + table.text(style) + open
  }

  /// What a unit allocates, the most in all first.
  private func memory(_ memory: UnitMemory, named name: String?) -> String {
    var table = TextTable([
      .text("kind", widest: 44), .number("allocates each"), .number("of it lives at the end"), .number("in all"),
      .text("most in", widest: 44), .text("source", widest: 32),
    ])
    let rows = requests.kinds.indices.filter { name == nil || requests.kinds[$0].name == name }
      .filter { memory[$0].allocated.samples > 0 }
      .sorted { (memory[$1].allocated.bytes, $0) < (memory[$0].allocated.bytes, $1) }
    for row in rows {
      let (kind, sums) = (requests.kinds[row], memory[row])
      let (each, left) = (sums.allocated.each(of: kind.count), sums.left.each(of: kind.count))
      table.add([
        kind.name, bytesText(each.bytes, error: each.error), bytesText(left.bytes, error: left.error),
        bytesText(sums.allocated.bytes), sums.function?.name ?? "", sums.function?.lineText ?? "",
      ])
    }
    return style.paint(.strong, "Memory that they allocate") + "\n"
      + (rows.isEmpty ? "  no sampled allocation was made in a unit\n" : table.text(style))
  }

  private func rate(_ value: Double) -> String { value >= 10 ? grouped(Int(value.rounded())) : oneDigit(value) }

  private func oneDigit(_ value: Double) -> String {
    let tenths = Int((value * 10).rounded())
    return "\(tenths / 10).\(tenths % 10)"
  }

  private static let leastLost = 0.05
  private static let mostLost = 4

  /// What the slow ones lose their time to, wherever they wait for it.
  private func lost(_ kind: RequestKind) -> String {
    let lost = requests.lost(kind, least: Self.leastLost, most: Self.mostLost)
    // Where they lost it themselves, the table says so.
    guard lost.contains(where: { $0.waits.first?.resource != nil }) else { return "" }
    return "  the slow ones lose\n"
      + lost.map { "    " + TerminalText.printable(requests.phrase($0)) + "\n" }.joined()
  }

  private func details(_ kind: RequestKind, _ slowest: Int) -> String {
    var table = TextTable([
      .number("median"), .number("slowest"), .number("more"), .text("what", widest: 32), .text("who", widest: 32),
      .text("function", widest: 44), .text("source", widest: 32),
    ])
    // By what they take, so that it can be read as a sum; the sentence tells what differs most.
    let rows = kind.breakdown.sorted { (-$0.tail, -$0.median, $0.cause) < (-$1.tail, -$1.median, $1.cause) }
    for share in rows.prefix(Self.mostShares) {
      let cause = requests.causes[Int(share.cause)]
      let location = requests.location(of: cause)
      table.add([
        duration(share.median), duration(share.tail),
        share.tail > share.median ? duration(share.tail - share.median) : "", Requests.title(cause.what), cause.who,
        location?.function ?? "", location?.lineText ?? "",
      ])
    }
    let examples = requests.slowest(of: kind, most: slowest).map {
      "\(ids.text($0)) \(duration(requests.units[$0].length)) at \(duration(requests.units[$0].began))"
    }
    let shown = examples.isEmpty ? "" : style.paint(.faint, "  examples: " + examples.joined(separator: ", ")) + "\n"
    let name = TerminalText.printable(kind.name)
    return style.paint(.strong, name) + ": " + TerminalText.printable(requests.sentence(kind)) + "\n"
      + table.text(style) + lost(kind) + shown
  }
}
