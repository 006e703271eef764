import Testing

@testable import OpTraceModel

/// The source location of a stack in which some frames have no name or line.
@Suite struct CodeLocationTests {
  /// The frames of a stack, innermost first: of the program (`app`), its library without symbols (`plugin`), and the
  /// system.
  private func location(_ frames: [(image: String, symbols: [SymbolRecord], isGuessed: Bool)]) -> CodeLocation? {
    table(frames).codeLocation(frames.isEmpty ? nil : FrameID(1))
  }

  private func table(_ frames: [(image: String, symbols: [SymbolRecord], isGuessed: Bool)]) -> StackTable {
    var stacks = StackTable()
    let paths = ["/home/me/app", "/home/me/plugin", "/usr/lib/libdispatch.so"]
    for (number, path) in paths.enumerated() {
      stacks.images[UInt32(number + 1)] = ImageRecord(path: path, buildID: nil, base: 0, size: 1 << 20)
    }
    for (index, frame) in frames.enumerated() {
      let image = paths.firstIndex { $0.hasSuffix(frame.image) }.map { UInt32($0 + 1) }
      let id = FrameID(UInt32(index + 1))
      stacks.define(
        FrameRecord(
          address: .init(image: image, offset: UInt64(index * 16 + 256), returns: index > 0),
          caller: index + 1 < frames.count ? FrameID(UInt32(index + 2)) : nil, isGuessed: frame.isGuessed),
        as: id)
      stacks.define(frame.symbols, of: id)
    }
    return stacks
  }

  private func symbol(_ name: String, _ line: Int? = nil, module: String = "App") -> SymbolRecord {
    SymbolRecord(
      function: name, shortName: name, module: module, file: line == nil ? nil : "/src/main.swift", line: line)
  }

  @Test func functionWithoutALineIsPreferredToItsCallersLine() {
    let found = location([
      ("libdispatch.so", [], false), ("app", [symbol("Cache.load()")], false), ("app", [symbol("main", 30)], false),
    ])
    #expect(found == CodeLocation(function: "Cache.load()", module: "App"))
  }

  @Test func accessorOfAGlobalIsNoLocation() {
    let frames = [
      ("libdispatch.so", [], false),
      ("app", [symbol("Cache.shared.unsafeMutableAddressor", 3), symbol("load()", 12), symbol("start()", 20)], false),
      ("libdispatch.so", [symbol("run")], false), ("app", [symbol("reabstraction thunk", 1)], false),
      ("app", [symbol("main", 30)], false), ("app", [symbol("guessed", 40)], true),
    ]
    #expect(location(frames)?.line == 12)
    let stacks = table(frames)
    #expect(stacks.reachedGlobal(FrameID(1)) == SharedName("Cache.shared"))
    #expect(stacks.callers(of: FrameID(1), most: 3).map(\.line) == [20, 30])
    #expect(stacks.callers(of: FrameID(1), most: 1).map(\.function) == ["start()"])
    #expect(stacks.callers(of: FrameID(5), most: 3).isEmpty && stacks.reachedGlobal(FrameID(5)) == nil)
    #expect(stacks.callers(of: nil, most: 3).isEmpty)
  }

  @Test func sharedCodeReachesOneOfSeveralGlobals() {
    let accessor = ".unsafeMutableAddressor"
    func reached(_ name: String) -> SharedName? { table([("app", [symbol(name)], false)]).reachedGlobal(FrameID(1)) }
    #expect(reached("one of first\(accessor), second\(accessor)")?.names == ["first", "second"])
    #expect(reached("one of Map<Int, Int>.a\(accessor), b\(accessor)")?.names == ["Map<Int, Int>.a", "b"])
    #expect(reached("one of first\(accessor), second\(accessor)")?.isWhole == true)
    for rest in [" and 12 more", " (or one merged with them)", " and 1 more (or one merged with them)"] {
      let one = reached("one of first\(accessor), second\(accessor)\(rest)")
      #expect(one?.names == ["first", "second"] && one?.isWhole == false, "\(rest)")
    }
    #expect(reached("one of first\(accessor), load()") == nil)
    #expect(reached("one of ") == nil && reached("") == nil && reached("one of ,") == nil)
  }

  @Test func sharedCodeMayBeAnInitialiser() {
    // It has no line, but people wrote it.
    let calls = table([
      ("app", [symbol("wait()", 3)], false), ("app", [symbol("one of load(), store()")], false),
      ("app", [symbol("outlined copy")], false), ("app", [symbol("main", 30)], false),
    ])
    #expect(calls.callers(of: FrameID(1), most: 3).map(\.function) == ["one of load(), store()", "main"])
    #expect(calls.callers(of: FrameID(2), most: 3).map(\.function) == ["main"])
    #expect(calls.codeLocation(FrameID(2)) == CodeLocation(function: "one of load(), store()", module: "App"))
    let names = ["Load.init(_:)", "Load.run()", "one of Load.init(), Store.init()", "one of Load.run(), Store.run()"]
    #expect(names.map { StackTable.isInitialiser($0, of: "Load") } == [true, false, true, false])
    #expect(names.map { StackTable.isInitialiser($0, of: "Store") } == [false, false, true, false])
  }

  @Test func callerIsUsedWhereThereIsNoName() {
    let main = ("app", [symbol("main", 30)], false)
    let outermost = CodeLocation(function: "main", file: "/src/main.swift", line: 30, module: "App")
    #expect(location([("plugin", [], false), ("plugin", [], false), main]) == outermost)
    #expect(location([("app", [symbol("reabstraction thunk")], false), main]) == outermost)
    // The system's names do not count.
    #expect(location([("plugin", [], false), ("libdispatch.so", [symbol("dispatch_sync")], false), main]) == outermost)
  }

  @Test func certainAddressIsPreferredToAGuessedName() {
    let found = location([("plugin", [], false), ("app", [symbol("main", 30)], true)])
    #expect(found == CodeLocation(function: "plugin+0x100", module: "plugin"))
    let guessed = location([("plugin", [], true), ("app", [symbol("main", 30)], true)])
    #expect(guessed?.function == "main")
  }

  @Test func addressIsUsedWhereNothingHasAName() {
    #expect(location([("plugin", [], false), ("app", [], false)])?.function == "plugin+0x100")
    let glue = symbol("reabstraction thunk")
    #expect(
      location([("app", [glue], false), ("libdispatch.so", [symbol("call")], false)])?.function == glue.shortName)
    #expect(location([("libdispatch.so", [], false)])?.function == "libdispatch.so+0x100")
    #expect(location([]) == nil)
  }

  @Test func firstInlinedFunctionWithALineIsUsed() {
    let library = symbol("Array.append(_:)", module: "Swift")
    let found = location([("app", [library, symbol("add(_:)", 12), symbol("main", 30)], false)])
    #expect(found == CodeLocation(function: "add(_:)", file: "/src/main.swift", line: 12, module: "App"))
    #expect(
      location([("app", [library, symbol("add(_:)")], false)]) == CodeLocation(function: "add(_:)", module: "App"))
  }
}
