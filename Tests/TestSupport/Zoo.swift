import OpTraceFormat
public import OpTraceModel

/// One of everything that a picture can show.
public enum Zoo {
  public static func trace() -> Trace {
    var make = HandmadeTrace("zoo", end: 1000)
    let serial = make.queue("Main Queue", limit: 1)
    let wide = make.queue("main queue")
    make.operation("Finished", on: serial, began: 0, ended: 100)
    make.operation("Waited for a slot", on: serial, ready: 0, began: 101, ended: 300)
    make.operation("Failed", on: wide, after: [1], ready: 100, began: 100, ended: 200, error: "no such host")
    make.operation("Cancelled", on: wide, after: [3], ready: 180, ended: 181, cancelled: 180)
    let barrier = make.operation("Barrier", on: wide, after: [3], ready: 200, began: 210, ended: 400)
    make[barrier].isBarrier = true
    make.operation("Executing", on: serial, after: [2], ready: 300, began: 310)
    make.operation("Ready", on: serial, after: [5], ready: 400)
    make.operation("Pending", on: serial, after: [7, 6])
    make.operation("Itself", on: wide, after: [9])
    make.operation("By hand", began: 20, ended: 70)
    let external = make.operation(nil, after: [10])
    make[external].coverage = .external
    make.operation("Behind an unknown", on: wide, after: [11, 5])
    make.operation("Behind itself", on: wide, after: [9])
    make.trace.loss.lost[.noSpace] = 12
    return make.trace
  }

  /// Names that try to break out of every syntax that a picture is written in.
  public static let hostileNames = [
    "</title><script>alert(1)</script>\"\n", "]]></script><script>alert(1)</script>", "\\\\ \\N \\\" \\",
    "&amp; &lt; &#x41;",
    "a\u{0}b\u{1}c\u{1b}[31m\u{7f}", "\u{202e}gnp.exe \u{202d}", "שלום עולם", "👩‍👩‍👧‍👦 family 🇩🇪", "日本語の名前がとても長い場合の表示",
    String(repeating: "x", count: 10_000), "\"]; evil [label=\"", "<B>bold</B> -- -> { }", "", " ",
    "\u{fffe}\u{ffff}\u{feff}",
    "--> <!-- %s %n $(id) `id`", "é\u{301}\u{301}\u{301}",
  ]

  public static func hostile() -> Trace {
    var make = HandmadeTrace(hostileNames[0], end: 200)
    for (number, name) in hostileNames.enumerated() {
      let queue = make.queue(name, limit: 1 + number % 3)
      let id = make.operation(
        name, on: queue, after: number > 0 && number % 5 != 0 ? [OperationID(UInt32(number))] : [],
        began: Double(number * 10),
        ended: Double(number * 10 + 9), error: number % 7 == 3 ? name : nil)
      make[id].className = name
      make[id].source = name
    }
    return make.trace
  }
}
