import OpTraceKernel
package import OpTraceModel

/// Groups samples with the same stack.
package struct SampleGroups: Sendable {
  /// Samples with all of these in common.
  package struct Group: Sendable, Equatable {
    /// An index in ``Profile/owners``; nil where owners are not told apart.
    package var owner: Int?
    /// As ``Profile/Sample/stack``.
    package var stack: Int
    /// As ``Profile/Sample/isInKernel``.
    package var isInKernel: Bool
    /// Nanoseconds of all of them.
    package var weight: Nanoseconds
    /// The number of samples.
    package var samples: Int
  }

  private struct Key: Hashable {
    var owner: Int
    var stack: Int
    var isInKernel: Bool
  }

  /// Sorted by their first samples.
  package private(set) var groups: [Group] = []

  /// O(samples).
  package init(_ profile: Profile, byOwner: Bool) {
    var known: [Key: Int] = [:]
    for (index, sample) in profile.samples.enumerated() {
      let owner = byOwner ? profile.owner(ofSample: index) : nil
      let number = known.entry(Key(owner: owner ?? -1, stack: sample.stack, isInKernel: sample.isInKernel))
      if number == groups.count {
        groups.append(Group(owner: owner, stack: sample.stack, isInKernel: sample.isInKernel, weight: 0, samples: 0))
      }
      groups[number].weight = groups[number].weight.adding(sample.weight)
      groups[number].samples += 1
    }
  }
}

extension Profile {
  /// An index in ``owners``; nil: the sample has none, or an invalid one.
  package func owner(ofSample index: Int) -> Int? {
    guard ownerOfSamples.indices.contains(index) else { return nil }
    let owner = ownerOfSamples[index]
    return owners.indices.contains(owner) ? owner : nil
  }
}

extension Dictionary where Value == Int {
  /// The number of a key: keys are numbered from 0 in the order in which they appear.
  @inlinable package mutating func entry(_ key: Key) -> Int {
    let next = count
    func number(_ slot: inout Int?) -> Int {
      if let slot { return slot }
      slot = next
      return next
    }
    return number(&self[key])
  }
}
