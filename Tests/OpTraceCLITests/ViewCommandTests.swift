import Foundation
import TestSupport
import Testing

/// `optrace view` in the background.
private final class View {
  private let program: RunningProgram
  private let scratch: Scratch
  /// What it prints on standard output, which is the address.
  let address: String

  /// Waits until the address is there, or the command has ended.
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

  /// How it ended: a status, or that it was killed.
  func end() -> String { program.end().description }
}

@Suite("The command view", .ownThread)
struct ViewCommandTests {
  private let folder: Scratch
  private let small: String

  init() throws {
    folder = try Scratch()
    small = try folder.write("small.txt", Array(Fixture.small.utf8))
  }

  @Test("the address stands alone on standard output; behind it is the report, and nothing may embed or keep it")
  func page() throws {
    let view = try View([small, "--no-open"])
    #expect(view.address.wholeMatch(of: /http:\/\/127\.0\.0\.1:\d+\/[0-9a-f]{32}\//) != nil, "\(view.address)")
    #expect(view.errors == "optrace: the report of '\(small)' is served until Ctrl-C\n")
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

  @Test("what is refused says nothing of what is there")
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

  @Test("Ctrl-C and SIGTERM end it, quietly and well, while it serves too", arguments: [SIGINT, SIGTERM, SIGHUP])
  func ending(signal: Int32) throws {
    let view = try View([small, "--no-open"])
    let before = view.errors
    let client = try LocalClient(port: view.port)
    client.send("GET ")
    view.send(signal)
    #expect(view.end() == "status 0")
    #expect(view.errors == before)
  }

  /// Below those that the system gives to whoever asks for any: nobody else gets it meanwhile.
  private static let port = 20_000 + Int(getpid()) % 10_000

  @Test("a port that is asked for is had, or is not there to be had: 73")
  func ports() throws {
    let first = try View([small, "--no-open", "--port", "\(Self.port)"])
    #expect(first.port == Self.port)
    let second = try Command.run("view", small, "--no-open", "--port", "\(first.port)")
    #expect(second.status == 73 && second.output == "")
    #expect(
      second.errors == "optrace: cannot listen on port \(first.port) of 127.0.0.1: another program listens there; "
        + "name another with --port, or none for any that is free\n")
    first.send(SIGTERM)
    #expect(first.end() == "status 0")
    let third = try View([small, "--no-open", "--port", "\(Self.port)"])
    #expect(third.port == Self.port)
    for number in ["65536", "-1"] {
      let wrong = try Command.run("view", small, "--no-open", "--port=\(number)")
      #expect(wrong.status == 64 && wrong.errors.hasPrefix("optrace: --port must be from 0 to 65535\n"))
    }
  }

  @Test("what is no trace is refused before anything is served; a damaged one is served with a warning, and 65")
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

  @Test("standard input is served as it was read")
  func standardInput() throws {
    let script = """
      "$optrace" view - --no-open < "$1" > "$2" & p=$!
      while kill -0 $p && ! [ -s "$2" ]; do sleep 0.05; done
      kill -TERM $p; wait $p
      """
    let address = folder.path("address")
    let result = try Command.run(small, address, shell: script)
    #expect(result.status == 0 && result.errors == "optrace: the report of standard input is served until Ctrl-C\n")
    #expect(try String(contentsOfFile: address, encoding: .utf8).hasPrefix("http://127.0.0.1:"))
  }

  @Test("a trace that is replaced is read anew; one that is gone stays as it was, and is told of once")
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

  /// What a page is told: `isOver`, and of each update which revision it is and which it goes on from.
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

  @Test("the page of a program that runs is told what is new, and no longer when it has ended")
  func live() throws {
    try ProcessInputTests.withRecordingProgram { number in
      let view = try View([number, "--no-open"])
      let live = try view.get()
      #expect(live.body.contains("<meta name=\"optrace-live\" content=\"data\">"))
      let state = try view.get("state").body
      #expect(try view.get("state").body == state)
      // Time goes on, though nothing happens. Each change goes on from the one before, for whoever has that.
      var last = try News(view, since: -7)
      #expect(!last.isOver && last.again >= 1000)
      #expect(last.updates.first?.since == nil && last.updates.count >= 1)
      let first = try #require(last.updates.last?.revision)
      try eventually("there is more") {
        last = try News(view, since: first)
        return !last.updates.isEmpty
      }
      #expect(last.updates.first?.since == first)
      let now = try #require(last.updates.last?.revision)
      #expect(try News(view, since: first).updates.map(\.revision).starts(with: last.updates.map(\.revision)))
      // Another page of the same trace: who was there before is told to begin anew, and both are told the same.
      #expect(try view.get().body.contains("\"revision\":"))
      let whole = try News(view, since: now)
      #expect(whole.updates.first?.since == nil && whole.updates.count >= 1)
      kill(pid_t(number) ?? 0, SIGKILL)
      // Another state alone is no proof of the end: a recorder may note something of its own at any time.
      var end = try News(view, since: now)
      try eventually("its end is told") {
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

  @Test("of a trace that does not grow there is nothing new to be had")
  func noNews() throws {
    let view = try View([small, "--no-open"])
    let answer = try view.get("data?since=1")
    #expect(answer.status == 404 && answer.body == "")
  }

  @Test("a living trace whose file is cut, replaced or gone: the page stays as it was, and goes on where it can")
  func spoiledFile() throws {
    try ProcessInputTests.withRecordingProgram { number in
      let trace = folder.path("living.optrace")
      let source = try #require(try Self.traceFile(of: number))
      // The same file under another name, which goes on when the first one is gone.
      #expect(link(source, trace) == 0)
      let view = try View([trace, "--no-open"])
      let first = try #require(try News(view, since: -1).updates.last?.revision)
      try FileManager.default.removeItem(atPath: trace)
      try eventually("it is read on") { try News(view, since: first).updates.isEmpty == false }
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

  @Test("the browser is opened with the address; where none can be, that is said")
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
      "optrace: warning: no browser was opened (/bin/false ended with status 1): open the address above yourself\n"
    try eventually("that is said") { failing.errors.hasSuffix(expected) }
    #expect(try failing.get().status == 200)
  }
}

/// Port 9001 is one for all.
@Suite("The command view: Perfetto's page", .serialized, .ownThread)
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

  @Test("the timeline waits for Perfetto's page, and the command ends when that has it")
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
    // None of these was what it waits for.
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
    // A packet of Perfetto's format.
    #expect(bytes[start...].first == 0x0A)
    shutdown(client.descriptor, Int32(SHUT_WR))
    #expect(view.end() == "status 0")
  }

  @Test("a client that goes away is not what it waits for; two may fetch at a time; Ctrl-C ends it")
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

  @Test("port 9001 cannot be had: what to do, and 73")
  func takenPort() throws {
    let view = try View([small, "--perfetto", "--no-open"])
    let second = try Command.run("view", small, "--perfetto", "--no-open")
    #expect(second.status == 73 && second.output == "")
    #expect(
      second.errors
        == "optrace: cannot listen on port 9001 of 127.0.0.1: another program listens there; Perfetto's page "
        + "can load from no other. End the other program (an 'optrace view --perfetto', or Perfetto's trace_processor), "
        + "or write a file with 'optrace timeline' and drop it on the page\n")
    view.send(SIGTERM)
    #expect(view.end() == "status 0")
    let port = try Command.run("view", small, "--perfetto", "--port", "80")
    #expect(port.status == 64)
    #expect(port.errors.hasPrefix("optrace: --perfetto needs port 9001: leave --port away\n"))
  }
}
