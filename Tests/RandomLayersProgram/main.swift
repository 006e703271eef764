// Healthy programs over operations, dispatch queues and tasks, which seeds make up: `RandomLayersProgram FIRST COUNT`. They know
// nothing of OpTrace. A line for each says what it has done.
import Dispatch
import Foundation

#if canImport(Glibc)
  import Glibc
#endif

let arguments = CommandLine.arguments.dropFirst().compactMap { Int($0) }
guard arguments.count == 2 else {
  print("usage: RandomLayersProgram FIRST COUNT")
  exit(64)
}
let (first, count) = (arguments[0], arguments[1])

@Sendable func runAll(from seed: Int) {
  guard seed < first + count else {
    print("done")
    exit(0)
  }
  Program().run(seed: seed) { line in
    print(line)
    DispatchQueue.global().async { runAll(from: seed + 1) }
  }
}

// The main thread serves its queue in either way.
DispatchQueue.global().async { runAll(from: first) }
if first % 2 == 0 { dispatchMain() } else { while true { RunLoop.main.run(until: Date() + 3600) } }
