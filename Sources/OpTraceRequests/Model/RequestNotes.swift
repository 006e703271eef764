package import OpTraceBlame
import OpTraceKernel
package import OpTraceModel

extension Requests {
  /// What work of a unit spent much of its time with, all pieces of the same cause together.
  package struct Note: Sendable, Equatable {
    /// An index in ``Requests/causes``.
    package var cause: Int32
    package var time: Nanoseconds
    /// How often: pieces that follow one another without a gap are one.
    package var count: Int
    /// Who had what was waited for, for most of this time; nil: nobody that is known, or it did not wait for somebody.
    package var holder: Holder?
  }

  /// Who had something meanwhile, and what that one did.
  package struct Holder: Sendable, Hashable {
    package var who: BlameTree.Step
    /// The share of the time that it had it, from 0 to 1.
    package var share: Double
    package var end: BlameEnd
    /// The share of that time in which it did this.
    package var endShare: Double
  }
}

extension RequestParts {
  private static let mostNotes = 3
  /// What takes less of a unit explains nothing.
  private static let leastShare = 0.05
  /// So many pieces tell who mostly has what they wait for.
  private static let mostPieces = 100

  /// What takes most of the time of work, from its pieces. O(pieces + what those did who had what was waited for).
  mutating func notes(
    _ work: WorkID, _ pieces: [Requests.Piece], ofUnit length: Nanoseconds, _ moments: RequestMoments,
    _ requests: Requests
  ) -> [Requests.Note] {
    var rows: [Int32: Int] = [:]
    var notes: [Requests.Note] = []
    var members: [[Requests.Piece]] = []
    var under: Requests.Piece?
    for piece in pieces {
      let row = rows[piece.cause] ?? notes.count
      if row == notes.count {
        rows[piece.cause] = row
        notes.append(.init(cause: piece.cause, time: 0, count: 0))
        members.append([])
      }
      if members[row].last?.ended != piece.began { notes[row].count += 1 }
      notes[row].time += piece.ended - piece.began
      members[row].append(piece)
      if causes[Int(piece.cause)].what == .running {
        under = piece
      } else if let under, let running = rows[under.cause], piece.began < under.ended {
        // What it waited for while its code ran lies on top of that.
        notes[running].time -= min(piece.ended, under.ended) - piece.began
      }
    }
    let least = max(1, Nanoseconds(Double(length) * Self.leastShare))
    return notes.indices.filter { notes[$0].time >= least }
      .sorted { (notes[$1].time, notes[$0].cause) < (notes[$0].time, notes[$1].cause) }.prefix(Self.mostNotes)
      .map { row in
        var note = notes[row]
        if causes[Int(note.cause)].what.hasHolder {
          note.holder = holder(work, members[row].prefix(Self.mostPieces), moments, requests)
        }
        return note
      }
  }

  private struct Held {
    var time = 0.0
    var ends: [BlameEnd: Double] = [:]
  }

  private mutating func holder(
    _ work: WorkID, _ pieces: ArraySlice<Requests.Piece>, _ moments: RequestMoments, _ requests: Requests
  ) -> Requests.Holder? {
    var sums: [Requests.BlameTree.Step: Held] = [:]
    var all = 0.0
    for piece in pieces {
      for share in blame(work, piece.began, piece.ended) {
        all += share.time
        guard let holder = share.hops.first?.holder else { continue }
        let who = strands.step(of: holder, at: share.began, moments, requests)
        sums[who, default: Held()].time += share.time
        sums[who]?.ends[share.end, default: 0] += share.time
      }
    }
    guard let (who, held) = Self.most(sums, by: \.time), let (end, time) = Self.most(held.ends, by: \.self) else {
      return nil
    }
    return .init(who: who, share: held.time / max(1, all), end: end, endShare: time / max(1, held.time))
  }

  /// Of equal ones the first by its words, so that it is always the same.
  private static func most<Key: Hashable, Value>(
    _ sums: [Key: Value], by time: (Value) -> Double
  ) -> (key: Key, value: Value)? {
    sums.max {
      (time($0.value), String(describing: $1.key)) < (time($1.value), String(describing: $0.key))
    }.map { ($0.key, $0.value) }
  }
}

extension Requests.What {
  /// Whether somebody in the program has what is waited for.
  fileprivate var hasHolder: Bool {
    switch self {
    case .thread, .actor, .dispatchQueue, .operationQueue, .dependency, .loop, .lock, .continuation, .child: true
    case .running, .call, .threadSleep, .disk, .sleeping, .outside, .offCPU: false
    }
  }
}
