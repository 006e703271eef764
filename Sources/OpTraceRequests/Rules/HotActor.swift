import OpTraceBlame
import OpTraceDoctor
import OpTraceKernel
import OpTraceModel

extension Trouble {
  static let hotActor = Trouble("hot-actor", .slow)
}

extension DoctorRule {
  /// An actor is hot if tasks queue for it most of the time: at least 30 waits, one in a hundred of 5 ms or more, three
  /// or more tasks at once. In addition a fifth of the time of the slow units of a kind is to be blamed on what runs on
  /// it; without units, it is held for 30 % of the time. If it is held for less, hardly more than one caller waits behind
  /// another; people do not notice 5 ms.
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
    context.requests.actors.prefix(20).compactMap { context.hotActor($0) } + context.hotMainActor()
  }
}

extension DoctorContext {
  /// The main thread, if slow units lose a third of their time, and 5 ms each, to what it does.
  fileprivate func hotMainActor() -> [Finding] {
    guard
      let explained = explained(\.isMain), explained.share >= Self.leastUse, explained.time >= Self.noticed,
      case .main(let place) = explained.blamed.culprit
    else { return [] }
    let location = place < 0 ? nil : requests.locations[Int(place)]
    var finding = Finding(
      .hotActor, .warning, ending: .itWorks,
      title:
        "the main actor makes tasks wait: the main thread \(mostly(explained.blamed) ?? "is busy"), for "
        + "\(Self.percent(explained.share)) of the time of slow '\(Self.shown(explained.kind.name))' (p99 "
        + "\(DurationText.text(explained.kind.p99)))",
      explanation: "A program has one main thread. Who is on the main actor waits until it has done everything else.",
      fix: "Do on the main actor only what has to be there.")
    finding.location = location
    finding.explains = explained.shareOfAll
    finding.evidence.append(explained.evidence)
    return [finding]
  }

  private static let leastWaits = 30
  private static let leastDepth = 3
  private static let noticed: Nanoseconds = 5_000_000
  private static let leastUse = 0.3

  fileprivate func hotActor(_ one: ActorUse.One) -> Finding? {
    let waits = one.waiting
    guard one.actor.className != "MainActor", waits.count >= Self.leastWaits, one.deepest >= Self.leastDepth,
      waits.p99 >= Self.noticed
    else { return nil }
    let explained = explained { $0 == .actor(one.actor.title) }
    // Who is resumed late may wait for it only because its holder waits for something else.
    guard isBlameKnown ? explained != nil : one.utilisation >= Self.leastUse else { return nil }
    // Others than those that wait, who found it free: only blame tells of them.
    let others = explained.map(\.blamed).flatMap { blamed in
      blamed.holders.first.map { $0.kind >= 0 && $0.kind != blamed.kind } ?? false ? blamed : nil
    }
    let end = others?.ends.first { $0.end.location >= 0 && $0.share >= Self.leastEnd }?.end
    let location = (end?.location ?? one.holder).map { requests.locations[Int($0)] }
    let busy = end.flatMap { phrase($0) }.map { "; meanwhile it mostly \($0)" }
    let method =
      busy ?? (location?.function.map { "; mostly it is busy in '\(Self.shown($0))'" } ?? "") + Self.line(location)
    var finding = Finding(
      .hotActor, .warning, ending: .itWorks,
      title:
        "\(Self.shown(one.actor.title)) makes tasks wait for each other, \(DurationText.text(waits.median)) in the "
        + "median, \(DurationText.text(waits.p99)) of the slowest 1 %\(method)",
      explanation:
        "\(Self.count(waits.count, "task")) had to wait for it, up to \(one.deepest) at once. While any waited or went on, it was in "
        + "use \(Int((one.utilisation * 100).rounded())) % of the time.",
      fix:
        "Do less in \(location?.function.map { "'\(Self.shown($0))'" } ?? "the actor's functions"): compute outside of the "
        + "actor and only store the result in it, or divide its state among several.")
    finding.location = location
    finding.explains = explained?.shareOfAll ?? one.utilisation
    if let explained {
      if let routes = others.flatMap({ routes($0) }) { finding.evidence.append(.init("it is busy \(routes)")) }
      finding.evidence.append(explained.evidence)
    }
    for (holder, time) in one.holders.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) }).prefix(3)
    where holder >= 0 {
      let place = requests.locations[Int(holder)]
      finding.evidence.append(
        .init("\(DurationText.text(time)) of the time that it was held by those that had waited\(Self.phrase(place))"))
    }
    return finding
  }
}
