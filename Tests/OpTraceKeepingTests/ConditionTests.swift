import OpTraceModel
import Testing

@testable import OpTraceKeeping

@Suite("Conditions of --keep-when") struct ConditionTests {
  @Test(
    "what is allowed is understood",
    arguments: [
      ("stall=5s", KeepCondition.Rule.stall(5_000_000_000)), ("stall=0.5s", .stall(500_000_000)),
      ("request=1s", .request(1_000_000_000)), ("request=250ms", .request(250_000_000)),
      ("request=2min", .request(120_000_000_000)), ("request=3", .request(3_000_000_000)),
      ("request=1h", .request(3_600_000_000_000)),
      ("p99=200ms", .p99(200_000_000, kind: nil)), ("p99(load())=2s", .p99(2_000_000_000, kind: "load()")),
      ("p99(Shop.stock(_:))=1ms", .p99(1_000_000, kind: "Shop.stock(_:)")),
      ("p99(a=b)=1ms", .p99(1_000_000, kind: "a=b")), ("finding=warning", .finding(.warning)),
      ("finding=error", .finding(.error)), ("cpu=90%", .cpu(0.9)), ("cpu=100%", .cpu(1)),
      ("rss=2G", .rss(2 << 30)), ("rss=512M", .rss(512 << 20)), ("rss=1.5g", .rss(3 << 29)), ("rss=4096", .rss(4096)),
    ]) func good(_ text: String, _ rule: KeepCondition.Rule) throws
  {
    let condition = try KeepCondition(text)
    #expect(condition.rule == rule && condition.text == text)
    #expect(text.hasPrefix(condition.word))
  }

  @Test(
    "what is misspelt is refused, with all that is allowed",
    arguments: [
      "", "stall", "stal=5s", "stall=", "stall=0s", "stall=-1s", "stall=5d", "stall=1e3s", "stall=infs", "request=",
      "p99()=1s", "p99(x=1s", "p99=fast", "finding=note", "finding=", "cpu=90", "cpu=0%", "cpu=101%", "cpu=nan%",
      "rss=0", "rss=2X", "rss=", "rss=99999999999T", "=5s", "stall 5s",
    ]) func bad(_ text: String)
  {
    do {
      _ = try KeepCondition(text)
      Issue.record("'\(text)' is accepted")
    } catch {
      #expect(
        error.message.hasPrefix("--keep-when ") && error.message.hasSuffix("; it takes " + KeepCondition.examples))
    }
  }
}

@Suite("Pace of kept files") struct KeepPaceTests {
  private static let second: Nanoseconds = 1_000_000_000

  @Test("events are kept once a minute; what comes before is kept when the minute is over") func events() {
    var pace = KeepPace()
    #expect(!pace.isDue(0))
    pace.happened(at: 5 * Self.second)
    #expect(pace.isDue(5 * Self.second))
    pace.kept(at: 5 * Self.second)
    #expect(!pace.isDue(5 * Self.second) && pace.waiting == nil)
    pace.happened(at: 6 * Self.second)
    pace.happened(at: 7 * Self.second, times: 2)
    #expect(!pace.isDue(64 * Self.second) && pace.isDue(65 * Self.second))
    #expect(pace.waiting?.count == 3 && pace.waiting?.since == 6 * Self.second)
    pace.dropped()
    #expect(!pace.isDue(1000 * Self.second))
  }

  @Test("a state that lasts is kept once, and again after it was over") func states() {
    var pace = KeepPace()
    pace.note(false, at: 0)
    pace.note(true, at: 1)
    #expect(pace.isDue(1))
    pace.kept(at: 1)
    for hour in 1...5 { pace.note(true, at: Nanoseconds(hour) * 3600 * Self.second) }
    #expect(!pace.isDue(6 * 3600 * Self.second))
    pace.note(false, at: 6 * 3600 * Self.second)
    pace.note(true, at: 7 * 3600 * Self.second)
    #expect(pace.isDue(7 * 3600 * Self.second))
    // It is over before the minute is.
    pace.kept(at: 7 * 3600 * Self.second)
    pace.note(false, at: 7 * 3600 * Self.second + 1)
    pace.note(true, at: 7 * 3600 * Self.second + 2)
    pace.note(false, at: 7 * 3600 * Self.second + 3)
    #expect(!pace.isDue(8 * 3600 * Self.second))
  }

