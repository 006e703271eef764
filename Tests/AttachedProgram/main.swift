// Does what it is told, a line each, and answers with a line. It knows nothing of OpTrace.
//
//   work N      N operations, N blocks and N tasks, one kind after the other
//   threads N   N threads that take and give memory all the time
//   end N       ends with status N
import Dispatch
import Foundation

final class Step: Operation, @unchecked Sendable {
  let number: Int
  init(_ number: Int) { self.number = number }
  override func main() { total.add(number) }
}

final class Total: @unchecked Sendable {
  private let lock = NSLock()
  private var sum = 0
  func add(_ number: Int) { lock.withLock { sum += number } }
  var value: Int { lock.withLock { sum } }
}

let total = Total()
let steps = OperationQueue()
steps.name = "steps"
steps.maxConcurrentOperationCount = 2
let blocks = DispatchQueue(label: "blocks")

func work(_ count: Int) {
  for number in 1...count { steps.addOperation(Step(number)) }
  steps.waitUntilAllOperationsAreFinished()
  let group = DispatchGroup()
  for number in 1...count { blocks.async(group: group) { total.add(number) } }
  group.wait()
  for number in 1...count {
    group.enter()
    Task {
      await Task.yield()
      total.add(number)
      group.leave()
    }
  }
  group.wait()
}

/// At once, although it is a pipe.
func say(_ text: String) { FileHandle.standardOutput.write(Data((text + "\n").utf8)) }

say("ready")
while let line = readLine() {
  let words = line.split(separator: " ")
  let number = words.count > 1 ? Int(words[1]) ?? 0 : 0
  switch words.first {
  case "work":
    work(number)
    say("worked \(total.value)")
  case "threads":
    // Threads that only compute, or take and give memory, until the program ends.
    for _ in 0..<number {
      Thread.detachNewThread {
        var kept: [[Int]] = []
        while true {
          kept.append([Int](repeating: 1, count: 64))
          if kept.count > 100 { kept.removeAll() }
        }
      }
    }
    say("begun")
  case "end":
    say("ended")
    exit(Int32(number))
  default: say("unknown")
  }
}
