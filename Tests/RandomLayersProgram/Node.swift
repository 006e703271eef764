/// A place in a program that a seed makes up. What is done there follows from its seed alone, on whichever thread that is.
struct Node: Sendable {
  let seed: UInt64
  /// How many are below it, at most.
  let depth: Int
  /// How many operations end only when this is done.
  let inside: Int

  /// Every question has an answer of its own.
  func number(_ question: UInt64 = 0, below limit: Int) -> Int { Int(Self.mixed(seed, question) % UInt64(limit)) }

  func chance(_ question: UInt64, percent: Int) -> Bool { number(question, below: 100) < percent }

  func child(_ number: Int = 0) -> Node {
    Node(seed: Self.mixed(seed, 1000 + UInt64(number)), depth: depth - 1, inside: inside)
  }

  var insideOfOperation: Node { Node(seed: seed, depth: depth, inside: inside + 1) }

  /// What comes last in a chain.
  var leaf: Node { Node(seed: Self.mixed(seed, 999), depth: 0, inside: inside) }

  var children: [Node] { (0..<1 + number(1, below: 3)).map(child) }

  /// Spreads both over all 64 bits.
  static func mixed(_ one: UInt64, _ other: UInt64) -> UInt64 {
    var mixed = one &+ (other &+ 1) &* 0x9E37_79B9_7F4A_7C15
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }
}
