import Foundation
import OpTrace

// Every traced type once, as a user's program meets them, recorded to `TraceRecorder.default`: OPTRACE_OUTPUT names
// the file. Prints how many operations have run, and fails when nothing was recorded.

final class Fetch: TracedAsyncOperation, @unchecked Sendable {
  override func execute() {
    DispatchQueue.global().async { self.finish() }
  }
}

final class Parse: TracedOperation, @unchecked Sendable {
  override func main() {
    TraceRecorder.default?.mark("parsing")
  }
}

guard let recorder = TraceRecorder.default else {
  FileHandle.standardError.write(Data("client: nothing is recorded: set OPTRACE_OUTPUT to a file's name\n".utf8))
  exit(1)
}

let network = TracedOperationQueue(name: "network", maxConcurrentOperationCount: 2)
let work = TracedOperationQueue(name: "work", maxConcurrentOperationCount: 1)

let fetch = Fetch()
let parse = Parse()
let store = TracedBlockOperation(name: "store") { TraceRecorder.default?.measure("write") {} }
let notify = TracedTaskOperation(name: "notify", priority: nil) { await Task.yield() }
parse.addDependency(fetch)
store.addDependency(parse)
notify.addDependency(store)

network.addOperation(fetch)
work.addOperations([parse, store, notify], waitUntilFinished: true)

let finished = [fetch, parse, store, notify].filter(\.isFinished).count
guard finished == 4, recorder.lostRecordCount == 0 else { exit(1) }
print("\(finished) operations finished")
