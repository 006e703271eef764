/// Threads that do nothing for the program.
extension Look {
  /// libdispatch's manager looks around once a second. Without a source it moves nothing.
  func isIdleManager(_ thread: SeenThread) -> Bool {
    thread.state.id == objects.dispatch?.idleManager
  }

  /// A thread of libdispatch's pool that has nothing to do: with only its code and the C library's on its stack. It waits for work for some
  /// seconds, and then ends.
  func isIdleWorker(_ thread: SeenThread) -> Bool {
    // Of a stack that broke off, or was guessed, nobody knows what else is on it.
    thread.isWhole && thread.guessedFrom == thread.addresses.count && thread.addresses.allSatisfy(isOfSystem)
  }

  private func isOfSystem(_ address: UInt64) -> Bool {
    guard let name = modules.containing(address &- 1)?.name else { return false }
    return name.hasPrefix("libdispatch.so") || name.hasPrefix("libc.so") || name.hasPrefix("libpthread.so")
  }

  /// A thread that runs nothing of the program's, and has nothing of it at hand: one of the pool without work, libdispatch's manager, or the
  /// main thread after `dispatchMain()`, of which nothing but the program's first function is left.
  func isIdle(_ thread: SeenThread) -> Bool {
    if isIdleWorker(thread) || thread.state.id == objects.dispatch?.manager { return true }
    return thread.state.id == processID && thread.isWhole && thread.guessedFrom == thread.addresses.count
      && thread.addresses.count > 1 && thread.addresses.dropLast().allSatisfy(isOfSystem)
  }
}
