extension TraceRecorder {
  /// Records every operation of the process from here on, on every queue and of every class: plain `Operation`s and
  /// `OperationQueue`s, `OperationQueue.main`, subclasses in packages that do not know OpTrace. It lasts until
  /// ``stop()``; the recorder is kept alive until then.
  ///
  /// Call it early: what was added to a queue before is recorded in part. In a program on Linux that has Foundation linked
  /// into it, call it before the program has a second thread. `Documentation/recorder.md` says how it works and what it relies
  /// on.
  ///
  /// On Linux only. On Apple platforms it throws `cannotInstrument`: there the traced types alone record.
  ///
  /// - Throws: ``TraceRecorderError``: `alreadyInstrumented` while another recorder does this; `cannotInstrument`, with
  ///   the reason, where it is not possible. Nothing is changed then.
  public func instrumentProcess() throws(TraceRecorderError) {
    try HookUse.watchEverything(for: self, fromOutside: false)
  }
}
