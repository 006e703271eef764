import Foundation
import TestSupport
import Testing

/// `optrace view` in the background.
private final class View {
  private let program: RunningProgram
  private let scratch: Scratch
  /// The address, which it prints on standard output.
  let address: String

  /// Waits for the address, or the end of the command.
  init(_ arguments: [String], environment: [String: String] = [:]) throws {
    scratch = try Scratch()
    program = try RunningProgram(
      Command.executable, ["view"] + arguments, environment: RunningProgram.environment(adding: environment),
      errors: .file(scratch.file("errors")))
    address = program.line() ?? ""
  }

  var errors: String { (try? String(contentsOf: scratch.file("errors"), encoding: .utf8)) ?? "" }

  var port: Int { Int(address.split(separator: ":").last?.prefix { $0.isNumber } ?? "") ?? 0 }
  var path: String {
    "/" + address.split(separator: "/", omittingEmptySubsequences: false).dropFirst(3).joined(separator: "/")
  }

  func get(_ name: String = "", _ headers: String...) throws -> LocalClient.Answer {
    try LocalClient.answer(port: port, to: LocalClient.head(path + name, port: port, headers))
  }

  func send(_ signal: Int32) { program.signal(signal) }

  /// How it ended: with a status, or by a signal.
  func end() -> String { program.end().description }
}

@Suite("optrace view", .ownThread)
struct ViewCommandTests {
  private let folder: Scratch
  private let small: String

  init() throws {
    folder = try Scratch()
    small = try folder.write("small.txt", Array(Fixture.small.utf8))
  }

  @Test("Standard output has only the address; it leads to the report, which cannot be embedded or cached")
  func page() throws {
    let view = try View([small, "--no-open"])
    #expect(view.address.wholeMatch(of: /http:\/\/127\.0\.0\.1:\d+\/[0-9a-f]{32}\//) != nil, "\(view.address)")
    #expect(view.errors == "optrace: serving the report of '\(small)' until Ctrl-C\n")
    let answer = try view.get()
    #expect(answer.status == 200 && answer.body.contains("fixture"))
    #expect(answer.body.hasPrefix("<!doctype html>") || answer.body.hasPrefix("<!DOCTYPE html>"))
    #expect(!answer.body.contains("<meta name=\"optrace-live\""))
    #expect(answer.body.contains("connect-src 'self'"))
    #expect(answer.headers["content-type"] == "text/html; charset=utf-8")
    #expect(answer.headers["cache-control"] == "no-store")
    #expect(answer.headers["cross-origin-resource-policy"] == "same-origin")
    #expect(answer.headers["cross-origin-opener-policy"] == "same-origin")
    #expect(answer.headers["x-content-type-options"] == "nosniff")
    #expect(answer.headers["referrer-policy"] == "no-referrer")
    #expect(answer.headers["content-security-policy"]?.contains("frame-ancestors 'none'") == true)
    #expect(answer.headers.keys.contains { $0.hasPrefix("access-control-") } == false)
    let state = try view.get("state")
    #expect(state.status == 200 && !state.body.isEmpty)
    #expect(try view.get("state").body == state.body)
    let moved = try LocalClient.get(String(view.path.dropLast()), port: view.port)
    #expect(moved.status == 308 && moved.headers["location"] == view.path)
  }

  @Test("A refusal reveals nothing about the page")
  func refusals() throws {
    let view = try View([small, "--no-open"])
    let root = try LocalClient.get("/", port: view.port)
    #expect(root.status == 404 && root.body == "" && root.headers.count == 2, "\(root)")
    for name in ["../etc/passwd", "%2e%2e/", "/", "small.txt", String(repeating: "a", count: 10_000)] {
      let answer = try view.get(name)
      #expect(answer.status == 404 && answer.body == "", "\(name)")
    }
    #expect(try view.get("", "Origin: https://evil.example").status == 403)
    #expect(try view.get("", "Sec-Fetch-Site: cross-site").status == 403)
    #expect(try view.get("", "Sec-Fetch-Site: none").status == 200)
    let other = "GET \(view.path) HTTP/1.1\r\nHost: evil.example\r\n\r\n"
    #expect(try LocalClient.answer(port: view.port, to: other).status == 421)
    let post = try LocalClient.get(view.path, port: view.port, method: "POST")
    #expect(post.status == 405 && post.headers["allow"] == "GET, HEAD" && post.body == "")
    #expect(try LocalClient.get(view.path, port: view.port, method: "HEAD").body == "")
    #expect(try view.get().status == 200)
  }

