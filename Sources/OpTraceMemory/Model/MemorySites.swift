import OpTraceKernel
import OpTraceSamples

/// Where memory is allocated: the innermost of the program's own functions, and its caller: a helper would mix all its callers.
struct MemorySites {
  struct Site: Hashable {
    /// An index in the profile's functions; nil: no function is known.
    var function: Int?
    var caller: Int?
  }

  /// Each once.
  private(set) var sites: [Site] = []
  /// For each stack of the profile an index in ``sites``.
  private(set) var ofStacks: [Int] = []
  /// For each site the line of its function, and the functions outside of it, the innermost first.
  private(set) var lines: [Int?] = []
  private(set) var callers: [[Int]] = []

  private static let mostCallers = 4

  /// O(frames of all stacks).
  init(_ profile: Profile) {
    var known: [Site: Int] = [:]
    for stack in profile.stacks {
      let frames = stack.frames
      let place = profile.chargedFrame(of: stack)
      var outer: [Int] = []
      let function = place.map { profile.frames[frames[$0]].function }
      var last = function
      for frame in frames[..<(place ?? 0)].reversed() {
        let next = profile.frames[frame].function
        // A function that calls itself is one caller, and so are the two parts of an initialiser.
        if let last, profile.functions[last].identity == profile.functions[next].identity { continue }
        outer.append(next)
        last = next
      }
      let site = Site(function: function, caller: outer.first)
      if let index = known[site] {
        ofStacks.append(index)
        continue
      }
      known[site] = sites.count
      ofStacks.append(sites.count)
      sites.append(site)
      lines.append(place.flatMap { profile.frames[frames[$0]].line })
      callers.append(Array(outer.prefix(Self.mostCallers)))
    }
  }
}
