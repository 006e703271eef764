import Foundation
import OpTraceFormat
import TestSupport
import Testing

@testable import OpTraceModel

/// Adding names to a trace changes nothing else in it.
@Suite struct SymbolWriterTests {
  private static let names: [SymbolWriter.Names] = [
    (
      FrameID(1),
      [SymbolRecord(function: "Golden.load() -> ()", shortName: "load()", module: "Golden", file: "/a.swift", line: 7)]
    ),
    (
      FrameID(2),
      [
        SymbolRecord(function: "inner", shortName: "inner"),
        SymbolRecord(function: "outer", shortName: "outer", file: "b.c", line: 1 << 23),
      ]
    ),
    (FrameID(77), [SymbolRecord(function: "of no frame", shortName: "of no frame")]),
  ]

  private func text(_ name: String) throws -> TraceEvents {
    try TraceReader.events(path: GoldenTests.folder.appendingPathComponent(name + ".txt").path)
  }

  @Test(arguments: GoldenTests.names) func addingNamesKeepsEverythingElse(_ name: String) throws {
    let scratch = try Scratch()
    let events = try text(name)
    let path = try scratch.write("run.optrace", TraceWriter.bytes(events))
    let before = try TraceReader.events(path: path)
    for _ in 0..<2 {
      #expect(try SymbolWriter.append(Self.names, toFile: path) == .done)
      let after = try TraceReader.events(path: path)
      #expect(after.loss == before.loss && after.heartbeat == before.heartbeat)
      let others = after.filter { $0.kind != EventKind.symbol.rawValue }
      #expect(others.map(\.kind) == before.filter { $0.kind != EventKind.symbol.rawValue }.map(\.kind))
      var (named, plain) = (TraceBuilder.build(after), TraceBuilder.build(before))
      (named.stacks, plain.stacks, named.eventCount, plain.eventCount) = (StackTable(), StackTable(), 0, 0)
      // Only these three texts have frames whose names change anything else.
      if !["good-stacks", "good-dispatch", "good-tasks"].contains(name) { #expect(named == plain) }
    }
  }

  @Test func symbolsAddedLastAreUsed() throws {
    let scratch = try Scratch()
    let path = try scratch.write("run.optrace", TraceWriter.bytes(try text("good-stacks")))
    #expect(try SymbolWriter.append(Self.names, toFile: path) == .done)
    let trace = try TraceReader.read(path: path)
    #expect(trace.operations.map(\.title) == ["load()", "outer", "Own"])
    #expect(
      trace.operations[0].codeLocation == CodeLocation(function: "load()", file: "/a.swift", line: 7, module: "Golden"))
    #expect(trace.stacks.symbols(of: FrameID(2)).map(\.shortName) == ["inner", "outer"])
    #expect(trace.operations[1].module == "Foundation")
  }

