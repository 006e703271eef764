/// Lines of typed traces with snapshots of threads.
enum LockCase {
  /// Functions of `main.swift`: f1 at line 10, f2 at line 20, up to f5. f9 is libdispatch's.
  static let code: String = {
    var text = "0 t0 image i1 build=\"a1\" page=16 pages=4 \"/home/me/bank\"\n"
    text += "0 t0 image i2 build=\"b2\" page=64 pages=4 \"/usr/lib/swift/linux/libdispatch.so\"\n"
    for number in 1...5 {
      text += "0 t0 frame f\(number) image=i1 offset=\(4096 + number)\n"
      text += "0 t0 symbol f\(number) short=\"step\(number)()\" line=\(number * 10) file=\"/src/main.swift\""
      text += " module=\"Bank\" \"Bank.step\(number)()\"\n"
    }
    return text + "0 t0 frame f9 image=i2 offset=64\n0 t1 queue q1 limit=2 \"bank\"\n"
  }()

  /// An operation that executes on a thread.
  static func executing(_ id: Int, _ name: String, on thread: Int, at time: Int = 20) -> String {
    DoctorCase.operation(
      id, name, "\(10 + id) t1 enqueued #\(id) queue=q1", "\(11 + id) t1 ready #\(id)",
      "\(time) t\(thread) started #\(id)", "\(time + 1) t\(thread) began #\(id)")
  }

  static func ready(_ id: Int, _ name: String) -> String {
    DoctorCase.operation(id, name, "\(10 + id) t1 enqueued #\(id) queue=q1", "\(11 + id) t1 ready #\(id)")
  }

  private static func address(_ lock: Int) -> String { "0x" + String(0x7000 + lock, radix: 16) }

  /// What a thread did at the snapshot.
  enum Doing {
    case inLock(Int, of: Int, reason: Int = 1, timed: Bool = false)
    /// The lock's owner has ended.
    case inLostLock(Int, of: Int? = nil)
    case inSemaphore
    case polling
    case sleepingForATime
    case computing
    /// A thread of libdispatch with nothing to do.
    case idle
    /// The fields of the record `seen`.
    case seen(String)
  }

  /// A snapshot at `time`, in microseconds.
  static func look(
    at time: Int = 2_000_000, cpu: Int = 3, still: Bool = false, moved: Int = 0, _ threads: [(Int, Doing)]
  ) -> String {
    var text = ""
    for (thread, doing) in threads {
      let what =
        switch doing {
        case .inLock(let lock, let owner, let reason, let timed):
          "state=2 call=203 reason=\(reason) lock=\(address(lock)) owner=t\(owner)" + (timed ? " timed" : "")
        case .inLostLock(let lock, let owner):
          "state=2 call=203 reason=1 lock=\(address(lock)) ended" + (owner.map { " owner=t\($0)" } ?? "")
        case .inSemaphore: "state=2 call=203 reason=7"
        case .polling: "state=2 call=8 reason=8"
        case .sleepingForATime: "state=2 call=231 reason=9 timed"
        case .computing: "state=1 running"
        case .idle: "state=2 call=233 reason=13"
        case .seen(let fields): fields
        }
      text += "\(time) t6 seen t\(thread) cpu=\(cpu) \(what)\(still ? " still" : "")\n"
      let frame = if case .idle = doing { 9 } else { thread }
      text += "\(time) t6 at f\(frame)\n"
    }
    return text + "\(time) t6 looked seen=\(threads.count)\(moved > 0 ? " moved=\(moved)" : "")\n"
  }
}
