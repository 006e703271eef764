import OpTraceKernel
import OpTraceModel
package import OpTraceSamples
import OpTraceText

/// What is said beside a profile: why there is nothing to show, and what is missing in what is shown.
package struct ProfileNotes {
  private let profile: Profile
  private var facts: Profile.Facts { profile.facts }

  package init(_ profile: Profile) { self.profile = profile }

  /// Why nothing is shown, in a sentence without a full stop; nil: there is something to show.
  /// - Parameters:
  ///   - name: of the trace.
  ///   - isPart: only a part of it was asked for.
  package func nothing(in name: String, isPart: Bool) -> String? {
    guard profile.samples.isEmpty else { return nil }
    if facts.isOffProcessor {
      return isPart
        ? "no wait and no suspended task is in the part of \(name) that was asked for"
        : "no wait of a thread and no suspended task is in \(name)"
    }
    guard facts.isSampled else {
      return "\(name) has no samples of processor time: record them with 'optrace record --profile'"
    }
    if let refused = facts.refused {
      return "processor time was not sampled in \(name): \(ProfileRefusal(refused, facts.way).text)"
    }
    if facts.samplesInTime > 0 || isPart { return "no sample is in the part of \(name) that was asked for" }
    if facts.lost > 0 { return "all \(counted(facts.lost, "sample")) of \(name) found no room" }
    if facts.missingThreads > 0 {
      return "\(name) has no samples: \(counted(facts.missingThreads, "thread")) could not be sampled"
    }
    if let used = facts.used, used >= profile.period {
      return
        "\(name) has no samples, though its program used \(duration(used)) of processor time: it became another program (exec), "
        + "which has a trace of its own, or was killed before samples were taken"
    }
    return
      "\(name) has no samples: the program used less than one period of processor time (\(duration(profile.period)))"
  }

  /// What is always said, a line each.
  package var lines: [String] {
    facts.isOffProcessor ? waitingLines : processorLines
  }

  /// What a picture does not say by itself, as sentences: it counts samples and stacks.
  package var sentences: [String] {
    lines.filter { !$0.hasPrefix(Self.lost) && !$0.hasPrefix(Self.stacks) }.map {
      $0.prefix(1).uppercased() + $0.dropFirst() + "."
    }
  }

  private static let lost = "lost: "
  private static let stacks = "stacks: "

  /// The same as lines of a text, which are indented and broken at `width` columns.
  package func text(width: Int) -> String {
    lines.map { line in
      TerminalText.wrapped(line, to: width - 4).enumerated().map { ($0.offset > 0 ? "    " : "  ") + $0.element + "\n" }
        .joined()
    }.joined()
  }

  private var processorLines: [String] {
    var lines = [sampled]
    if facts.samplesInTime > profile.samples.count {
      lines.append(
        "selected: \(grouped(profile.samples.count)) of \(counted(facts.samplesInTime, "sample")) in that time; shares are of these"
      )
    }
    lines.append(Self.lost + (facts.lost > 0 ? "\(counted(facts.lost, "sample")) found no room" : "none"))
    lines.append(
      Self.stacks + "\(part(facts.cut)) cut, \(part(facts.guessed)) with guessed frames"
        + (facts.withoutStack > 0 ? ", \(part(facts.withoutStack)) not recorded" : ""))
    lines.append(
      facts.seesKernel
        ? "system calls: \(part(facts.inKernel)) of the samples" : "system calls: their time in the kernel is not seen")
    if facts.missingThreads > 0 {
      lines.append("not sampled: \(counted(facts.missingThreads, "thread"))")
    }
    if facts.inTasks > 0 {
      lines.append(
        "async callers: known for \(share(facts.joined, of: facts.inTasks)) of the samples in tasks, from where these were suspended"
      )
    }
    if profile.owners.allSatisfy({ $0.kind == Profile.Owner.threadKind }) {
      lines.append(
        "work: none of it is in an operation, a block or a task; 'optrace record --all' records blocks and tasks, too")
    }
    return lines + names
  }

  private var sampled: String {
    let rate = "\(Self.rate(facts.rate)) a second of processor time"
    guard let used = facts.used, let share = facts.sampledShare else {
      return "sampled: \(rate); how much was used is not known"
    }
    // In a damaged trace it may be anything.
    let part = percent(min(share, 99))
    return "sampled: \(rate); they stand for \(part) of the \(duration(used)) that were used"
  }

  /// `99`, `0.5`.
  static func rate(_ value: Double) -> String {
    guard value.isFinite, value < 1e9 else { return "?" }
    let tenths = Int((value * 10).rounded())
    return tenths % 10 == 0 ? grouped(tenths / 10) : "\(tenths / 10).\(tenths % 10)"
  }

  private var waitingLines: [String] {
    var lines = [
      "measured, not sampled: from where threads waited and tasks were suspended; those of several at once add up"
    ]
    lines.append(
      Self.stacks + "\(part(facts.withoutStack)) not recorded, \(part(facts.cut)) cut, "
        + "\(part(facts.guessed)) with guessed frames")
    lines.append(
      "not heard: waits for locks, files and sockets, 'sleep' outside of blocks and tasks, and a thread's turn on a processor; waits of less than 1 ms have no stack"
    )
    return lines + names
  }

  private var names: [String] {
    facts.hasNames ? [] : ["names: none of its code has one; 'optrace symbolicate' finds them"]
  }

  private func part(_ count: Int) -> String { share(count, of: profile.samples.count) }

  private func share(_ count: Int, of all: Int) -> String {
    count == 0 ? "none" : percent(Double(count) / Double(max(1, all)))
  }
}
