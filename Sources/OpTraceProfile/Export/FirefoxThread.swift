import OpTraceKernel
import OpTraceModel
import OpTraceSamples
import OpTraceText

/// A thread of a Firefox profile: its tables, with what its samples need of the profile's stacks.
struct FirefoxThread {
  private let profile: Profile
  private let thread: ThreadSamples
  private let all: FirefoxStacks

  /// For each sample a number in `stacks`; nil: nothing was on the stack.
  private var leaves: [Int?] = []
  private var stacks: [FirefoxStacks.Node] = []
  private var frames: [(frame: FirefoxStacks.Frame, function: Int)] = []
  private var frameNumbers: [Int: Int] = [:]
  private var functions: [(name: Int, resource: Int, file: Int?, line: Int?)] = []
  private var functionNumbers: [FirefoxStacks.Function: Int] = [:]
  private var resources: [(library: Int, name: Int)] = []
  private var resourceNumbers: [Int: Int] = [:]
  private var texts: [String] = []
  private var strings: [String: Int] = [:]

  /// - Parameters:
  ///   - nodes: for each of the profile's samples its stack in `all`.
  ///   - numbers: room for a number for each stack in `all`, all of them -1, as they are again afterwards.
  ///   - libraries: of the threads before; those of this one are added.
  init(
    _ profile: Profile, _ thread: ThreadSamples, _ all: FirefoxStacks, nodes: [Int], numbers: inout [Int],
    libraries: inout FirefoxLibraries
  ) {
    self.profile = profile
    self.thread = thread
    self.all = all
    var seen: [Int] = []
    for sample in thread.samples {
      var open: [Int] = []
      var node = nodes[sample]
      while node >= 0, numbers[node] < 0 {
        open.append(node)
        node = all.nodes[node].prefix
      }
      for node in open.reversed() {
        let prefix = all.nodes[node].prefix
        numbers[node] = stacks.count
        seen.append(node)
        stacks.append(
          FirefoxStacks.Node(
            prefix: prefix < 0 ? -1 : numbers[prefix], frame: frame(all.nodes[node].frame, &libraries)))
      }
      leaves.append(nodes[sample] < 0 ? nil : numbers[nodes[sample]])
    }
    for node in seen { numbers[node] = -1 }
  }

  // MARK: Filling

  private mutating func frame(_ index: Int, _ libraries: inout FirefoxLibraries) -> Int {
    let number = frameNumbers.entry(index)
    if number == frames.count {
      let frame = all.frames[index]
      frames.append((frame, function(frame.function, &libraries)))
    }
    return number
  }

  private mutating func function(_ function: FirefoxStacks.Function, _ libraries: inout FirefoxLibraries) -> Int {
    let number = functionNumbers.entry(function)
    guard number == functions.count else { return number }
    var module = ProfileWords.name(profile.processName)
    var (name, file, line): (String, Int?, Int?) = (ProfileWords.unknown, nil, nil)
    switch function {
    case .known(let index):
      let function = profile.functions[index]
      if !function.isOwn, let library = function.module { module = ProfileWords.name(library) }
      name = ProfileWords.function(profile, index)
      file = function.file.map { string(ProfileWords.name($0)) }
      line = function.line
    case .kernel: (module, name) = (ProfileWords.kernel, ProfileWords.kernel)
    case .callersUnknown: name = ProfileWords.callersUnknown
    case .unknown: break
    }
    functions.append((string(name), resource(module, &libraries), file, line))
    return number
  }

  private mutating func resource(_ module: String, _ libraries: inout FirefoxLibraries) -> Int {
    let library = libraries.number(module)
    let number = resourceNumbers.entry(library)
    if number == resources.count { resources.append((library, string(module))) }
    return number
  }

  private mutating func string(_ text: String) -> Int {
    let number = strings.entry(text)
    if number == texts.count { texts.append(text) }
    return number
  }

  // MARK: Writing

