import OpTraceSnapshot
import OpTraceText

/// Why there is no snapshot, and what to do.
enum SnapshotFailure {
  /// - Parameter input: a process id, or the path of a core.
  static func told<Value>(of input: String, _ body: () throws -> Value) throws -> Value {
    do { return try body() } catch let trouble as MemoryTrouble { throw failure(trouble, input) }
  }

  static func failure(_ trouble: MemoryTrouble, _ input: String) -> Failure {
    let name = "'\(printable(input))'"
    switch trouble {
    case .noSuchProcess(let id):
      return Failure(
        message: "there is no process \(id): if it has crashed, name its core file", status: .noInput)
    case .zombie(let id):
      return Failure(
        message: "process \(id) has ended, and only waits until its parent asks for its status: nothing of it is left "
          + "to look at", status: .noInput)
    case .ended(let id):
      return Failure(
        message: "process \(id) ended, or became another program, while it was looked at: try again, or name its core "
          + "file", status: .noInput)
    case .noPermission(let id):
      let remedy = MissingRight(for: id).remedy
      return Failure(
        message: "the memory of process \(id) may not be read: \(remedy); a core file needs no such right: "
          + "'optrace doctor CORE'", status: .noInput)
    case .ownProcess: return .usage("\(input) is this optrace itself: name another process")
    case .noProgram(let id):
      return Failure(
        message: "process \(id) is a thread of the kernel, and no program: name another process", status: .noInput)
    case .otherMachine(let machine):
      return Failure(
        message: "\(name) is a program for \(machine): use optrace on a machine of this kind", status: .badInput)
    case .unreadable, .torn:
      return Failure(message: "\(name) cannot be read: \(sentence(trouble)); try again", status: .badInput)
    case .cannotRead(_, let why):
      return Failure(message: "cannot read \(name): \(printable(why))", status: .noInput)
    case .notCore: return Failure(message: "\(name) is no core file of Linux, and no trace", status: .badInput)
    case .damagedCore(_, let what):
      return Failure(
        message:
          "\(name) is damaged: \(printable(what)); is there enough space where cores are written, and is 'ulimit -c' "
          + "large enough?", status: .badInput)
    case .packedCore(_, let why):
      return Failure(message: "\(name) cannot be unpacked: \(printable(why))", status: .badInput)
    }
  }

  /// Within another sentence.
  private static func sentence(_ trouble: MemoryTrouble) -> String {
    let text = trouble.description
    return printable(text.prefix(1).lowercased() + text.dropFirst().dropLast())
  }
}
