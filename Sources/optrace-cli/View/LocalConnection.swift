import Foundation
import OpTraceModel

/// A client's connection: one request, one answer, then it is closed. Every wait for the client has a time limit. All calls come from
/// the server's thread.
final class LocalConnection {
  struct Limits: Sendable {
    /// Seconds until the whole head of the request has arrived.
    var requestTime = 10.0
    /// Seconds until the client has taken the next piece of the answer.
    var pieceTime = 20.0
    /// Seconds until the client closes its side after the answer.
    var closingTime = 5.0
    /// Open at a time. For one more, the oldest one whose client has not shown the address is closed; if all have shown it, new ones
    /// wait to be accepted.
    var connections = 200

    static let piece = 1 << 16
  }

  private enum State {
    case reading(RequestHead)
    /// The answer is being made.
    case making
    case sending(LocalAnswer)
    /// Everything is sent, and the client has not closed yet.
    case closing(LocalAnswer)
    case over
  }

  private let socket: OwnedDescriptor
  private let limits: Limits
  private var state = State.reading(RequestHead())
  /// The client sends nothing more.
  private var isInputOver = false
  /// What is still to be sent: the head of the answer, and its body.
  private var rest: [ArraySlice<UInt8>] = []
  /// Bytes that the client has taken since its last piece was complete.
  private var taken = 0
  /// When the wait for the client is over; nil while it waits for us.
  private(set) var deadline: ContinuousClock.Instant?

  init(_ socket: consuming OwnedDescriptor, _ limits: Limits) {
    self.socket = socket
    self.limits = limits
    wait(limits.requestTime)
  }

  var isOver: Bool { if case .over = state { true } else { false } }

  /// Whether a request is being answered.
  var isBusy: Bool {
    switch state {
    case .reading, .over: false
    case .making, .sending, .closing: true
    }
  }

  /// Whether the client knows the address, since its request was accepted. Others make room for it.
  var isEntitled: Bool {
    switch state {
    case .reading, .over: false
    case .making: true
    case .sending(let answer), .closing(let answer): answer.status < 400
    }
  }

  /// What to poll for.
  var polled: pollfd {
    var events = isInputOver ? 0 : POLLIN
    if case .sending = state { events |= POLLOUT }
    return pollfd(fd: socket.number, events: Int16(events), revents: 0)
  }

  /// Does what the socket is ready for. Returns the request when it is complete.
  func handle(_ events: Int32) -> LocalRequest? {
    if events & POLLIN == 0, events & (POLLERR | POLLHUP | POLLNVAL) != 0 { end() }
    let request = events & POLLIN != 0 ? receive() : nil
    if events & POLLOUT != 0 { sendMore() }
    return request
  }

  func start(_ answer: LocalAnswer) {
    // The client may have disconnected while the answer was made.
    if isOver { return }
    state = .sending(answer)
    rest = answer.isHeadOnly ? [answer.head] : [answer.head, answer.body[...]]
    wait(limits.pieceTime)
    sendMore()
  }

  func end() {
    state = .over
    deadline = nil
  }

  private func wait(_ seconds: Double) { deadline = .now + .seconds(seconds) }

  private func receive() -> LocalRequest? {
    var bytes = [UInt8](repeating: 0, count: 1 << 14)
    let count = recv(socket.number, &bytes, bytes.count, 0)
    guard count != 0 else {
      endInput()
      return nil
    }
    if count < 0, errno != EAGAIN, errno != EINTR { end() }
    // The body of a request, and whatever follows it, is dropped.
    guard count > 0, case .reading(var head) = state else { return nil }
    switch head.read(bytes[..<count]) {
    case .incomplete: state = .reading(head)
    case .refused(let refusal): start(.refusal(refusal))
    case .complete(let request):
      state = .making
      deadline = nil
      return request
    }
    return nil
  }

  private func endInput() {
    isInputOver = true
    switch state {
    case .reading: end()
    case .closing(let answer):
      // The client has the whole answer: otherwise there would have been an error before.
      answer.whenFetched?()
      end()
    case .making, .sending, .over: break
    }
  }

  /// One piece at a time, so that all clients get theirs in turn.
  private func sendMore() {
    guard case .sending(let answer) = state else { return }
    rest.removeAll(where: \.isEmpty)
    if let next = rest.first {
      guard let count = sent(next.prefix(Limits.piece)) else { return }
      rest[0] = next.dropFirst(count)
      taken += count
      if taken >= Limits.piece {
        taken = 0
        wait(limits.pieceTime)
      }
    }
    guard rest.allSatisfy(\.isEmpty) else { return }
    // Not closed at once: if the client has sent more than was read, the system would drop the answer.
    shutdown(socket.number, Int32(SHUT_WR))
    state = .closing(answer)
    wait(limits.closingTime)
    if isInputOver { endInput() }
  }

  /// How much the system has taken; nil: nothing, for now or for ever.
  private func sent(_ bytes: ArraySlice<UInt8>) -> Int? {
    #if canImport(Darwin)
      let flags: Int32 = 0  // The socket has SO_NOSIGPIPE.
    #else
      let flags = Int32(MSG_NOSIGNAL)
    #endif
    let count = bytes.withUnsafeBytes { send(socket.number, $0.baseAddress, $0.count, flags) }
    if count > 0 { return count }
    if count < 0, errno != EAGAIN, errno != EINTR { end() }
    return nil
  }
}