  @Test("Ctrl-C, SIGTERM and SIGHUP end it quietly with status 0", arguments: [SIGINT, SIGTERM, SIGHUP])
  func ending(signal: Int32) throws {
    let view = try View([small, "--no-open"])
    let before = view.errors
    let client = try LocalClient(port: view.port)
    client.send("GET ")
    view.send(signal)
    #expect(view.end() == "status 0")
    #expect(view.errors == before)
  }

  /// A port below those that the system assigns, so that no other program gets it.
  private static let port = 20_000 + Int(getpid()) % 10_000

  @Test("--port takes that port; if another program listens there, the status is 73")
  func ports() throws {
    let first = try View([small, "--no-open", "--port", "\(Self.port)"])
    #expect(first.port == Self.port)
    let second = try Command.run("view", small, "--no-open", "--port", "\(first.port)")
    #expect(second.status == 73 && second.output == "")
    #expect(
      second.errors == "optrace: cannot listen on port \(first.port) of 127.0.0.1: another program listens there; "
        + "choose another one with --port, or omit --port to take any free one\n")
    first.send(SIGTERM)
    #expect(first.end() == "status 0")
    let third = try View([small, "--no-open", "--port", "\(Self.port)"])
    #expect(third.port == Self.port)
    for number in ["65536", "-1"] {
      let wrong = try Command.run("view", small, "--no-open", "--port=\(number)")
      #expect(wrong.status == 64 && wrong.errors.hasPrefix("optrace: --port must be from 0 to 65535\n"))
    }
  }

  @Test("A file that is not a trace is refused; a damaged trace is served with a warning, and the status is 65")
  func inputs() throws {
    let missing = try Command.run("view", folder.path("none.optrace"), "--no-open")
    #expect(missing.status == 66 && missing.output == "")
    let other = try folder.write("other.json", Array("{}".utf8))
    let wrong = try Command.run("view", other, "--no-open")
    #expect(wrong.status == 65 && wrong.output == "" && wrong.errors.hasSuffix("it looks like JSON\n"))
    let cut = folder.path("cut.optrace")
    #expect(try Command.run("dump", small, "-o", cut).status == 0)
    let bytes = try Data(contentsOf: URL(fileURLWithPath: cut))
    try bytes.dropLast(64).write(to: URL(fileURLWithPath: cut))
    let view = try View([cut, "--no-open"])
    #expect(view.errors.contains("warning: '\(cut)' is damaged"), "\(view.errors)")
    #expect(try view.get().status == 200)
    view.send(SIGINT)
    #expect(view.end() == "status 65")
  }

  @Test("A trace from standard input is served")
  func standardInput() throws {
    let script = """
      "$optrace" view - --no-open < "$1" > "$2" & p=$!
      while kill -0 $p && ! [ -s "$2" ]; do sleep 0.05; done
      kill -TERM $p; wait $p
      """
    let address = folder.path("address")
    let result = try Command.run(small, address, shell: script)
    #expect(result.status == 0 && result.errors == "optrace: serving the report of standard input until Ctrl-C\n")
    #expect(try String(contentsOfFile: address, encoding: .utf8).hasPrefix("http://127.0.0.1:"))
  }

  @Test("A replaced trace is read again; if it is gone, its page stays and there is one warning")
  func changes() throws {
    let view = try View([small, "--no-open"])
    let first = try (view.get().body, view.get("state").body)
    let other = Fixture.small.replacing("\"fixture\"", with: "\"zebra-import\"")
    try folder.write("small.txt", Array(other.utf8))
    let second = try (view.get("state").body, view.get().body)
    #expect(second.0 != first.1)
    #expect(second.1.contains("zebra-import") && !first.0.contains("zebra-import"))
    try folder.write("small.txt", Array("no trace".utf8))
    #expect(try view.get().body == second.1)
    try FileManager.default.removeItem(atPath: small)
    #expect(try view.get().body == second.1)
    #expect(try view.get("state").status == 200)
    let lines = view.errors.split(separator: "\n")
    #expect(lines.count == 2 && lines[1].hasPrefix("optrace: warning: '\(small)' cannot be read any more"), "\(lines)")
    #expect(lines.last?.hasSuffix(": the page stays as it was") == true)
  }

  /// The updates that a page gets: `isOver`, and for each one its revision and the one that it continues.
  private struct News: Decodable {
    struct Update: Decodable {
      var revision: Int
      var since: Int?
    }
    var isOver: Bool
    var again: Int
    var updates: [Update]

    init(_ view: View, since revision: Int) throws {
      let answer = try view.get("data?since=\(revision)")
      #expect(answer.status == 200 && answer.headers["content-type"] == "application/json")
      #expect(answer.headers["cache-control"] == "no-store" && answer.headers["x-content-type-options"] == "nosniff")
      self = try JSONDecoder().decode(News.self, from: Data(answer.body.utf8))
    }
  }

  @Test("The page of a running program gets updates until the program has ended")
  func live() throws {
    try ProcessInputTests.withRecordingProgram { number in
      let view = try View([number, "--no-open"])
      let live = try view.get()
      #expect(live.body.contains("<meta name=\"optrace-live\" content=\"data\">"))
      let state = try view.get("state").body
      #expect(try view.get("state").body == state)
      // Updates come even if nothing happens, as time passes. Each one continues the one before.
      var last = try News(view, since: -7)
      #expect(!last.isOver && last.again >= 1000)
      #expect(last.updates.first?.since == nil && last.updates.count >= 1)
      let first = try #require(last.updates.last?.revision)
      try eventually("there is an update") {
        last = try News(view, since: first)
        return !last.updates.isEmpty
      }
      #expect(last.updates.first?.since == first)
      let now = try #require(last.updates.last?.revision)
      #expect(try News(view, since: first).updates.map(\.revision).starts(with: last.updates.map(\.revision)))
      // Another page of the same trace: the first page has to start again, and both get the same updates.
      #expect(try view.get().body.contains("\"revision\":"))
      let whole = try News(view, since: now)
      #expect(whole.updates.first?.since == nil && whole.updates.count >= 1)
      kill(pid_t(number) ?? 0, SIGKILL)
      // A changed state alone does not prove the end, as the recorder may write at any time.
      var end = try News(view, since: now)
      try eventually("its end is reported") {
        end = try News(view, since: now)
        return end.isOver
      }
      #expect(try view.get("state").body != state)
      #expect(end.isOver && end.updates.count == 1 && end.updates.first?.since == nil)
      #expect(try News(view, since: end.updates[0].revision).updates.isEmpty)
      #expect(try !view.get().body.contains("<meta name=\"optrace-live\""))
      #expect(try News(view, since: 0).isOver)
    }
  }

  @Test("A trace that does not grow has no updates")
  func noNews() throws {
    let view = try View([small, "--no-open"])
    let answer = try view.get("data?since=1")
    #expect(answer.status == 404 && answer.body == "")
  }

  @Test("If the file of a growing trace is removed or replaced, the page stays and continues where it can")
  func spoiledFile() throws {
    try ProcessInputTests.withRecordingProgram { number in
      let trace = folder.path("living.optrace")
      let source = try #require(try Self.traceFile(of: number))
      // The same file under another name: it still grows when the first name is gone.
      #expect(link(source, trace) == 0)
      let view = try View([trace, "--no-open"])
      let first = try #require(try News(view, since: -1).updates.last?.revision)
      try FileManager.default.removeItem(atPath: trace)
      try eventually("the rest is read") { try News(view, since: first).updates.isEmpty == false }
      try folder.write("living.optrace", Array("no trace".utf8))
      #expect(try !News(view, since: first).isOver)
      kill(pid_t(number) ?? 0, SIGKILL)
      try eventually("it ends") { try News(view, since: first).isOver }
    }
  }

  private static func traceFile(of process: String) throws -> String? {
    let maps = try String(contentsOfFile: "/proc/\(process)/maps", encoding: .utf8)
    return maps.split(separator: "\n").compactMap { line in
      line.split(separator: " ").last.map(String.init).flatMap { $0.hasSuffix(".optrace") ? $0 : nil }
    }.first
  }

  @Test("The browser is opened with the address; if none can be opened, there is a warning")
  func browser() throws {
    let note = folder.path("note")
    let browser = try folder.write(
      "browser", Array("#!/bin/sh\necho \"$@\" > '\(note).part'; mv '\(note).part' '\(note)'; sleep 2\n".utf8))
    #expect(chmod(browser, 0o755) == 0)
    let view = try View([small], environment: ["BROWSER": browser])
    try eventually("the browser is opened") { FileManager.default.fileExists(atPath: note) }
    #expect(try String(contentsOfFile: note, encoding: .utf8) == view.address + "\n")
    view.send(SIGINT)
    #expect(view.end() == "status 0")

    let failing = try View([small], environment: ["BROWSER": "/bin/false"])
    let expected =
      "optrace: warning: cannot open a browser (/bin/false ended with status 1): open the address above yourself\n"
    try eventually("there is a warning") { failing.errors.hasSuffix(expected) }
    #expect(try failing.get().status == 200)
  }
}

