import OpTraceBlame
import OpTraceKernel
import OpTraceModel
import OpTraceText

extension Requests {
  /// A box of a flame graph of blame. From top to bottom they read as a sentence: slow units of a kind, for a lock, by another kind, in a call.
  struct StepWords: Hashable {
    /// What it is, for its colour.
    var kind: String
    /// As short as it can be said, for the box.
    var title: String
    /// In plain words, with its place.
    var text: String
    /// What its time is blamed on; nil: it leads on.
    var culprit: String?
  }

  func words(_ step: BlameTree.Step) -> StepWords {
    switch step {
    case .waits(let resource): words(resource)
    case .awaits(let kind, let name): awaited(kind, name)
    case .unit(let kind):
      StepWords(kind: "holder", title: "by " + kinds[Int(kind)].name, text: "work of '\(kinds[Int(kind)].name)' had it")
    case .work(let name):
      StepWords(kind: "holder", title: "by " + name, text: "'\(name)' had it, for no unit of work that is known")
    case .thread(let name): StepWords(kind: "holder", title: "by thread " + name, text: "thread '\(name)' had it")
    case .ends(let end, let culprit): words(end, culprit)
    case .others: StepWords(kind: "others", title: "others", text: "many that take little each")
    }
  }

  private func words(_ resource: BlameResource) -> StepWords {
    let place = inWords.place(in: resource.location)
    let at = place.isEmpty ? "" : " at \(place)"
    let name = resource.name
    let what =
      switch resource.kind {
      case .thread: "a thread"
      case .main: "the main thread"
      case .actor: name.isEmpty ? "an actor" : name
      case .executor: "a turn of an executor"
      case .slot: "a slot of queue '\(name)'"
      case .queue: "dispatch queue '\(name)'"
      case .lock: name.isEmpty ? "a lock" : name
      case .signal: name.isEmpty ? "a signal" : name
      case .loop: "event loop \(name)"
      case .continuation: "what is handed on"
      case .child, .submission, .dependency: name
      }
    let function = inWords.place(resource.location)?.function
    let isPlaced = resource.kind == .continuation || resource.kind == .executor
    return StepWords(
      kind: resource.kind.rawValue, title: "for " + what + (isPlaced ? function.map { " in " + $0 } ?? "" : ""),
      text: "waits for \(what)\(at)")
  }

  private func awaited(_ kind: BlameResource.Kind, _ name: String) -> StepWords {
    let name = name.isEmpty ? "other work" : name
    return switch kind {
    case .dependency: StepWords(kind: "child", title: "for " + name, text: "waits for its dependency '\(name)'")
    case .submission:
      StepWords(kind: "child", title: "until \(name) submits it", text: "is not submitted yet by '\(name)'")
    default: StepWords(kind: "child", title: "for " + name, text: "waits for '\(name)', which works for it")
    }
  }

  private func words(_ end: BlameEnd, _ culprit: Culprit) -> StepWords {
    let function = inWords.place(end.location)?.function
    let inFunction = function.map { " in " + $0 } ?? ""
    let (kind, title, text) =
      switch end.kind {
      case .code: ("running", function ?? "code that runs", "runs on a processor: \(inWords.phrase(end))")
      case .call where end.name == "sleep":
        ("thread-sleep", "sleep" + inFunction, "sleeps and holds its thread: \(inWords.phrase(end))")
      case .call: ("call", end.name + inFunction, "blocks its thread: \(inWords.phrase(end))")
      case .sleep: ("sleeping", "sleep" + inFunction, "lets time pass: \(inWords.phrase(end))")
      case .outside:
        ("outside", "the outside" + inFunction, "waits for something outside of the program: \(inWords.phrase(end))")
      case .machine:
        ("machine", "no processor", "the machine had no processor for it, or a free thread was not used yet")
      case .unknown:
        (
          "unknown", end.name.isEmpty ? "not known" : end.name,
          end.name.isEmpty ? "nothing more is known" : inWords.phrase(end)
        )
      }
    return StepWords(kind: kind, title: title, text: text, culprit: inWords.phrase(culprit))
  }

  private static let nearlyAll = 0.95

  /// `had meanwhile by 'Report.build()' (62 %), which runs 'Report.render()' (Report.swift:40)`; nil: nobody is known.
  func phrase(_ note: Note) -> String? {
    guard let holder = note.holder else { return nil }
    let name: String? =
      switch holder.who {
      case .unit(let kind): kinds[Int(kind)].name
      case .work(let name), .thread(let name): name
      case .waits, .awaits, .ends, .others: nil
      }
    guard let name else { return nil }
    let who = if case .thread = holder.who { "thread '\(name)'" } else { "'\(name)'" }
    // It has been named.
    var end = holder.end
    if inWords.place(end.caller)?.function == name { end.caller = -1 }
    let isWork = [.dependency, .child].contains(causes[Int(note.cause)].what)
    let share = holder.share < Self.nearlyAll ? " (\(percent(holder.share)))" : ""
    let mostly = holder.endShare < Self.nearlyAll ? "mostly " : ""
    return (isWork ? "that is \(who)" : "had meanwhile by \(who)") + share
      + (doing(end).map { ", which \(mostly)\($0)" } ?? "")
  }

  private func doing(_ end: BlameEnd) -> String? {
    switch end.kind {
    case .code: "runs \(inWords.phrase(end))"
    case .call where end.name == "sleep": "sleeps and holds its thread: \(inWords.phrase(end))"
    case .call: "blocks in \(inWords.phrase(end))"
    case .sleep: "lets time pass: \(inWords.phrase(end))"
    case .outside: "waits for \(inWords.phrase(end))"
    case .machine: "has no processor"
    case .unknown: nil
    }
  }
}
