import OpTraceModel
import TestSupport

/// Traces for the command, as text.
enum Fixture {
  private static let head = TypedTrace().head + "\n"

  /// `load` and `parse` run on a queue with one slot, `store` on another after `parse`. `stuck` never gets ready.
  static let small =
    head + """
      1000 t1 thread t1 tid=4711 "main"
      1000 t1 queue q1 limit=1 "work"
      1000 t1 queue q2 limit=-1 "disk"
      1100 t1 created #1 class="Load"
      1100 t1 named #1 "load"
      1100 t1 enqueued #1 queue=q1 priority=0
      1100 t1 ready #1
      1200 t1 created #2 class="Parse"
      1200 t1 named #2 "parse"
      1200 t1 enqueued #2 queue=q1 priority=0
      1200 t1 ready #2
      1300 t1 created #3 class="Store"
      1300 t1 named #3 "store"
      1300 t1 depends #3 on=#2
      1300 t1 enqueued #3 queue=q2 priority=0
      1400 t1 created #4 class="Store"
      1400 t1 named #4 "stuck"
      1400 t1 depends #4 on=#4
      1400 t1 enqueued #4 queue=q2 priority=0
      2000 t2 thread t2 tid=4712 "worker"
      2000 t2 started #1
      2000 t2 began #1
      5000 t2 ended #1
      5000 t2 finished #1
      5000 t2 started #2
      5000 t2 began #2
      9000 t2 ended #2
      9000 t2 ready #3
      9000 t2 finished #2
      9500 t2 started #3
      9500 t2 began #3
      11000 t2 ended #3
      11000 t2 finished #3

      """

  /// `small` with waits: `load` for a semaphore and a group, the main thread for `load`, `store` for a queue for ever.
  static let waits =
    small.replacing("11000 t2 ended #3\n11000 t2 finished #3\n", with: "") + """
      2900 t2 blocked #1 object=0x7f0010 kind=semaphore age=25
      2900 t2 signalled #0 object=0x7f0010 kind=semaphore age=1 thread=t1
      2900 t2 unblocked #1 object=0x7f0010 kind=semaphore
      3500 t2 blocked #1 object=0x7f0010 kind=semaphore age=25
      3500 t2 unblocked #1 object=0x7f0010 kind=semaphore
      3600 t2 signalled #2 object=0x7f0010 kind=semaphore age=10 thread=t2
      4000 t2 blocked #1 object=0x7f0020 kind=group age=5
      4010 t2 unblocked #1 object=0x7f0020 kind=group
      4010 t2 signalled #0 object=0x7f0020 kind=group age=1
      4800 t1 wait #1
      5100 t1 waited #1
      9800 t1 object-named object=0x7f0040 "com.example.db"
      9900 t1 blocked #3 object=0x7f0040 kind=queue age=25 thread=t2
      9900 t1 signalled #0 object=0x7f0040 kind=queue age=50 thread=t1
      11000 t1 mark #0 "end"

      """

  static func many(_ count: Int) -> String {
    var text = head + "0 t1 thread t1 tid=4711 \"main\"\n0 t1 queue q1 limit=1 \"work\"\n"
    for index in 1...count {
      let time = index * 100
      text += """
        \(time) t1 created #\(index) class="Step"
        \(time) t1 enqueued #\(index) queue=q1 priority=0
        \(time) t1 ready #\(index)
        \(time + 10) t1 started #\(index)
        \(time + 10) t1 began #\(index)
        \(time + 90) t1 ended #\(index)
        \(time + 90) t1 finished #\(index)

        """
    }
    return text
  }

  /// The binary trace for a text.
  static func binary(_ text: String) throws -> [UInt8] {
    TraceWriter.bytes(try TraceReader.events(bytes: Array(text.utf8)))
  }
}
