import OpTraceKernel
import OpTraceModel
import OpTraceSamples
package import OpTraceText

/// Writes a window's profile as OpenTelemetry's collector takes it: the message `ExportProfilesServiceRequest` of the
/// signal *profiles*, v1development, with the dictionary and the field numbers of opentelemetry-proto 1.10.
///
/// Samples are counted (`samples`, `count`), with the period in nanoseconds of processor time, as OpenTelemetry's own
/// profiler has it and Pyroscope expects. Attributes of a sample: `thread.name`; `optrace.operation`, `optrace.block` or
/// `optrace.task` with the name of its kind; `optrace.queue`; `optrace.request` with the kind of the unit of work. Its
/// link is the span that it was taken in. Source of the format:
/// <https://github.com/open-telemetry/opentelemetry-proto/tree/main/opentelemetry/proto/profiles/v1development>.
package struct OTLPProfileExporter {
  private enum Field {
    static let resourceProfiles: UInt64 = 1
    static let dictionary: UInt64 = 2
  }

  private enum ProfileField {
    static let sampleType: UInt64 = 1
    static let samples: UInt64 = 2
    static let time: UInt64 = 3
    static let duration: UInt64 = 4
    static let periodType: UInt64 = 5
    static let period: UInt64 = 6
    static let id: UInt64 = 7
    static let attributes: UInt64 = 11
  }

  private enum SampleField {
    static let stack: UInt64 = 1
    static let attributes: UInt64 = 2
    static let link: UInt64 = 3
    static let values: UInt64 = 4
  }

  private struct Place: Hashable {
    var stack: Int
    var isInKernel: Bool
  }

  private struct Attribute: Hashable {
    var key: String
    var value: Value
  }

  private enum Value: Hashable {
    case text(String)
    case number(Int64)
  }

  private let window: WindowProfile
  private let process: PushedProcess
  private var tables: PprofTables
  /// Numbers from 1; 0 stands for none in every table of the dictionary.
  private var stacks: [Place: Int] = [:]
  private var stackLocations: [[UInt64]] = []
  private var attributes: [Attribute: Int] = [:]
  private var attributeList: [Attribute] = []
  private var message = ProtobufMessage()

  /// O(sums + stacks × depth).
  package static func write(_ window: WindowProfile, of process: PushedProcess, to writer: ByteWriter) {
    var exporter = Self(window, process)
    exporter.write()
    writer.bytes(exporter.message.bytes)
  }

  private init(_ window: WindowProfile, _ process: PushedProcess) {
    (self.window, self.process) = (window, process)
    tables = PprofTables(window.tables)
  }

  private mutating func write() {
    let resource = message.open(Field.resourceProfiles)
    writeResource()
    let scope = message.open(2)
    message.message(1) {
      $0.text(1, "optrace")
      $0.text(2, process.header.writerVersion)
    }
    let profile = message.open(2)
    writeProfile()
    message.close(profile)
    message.close(scope)
    message.close(resource)
    let dictionary = message.open(Field.dictionary)
    writeDictionary()
    message.close(dictionary)
  }

  private mutating func writeResource() {
    let header = process.header
    let name = ProfileWords.name(header.processName)
    let facts: [(String, Value)] = [
      ("service.name", .text(process.serviceName)), ("service.instance.id", .text(header.hash)),
      ("process.executable.name", .text(name)), ("process.pid", .number(Int64(header.processID))),
      ("process.runtime.name", .text("swift")), ("telemetry.sdk.language", .text("swift")),
      ("telemetry.sdk.name", .text("optrace")), ("telemetry.sdk.version", .text(header.writerVersion)),
    ]
    message.message(1) { resource in
      for (key, value) in facts {
        resource.message(1) {
          $0.text(1, key)
          Self.write(value, as: 2, &$0)
        }
      }
    }
  }

  private static func write(_ value: Value, as field: UInt64, _ message: inout ProtobufMessage) {
    message.message(field) {
      switch value {
      case .text(let text): $0.text(1, text)
      case .number(let number): $0.signed(3, number)
      }
    }
  }

  private mutating func writeProfile() {
    valueType(ProfileField.sampleType, "samples", "count")
    for sum in window.sums { write(sum) }
    message.fixed(ProfileField.time, process.wall(window.began))
    message.number(ProfileField.duration, UInt64(max(0, window.ended &- window.began)))
    valueType(ProfileField.periodType, "cpu", "nanoseconds")
    message.signed(ProfileField.period, window.tables.period)
    message.bytes(ProfileField.id, process.id(of: window))
    guard window.lost > 0 else { return }
    message.packed(ProfileField.attributes, [attribute("optrace.samples.lost", .number(Int64(window.lost)))])
  }

  private mutating func valueType(_ field: UInt64, _ type: String, _ unit: String) {
    let (type, unit) = (tables.string(type), tables.string(unit))
    message.message(field) {
      $0.number(1, type)
      $0.number(2, unit)
    }
  }

  private mutating func write(_ sum: WindowProfile.Sum) {
    let stack = self.stack(Place(stack: sum.key.stack, isInKernel: sum.key.isInKernel))
    let attributes = window.labels(of: sum.key).map { attribute($0.key.attribute, .text($0.value)) }
    message.message(ProfileField.samples) {
      $0.number(SampleField.stack, stack)
      $0.packed(SampleField.attributes, attributes)
      if sum.key.span >= 0 { $0.number(SampleField.link, UInt64(sum.key.span) + 1) }
      $0.packed(SampleField.values, [UInt64(sum.samples)])
    }
  }

  private mutating func stack(_ place: Place) -> UInt64 {
    let number = stacks.entry(place)
    if number == stackLocations.count {
      stackLocations.append(tables.locations(ofStack: place.stack, isInKernel: place.isInKernel))
    }
    return UInt64(number) + 1
  }

  private mutating func attribute(_ key: String, _ value: Value) -> UInt64 {
    let attribute = Attribute(key: key, value: value)
    let number = attributes.entry(attribute)
    if number == attributeList.count { attributeList.append(attribute) }
    return UInt64(number) + 1
  }

  // MARK: - The dictionary

  private mutating func writeDictionary() {
    tables.writeDictionary(&message)
    message.message(4) {
      // The trace and the span that are none.
      $0.bytes(1, [UInt8](repeating: 0, count: 16))
      $0.bytes(2, [UInt8](repeating: 0, count: 8))
    }
    for span in window.spans {
      message.message(4) {
        $0.bytes(1, Self.bytes(span.traceID, count: 16))
        $0.bytes(2, Self.bytes(span.spanID, count: 8))
      }
    }
    message.message(6) { _ in }
    for attribute in attributeList {
      let key = tables.string(attribute.key)
      message.message(6) {
        $0.number(1, key)
        Self.write(attribute.value, as: 2, &$0)
      }
    }
    message.message(7) { _ in }
    for locations in stackLocations { message.message(7) { $0.packed(1, locations) } }
    tables.writeStrings(&message, as: 5)
  }

  /// Of hexadecimal digits. What is no digit counts as 0.
  private static func bytes(_ digits: String, count: Int) -> [UInt8] {
    let values = digits.utf8.map { UInt8(Character(UnicodeScalar($0)).hexDigitValue ?? 0) }
    return (0..<count).map { index in
      2 * index + 1 < values.count ? values[2 * index] << 4 | values[2 * index + 1] : 0
    }
  }
}
