import Foundation
import OpTrace
import OpTraceFormat
import TestSupport
import Testing

@testable import OpTraceModel

/// Reading a trace while it grows gives the same events as reading it at the end.
@Suite struct LiveReaderTests {
  /// A file that somebody writes to.
  final class GrowingSource: ByteSource {
    var content: [UInt8]
    init(_ content: [UInt8]) { self.content = content }
    func another() -> (any ByteSource)? { nil }
    func size() -> UInt64 { UInt64(content.count) }
    func read(at offset: UInt64, into target: UnsafeMutableRawBufferPointer) -> Int {
      MemorySource(content: content).read(at: offset, into: target)
    }
  }

  /// A whole trace, and the part of it that is visible now.
  struct Growth {
    let whole: [UInt8]
    var source: GrowingSource
    /// The offset of each chunk, and the ends and ticks of its records.
    var chunks: [(offset: Int, ends: [Int], ticks: [UInt64])] = []

    init(_ whole: [UInt8]) throws {
      self.whole = whole
      source = GrowingSource(whole)
      let header = try FileHeader.read(MemorySource(content: whole), file: "whole")
      var offset = Int(header.headerSize)
      while let chunk = ChunkHeader(Array(whole[offset..<min(whole.count, offset + Layout.Chunk.size)])) {
        var (ends, ticks): ([Int], [UInt64]) = ([], [])
        var (position, now) = (offset + Layout.Chunk.size, chunk.baseTicks)
        let end = position + Int(chunk.fill)
        while position < end {
          let first: UInt64 = whole.number(at: position)
          let second: UInt64 = whole.number(at: position + 8)
          let kind = UInt8(truncatingIfNeeded: first)
          now &+= first >> 8 & 0xFF_FFFF
          if kind == EventKind.time.rawValue { now = second }
          position += 8 * (RecordSize.fixedWords(kind: kind) ?? Int(second & 0xFFFF))
          ends.append(position - offset - Layout.Chunk.size)
          ticks.append(now)
        }
        chunks.append((offset, ends, ticks))
        offset += Int(chunk.byteCount)
      }
      source.content.put(Layout.FileState.open.rawValue, at: Layout.Header.state)
      show { _ in 0 }
    }

    /// Makes this many records of each chunk visible.
    func show(_ records: (Int) -> Int) {
      for (index, chunk) in chunks.enumerated() {
        let count = records(index)
        let fill = count == 0 ? 0 : chunk.ends[count - 1]
        source.content.put(UInt32(fill), at: chunk.offset + Layout.Chunk.fill)
        source.content.put(Layout.ChunkState.open.rawValue, at: chunk.offset + Layout.Chunk.state)
      }
    }

    func close() { source.content = whole }

    /// Whether the previous chunk of the same thread is visible as a whole.
    func isNext(_ index: Int, _ shown: [Int]) -> Bool {
      guard index > 0 else { return true }
      func thread(_ index: Int) -> UInt32 { whole.number(at: chunks[index].offset + Layout.Chunk.thread) }
      return thread(index) != thread(index - 1) || shown[index - 1] == chunks[index - 1].ends.count
    }

    /// All moments at which something was recorded.
    var moments: [UInt64] { Set(chunks.flatMap(\.ticks)).sorted() }

    func show(upTo ticks: UInt64) { show { index in chunks[index].ticks.prefix { $0 <= ticks }.count } }
  }

  private func drain(_ reader: inout LiveReader, _ take: (LiveReader.News) -> Void) {
    for _ in 0..<100_000 {
      let news = reader.poll()
      take(news)
      if !news.hasMore { return }
    }
    Issue.record("it never ends")
  }

