@testable import OpTraceSamples
import OpTraceModel
import OpTraceText

import OpTraceAnalysis

/// Profiles from stacks as text: `main@App:3;~load@App;^decode@libz.so`.
///
/// A frame is a name, its module and its line; `~` before it: an async caller, `^`: inlined. Modules with a dot are libraries.
struct ProfileMaker {
  var profile = Profile()
  private var functions: [Profile.Function: Int] = [:]
  private var frames: [Profile.Frame: Int] = [:]
  private var stacks: [Profile.Stack: Int] = [:]
  private var owners: [Profile.Owner: Int] = [:]

  init(_ name: String = "photos", period: Nanoseconds = 10_000_000) {
    profile.processName = name
    profile.processID = 4711
    profile.period = period
    profile.startWall = 1_700_000_000_000_000_000
  }

  /// Adds samples of a stack, one period apart. Without an owner the samples have none.
  mutating func add(
    _ text: String, times: Int = 1, thread: UInt32 = 1, owner: String? = nil, work: UInt32? = nil,
    isInKernel: Bool = false, isCut: Bool = false, weight: Nanoseconds? = nil
  ) {
    let parts = text.split(separator: ";").map(String.init)
    let stack = Profile.Stack(
      frames: parts.map { frame($0) }, joined: parts.filter { $0.hasPrefix("~") }.count, isCut: isCut, isGuessed: false)
    let index = stacks.entry(stack)
    if index == profile.stacks.count { profile.stacks.append(stack) }
    let id = ThreadID(rawValue: thread)
    profile.threads[id] = Profile.Thread(name: thread == 1 ? "main" : "worker", systemID: 4710 + thread)
    for _ in 0..<times {
      profile.samples.append(
        Profile.Sample(
          time: Int64(profile.samples.count + 1) * 10_000_000, thread: id, work: work.map { WorkID(rawValue: $0) },
          stack: index, isInKernel: isInKernel, weight: weight ?? profile.period))
      if let owner { profile.ownerOfSamples.append(self.owner(owner)) }
    }
  }

  /// `operation Load on network`.
  private mutating func owner(_ text: String) -> Int {
    let parts = text.split(separator: " ").map(String.init)
    let owner = Profile.Owner(kind: parts[0], name: parts[1], queue: parts.count > 3 ? parts[3] : nil)
    let index = owners.entry(owner)
    if index == profile.owners.count { profile.owners.append(owner) }
    return index
  }

  private mutating func frame(_ text: String) -> Int {
    let isInlined = text.hasPrefix("^")
    let parts = text.drop { "~^".contains($0) }.split(separator: "@").map(String.init)
    let place = parts.count > 1 ? parts[1].split(separator: ":").map(String.init) : []
    let isOwn = place.first?.contains(".") != true
    let function = Profile.Function(
      name: parts[0], module: place.first, file: isOwn ? "/src/\(parts[0]).swift" : nil, line: isOwn ? 1 : nil,
      isOwn: isOwn)
    let number = functions.entry(function)
    if number == profile.functions.count { profile.functions.append(function) }
    let frame = Profile.Frame(function: number, line: place.count > 1 ? Int(place[1]) : nil, isInlined: isInlined)
    let index = frames.entry(frame)
    if index == profile.frames.count { profile.frames.append(frame) }
    return index
  }
}

extension Profile {
  /// Two operations and a task, with all kinds of frames.
  static var small: Profile {
    var maker = ProfileMaker()
    maker.add("start@libc.so;main@App:3;load@App:7;^parse@App:9", times: 3, owner: "operation Load on network", work: 5)
    maker.add("start@libc.so;main@App:4;write@libc.so", thread: 2, owner: "operation Load on network", isInKernel: true)
    maker.add("~refresh@App;run@libswift.so;fetch@Store:2", times: 2, thread: 2, owner: "task refresh", work: 6)
    maker.add("free@libc.so", owner: "thread main", isCut: true)
    return maker.profile
  }

  /// Names that break a format that does not escape them.
  static var hostile: Profile {
    let names = [
      "<script>alert(1)</script>", "]]>&amp;<!--", "a;b\nc\t\u{0}\u{1B}[31m", "\u{202E}turned", "שלום עולם", "漢字",
      String(repeating: "long", count: 5000), "👩‍👩‍👧‍👦", "Z" + String(repeating: "\u{301}", count: 90), "", "  ", "\"'`\\",
    ]
    var profile = Profile()
    profile.processName = "<script>\u{1}\"' & \u{202E}" + String(repeating: "x", count: 3000)
    profile.period = 1_000_000
    for (index, name) in names.enumerated() {
      profile.functions.append(
        Function(name: name, module: names[names.count - 1 - index], file: name, line: index, isOwn: index % 2 == 0))
      profile.frames.append(Frame(function: index, line: index, isInlined: index % 3 == 2))
      profile.owners.append(Owner(kind: name, name: name, queue: name))
    }
    profile.stacks = [Stack(frames: Array(names.indices), joined: 4, isCut: true, isGuessed: true)]
    for index in names.indices {
      profile.stacks.append(Stack(frames: [index], joined: 0, isCut: false, isGuessed: false))
    }
    for index in profile.stacks.indices {
      let thread = ThreadID(rawValue: UInt32(index))
      profile.threads[thread] = Thread(name: names[index % names.count], systemID: 9)
      profile.samples.append(
        Sample(
          time: Int64(index), thread: thread, work: nil, stack: index, isInKernel: index == 1, weight: 1_000_000))
      profile.ownerOfSamples.append(index % names.count)
    }
    return profile
  }

  /// Indexes of missing elements, and extreme numbers.
  static var broken: Profile {
    var profile = Profile()
    profile.period = 5
    profile.startWall = .max
    profile.functions = [Function(name: "f", module: nil, file: nil, line: -5, isOwn: true)]
    profile.frames = [
      Frame(function: 9, line: -1, isInlined: true), Frame(function: 0, line: .min, isInlined: true),
      Frame(function: -1, line: .max, isInlined: false),
    ]
    profile.stacks = [
      Stack(frames: [0, 1, 2, 7, -3], joined: 99, isCut: true, isGuessed: false),
      Stack(frames: [], joined: -4, isCut: false, isGuessed: true),
    ]
    let samples: [(Int, Nanoseconds)] = [(0, .max), (0, .max), (1, -7), (5, 3), (-1, .min), (1, 2), (.max, 0)]
    for (stack, weight) in samples {
      profile.samples.append(
        Sample(
          time: weight, thread: ThreadID(rawValue: 8), work: nil, stack: stack, isInKernel: stack == 1, weight: weight))
    }
    profile.ownerOfSamples = [4, -1]
    return profile
  }
}

/// The output of an exporter.
func exported(_ body: (ByteWriter) -> Void) -> [UInt8] {
  var bytes: [UInt8] = []
  let writer = ByteWriter { bytes += $0 }
  body(writer)
  // The sink never throws.
  try? writer.finish()
  return bytes
}

func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
