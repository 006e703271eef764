import TestSupport
import Foundation
import OpTraceComparison
import OpTraceModel
import OpTraceText
import Testing

@testable import OpTracePage
@testable import OpTracePageParts
import OpTraceReport

@Suite("The report is one self-contained page")
struct ReportTests {
  private func page(
    _ trace: Trace, graph: EmbeddedGraph? = nil, note: String? = nil, isServed: Bool = false, isLive: Bool = false
  ) throws -> String {
    var bytes: [UInt8] = []
    let report = ReportExporter(trace, page: .standard, graph: graph, graphNote: note, isServed: isServed)
    var growing = GrowingReport()
    if isLive {
      try report.write(to: { bytes += $0 }, growing: &growing)
    } else {
      try report.write { bytes += $0 }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private func part(_ open: String, _ close: String, of page: String) throws -> String {
    let begin = try #require(page.range(of: open)?.upperBound)
    let end = try #require(page.range(of: close, range: begin..<page.endIndex)?.lowerBound)
    return String(page[begin..<end])
  }

  private static let hostile = [
    "</script><img src=x onerror=alert(1)>", "<!--", "]]>", "{{data}}", "\u{2028}", "\"\\", "\u{0}\u{7}", "", "&lt;",
  ]

  private var hostileTrace: Trace {
    var make = HandmadeTrace("</title><script>alert(1)</script>", unit: .nanoseconds)
    let queue = make.queue("<svg onload=alert(1)>", limit: 1)
    for name in Self.hostile {
      let id = make.operation(name, on: queue, began: 10, ended: 20)
      make[id].className = name
      make[id].source = name
      make[id].error = name
    }
    make.trace.threads[1].name = "</script>"
    make.trace.marks = [MarkRecord(name: "<b>", operation: nil, at: Stamp(5, ThreadID(1)))]
    make.trace.spans = [SpanRecord(name: "<i>", operation: nil, began: Stamp(1, ThreadID(1)))]
    return make.trace
  }

  @Test("a page made on several threads is the same as one made on one", arguments: 1...6)
  func sideBySide(seed: UInt64) throws {
    var random = SeededGenerator(seed)
    let trace = try RandomBlocks.trace(&random)
    func data(processors: Int, isReady: Bool) throws -> [UInt8] {
      try SideBySide.$processors.withValue(processors) {
        var exporter = ReportExporter(trace, page: .standard, graph: nil)
        if isReady { exporter.prepared = PreparedReport(of: trace, for: .standard).withTables(of: trace) }
        var bytes: [UInt8] = []
        try exporter.write { bytes += $0 }
        return bytes
      }
    }
    let alone = try data(processors: 1, isReady: false)
    #expect(try data(processors: 2, isReady: false) == alone)
    #expect(try data(processors: 2, isReady: true) == alone)
  }

  @Test("texts of a trace stay text: the data has no '<', and the title is escaped")
  func inert() throws {
    let page = try page(hostileTrace)
    let data = try part("id=\"data\">", "</script>", of: page)
    #expect(!data.contains("<"))
    #expect(page.contains("<title>&lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt; · OpTrace</title>"))
    // There are two script elements: the data and the script.
    #expect(page.components(separatedBy: "<script").count == 3)
    #expect(page.components(separatedBy: "</script").count == 3)
  }

  @Test("the data is JSON and keeps names, except for characters that cannot be shown")
  func names() throws {
    let data = try part("id=\"data\">", "</script>", of: try page(hostileTrace))
    let object = try #require(try JSONSerialization.jsonObject(with: Data(data.utf8)) as? [String: Any])
    let strings = try #require(object["strings"] as? [String])
    for name in Self.hostile {
      let shown = String(String.UnicodeScalarView(name.unicodeScalars.map { $0.value < 0x20 ? "\u{FFFD}" : $0 }))
      #expect(strings.contains(shown), "\(name.debugDescription)")
    }
    #expect(object["version"] as? Int == 1)
  }

  @Test("the security policy allows only this script and this style")
  func policy() throws {
    let page = try page(hostileTrace)
    let policy = try part("http-equiv=\"Content-Security-Policy\" content=\"", "\"", of: page)
    let script = try part("<script type=\"module\">", "</script>", of: page)
    let style = try part("<style>", "</style>", of: page)
    func hash(_ text: String) -> String { "'sha256-\(Base64.text(SHA256.hash(text.utf8)))'" }
    #expect(
      policy
        == "default-src 'none'; script-src \(hash(script)); style-src \(hash(style)); img-src data:; "
        + "connect-src 'none'; base-uri 'none'; form-action 'none'")
    #expect(!page.contains(" style=\""))
  }

  @Test("a served page may ask its own server, and only a live page does")
  func served() throws {
    let trace = HandmadeTrace("fixture", unit: .nanoseconds).trace
    #expect(try page(trace, isServed: true).contains("connect-src 'self'"))
    #expect(try !page(trace, isServed: true).contains("<meta name=\"optrace-live\""))
    #expect(try page(trace, isServed: true, isLive: true).contains("<meta name=\"optrace-live\" content=\"data\">"))
  }

  @Test("the fixed part of a page takes at most 340 KB")
  func size() throws {
    let page = try page(HandmadeTrace("fixture", unit: .nanoseconds).trace)
    #expect(page.utf8.count < 340_000)
  }

  @Test("the shell has each slot of the page once")
  func shell() {
    let slots = ReportPage.standard.pieces.compactMap(\.next)
    #expect(slots.map(\.rawValue).sorted() == ReportPage.Slot.allCases.map(\.rawValue).sorted())
    #expect(ReportPage.standard.pieces.allSatisfy { !$0.text.contains("{{") })
  }

  private static let sources = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../Sources").standardized

  @Test("Each file of the page is compiled in unchanged, and so is each of a column's part")
  func embeddedFiles() throws {
    let embedded = ([ReportPage.files] + ReportPage.standard.parts.map(\.files)).flatMap(\.all)
    let names = embedded.map(\.name)
    #expect(Set(names).count == names.count)
    let shared = Self.sources.appendingPathComponent("COpTraceScripts/Scripts")
    let folders = try FileManager.default.contentsOfDirectory(atPath: Self.sources.path).map {
      Self.sources.appendingPathComponent("\($0)/Page")
    }.filter { FileManager.default.fileExists(atPath: $0.path) }
    #expect(folders.count > 7)
    for folder in folders {
      let own = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      #expect(Set(own).isSubset(of: names), "\(folder.path)")
    }
    for (name, text) in embedded {
      let file = (folders + [shared]).map { $0.appendingPathComponent(name) }.first {
        FileManager.default.fileExists(atPath: $0.path)
      }
      let written = try String(contentsOf: try #require(file, "\(name)"), encoding: .utf8)
      #expect(text == written, "\(name)")
    }
  }

  @Test("Styles are those of the page, then those of its parts")
  func styleOrder() {
    let styles = (ReportPage.files.all + ReportPage.standard.parts.flatMap(\.files.all)).filter {
      $0.name.hasSuffix(".css")
    }
    let known = [
      "page.css", "flame-boxes.css", "timeline.css", "graph.css", "why.css", "requests.css", "flame.css",
      "comparison.css",
    ]
    #expect(styles.map(\.name).filter(known.contains) == known)
    #expect(ReportPage.standard.style == styles.map(\.text).joined())
  }

  @Test("Each module comes after those that it imports")
  func moduleOrder() throws {
    let modules = ReportPage.modules(with: ReportPage.standard.parts)
    let names = modules.map(\.name)
    #expect(names.last == "main.mjs")
    for (index, module) in modules.enumerated() {
      for line in module.text.split(separator: "\n") where line.hasPrefix("import ") {
        let name = line.split(separator: "'").last { $0.hasSuffix(".mjs") }?.split(separator: "/").last.map(String.init)
        let imported = try #require(name.flatMap { names.firstIndex(of: $0) }, "\(module.name): \(line)")
        #expect(imported < index, "\(module.name) imports \(name ?? "")")
      }
    }
  }

  @Test("the modules become one script that fetches nothing and cannot end its element")
  func script() {
    let lines = ReportPage.standard.script.split(separator: "\n")
    #expect(!lines.contains { $0.hasPrefix("import ") || $0.hasPrefix("export ") })
    #expect(!ReportPage.standard.script.contains("</script") && !ReportPage.standard.script.contains("<!--"))
    #expect(!ReportPage.standard.style.contains("</style"))
    // At the outermost level.
    let indented = EmbeddedFiles.script(ReportPage.modules(with: ReportPage.standard.parts))
    let names = indented.split(separator: "\n").compactMap { line -> Substring? in
      let words = line.split(whereSeparator: { " ({=;".contains($0) })
      guard let kind = words.first, ["function", "class", "const", "let"].contains(kind), !line.hasPrefix(" ") else {
        return nil
      }
      return words.dropFirst().first
    }
    #expect(
      Set(names).count == names.count, "\(Dictionary(grouping: names, by: { $0 }).filter { $0.value.count > 1 }.keys)"
    )
  }

  @Test("The page knows each word of a comparison: changes by their signs, verdicts by their colours")
  func comparisonWords() throws {
    let module = try #require(ReportPart.comparison.files.modules.first { $0.name == "comparison.mjs" }).text
    let signs = try #require(module.firstMatch(of: /const CHANGES = {([^}]*)}/)?.1)
    let words = signs.split(separator: ",").map { $0.prefix { $0 != ":" }.trimmingCharacters(in: .whitespaces) }
    let changes = StructureDifferences.Change.allCases.map(\.rawValue)
    // A different end state is a change that only the page has.
    #expect(words.sorted() == (changes + ["ends"]).sorted())
    for word in words + TimingVerdict.allCases.map(\.rawValue) {
      #expect(ReportPage.standard.style.contains(".change.\(word)"), "\(word)")
    }
  }

  @Test("a page without a drawing says why")
  func withoutGraph() throws {
    #expect(
      try page(HandmadeTrace("fixture", unit: .nanoseconds).trace, note: "the graph is <too> deep").contains(
        #""graph":{"note":"the graph is \u003ctoo> deep","#))
  }

  @Test("an error of the sink ends the page")
  func full() {
    struct Full: Error {}
    #expect(throws: Full.self) {
      try ReportExporter(hostileTrace, page: .standard, graph: nil).write { _ in throw Full() }
    }
  }
}

@Suite("Columns of the report's data")
struct ColumnEncoderTests {
  private func text(_ column: ColumnEncoder) -> String {
    var bytes: [UInt8] = []
    let writer = ByteWriter { bytes += $0 }
    column.write(to: writer)
    // The sink never throws.
    try? writer.finish()
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test("values are zigzag-coded distances to the value before, plus 1; 0 is a missing value")
  func distances() {
    var column = ColumnEncoder("time")
    for value in [0, 1, nil, 0, 100] as [Int?] { column.append(value) }
    // Distance 0: 1; +1: 3; missing: 0; -1: 2; +100: 201, which takes two bytes.
    #expect(text(column) == #""time":{"data":"AQMAAskB"}"#)
  }

  @Test("equal values are written once")
  func uniform() {
    var column = ColumnEncoder("a")
    column.append(7)
    column.append(7)
    #expect(text(column) == #""a":{"all":7}"#)
    #expect(text(ColumnEncoder("b")) == #""b":{"all":null}"#)
  }

  @Test("values that are equal only at first are written one by one")
  func uniformAtFirst() {
    var column = ColumnEncoder("a")
    for value in [7, 7, 7, 8] { column.append(value) }
    // Distance +7: 15; 0, twice: 1; +1: 3.
    #expect(text(column) == #""a":{"data":"DwEBAw=="}"#)
    var later = ColumnEncoder("b")
    for value in [nil, nil, 1] as [Int?] { later.append(value) }
    #expect(text(later) == #""b":{"data":"AAAD"}"#)
    var based = ColumnEncoder("end", base: "begin")
    for (value, base) in [(nil, 5), (10, 9), (10, 10)] as [(Int?, Int)] { based.append(value, relative: base) }
    #expect(text(based) == #""end":{"base":"begin","data":"AAMB"}"#)
  }

  @Test("the base column is named, and used where it has a value")
  func base() {
    var column = ColumnEncoder("end", base: "begin")
    column.append(110, relative: 100)
    column.append(112, relative: nil as Int?)
    #expect(text(column) == #""end":{"base":"begin","data":"FQU="}"#)
  }

  @Test("a column that is the same as its base is written by its name")
  func same() {
    var column = ColumnEncoder("ready", base: "turned", .time)
    for value in [1, nil, 5] as [Int?] { column.append(value, relative: value) }
    #expect(text(column) == #""ready":{"of":"time","base":"turned"}"#)
    column.append(nil, relative: 7)
    #expect(text(column) == #""ready":{"of":"time","base":"turned","data":"AQABAA=="}"#)
  }

  @Test("the largest distances do not trap")
  func extremes() {
    var column = ColumnEncoder("time")
    for value in [Int.min, Int.max, Int.min, 0] { column.append(value) }
    #expect(text(column).hasPrefix(#""time":{"data":""#))
  }

  @Test("base64 encodes one, two, three and many bytes")
  func base64() {
    #expect(Base64.text([]) == "")
    #expect(Base64.text(Array("f".utf8)) == "Zg==")
    #expect(Base64.text(Array("fo".utf8)) == "Zm8=")
    #expect(Base64.text(Array("foo".utf8)) == "Zm9v")
    // More bytes than the writer takes at once.
    let long = (0..<40_001).map { UInt8(truncatingIfNeeded: $0 &* 37 ^ $0 >> 5) }
    #expect(Base64.text(long) == Data(long).base64EncodedString())
  }

  @Test(
    "SHA-256 matches published values",
    arguments: [
      ("", "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="),
      ("abc", "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0="),
      ("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", "JI1qYdIGOLjlwCaTDD5gOaM85Flk/yFn9uzt1BnbBsE="),
    ])
  func sha256(text: String, expected: String) {
    #expect(Base64.text(SHA256.hash(text.utf8)) == expected)
  }

  @Test("SHA-256 is right at lengths around the ends of its blocks")
  func blocks() {
    let hashes = (0...200).map { SHA256.hash([UInt8](repeating: 97, count: $0)) }
    #expect(Set(hashes).count == hashes.count && hashes.allSatisfy { $0.count == 32 })
  }
}
