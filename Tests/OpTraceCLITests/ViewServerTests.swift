import Foundation
import TestSupport
import Testing

@testable import optrace_cli

/// A page of a chosen size at `/`, and nothing else.
private struct TestSite: LocalSite {
  private var answer = LocalAnswer(status: 200)

  init(size: Int = 5, whenFetched: (@Sendable () -> Void)? = nil) {
    answer.body = Array(repeating: UInt8(ascii: "a"), count: size)
    answer.whenFetched = whenFetched
  }

  func reply(to request: LocalRequest, port: Int) -> LocalReply {
    guard request.path == "/" else { return .now(.refusal(.notFound)) }
    var answer = answer
    answer.isHeadOnly = request.method == "HEAD"
    return .later { [answer] in answer }
  }
}

/// The server of `optrace view`, and clients that behave badly.
@Suite("optrace view: server", .ownThread)
struct ViewServerTests {
  /// Long enough for clients that are only slow because the machine is busy.
  private static let impatient: LocalConnection.Limits = {
    var limits = LocalConnection.Limits()
    limits.requestTime = 5
    limits.pieceTime = 5
    limits.closingTime = 5
    return limits
  }()

  /// Runs `body` with a server.
  private func with(
    _ site: TestSite, _ limits: LocalConnection.Limits = .init(), _ body: (LocalServer) throws -> Void
  ) throws {
    let server = try LocalServer(site, port: 0, limits: limits)
    defer { server.finish() }
    try body(server)
  }

  /// Runs `body` with a server's port.
  private func with(
    _ site: TestSite, _ limits: LocalConnection.Limits = .init(), _ body: (Int) throws -> Void
  ) throws {
    try with(site, limits) { (server: LocalServer) in try body(server.port) }
  }

  @Test("An answer arrives complete, and then the connection is closed")
  func answers() throws {
    try with(TestSite(size: 3_000_000)) { port in
      let answer = try LocalClient.get("/", port: port)
      #expect(answer.status == 200 && answer.body.utf8.count == 3_000_000)
      #expect(answer.headers["connection"] == "close" && answer.headers["content-length"] == "3000000")
    }
  }

  @Test("HEAD gets the length and no body")
  func head() throws {
    try with(TestSite()) { port in
      let answer = try LocalClient.get("/", port: port, method: "HEAD")
      #expect(answer.status == 200 && answer.headers["content-length"] == "5" && answer.body == "")
    }
  }

  @Test("A client that closes its side after the request gets its answer")
  func halfClosed() throws {
    try with(TestSite()) { port in
      let client = try LocalClient(port: port)
      client.send(LocalClient.head("/", port: port))
      shutdown(client.descriptor, Int32(SHUT_WR))
      #expect(client.receiveAll().hasSuffix("\r\n\r\naaaaa"))
    }
  }

  @Test("Requests after the first one are ignored")
  func pipelined() throws {
    try with(TestSite()) { port in
      let request = LocalClient.head("/", port: port)
      let answer = try LocalClient.answer(port: port, to: request + request + request)
      #expect(answer.status == 200 && answer.body == "aaaaa")
    }
  }

  @Test("A body of a request is ignored", arguments: ["GET", "POST"])
  func bodies(method: String) throws {
    try with(TestSite()) { port in
      let client = try LocalClient(port: port)
      client.send(LocalClient.head("/", port: port, method: method, ["Content-Length: 100000000"]))
      client.send(String(repeating: "b", count: 300_000))
      #expect(LocalClient.Answer(client.receiveAll()).body == "aaaaa")
    }
  }

  @Test(
    "A malformed request gets 400 without a body",
    arguments: [
      "nonsense\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "\u{0}\u{1}\u{2}\r\n\r\n",
      "GET / HTTP/1.1\r\nHost\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n", "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}\u{0}\u{1}",
      "GET / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
      "GET / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", "GET / HTTP/1.1\nHost: a\n\n",
      "GET  / HTTP/1.1\r\n\r\n",
      "GET / HTTP/1.1\r\nHost : a\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\n b\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: a\rb\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: a\u{0}\r\n\r\n", "GET /\u{e9} HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\n: a\r\n\r\n",
    ])
  func broken(request: String) throws {
    try with(TestSite()) { port in
      let answer = try LocalClient.answer(port: port, to: request)
      #expect(answer.status == 400 && answer.body == "")
      #expect(try LocalClient.get("/", port: port).status == 200)
    }
  }

  @Test("A request that is too long is refused before it is complete")
  func tooLong() throws {
    try with(TestSite()) { port in
      let long = String(repeating: "a", count: 100_000)
      for request in [
        "GET /\(long)", "GET / HTTP/1.1\r\nX: \(long)", "GET / HTTP/1.1\r\n\(long)",
        "GET / HTTP/1.1\r\n" + String(repeating: "A: b\r\n", count: 1_000),
        "GET / HTTP/1.1\r\n" + String(repeating: "A: \(long.prefix(10_000))\r\n", count: 10),
      ] {
        let status = try LocalClient.answer(port: port, to: request).status
        #expect(status == 431)
      }
      #expect(try LocalClient.get("/", port: port).status == 200)
    }
  }

