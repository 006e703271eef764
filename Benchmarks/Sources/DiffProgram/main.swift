import Foundation

// `DiffProgram [PERCENT]`: a pipeline of 160 operations that wait and compute, in which those of one class take so many percent longer.
// It uses no OpTrace: `optrace record` records it. `scripts/measure-diff` measures what `optrace diff` says of its runs.

/// Something to compute for about so many microseconds on an idle processor.
func compute(_ microseconds: Double) -> Double {
  var value = 1.000_000_1
  for _ in 0..<Int(microseconds * 900) { value = value * 1.000_000_3 + 1e-9 }
  return value
}

class Step: Operation, @unchecked Sendable {
  let microseconds: Double
  init(_ name: String, microseconds: Double) {
    self.microseconds = microseconds
    super.init()
    self.name = name
  }
}

final class Load: Step, @unchecked Sendable {
  override func main() { usleep(UInt32(microseconds)) }
}

final class Decode: Step, @unchecked Sendable {
  override func main() { if compute(microseconds) < 0 { print(microseconds) } }
}

final class Resize: Step, @unchecked Sendable {
  override func main() { if compute(microseconds) < 0 { print(microseconds) } }
}

final class Store: Step, @unchecked Sendable {
  override func main() { usleep(UInt32(microseconds)) }
}

let percent = CommandLine.arguments.dropFirst().first.flatMap(Double.init) ?? 0
let network = OperationQueue()
network.name = "network"
network.maxConcurrentOperationCount = 4
let work = OperationQueue()
work.name = "work"
work.maxConcurrentOperationCount = 2
for number in 0..<40 {
  let size = 1 + Double(number % 5) / 4
  let load = Load("load \(number)", microseconds: 2000 * size)
  let decode = Decode("decode \(UUID())", microseconds: 1500 * size)
  let resize = Resize("resize \(number)", microseconds: 1000 * size * (1 + percent / 100))
  let store = Store("store \(number)", microseconds: 1000 * size)
  decode.addDependency(load)
  resize.addDependency(decode)
  store.addDependency(resize)
  network.addOperations([load, store], waitUntilFinished: false)
  work.addOperations([decode, resize], waitUntilFinished: false)
}
network.waitUntilAllOperationsAreFinished()
work.waitUntilAllOperationsAreFinished()
