import OpTraceKernel
import OpTraceModel
import OpTraceSamples

/// The stacks of a profile as Firefox has them: each is a frame on another stack. Once for all threads, whose tables are taken from it.
struct FirefoxStacks {
  /// Indexes in the profile's categories.
  enum Category: Int {
    case other
    case own
    case library
    case joined
    case kernel
  }

  /// A function of the profile, or one of those that only this format has.
  enum Function: Hashable {
    case known(Int)
    case kernel
    case callersUnknown
    case unknown
  }

  /// A frame in its place.
  struct Frame: Hashable {
    var function: Function
    var category: Category
    /// From 1; nil: not known.
    var line: Int?
    /// How many frames outside of it are in the same code.
    var inlineDepth: Int
  }

  /// A frame of the profile, by what makes it another one here.
  private struct FrameKey: Hashable {
    var frame: Int
    var inlineDepth: Int
    var isJoined: Bool
  }

  /// A stack: its innermost frame, and the stack below that one, -1 where it is the outermost.
  struct Node: Hashable {
    var prefix: Int
    var frame: Int
  }

  private let profile: Profile
  /// Each once.
  private(set) var frames: [Frame] = []
  /// Each once, behind its prefix.
  private(set) var nodes: [Node] = []
  private var frameNumbers: [Frame: Int] = [:]
  private var knownFrames: [FrameKey: Int] = [:]
  private var nodeNumbers: [Node: Int] = [:]
  /// By the profile's stack; -1: it has no frames.
  private var leaves: [Int: Int] = [:]

  init(_ profile: Profile) { self.profile = profile }

  /// The number of a sample's stack; -1: it has none. O(depth) for a stack that was not seen before.
  mutating func node(of sample: Profile.Sample) -> Int {
    let leaf = leaves[sample.stack] ?? node(ofNew: sample.stack)
    return sample.isInKernel ? push(plain(.kernel, .kernel), on: leaf) : leaf
  }

  private mutating func node(ofNew index: Int) -> Int {
    var top = -1
    if profile.stacks.indices.contains(index) {
      let stack = profile.stacks[index]
      if stack.isCut { top = push(plain(.callersUnknown, .other), on: top) }
      var depth = 0
      for (place, number) in stack.frames.enumerated() {
        let isInlined = profile.frames.indices.contains(number) && profile.frames[number].isInlined
        // The outermost frame on the thread's stack is in no async caller's code.
        depth = isInlined && place != stack.joined ? depth + 1 : 0
        let key = FrameKey(frame: number, inlineDepth: depth, isJoined: place < stack.joined)
        top = push(knownFrames[key] ?? frame(ofNew: key), on: top)
      }
    } else {
      top = push(plain(.unknown, .other), on: top)
    }
    leaves[index] = top
    return top
  }

  private mutating func push(_ frame: Int, on prefix: Int) -> Int {
    let node = Node(prefix: prefix, frame: frame)
    let number = nodeNumbers.entry(node)
    if number == nodes.count { nodes.append(node) }
    return number
  }

  private mutating func frame(ofNew key: FrameKey) -> Int {
    let known = profile.frames.indices.contains(key.frame) ? profile.frames[key.frame] : nil
    let number: Int
    if let known, profile.functions.indices.contains(known.function) {
      let category: Category =
        key.isJoined ? .joined : profile.functions[known.function].isOwn ? .own : .library
      number = self.number(
        of: Frame(
          function: .known(known.function), category: category, line: known.line, inlineDepth: key.inlineDepth))
    } else {
      number = plain(.unknown, .other)
    }
    knownFrames[key] = number
    return number
  }

  private mutating func plain(_ function: Function, _ category: Category) -> Int {
    number(of: Frame(function: function, category: category, inlineDepth: 0))
  }

  private mutating func number(of frame: Frame) -> Int {
    let number = frameNumbers.entry(frame)
    if number == frames.count { frames.append(frame) }
    return number
  }
}
