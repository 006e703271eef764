package import OpTraceModel

/// What strands of work do over time: the wait-for graph that blame is passed on along.
package protocol BlameSource {
  /// Something that does one thing at a time: a piece of work, a thread.
  associatedtype Strand: Hashable
  /// What is waited for, for people.
  associatedtype Resource: Hashable
  /// Where blame ends.
  associatedtype End: Hashable

  /// What a strand did between two moments: in the order of time, without gaps and overlaps, all of it.
  mutating func pieces(of strand: Strand, from: Nanoseconds, to: Nanoseconds) -> [BlamePiece<Strand, Resource, End>]
  /// The end of a wait that leads back to who waits, or on for too long.
  var endless: End { get }
}

/// What a strand did for a while.
package struct BlamePiece<Strand: Hashable, Resource: Hashable, End: Hashable>: Equatable {
  package enum State: Equatable {
    /// It is itself where the time went.
    case ends(End)
    /// It waited for something that these strands had, each to the same share. None: who had it is not known.
    case waits(Resource, by: [Strand], orElse: End)
  }

  package var began: Nanoseconds
  package var ended: Nanoseconds
  package var state: State

  package init(_ began: Nanoseconds, _ ended: Nanoseconds, _ state: State) {
    (self.began, self.ended, self.state) = (began, ended, state)
  }
}

/// Where time went: each interval in which a strand waits is given to who had what it waited for, and passed on to what those waited for at
/// that time, until somebody did something. The sum of ``shares`` is the time that was given.
///
/// After wPerf (Zhou, Gan, Ma, Wang: wPerf, Generic Off-CPU Analysis to Identify Bottleneck Waiting Events, OSDI 2018), which redistributes
/// waiting in the same way.
package struct Blame<Source: BlameSource> {
  /// What was waited for, and who had it.
  package struct Hop: Hashable {
    package var resource: Source.Resource
    package var holder: Source.Strand?
  }

  /// Time with one end, and what leads there from the strand that was asked about.
  package struct Share {
    package var hops: [Hop]
    package var end: Source.End
    /// When it began.
    package var began: Nanoseconds
    /// In nanoseconds. Where several strands had a thing together, each has a part of the time.
    package var time: Double
  }

  package private(set) var shares: [Share] = []
  private var hops: [Hop] = []
  private var met: [Source.Strand]

  /// Where many hold a thing, and each of them waits for one that many hold, ways multiply. A smaller part of the time is followed no
  /// further, and neither is anything once there are so many shares.
  static var leastWeight: Double { 1.0 / 512 }
  static var mostShares: Int { 20_000 }

  /// More hops than a chain of holders ever has in practice.
  static var longestChain: Int { 16 }

  /// Blames a strand's time between two moments. O(pieces on the way), of which there are at most so many as ``mostShares`` and the pieces of one strand.
  package init(_ strand: Source.Strand, from: Nanoseconds, to: Nanoseconds, in source: inout Source) {
    met = [strand]
    if to > from { follow(strand, from, to, 1, &source) }
  }

  private mutating func follow(
    _ strand: Source.Strand, _ from: Nanoseconds, _ to: Nanoseconds, _ weight: Double, _ source: inout Source
  ) {
    for piece in source.pieces(of: strand, from: from, to: to) {
      let time = Double(piece.ended - piece.began) * weight
      switch piece.state {
      case .ends(let end): shares.append(Share(hops: hops, end: end, began: piece.began, time: time))
      case .waits(let resource, let holders, let otherwise):
        guard !holders.isEmpty else {
          shares.append(
            Share(hops: hops + [Hop(resource: resource)], end: otherwise, began: piece.began, time: time))
          continue
        }
        for holder in holders {
          let hop = Hop(resource: resource, holder: holder)
          if met.contains(holder) || hops.count >= Self.longestChain || shares.count >= Self.mostShares
            || weight / Double(holders.count) < Self.leastWeight
          {
            shares.append(
              Share(
                hops: hops + [hop], end: source.endless, began: piece.began, time: time / Double(holders.count)))
            continue
          }
          hops.append(hop)
          met.append(holder)
          follow(holder, piece.began, piece.ended, weight / Double(holders.count), &source)
          met.removeLast()
          hops.removeLast()
        }
      }
    }
  }
}
