import BenchmarkSupport
import CFloor
import Foundation
import OpTrace

/// One piece of work, measured from inside: `Workload WORK ARGUMENTS…`. Prints what it took as a line of JSON.
///
///     floor COUNT                               read the clock, store 24 bytes
///     mark COUNT FILE warm|fresh|ring           the same through the library: a mark of eight bytes, which is 24 bytes too
///     threads COUNT FILE N                      marks into a ring, so many from each of N threads
///     latency COUNT FILE floor|file|ring N      the same, each call measured by itself; floor: no call
///     lives plain|traced COUNT FILE             operations that are made, started by hand, cancelled and released
///     queue plain|off|traced|without-stacks|whole-stacks|cpu-times SHAPE COUNT NANOSECONDS FILE
@main
enum Workload {
  static func main() throws {
    var arguments = Array(CommandLine.arguments.dropFirst())
    func next() -> String { arguments.isEmpty ? "" : arguments.removeFirst() }
    func number() -> Int { Int(next()) ?? 0 }
    func print(_ result: some Encodable) throws {
      Swift.print(String(decoding: try JSONEncoder().encode(result), as: UTF8.self))
    }
    var taken: Taken
    switch next() {
    case "floor": taken = floor(number())
    case "mark": taken = try mark(number(), file: next(), pages: next())
    case "threads": taken = try threads(number(), file: next(), threads: number())
    case "latency": return try print(latency(number(), file: next(), kind: next(), threads: number()))
    case "lives": taken = try lives(isTraced: next() == "traced", number(), file: next())
    case "queue":
      let kind = next()
      let shape = Queues.Shape(rawValue: next()) ?? .subclass
      taken = try queue(kind, shape, count: number(), work: number(), file: next())
    default:
      FileHandle.standardError.write(Data("Workload: see the source for what it does\n".utf8))
      exit(64)
    }
    try print(taken)
  }

  private static func floor(_ count: Int) -> Taken {
    var bytes = [UInt8](repeating: 0, count: 256 * 1024)
    floor_store(&bytes, bytes.count, UInt64(count / 10))
    return Clocks.time { floor_store(&bytes, bytes.count, UInt64(count)) }
  }

  private static func recorder(
    _ file: String, capacity: Int? = nil, stacks: TraceRecorder.Configuration.Stacks = .waits,
    cpuTimes: Bool = false
  ) throws -> TraceRecorder {
    var configuration = TraceRecorder.Configuration(stacks: stacks)
    configuration.recordsCPUTime = cpuTimes
    if let capacity { configuration.mode = .flightRecorder(capacity: capacity) }
    return try TraceRecorder(writingTo: URL(fileURLWithPath: file), configuration: configuration)
  }

  /// `warm`: bursts, with time in between in which the recorder prepares pages. `fresh`: without, into a file that grows.
  /// `ring`: without, into a flight recorder, whose pages have all been used before.
  private static func mark(_ count: Int, file: String, pages: String) throws -> Taken {
    let recorder = try recorder(file, capacity: pages == "ring" ? 4 << 20 : nil)
    func marks(_ count: Int) {
      for _ in 0..<count { recorder.mark("12345678") }
    }
    marks(pages == "ring" ? 400_000 : 1000)
    let before = allocation_count()
    let burst = pages == "warm" ? 1000 : count
    var taken = Taken(wall: 0, thread: 0, process: 0)
    for _ in 0..<max(1, count / burst) {
      if pages == "warm" { usleep(2000) }
      let part = Clocks.time { marks(burst) }
      taken.wall += part.wall
      taken.thread += part.thread
      taken.process += part.process
    }
    taken.allocations = allocation_count() - before
    taken.lost = recorder.lostRecordCount
    try recorder.stop()
    return taken
  }

  private static func threads(_ count: Int, file: String, threads: Int) throws -> Taken {
    let recorder = try recorder(file, capacity: 64 << 20)
    let ready = DispatchSemaphore(value: 0)
    let go = DispatchSemaphore(value: 0)
    let done = DispatchSemaphore(value: 0)
    for _ in 0..<threads {
      Thread.detachNewThread {
        recorder.mark("begin")
        ready.signal()
        go.wait()
        for _ in 0..<count { recorder.mark("12345678") }
        done.signal()
      }
    }
    for _ in 0..<threads { ready.wait() }
    var taken = Clocks.time {
      for _ in 0..<threads { go.signal() }
      for _ in 0..<threads { done.wait() }
    }
    taken.lost = recorder.lostRecordCount
    try recorder.stop()
    return taken
  }

  /// Into a file that grows, or into a ring that has been full since half of the calls.
  private static func latency(_ count: Int, file: String, kind: String, threads: Int) throws -> Latencies.Figures {
    let recorder = kind == "floor" ? nil : try recorder(file, capacity: kind == "ring" ? 16 << 20 : nil)
    let all = SharedLatencies()
    let done = DispatchSemaphore(value: 0)
    for _ in 0..<threads {
      Thread.detachNewThread {
        var latencies = Latencies()
        for _ in 0..<count / threads {
          let begin = DispatchTime.now().uptimeNanoseconds
          recorder?.mark("12345678")
          latencies.add(DispatchTime.now().uptimeNanoseconds - begin)
        }
        all.add(latencies)
        done.signal()
      }
    }
    for _ in 0..<threads { done.wait() }
    try recorder?.stop()
    return all.sum.figures
  }

  private static func lives(isTraced: Bool, _ count: Int, file: String) throws -> Taken {
    let recorder = try recorder(file)
    TraceRecorder.default = recorder
    func live(_ count: Int) {
      for _ in 0..<count {
        let operation = isTraced ? Queues.Traced(0) : Queues.Plain(0)
        operation.start()
        operation.cancel()
      }
    }
    live(100)
    let before = allocation_count()
    var taken = Clocks.time { live(count) }
    taken.allocations = allocation_count() - before
    taken.lost = recorder.lostRecordCount
    try recorder.stop()
    return taken
  }

  private static func queue(_ kind: String, _ shape: Queues.Shape, count: Int, work: Int, file: String) throws -> Taken
  {
    let isTraced = kind != "plain"
    let recorder: TraceRecorder? =
      switch kind {
      case "traced": try recorder(file)
      case "without-stacks": try recorder(file, stacks: .off)
      case "whole-stacks": try recorder(file, stacks: .all)
      case "cpu-times": try recorder(file, cpuTimes: true)
      default: nil
      }
    let queue =
      isTraced
      ? TracedOperationQueue(name: "work", maxConcurrentOperationCount: 2, recorder: recorder) : OperationQueue()
    queue.maxConcurrentOperationCount = 2
    Queues.run(shape, on: queue, traced: isTraced, count: min(count, 1000), work: work)
    let before = allocation_count()
    var taken = Clocks.time { Queues.run(shape, on: queue, traced: isTraced, count: count, work: work) }
    taken.allocations = allocation_count() - before
    taken.lost = recorder?.lostRecordCount ?? 0
    try recorder?.stop()
    return taken
  }
}
