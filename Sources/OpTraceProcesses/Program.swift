#if canImport(Darwin)
  package import Darwin
#elseif canImport(Glibc)
  package import Glibc
#elseif canImport(Musl)
  package import Musl
#endif

/// Another program to start, and what it gets from this process. Descriptors that are not named here reach it unless they are marked
/// close-on-exec, as all of ours are.
///
/// It is synchronous, and needs neither Foundation nor Swift's tasks: callers block a thread of their own, and one of them waits for stops
/// as well as for the end. (swift-subprocess offers neither, and would be a dependency of everything that reads symbols.)
package struct Program {
  package enum Stream {
    case inherited
    /// Nothing to read, and what is written is dropped.
    case nothing
    case descriptor(Int32)
  }

  package enum Group: Equatable {
    /// Ctrl-C and Ctrl-Z at the terminal reach it as they reach us.
    case shared
    /// They do not.
    case own
    /// The terminal is not its terminal.
    case ownSession
  }

  /// Text as C has it, so that any bytes are possible.
  package var path: [CChar]
  /// The first one is its name.
  package var words: [[CChar]]
  /// `NAME=VALUE`; nil: the variables of this process.
  package var environment: [[CChar]]?
  package var input = Stream.inherited
  package var output = Stream.inherited
  package var errors = Stream.inherited
  /// More descriptors: their numbers in the program, and ours.
  package var descriptors: [(number: Int32, ours: Int32)] = []
  package var group = Group.shared
  /// Signals that are blocked in it. None by default, whatever the calling thread blocks: those of libdispatch block all.
  package var blocked = sigset_t()
  /// Signals that have their default effect in it even if this process ignores them.
  package var restored: [Int32] = []

  package init(path: [CChar], words: [[CChar]]) { (self.path, self.words) = (path, words) }

  package init(_ path: String, _ arguments: [String]) {
    self.init(path: Array(path.utf8CString), words: ([path] + arguments).map { Array($0.utf8CString) })
  }

  /// The variables of this process, as ``environment`` takes them.
  package static var variables: [[CChar]] {
    var all: [[CChar]] = []
    var next = environ
    while let variable = next.pointee {
      all.append(Array(UnsafeBufferPointer(start: variable, count: strlen(variable) + 1)))
      next += 1
    }
    return all
  }

  package func start() throws(CannotStart) -> RunningProgram {
    let actions = SpawnActions()
    let streams = [(STDIN_FILENO, input), (STDOUT_FILENO, output), (STDERR_FILENO, errors)]
    for (number, stream) in streams + descriptors.map({ ($0.number, .descriptor($0.ours)) }) {
      guard actions.add(stream, as: number) else { throw CannotStart(self, errno) }
    }
    let attributes = SpawnAttributes()
    attributes.set(group, blocked: blocked, restored: restored)
    var words = words.map { strdup($0) } + [nil]
    var variables = (environment ?? Program.variables).map { strdup($0) } + [nil]
    defer { for word in words + variables { free(word) } }
    var process = pid_t()
    let error = posix_spawn(&process, path, &actions.value, &attributes.value, &words, &variables)
    guard error == 0 else { throw CannotStart(self, error) }
    return RunningProgram(process)
  }
}

/// Why a program could not be started.
package struct CannotStart: Error, CustomStringConvertible {
  package var program: String
  /// The system's error number.
  package var number: Int32

  package init(_ program: Program, _ number: Int32) {
    self.program = String(decoding: program.path.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    self.number = number
  }

  package var description: String { "cannot run '\(program)': \(String(cString: strerror(number)))" }
}
