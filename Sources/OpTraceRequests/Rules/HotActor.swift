import OpTraceDoctor
import OpTraceKernel
import OpTraceModel

extension Trouble {
  static let hotActor = Trouble("hot-actor", .slow)
}

extension DoctorRule {
  /// An actor is hot if tasks queue for it most of the time: at least 30 waits, one in a hundred of 5 ms or more, three
  /// or more tasks at once. In addition it is held for 30 % of the time, or the waits for it are a fifth of the time of
  /// the slow units of a kind. If it is held for less than a third of the time, hardly more than one caller waits
  /// behind another; people do not notice 5 ms.
  static let hotActor = DoctorRule(
    .hotActor, .warning,
    Guide(
      """
      Tasks wait for each other in front of one actor: it runs one at a time, and what it does for each takes long. The more \
      requests there are at once, the longer each waits. Needs a trace with tasks (`record --tasks`).
      """,
      wrong: """
        actor ProductCache {
          func touch(_ id: Int) -> Product? {
            rescore()                     // 3 ms, while nobody else can use the cache
            return products[id]
          }
        }
        """,
      right: """
        actor ProductCache {
          func touch(_ id: Int) -> Product? { products[id] }
          // Computes outside of the actor, and stores the result.
          func rescore() async { scores = await Self.computed(products) }
        }
        """)
  ) { context in
    context.requests.actors.prefix(20).compactMap { context.hotActor($0) }
  }
}

extension DoctorContext {
  private static let leastWaits = 30
  private static let leastDepth = 3
  private static let noticed: Nanoseconds = 5_000_000
  private static let leastUse = 0.3

  fileprivate func hotActor(_ one: ActorUse.One) -> Finding? {
    let waits = one.waiting
    guard one.actor.className != "MainActor", waits.count >= Self.leastWaits, one.deepest >= Self.leastDepth,
      waits.p99 >= Self.noticed
    else { return nil }
    let explained = explained { $0.what == .actor && $0.who == one.actor.className }
    guard one.utilisation >= Self.leastUse || explained?.share ?? 0 >= Self.leastExplained else { return nil }
    let location = one.holder.map { requests.locations[Int($0)] }
    let method = location?.function.map { "; mostly it is busy in '\(Self.shown($0))'" } ?? ""
    var finding = Finding(
      .hotActor, .warning, ending: .itWorks,
      title:
        "\(Self.shown(one.actor.title)) makes tasks wait for each other, \(DurationText.text(waits.median)) in the "
        + "median, \(DurationText.text(waits.p99)) of the slowest 1 %\(method)\(Self.line(location))",
      explanation:
        "\(Self.count(waits.count, "task")) had to wait for it, up to \(one.deepest) at once. While any waited or went on, it was in "
        + "use \(Int((one.utilisation * 100).rounded())) % of the time.",
      fix:
        "Do less in \(location?.function.map { "'\(Self.shown($0))'" } ?? "the actor's functions"): compute outside of the "
        + "actor and only store the result in it, or divide its state among several.")
    finding.location = location
    finding.explains = explained?.share ?? one.utilisation
    if let explained { finding.evidence.append(explained.evidence) }
    for (holder, time) in one.holders.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) }).prefix(3)
    where holder >= 0 {
      let place = requests.locations[Int(holder)]
      finding.evidence.append(
        .init("\(DurationText.text(time)) of the time that it was held by those that had waited\(Self.phrase(place))"))
    }
    return finding
  }
}
