import OpTraceModel
import TestSupport
import Testing

@testable import OpTraceTimeline

/// Which span served which call, and on which clock.
@Suite("joined traces: calls and clocks")
struct JoinedClockTests {
  private static func milliseconds(_ time: Nanoseconds) -> Double { Double(time) / 1e6 }

  /// `calls` as `trace.span>trace.span`, awaited ones with `!`.
  private func calls(_ services: CallingService...) throws -> [String] {
    let traces = try services.map { try $0.read() }
    func name(_ end: SpanCall.End) -> String { "\(end.trace).\(traces[end.trace].spans[end.span].name)" }
    return SpanCall.all(in: traces).map { "\(name($0.from))>\(name($0.to))\($0.isAwaited ? "!" : "")" }
  }

  private func clock(_ services: CallingService...) throws -> JoinedClock {
    let traces = try services.map { try $0.read() }
    return JoinedClock(traces, SpanCall.all(in: traces))
  }

  /// A client that is called at 100 for 40 ms, and a server that takes 20 ms from `began` on.
  private func pair(serverBegan began: Int, wall: Int? = 0) -> (CallingService, CallingService) {
    var shop = CallingService("shop", 100)
    shop.span("order", .client, 100, 140, id: 1)
    var stock = CallingService("stock", 200, wall: wall)
    stock.span("reserve", .server, began, began + 20, id: 2, caller: 1)
    return (shop, stock)
  }

  // MARK: Calls

