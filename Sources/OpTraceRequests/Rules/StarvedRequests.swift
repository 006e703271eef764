import OpTraceDoctor
import OpTraceKernel
import OpTraceModel

extension Trouble {
  /// The rule about it is one of hangs. Merged and ranked by its code, which is the contract.
  fileprivate static let threadPoolStarvation = Trouble("thread-pool-starvation", .stuck, reason: .silence)
}

extension DoctorWitness {
  /// Starvation in a program that goes on.
  static let starvedRequests = DoctorWitness(askedFor: .slow) { $0.starvedRequests() }
}

extension DoctorContext {
  /// The least share of the pool threads' time that blocking calls in units must take, from 0 to 1.
  private static let leastBlocked = 0.3
  private static let leastThreadWait: Nanoseconds = 20_000_000

  /// Starvation in a program that goes on: the slow units of a kind wait for a thread for half of their time, while
  /// code in units blocks pool threads for a third of the time that these have.
  fileprivate func starvedRequests() -> [Finding] {
    guard let time = requestTime, time > 0, let explained = explained({ $0.what == .thread }), explained.share >= 0.5,
      (explained.kind.breakdown.first { requests.causes[Int($0.cause)].what == .thread }?.tail ?? 0)
        >= Self.leastThreadWait
    else { return [] }
    var blocked: [Int32: Nanoseconds] = [:]
    for part in requests.parts where requests.causes[Int(part.cause)].what.holdsThread {
      blocked[part.cause, default: 0] += part.length
    }
    let all: Nanoseconds = blocked.values.reduce(0) { $0.saturating($1) }
    let threads = Double(trace.header.processors ?? 1)
    guard Double(all) >= Self.leastBlocked * threads * Double(time),
      let most = blocked.max(by: { ($0.value, $1.key) < ($1.value, $0.key) })
    else { return [] }
    let cause = requests.causes[Int(most.key)]
    let location = requests.location(of: cause)
    let share = Int((100 * Double(all) / (threads * Double(time))).rounded())
    var finding = Finding(
      .threadPoolStarvation, .warning, ending: .sentence("Only the end of one of these waits gives a thread back."),
      title: "tasks wait for a thread, since others block the threads of Swift's pool\(Self.phrase(location))",
      explanation: "\(share) % of what the pool's threads could run goes into waiting with a thread: "
        + "\(DurationText.text(most.value)) for \(cause.who.isEmpty ? "a lock" : Self.shown(cause.who)) there.",
      fix: "Do not block a thread in a task: await what it waits for, or move what blocks to a queue of its own.")
    finding.location = location
    finding.explains = explained.share
    finding.isPassing = true
    finding.evidence.append(explained.evidence)
    return [finding]
  }
}
