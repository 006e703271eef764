import Foundation
import OpTraceModel
import TestSupport
import Testing

/// Runs the built command.
@Suite(.ownThread) struct CommandTests {
  /// Three operations that run one after the other, then one that waits for the third.
  static let trace = """
    optrace text 1
    process 42 "little"
    writer "0.1.0"
    mode streaming
    wall 1790000000000000000
    monotonic 1000
    state closed

    0 t1 thread t1 tid=42 "main"
    1000 t1 queue q1 limit=2 "work"
    2000 t1 created #1 class="Step"
    2100 t1 named #1 "Fetch"
    3000 t1 created #2 class="Step"
    3100 t1 named #2 "Parse"
    4000 t1 depends #2 on=#1
    5000 t1 enqueued #1 queue=q1
    5100 t1 ready #1
    5200 t1 enqueued #2 queue=q1
    6000 t1 started #1
    6100 t1 began #1
    16000 t1 ended #1
    16100 t1 finished #1
    16200 t1 ready #2

    """

  struct Run {
    var status: Int32
    var output: Data
    var errors: String
    var text: String { String(decoding: output, as: UTF8.self) }
  }

  private func run(_ arguments: [String], input: String = trace, environment: [String: String] = [:]) throws -> Run {
    let scratch = try Scratch()
    let file = try scratch.write("little.optrace", Array(input.utf8))
    // An image is binary: read it from its file.
    let program = try RunningProgram(
      Built.program("optrace"), ["graph", file] + arguments,
      environment: RunningProgram.environment(adding: environment), in: scratch.folder,
      output: .file(scratch.file("output")), errors: .file(scratch.file("errors")))
    let ending = program.end()
    let name = arguments.firstIndex(of: "-o").map { arguments[$0 + 1] }.flatMap { $0 == "-" ? nil : $0 } ?? "output"
    let data = try (try? Data(contentsOf: scratch.file(name))) ?? Data(contentsOf: scratch.file("output"))
    return Run(
      status: ending.status, output: data,
      errors: String(decoding: try Data(contentsOf: scratch.file("errors")), as: UTF8.self))
  }

  @Test func theDefaultIsAnSVGOnStandardOutput() throws {
    for arguments in [[], ["-o", "-"], ["-o", "x.svg"], ["--format", "svg"]] {
      let run = try run(arguments)
      #expect(run.status == 0, "\(run.errors)")
      #expect(run.errors.isEmpty, "\(run.errors)")
      let svg = SVGReader(run.text)
      #expect(svg.error == nil)
      #expect(svg.having("op").compactMap { $0.attributes["id"] } == ["op-1", "op-2"])
      #expect(svg.ids.contains("queue-work") && svg.ids.contains("e-1-2"))
    }
  }

  @Test func theFormatFollowsTheNamesEnding() throws {
    #expect(try run(["-o", "x.png"]).output.starts(with: [0x89, 0x50, 0x4e, 0x47]))
    #expect(try run(["-o", "x.pdf"]).output.starts(with: Data("%PDF".utf8)))
    #expect(try run(["-o", "x.dot"]).text.hasPrefix("digraph"))
    #expect(try run(["-o", "x.dot", "--format", "svg"]).text.hasPrefix("<?xml"), "--format decides")
    let unknown = try run(["-o", "x.docx"])
    #expect(unknown.status == 64)
    #expect(unknown.errors.contains("--format svg, png, pdf or dot"))
  }

  @Test func focusFindsAnOperationOrSuggestsOne() throws {
    let found = try run(["--focus", "Parse", "--hops", "0"])
    #expect(found.status == 0)
    #expect(SVGReader(found.text).having("op").compactMap { $0.attributes["id"] } == ["op-2"])
    let lost = try run(["--focus", "Prase"])
    #expect(lost.status == 64)
    #expect(lost.errors.contains("no operation is called 'Prase'"))
    #expect(lost.errors.contains("did you mean 'Parse'?"))
    #expect(try run(["--hops", "1"]).status == 64)
    #expect(try run(["--focus", "Parse", "--hops", "-1"]).status == 64)
  }

