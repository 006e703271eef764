import OpTraceBlame
import OpTraceDoctor
import OpTraceKernel
import OpTraceModel

/// What the rules about services share.
extension DoctorContext {
  /// How much of the slow units' time one thing is to be blamed for, for the kind of which it has most.
  struct Explained {
    var kind: RequestKind
    /// The share of the slow units' time, from 0 to 1.
    var share: Double
    /// The same of the slow units of all kinds, by which findings are sorted.
    var shareOfAll: Double
    /// The mean of the slow units, in nanoseconds.
    var time: Nanoseconds
    var blamed: Requests.Blamed
    var evidence: Finding.Evidence
  }

  /// Something is worth reporting if at least this share of the slow units' time is lost to it.
  static let leastExplained = 0.2

  /// Whether a kind is one of requests that the program's own code answers again and again.
  func isServed(_ kind: RequestKind) -> Bool { kind.isOwn && kind.count >= UnitBlame.leastUnits }

  /// The kinds whose slow units count: requests, if anything looks like requests, and not jobs beside them; else all that is done again and
  /// again, so that a batch beside a service is not taken for one.
  private var judged: [(number: Int32, kind: RequestKind)] {
    let served = requests.kinds.enumerated().filter { isServed($0.element) }.map {
      (Int32(clamping: $0.offset), $0.element)
    }
    let rounds = served.filter { $0.1.areRounds }
    let asked = rounds.filter { !$0.1.isJob }
    return asked.isEmpty ? rounds.isEmpty ? served : rounds : asked
  }

  /// What slow units of these kinds lose time to, the most first.
  var losses: [Requests.Blamed] {
    let numbers = Set(judged.map(\.number))
    return requests.blamed.filter { numbers.contains($0.kind) }.sorted { ($1.tail, $0.kind) < ($0.tail, $1.kind) }
  }

  /// Findings about what slow units lose time to, the most first: one for each culprit, and at most so many.
  func findings(most: Int, _ finding: (Requests.Blamed) -> Finding?) -> [Finding] {
    var told: Set<Culprit> = []
    var found: [Finding] = []
    for blamed in losses where found.count < most && !told.contains(blamed.culprit) {
      guard let one = finding(blamed) else { continue }
      told.insert(blamed.culprit)
      found.append(one)
    }
    return found
  }

  /// Whether units were slow often enough to tell what they lost their time to.
  var isBlameKnown: Bool { !judged.isEmpty && !requests.blamed.isEmpty }

  /// The kind whose slow units lose most time, in total, to such culprits; nil: they lose too little. O(kinds · culprits).
  func explained(_ isCulprit: (Culprit) -> Bool) -> Explained? {
    var best: Explained?
    var (most, sum, all) = (0.0, 0.0, 0.0)
    for (number, kind) in judged {
      let ofKind = requests.blamed.filter { $0.kind == number }
      all += Double(ofKind.reduce(0) { $0 + $1.tail }) * Double(kind.tailCount)
      let parts = ofKind.filter { isCulprit($0.culprit) }
      guard let first = parts.first else { continue }
      let share = parts.reduce(0) { $0 + $1.share }
      let time = parts.reduce(0) { $0 + $1.tail }
      let median = parts.reduce(0) { $0 + $1.median }
      let weight = Double(time) * Double(kind.tailCount)
      sum += weight
      guard share >= Self.leastExplained, weight > most else { continue }
      most = weight
      best = Explained(
        kind: kind, share: share, shareOfAll: 0, time: time, blamed: first,
        evidence: .init(
          "of the slow '\(Self.shown(kind.name))' (p99 \(DurationText.text(kind.p99)) of \(kind.count)) this takes "
            + "\(DurationText.text(time)), \(Self.percent(share)) of their time; of those about the median "
            + (median > 0 ? DurationText.text(median) : "nothing")))
    }
    best?.shareOfAll = sum / max(1, all)
    return best
  }

  /// The share of the time of all slow units that is lost in some ways, from 0 to 1.
  func shareOfAll(where isLost: (Requests.Blamed) -> Bool) -> Double {
    var (part, all) = (0.0, 0.0)
    for (number, kind) in judged {
      for one in requests.blamed where one.kind == number {
        let time = Double(one.tail) * Double(kind.tailCount)
        all += time
        if isLost(one) { part += time }
      }
    }
    return all > 0 ? part / all : 0
  }

