internal import Foundation
internal import OpTrace

extension Scenario {
  static let serialBottleneck = broken(
    "serial-bottleneck", "Independent photos go through a queue one at a time."
  ) { run in
    let load = TracedOperationQueue(name: "load", recorder: run.recorder)
    let decode = TracedOperationQueue(name: "decode", recorder: run.recorder)
    // Left from the time when the decoder could not do better.
    if !run.isFixed { decode.maxConcurrentOperationCount = 1 }
    let album = TracedBlockOperation(name: "Show album") { run.say("The album is shown.") }
    for number in 1...8 {
      let file = Request("Load photo \(number)", seconds: run.paced(0.05))
      let photo = Request("Decode photo \(number)", seconds: run.paced(0.08))
      photo.addDependency(file)
      album.addDependency(photo)
      load.addOperation(file)
      decode.addOperation(photo)
    }
    load.addOperations([album], waitUntilFinished: true)
  }
}
