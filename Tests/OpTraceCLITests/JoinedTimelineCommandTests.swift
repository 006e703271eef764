import Foundation
import OpTraceModel
import TestSupport
import Testing

@testable import optrace_cli

@Suite("timeline: several traces", .ownThread)
struct JoinedTimelineCommandTests {
  private let folder: Scratch

  init() throws { folder = try Scratch() }

  private static func shop() -> CallingService {
    var shop = CallingService("shop", 100)
    shop.span("GET /order", .server, 90, 150, id: 1)
    shop.span("reserve", .client, 100, 140, id: 2)
    shop.operation("pack", 20, 30)
    return shop
  }

  /// A service that takes 20 ms for a request. `wall` is the start on its clock.
  private static func stock(wall: Int?, began: Int = 10) -> CallingService {
    var stock = CallingService("stock", 200, wall: wall)
    stock.span("POST /reserve", .server, began, began + 20, id: 3, caller: 2)
    stock.operation("count", 40, 60)
    return stock
  }

  private func write(_ name: String, _ trace: CallingService) throws -> String {
    try folder.write(name, Array(trace.text.utf8))
  }

  private func run(_ arguments: String...) throws -> (status: Int32, events: [[String: Any]], errors: String) {
    let result = try Command.run(arguments: ["timeline"] + arguments)
    let events = result.output.isEmpty ? nil : try JSONSerialization.jsonObject(with: Data(result.output.utf8))
    let errors = result.errors.replacing(folder.folder.path + "/", with: "")
    return (result.status, events as? [[String: Any]] ?? [], errors)
  }

  /// Texts such as `reserve 100 ms`, sorted by begin.
  private func slices(_ events: [[String: Any]], _ category: String) -> [String] {
    events.filter { $0["cat"] as? String == category && $0["ph"] as? String == "X" }
      .sorted { ($0["ts"] as? Double ?? 0) < ($1["ts"] as? Double ?? 0) }
      .map { "\($0["name"] as? String ?? "") \(Int(($0["ts"] as? Double ?? 0) / 1000)) ms" }
  }

  @Test("traces with matching clocks are joined with arrows and without a note")
  func joined() throws {
    let (shop, stock) = (try write("shop.txt", Self.shop()), try write("stock.txt", Self.stock(wall: 95)))
    let (status, events, errors) = try run(shop, stock)
    #expect(status == 0)
    #expect(errors == "")
    #expect(slices(events, "span") == ["GET /order 90 ms", "reserve 100 ms", "POST /reserve 105 ms"])
    #expect(slices(events, "operation") == ["pack 20 ms", "count 135 ms"])
    let arrows = events.filter { $0["cat"] as? String == "call" }
    #expect(arrows.map { $0["ph"] as? String } == ["s", "f"])
    #expect(arrows.map { $0["pid"] as? Int } == [1, 3])
    let path = folder.path("both.pftrace")
    #expect(try run(shop, stock, "-o", path).errors == "")
    #expect(FileManager.default.fileExists(atPath: path))
    // The order of the traces does not change the times.
    #expect(slices(try run(stock, shop).events, "span") == slices(events, "span"))
  }

