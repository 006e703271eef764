import OpTraceKernel
package import OpTraceModel

extension Requests {
  /// What work did between two moments.
  package struct Piece: Sendable, Equatable {
    /// An index in ``Requests/causes``.
    package var cause: Int32
    /// In nanoseconds since the trace's start.
    package var began: Nanoseconds
    package var ended: Nanoseconds
  }

  /// Work of a unit: first the unit's own, then what was submitted during it, each below its submitter.
  package struct Line: Sendable, Equatable {
    package var work: WorkID
    package var depth: Int
    package var began: Nanoseconds
    /// No later than the unit's end.
    package var ended: Nanoseconds
    /// In the order of time; where pieces overlap, a later one is on top of those before it.
    package var pieces: [Piece]
    /// What takes most of its time, the most first.
    package var notes: [Note] = []
  }

  /// How many lines are wanted: for the slowest units of the first kinds.
  package struct TreeLimits: Sendable {
    package var kinds: Int
    package var units: Int
    /// The largest number of lines of a unit, and of pieces of a line.
    package var lines = 60
    package var pieces = 300

    package init(kinds: Int, units: Int) { (self.kinds, self.units) = (kinds, units) }
  }
}

extension RequestFinder {
  /// The lines of units, by the index of the unit. O(work + lines).
  mutating func trees(of found: Requests, _ limits: Requests.TreeLimits) -> [Int: [Requests.Line]] {
    let units = found.kinds.prefix(limits.kinds).flatMap { found.slowest(of: $0, most: limits.units) }
    guard !units.isEmpty else { return [:] }
    var submitted: [Int32: [Int32]] = [:]
    for index in 0..<trace.workCount {
      guard let submitter = trace.submitter(of: trace.workID(at: index)).flatMap(trace.workIndex(of:)) else { continue }
      submitted[Int32(submitter), default: []].append(Int32(index))
    }
    var trees: [Int: [Requests.Line]] = [:]
    let moments = RequestMoments(found, trace)
    for unit in units {
      let length = found.units[unit].length
      trees[unit] = lines(of: found.units[unit], submitted, limits) { parts, work, pieces in
        parts.notes(work, pieces, ofUnit: length, moments, found)
      }
    }
    return trees
  }

  private mutating func lines(
    of unit: Requests.Unit, _ submitted: [Int32: [Int32]], _ limits: Requests.TreeLimits,
    notes: (inout RequestParts, WorkID, [Requests.Piece]) -> [Requests.Note]
  ) -> [Requests.Line] {
    guard let root = trace.workIndex(of: unit.work) else { return [] }
    var lines: [Requests.Line] = []
    var rest: [(index: Int, depth: Int, began: Nanoseconds)] = [(root, 0, unit.began)]
    var met: Set<Int> = [root]
    while let next = rest.popLast(), lines.count < limits.lines {
      let work = trace.work(at: next.index)
      let over = next.depth == 0 ? unit.ended : min(unit.ended, work.over ?? trace.end)
      let ended = max(next.began, over)
      let pieces = parts.line(work.id, next.began, ended)
      lines.append(
        .init(
          work: work.id, depth: next.depth, began: next.began, ended: ended,
          pieces: Array(pieces.prefix(limits.pieces)), notes: notes(&parts, work.id, pieces)))
      var inner: [(index: Int, depth: Int, began: Nanoseconds)] = []
      for index in submitted[Int32(next.index)] ?? [] {
        guard let time = trace.submitted(workAt: Int(index)), time >= unit.began, time <= unit.ended,
          met.insert(Int(index)).inserted
        else { continue }
        inner.append((Int(index), next.depth + 1, time))
      }
      rest += inner.sorted { ($0.began, $0.index) > ($1.began, $1.index) }
    }
    return lines
  }
}