/// Serialized: there is only one port 9001.
@Suite("optrace view: Perfetto's page", .serialized, .ownThread)
struct ViewPerfettoTests {
  private let folder: Scratch
  private let small: String
  private static let origin = "Origin: https://ui.perfetto.dev"

  init() throws {
    folder = try Scratch()
    small = try folder.write("a small & odd name.txt", Array(Fixture.small.utf8))
  }

  private func path(of view: View) -> String {
    "/" + view.address.split(separator: "/", omittingEmptySubsequences: false).suffix(2).joined(separator: "/")
  }

  @Test("The command ends when Perfetto's page has fetched the timeline")
  func fetched() throws {
    let view = try View([small, "--perfetto", "--no-open"])
    let pattern =
      /https:\/\/ui\.perfetto\.dev\/#!\/\?url=http:\/\/127\.0\.0\.1:9001\/[0-9a-f]{32}\/a_small___odd_name\.txt\.\S+/
    #expect(view.address.wholeMatch(of: pattern) != nil, "\(view.address)")
    let path = path(of: view)
    let preflight = try LocalClient.get(
      path, port: 9001, method: "OPTIONS", Self.origin, "Access-Control-Request-Private-Network: true")
    #expect(preflight.status == 204 && preflight.headers["access-control-allow-private-network"] == "true")
    #expect(preflight.headers["access-control-allow-origin"] == "https://ui.perfetto.dev")
    #expect(try LocalClient.get(path, port: 9001).status == 403)
    #expect(try LocalClient.get(path, port: 9001, "Origin: https://evil.example").status == 403)
    #expect(try LocalClient.get("/", port: 9001, Self.origin).status == 404)
    let head = try LocalClient.get(path, port: 9001, method: "HEAD", Self.origin)
    #expect(head.status == 200 && head.body == "")
    // None of these ends the command.
    let size = Int(head.headers["content-length"] ?? "") ?? 0
    #expect(size > 0)
    let client = try LocalClient(port: 9001)
    client.send(LocalClient.head(path, port: 9001, [Self.origin]))
    var bytes: [UInt8] = []
    while true {
      let piece = client.receive()
      if piece.isEmpty { break }
      bytes += piece
    }
    let start = bytes.firstRange(of: Array("\r\n\r\n".utf8))?.upperBound ?? 0
    #expect(bytes.count - start == size)
    // A packet in Perfetto's format.
    #expect(bytes[start...].first == 0x0A)
    shutdown(client.descriptor, Int32(SHUT_WR))
    #expect(view.end() == "status 0")
  }