  @Test("a span serves its parent in another trace, and a consumer also its links")
  func matching() throws {
    var shop = CallingService("shop", 100)
    shop.span("order", .client, 0, 9, id: 1)
    shop.span("mail", .producer, 1, 2, id: 3)
    shop.span("note", .producer, 2, 3, id: 4)
    shop.span("plain", .internal, 3, 4, id: 5)
    var stock = CallingService("stock", 200)
    stock.span("reserve", .server, 1, 2, id: 2, caller: 1)
    stock.span("batch", .consumer, 5, 6, id: 6, caller: 3, links: [3, 4, 77])
    stock.span("linked", .server, 5, 6, id: 7, links: [3])
    stock.span("work", .internal, 5, 6, id: 8, caller: 5)
    stock.span("served", .server, 5, 6, id: 9, caller: 5)
    stock.span("called", .internal, 5, 6, id: 10, caller: 1)
    stock.span("nobody's", .server, 5, 6, id: 11, caller: 99)
    #expect(
      try calls(shop, stock) == [
        "0.order>1.reserve!", "0.mail>1.batch", "0.note>1.batch", "0.plain>1.work", "0.plain>1.served!",
        "0.order>1.called!",
      ])
  }

  @Test("calls can go both ways and through three traces, but not within one trace")
  func directions() throws {
    var one = CallingService("one", 1)
    one.span("a", .client, 0, 9, id: 1)
    one.span("own", .server, 1, 2, id: 2, caller: 1)
    var two = CallingService("two", 2)
    two.span("b", .server, 1, 5, id: 3, caller: 1)
    two.span("b out", .client, 2, 4, id: 4)
    var three = CallingService("three", 3)
    three.span("c", .server, 2, 4, id: 5, caller: 4)
    three.span("back", .client, 2, 3, id: 6)
    one.span("again", .server, 2, 3, id: 7, caller: 6)
    #expect(try calls(one, two, three) == ["2.back>0.again!", "0.a>1.b!", "1.b out>2.c!"])
    #expect(try calls(one) == [])
  }

  @Test("with duplicate ids the span of the other trace is the caller, and each call counts once")
  func sameIDs() throws {
    var one = CallingService("one", 1)
    one.span("a", .client, 0, 9, id: 1)
    one.span("a again", .client, 0, 9, id: 1)
    var two = CallingService("two", 2)
    two.span("copy", .client, 0, 9, id: 1)
    two.span("b", .server, 1, 5, id: 3, caller: 1)
    one.span("c", .server, 1, 5, id: 4, caller: 1)
    #expect(try calls(one, two) == ["1.copy>0.c!", "0.a>1.b!"])
  }

  // MARK: Clocks

  @Test("traces of one boot share a clock, whatever wall clocks and calls say")
  func sameSystem() throws {
    var (shop, stock) = pair(serverBegan: 500, wall: 77_000)
    shop.boot = (9, 1_000)
    stock.boot = (9, 650)
    let clock = try clock(shop, stock)
    #expect(clock.starts.map(Self.milliseconds) == [350, 0])
    #expect(clock.moves == [])
    #expect(clock.unknown == [])
  }

  @Test("traces of different systems use wall clocks if all calls fit")
  func wallClocks() throws {
    let (shop, stock) = pair(serverBegan: 10, wall: 95)
    let clock = try clock(shop, stock)
    #expect(clock.starts.map(Self.milliseconds) == [0, 95])
    #expect(clock.moves == [])
  }

  @Test("a clock is moved if served spans are outside their calls, to the middle")
  func moved() throws {
    let (shop, stock) = pair(serverBegan: 10, wall: 500)
    let clock = try clock(shop, stock)
    // 110 to 130 is in the middle of 100 to 140.
    #expect(clock.starts.map(Self.milliseconds) == [0, 100])
    #expect(clock.moves == [.init(traces: [1], by: -400_000_000, calls: 1, misfits: 0)])
    #expect(try self.clock(stock, shop).starts.map(Self.milliseconds) == [100, 0], "the other way round")
  }

  @Test("a message may be handled any time after it was sent")
  func messages() throws {
    var shop = CallingService("shop", 100)
    shop.span("send", .producer, 100, 101, id: 1)
    var mail = CallingService("mail", 200, wall: 0)
    mail.span("handle", .consumer, 5_000, 6_000, id: 2, caller: 1)
    #expect(try clock(shop, mail).moves == [])
    mail.wall = -4_907
    #expect(try clock(shop, mail).moves == [.init(traces: [1], by: 7_000_000, calls: 1, misfits: 0)])
  }

  @Test("an open span, or one that outlives its caller, only has to begin in time")
  func outliving() throws {
    var shop = CallingService("shop", 100)
    shop.span("gave up", .client, 100, 110, id: 1)
    shop.span("open", .client, 100, nil, id: 3)
    var stock = CallingService("stock", 200)
    stock.span("long", .server, 105, 900, id: 2, caller: 1)
    stock.span("opened", .server, 105, 800, id: 4, caller: 3)
    stock.span("never over", .server, 106, nil, id: 5, caller: 1)
    #expect(try clock(shop, stock).moves == [])
  }

  @Test("contradicting calls move a clock by the median of their middles")
  func contradiction() throws {
    var shop = CallingService("shop", 100)
    var stock = CallingService("stock", 200)
    for (index, late) in [10, 30, 1_000].enumerated() {
      let began = 1_000 * index
      shop.span("call", .client, began, began + 20, id: 2 * index + 1)
      stock.span("serve", .server, began + late + 5, began + late + 15, id: 2 * index + 2, caller: 2 * index + 1)
    }
    let clock = try clock(shop, stock)
    #expect(clock.moves == [.init(traces: [1], by: -30_000_000, calls: 3, misfits: 2)])
  }

  @Test("a moved clock moves its later services and the traces that share it")
  func chain() throws {
    var (shop, stock) = pair(serverBegan: 10, wall: 1_100)
    stock.boot = (9, 5_000)
    stock.span("ask", .client, 12, 28, id: 3)
    var bank = CallingService("bank", 300, wall: 50_000)
    bank.span("pay", .server, 0, 10, id: 4, caller: 3)
    var cache = CallingService("cache", 400, wall: nil, boot: (9, 5_500))
    cache.span("own", .internal, 0, 1, id: 5)
    shop.boot = (8, 0)
    // It comes before the trace that determines its clock.
    let clock = try clock(shop, bank, stock, cache)
    #expect(clock.starts.map(Self.milliseconds) == [0, 115, 100, 600])
    #expect(clock.moves.map(\.traces) == [[2, 3], [1]])
    #expect(clock.unknown == [])
  }

  @Test("a trace without clock and calls begins with the first trace and is reported")
  func unknown() throws {
    let (shop, stock) = pair(serverBegan: 110)
    var other = CallingService("other", 300, wall: nil)
    other.span("own", .internal, 0, 1, id: 5)
    let clock = try clock(shop, stock, other)
    #expect(clock.starts.map(Self.milliseconds) == [0, 0, 0])
    #expect(clock.unknown == [2])
    #expect(try self.clock(other).unknown == [])
  }

  @Test("extreme clocks do not trap")
  func hostile() throws {
    for wall in [0, 1, UInt64.max / 2, .max] {
      for monotonic in [0, UInt64.max] {
        var traces = try [pair(serverBegan: 110).0.read(), pair(serverBegan: 110).1.read()]
        traces[1].header.startWall = wall
        traces[1].header.startMonotonic = monotonic
        for boot in [UInt8(0), 1] {
          traces[0].header.bootID = [UInt8](repeating: boot, count: 16)
          traces[1].header.bootID = [UInt8](repeating: boot, count: 16)
          let clock = JoinedClock(traces, SpanCall.all(in: traces))
          #expect(clock.starts.min() == 0)
          #expect(clock.starts.allSatisfy { $0 <= 1 << 58 })
        }
      }
    }
  }

  // MARK: The move

  /// Tries all moves.
  private struct TriedMoves {
    struct Call {
      var isServed: Bool
      var own: (begin: Int, end: Int?)
      var other: (begin: Int, end: Int?)
      var isAwaited: Bool

      func fits(_ move: Int) -> Bool {
        let own = (begin: own.begin + move, end: own.end.map { $0 + move })
        let (caller, served) = isServed ? (other, own) : (own, other)
        guard served.begin >= caller.begin else { return false }
        guard isAwaited, let over = served.end, let end = caller.end, over - served.begin <= end - caller.begin else {
          return true
        }
        return over <= end
      }
    }
    static let tried = -200...200
    var calls: [Call]

    var fitting: [Int] { Self.tried.filter { move in calls.allSatisfy { $0.fits(move) } } }
  }

  @Test("the move is the one that trying all moves finds", arguments: 0..<40)
  func oracle(_ seed: Int) throws {
    var random = SeededGenerator(seed)
    for _ in 0..<200 {
      let shift = random.number(-60..<61)
      var tried = TriedMoves(calls: [])
      var bounds = ClockBounds()
      for _ in 0..<random.number(1..<6) {
        func span(_ begin: Int, _ length: Int) -> (begin: Int, end: Int?) {
          (begin, random.chance(90) ? begin + length : nil)
        }
        let begin = random.number(0..<20)
        let length = random.number(0..<20)
        let caller = span(begin, length)
        // Sometimes the served span cannot fit.
        let served = span(begin + random.number(0..<(random.chance(80) ? length + 1 : 30)), random.number(0..<15))
        let isServed = random.chance(60)
        func moved(_ one: (begin: Int, end: Int?)) -> (begin: Int, end: Int?) {
          (one.begin + shift, one.end.map { $0 + shift })
        }
        let call = TriedMoves.Call(
          isServed: isServed, own: moved(isServed ? served : caller), other: isServed ? caller : served,
          isAwaited: random.chance(80))
        tried.calls.append(call)
        func times(_ one: (begin: Int, end: Int?)) -> ClockBounds.Times {
          .init(begin: Nanoseconds(one.begin), end: one.end.map { Nanoseconds($0) })
        }
        if isServed {
          bounds.serves(times(call.own), times(call.other), isAwaited: call.isAwaited)
        } else {
          bounds.calls(times(call.own), times(call.other), isAwaited: call.isAwaited)
        }
      }
      let move = Int(bounds.move)
      #expect(bounds.misfits(bounds.move) == tried.calls.count { !$0.fits(move) })
      let fitting = tried.fitting
      guard let low = fitting.first, let high = fitting.last else { continue }
      let isBoundBelow = low > TriedMoves.tried.lowerBound
      let isBoundAbove = high < TriedMoves.tried.upperBound
      if fitting.contains(0) {
        #expect(move == 0)
      } else if isBoundBelow, isBoundAbove {
        #expect(move == low + (high - low) / 2)
      } else {
        #expect(move == (isBoundBelow ? low : high))
      }
    }
  }
}
