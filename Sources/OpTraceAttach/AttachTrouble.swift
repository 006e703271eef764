package import OpTraceSnapshot

/// Why a process that runs is not recorded. What it does is not changed then.
package enum AttachTrouble: Error, Hashable, Sendable {
  /// It is not there, or its memory may not be read.
  case memory(MemoryTrouble)
  /// This processor's calling convention is not known.
  case otherProcessor
  /// It is stopped by a signal, or by Ctrl-Z.
  case stopped
  /// A debugger, or another program that traces it.
  case traced(by: UInt32)
  /// These traces are written by it, or for it.
  case recorded([String])
  /// It was linked with a recorder of its own.
  case linkedWithOpTrace
  /// No loader is in it.
  case linkedStatically
  /// Swift's libraries are in the program's own file: its functions could be heard only before it began.
  case swiftLinkedIn
  /// Nothing that the recorder knows is in it.
  case nothingToRecord
  /// It does not see the same file or folder at this path: it is in a container, or has another root folder.
  case otherFiles(_ path: String)
  /// It counts processes from another number, as in a container.
  case otherProcessIDs
  /// It has a filter of system calls that this program does not have.
  case filtered
  /// Its C library is not glibc, or is there twice (`dlmopen`).
  case otherLoader(_ why: String)
  /// No thread could be borrowed in all the time; the reasons, each with how many threads.
  case noThread([NoThread: Int])
  /// The system does not let its threads be stopped.
  case refused
  /// No thread could be started in it; an `errno`.
  case noNewThread(Int32)
  /// Its loader says why.
  case notLoaded(String)
  /// The recorder says why.
  case notBegun([String])
  /// The path of the library, or of the trace, is too long.
  case tooLong
  /// Nothing was heard of the thread that was started in it.
  case noAnswer
  /// It ended meanwhile.
  case ended

  /// Why a thread is not borrowed.
  package enum NoThread: Hashable, Sendable, CaseIterable {
    /// It does not sleep.
    case running
    /// It sleeps in a system call that would tell the program that it was interrupted.
    case otherCall
    /// It is in the allocator or the loader, or in another function of the C library that may hold a lock.
    case busyInLibrary
    /// Where it is could not be found out for sure.
    case unclearStack
    /// There is too little room on its stack.
    case smallStack
  }
}