  private func sample(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: PieceReaderTests.folder.appendingPathComponent(name)))
  }

  /// Each thread may be visible up to another moment: all events arrive, whenever the polls are.
  @Test(arguments: PropertyTests.seeds) func pollsAtAnyMomentsGiveAllEvents(_ seed: UInt64) throws {
    var generator = SeededGenerator(seed)
    for made in [RandomTraces.anything(&generator, count: 600), RandomTraces.program(&generator, operations: 300)] {
      var made = made
      made.header.isClosed = true
      let bytes = TraceWriter.bytes(made)
      let whole = try TraceReader.events(bytes: bytes)
      let growth = try Growth(bytes)
      var reader = try LiveReader(
        growth.source, file: "growing", budget: [1, 100, 1 << 20].randomElement(using: &generator) ?? 1)
      var shown = growth.chunks.map { _ in 0 }
      var all: [TraceEvent] = []
      for _ in 0..<12 {
        // A thread gets its next chunk when the one before is full.
        for index in shown.indices where Bool.random(using: &generator) && growth.isNext(index, shown) {
          shown[index] = .random(in: shown[index]...growth.chunks[index].ends.count, using: &generator)
        }
        growth.show { shown[$0] }
        drain(&reader) { all += $0.events }
      }
      growth.close()
      drain(&reader) { all += $0.events }
      let sorted = all.enumerated().sorted { ($0.1.time, $0.1.thread, $0.0) < ($1.1.time, $1.1.thread, $1.0) }.map(\.1)
      #expect(sorted.elementsEqual(whole), "seed \(seed)")
    }
  }

  /// As in a program, no thread is ahead of the others. Then the order is right across polls, too.
  @Test(arguments: PropertyTests.seeds) func pollsGiveEventsInTheOrderOfTime(_ seed: UInt64) throws {
    var generator = SeededGenerator(seed)
    var made = RandomTraces.program(&generator, operations: 300)
    made.header.isClosed = true
    let bytes = TraceWriter.bytes(made)
    let whole = try TraceReader.events(bytes: bytes)
    let growth = try Growth(bytes)
    var reader = try LiveReader(growth.source, file: "growing", budget: Bool.random(using: &generator) ? 50 : 1 << 20)
    var builder = TraceBuilder(growing: reader.header)
    var all: [TraceEvent] = []
    for moment in growth.moments where Int.random(in: 0..<20, using: &generator) == 0 {
      growth.show(upTo: moment)
      drain(&reader) {
        all += $0.events
        builder.add($0)
      }
    }
    growth.close()
    var last: LiveReader.State?
    drain(&reader) {
      all += $0.events
      builder.add($0)
      last = $0.state
    }
    #expect(last == .closed)
    #expect(all.elementsEqual(whole), "seed \(seed)")
    #expect(builder.snapshot() == TraceBuilder.build(whole))
  }

  /// The samples use the processor's counter, whose rate is known better at the end than during the reading.
  @Test("samples that become visible record by record give all events", arguments: PieceReaderTests.samples)
  func samples(_ name: String) throws {
    let bytes = try sample(name)
    let whole = try TraceReader.events(bytes: bytes)
    let growth = try Growth(bytes)
    var reader = try LiveReader(growth.source, file: name)
    var all: [TraceEvent] = []
    for moment in growth.moments {
      growth.show(upTo: moment)
      drain(&reader) { all += $0.events }
    }
    growth.close()
    drain(&reader) { all += $0.events }
    #expect(all.count == whole.count)
    #expect(zip(all, all.dropFirst()).allSatisfy { $0.time <= $1.time })
    func said(_ events: some Sequence<TraceEvent>) -> [[String]] {
      Dictionary(grouping: events, by: \.thread).sorted { $0.key < $1.key }
        .map { $0.value.map { "\($0.kind) \($0.subject) \($0.text ?? "")" } }
    }
    #expect(said(all) == said(whole))
    var times: [[Nanoseconds]] = []
    for events in [all, Array(whole)] {
      times.append(events.sorted { ($0.thread, $0.time) < ($1.thread, $1.time) }.map(\.time))
    }
    #expect(zip(times[0], times[1]).allSatisfy { abs($0 - $1) < 50_000 })
  }

  @Test("one poll of a complete file gives all events", arguments: PieceReaderTests.samples) func atOnce(
    _ name: String
  ) throws {
    let bytes = try sample(name)
    var reader = try LiveReader(GrowingSource(bytes), file: name)
    let news = reader.poll()
    #expect(news.state == .closed)
    #expect(news.events.elementsEqual(try TraceReader.events(bytes: bytes)))
    #expect(news.events.loss == LossReport())
    #expect(news.incompleteUntil == nil)
    #expect(reader.poll().events.isEmpty)
  }

  /// Random damage at any moment neither traps nor hangs the reader.
  @Test(arguments: PropertyTests.seeds) func damaged(_ seed: UInt64) throws {
    var generator = SeededGenerator(seed)
    let bytes = TraceWriter.bytes(RandomTraces.program(&generator, operations: 100))
    for _ in 0..<20 {
      let growth = try Growth(bytes)
      guard var reader = try? LiveReader(growth.source, file: "damaged", budget: 64) else { continue }
      var builder = TraceBuilder(growing: reader.header, forgets: true)
      let moments = growth.moments
      for moment in moments where Int.random(in: 0..<moments.count, using: &generator) < 6 {
        growth.show(upTo: moment)
        for _ in 0..<Int.random(in: 0...8, using: &generator) {
          let offset = Int.random(in: 0..<growth.source.content.count, using: &generator)
          growth.source.content[offset] = .random(in: 0...255, using: &generator)
        }
        drain(&reader) { builder.add($0) }
        builder.forget(finishedBefore: .max)
        _ = builder.snapshot()
      }
      growth.source.content.removeLast(.random(in: 0...growth.source.content.count, using: &generator))
      drain(&reader) { builder.add($0) }
    }
  }

  @Test func truncatedReplacedAndDeletedFilesAreReported() throws {
    let folder = try Scratch()
    let path = folder.path("run.optrace")
    let bytes = try sample("photo-import.optrace")
    let growth = try Growth(bytes)
    growth.show(upTo: .max)
    func write(_ bytes: [UInt8]) throws {
      let handle = try FileHandle(forUpdating: URL(fileURLWithPath: path))
      try handle.write(contentsOf: Data(bytes))
      try handle.truncate(atOffset: UInt64(bytes.count))
    }
    _ = FileManager.default.createFile(atPath: path, contents: nil)
    try write(growth.source.content)
    var reader = try LiveReader(path: path)
    #expect(reader.poll().state == .open)
    try write(Array(growth.source.content.prefix(2000)))
    #expect(reader.poll().state == .cut)
    try write(Array(growth.source.content.prefix(10)))
    #expect(reader.poll().state == .cut)

    try write(growth.source.content)
    reader = try LiveReader(path: path)
    #expect(reader.poll().events.count > 100)
    try write(TraceWriter.bytes(TraceEvents(header: TraceHeader())))
    #expect(reader.poll().state == .replaced)

    try write(growth.source.content)
    reader = try LiveReader(path: path)
    try FileManager.default.removeItem(atPath: path)
    #expect(reader.poll().state == .gone)
    _ = FileManager.default.createFile(atPath: path, contents: Data(bytes))
    #expect(reader.poll().state == .replaced)
  }

  /// Only finished operations are forgotten; unfinished ones stay as they are.
  @Test(arguments: PropertyTests.seeds) func forgetting(_ seed: UInt64) throws {
    var generator = SeededGenerator(seed)
    var made = RandomTraces.program(&generator, operations: 400)
    made.header.isClosed = true
    let bytes = TraceWriter.bytes(made)
    let whole = try TraceReader.read(bytes: bytes)
    let growth = try Growth(bytes)
    var reader = try LiveReader(growth.source, file: "growing")
    var builder = TraceBuilder(growing: reader.header, forgets: true)
    var over: Set<OperationID> = []
    for moment in growth.moments where Int.random(in: 0..<10, using: &generator) == 0 {
      growth.show(upTo: moment)
      drain(&reader) { builder.add($0) }
      builder.forget(finishedBefore: .max) { operation in
        let id = operation.id
        #expect(over.insert(id).inserted)
      }
    }
    growth.close()
    drain(&reader) { builder.add($0) }
    builder.forget(finishedBefore: .max) { operation in
      let id = operation.id
      #expect(over.insert(id).inserted)
    }
    let rest = builder.snapshot()
    let unfinished = whole.operations.filter { $0.finished == nil && $0.coverage != .external }
    #expect(rest.operations.filter { $0.finished == nil && $0.coverage != .external }.map(\.id) == unfinished.map(\.id))
    for operation in unfinished {
      let kept = rest.operation(operation.id)
      #expect(kept?.enqueued == operation.enqueued)
      #expect(kept?.started == operation.started)
      #expect(kept?.queue == operation.queue)
    }
    #expect(rest.waits.filter { $0.ended == nil }.map(\.began) == whole.waits.filter { $0.ended == nil }.map(\.began))
  }

  // MARK: - A recorder that writes meanwhile

  /// Reads what a recorder writes, again and again, until `body` has returned.
  private func watching(
    _ configuration: TraceRecorder.Configuration, _ body: @Sendable @escaping (TraceRecorder) -> Void
  ) throws -> (events: [TraceEvent], last: LiveReader.News, path: String, folder: Scratch) {
    let folder = try Scratch()
    let path = folder.path("run.optrace")
    let recorder = try TraceRecorder(writingTo: URL(fileURLWithPath: path), configuration: configuration)
    var reader = try LiveReader(path: path)
    let done = DispatchSemaphore(value: 0)
    let thread = Thread {
      body(recorder)
      try? recorder.stop()
      done.signal()
    }
    thread.start()
    var all: [TraceEvent] = []
    while done.wait(timeout: .now() + .milliseconds(2)) == .timedOut { all += reader.poll().events }
    var last = reader.poll()
    all += last.events
    while last.hasMore {
      last = reader.poll()
      all += last.events
    }
    return (all, last, path, folder)
  }

  private static func work(_ recorder: TraceRecorder, operations: Int, width: Int = 4) {
    let queue = TracedOperationQueue(name: "work", maxConcurrentOperationCount: width, recorder: recorder)
    for batch in 0..<max(1, operations / 50) {
      var previous: TracedBlockOperation?
      for index in 0..<50 {
        let operation = TracedBlockOperation(name: "step \(batch).\(index)") {}
        if index % 7 == 3, let previous { operation.addDependency(previous) }
        previous = operation
        queue.addOperation(operation)
      }
      queue.waitUntilAllOperationsAreFinished()
    }
  }

  @Test(.ownThread, arguments: [false, true]) func eventsOfARunningRecorderAreComplete(isRing: Bool) throws {
    let (events, last, path, folder) = try watching(isRing ? .flightRecorder(capacity: 64 << 20) : .streaming) {
      Self.work($0, operations: 5000)
    }
    #expect(last.state == .closed)
    #expect(last.missedChunks == 0)
    #expect(last.incompleteUntil == nil)
    let whole = try TraceReader.events(path: path)
    #expect(events.count == whole.count)
    func said(_ events: some Sequence<TraceEvent>) -> [String] {
      events.map { "\($0.thread) \($0.kind) \($0.subject) \($0.text ?? "")" }.sorted()
    }
    #expect(said(events) == said(whole))
    withExtendedLifetime(folder) {}
  }

  /// A ring is overwritten many times: no event comes twice, and unfinished work is there.
  @Test(.ownThread) func ringThatIsOverwrittenMeanwhile() throws {
    let (events, last, _, _) = try watching(.flightRecorder(capacity: 256 << 10)) { recorder in
      let lasting = TracedOperationQueue(name: "lasting", maxConcurrentOperationCount: 1, recorder: recorder)
      let gate = DispatchSemaphore(value: 0)
      lasting.addOperation(named: "lasting") { gate.wait() }
      lasting.addOperation(named: "behind it") {}
      Self.work(recorder, operations: 40_000)
      gate.signal()
      lasting.waitUntilAllOperationsAreFinished()
    }
    #expect(last.events.loss.overwrittenBytes > 0)
    struct Said: Hashable { let time: Nanoseconds, thread: ThreadID, kind: UInt8, words: [UInt64], text: String? }
    var seen: Set<Said> = []
    var twice: [Said] = []
    for event in events where event.kind != EventKind.threadNamed.rawValue {
      let said = Said(
        time: event.time, thread: event.thread, kind: event.kind,
        words: [UInt64(event.subject), event.word1, event.word2], text: event.text)
      if !seen.insert(said).inserted { twice.append(said) }
    }
    #expect(twice.isEmpty, "\(twice.prefix(5)) of \(twice.count)")
    for name in ["lasting", "behind it"] {
      let named = events.filter { $0.kind == EventKind.operationNamed.rawValue && $0.text == name }
      #expect(named.count == 1, "\(name)")
      for kind in [EventKind.operationCreated, .enqueued, .started, .finished] {
        #expect(
          events.filter { $0.kind == kind.rawValue && $0.subject == named.first?.subject }.count == 1, "\(name) \(kind)"
        )
      }
    }
  }

  /// Chunks are overwritten between reading the header and reading them: then the time until which records may be missing is that of the
  /// chunks, since an operation could else seem to go on whose end is missing.
  @Test func ringThatIsOverwrittenWhileItIsRead() throws {
    /// Is replaced by something later once its header was read.
    final class Replaced: ByteSource {
      var content: [UInt8]
      var later: [UInt8]?
      init(_ content: [UInt8]) { self.content = content }
      func another() -> (any ByteSource)? { nil }
      func size() -> UInt64 { UInt64(content.count) }
      func read(at offset: UInt64, into target: UnsafeMutableRawBufferPointer) -> Int {
        defer {
          if offset == 0, let later { (content, self.later) = (later, nil) }
        }
        return MemorySource(content: content).read(at: offset, into: target)
      }
    }
    let folder = try Scratch()
    let path = folder.path("run.optrace")
    let recorder = try TraceRecorder(
      writingTo: URL(fileURLWithPath: path), configuration: .flightRecorder(capacity: 256 << 10))
    var next = 0
    func content() throws -> [UInt8] {
      for _ in 0..<20_000 {
        recorder.mark("\(next)")
        next += 1
      }
      return try [UInt8](Data(contentsOf: URL(fileURLWithPath: path)))
    }
    let source = Replaced(try content())
    var reader = try LiveReader(source, file: "ring")
    let before = reader.poll()
    source.later = try content()
    let news = reader.poll(isOver: true)
    try recorder.stop()
    #expect(news.missedChunks > 0)
    let until = try #require(news.incompleteUntil)
    let later = (Array(before.events) + Array(news.events)).filter { $0.time > until }
    let marks = later.compactMap { $0.kind == EventKind.mark.rawValue ? $0.text.flatMap { Int($0) } : nil }
    #expect(!marks.isEmpty && marks == Array(next - marks.count..<next))
  }

  /// A late reader sees unfinished work, and the time until which the ring is incomplete.
  @Test(.ownThread) func ringThatWasOverwrittenBefore() throws {
    let folder = try Scratch()
    let path = folder.path("run.optrace")
    let recorder = try TraceRecorder(
      writingTo: URL(fileURLWithPath: path), configuration: .flightRecorder(capacity: 256 << 10))
    let lasting = TracedOperationQueue(name: "lasting", maxConcurrentOperationCount: 1, recorder: recorder)
    let gate = DispatchSemaphore(value: 0)
    lasting.addOperation(named: "lasting") { gate.wait() }
    Self.work(recorder, operations: 20_000)
    var reader = try LiveReader(path: path)
    var builder = TraceBuilder(growing: reader.header)
    let news = reader.poll()
    builder.add(news)
    let trace = builder.snapshot()
    let operation = try #require(trace.operations.first { $0.name == "lasting" })
    #expect(operation.started != nil && operation.finished == nil && operation.coverage == .full)
    let until = try #require(news.incompleteUntil)
    #expect(until > 0 && until < trace.end)
    #expect(news.carried[operation.id] != nil)
    // After that time nothing is missing: finished operations have their enqueue and their start.
    for operation in trace.operations where (operation.created ?? 0) > until && operation.finished != nil {
      #expect(operation.enqueued != nil && operation.started != nil)
    }
    gate.signal()
    lasting.waitUntilAllOperationsAreFinished()
    try recorder.stop()
    builder.add(reader.poll())
    #expect(builder.snapshot().operations.first { $0.name == "lasting" }?.finished != nil)
  }
}
