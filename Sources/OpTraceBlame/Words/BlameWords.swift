package import OpTraceModel

/// What blame is put on, in words: the one place for them. Names are as the program gave them, and not yet safe for a terminal.
package struct BlameWords: Sendable {
  private let locations: [CodeLocation]

  /// - Parameter locations: what the locations of culprits, resources and ends are indexes of.
  package init(_ locations: [CodeLocation]) { self.locations = locations }

  /// Where something is; nil: not known.
  package func place(_ location: Int32) -> CodeLocation? { location < 0 ? nil : locations[Int(location)] }

  /// `'Store.query(_:)' (Store.swift:40)`.
  package func place(in location: Int32, or none: String = "") -> String {
    guard let place = place(location) else { return none }
    return (place.function.map { "'\($0)'" } ?? "") + (place.lineText.map { " (\($0))" } ?? "")
  }

  /// `, called by 'Reconciler.run()'`; empty: nothing more is known.
  package func called(by caller: Int32) -> String {
    place(caller)?.function.map { ", called by '\($0)'" } ?? ""
  }

  /// `'Store.query(_:)' (Store.swift:40), which blocks in recv`: what time is to be blamed on.
  package func phrase(_ culprit: Culprit) -> String {
    switch culprit {
    case .code(let location, let caller): "\(place(in: location, or: "code")), which runs\(called(by: caller))"
    case .call(let name, let location): "\(place(in: location, or: "code")), which blocks its thread in \(name)"
    case .signal(let location): "\(place(in: location, or: "code")), which blocks its thread until a signal comes"
    case .lock(let name): "lock '\(name)'"
    case .actor(let name): name
    case .main(let location): "the main thread" + (place(location) == nil ? "" : ", in \(place(in: location))")
    case .loop(let name): "event loop \(name)"
    case .executor(let location): "the turns of an executor, at \(place(in: location, or: "an await"))"
    case .pool(let location): "what is handed on at \(place(in: location, or: "a continuation"))"
    case .slots(let name): "the slots of queue '\(name)'"
    case .queue(let name): "dispatch queue '\(name)'"
    case .outside(let location): "something outside of the program, at \(place(in: location, or: "an await"))"
    case .time(let location): "a sleep" + (place(location) == nil ? "" : ", in \(place(in: location))")
    case .machine: "the machine: no processor, or a thread that was not used yet"
    case .unknown: "what is not known"
    }
  }

  /// `for lock 'mutex 1'`: the same for narrow columns, as a wait; nil: not known.
  package func short(_ culprit: Culprit) -> String? {
    switch culprit {
    case .code(let location, _): "for a thread that runs " + (place(location)?.function ?? "code")
    case .call(let name, let location): "for a thread blocked in \(name)" + at(location)
    case .signal(let location): "for a signal" + at(location)
    case .lock(let name): "for \(name)"
    case .actor(let title): "for \(title)"
    case .main: "for the main thread"
    case .loop(let name): "for event loop \(name)"
    case .executor(let location): "for a turn of an executor" + at(location)
    case .pool(let location): "for what others have" + at(location)
    case .slots(let name): "for a slot of queue \(name)"
    case .queue(let name): "for dispatch queue \(name)"
    case .outside(let location): "for the outside" + at(location)
    case .time(let location): "sleeping" + at(location)
    case .machine: "for a processor"
    case .unknown: nil
    }
  }

  private func at(_ location: Int32) -> String { place(location)?.function.map { ": \($0)" } ?? "" }

  /// The words for what somebody did who had what was waited for, and where.
  package func phrase(_ end: BlameEnd) -> String {
    let at = place(in: end.location)
    switch end.kind {
    case .code: return at.isEmpty ? "code" : at + called(by: end.caller)
    case .call: return end.name + (at.isEmpty ? "" : " in \(at)" + called(by: end.caller))
    case .sleep: return "a sleep" + (at.isEmpty ? "" : " in \(at)")
    case .outside: return "the outside" + (at.isEmpty ? "" : " at \(at)")
    case .machine: return "no processor"
    case .unknown: return end.name.isEmpty ? "not known" : end.name + (at.isEmpty ? "" : " in \(at)")
    }
  }
}
