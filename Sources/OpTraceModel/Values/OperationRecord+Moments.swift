extension OperationRecord {
  /// Gives each of its moments another time and thread. Times without a thread are passed with thread 0.
  package mutating func moveMoments(_ moved: (Stamp) -> Stamp) {
    func time(_ time: Nanoseconds) -> Nanoseconds { moved(Stamp(time, ThreadID(0))).time }
    for path in [\Self.compactCreated, \.compactLastSign] {
      self[keyPath: path] = CompactTime(self[keyPath: path].time.map(time))
    }
    let stamps = [
      \Self.compactEnqueued, \.compactReady, \.compactStarted, \.compactExecutionBegan, \.compactExecutionEnded,
      \.compactStartReturned, \.compactFinished, \.compactReleased,
    ]
    for path in stamps { self[keyPath: path] = CompactStamp(self[keyPath: path].stamp.map(moved)) }
    for index in dependencies.indices {
      dependencies[index].added = time(dependencies[index].added)
      dependencies[index].removed = dependencies[index].removed.map(time)
    }
    for index in blocks.indices {
      let began = moved(Stamp(blocks[index].began, blocks[index].thread))
      (blocks[index].began, blocks[index].thread) = (began.time, began.thread)
      blocks[index].ended = blocks[index].ended.map(time)
    }
    if var values = rareFacts?.values {
      values.move(moved)
      rareFacts = RareFacts(values)
    }
  }

  /// The same operation before anything was done with it: what it is, and what it depends on. All other values are left out.
  package var asCreated: OperationRecord {
    var result = OperationRecord(id: id, class: sharedClass)
    result.share(source: sharedSource)
    result.name = name
    result.queue = queue
    result.dependencies = dependencies
    (result.addedAt, result.madeAt, result.enqueuedBy) = (addedAt, madeAt, enqueuedBy)
    result.compactCreated = compactCreated
    result.coverage = coverage
    result.traits = traits
    result.priority = priority
    result.quality = quality
    return result
  }
}