  /// The share of the time of all slow units that those of one kind have, from 0 to 1.
  func shareOfAll(_ number: Int32) -> Double {
    func time(_ of: (number: Int32, kind: RequestKind)) -> Double {
      Double(requests.blamed.reduce(0) { $0 + ($1.kind == of.number ? $1.tail : 0) }) * Double(of.kind.tailCount)
    }
    let all = judged.reduce(0) { $0 + time($1) }
    return all > 0 ? judged.reduce(0) { $0 + ($1.number == number ? time($1) : 0) } / all : 0
  }

  /// A note where other programs have the processors, so that the program's threads wait for one half as long again as they run, and what has
  /// what is waited for is mostly not the program's own doing: alone on the machine nobody might have to wait. Else a warning.
  func severity(_ blamed: Requests.Blamed) -> Finding.Severity {
    guard let machine = MachineLoad(of: trace), machine.cause != .itself,
      machine.waited >= machine.used.saturating(machine.used / 2)
    else { return .warning }
    let own = blamed.ends.reduce(0) { $0 + ($1.end.kind == .code || $1.end.kind == .call ? $1.share : 0) }
    return own >= Self.leastOwn ? .warning : .note
  }

  private static let leastOwn = 0.5

  static func percent(_ share: Double) -> String { "\(Int((share * 100).rounded())) %" }

  /// `blocks in recv from 10.0.0.1:5432, in 'Store.query(_:)' (Store.swift:40)`: what somebody did who had what was waited for. Nil: not
  /// known.
  func phrase(_ end: BlameEnd) -> String? {
    let location = end.location < 0 ? nil : requests.locations[Int(end.location)]
    let place = location?.function.map { " in '\(Self.shown($0))'\(Self.line(location))" } ?? Self.line(location)
    switch end.kind {
    case .code: return location == nil ? nil : "runs\(place)\(calledBy(end.caller))"
    case .call: return "blocks in \(Self.shown(end.name))\(place.isEmpty ? "" : ",\(place)\(calledBy(end.caller))")"
    case .sleep: return "sleeps\(place)"
    case .outside: return "waits\(place) for something outside of the program"
    case .machine: return "waits for a processor"
    case .unknown:
      guard end.name == BlameEnd.givenBack else { return nil }
      return "has not given it back: that is done\(place), for others"
    }
  }

  static let leastEnd = 0.2

  /// What those mostly did who had what was waited for; nil: not known.
  func mostly(_ blamed: Requests.Blamed) -> String? {
    blamed.ends.lazy.filter { $0.share >= Self.leastEnd }.compactMap { self.phrase($0.end) }.first
  }

  /// `, called by 'Reconciler.run()'`; empty: nothing more is known.
  func calledBy(_ caller: Int32) -> String {
    guard caller >= 0, let function = requests.locations[Int(caller)].function else { return "" }
    return ", called by '\(Self.shown(function))'"
  }

  /// `90 % of it for '/search', 10 % for '/order'`: the units for which those worked; nil: not known.
  func routes(_ blamed: Requests.Blamed) -> String? {
    let known = blamed.holders.filter { $0.kind >= 0 && $0.share >= Self.leastRoute }.prefix(3)
    guard !known.isEmpty else { return nil }
    return known.enumerated().map { place, one in
      "\(Self.percent(one.share))\(place == 0 ? " of it" : "") for '\(Self.shown(requests.kinds[Int(one.kind)].name))'"
    }.joined(separator: ", ")
  }

  /// A route that has less of it is not named.
  private static let leastRoute = 0.1

  /// From the first begin of a unit to the last end of one; nil: there is none. O(units).
  var requestTime: Nanoseconds? {
    guard let first = requests.units.lazy.map(\.began).min(), let last = requests.units.lazy.map(\.ended).max() else {
      return nil
    }
    return last - first
  }

  /// ` (Price.swift:43)`; empty: not known.
  static func line(_ location: CodeLocation?) -> String { location?.lineText.map { " (\(shown($0)))" } ?? "" }
}
