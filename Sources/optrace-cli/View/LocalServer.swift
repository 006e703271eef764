import Foundation
import OpTraceModel

/// An HTTP server on 127.0.0.1, which no other machine can reach. One thread serves all connections with `poll`, another makes the
/// answers that take time; Swift's tasks are not used, because other work may block their threads.
///
/// It is our own because FlyingFox 0.27 limits neither the length of a request nor the time for it, keeps only one of two `Host` fields
/// and ends when `accept` fails once; its sockets alone (FlyingSocks) stay open in programs that are started; and SwiftNIO takes 100
/// seconds of processor time to build.
final class LocalServer: Sendable {
  /// Where it listens.
  let port: Int
  private let loop: ServerLoop

  /// - Parameter port: 0 for any free one. Throws ``Failure`` if it cannot listen there.
  init(_ site: any LocalSite, port: Int, limits: LocalConnection.Limits = .init()) throws {
    func failure(_ number: Int32 = errno) -> Failure {
      let why = number == EADDRINUSE ? "another program listens there" : reason(number)
      return Failure(message: "cannot listen on port \(port) of 127.0.0.1: \(why)", status: .cannotWrite)
    }
    guard let listener = Sockets.make() else { throw failure() }
    var yes: Int32 = 1
    setsockopt(listener.number, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
    guard let bound = Sockets.bind(listener.number, port: port), listen(listener.number, 1024) == 0 else {
      throw failure()
    }
    guard let wake = WakePipe() else { throw failure() }
    self.port = bound
    loop = ServerLoop(site, port: bound, limits, listener, wake)
    Thread { [loop] in loop.run() }.start()
  }

  /// How many connections are open.
  var connectionCount: Int { loop.connectionCount }

  /// Accepts no more connections, and waits until the requests that were made are answered, within the limits of each.
  func finish() { loop.finish() }
}

/// Serves the connections. Its thread owns everything but what `condition` guards.
private final class ServerLoop: @unchecked Sendable {
  private let site: any LocalSite
  private let port: Int
  private let limits: LocalConnection.Limits
  private let wake: WakePipe
  /// Makes one answer after the other.
  private let makers = DispatchQueue(label: "optrace.view.answers")

  private var listener: OwnedDescriptor?
  /// The connections, in the order in which they were accepted.
  private var connections: [Int: LocalConnection] = [:]
  private var last = 0
  /// After `accept` has failed, as it does when there are no descriptors left.
  private var acceptsAgain = ContinuousClock.now

  private let condition = NSCondition()
  private var made: [(key: Int, answer: LocalAnswer)] = []
  private var isEnding = false
  private var hasEnded = false
  private var count = 0

  init(
    _ site: any LocalSite, port: Int, _ limits: LocalConnection.Limits, _ listener: consuming OwnedDescriptor,
    _ wake: consuming WakePipe
  ) {
    self.site = site
    self.port = port
    self.limits = limits
    self.listener = consume listener
    self.wake = consume wake
  }

  // MARK: - From any thread

  var connectionCount: Int { condition.withLock { count } }

  func finish() {
    condition.withLock {
      isEnding = true
      wake.signal()
      while !hasEnded { condition.wait() }
    }
    makers.sync {}
  }

  private func add(_ answer: LocalAnswer, for key: Int) {
    condition.withLock { made.append((key, answer)) }
    wake.signal()
  }

  // MARK: - On the server's thread

  func run() {
    while takeNews() { serve() }
    condition.withLock {
      hasEnded = true
      condition.broadcast()
    }
  }

  /// False: it is over.
  private func takeNews() -> Bool {
    let (answers, isEnding) = condition.withLock {
      defer { made = [] }
      return (made, self.isEnding)
    }
    for (key, answer) in answers { connections[key]?.start(answer) }
    if isEnding {
      listener = nil
      for connection in connections.values where !connection.isBusy { connection.end() }
    }
    connections = connections.filter { !$0.value.isOver }
    condition.withLock { count = connections.count }
    return !isEnding || !connections.isEmpty
  }

  private func serve() {
    let now = ContinuousClock.now
    let isFull = connections.count > limits.connections
    let listening = isFull || acceptsAgain > now ? -1 : listener?.number ?? -1
    let served = Array(connections)
    var polled = [
      pollfd(fd: wake.descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: listening, events: Int16(POLLIN), revents: 0),
    ]
    polled += served.map(\.value.polled)
    let deadline = (served.compactMap(\.value.deadline) + (acceptsAgain > now ? [acceptsAgain] : [])).min()
    guard poll(&polled, nfds_t(polled.count), deadline.map { Self.milliseconds(from: now, to: $0) } ?? -1) >= 0 else {
      return
    }
    wake.clear()
    for ((key, connection), entry) in zip(served, polled.dropFirst(2)) {
      if entry.revents != 0, let request = connection.handle(Int32(entry.revents)) { answer(request, key, connection) }
      if let deadline = connection.deadline, deadline <= .now { connection.end() }
    }
    if polled[1].revents != 0 { accept() }
  }

  private static func milliseconds(from now: ContinuousClock.Instant, to deadline: ContinuousClock.Instant) -> Int32 {
    Int32(clamping: Int(max(0, (deadline - now) / .milliseconds(1)).rounded(.up)))
  }

  private func answer(_ request: LocalRequest, _ key: Int, _ connection: LocalConnection) {
    switch site.reply(to: request, port: port) {
    case .now(let answer): connection.start(answer)
    case .later(let make): makers.async { [self] in add(make(), for: key) }
    }
  }

  private func accept() {
    guard let listener = listener?.number else { return }
    guard let socket = Sockets.accept(listener) else {
      if ![EAGAIN, EINTR, ECONNABORTED].contains(errno) { acceptsAgain = .now + .milliseconds(100) }
      return
    }
    last += 1
    connections[last] = LocalConnection(socket, limits)
    // The newest stays: its client has had no time to say anything.
    guard connections.count > limits.connections else { return }
    let strangers = connections.filter { $0.key != last && !$0.value.isEntitled }
    if let oldest = strangers.min(by: { $0.key < $1.key }) { connections[oldest.key] = nil }
  }
}
