/// Whether what looks like an object is one that lives. A word that equals a class's may be left over from an object that is gone, or
/// be a pointer to the class on a stack or in metadata.
///
/// Filters, after Swift's stdlib/public/SwiftShims/swift/shims/RefCount.h and glibc's malloc/malloc.c. Each rejects what it does not
/// understand: an object that is missed is no false statement.
struct Liveness {
  let view: MemoryView

  /// What was asked for so far.
  let tally = Tally()

  init(view: MemoryView) { self.view = view }

  /// Objects that are counted, and whether their memory is glibc's. If it mostly is not, another allocator gives it out, and nothing here
  /// tells what lives.
  final class Tally {
    private var given: Set<UInt64> = []
    private var others: Set<UInt64> = []

    func note(_ address: UInt64, isGiven: Bool) {
      if isGiven { given.insert(address) } else { others.insert(address) }
    }

    var isOfGlibc: Bool { others.count <= given.count }
  }

  /// An object of Swift that `malloc` gave memory for.
  func isObject(at address: UInt64, size: UInt64) -> Bool {
    guard address % 16 == 0, isCounted(at: address) else { return false }
    let isGiven = isChunk(at: address, size: size)
    tally.note(address, isGiven: isGiven)
    return isGiven
  }

  /// The same for an object that may be larger, and whose count somebody else has looked at.
  func isGiven(at address: UInt64, atLeast size: UInt64) -> Bool {
    guard address % 16 == 0 else { return false }
    let isGiven = isChunk(at: address, atLeast: size)
    tally.note(address, isGiven: isGiven)
    return isGiven
  }

  /// The count of references says that nobody destroys it.
  func isCounted(at address: UInt64) -> Bool {
    guard let count = view.word(at: address &+ 8) else { return false }
    // Its count is kept elsewhere, since somebody refers to it weakly, or it has very many.
    if count >> 63 == 1 {
      // Objects that are never freed have all bits of the lower half set that count; they are not in the heap.
      let side = (count & (1 << 62 - 1)) << 3
      guard side != 0, view.word(at: side) == address, let inner = view.word(at: side &+ 16) else { return false }
      return inner >> 32 & 1 == 0
    }
    // Whoever destroys it has set this bit. The count of those that keep its memory is at least one.
    return count >> 32 & 1 == 0 && count >> 1 & (1 << 31 - 1) >= 1
  }

  /// The word before it is the size of memory that glibc gave for so many bytes, and the next piece of memory says that this one is used.
  func isChunk(at address: UInt64, size: UInt64) -> Bool {
    guard let head = view.word(at: address &- 8) else { return false }
    let needed = max(32, (size &+ 8 &+ 15) & ~15)
    return head & ~7 <= needed &+ 16 && isChunk(at: address, atLeast: size)
  }

  /// The same for an object that may be larger.
  func isChunk(at address: UInt64, atLeast size: UInt64) -> Bool {
    guard address % 16 == 0, let head = view.word(at: address &- 8) else { return false }
    // Three bits are flags; the second is of memory that is no part of a heap.
    let chunk = head & ~7
    guard head & 2 == 0, chunk % 16 == 0, chunk >= max(32, size &+ 8), chunk < 1 << 20 else { return false }
    guard let next = view.word(at: address &- 8 &+ chunk) else { return false }
    return next & 1 == 1 && next & ~7 >= 16
  }
}

/// What a snapshot does not say, because something is missing or does not fit. Each description is one sentence.
package enum LeftOut: Hashable, Sendable, CustomStringConvertible {
  /// A file that was mapped is not on this machine.
  case file(path: String, buildID: String)
  /// The same, and there is another build of it.
  case otherBuild(path: String, buildID: String)
  /// A file that the process still has was removed or replaced.
  case replaced(path: String, buildID: String)
  /// The core ends before the memory that it should have.
  case cutShort
  /// Nothing in it is Swift's.
  case noSwift
  /// Which thread executes what is told by names that are not there.
  case roles
  /// Where these threads are could not be read.
  case threads(_ count: Int)
  case tasks(TaskLayout.Trouble)
  /// No Foundation with the known fields.
  case operations(_ missing: String)
  /// A task that says to be another one's child, which does not know it.
  case task(address: UInt64)
  /// libdispatch's tables are not all there.
  case dispatch
  /// A dispatch queue whose list of blocks does not lead to its end.
  case dispatchQueue(address: UInt64)
  /// An operation queue whose list does not lead forth and back, or disagrees with its operations.
  case queueList(address: UInt64)
  /// An operation queue that counts other operations as executing than those that say so.
  case queueCount(address: UInt64)
  /// More objects than are read.
  case tooMany(_ what: String)
  /// Memory is given out by something else than glibc.
  case allocator
  /// A task that waits for its turn on something that is no known actor.
  case executor(task: UInt64)
  /// More memory, or more waits, than are searched for who could end them.
  case references
  /// An operation whose dependencies are no operations.
  case operation(address: UInt64)

  var isOfOperations: Bool {
    if case .operations = self { true } else { false }
  }

  package var description: String {
    func hexadecimal(_ address: UInt64) -> String { "0x" + String(address, radix: 16) }
    return switch self {
    case .file(let path, let buildID):
      "\(path)\(buildID.isEmpty ? "" : " of build id \(buildID)") is missing, so what is in it is not known."
    case .otherBuild(let path, let buildID):
      "\(path)\(buildID.isEmpty ? "" : " of build id \(buildID)") is missing, and the file of this name is another build, so what is in it "
        + "is not known."
    case .replaced(let path, let buildID):
      "\(path)\(buildID.isEmpty ? "" : " of build id \(buildID)") was replaced or removed since the process began, so what is in it is "
        + "not known; root can still read it."
    case .cutShort: "The core is cut short: the rest of the memory is not known."
    case .noSwift: "There is no Swift in the process: only its threads and their locks are known."
    case .roles:
      "Which thread runs which operation or task is not known: the names of Foundation's functions are not there."
    case .threads(let count): "Where \(count) \(count == 1 ? "thread is" : "threads are") could not be read."
    case .tasks(let trouble): trouble.description
    case .operations(let missing): "Operations are left out: Foundation's \(missing) is not as it is known."
    case .dispatch: "Dispatch queues are left out: libdispatch's tables are not as they are known."
    case .task(let address):
      "The task at \(hexadecimal(address)) is left out: it says to be the child of a task that does not know it."
    case .dispatchQueue(let address):
      "The dispatch queue at \(hexadecimal(address)) is left out: its list of blocks does not fit together."
    case .queueList(let address):
      "The operations of the queue at \(hexadecimal(address)) are left out: its list does not fit together."
    case .queueCount(let address):
      "The queue at \(hexadecimal(address)) is left out: it counts others as executing than those that say so."
    case .allocator:
      "Objects are left out: the program's memory is not given out by glibc's malloc, so nothing tells which of them live."
    case .executor(let task):
      "The task at \(hexadecimal(task)) waits for its turn, but what gives turns to it is not known."
    case .operation(let address):
      "The operation at \(hexadecimal(address)) is left out: what it depends on does not fit together."
    case .references:
      "Who could still end all waits was not looked for: the process has more memory, or more that waits, than is searched."
    case .tooMany(let what): "There are more \(what) than are read; the rest is left out."
    }
  }
}
