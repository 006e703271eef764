/// A trace in the text form with samples, whose stacks are told by the names of their functions.
///
/// A function is `load()`, which is the program's own in line 1, 2, …; `libz.so.1!deflate` is a library's; `libz.so.1!` has no
/// name; `load()>map(_:)` is one into which the other is compiled. Each has one address.
public struct SampledTrace: Sendable {
  /// What the times of the lines count.
  public var unit = TypedTrace.Unit.microseconds
  /// The header, and threads 1 to 6.
  public var frame = TypedTrace()
  private var definitions: [String] = []
  private var lines: [String] = []
  private var images: [String: Int] = [:]
  private var functions: [String: Int] = [:]
  private var frames: [String: Int] = [:]

  public init() {}

  /// Its innermost frame, as lines refer to it: `f3`. The outermost function comes first.
  /// - Parameters:
  ///   - isCut: its outermost frame's callers were not read.
  ///   - guessed: these functions' frames are guesses.
  public mutating func stack(_ names: [String], isCut: Bool = false, guessed: Set<String> = []) -> String {
    var caller = 0
    for (depth, name) in names.enumerated() {
      let isCut = isCut && depth == 0
      let key = "\(caller) \(name) \(isCut) \(guessed.contains(name))"
      if let known = frames[key] {
        caller = known
        continue
      }
      let number = frames.count + 1
      frames[key] = number
      define(name, as: number, caller: caller, isCut: isCut, isGuessed: guessed.contains(name))
      caller = number
    }
    return "f\(caller)"
  }

  private mutating func define(_ name: String, as number: Int, caller: Int, isCut: Bool, isGuessed: Bool) {
    let parts = name.split(separator: "!", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    let library = parts.count > 1 ? parts[0] : nil
    let function = parts.count > 1 ? parts[1] : parts[0]
    let image = self.image(library)
    let row = functions[name] ?? functions.count + 1
    let isNew = functions[name] == nil
    functions[name] = row
    var line = "frame f\(number) image=i\(image) offset=\(4096 + row * 16)"
    if caller > 0 { line += " caller=f\(caller)" }
    if isCut { line += " cut" }
    if isGuessed { line += " guessed" }
    definitions.append(line)
    guard isNew, !function.isEmpty else { return }
    let inlined = function.split(separator: ">").map(String.init)
    for (level, one) in inlined.reversed().enumerated() {
      var symbol = "symbol f\(number)" + (level > 0 ? " inlined=\(level)" : "") + " short=\"\(one)\""
      if library == nil { symbol += " line=\(row) file=\"/src/main.swift\" module=\"Photos\"" }
      definitions.append(symbol + " \"\(one)\"")
    }
  }

  private mutating func image(_ library: String?) -> Int {
    let path = library.map { "/usr/lib/\($0)" } ?? "/opt/photos/photos"
    if let known = images[path] { return known }
    let number = images.count + 1
    images[path] = number
    definitions.append("image i\(number) page=\(number * 4096) pages=64 \"\(path)\"")
    return number
  }

  /// Samples of a period in nanoseconds; `more`: other fields, as `kernel` or `refused=13`.
  public mutating func sampling(every period: Int = 1_000_000, _ more: String = "") {
    definitions.append("profile period=\(period) \(more)")
  }

  /// A line `TIME tTHREAD EVENT …`.
  public mutating func add(_ line: String) { lines.append(line) }

  /// A sample of a thread with a stack, as ``stack(_:isCut:guessed:)`` names it; nil: none was recorded.
  public mutating func sample(_ time: Int, _ thread: Int, _ stack: String?, inKernel: Bool = false) {
    add("\(time) t\(thread) \(inKernel ? "sampled-in-kernel" : "sampled") \(stack ?? "f0") age=0 thread=t\(thread)")
  }

  /// Processor time that was used by a time, in nanoseconds.
  public mutating func used(_ used: Int, at time: Int, lost: Int = 0, missing: Int = 0) {
    add("\(time) t1 sampling used=\(used) lost=\(lost) missing=\(missing)")
  }

  /// The whole text.
  public var text: String {
    frame.text(
      (definitions.map { "0 t0 " + $0 } + lines.enumerated().sorted { Self.order($0) < Self.order($1) }.map(\.element))
        .joined(separator: "\n"), in: unit)
  }

  private static func order(_ line: (offset: Int, element: String)) -> (Int, Int) {
    (line.element.split(separator: " ").first.flatMap { Int($0) } ?? 0, line.offset)
  }
}