  @Test("A client that disconnects does not end it; two can fetch at a time; Ctrl-C ends it")
  func others() throws {
    let view = try View([small, "--perfetto", "--no-open"])
    let path = path(of: view)
    let request = LocalClient.head(path, port: 9001, [Self.origin])
    do {
      let gone = try LocalClient(port: 9001)
      var now = linger(l_onoff: 1, l_linger: 0)
      setsockopt(gone.descriptor, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
      gone.send(request)
    }
    let clients = try [LocalClient(port: 9001), LocalClient(port: 9001)]
    for client in clients { client.send(request) }
    for client in clients { #expect(client.receiveAll().hasPrefix("HTTP/1.1 200 ")) }
    view.send(SIGINT)
    #expect(view.end() == "status 0")
  }

  @Test("If port 9001 is taken, the message says what to do, and the status is 73")
  func takenPort() throws {
    let view = try View([small, "--perfetto", "--no-open"])
    let second = try Command.run("view", small, "--perfetto", "--no-open")
    #expect(second.status == 73 && second.output == "")
    #expect(
      second.errors
        == "optrace: cannot listen on port 9001 of 127.0.0.1: another program listens there; Perfetto's page "
        + "can load from no other port. End the other program (an 'optrace view --perfetto', or Perfetto's trace_processor), "
        + "or write a file with 'optrace timeline' and drop it on the page\n")
    view.send(SIGTERM)
    #expect(view.end() == "status 0")
    let port = try Command.run("view", small, "--perfetto", "--port", "80")
    #expect(port.status == 64)
    #expect(port.errors.hasPrefix("optrace: --perfetto needs port 9001: omit --port\n"))
  }
}