  @Test("a clock that does not match is moved, with a note")
  func moved() throws {
    let (shop, stock) = (try write("shop.txt", Self.shop()), try write("stock.txt", Self.stock(wall: 112)))
    let (status, events, errors) = try run(shop, stock)
    #expect(status == 0)
    #expect(
      errors
        == "optrace: note: the clock of 'stock.txt' was moved back by 12.0 ms, so that what was served lies inside of "
        + "its callers\n")
    #expect(slices(events, "span") == ["GET /order 90 ms", "reserve 100 ms", "POST /reserve 110 ms"])
    let other = try run(stock, shop)
    #expect(other.errors.contains("the clock of 'shop.txt' was moved forward by 12.0 ms, so that"))
    #expect(slices(other.events, "span") == slices(events, "span"))
  }

  @Test("a note counts calls that no clock matches, and calls without an arrow")
  func misfits() throws {
    var (shop, stock) = (Self.shop(), Self.stock(wall: 0, began: 310))
    shop.span("reserve", .client, 200, 240, id: 4)
    stock.span("POST /reserve", .server, 210, 230, id: 5, caller: 4)
    shop.span("reserve", .client, 300, 340, id: 6)
    stock.span("POST /reserve", .server, 250, 270, id: 7, caller: 6)
    let result = try run(try write("shop.txt", shop), try write("stock.txt", stock))
    #expect(result.status == 0)
    // The calls ask for +200, 0 and -60 ms. The median is 0, so the clock stays.
    #expect(result.errors == "optrace: note: 1 call has no arrow: it would lead back in time\n")
    stock.wall = 20
    #expect(
      try run(try write("shop.txt", shop), try write("stock.txt", stock)).errors
        == "optrace: note: the clock of 'stock.txt' was moved back by 20.0 ms, so that what was served lies inside of its "
        + "callers; 2 of 3 calls do not all the same\n"
        + "optrace: note: 1 call has no arrow: it would lead back in time\n")
  }

  @Test("unrelated traces are drawn together, with a hint")
  func strangers() throws {
    let (shop, small) = (try write("shop.txt", Self.shop()), try folder.write("small.txt", Array(Fixture.small.utf8)))
    let (status, events, errors) = try run(shop, small)
    #expect(status == 0)
    #expect(
      errors
        == "optrace: note: no span of one trace names a span of another, so there are no arrows between them: let the "
        + "services write their spans with RecordingTracer and hand on 'traceparent' (Documentation/requests.md)\n")
    #expect(slices(events, "operation").count == 4)
    #expect(events.filter { $0["cat"] as? String == "call" }.isEmpty)
  }

  @Test("a trace without a clock begins with the first one, and a note names it")
  func three() throws {
    var bank = CallingService("bank", 300, wall: nil)
    bank.operation("book", 5, 6)
    let shop = try write("shop.txt", Self.shop())
    let stock = try write("stock.txt", Self.stock(wall: 95))
    let result = try run(shop, stock, try write("bank.txt", bank))
    #expect(result.status == 0)
    #expect(
      result.errors
        == "optrace: note: nothing tells when 'bank.txt' began: it is drawn as if together with the first\n")
    #expect(slices(result.events, "operation") == ["book 5 ms", "pack 20 ms", "count 135 ms"])
    // A call from the stock places it in time.
    var (caller, called) = (Self.stock(wall: 95), bank)
    caller.span("pay", .client, 12, 28, id: 8)
    called.span("POST /pay", .server, 0, 10, id: 9, caller: 8)
    let whole = try run(shop, try write("stock.txt", caller), try write("bank.txt", called))
    #expect(
      slices(whole.events, "span") == [
        "GET /order 90 ms", "reserve 100 ms", "POST /reserve 105 ms", "pay 107 ms", "POST /pay 110 ms",
      ])
    let processes = whole.events.filter { $0["name"] as? String == "process_name" }
    #expect(
      processes.compactMap { ($0["args"] as? [String: Any])?["name"] as? String } == [
        "shop (pid 100)", "shop · queue work", "stock (pid 200)", "stock · queue work", "bank (pid 300)",
        "bank · queue work",
      ])
  }

  @Test("--from and --to use the common time; a name must occur in one of the traces")
  func parts() throws {
    let (shop, stock) = (try write("shop.txt", Self.shop()), try write("stock.txt", Self.stock(wall: 95)))
    func operations(_ options: String...) throws -> [String] {
      let result = try Command.run(arguments: ["timeline", shop, stock] + options)
      #expect(result.status == 0, "\(result.errors)")
      let events = try #require(JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [[String: Any]])
      return slices(events, "operation") + slices(events, "span")
    }
    #expect(
      try operations("--from", "136ms", "--to", "145ms") == ["count 135 ms", "GET /order 90 ms", "reserve 100 ms"])
    #expect(try operations("--to", "50ms") == ["pack 20 ms"])
    // This selects 135 to 155 ms and a tenth more on both sides, in both traces.
    #expect(try operations("--around", "count") == ["count 135 ms", "GET /order 90 ms", "reserve 100 ms"])
    #expect(try operations("--queue", "work") == ["pack 20 ms", "count 135 ms"])
    for (options, message) in [
      (["--around", "cuont"], "no operation is called 'cuont' in 'shop.txt' or 'stock.txt'; did you mean 'count'?"),
      (["--queue", "wrok"], "no queue is called 'wrok' in 'shop.txt' or 'stock.txt'; did you mean 'work'?"),
      (["--class", "Stpe"], "no class is called 'Stpe' in 'shop.txt' or 'stock.txt'; did you mean 'Step'?"),
    ] {
      let result = try Command.run(arguments: ["timeline", shop, stock] + options)
      #expect(result.status == 64)
      #expect(result.errors.replacing(folder.folder.path + "/", with: "") == "optrace: \(message)\n")
    }
  }

  @Test("the same recording twice is wrong usage, even under two names")
  func twice() throws {
    let shop = try write("shop.txt", Self.shop())
    let copy = try folder.write("copy.optrace", Fixture.binary(Self.shop().text))
    let same = try run(shop, shop)
    #expect(same.status == 64)
    #expect(same.errors == "optrace: 'shop.txt' is named twice: name the trace of each process once\n")
    let other = try run(shop, copy)
    #expect(other.status == 64)
    #expect(
      other.errors
        == "optrace: 'shop.txt' and 'copy.optrace' are the same recording: name the trace of each process once\n")
    #expect(try run("-", "-").errors.hasPrefix("optrace: '-' is named twice: standard input can be read once\n"))
    #expect(
      try run(shop, copy, "--format", "json", "-o", copy).errors.hasPrefix(
        "optrace: 'copy.optrace' is the trace itself: "))
  }

  @Test("an empty or missing trace stops the command; a truncated one is drawn with status 65")
  func damaged() throws {
    let shop = try write("shop.txt", Self.shop())
    let empty = try folder.write("empty.optrace", [])
    let path = folder.path("both.json")
    let refused = try run(shop, empty, "-o", path)
    #expect(refused.status == 65)
    #expect(
      refused.errors == "optrace: 'empty.optrace' is empty: the program that should have written it recorded nothing\n")
    #expect(try run(shop, folder.path("none"), "-o", path).status == 66)
    #expect(!FileManager.default.fileExists(atPath: path))
    var bytes = try Fixture.binary(Fixture.many(300))
    bytes.removeLast(bytes.count / 3)
    let cut = try run(shop, try folder.write("cut.optrace", bytes), "-o", path)
    #expect(cut.status == 65)
    #expect(cut.errors.contains("'cut.optrace' is damaged"))
    let data = try Data(contentsOf: URL(fileURLWithPath: path))
    let events = try #require(JSONSerialization.jsonObject(with: data) as? [[String: Any]])
    #expect(slices(events, "operation").contains("pack 20 ms"))
    // A trace with only a header is drawn.
    let bare = try folder.write("bare.txt", Array(CallingService("bare", 9).text.utf8))
    #expect(try run(shop, bare).status == 0)
  }

  @Test("the command needs at least one trace")
  func none() throws {
    let result = try run()
    #expect(result.status == 64)
    #expect(result.errors.hasPrefix("optrace: missing expected argument '<trace> ...'\n"))
  }
}
