import OpTraceKernel
import OpTraceModel
package import OpTraceSamples
package import OpTraceText

/// What differs between two profiles, for people.
package struct ProfileDifferenceText {
  private let before: Profile
  private let after: Profile
  private let style: TextStyle
  private let most: Int

  package init(from before: Profile, to after: Profile, most: Int = 20, style: TextStyle = .plain) {
    (self.before, self.after) = (before, after)
    self.most = most
    self.style = style
  }

  /// Ends with a line end. O(samples + frames of all stacks).
  /// - Parameter names: of both traces.
  package func text(_ names: (before: String, after: String)) -> String {
    let difference = ProfileDifference(from: before, to: after)
    var text = side("before", before, names.before) + side("after", after, names.after)
    if !after.facts.isOffProcessor {
      text +=
        "  a change is marked '~' where chance explains it: it is less than twice what numbers of samples vary by\n"
    }
    let functions = self.functions(difference)
    let work = self.work(difference)
    if !functions.isEmpty { text += "\n" + style.paint(.strong, "Functions") + "\n" + functions }
    if !work.isEmpty { text += "\n" + style.paint(.strong, "Work") + "\n" + work }
    return text
  }

  private func side(_ word: String, _ profile: Profile, _ name: String) -> String {
    let what = profile.facts.isOffProcessor ? "of waiting" : "of processor time"
    let count = counted(profile.samples.count, profile.facts.isOffProcessor ? "wait" : "sample")
    return style.paint(.strong, word) + ": \(name), \(duration(profile.total)) \(what) in \(count)\n"
      + ProfileNotes(profile).text(width: style.width)
  }

  private func functions(_ difference: ProfileDifference) -> String {
    var table = TextTable([
      .number("self before"), .number("after"), .number("change"), .number("total before"), .number("after"),
      .number("change"), .text("function", widest: 60), .text("module", widest: 24), .text("source", widest: 32),
    ])
    for row in difference.functions.prefix(most) {
      table.add(
        cells(row.own) + cells(row.total) + [
          row.name.name, row.name.name == row.name.module ? "" : row.name.module ?? "", row.name.source,
        ])
    }
    return table.text(style) + left(difference.functions.count)
  }

  private func work(_ difference: ProfileDifference) -> String {
    var table = TextTable([
      .number("before"), .number("after"), .number("change"), .text("work", widest: 48), .text("queue", widest: 32),
    ])
    for row in difference.work.prefix(most) {
      table.add(cells(row.time) + [row.name.title, row.name.queue ?? ""])
    }
    return table.text(style) + left(difference.work.count)
  }

  private func cells(_ change: ProfileDifference.Change) -> [String] {
    let sign = change.difference > 0 ? "+" : ""
    let size = duration(change.difference)
    return [
      duration(change.before), duration(change.after),
      (change.isClear || change.difference == 0 ? "" : "~ ") + sign + size,
    ]
  }

  private func left(_ count: Int) -> String {
    count > most ? style.paint(.faint, "  and \(grouped(count - most)) more: see --top") + "\n" : ""
  }
}
