import OpTraceKernel
import OpTraceModel
import OpTracePageParts
import OpTraceText

/// Writes the units of work in a report's data. `requests.mjs` reads them.
///
/// For kinds with many units, the data contains the slowest units and an even sample of the rest; bucket counts tell
/// how long all of them took. References to work are by id, which stays the same while a page grows.
struct ReportRequests {
  /// The slowest units of the first kinds come with their pieces, and with the pieces of the work that they submitted.
  static let trees = Requests.TreeLimits(kinds: 20, units: 20)

  private static let mostKinds = 200
  /// The most units of a kind, the most of these that are its slowest ones, and the most units of a kind without trees,
  /// which are the slowest only.
  private static let mostUnits = 2000
  private static let mostSlowest = 200
  private static let mostOfOthers = 20
  /// The least share of a unit that a part must have. Smaller parts are left out.
  private static let leastShare = 0.01
  private static let mostActors = 50
  /// The number of points in the line of a loop.
  private static let mostPoints = 240
  /// The number of buckets per factor of 2, which sets their width.
  static let bucketsPerDoubling = 4
  /// The least number of units that counts as load.
  private static let load = 10

  private let requests: Requests
  private let trace: Trace
  private let ids: RequestIDs
  private let course: RequestCourse?
  /// The units of each kind, the slowest first.
  private let members: [[Int]]
  private var causeRows: [Int32: Int] = [:]
  private var causes: [JSONValue] = []
  private var units = TableEncoder(
    "units", ColumnEncoder("work"), ColumnEncoder("round"), ColumnEncoder("began", .time),
    ColumnEncoder("length", .time), ColumnEncoder("isFailed"), ColumnEncoder("parts"), ColumnEncoder("lines"),
    ColumnEncoder("words"))
  /// The parts, unit after unit.
  private var parts = TableEncoder("parts", ColumnEncoder("cause"), ColumnEncoder("length", .time))
  private var lines = TableEncoder(
    "lines", ColumnEncoder("work"), ColumnEncoder("depth"), ColumnEncoder("began", .time),
    ColumnEncoder("ended", base: "began", .time), ColumnEncoder("pieces"), ColumnEncoder("notes"))
  /// What takes most of the time, line after line.
  private var notes = TableEncoder(
    "notes", ColumnEncoder("cause"), ColumnEncoder("time", .time), ColumnEncoder("times"), ColumnEncoder("words"))
  /// Texts, each once.
  private var words: [String] = []
  private var wordRows: [String: Int] = [:]
  private let spans: UnitSpans
  /// The pieces, line after line.
  private var pieces = TableEncoder(
    "pieces", ColumnEncoder("cause"), ColumnEncoder("began", .time), ColumnEncoder("ended", base: "began", .time))

  /// How the first kinds went over time, kind after kind. Rates are in thousandths.
  private var slices = TableEncoder(
    "slices", ColumnEncoder("units"), ColumnEncoder("failed"), ColumnEncoder("rate"), ColumnEncoder("p50", .time),
    ColumnEncoder("p99", .time))

  private var blame: BlameTreeTables

  init(_ requests: Requests, _ trace: Trace) {
    self.requests = requests
    blame = BlameTreeTables(requests)
    spans = UnitSpans(trace)
    course = RequestCourse(of: requests.units)
    self.trace = trace
    ids = RequestIDs(requests)
    var members = [[Int]](repeating: [], count: requests.kinds.count)
    for index in requests.units.indices { members[Int(requests.units[index].kind)].append(index) }
    self.members = members.map { units in
      units.sorted { (requests.units[$1].length, $0) < (requests.units[$0].length, $1) }
    }
  }

  /// Writes the units. O(n log n) for n units.
  func write(to writer: ByteWriter) {
    var copy = self
    copy.writeAll(to: writer)
  }

  private mutating func writeAll(to writer: ByteWriter) {
    let kinds = requests.kinds.indices.prefix(Self.mostKinds).map { kind($0) }
    let value = JSONValue.members([
      "open": .integer(requests.open),
      "moreKinds": .integer(requests.kinds.count - kinds.count),
      "bucketsPerDoubling": .integer(Self.bucketsPerDoubling),
      "whats": .array(Requests.What.allCases.map { .array([.string($0.rawValue), .string(Requests.title($0))]) }),
      "kinds": .array(kinds),
      "steps": .array(blame.words), "words": .array(words.map { .string($0) }),
      "causes": .array(causes),
      "loops": .array(requests.loops.map(loop)),
      "actors": .array(requests.actors.prefix(Self.mostActors).map(actor)),
      "moreActors": .integer(max(0, requests.actors.count - Self.mostActors)),
      "course": .optional(course) { course in
        .array([
          .integer(Int(course.first)), .integer(Int(course.step)), .integer(course.count), .integer(Int(course.last)),
        ])
      },
    ])
    writer.text("{\"facts\":")
    value.write(to: writer, level: nil)
    for table in [units, parts, lines, pieces, notes, slices, blame.nodes, blame.units, blame.shares] {
      writer.text(",\n")
      table.write(to: writer)
    }
    writer.text("}")
  }

