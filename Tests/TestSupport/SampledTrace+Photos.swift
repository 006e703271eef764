extension SampledTrace {
  /// A photo import, sampled each millisecond: an operation that decodes and, in a block that it waits for, stores; a task that was
  /// suspended in between; the main thread, which is in no work. 20 of 24 ms of processor time have samples.
  ///
  /// - Parameters:
  ///   - decodes: samples in which the operation decodes.
  ///   - kernel: whether system calls are sampled, too; one is.
  public static func photos(decodes: Int = 8, kernel: Bool = false, className: String = "Import") -> SampledTrace {
    var trace = SampledTrace()
    trace.unit = .milliseconds
    trace.frame.process = "photos"
    trace.sampling(every: 1_000_000, (kernel ? "kernel " : "") + "copied=16384")
    let job = "libswift_Concurrency.so!swift::runJobInEstablishedExecutorContext(swift::Job*)"
    let runner = ["libc.so.6!start_thread", "libdispatch.so!_dispatch_worker_thread"]
    let decode = trace.stack(runner + ["Import.main()", "decode(_:)>clamp(_:)"])
    let inflate = trace.stack(runner + ["Import.main()", "decode(_:)", "libz.so.1!inflate"], guessed: ["decode(_:)"])
    let store = trace.stack(runner + ["Import.main()", "libdispatch.so!_dispatch_sync_f", "closure #1 in store(_:)"])
    let write = trace.stack(
      runner + ["Import.main()", "libdispatch.so!_dispatch_sync_f", "closure #1 in store(_:)", "libc.so.6!write"])
    let fetch = trace.stack(runner + [job, "fetch(_:)"])
    let suspended = trace.stack(["upload()", "fetch(_:)"])
    let tree = trace.stack(["main", "walk(_:)", "walk(_:)"], isCut: true)
    for line in [
      "1 t1 queue q1 limit=1 \"imports\"", "1 t1 dispatch-queue d1 width=1 \"db\"",
      "1 t1 created #1 class=\"\(className)\"",
      "1 t1 enqueued #1 queue=q1 priority=0", "1 t1 ready #1", "2 t2 started #1", "2 t2 began #1",
      "30 t2 submitted #2 queue=d1 how=4 at=\(store)", "30 t2 run #2", "40 t2 ran #2", "50 t2 ended #1",
      "50 t2 finished #1",
      "50 t2 start-returned #1", "2 t1 task #3 enqueued", "4 t3 task-run #3", "6 t3 task-suspended #3 reason=5",
      "6 t3 at \(suspended)", "20 t3 task-enqueued #3", "22 t3 task-run #3", "28 t3 task-completed #3",
    ] { trace.add(line) }
    for index in 0..<decodes { trace.sample(3 + index, 2, index % 4 == 3 ? inflate : decode) }
    for time in 31..<35 { trace.sample(time, 2, time == 34 ? write : store, inKernel: kernel && time == 34) }
    for time in 23..<26 { trace.sample(time, 3, fetch) }
    for time in 3..<7 { trace.sample(time, 1, tree) }
    trace.sample(60, 2, nil)
    trace.used(0, at: 0)
    trace.used(24_000_000, at: 100, lost: 2, missing: 1)
    return trace
  }
}
