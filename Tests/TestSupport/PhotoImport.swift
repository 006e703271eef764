public import OpTraceModel

/// An import of photos: three queues, 26 operations.
public enum PhotoImport {
  /// At 2.6 s: a cycle of three, work still going on, and a chain behind it.
  public static func stuck() -> Trace {
    var make = HandmadeTrace("photo-import", end: 2600)
    let (network, imaging, store) = queues(&make)
    make.operation("FetchManifest", on: network, began: 0, ended: 420)
    make.operation("ParseManifest", on: imaging, after: [1], ready: 420, began: 430, ended: 480)
    downloads(&make, network)
    make.operation("Decode 1", on: imaging, after: [3], ready: 1310, began: 1310, ended: 1590)
    make.operation("Decode 2", on: imaging, after: [4], ready: 980, began: 990, ended: 1250)
    make.operation("Decode 3", on: imaging, after: [5], ready: 1720, began: 1740, ended: 2130)
    make.operation("Decode 4", on: imaging, after: [6], ready: 760, began: 760, ended: 980)
    make.operation("Decode 5", on: imaging, after: [7], ready: 900, ended: 910, cancelled: 890)
    make.operation("Thumbnail 1", on: imaging, after: [8], ready: 1590, began: 1590, ended: 1700)
    make.operation("Thumbnail 2", on: imaging, after: [9], ready: 1250, began: 1250, ended: 1380)
    make.operation("Thumbnail 3", on: imaging, after: [10], ready: 2130, began: 2140, ended: 2260)
    make.operation("BuildIndex", on: store, after: [13, 14, 15, 11, 19], ready: 2260, began: 2270)
    make.operation("DetectFaces", on: imaging, after: [10], ready: 2130, began: 2140)
    make.operation("OpenDatabase", on: store, began: 0, ended: 180)
    make.operation("Migrate v7", on: store, after: [18], ready: 180, began: 190, ended: 530)
    make.operation("InsertRows", on: store, after: [16])
    make.operation("CommitTxn", on: store, after: [20])
    make.operation("UploadFaces", on: network, after: [17])
    make.operation("SyncLock", on: store, after: [19, 25])
    make.operation("RefreshToken", on: network, after: [1, 23])
    make.operation("SaveSession", on: store, after: [24])
    make.operation("NotifyUI", on: store, after: [21, 22])
    return make.trace
  }

  /// The same without the cycle, to its end at 3.2 s.
  public static func healthy() -> Trace {
    var make = HandmadeTrace("photo-import")
    make.trace = stuck()
    func finish(_ id: UInt32, ready: Double, began: Double, ended: Double, after: [UInt32]? = nil) {
      let stamp = { (time: Double) in Stamp(HandmadeTrace.nanoseconds(time), ThreadID(1)) }
      make[id].ready = stamp(ready)
      make[id].started = stamp(began)
      make[id].executionBegan = stamp(began)
      make[id].executionEnded = stamp(ended)
      make[id].finished = stamp(ended)
      if let after { make[id].dependencies = after.map { Dependency(on: OperationID($0), added: 0) } }
    }
    finish(16, ready: 2260, began: 2270, ended: 2790)
    finish(17, ready: 2130, began: 2140, ended: 2740)
    finish(23, ready: 530, began: 530, ended: 640, after: [19])
    finish(24, ready: 640, began: 640, ended: 770, after: [1, 23])
    finish(25, ready: 770, began: 775, ended: 850, after: [24])
    finish(20, ready: 2790, began: 2795, ended: 2960)
    finish(21, ready: 2960, began: 2961, ended: 3040)
    finish(22, ready: 2740, began: 2740, ended: 3120)
    finish(26, ready: 3120, began: 3125, ended: 3200)
    make.trace.end = HandmadeTrace.nanoseconds(3200)
    return make.trace
  }

  private static func queues(_ make: inout HandmadeTrace) -> (QueueID, QueueID, QueueID) {
    (make.queue("network", limit: 4), make.queue("imaging", limit: 2), make.queue("store", limit: 1))
  }

  private static func downloads(_ make: inout HandmadeTrace, _ network: QueueID) {
    let times: [(began: Double, ended: Double)] = [(480, 1310), (480, 980), (490, 1720), (490, 760), (770, 900)]
    for (number, time) in times.enumerated() {
      make.operation(
        "Download \(number + 1)", on: network, after: [2], ready: 480, began: time.began, ended: time.ended,
        cancelled: number == 4 ? 890 : nil)
    }
  }
}