  /// The command prints a sentence and writes no file.
  @Test func stuckOptionWithNothingStuckDrawsNoPicture() throws {
    for format in ["svg", "png", "dot"] {
      let run = try run(["--deadlock", "-o", "x.\(format)"])
      #expect(run.status == 0 && run.output.isEmpty, "\(format)")
      let end = ", so --deadlock has nothing to draw; without it, everything is drawn\n"
      #expect(run.errors.hasPrefix("optrace: nothing is stuck in '") && run.errors.hasSuffix(end), "\(run.errors)")
    }
  }

  @Test func theCriticalPathCanBeLeftOut() throws {
    #expect(try run([]).text.contains("class=\"op finished critical"))
    #expect(!(try run(["--no-critical-path"]).text.contains("class=\"op finished critical")))
  }

  /// Without plugins the library can draw nothing: DOT still works, other formats say what to install.
  @Test func withoutPluginsTheErrorSaysWhatToInstall() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("no-plugins-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let without = ["GVBINDIR": folder.path]
    for format in ["svg", "png", "pdf"] {
      let run = try run(["-o", "x.\(format)"], environment: without)
      #expect(run.status == 73, "\(format)")
      #expect(run.errors.contains("apt-get install libgraphviz-dev"), "\(format): \(run.errors)")
      #expect(run.errors.contains("brew install graphviz") && run.errors.contains("--format dot"))
      #expect(run.output.isEmpty, "no half file")
    }
    let dot = try run(["--format", "dot"], environment: without)
    #expect(dot.status == 0)
    #expect(dot.text.hasPrefix("digraph"))
  }

  /// The first operation, and `count` operations that depend on it.
  private static func fan(_ count: Int) -> String {
    var text = trace
    for number in 3..<(count + 1) {
      text += "17000 t1 created #\(number) class=\"Step\"\n17000 t1 depends #\(number) on=#1\n"
      text += "17000 t1 enqueued #\(number) queue=q1\n"
    }
    return text
  }

  @Test func aLargeGraphIsFoldedAndSaysSo() throws {
    let folded = try run([], input: Self.fan(400))
    #expect(folded.status == 0)
    #expect(folded.errors.hasPrefix("optrace: note: folded 39"), "\(folded.errors)")
    #expect(folded.errors.hasSuffix("; optrace graph --full draws all\n"), "\(folded.errors)")
    let svg = SVGReader(folded.text)
    #expect(svg.error == nil && svg.ids.contains("fold-1") && svg.ids.contains("op-1"))
    #expect(svg.elements.contains { $0.name == "text" && $0.attributes["class"] == "verdict note" })
    let full = try run(["--full"], input: Self.fan(400))
    #expect(full.status == 0 && full.errors.isEmpty, "\(full.errors)")
    #expect(SVGReader(full.text).having("op").count { $0.attributes["id"] != nil } == 400)
    let few = try run([], input: Self.fan(300))
    #expect(few.errors.isEmpty && !few.text.contains("fold-1"))
  }

  @Test func imagesFoldAndDOTDoesNot() throws {
    let image = try run(["-o", "x.png"], input: Self.fan(400))
    #expect(image.status == 0 && image.errors.contains("folded"), "\(image.errors)")
    let dot = try run(["--format", "dot"], input: Self.fan(400))
    #expect(dot.status == 0 && dot.errors.isEmpty)
    #expect(dot.text.contains("op400 [") && !dot.text.contains("fold1"))
  }

  @Test func tooLargeAnImageSaysWhatToDo() throws {
    let run = try run(["--full", "-o", "x.pdf"], input: Self.fan(3100))
    #expect(run.status == 64)
    #expect(
      run.errors == "optrace: 3100 boxes are too many for an image (at most 3000): leave out --full, which folds them, "
        + "take --format svg, or show a part with --focus\n")
  }

  @Test func badInputGivesAnExitStatus() throws {
    #expect(try run([], input: "{\"traceEvents\":[]}").status == 65)
    #expect(try run(["-o", "no-such-folder/x.svg"]).status == 73)
  }
}
