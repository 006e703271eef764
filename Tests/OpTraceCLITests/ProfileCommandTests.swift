import Foundation
import TestSupport
import Testing

@Suite("optrace profile", .ownThread)
struct ProfileCommandTests {
  private let folder: Scratch
  private let photos: String

  init() throws {
    folder = try Scratch()
    photos = try folder.write("photos.txt", Array(SampledTrace.photos().text.utf8))
  }

  private func profile(_ options: String...) throws -> Command.Result {
    try Command.run(arguments: ["profile", photos] + options)
  }

  private func document(_ options: String..., of path: String? = nil) throws -> [String: Any] {
    let result = try Command.run(arguments: ["profile", path ?? photos, "--json"] + options)
    #expect(result.status == 0 && result.errors == "", "\(result.errors)")
    return try #require(JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any])
  }

  private func names(_ document: [String: Any], _ list: String, _ key: String) -> [String] {
    ((document[list] as? [[String: Any]]) ?? []).compactMap { $0[key] as? String }
  }

  @Test("tables show functions and work; --by shows work, threads or queues with their functions")
  func tables() throws {
    let usual = try profile()
    #expect(usual.status == 0 && usual.errors == "")
    #expect(usual.output.hasPrefix("photos (pid 4711): 20.0 ms of processor time in 20 samples\n"))
    #expect(usual.output.contains("\nFunctions\n") && usual.output.contains("\nWork\n"))
    #expect(try profile("--by", "function").output == usual.output)
    let work = try profile("--by", "work").output
    #expect(work.contains("operation Import") && work.contains("block sync") && !work.contains("\nFunctions\n"))
    #expect(try profile("--by", "thread").output.contains("main (tid 4711)"))
    #expect(try profile("--by", "queue").output.contains("in no queue"))
    let short = try profile("--top", "1").output
    #expect(short.contains("more: see --top"))
  }

  @Test("the keys of version 1 are a contract: Documentation/json.md")
  func keys() throws {
    let group = JSONPaths.group
    var expected = group(
      "",
      "version:number rateHz:number samples:number lost:number cpuSeconds:number sampledShare:number functions[] work[]"
    )
    let function =
      "function:string module:string module:null file:string file:null line:number line:null selfSeconds:number "
      + "totalSeconds:number selfShare:number totalShare:number"
    expected.formUnion(group(".functions[]", function))
    expected.formUnion(
      group(".work[]", "kind:string name:string queue:string queue:null seconds:number share:number functions[]"))
    expected.formUnion(group(".work[].functions[]", function))
    let usual = try document()
    #expect(JSONPaths.of(usual) == expected)
    #expect(usual["samples"] as? Int == 20 && usual["rateHz"] as? Double == 1000 && usual["lost"] as? Int == 2)
    #expect(usual["cpuSeconds"] as? Double == 0.024)
    let more = try document("--by", "thread", "--compare", photos)
    #expect(Set(more.keys).subtracting(usual.keys) == ["threads", "comparison"])
    #expect(Set(try document("--by", "queue").keys).subtracting(usual.keys) == ["queues"])
    let waiting = try document("--off-cpu")
    #expect(Set(waiting.keys).subtracting(usual.keys) == ["reasons"])
    #expect(names(waiting, "reasons", "reason") == ["sleeps", "waits for a thread"])
    #expect((try document("--top", "2")["functions"] as? [Any])?.count == 2)
  }