  // MARK: - Kinds

  /// Parts of the slow units' time with a smaller share are not shown.
  private static let leastLost = 0.03
  private static let mostLost = 8

  private mutating func kind(_ index: Int) -> JSONValue {
    let kind = requests.kinds[index]
    let all = members[index]
    let shown = Self.sample(all, index < Self.trees.kinds ? Self.mostUnits : Self.mostOfOthers)
    for unit in shown { add(unit) }
    let breakdown = kind.breakdown.map { share in
      JSONValue.array([.integer(row(of: share.cause)), .integer(Int(share.median)), .integer(Int(share.tail))])
    }
    let isOfTasks = all.first.map { trace.kind(ofWork: requests.units[$0].work) == .task } ?? false
    let (first, counts) = histogram(all)
    let slowest = shown.count < all.count ? min(Self.mostSlowest, shown.count) : shown.count
    let hasCourse = addCourse(all, index)
    return .members([
      "name": .string(kind.name), "code": code(kind.location), "isOwn": .bool(kind.isOwn),
      // This says whether the page should open with it.
      "isLoad": .bool(kind.isOwn && isOfTasks && kind.count >= Self.load),
      "count": .integer(kind.count), "perSecond": .number(kind.perSecond),
      "p50": .integer(Int(kind.p50)), "p95": .integer(Int(kind.p95)), "p99": .integer(Int(kind.p99)),
      "max": .integer(Int(kind.max)), "failed": .integer(kind.failed), "tail": .integer(kind.tailCount),
      "sentence": .string(requests.sentence(kind)),
      "lost": .array(
        requests.lost(kind, least: Self.leastLost, most: Self.mostLost).map {
          .members(["share": .number($0.share), "text": .string(requests.phrase($0))])
        }), "breakdown": .array(breakdown),
      "units": .integer(shown.count), "slowest": .integer(slowest),
      "firstBucket": .integer(first), "buckets": .array(counts.map { .integer($0) }),
      "hasCourse": .bool(hasCourse), "pulses": .array(hasCourse ? pulses(of: index) : []),
      "blame": blame.add(index),
    ])
  }

  /// Returns the slowest units, followed by an even sample of the others in their order.
  private static func sample(_ all: [Int], _ most: Int) -> [Int] {
    guard all.count > most else { return all }
    let slowest = min(mostSlowest, most)
    let wanted = most - slowest
    let others = all.count - slowest
    return Array(all.prefix(slowest)) + (0..<wanted).map { all[slowest + $0 * others / wanted] }
  }

  private func histogram(_ units: [Int]) -> (first: Int, counts: [Int]) {
    var counts: [Int: Int] = [:]
    for unit in units { counts[Self.bucket(of: requests.units[unit].length), default: 0] += 1 }
    guard let first = counts.keys.min(), let last = counts.keys.max() else { return (0, []) }
    return (first, (first...last).map { counts[$0] ?? 0 })
  }

  /// Returns the bucket of a time. Bucket n contains times from 2^(n/4) to below 2^((n+1)/4) nanoseconds.
  static func bucket(of time: Nanoseconds) -> Int {
    let value = Double(max(1, time))
    // The thresholds are the fourth roots of 2, 4 and 8.
    let part = [1.189207115002721, 1.4142135623730951, 1.681792830507429].count { value.significand >= $0 }
    return Int(value.exponent) * bucketsPerDoubling + part
  }

  /// Writes how a kind went over time; false: it has too few units for that.
  private mutating func addCourse(_ units: [Int], _ kind: Int) -> Bool {
    guard let course, kind < Self.trees.kinds, units.count >= Self.load else { return false }
    let all = requests.units
    for slice in course.slices(of: units.lazy.map { all[$0] }) {
      slices.append([
        slice.count, slice.failed, Int((slice.perSecond * 1000).rounded()), slice.p50.map { Int($0) } as Int?,
        slice.p99.map { Int($0) } as Int?,
      ])
    }
    return true
  }

