import TestSupport

/// Traces for the doctor's command.
enum DoctorFixture {
  private static func head(_ name: String) -> String {
    var typed = TypedTrace()
    typed.process = name
    typed.heartbeat = 3_000_000_000
    return typed.head + "\n"
  }

  /// `Token` and `Session` wait for each other. A thread waits for `Token`, and `Page` for `Session`.
  static let cycle = cycle(named: "Token")

  static func cycle(named name: String, process: String = "fixture") -> String {
    head(process) + """
      0 t1 thread t1 tid=4711 "main"
      0 t2 thread t2 tid=4712 "waiter"
      1000 t1 queue q1 limit=2 "network"
      1000 t1 queue q2 limit=1 "account"
      2000000 t1 created #1 class="Request"
      2000000 t1 named #1 source="App/Login.swift:12" "\(name)"
      2000000 t1 created #2 class="Step"
      2000000 t1 named #2 "Session"
      2000000 t1 created #3 class="Step"
      2000000 t1 named #3 "Page"
      2000000 t1 depends #1 on=#2
      2100000 t1 depends #2 on=#1
      2100000 t1 depends #3 on=#2
      3000000 t1 enqueued #1 queue=q1 priority=0
      3000000 t1 enqueued #2 queue=q2 priority=0
      3000000 t1 enqueued #3 queue=q2 priority=0
      4000000 t2 wait #1

      """
  }

  /// An operation of a serial queue waits for one behind it.
  static let selfWait =
    head("fixture") + """
      0 t1 thread t1 tid=4711 "main"
      0 t2 thread t2 tid=4712 "worker"
      1000 t1 queue q1 limit=1 "db"
      2000000 t1 created #1 class="Save"
      2000000 t1 enqueued #1 queue=q1 priority=0
      2000000 t1 ready #1
      3000000 t2 started #1
      3000000 t2 began #1
      4000000 t2 created #2 class="Load"
      4000000 t2 enqueued #2 queue=q1 priority=0
      4000000 t2 ready #2
      5000000 t2 wait #2

      """

  static let suspended =
    head("fixture") + """
      0 t1 thread t1 tid=4711 "main"
      1000 t1 queue q1 limit=1 "uploads"
      1500000 t1 suspended q1
      2000000 t1 created #1 class="Upload"
      2000000 t1 enqueued #1 queue=q1 priority=0
      2000000 t1 ready #1

      """
}