  @Test("options of timeline select samples; --within adds all submitted work")
  func parts() throws {
    func samples(_ options: String...) throws -> Int? {
      let result = try Command.run(arguments: ["profile", photos, "--json"] + options)
      #expect(result.status == 0)
      return (try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any])?["samples"] as? Int
    }
    #expect(try samples("--from", "31ms") == 5)
    #expect(try samples("--from", "3ms", "--to", "6ms") == 8)
    #expect(try samples("--queue", "imports") == 12)
    #expect(try samples("--queue", "db") == 4)
    #expect(try samples("--queue", "Swift tasks") == 3)
    #expect(try samples("--class", "Import") == 12)
    #expect(try samples("--min-duration", "20ms") == 12)
    #expect(try samples("--within", "#3") == 3)
    #expect(try samples("--around", "#2") == 4)
  }

  @Test("wrong options are refused in one sentence")
  func refused() throws {
    for (options, message) in [
      (["--queue", "improts"], "no queue is called 'improts' in '\(photos)'; did you mean 'imports'?"),
      (["--within", "Improt"], "no operation is called 'Improt' in '\(photos)'; did you mean 'Import'?"),
      (["--top", "0"], "--top must be at least 1"), (["--by", "line"], "the value 'line' is invalid for '--by <by>'"),
      (["-o", photos], "'\(photos)' is the trace itself"), (["--compare", "/no/such/file"], "no such file"),
    ] {
      let result = try Command.run(arguments: ["profile", photos] + options)
      #expect(result.status == (options[0] == "--compare" ? 66 : 64) && result.output == "", "\(options)")
      #expect(result.errors.contains(message), "\(result.errors)")
    }
    #expect(try Command.run("profile", "-", "--compare", "-").errors.contains("standard input can be read once"))
  }

  @Test("without samples a sentence says why and what to do; JSON is still written")
  func nothing() throws {
    func said(_ text: String, _ options: String...) throws -> String {
      let path = try folder.write("nothing.txt", Array(text.utf8))
      let result = try Command.run(arguments: ["profile", path] + options)
      #expect(result.status == 0 && result.output == "")
      return result.errors.replacing("'\(path)'", with: "it")
    }
    #expect(
      try said(Fixture.small)
        == "optrace: it has no samples of processor time: record them with 'optrace record --profile'\n")
    var refused = SampledTrace()
    refused.sampling(every: 10_000_000, "refused=13")
    #expect(try said(refused.text).contains("'sysctl kernel.perf_event_paranoid=2'"))
    var short = SampledTrace()
    short.sampling(every: 10_000_000)
    #expect(
      try said(short.text)
        == "optrace: it has no samples: the program used less than one period of processor time (10.0 ms)\n")
    #expect(
      try said(SampledTrace.photos().text, "--from", "90s")
        == "optrace: no sample is in the part of it that was asked for\n")
    #expect(try said(Fixture.small, "--off-cpu") == "optrace: no wait of a thread and no suspended task is in it\n")
    let json = try Command.run("profile", try folder.write("small.txt", Array(Fixture.small.utf8)), "--json")
    #expect(json.status == 0 && json.errors.contains("record --profile"))
    let read = try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any]
    #expect(
      read?["samples"] as? Int == 0 && read?["cpuSeconds"] is NSNull && (read?["work"] as? [Any])?.isEmpty == true)
  }

  @Test("--off-cpu works without samples")
  func waiting() throws {
    let path = try folder.write("waits.txt", Array(Fixture.waits.utf8))
    let result = try Command.run("profile", path, "--off-cpu")
    #expect(result.status == 0 && result.errors == "")
    #expect(result.output.contains("waits for a semaphore") && result.output.contains("not heard: "))
  }

  @Test("--compare shows what changed, and which changes may be chance")
  func compared() throws {
    let slower = try folder.write("slower.txt", Array(SampledTrace.photos(decodes: 25).text.utf8))
    let text = try Command.run("profile", slower, "--compare", photos)
    #expect(text.status == 0 && text.errors == "")
    #expect(text.output.hasPrefix("before: '\(photos)', 20.0 ms"))
    let comparison = try #require(try document("--compare", photos, of: slower)["comparison"] as? [String: Any])
    let functions = try #require(comparison["functions"] as? [[String: Any]])
    #expect(functions.first?["function"] as? String == "clamp(_:)" && functions.first?["selfClear"] as? Bool == true)
    #expect(functions.last?["selfClear"] as? Bool == false)
    #expect(comparison["samples"] as? Int == 20)
  }

  @Test("a file has the same bytes as standard output; a closed pipe is no error")
  func output() throws {
    let text = try profile()
    let path = folder.path("profile.txt")
    #expect(try profile("-o", path) == Command.Result(status: 0, output: "", errors: ""))
    #expect(try String(contentsOfFile: path, encoding: .utf8) == text.output)
    let json = folder.path("profile.JSON")
    #expect(try profile("-o", json).status == 0)
    #expect(try String(contentsOfFile: json, encoding: .utf8) == profile("--json").output)
    let closed = try Command.run(
      photos, shell: #"{ "$optrace" profile "$1" --json; echo $? >&2; } | head -c 10 > /dev/null"#)
    #expect(closed.errors == "0\n")
  }

  @Test("the ending of -o selects pictures and formats of other tools")
  func files() throws {
    func written(_ name: String, _ options: String...) throws -> String {
      let path = folder.path(name)
      let result = try Command.run(arguments: ["profile", photos, "-o", path] + options)
      #expect(result == Command.Result(status: 0, output: "", errors: ""), "\(name)")
      return try Command.run(path, shell: name.hasSuffix(".gz") ? #"gzip -dc "$1" | wc -c"# : #"cat "$1""#).output
    }
    #expect(try written("a.svg").hasPrefix("<?xml"))
    #expect(try written("b.SVG", "--compare", photos).contains("widths are of now"))
    #expect(try written("a.collapsed").contains("operation Import on imports;Import.main();decode(_:);clamp(_:) 6\n"))
    #expect(try written("b.collapsed", "--off-cpu").contains("sleeps;upload();fetch(_:) 14000\n"))
    #expect(try #require(Int(written("a.pb.gz").trimmingCharacters(in: .whitespacesAndNewlines))) > 100)
    for name in ["a.speedscope.json", "a.firefox.json"] {
      let text = try written(name)
      #expect(try JSONSerialization.jsonObject(with: Data(text.utf8)) is [String: Any])
      #expect(!text.contains("selfSeconds"))
    }
    #expect(try written("a.json").contains("selfSeconds"))
    let names = try folder.names.count
    for options in [["-o", folder.path("c.svg"), "--json"], ["-o", folder.path("c.pb.gz"), "--compare", photos]] {
      let result = try Command.run(arguments: ["profile", photos] + options)
      #expect(result.status == 64 && result.errors.hasPrefix("optrace: "), "\(result.errors)")
    }
    let nothing = try Command.run("profile", photos, "--from", "90s", "-o", folder.path("c.svg"))
    #expect(nothing.status == 0 && nothing.errors.contains("no sample is in the part"))
    #expect(try folder.names.count == names)
  }

  @Test("empty files and other files are refused; truncated ones are read")
  func badInput() throws {
    let empty = try Command.run("profile", try folder.write("empty.optrace", []))
    #expect(empty.status == 65 && empty.errors.contains("is empty"))
    let other = try Command.run("profile", try folder.write("other.optrace", Array("hello".utf8)))
    #expect(other.status == 65 && other.errors.contains("is not a trace"))
    let bytes = try Fixture.binary(SampledTrace.photos().text)
    for share in 1..<8 {
      let cut = try folder.write("cut.optrace", Array(bytes.prefix(bytes.count * share / 8)))
      for options in [[], ["--off-cpu"], ["--json"]] {
        let result = try Command.run(arguments: ["profile", cut] + options)
        #expect(result.status == 65 || result.status == 0, "\(result.errors)")
      }
    }
    let whole = try Command.run("profile", try folder.write("whole.optrace", bytes))
    #expect(whole.output == (try profile().output) && whole.status == 0)
  }

  @Test("names cannot control a terminal")
  func hostile() throws {
    let name = "a\\u{1b}[31mb"
    let path = try folder.write("hostile.txt", Array(SampledTrace.photos(className: name).text.utf8))
    for options in [[], ["--by", "work"], ["--by", "thread"], ["--compare", photos]] {
      let result = try Command.run(arguments: ["profile", path] + options)
      #expect(result.status == 0)
      let steering = result.output.unicodeScalars.filter { $0 != "\n" && $0.properties.generalCategory == .control }
      #expect(steering.isEmpty)
    }
  }
}