  /// O(samples + stacks).
  func write(to writer: ByteWriter) {
    let isSampled = profile.period > 0
    let number = thread.systemID ?? thread.thread.rawValue
    let head: JSONValue = .members([
      "name": .string(thread.name), "isMainThread": .bool(thread.systemID == profile.processID),
      "processType": .string("default"), "processName": .string(ProfileWords.name(profile.processName)),
      "processStartupTime": .integer(0), "processShutdownTime": .null, "registerTime": .integer(0),
      "unregisterTime": .null, "pausedRanges": .array([]), "pid": .string("\(profile.processID)"),
      "tid": .string("\(number)"),
    ])
    // The object goes on.
    writer.string(String(String(decoding: head.line, as: UTF8.self).dropLast(2)))
    let samples = thread.samples
    Table(writer, "samples", samples.count) { table in
      table.column("stack", leaves) { writer.numberOrNull($0) }
      table.column("time", samples) { writer.milliseconds(profile.samples[$0].time) }
      if isSampled {
        table.text(",\"weight\":null,\"weightType\":\"samples\"")
        table.column("threadCPUDelta", samples) { writer.number(Int(max(0, profile.samples[$0].weight))) }
      } else {
        table.text(",\"weightType\":\"tracing-ms\"")
        table.column("weight", samples) { writer.milliseconds(max(0, profile.samples[$0].weight)) }
      }
    }
    writeStacks(to: writer)
    writeFunctions(to: writer)
    Table(writer, "markers", 0) { table in
      table.empty(["category", "data", "endTime", "name", "phase", "startTime"])
    }
    writer.text(",\"stringArray\":[")
    for (index, text) in texts.enumerated() {
      if index > 0 { writer.byte(UInt8(ascii: ",")) }
      writer.json(text)
    }
    writer.text("]}")
  }

  private func writeStacks(to writer: ByteWriter) {
    Table(writer, "stackTable", stacks.count) { table in
      table.column("prefix", stacks) { writer.numberOrNull($0.prefix < 0 ? nil : $0.prefix) }
      table.column("frame", stacks) { writer.number($0.frame) }
      table.column("category", stacks) { writer.number(frames[$0.frame].frame.category.rawValue) }
      table.column("subcategory", stacks) { _ in writer.number(0) }
    }
    Table(writer, "frameTable", frames.count) { table in
      table.column("func", frames) { writer.number($0.function) }
      table.column("line", frames) { writer.numberOrNull($0.frame.line) }
      table.column("inlineDepth", frames) { writer.number($0.frame.inlineDepth) }
      table.column("category", frames) { writer.number($0.frame.category.rawValue) }
      table.column("subcategory", frames) { _ in writer.number(0) }
      table.column("address", frames) { _ in writer.number(-1) }
      for name: StaticString in ["nativeSymbol", "innerWindowID", "implementation", "column"] {
        table.column(name, frames) { _ in writer.text("null") }
      }
    }
  }

  private func writeFunctions(to writer: ByteWriter) {
    Table(writer, "funcTable", functions.count) { table in
      table.column("name", functions) { writer.number($0.name) }
      table.column("resource", functions) { writer.number($0.resource) }
      table.column("fileName", functions) { writer.numberOrNull($0.file) }
      table.column("lineNumber", functions) { writer.numberOrNull($0.line) }
      table.column("columnNumber", functions) { _ in writer.text("null") }
      table.column("isJS", functions) { _ in writer.text("false") }
      table.column("relevantForJS", functions) { _ in writer.text("false") }
    }
    Table(writer, "resourceTable", resources.count) { table in
      table.column("lib", resources) { writer.number($0.library) }
      table.column("name", resources) { writer.number($0.name) }
      table.column("host", resources) { _ in writer.text("null") }
      // A library.
      table.column("type", resources) { _ in writer.number(1) }
    }
    Table(writer, "nativeSymbols", 0) { table in
      table.empty(["libIndex", "address", "name", "functionSize"])
    }
  }
}

/// Writes a table by column: `,"name":{"length":2,"frame":[0,1]}`.
private struct Table {
  private let writer: ByteWriter

  @discardableResult
  init(_ writer: ByteWriter, _ name: StaticString, _ count: Int, _ body: (Table) -> Void) {
    self.writer = writer
    writer.text(",\"")
    writer.text(name)
    writer.text("\":{\"length\":")
    writer.number(count)
    body(self)
    writer.byte(UInt8(ascii: "}"))
  }

  func text(_ text: StaticString) { writer.text(text) }

  func column<Element>(_ name: StaticString, _ elements: [Element], _ value: (Element) -> Void) {
    writer.text(",\"")
    writer.text(name)
    writer.text("\":[")
    var isFirst = true
    for element in elements {
      if !isFirst { writer.byte(UInt8(ascii: ",")) }
      isFirst = false
      value(element)
    }
    writer.byte(UInt8(ascii: "]"))
  }

  func empty(_ names: [StaticString]) {
    for name in names { column(name, [Int]()) { _ in } }
  }
}

extension ByteWriter {
  fileprivate func numberOrNull(_ value: Int?) {
    if let value { number(value) } else { text("null") }
  }

  /// Nanoseconds as milliseconds, exactly to the microsecond.
  fileprivate func milliseconds(_ nanoseconds: Nanoseconds) { thousandths(nanoseconds / 1000) }
}
