import OpTraceFormat
package import OpTraceModel

/// Where threads are to pause in another run, so that the sides of deadlocks meet. A place is a file and an offset in it, with those of its
/// callers: it is the same wherever the program is loaded.
package struct PausePlan: Sendable, Equatable {
  /// One side of a deadlock: who is there holds the one and wants the other.
  package struct Place: Sendable, Equatable {
    /// Which deadlock it belongs to, from 1, and which of its sides it is.
    package var deadlock: Int
    package var side: Int
    package var sides: Int
    /// Nil: whatever it holds.
    var held: HeldKind?
    var wanted: HeldKind
    var frames: [Frame]
    /// So many threads at this one place fill a pool.
    var isCrowd = false
  }

  struct Frame: Sendable, Equatable {
    var module: Int
    var offset: UInt64
  }

  /// A file with code: its build id, or its name if it has none.
  package struct Module: Sendable, Hashable {
    package var name: String
    package var buildID: String?

    var text: String { buildID ?? "=" + name.filter { $0 != " " && $0 != "/" } }
  }

  package private(set) var modules: [Module] = []
  package private(set) var places: [Place] = []

  /// As many as the recorder takes.
  private static let mostPlaces = 64
  private static let mostModules = 32
  private static let mostFrames = 8
  private static let largestPool = 64
  /// Further out, other callers may lead to the same place.
  private static let mostOwnFrames = 3

  package init() {}

  /// Adds all sides of a deadlock. False: there is no room, or it is not known where one of them was.
  package mutating func add(_ cycle: OrderCycles.Cycle, of trace: Trace, as number: Int) -> Bool {
    var longer = self
    for (side, (edge, sighting)) in zip(cycle.edges, cycle.sightings).enumerated() {
      guard let frames = longer.frames(at: sighting.at, trace.stacks), longer.places.count < Self.mostPlaces else {
        return false
      }
      longer.places.append(
        Place(
          deadlock: number, side: side, sides: cycle.edges.count, held: edge.from.wanted.kind,
          wanted: edge.to.wanted.kind, frames: frames))
    }
    self = longer
    return true
  }

  /// Adds the place where those wait who fill a pool of so many threads or slots.
  package mutating func add(_ handover: HandoverRecord, filling pool: Int, of trace: Trace, as number: Int) -> Bool {
    guard pool <= Self.largestPool, places.count < Self.mostPlaces,
      let frames = frames(at: handover.waitedAt, trace.stacks)
    else { return false }
    places.append(
      Place(
        deadlock: number, side: 0, sides: pool, held: nil, wanted: handover.kind, frames: frames, isCrowd: true))
    return true
  }

  /// The innermost frames, as far as they are known for sure and say which place it is. Nil: there are none.
  private mutating func frames(at innermost: FrameID?, _ stacks: StackTable) -> [Frame]? {
    var found: [Frame] = []
    var own = 0
    for id in stacks.stack(innermost) {
      guard let frame = stacks[id], !frame.isGuessed, let image = stacks.image(of: id), found.count < Self.mostFrames,
        own < Self.mostOwnFrames, let module = number(of: image)
      else { break }
      found.append(Frame(module: module, offset: frame.address.offset))
      if stacks.isOwn(id) { own += 1 }
    }
    return own > 0 ? found : nil
  }

  private mutating func number(of image: ImageRecord) -> Int? {
    let module = Module(name: image.name, buildID: image.buildID)
    if let known = modules.firstIndex(of: module) { return known }
    guard modules.count < Self.mostModules else { return nil }
    modules.append(module)
    return modules.count - 1
  }

  /// The value of `OPTRACE_PAUSES` for a run in which who comes first waits so many milliseconds for the others.
  package func setting(wait milliseconds: Int) -> String {
    let places = places.map { place in
      let frames = place.frames.map { "\($0.module)+" + String($0.offset, radix: 16) }.joined(separator: "/")
      let (held, wanted) = (Int(place.held?.rawValue ?? 0), Int(place.wanted.rawValue))
      let numbers = [place.deadlock, place.side, place.sides, held, wanted]
      return (place.isCrowd ? " crowd=" : " place=") + numbers.map { "\($0):" }.joined() + frames
    }
    return "wait=\(milliseconds) modules=" + modules.map(\.text).joined(separator: "/") + places.joined()
  }

  /// The same for places by chance.
  package static func setting(seed: UInt64) -> String { "chance=\(seed)" }
}
