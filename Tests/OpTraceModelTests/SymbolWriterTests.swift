import Foundation
import OpTraceFormat
import TestSupport
import Testing

@testable import OpTraceModel

/// Names that are added to a trace change nothing else of it.
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

  @Test(arguments: GoldenTests.names) func allElseStays(_ name: String) throws {
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
      var (told, plain) = (TraceBuilder.build(after), TraceBuilder.build(before))
      (told.stacks, plain.stacks, told.eventCount, plain.eventCount) = (StackTable(), StackTable(), 0, 0)
      // A text has no frames but those of one file.
      if name != "good-stacks" { #expect(told == plain) }
    }
  }

  @Test func theyAreThoseThatWereAddedLast() throws {
    let scratch = try Scratch()
    let path = try scratch.write("run.optrace", TraceWriter.bytes(try text("good-stacks")))
    #expect(try SymbolWriter.append(Self.names, toFile: path) == .done)
    let trace = try TraceReader.read(path: path)
    #expect(trace.operations.map(\.title) == ["load()", "outer", "Own"])
    #expect(trace.operations[0].codePlace == CodePlace(function: "load()", file: "/a.swift", line: 7, module: "Golden"))
    #expect(trace.stacks.symbols(of: FrameID(2)).map(\.shortName) == ["inner", "outer"])
    #expect(trace.operations[1].module == "Foundation")
  }

  /// Fewer functions may be inlined than were thought before.
  @Test func nothingStaysOfWhatWasToldBefore() throws {
    let scratch = try Scratch()
    let path = try scratch.write("run.optrace", TraceWriter.bytes(try text("good-stacks")))
    #expect(try SymbolWriter.append(Self.names, toFile: path) == .done)
    let again: SymbolWriter.Names = (FrameID(2), [SymbolRecord(function: "alone", shortName: "alone")])
    #expect(try SymbolWriter.append([again], toFile: path) == .done)
    let stacks = try TraceReader.read(path: path).stacks
    #expect(stacks.symbols(of: FrameID(2)).map(\.shortName) == ["alone"])
    #expect(stacks.symbols(of: FrameID(1)).map(\.shortName) == ["load()"])
  }

  @Test func whatIsNoTraceIsLeftAlone() throws {
    let scratch = try Scratch()
    for bytes in [[], Array("no trace".utf8), [UInt8](repeating: 0, count: 5000)] {
      let path = try scratch.write("other", bytes)
      #expect(throws: TraceError.self) { try SymbolWriter.append(Self.names, toFile: path) }
      #expect(try Array(Data(contentsOf: scratch.file("other"))) == bytes)
    }
  }

  /// What is added behind a cut would hide it.
  @Test func cutTracesAreLeftAsTheyAre() throws {
    let scratch = try Scratch()
    let bytes = TraceWriter.bytes(try text("good-stacks"))
    for length in stride(from: 1024, to: bytes.count, by: 37) {
      let cut = Array(bytes.prefix(length))
      let path = try scratch.write("run.optrace", cut)
      #expect(try SymbolWriter.append(Self.names, toFile: path) == .damaged)
      #expect(try Array(Data(contentsOf: scratch.file("run.optrace"))) == cut, "\(length) bytes")
    }
  }

  @Test func whatCannotBeWrittenIsSaid() throws {
    let scratch = try Scratch()
    let bytes = TraceWriter.bytes(try text("good-stacks"))
    let path = try scratch.write("run.optrace", bytes)
    try FileManager.default.setAttributes([.posixPermissions: 0o400], ofItemAtPath: path)
    // The superuser may write all the same.
    guard access(path, W_OK) != 0 else { return }
    #expect(try SymbolWriter.append(Self.names, toFile: path) == .cannotWrite(EACCES))
    #expect(try Array(Data(contentsOf: scratch.file("run.optrace"))) == bytes)
  }
}