  /// The periodic work that the slow units of a kind lose time to, with all times of it.
  private func pulses(of kind: Int) -> [JSONValue] {
    let pulses = course?.pulses(for: Int32(clamping: kind), in: requests, least: Self.leastLost) ?? []
    return pulses.map { pulse in
      .members([
        "name": .string(requests.kinds[Int(pulse.kind)].name), "text": .string(requests.phrase(pulse)),
        "times": .array(pulse.times.map { .array([.integer(Int($0.lowerBound)), .integer(Int($0.upperBound))]) }),
      ])
    }
  }

  // MARK: - Units

  private mutating func add(_ index: Int) {
    let unit = requests.units[index]
    let least = Nanoseconds(Double(unit.length) * Self.leastShare)
    let told = requests.parts(ofUnitAt: index).filter { $0.length > least }
    let tree = requests.trees[index] ?? []
    units.append([
      Int(unit.work.rawValue), ids.round(index), Int(unit.began), Int(unit.length), unit.isFailed ? 1 : 0, told.count,
      tree.count, spans.words(unit).map { row(ofText: $0) },
    ])
    for part in told { parts.append([row(of: part.cause), Int(part.length)]) }
    for line in tree {
      lines.append([
        Int(line.work.rawValue), line.depth, Int(line.began), Int(line.ended), line.pieces.count, line.notes.count,
      ])
      for note in line.notes {
        notes.append([row(of: note.cause), Int(note.time), note.count, requests.phrase(note).map { row(ofText: $0) }])
      }
      for piece in line.pieces { pieces.append([row(of: piece.cause), Int(piece.began), Int(piece.ended)]) }
    }
  }

  /// Returns the row of a cause. The page contains only causes that something refers to.
  private mutating func row(of cause: Int32) -> Int {
    if let row = causeRows[cause] { return row }
    let one = requests.causes[Int(cause)]
    let what = Requests.What.allCases.firstIndex(of: one.what) ?? 0
    causeRows[cause] = causes.count
    causes.append(.array([.integer(what), .string(one.who), code(requests.location(of: one))]))
    return causes.count - 1
  }

  private mutating func row(ofText text: String) -> Int {
    if let row = wordRows[text] { return row }
    wordRows[text] = words.count
    words.append(text)
    return words.count - 1
  }

  /// Returns the function and its line.
  private func code(_ location: CodeLocation?) -> JSONValue {
    .array([.string(location?.function ?? ""), .string(location?.lineText ?? "")])
  }

  // MARK: - Loops and actors

  private func loop(_ loop: LoopUse) -> JSONValue {
    let held = loop.mostly
    let seconds = trace.loops.first { $0.thread == loop.thread }?.seconds ?? []
    let step = max(1, (seconds.count + Self.mostPoints - 1) / Self.mostPoints)
    let points = stride(from: 0, to: seconds.count, by: step).map { from -> JSONValue in
      let part = seconds[from..<min(seconds.count, from + step)]
      let (busy, idle) = part.reduce((0, 0)) { ($0.0 + $1.busy, $0.1 + $1.idle) }
      let share = busy + idle > 0 ? Double(busy) / Double(busy + idle) : 0
      return .array([.integer(Int(part.last?.time ?? 0)), .integer(Int((share * 1000).rounded()))])
    }
    return .members([
      "name": .string(loop.name), "turns": .integer(loop.turns), "utilisation": .number(loop.utilisation),
      "longest": .integer(Int(loop.longest)), "long": .integer(loop.long.count),
      "longTime": .integer(Int(loop.longTime)),
      "what": .string(held?.what ?? ""), "code": code(held.map { requests.locations[Int($0.location)] }),
      // These are the end of each second, and the thousandths of it that the loop spent in turns.
      "seconds": .array(points),
    ])
  }

  private func actor(_ one: ActorUse.One) -> JSONValue {
    let waits = one.waiting
    return .members([
      "name": .string(one.actor.title), "waits": .integer(waits.count), "p50": .integer(Int(waits.median)),
      "p99": .integer(Int(waits.p99)), "deepest": .integer(one.deepest), "utilisation": .number(one.utilisation),
      "code": code(one.holder.map { requests.locations[Int($0)] }),
    ])
  }
}

extension Trace {
  fileprivate func kind(ofWork id: WorkID) -> WorkKind? { workIndex(of: id).map { kind(ofWorkAt: $0) } }
}
