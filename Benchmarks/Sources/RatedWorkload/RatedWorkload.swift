import Foundation
import OpTrace

/// Adds so many operations a second to four recorded queues, for so long: `RatedWorkload FILE RATE SECONDS`.
@main
enum RatedWorkload {
  static func main() throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 4, let rate = Double(arguments[2]), let seconds = Double(arguments[3]) else {
      FileHandle.standardError.write(Data("usage: RatedWorkload FILE RATE SECONDS\n".utf8))
      exit(64)
    }
    let recorder = try TraceRecorder(writingTo: URL(fileURLWithPath: arguments[1]))
    let queues = (0..<4).map {
      TracedOperationQueue(name: "queue \($0)", maxConcurrentOperationCount: 4, recorder: recorder)
    }
    let start = DispatchTime.now().uptimeNanoseconds
    var added = 0
    while true {
      let passed = Double(DispatchTime.now().uptimeNanoseconds - start) / 1e9
      guard passed < seconds else { break }
      while added < Int(passed * rate) {
        queues[added % queues.count].addOperation {}
        added += 1
      }
      usleep(2_000)
    }
    for queue in queues { queue.waitUntilAllOperationsAreFinished() }
    try recorder.stop()
    print(Double(added) / seconds)
  }
}
