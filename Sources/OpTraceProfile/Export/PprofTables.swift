import OpTraceKernel
import OpTraceSamples
import OpTraceText

/// What the samples of a file point to: strings, functions, mappings, and locations, each once and with numbers from 1 on,
/// as pprof has them. OpenTelemetry's dictionary has the same tables, in which 0 is nothing.
///
/// A location is a frame with all that was compiled into it. No addresses are known, so a mapping says only where code is from: the
/// program, or a library.
struct PprofTables {
  private enum Field {
    static let mapping: UInt64 = 3
    static let location: UInt64 = 4
    static let function: UInt64 = 5
    static let string: UInt64 = 6
  }

  private enum DictionaryField {
    static let mapping: UInt64 = 1
    static let location: UInt64 = 2
    static let function: UInt64 = 3
  }

  /// A frame by what can be seen of it. `function` is beyond those of the profile for what has no entry there.
  private struct Line: Hashable {
    var function: Int
    var line: Int
  }

  private let profile: Profile
  private var strings: [String: Int] = [:]
  private var texts: [String] = []
  /// The innermost line first.
  private var locations: [[Line]: Int] = [:]
  private var lines: [[Line]] = []
  private var mappings: [String: Int] = [:]
  private var files: [String] = []

  private var kernel: Int { profile.functions.count }
  private var callersUnknown: Int { profile.functions.count + 1 }
  private var unknown: Int { profile.functions.count + 2 }

  init(_ profile: Profile) {
    self.profile = profile
    // The first string is the empty one; the first mapping names the program.
    _ = string("")
    _ = mapping(ProfileWords.name(profile.processName))
  }

  /// The number of a text. O(length).
  mutating func string(_ text: String) -> UInt64 {
    let number = strings.entry(text)
    if number == texts.count { texts.append(text) }
    return UInt64(number)
  }

  private mutating func mapping(_ file: String) -> UInt64 {
    let number = mappings.entry(file)
    if number == files.count { files.append(file) }
    return UInt64(number) + 1
  }

  // MARK: Locations

  /// The innermost first. O(depth).
  mutating func locations(ofStack index: Int, isInKernel: Bool) -> [UInt64] {
    var result: [UInt64] = []
    if profile.stacks.indices.contains(index) {
      let stack = profile.stacks[index]
      if stack.isCut { result.append(location([Line(function: callersUnknown, line: 0)])) }
      var open: [Line] = []
      for (place, number) in stack.frames.enumerated() {
        let frame = profile.frames.indices.contains(number) ? profile.frames[number] : nil
        // The innermost async caller is no frame that the thread's outermost could be compiled into.
        let begins = frame?.isInlined != true || place == stack.joined
        if begins, !open.isEmpty {
          result.append(location(open.reversed()))
          open.removeAll()
        }
        let function = frame.map { profile.functions.indices.contains($0.function) ? $0.function : unknown }
        open.append(Line(function: function ?? unknown, line: max(0, frame?.line ?? 0)))
      }
      if !open.isEmpty { result.append(location(open.reversed())) }
    } else {
      result.append(location([Line(function: unknown, line: 0)]))
    }
    if isInKernel { result.append(location([Line(function: kernel, line: 0)])) }
    return result.reversed()
  }

  private mutating func location(_ innermostFirst: [Line]) -> UInt64 {
    let number = locations.entry(innermostFirst)
    if number == lines.count { lines.append(innermostFirst) }
    return UInt64(number) + 1
  }

  // MARK: Writing

  /// Functions, locations, mappings; `handOn` empties the message between them.
  mutating func write(_ message: inout ProtobufMessage, handOn: (inout ProtobufMessage) -> Void) {
    for index in Array(profile.functions.indices) + [kernel, callersUnknown, unknown] {
      let (name, file, line) = about(index)
      function(&message, index, name: name, file: file, line: line)
      handOn(&message)
    }
    for (number, lines) in lines.enumerated() {
      let mapping = mapping(of: lines.last?.function ?? unknown)
      message.message(Field.location) { message in
        message.number(1, UInt64(number) + 1)
        message.number(2, mapping)
        for line in lines {
          message.message(4) {
            $0.number(1, UInt64(line.function) + 1)
            $0.number(2, UInt64(line.line))
          }
        }
      }
      handOn(&message)
    }
    for (number, file) in files.enumerated() {
      let file = string(file)
      message.message(Field.mapping) {
        $0.number(1, UInt64(number) + 1)
        $0.number(5, file)
        // Functions, files, lines and inlined frames are there: nobody needs to look for symbols.
        for known: UInt64 in 7...10 { $0.number(known, 1) }
      }
    }
  }

  /// The last: everything else may have added to it.
  func writeStrings(_ message: inout ProtobufMessage, handOn: (inout ProtobufMessage) -> Void) {
    for text in texts {
      message.text(Field.string, text)
      handOn(&message)
    }
  }

  /// The same, as a field of a dictionary.
  func writeStrings(_ message: inout ProtobufMessage, as field: UInt64) {
    for text in texts { message.text(field, text) }
  }

  /// Functions, locations and mappings as OpenTelemetry has them: without numbers of their own, and each used.
  mutating func writeDictionary(_ message: inout ProtobufMessage) {
    var numbers: [Int: Int] = [:]
    var used: [Int] = []
    message.message(DictionaryField.location) { _ in }
    for lines in lines {
      let mapping = mapping(of: lines.last?.function ?? unknown)
      message.message(DictionaryField.location) { message in
        message.number(1, mapping)
        for line in lines {
          let number = numbers.entry(line.function)
          if number == used.count { used.append(line.function) }
          message.message(3) {
            $0.number(1, UInt64(number) + 1)
            $0.number(2, UInt64(line.line))
          }
        }
      }
    }
    message.message(DictionaryField.function) { _ in }
    for index in used {
      let (name, file, line) = about(index)
      message.message(DictionaryField.function) {
        $0.number(1, name)
        $0.number(2, name)
        $0.number(3, file)
        $0.number(4, UInt64(line))
      }
    }
    message.message(DictionaryField.mapping) { _ in }
    for file in files {
      let file = string(file)
      message.message(DictionaryField.mapping) { $0.number(4, file) }
    }
  }

  /// The numbers of a function's name and file, and its first line.
  private mutating func about(_ index: Int) -> (name: UInt64, file: UInt64, line: Int) {
    switch index {
    case kernel: (string(ProfileWords.kernel), 0, 0)
    case callersUnknown: (string(ProfileWords.callersUnknown), 0, 0)
    case unknown: (string(ProfileWords.unknown), 0, 0)
    default:
      (
        string(ProfileWords.function(profile, index)),
        string(profile.functions[index].file.map(ProfileWords.name) ?? ""), max(0, profile.functions[index].line ?? 0)
      )
    }
  }

  private func function(_ message: inout ProtobufMessage, _ index: Int, name: UInt64, file: UInt64, line: Int) {
    message.message(Field.function) {
      $0.number(1, UInt64(index) + 1)
      $0.number(2, name)
      $0.number(3, name)
      $0.number(4, file)
      $0.number(5, UInt64(line))
    }
  }

  private mutating func mapping(of function: Int) -> UInt64 {
    if function == kernel { return mapping(ProfileWords.kernel) }
    guard profile.functions.indices.contains(function) else { return 1 }
    let function = profile.functions[function]
    guard let module = function.module, !function.isOwn else { return 1 }
    return mapping(ProfileWords.name(module))
  }
}
