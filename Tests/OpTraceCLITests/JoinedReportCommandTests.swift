import Foundation
import OpTraceModel
import TestSupport
import Testing

@Suite("report: several traces", .ownThread)
struct JoinedReportCommandTests {
  private struct Call: Decodable, Equatable {
    var row: Int?
    var span: String
    var isServed: Bool
    var other: String
    var program: String
    var address: String
  }

  private struct Page: Decodable {
    struct Document: Decodable { var spanCalls: [Call]? }
    var document: Document
  }

  private let folder: Scratch
  private let shop: String
  private let stock: String

  init() throws {
    folder = try Scratch()
    var shop = CallingService("shop", 100)
    let pack = shop.operation("pack", 90, 150)
    shop.span("reserve", .client, 100, 140, id: 1, in: pack)
    shop.span("mail", .producer, 141, 151, id: 2)
    var stock = CallingService("stock", 200, wall: 95)
    stock.operation("other", 0, 1)
    let count = stock.operation("count", 5, 40)
    stock.span("POST /reserve", .server, 10, 30, id: 3, caller: 1, in: count)
    stock.span("send", .consumer, 300, nil, id: 4, caller: 2, in: count)
    stock.operation("last", 300, 310)
    self.shop = try folder.write("shop.txt", Array(shop.text.utf8))
    self.stock = try folder.write("stock.txt", Array(stock.text.utf8))
  }

  private func calls(_ page: String) throws -> [Call]? {
    let text = try String(contentsOfFile: folder.path(page), encoding: .utf8)
    let data = try #require(text.firstMatch(of: /id="data">(.*?)<\/script>/.dotMatchesNewlines())?.output.1)
    return try JSONDecoder().decode(Page.self, from: Data(data.utf8)).document.spanCalls
  }

  @Test("each trace gets a page, and calls link from one page to the other")
  func pages() throws {
    let result = try Command.run("report", shop, stock, "-o", folder.path("my run.html"))
    #expect(result == Command.Result(status: 0, output: "", errors: ""))
    #expect(try folder.names == ["my run-2.html", "my run.html", "shop.txt", "stock.txt"])
    #expect(
      try calls("my run.html") == [
        Call(
          row: 0, span: "reserve", isServed: false, other: "POST /reserve", program: "stock",
          address: "my%20run-2.html#op=2&from=7999999&to=32000001"),
        // The other span has not ended.
        Call(
          row: nil, span: "mail", isServed: false, other: "send", program: "stock",
          address: "my%20run-2.html#op=2&from=298999999&to=311000001"),
      ])
    #expect(
      try calls("my run-2.html") == [
        Call(
          row: 1, span: "POST /reserve", isServed: true, other: "reserve", program: "shop",
          address: "my%20run.html#op=1&from=95999999&to=144000001"),
        Call(
          row: 1, span: "send", isServed: true, other: "mail", program: "shop",
          address: "my%20run.html#from=139999999&to=152000001"),
      ])
  }

  @Test("unrelated traces get pages without links, and a hint")
  func strangers() throws {
    let small = try folder.write("small.txt", Array(Fixture.small.utf8))
    let result = try Command.run("report", shop, small, "-o", folder.path("out.html"))
    #expect(result.status == 0)
    #expect(
      result.errors
        == "optrace: note: no span of one trace names a span of another, so the pages have no links to each other: let the "
        + "services write their spans with RecordingTracer and hand on 'traceparent' (Documentation/requests.md)\n")
    #expect(try calls("out.html") == nil)
    let alone = try Command.run("report", small)
    #expect(try alone.output == String(contentsOfFile: folder.path("out-2.html"), encoding: .utf8))
  }

  @Test("file names may have one character")
  func shortNames() throws {
    let result = try Command.run(
      shop, stock, shell: "cd '\(folder.folder.path)' && cp \"$1\" a && cp \"$2\" b && \"$optrace\" report a b -o c")
    #expect(result == Command.Result(status: 0, output: "", errors: ""))
    #expect(try calls("c")?.first?.address == "c-2#op=2&from=7999999&to=32000001")
    let missing = try Command.run(shell: "cd '\(folder.folder.path)' && \"$optrace\" timeline a d")
    #expect(missing.status == 66)
    #expect(missing.errors.hasPrefix("optrace: cannot read 'd': no such file"))
  }

  @Test("wrong usage writes nothing")
  func refused() throws {
    func errors(_ arguments: String...) throws -> String {
      let result = try Command.run(arguments: ["report"] + arguments)
      #expect(result.status == 64)
      return result.errors.replacing(folder.folder.path + "/", with: "")
    }
    #expect(try errors(shop, stock) == "optrace: 2 traces are as many pages: use -o FILE\n")
    #expect(try errors(shop, stock, "-o", "-") == "optrace: 2 traces are as many pages: use -o FILE\n")
    #expect(try errors(shop, stock, "-o", "/dev/null") == "optrace: '/dev/null' is no file: 2 pages need as many\n")
    #expect(
      try errors(shop, shop, "-o", folder.path("out.html"))
        == "optrace: 'shop.txt' is named twice: name the trace of each process once\n")
    let second = try folder.write("run-2.html", Array(String(contentsOfFile: stock, encoding: .utf8).utf8))
    #expect(
      try errors(shop, second, "-o", folder.path("run.html"))
        == "optrace: 'run-2.html' is the trace itself: name another file with -o\n")
    #expect(try folder.names == ["run-2.html", "shop.txt", "stock.txt"])
  }
}