  @Test("looks that find nothing take 0.2 % in the long run") func budget() {
    var budget = LookBudget()
    let answer1 = budget.allows(0)
    #expect(answer1)
    budget.spend(11 * Self.second)
    let answer2 = budget.allows(100 * Self.second)
    #expect(!answer2)
    // It was a second too much, and a five-hundredth comes back.
    let answer3 = budget.allows(499 * Self.second)
    #expect(!answer3)
    let answer4 = budget.allows(501 * Self.second)
    #expect(answer4)
    // No more is saved up than at the begin.
    let answer5 = budget.allows(1_000_000 * Self.second)
    #expect(answer5)
    budget.spend(11 * Self.second)
    let answer6 = budget.allows(1_000_001 * Self.second)
    #expect(!answer6)
  }
}

@Suite("Kept files") struct KeptFilesTests {
  private func file(_ name: String, _ word: String, _ bytes: UInt64 = 10) -> KeptFiles.File {
    .init(path: name, word: word, bytes: bytes)
  }

  @Test("of too many files the oldest with the same condition goes first, then the oldest of all") func number() {
    var files = KeptFiles(mostFiles: 3, mostBytes: 1000)
    for (name, word) in [("a", "stall"), ("b", "request"), ("c", "request")] {
      #expect(files.add(file(name, word)).isEmpty)
    }
    #expect(files.add(file("d", "request")).map(\.path) == ["b"])
    #expect(files.add(file("e", "cpu")).map(\.path) == ["a"])
    #expect(files.files.map(\.path) == ["c", "d", "e"])
  }

  @Test("the same for too many bytes; the new file stays") func bytes() {
    var files = KeptFiles(mostFiles: 10, mostBytes: 100)
    for name in ["a", "b", "c"] { #expect(files.add(file(name, "stall", 30)).isEmpty) }
    #expect(files.add(file("d", "stall", 60)).map(\.path) == ["a", "b"])
    #expect(files.add(file("e", "rss", 200)).map(\.path) == ["c", "d"])
    #expect(files.files.map(\.path) == ["e"])
  }

  @Test("names sort by condition, then by time") func names() {
    let utc = "2026-11-28T15:51:53.123Z"
    #expect(
      KeptFiles.name(of: "/t/run.optrace", word: "stall", utc: utc) == "/t/run.kept-stall-2026-11-28T15.51.53Z.optrace")
    #expect(
      KeptFiles.name(of: "run.4711", word: "", utc: utc, number: 2) == "run.4711.kept-2026-11-28T15.51.53Z-2.optrace")
  }
}

@Suite("Use of processors") struct UsedShareTests {
  private static let second: Nanoseconds = 1_000_000_000

  @Test("the share is that of the last ten seconds, of all processors") func share() throws {
    var share = UsedShare()
    for second in 0..<10 {
      #expect(
        share.note(used: Nanoseconds(second) * Self.second, at: Nanoseconds(second) * Self.second, processors: 2) == nil
      )
    }
    #expect(share.note(used: 10 * Self.second, at: 10 * Self.second, processors: 2) == 0.5)
    // Ten idle seconds later nothing of it counts.
    for second in 11...19 {
      _ = share.note(used: 10 * Self.second, at: Nanoseconds(second) * Self.second, processors: 2)
    }
    #expect(share.note(used: 10 * Self.second, at: 20 * Self.second, processors: 2) == 0)
  }
}
