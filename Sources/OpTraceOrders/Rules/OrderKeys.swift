import OpTraceDoctor
import OpTraceFormat
import OpTraceKernel
import OpTraceModel

/// What says that a deadlock that may happen is the same one in another run: functions, files and names of queues, no addresses and no lines,
/// so that it is the same in the next build.
extension DoctorContext {
  /// `lock-order-inversion: lock in a() in A.swift, then lock in b() in B.swift; …`, a part for each side.
  func key(of cycle: OrderCycles.Cycle) -> String {
    let sides = zip(cycle.edges, cycle.sightings).map { edge, sighting in
      let held = key(of: edge.held.thing, at: edge.from.sightings.first?.at)
      return held + ", then " + key(of: edge.wanted.thing, at: sighting.at)
    }
    return "\(Trouble.lockOrderInversion.code.rawValue): " + sides.sorted().joined(separator: "; ")
  }

  /// `blocking-in-task: semaphore in a() in A.swift, signalled in b() in B.swift`.
  func key(of handover: HandoverRecord) -> String {
    let kind = handover.kind == .semaphore ? "semaphore" : "group"
    let places = place(handover.waitedAt) + ", signalled" + place(handover.signalledAt)
    return "\(Trouble.blockingInTask.code.rawValue): \(kind)\(places)"
  }

  private func key(of thing: OrderSide.Thing, at frame: FrameID?) -> String {
    switch thing {
    case .lock(let lock): (lock.kind == .rwlock ? "reader-writer lock" : "lock") + place(frame)
    case .queue(let id): "dispatch queue '\(trace.dispatchQueue(id)?.label ?? "")'" + place(frame)
    case .slot(let id): "slot of '\(trace.queue(id)?.ownName ?? "")'" + place(frame)
    }
  }

  private func place(_ frame: FrameID?) -> String {
    guard let location = location(at: frame) else { return "" }
    return place(location) + (caller(at: frame).map { ", called" + place($0) } ?? "")
  }

  private func place(_ location: CodeLocation) -> String {
    let file = location.file.map { " in " + ($0.split(separator: "/").last.map(String.init) ?? $0) } ?? ""
    return (location.function.map { " in " + $0 } ?? "") + file
  }
}

extension QueueRecord {
  /// The name that the program gave it; empty: Foundation's, which has an address in it.
  fileprivate var ownName: String { name.hasPrefix("NSOperationQueue 0x") ? "" : name }
}