  @Test(
    "a full name is written once, and again after another function with the same short name")
  func wholeNamesAreWrittenOnce() throws {
    let scratch = try Scratch()
    let path = try scratch.write("run.optrace", TraceWriter.bytes(try text("good-stacks")))
    func symbol(_ function: String, _ line: Int) -> SymbolRecord {
      SymbolRecord(function: function, shortName: "load(_:)", module: "Golden", file: "/a.swift", line: line)
    }
    let (first, second) = ("Golden.load(Swift.Int) -> ()", "Golden.load(Swift.String) -> ()")
    let names: [SymbolWriter.Names] = [first, first, second, first, first].enumerated().map { number, function in
      (FrameID(UInt32(1 + number)), [symbol(function, number + 1)])
    }
    #expect(try SymbolWriter.append(names, toFile: path) == .done)
    let texts = try TraceReader.events(path: path).filter { $0.kind == EventKind.symbol.rawValue }.suffix(names.count)
      .map(\.text)
    #expect(texts == [first, "", second, first, ""])
    let stacks = try TraceReader.read(path: path).stacks
    for (frame, symbols) in names { #expect(stacks.symbols(of: frame) == symbols) }
  }

  /// New symbols may have fewer inlined functions than the earlier ones.
  @Test func earlierSymbolsAreReplaced() throws {
    let scratch = try Scratch()
    let path = try scratch.write("run.optrace", TraceWriter.bytes(try text("good-stacks")))
    #expect(try SymbolWriter.append(Self.names, toFile: path) == .done)
    let again: SymbolWriter.Names = (FrameID(2), [SymbolRecord(function: "alone", shortName: "alone")])
    #expect(try SymbolWriter.append([again], toFile: path) == .done)
    let stacks = try TraceReader.read(path: path).stacks
    #expect(stacks.symbols(of: FrameID(2)).map(\.shortName) == ["alone"])
    #expect(stacks.symbols(of: FrameID(1)).map(\.shortName) == ["load()"])
  }

  @Test func fileThatIsNotATraceIsNotChanged() throws {
    let scratch = try Scratch()
    for bytes in [[], Array("no trace".utf8), [UInt8](repeating: 0, count: 5000)] {
      let path = try scratch.write("other", bytes)
      #expect(throws: TraceError.self) { try SymbolWriter.append(Self.names, toFile: path) }
      #expect(try Array(Data(contentsOf: scratch.file("other"))) == bytes)
    }
  }

  /// Names that are added to a truncated file would hide the cut.
  @Test func cutTracesAreNotChanged() throws {
    let scratch = try Scratch()
    let bytes = TraceWriter.bytes(try text("good-stacks"))
    for length in stride(from: 1024, to: bytes.count, by: 37) {
      let cut = Array(bytes.prefix(length))
      let path = try scratch.write("run.optrace", cut)
      #expect(try SymbolWriter.append(Self.names, toFile: path) == .damaged)
      #expect(try Array(Data(contentsOf: scratch.file("run.optrace"))) == cut, "\(length) bytes")
    }
  }

  @Test func writeErrorsAreReported() throws {
    let scratch = try Scratch()
    let bytes = TraceWriter.bytes(try text("good-stacks"))
    let path = try scratch.write("run.optrace", bytes)
    try FileManager.default.setAttributes([.posixPermissions: 0o400], ofItemAtPath: path)
    // The superuser may write anyway.
    guard access(path, W_OK) != 0 else { return }
    #expect(try SymbolWriter.append(Self.names, toFile: path) == .cannotWrite(EACCES))
    #expect(try Array(Data(contentsOf: scratch.file("run.optrace"))) == bytes)
  }

  @Test func namingInMemoryGivesTheSameTrace() throws {
    let scratch = try Scratch()
    let path = try scratch.write("run.optrace", TraceWriter.bytes(withoutNames(try text("good-stacks"))))
    var named = try TraceReader.read(path: path)
    named.name(Self.names)
    #expect(try SymbolWriter.append(Self.names, toFile: path) == .done)
    var read = try TraceReader.read(path: path)
    #expect(named.operations.map(\.title) == ["load()", "outer", "Own"])
    read.eventCount = named.eventCount
    #expect(named == read)
  }

  // MARK: - In what is packed

  private static func settled(_ path: String, _ isLive: Bool = false) throws -> [UInt8] {
    let naming = SettledTrace.Naming(isLive: { _ in isLive }) { $0.addresses.isEmpty ? [] : names }
    let source = try SettledTrace.source(of: FileSource.open(path: path), file: path, naming: naming)
    return source.bytes(at: 0, count: Int(source.size()))
  }

  private func withoutNames(_ events: TraceEvents) -> TraceEvents {
    var result = TraceEvents(header: events.header)
    (result.strings, result.heartbeat, result.loss) = (events.strings, events.heartbeat, events.loss)
    for event in events where event.kind != EventKind.symbol.rawValue { result.append(event) }
    return result
  }

  @Test func packingAddsTheSameAsAppending() throws {
    let scratch = try Scratch()
    let events = withoutNames(try text("good-stacks"))
    let plain = try scratch.write("run.optrace", TraceWriter.bytes(events))
    let settled = try Self.settled(plain)
    #expect(try Array(Data(contentsOf: scratch.file("run.optrace"))) == TraceWriter.bytes(events))
    #expect(try SymbolWriter.append(Self.names, toFile: plain) == .done)
    #expect(try settled == Array(Data(contentsOf: scratch.file("run.optrace"))))
    #expect(try TraceReader.read(bytes: settled).operations.map(\.title) == ["load()", "outer", "Own"])
  }

  /// The program may write where the names would go: they are added to a copy of one moment.
  @Test func tracesThatAreStillWrittenArePackedWithNames() throws {
    let scratch = try Scratch()
    var events = withoutNames(try text("good-stacks"))
    events.header.isClosed = false
    let plain = try scratch.write("run.optrace", TraceWriter.bytes(events) + [UInt8](repeating: 0, count: 1 << 17))
    for isLive in [false, true] {
      let settled = try Self.settled(plain, isLive)
      let trace = try TraceReader.read(bytes: settled)
      #expect(trace.operations.map(\.title) == ["load()", "outer", "Own"] && trace.loss.isComplete)
      #expect(isLive == (settled.count < 1 << 17))
    }
  }

  @Test func packingLeavesOtherFilesUnchanged() throws {
    let scratch = try Scratch()
    let events = try text("good-stacks")
    let named = TraceWriter.bytes(events)
    try #require(TraceReader.read(bytes: named).stacks.hasNames)
    let plain = TraceWriter.bytes(withoutNames(events))
    var damaged = plain
    damaged[Layout.Header.size + 80] ^= 1
    let none = TraceWriter.bytes(try text(GoldenTests.names.first { $0 != "good-stacks" } ?? ""))
    for bytes in [named, damaged, none, Array(plain.dropLast(64)), Array(TraceText.string(withoutNames(events)).utf8)] {
      let path = try scratch.write("run.optrace", bytes)
      #expect(try Self.settled(path) == bytes)
    }
  }

  @Test func anyPartOfAnExtendedTraceCanBeRead() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    print("SymbolWriterTests: the seed is \(seed)")
    var random = SeededGenerator(seed)
    let source = MemorySource(content: TraceWriter.bytes(try text("good-stacks")))
    let addition = try #require(try SymbolWriter.addition(of: Self.names, to: source, file: "run"))
    let extended = ExtendedSource(base: source, addition: addition)
    let whole = extended.bytes(at: 0, count: Int(extended.size()))
    #expect(whole.count == Int(extended.size()) && whole.suffix(addition.bytes.count) == addition.bytes[...])
    for _ in 0..<500 {
      let start = Int.random(in: 0...whole.count + 10, using: &random)
      let count = Int.random(in: 0...whole.count, using: &random)
      let expected = start < whole.count ? Array(whole[start..<min(whole.count, start + count)]) : []
      #expect(extended.bytes(at: UInt64(start), count: count) == expected, "\(count) from \(start)")
    }
  }
}
