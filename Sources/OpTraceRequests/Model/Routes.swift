/// The functions by which rounds of one loop are told apart: a server's routes.
///
/// From the loop inwards, nearly all rounds call the same function at first. Where they call several, and each only one of those, that
/// function decides what is done, and these are the routes. A route may decide again. Where rounds call more than one of them, it is code
/// that does its work in several steps, and no decision.
struct Routes {
  private struct Place {
    var inner: [Int32: Int] = [:]
    /// The function that names a round that goes no deeper; -1: none.
    var name: Int32
  }

  private var places = [Place(name: -1)]

  /// The paths of each round: the own functions on the stacks of its waits, in the order of time, the outermost first. O(paths · depth).
  init(_ rounds: some Sequence<[[Int32]]>) {
    let all = Array(rounds)
    // If the rounds never differ, the outermost function names all of them.
    if !find(all, at: 0, depth: 0, name: -1), let first = all.lazy.compactMap(\.first?.first).first {
      places = [Place(inner: [first: 1], name: -1), Place(name: first)]
    }
  }

  /// The function that names a round with these paths; -1: none. O(paths · depth).
  func route(of paths: [[Int32]]) -> Int32 {
    var best: (name: Int32, depth: Int) = (-1, 0)
    for path in paths {
      var (place, depth) = (0, 0)
      for function in path {
        guard let next = places[place].inner[function] else { break }
        (place, depth) = (next, depth + 1)
      }
      if depth > best.depth, places[place].name >= 0 { best = (places[place].name, depth) }
    }
    return best.name
  }

  /// Of so many rounds all but one call the same.
  private static let nearlyAll = 50
  /// One in so many rounds may call two: it is two requests, which nothing tells apart.
  private static let fewCallTwo = 20

  /// What a round calls in a place: the first function, and all.
  private struct Calls {
    var first: Int32
    var all: Set<Int32>
    var paths: [[Int32]]
  }

  /// False: there is no decision from this place inwards.
  private mutating func find(
    _ rounds: [[[Int32]]], at place: Int, depth: Int, name: Int32, own: Int32? = nil
  ) -> Bool {
    let calls = rounds.compactMap { paths -> Calls? in
      let deeper = paths.filter { $0.count > depth }
      return deeper.first.map { Calls(first: $0[depth], all: Set(deeper.map { $0[depth] }), paths: deeper) }
    }
    var (first, seen): ([Int32: Int], [Int32: Int]) = ([:], [:])
    for call in calls {
      first[call.first, default: 0] += 1
      for function in call.all { seen[function, default: 0] += 1 }
    }
    guard let most = first.max(by: { ($0.value, $1.key) < ($1.value, $0.key) }) else { return false }
    func inner(_ function: Int32) -> [[[Int32]]] {
      calls.lazy.filter { $0.first == function }.map { $0.paths.filter { $0[depth] == function } }
    }
    if most.value * Self.nearlyAll >= calls.count * (Self.nearlyAll - 1) {
      let next = add(most.key, in: place, name: name)
      guard find(inner(most.key), at: next, depth: depth + 1, name: name, own: most.key) else { return false }
      // A route that is hardly ever taken.
      for function in first.keys.sorted() where function != most.key { _ = add(function, in: place, name: function) }
      return true
    }
    // What mostly comes later, such as writing a log, is a step of several.
    let choices = Set(first.lazy.filter { $0.value * 2 >= seen[$0.key, default: 0] }.map(\.key))
    let two = calls.count { $0.all.intersection(choices).count > 1 }
    guard choices.count > 1, two * Self.fewCallTwo <= calls.count else { return false }
    // Rounds that wait in the function that decides are named by it.
    if places[place].name < 0, let own { places[place].name = own }
    for function in choices.sorted() {
      let next = add(function, in: place, name: function)
      _ = find(inner(function), at: next, depth: depth + 1, name: function)
    }
    return true
  }

  private mutating func add(_ function: Int32, in place: Int, name: Int32) -> Int {
    places.append(Place(name: name))
    places[place].inner[function] = places.count - 1
    return places.count - 1
  }
}