  @Test("A request sent byte by byte is answered; one that never ends is dropped, and others do not wait for it")
  func slowRequests() throws {
    try with(TestSite()) { port in
      let slow = try LocalClient(port: port)
      for byte in LocalClient.head("/", port: port) { slow.send(String(byte)) }
      #expect(LocalClient.Answer(slow.receiveAll()).status == 200)
    }
    try with(TestSite(), Self.impatient) { port in
      let clients = try (0..<20).map { _ in try LocalClient(port: port) }
      for client in clients { client.send("GET / HT") }
      #expect(try LocalClient.get("/", port: port).status == 200)
      // The time limit holds although bytes arrive.
      let dripping = clients[0]
      while dripping.send("\u{20}") { usleep(20_000) }
      for client in clients.dropFirst() { #expect(client.receiveAll() == "") }
    }
  }

  @Test("A client that does not read its answer is dropped; others do not wait for it")
  func slowReaders() throws {
    let size = 50_000_000
    try with(TestSite(size: size), Self.impatient) { (server: LocalServer) in
      let port = server.port
      let clients = try (0..<5).map { _ in try LocalClient(port: port, receiveBuffer: 4096) }
      for client in clients { client.send(LocalClient.head("/", port: port)) }
      let whole = try LocalClient.get("/", port: port)
      #expect(whole.body.utf8.count == size)
      try eventually("all are dropped") { server.connectionCount == 0 }
      for client in clients { #expect(client.receiveAll().utf8.count < size) }
    }
  }

  @Test("A client that disconnects harms nobody")
  func goneClients() throws {
    let fetched = Counter()
    try with(TestSite(size: 50_000_000, whenFetched: { fetched.add() })) { port in
      for _ in 0..<20 {
        let client = try LocalClient(port: port)
        client.send(LocalClient.head("/", port: port))
        _ = client.receive(1000)
      }
      #expect(fetched.value == 0)
      #expect(try LocalClient.get("/", port: port).body.utf8.count == 50_000_000)
    }
    #expect(fetched.value == 1)
  }

  @Test("1,000 clients are all served, a limited number of them at a time")
  func manyClients() throws {
    // On a busy machine a client may read its answer after a minute.
    var limits = Self.patient
    limits.connections = LocalConnection.Limits().connections
    try with(TestSite(size: 20_000), limits) { (server: LocalServer) in
      let port = server.port
      let answered = Counter()
      let ends = Gate()
      // Whoever has connected, and sent nothing yet, would give way to the next one.
      let turn = NSLock()
      let threads = (0..<20).map { _ in
        Thread {
          let clients = (0..<50).compactMap { _ in
            turn.withLock {
              let client = try? LocalClient(port: port)
              client?.send(LocalClient.head("/", port: port))
              return client
            }
          }
          for client in clients where LocalClient.Answer(client.receiveAll()).body.utf8.count == 20_000 {
            answered.add()
            // Closing at once keeps the server from waiting for all of them.
            shutdown(client.descriptor, Int32(SHUT_WR))
          }
          ends.open()
        }
      }
      for thread in threads { thread.start() }
      for _ in threads { ends.wait() }
      #expect(answered.value == 1000)
    }
  }

  /// Longer than any test waits.
  private static let patient: LocalConnection.Limits = {
    var limits = LocalConnection.Limits()
    (limits.requestTime, limits.pieceTime, limits.closingTime) = (1e6, 1e6, 1e6)
    limits.connections = 10
    return limits
  }()

  @Test(
    "A client that knows the address does not wait for silent, slow or refused ones",
    arguments: ["", "GET / HT", "GET /nothing HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", "nonsense\r\n\r\n"])
  func strangers(saying words: String) throws {
    try with(TestSite(), Self.patient) { (server: LocalServer) in
      let strangers = try (0..<100).map { _ in
        let client = try LocalClient(port: server.port)
        client.send(words)
        return client
      }
      #expect(try LocalClient.get("/", port: server.port).status == 200)
      try eventually("no more than the limit and the last one stay") { server.connectionCount <= 11 }
      #expect(strangers.count == 100)
    }
  }

  @Test("A client that is being answered is not dropped for later ones")
  func entitledStay() throws {
    try with(TestSite(size: 20_000_000), Self.patient) { (server: LocalServer) in
      let reading = try LocalClient(port: server.port)
      reading.send(LocalClient.head("/", port: server.port))
      let first = reading.receive(1)
      #expect(first == Array("H".utf8))
      let strangers = try (0..<100).map { _ in try LocalClient(port: server.port) }
      #expect(reading.receiveAll().utf8.count > 20_000_000 && strangers.count == 100)
    }
  }

  @Test("finish() waits for the answers that are being sent, and for nothing else")
  func finishing() throws {
    let server = try LocalServer(TestSite(size: 20_000_000), port: 0)
    let silent = try LocalClient(port: server.port)
    let reading = try LocalClient(port: server.port)
    reading.send(LocalClient.head("/", port: server.port))
    let first = reading.receive(1)
    #expect(first == Array("H".utf8))
    let isOver = Gate()
    Thread.detachNewThread {
      server.finish()
      isOver.open()
    }
    #expect(silent.receiveAll() == "")
    #expect(reading.receiveAll().utf8.count > 20_000_000)
    shutdown(reading.descriptor, Int32(SHUT_WR))
    isOver.wait()
    #expect(throws: LocalClient.Refused.self) { try LocalClient(port: server.port) }
  }

  @Test("The handling of SIGPIPE stays as it was")
  func closedPipes() throws {
    try with(TestSite(size: 3_000_000)) { port in
      let client = try LocalClient(port: port)
      client.send(LocalClient.head("/", port: port))
      _ = client.receive(1)
      var now = sigaction()
      sigaction(SIGPIPE, nil, &now)
      #expect(!isIgnored(now.__sigaction_handler.sa_handler))
    }
  }

  @Test("A taken port is an error that names it")
  func takenPort() throws {
    try with(TestSite()) { port in
      do {
        _ = try LocalServer(TestSite(), port: port)
        Issue.record("two servers on one port")
      } catch let failure as Failure {
        #expect(failure.message == "cannot listen on port \(port) of 127.0.0.1: another program listens there")
        #expect(failure.status == .cannotWrite)
      }
    }
  }
}
