#if os(Linux)
  import Dispatch
  import Foundation

  /// Stacks of Swift's functions, of the libraries and of C, each by a way that a seed chooses. This file is compiled twice: as
  /// optimised programs are, and (a link in the tests leads to it) as those for the debugger.
  public enum SwiftShapes {
    /// `leaf` is called behind `depth` functions or more, on whatever thread the last of them is.
    public static func call(_ seed: UInt64, depth: Int, leaf: @escaping @Sendable () -> Void) {
      let way = Way(seed, depth, leaf)
      way.goOn()
      way.stay()
    }
  }

  private protocol Step {
    associatedtype Part: Collection
    var parts: Part { get }
    func go(_ way: Way) throws
  }

  /// One thread at a time: each waits for what it has begun.
  private final class Way: @unchecked Sendable {
    private var random: UInt64
    private var depth: Int
    private let leaf: @Sendable () -> Void
    private var met = 0

    init(_ seed: UInt64, _ depth: Int, _ leaf: @escaping @Sendable () -> Void) {
      (random, self.depth, self.leaf) = (seed &* 0x9E37_79B9_7F4A_7C15 | 1, depth, leaf)
    }

    private func number(_ count: Int) -> Int {
      random ^= random << 13
      random ^= random >> 7
      random ^= random << 17
      return Int(random >> 33) % count
    }

    /// So that no call is the last thing that a function does.
    @inline(never) func stay() { met &+= 1 }

    @inline(never) func goOn() {
      depth -= 1
      if depth < 0 { leaf() } else { Self.shapes[number(Self.shapes.count)](self) }
      stay()
    }

    private static let shapes: [@Sendable (Way) -> Void] = [
      { $0.closure() }, { $0.generic([1, 2], "a") }, { $0.generic(Set(["b"]), 1.5) }, { $0.existential() },
      { $0.throwing() }, { $0.onceOfSort() }, { $0.lazily() }, { $0.byQsort() }, { $0.byBsearch() },
      { $0.byArraySort() }, { $0.byEnumeration() }, { $0.room() }, { $0.deinitialised() }, { $0.keyPath() },
      { $0.accessor() }, { $0.manyValues() }, { $0.sync() }, { $0.perform() }, { $0.operation() },
      { $0.onQueue() }, { $0.thread() }, { $0.bytes() },
    ]

    // MARK: - Swift

    @inline(never) private func closure() {
      var seen = [3, 1].map { value -> Int in
        if value == 3 { self.goOn() }
        return value + 1
      }
      seen.append(met)
      stay()
    }

    @inline(never) private func generic<Values: Collection, Other: Hashable>(_ values: Values, _ other: Other) {
      var found: [Other: Int] = [other: values.count]
      found[other]? += met
      values.prefix(1).forEach { _ in goOn() }
      stay()
    }

    private struct Plain: Step {
      var parts: [Int]
      func go(_ way: Way) throws { way.goOn() }
    }
    private struct Wide<Value: Hashable>: Step {
      var parts: Set<Value>
      var room = (0, 1, 2, 3, 4, 5, 6, 7)
      func go(_ way: Way) throws {
        way.goOn()
        way.stay()
      }
    }

    @inline(never) private func existential() {
      let steps: [any Step] = [Plain(parts: [1]), Wide(parts: ["a"])]
      try? steps[number(2)].go(self)
      stay()
    }

    private struct Refusal: Error {}

    @inline(never) private func refuse(_ isWanted: Bool) throws {
      goOn()
      if isWanted { throw Refusal() }
      stay()
    }

    @inline(never) private func throwing() {
      do { try refuse(number(2) == 0) } catch { met &+= 2 }
      stay()
    }

    @inline(never) private func onceOfSort() {
      var isFirst = true
      met &+=
        [5, 2, 9, 1].sorted {
          if isFirst {
            isFirst = false
            self.goOn()
          }
          return $0 < $1
        }[0]
      stay()
    }

    @inline(never) private func lazily() {
      let first = (1...3).lazy.map { value -> String in
        if value == 1 { self.goOn() }
        return "\(value)"
      }.filter { !$0.isEmpty }.first
      met &+= first?.count ?? 0
    }

    @inline(never) private func room() {
      let size = 1 + number(900)
      withUnsafeTemporaryAllocation(byteCount: size, alignment: 64) { bytes in
        bytes[size - 1] = 1
        goOn()
        met &+= Int(bytes[size - 1])
      }
    }

    private final class Last {
      let way: Way
      init(_ way: Way) { self.way = way }
      deinit { way.goOn() }
    }

    @inline(never) private func deinitialised() {
      do { met &+= Last(self).way.depth }
      stay()
    }

    private var computed: Int {
      goOn()
      return met
    }

    @inline(never) private func keyPath() {
      let path: KeyPath<Way, Int> = number(2) == 0 ? \.computed : \.computed.magnitude.hashValue
      met &+= self[keyPath: path] & 1
    }

    private struct Box {
      var value = 1
      mutating func change(_ way: Way) {
        way.goOn()
        value &+= 1
      }
    }
    private var box = Box()
    private var boxes: Box {
      get { box }
      _modify {
        var copy = box
        yield &copy
        box = copy
      }
    }

    @inline(never) private func accessor() {
      boxes.change(self)
      stay()
    }

    @inline(never) private func manyValues() {
      let v = (0..<9).map { _ in number(1000) }
      let (a, b, c, d, e, f) = (v[0] &* v[1], v[1] ^ v[2], v[2] &+ v[3], v[3] | v[4], v[4] & v[5], v[5] &- v[6])
      goOn()
      met &+= a ^ b ^ c ^ d ^ e ^ f ^ v[8]
    }

    @inline(never) private func bytes() {
      let data = Data([1, 2, 3])
      met &+= data.withUnsafeBytes { bytes -> Int in
        goOn()
        return bytes.count
      }
    }

    // MARK: - C and the libraries

    private static func way(_ pointer: UnsafeMutableRawPointer?) -> Way? {
      pointer.map { Unmanaged<Way>.fromOpaque($0).takeUnretainedValue() }
    }

    private var isAsked = false
    /// `qsort` hands nothing on.
    private nonisolated(unsafe) static var sorting: Way?

    @inline(never) private func compared() -> Int32 {
      if isAsked {
        isAsked = false
        goOn()
      }
      return 1
    }

    @inline(never) private func byQsort() {
      var numbers: [Int32] = [4, 3, 2, 1]
      isAsked = true
      Self.sorting = self
      qsort(&numbers, numbers.count, 4) { _, _ in Way.sorting?.compared() ?? 0 }
      stay()
    }

    @inline(never) private func byBsearch() {
      let own = Unmanaged.passUnretained(self).toOpaque()
      let numbers: [Int32] = [1, 2, 3]
      isAsked = true
      _ = bsearch(own, numbers, numbers.count, 4) { own, _ in
        Way.way(UnsafeMutableRawPointer(mutating: own))?.compared() ?? 0
      }
      stay()
    }

    @inline(never) private func byArraySort() {
      isAsked = true
      met &+=
        NSArray(array: [2, 1, 3]).sortedArray { _, _ in self.compared() > 0 ? .orderedDescending : .orderedSame }.count
    }

    @inline(never) private func byEnumeration() {
      NSArray(array: [1]).enumerateObjects { _, _, stop in
        self.goOn()
        stop.pointee = true
      }
      stay()
    }

    private static let queue = DispatchQueue(label: "shapes", attributes: .concurrent)

    @inline(never) private func sync() {
      met &+= Self.queue.sync { () -> Int in
        self.goOn()
        return 1
      }
    }

    @inline(never) private func perform() {
      DispatchQueue.concurrentPerform(iterations: 1) { _ in self.goOn() }
      stay()
    }

    @inline(never) private func operation() {
      BlockOperation { self.goOn() }.start()
      stay()
    }

    @inline(never) private func onQueue() {
      let queue = OperationQueue()
      queue.addOperation {
        self.goOn()
        self.stay()
      }
      queue.waitUntilAllOperationsAreFinished()
    }

    @inline(never) private func thread() {
      let ended = DispatchSemaphore(value: 0)
      let thread = Thread {
        self.goOn()
        ended.signal()
      }
      thread.stackSize = 1 << 20
      thread.start()
      ended.wait()
    }
  }
#endif
