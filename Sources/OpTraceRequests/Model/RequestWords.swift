import OpTraceKernel
package import OpTraceModel

extension Requests {
  /// `wait 84 ms for actor ProductCache, which 'touch(_:)' holds (ProductCache.swift:31)`: what units do in the time of
  /// a cause.
  package func phrase(_ cause: Cause, _ length: Nanoseconds? = nil) -> String {
    let time = length.map { " " + DurationText.text($0) } ?? ""
    let location = location(of: cause)
    let function = location?.function.map { "'\($0)'" }
    let line = location?.lineText.map { " (\($0))" } ?? ""
    let at = function.map { " in \($0)\(line)" } ?? ""
    let who = cause.who.isEmpty ? nil : cause.who
    switch cause.what {
    case .running: return "run\(time)\(at)"
    case .thread: return "wait\(time) for a thread"
    case .actor:
      if who == "MainActor" { return "wait\(time) for the main thread\(at)" }
      return "wait\(time) for \(who.map { "actor \($0)" } ?? "an actor")"
        + (function.map { ", which is busy in \($0)\(line)" } ?? "")
    case .dispatchQueue: return "wait\(time) for \(who.map { "dispatch queue \($0)" } ?? "a dispatch queue")\(at)"
    case .operationQueue: return "wait\(time) for a slot of \(who.map { "queue \($0)" } ?? "a queue")\(at)"
    case .dependency: return "wait\(time) for what they depend on"
    case .loop:
      return "wait\(time) for \(who.map { "event loop \($0)" } ?? "an event loop")"
        + (function.map { ", which is held in \($0)\(line)" } ?? "")
    case .lock: return "wait\(time) for \(who ?? "a lock")\(at)"
    case .call: return "block\(time) in \(who ?? "a call")\(at)"
    case .threadSleep: return "sleep\(time)\(at), and hold their thread"
    case .disk: return "wait\(time) for a disk\(at)"
    case .continuation: return "wait\(time)\(at) until other work resumes them"
    case .child: return "wait\(time) for child tasks\(at)"
    case .sleeping: return "sleep\(time)\(at)"
    case .outside: return "wait\(time)\(at) for something outside of the program"
    case .offCPU: return "have no processor\(time.isEmpty ? "" : " for" + time)\(at)"
    }
  }

  /// `for actor ProductCache: ProductCache.touch(_:)`: a cause without its time, for narrow columns.
  package func short(_ cause: Cause) -> String {
    let function = location(of: cause)?.function
    let what: String
    switch cause.what {
    case .running: return function.map { "running \($0)" } ?? "running"
    case .actor where cause.who == "MainActor": what = "for the main thread"
    case .actor where !cause.who.isEmpty: what = "for actor \(cause.who)"
    case .dispatchQueue where !cause.who.isEmpty: what = "for dispatch queue \(cause.who)"
    case .operationQueue where !cause.who.isEmpty: what = "for queue \(cause.who)"
    case .loop where !cause.who.isEmpty: what = "for event loop \(cause.who)"
    case .lock where !cause.who.isEmpty: what = "for \(cause.who)"
    case .call where !cause.who.isEmpty: what = "in \(cause.who)"
    default:
      let title = Self.title(cause.what)
      what = title.hasPrefix("waiting ") ? String(title.dropFirst("waiting ".count)) : title
    }
    return function.map { "\(what): \($0)" } ?? what
  }

  /// What takes most of the time of the slowest units of a kind; nil: nothing is known.
  package func mostOfTail(_ kind: RequestKind) -> Cause? {
    kind.breakdown.max { ($0.tail, $1.cause) < ($1.tail, $0.cause) }.map { causes[Int($0.cause)] }
  }

  /// If the tail is not slower by this factor, there is nothing to explain.
  private static let slower = 1.5

  /// What the slowest units of a kind do that the others do not, in one sentence.
  package func sentence(_ kind: RequestKind) -> String {
    let tail = kind.breakdown.reduce(0) { $0 + $1.tail }
    let median = kind.breakdown.reduce(0) { $0 + $1.median }
    guard let main = kind.main else { return "nothing is known of their time" }
    if Double(tail) > Double(median) * Self.slower, main.tail > main.median {
      return "the slow ones \(phrase(causes[Int(main.cause)], main.tail)); "
        + (main.median > 0
          ? "those about the median \(DurationText.text(main.median))" : "those about the median do not")
    }
    guard let most = kind.breakdown.max(by: { ($0.tail, $1.cause) < ($1.tail, $0.cause) }) else { return "" }
    return "slow and median ones alike \(phrase(causes[Int(most.cause)], most.tail))"
  }

  /// `running`, `for an actor`: the name of a part in tables.
  package static func title(_ what: What) -> String {
    switch what {
    case .running: "running"
    case .thread: "waiting for a thread"
    case .actor: "waiting for an actor"
    case .dispatchQueue: "waiting for a dispatch queue"
    case .operationQueue: "waiting for a slot"
    case .dependency: "waiting for dependencies"
    case .loop: "waiting for an event loop"
    case .lock: "waiting for a lock"
    case .call: "blocked in a call"
    case .threadSleep: "sleeping, thread held"
    case .disk: "waiting for a disk"
    case .continuation: "waiting to be resumed"
    case .child: "waiting for child tasks"
    case .sleeping: "sleeping"
    case .outside: "waiting for the outside"
    case .offCPU: "without a processor"
    }
  }
}
