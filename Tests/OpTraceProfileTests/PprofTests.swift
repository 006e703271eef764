import OpTraceAnalysis
import Testing

@testable import OpTraceProfile

@Suite struct PprofTests {
  private func read(_ profile: Profile) -> PprofReader {
    PprofReader(exported { PprofExporter.write(profile, to: $0) })
  }

  @Test func samplesAreReadBack() {
    let file = read(.small)
    #expect(file.types == ["samples count", "cpu nanoseconds"])
    #expect(file.numbers[12] == 10_000_000)
    #expect(file.numbers[9] == 1_700_000_000_010_000_000)
    #expect(file.numbers[10] == 60_000_000)
    #expect(
      file.samples == [
        """
        parse:9+load:7 main:3 start = 3 30000000, thread main, thread_id 4711, operation Load, queue network, work 5
        """,
        "[kernel] write main:4 start = 1 10000000, thread worker, thread_id 4712, operation Load, queue network",
        "fetch:2 run refresh = 2 20000000, thread worker, thread_id 4712, task refresh, work 6",
        "free [callers not known] = 1 10000000, thread main, thread_id 4711",
      ])
    #expect(file.mappings == ["photos", "libc.so", "[kernel]", "libswift.so"])
  }

  @Test func waitsHaveNoPeriod() {
    var maker = ProfileMaker(period: 0)
    maker.add("main@App", weight: 1_500_000)
    let file = read(maker.profile)
    #expect(file.types == ["waits count", "waiting nanoseconds"])
    #expect(file.samples == ["main = 1 1500000, thread main, thread_id 4711"])
    #expect(file.numbers[12] == nil)
  }

  @Test(arguments: [Profile.small, .hostile, .broken, Profile()])
  func everyReferenceIsValid(profile: Profile) {
    let file = read(profile)
    #expect(file.strings.first == "")
    #expect(file.troubles == [])
    #expect(file.samples.isEmpty == profile.samples.isEmpty)
  }
}

/// Reads the fields that pprof reads, as text.
struct PprofReader {
  private(set) var strings: [String] = []
  private(set) var numbers: [UInt64: UInt64] = [:]
  private(set) var types: [String] = []
  private(set) var samples: [String] = []
  private(set) var mappings: [String] = []
  /// References to nothing.
  private(set) var troubles: [String] = []
  private var functions: [UInt64: String] = [:]
  private var locations: [UInt64: String] = [:]

  init(_ bytes: [UInt8]) {
    let fields = Self.fields(bytes[...])
    strings = fields.filter { $0.number == 6 }.map { String(decoding: $0.bytes, as: UTF8.self) }
    for field in fields where field.bytes.isEmpty { numbers[field.number] = field.value }
    for field in fields where field.number == 5 {
      let parts = values(field.bytes)
      functions[parts[1, default: 0]] = string(parts[2])
      _ = string(parts[4])
    }
    let files = fields.filter { $0.number == 3 }.map { values($0.bytes) }
    mappings = files.map { string($0[5]) }
    let known = Set(files.map { $0[1, default: 0] })
    for field in fields where field.number == 4 {
      let parts = values(field.bytes)
      if !known.contains(parts[2, default: 0]) { troubles.append("mapping \(parts)") }
      let lines = Self.fields(field.bytes).filter { $0.number == 4 }.map { line in
        let parts = values(line.bytes)
        if functions[parts[1, default: 0]] == nil { troubles.append("function \(parts)") }
        let number = parts[2, default: 0]
        return functions[parts[1, default: 0], default: "?"] + (number > 0 ? ":\(number)" : "")
      }
      locations[parts[1, default: 0]] = lines.joined(separator: "+")
    }
    types = fields.filter { $0.number == 1 }.map { valueType($0.bytes) }
    for field in fields where field.number == 2 { samples.append(sample(field.bytes)) }
    if functions[0] != nil || locations[0] != nil { troubles.append("a number is 0") }
  }

  private mutating func string(_ index: UInt64?) -> String {
    let index = Int(index ?? 0)
    if !strings.indices.contains(index) { troubles.append("string \(index)") }
    return strings.indices.contains(index) ? strings[index] : "?"
  }

  private mutating func valueType(_ bytes: ArraySlice<UInt8>) -> String {
    let parts = values(bytes)
    return string(parts[1]) + " " + string(parts[2])
  }

  private mutating func sample(_ bytes: ArraySlice<UInt8>) -> String {
    var text = ""
    for field in Self.fields(bytes) {
      switch field.number {
      case 1:
        let names = Self.packed(field.bytes).map { number in
          if locations[number] == nil { troubles.append("location \(number)") }
          return locations[number, default: "?"]
        }
        text += names.joined(separator: " ") + " ="
      case 2: text += Self.packed(field.bytes).map { " \($0)" }.joined()
      default:
        let parts = values(field.bytes)
        text += ", " + string(parts[1]) + " " + (parts[2].map { string($0) } ?? "\(parts[3, default: 0])")
      }
    }
    return text
  }

  // MARK: The wire format

  private struct Field {
    var number: UInt64
    var value: UInt64 = 0
    var bytes: ArraySlice<UInt8> = []
  }

  private static func varint(_ bytes: inout ArraySlice<UInt8>) -> UInt64 {
    var result: UInt64 = 0
    var shift: UInt64 = 0
    while let byte = bytes.popFirst() {
      result |= UInt64(byte & 0x7F) << shift
      shift += 7
      if byte < 0x80 { break }
    }
    return result
  }

  private static func fields(_ bytes: ArraySlice<UInt8>) -> [Field] {
    var (rest, result): (ArraySlice<UInt8>, [Field]) = (bytes, [])
    while !rest.isEmpty {
      let key = varint(&rest)
      var field = Field(number: key >> 3)
      let value = varint(&rest)
      if key & 7 == 2 {
        field.bytes = rest.prefix(Int(value))
        rest = rest.dropFirst(Int(value))
      } else {
        field.value = value
      }
      result.append(field)
    }
    return result
  }

  private static func packed(_ bytes: ArraySlice<UInt8>) -> [UInt64] {
    var (rest, result): (ArraySlice<UInt8>, [UInt64]) = (bytes, [])
    while !rest.isEmpty { result.append(varint(&rest)) }
    return result
  }

  private func values(_ bytes: ArraySlice<UInt8>) -> [UInt64: UInt64] {
    Dictionary(Self.fields(bytes).map { ($0.number, $0.value) }) { first, _ in first }
  }
}
