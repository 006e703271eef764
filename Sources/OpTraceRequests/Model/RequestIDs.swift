import OpTraceKernel
import OpTraceModel

/// The names of single units: `#17` is a whole task, `#17:3` the third known round of it.
package struct RequestIDs: Sendable {
  private var rounds: [Int32] = []
  private let requests: Requests

  /// O(units).
  package init(_ requests: Requests) {
    self.requests = requests
    rounds = Array(repeating: 0, count: requests.units.count)
    var counts: [WorkID: Int32] = [:]
    for (index, unit) in requests.units.enumerated() where requests.kinds[Int(unit.kind)].areRounds {
      counts[unit.work, default: 0] += 1
      rounds[index] = counts[unit.work] ?? 0
    }
  }

  package func text(_ unit: Int) -> String {
    requests.units[unit].work.description + (rounds[unit] > 0 ? ":\(rounds[unit])" : "")
  }

  /// Which round of its task it is, from 1; nil: it is the whole of its work. O(1).
  package func round(_ unit: Int) -> Int? { rounds[unit] > 0 ? Int(rounds[unit]) : nil }

  /// The index of the unit with this name; nil: there is none. O(units).
  package func unit(_ text: String) -> Int? { requests.units.indices.first { self.text($0) == text } }
}

extension Requests {
  /// The unit with this name, such as `#17:3`; nil: there is none. O(units).
  package func unit(_ name: String) -> Unit? {
    let name = name.hasPrefix("#") ? name : "#" + name
    return RequestIDs(self).unit(name).map { units[$0] }
  }

  /// The indexes of the slowest units of a kind, the slowest first. O(units) if more are wanted than
  /// ``RequestKind/slowest`` has.
  package func slowest(of kind: RequestKind, most: Int) -> [Int] {
    guard most > kind.slowest.count, kind.count > kind.slowest.count, let first = kind.slowest.first else {
      return Array(kind.slowest.prefix(most))
    }
    let number = units[first].kind
    return Array(
      units.indices.filter { units[$0].kind == number }
        .sorted { (-units[$0].length, $0) < (-units[$1].length, $1) }.prefix(most))
  }
}
