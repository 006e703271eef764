import Foundation
import OpTrace
import OpTraceModel

/// A flight recorder that has to hold its bound for long: `RingBenchmark [EVENTS [MEGABYTES]]`, 100,000,000 events through 8 MB.
///
/// Threads mark and run operations as fast as they can; one operation waits from the first moment to the last. The file
/// is measured on the way, and read in the end: it must be as large as it was asked to be at every moment, hold the
/// newest events without a gap, and what belongs to the operation that waits.
@main
enum RingBenchmark {
  static let threadCount = 4

  static func main() throws {
    let arguments = CommandLine.arguments.dropFirst().map { Int($0) ?? 0 }
    let events = arguments.first ?? 100_000_000
    let capacity = (arguments.dropFirst().first ?? 8) << 20
    guard events >= 10 * threadCount, capacity > 0, arguments.count <= 2 else {
      FileHandle.standardError.write(Data("usage: RingBenchmark [EVENTS [MEGABYTES]]\n".utf8))
      exit(64)
    }
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("ring-\(getpid()).optrace")
    defer { try? FileManager.default.removeItem(at: file) }
    let recorder = try TraceRecorder(writingTo: file, configuration: .flightRecorder(capacity: capacity))

    let stuck = TracedOperationQueue(name: "stuck", maxConcurrentOperationCount: 1, recorder: recorder)
    let gate = DispatchSemaphore(value: 0)
    stuck.addOperation(named: "holder") { gate.wait() }
    stuck.addOperation(named: "behind it") {}

    let work = Work(recorder: recorder, share: events / threadCount)
    let begin = DispatchTime.now().uptimeNanoseconds
    let group = DispatchGroup()
    for thread in 0..<threadCount {
      group.enter()
      Thread {
        work.run(thread)
        group.leave()
      }.start()
    }
    var sizes: Set<Int> = []
    var resident: [Int] = []
    repeat {
      sizes.insert(size(of: file))
      resident.append(residentBytes())
    } while group.wait(timeout: .now() + 0.1) == .timedOut
    let seconds = Double(DispatchTime.now().uptimeNanoseconds - begin) / 1e9
    resident.append(residentBytes())
    sizes.insert(size(of: file))
    let lost = recorder.lostRecordCount
    try recorder.stop()
    sizes.insert(size(of: file))
    gate.signal()

    let trace = try TraceReader.read(path: file.path)
    var isGood = trace.loss.damage.isEmpty && lost == 0 && sizes == [capacity]
    print("events            \(work.share * threadCount) in \(String(format: "%.1f", seconds)) s")
    print("file              \(sizes.sorted()) bytes at \(resident.count) moments, asked for \(capacity)")
    print("replaced          \(trace.loss.overwrittenBytes) bytes")
    print(
      "resident memory   \(resident[resident.count / 10] >> 10) KB after a tenth, \(resident.last.map { $0 >> 10 } ?? 0) KB in the end"
    )
    print("lost \(lost), damaged \(trace.loss.damage.count), still there \(trace.eventCount) events")
    for thread in 0..<threadCount {
      let numbers = trace.marks.compactMap { mark -> Int? in
        let parts = mark.name.split(separator: " ").compactMap { Int($0) }
        return parts.count == 2 && parts[0] == thread ? parts[1] : nil
      }
      // Up to the newest without a gap. One that ended early may have been replaced as a whole.
      let isWhole = numbers == Array((work.share - numbers.count)..<work.share)
      print("thread \(thread)          the newest \(numbers.count) marks\(isWhole ? "" : ", with a gap")")
      isGood = isGood && isWhole
    }
    let kept = trace.operations.filter { $0.name == "holder" && $0.executionBegan != nil && $0.finished == nil }
    print("the operation that waits is \(kept.count == 1 ? "there" : "gone")")
    isGood = isGood && kept.count == 1
    exit(isGood ? 0 : 1)
  }

  private static func size(of file: URL) -> Int {
    var information = stat()
    return stat(file.path, &information) == 0 ? Int(information.st_size) : -1
  }

  /// Linux only; 0 elsewhere.
  private static func residentBytes() -> Int {
    let fields = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ") ?? []
    return fields.count > 1 ? (Int(fields[1]) ?? 0) * Int(sysconf(Int32(_SC_PAGESIZE))) : 0
  }
}

private struct Work: Sendable {
  let recorder: TraceRecorder
  /// Marks for each thread.
  let share: Int

  func run(_ thread: Int) {
    for number in 0..<share {
      recorder.mark("\(thread) \(number)")
      // What is over must not be carried on for ever.
      if number % 10_000 == 0 { TracedBlockOperation(name: "done") {}.start() }
    }
  }
}
