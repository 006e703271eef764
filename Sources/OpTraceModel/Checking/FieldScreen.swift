import OpTraceFormat

/// Finds records whose fields may be wrong, fast enough for millions of records. A record that does not pass is checked
/// again, field by field, to say what is wrong.
struct FieldScreen {
  /// What a number in a field refers to.
  private enum Reference { case number, notZero, objectKind, string, dispatch, queue, thread, frame, image }

  private struct Test {
    var position: EventSpec.Position
    var reference: Reference
    var least: Int64
    var most: Int64
  }

  /// The tests of all kinds in one list.
  private static let tests: [Test] = table.flatMap { $0 }
  private static let begins: [Int] = table.reduce(into: [0]) { $0.append(($0.last ?? 0) + $1.count) }
  private static let table: [[Test]] = (0...255).map { raw in
    EventSpec.of(raw: UInt8(raw)).map { spec in spec.fields.compactMap { test($0, of: spec) } } ?? []
  }

  private static func test(_ field: EventSpec.Field, of spec: EventSpec) -> Test? {
    func test(_ reference: Reference, _ range: ClosedRange<Int64> = .min ... .max) -> Test {
      Test(position: field.position, reference: reference, least: range.lowerBound, most: range.upperBound)
    }
    switch field.meaning {
    case .unsigned(.any), .signed(.any), .flag, .age, .systemThread, .lock, .allocation: return nil
    case .unsigned(.from(let least)), .signed(.from(let least)): return test(.number, least ... .max)
    case .unsigned(.within(let range)), .signed(.within(let range)): return test(.number, range)
    case .operation: return spec.subject == .operation ? test(.notZero) : nil
    case .address: return test(.notZero)
    case .objectKind: return test(.objectKind)
    case .string: return test(.string)
    case .dispatch: return test(.dispatch)
    case .queue: return test(.queue)
    case .thread: return test(.thread)
    case .frame: return test(.frame)
    case .image: return test(.image)
    }
  }

  private let tests = Self.tests
  private let begins = Self.begins
  private var strings = NumberRanges()
  private var dispatchQueues = NumberRanges()
  private var queues = NumberRanges()
  private var threads = NumberRanges()
  private var frames = NumberRanges()
  private var images = NumberRanges()

  init(_ facts: ValidationFacts, strings known: some Sequence<UInt32>) {
    strings.insert(Array(known))
    dispatchQueues.insert(Array(facts.dispatchQueues))
    queues.insert(Array(facts.queues))
    threads.insert(Array(facts.threads))
    frames.insert(Array(facts.frames))
    images.insert(Array(facts.images))
  }

  /// Whether nothing is wrong with the fields of such a record. False only means that something may be wrong: a trace
  /// with losses may break many rules, and this does not take that into account.
  func passes(_ kind: UInt8, _ word1: UInt64, _ word2: UInt64) -> Bool {
    for index in begins[Int(kind)]..<begins[Int(kind) + 1] {
      let test = tests[index]
      let value = test.position.value(test.position.word == 1 ? word1 : word2)
      guard isFine(value, test) else { return false }
    }
    return true
  }

  private func isFine(_ value: Int64, _ test: Test) -> Bool {
    let id = UInt32(truncatingIfNeeded: value)
    return switch test.reference {
    case .number: value >= test.least && value <= test.most
    case .notZero: value != 0
    case .objectKind: WaitedObject(rawValue: UInt8(truncatingIfNeeded: value)) != nil
    case .queue: queues.contains(id)
    case .string: value == 0 || strings.contains(id)
    case .dispatch: value == 0 || dispatchQueues.contains(id)
    case .thread: value == 0 || threads.contains(id)
    case .frame: value == 0 || frames.contains(id)
    case .image: value == 0 || images.contains(id)
    }
  }
}
