import Foundation
import OpTraceAnalysis
import Testing

@testable import OpTraceProfile

@Suite struct FlameGraphTests {
  private func svg(_ profile: Profile, _ options: FlameGraphExporter.Options = .init()) -> String {
    text(exported { FlameGraphExporter.write(profile, options: options, to: $0) })
  }

  /// The part between the style and the script.
  private func body(_ svg: String) throws -> String {
    let start = try #require(svg.range(of: "<g class=\"head\">")).lowerBound
    let end = try #require(svg.range(of: "<script>")).lowerBound
    return String(svg[start..<end])
  }

  @Test func theDrawingIsAsExpected() throws {
    var maker = ProfileMaker()
    maker.add("start@libc.so;main@App:3;^parse@App:9", times: 3, owner: "operation Load on network")
    maker.add("~refresh@App;fetch@Store", owner: "task refresh", isInKernel: true)
    var options = FlameGraphExporter.Options()
    options.lost = 2
    options.notes = ["Time in the kernel was not sampled."]
    let drawn = try body(svg(maker.profile, options)).split(separator: "\n").joined(separator: "\n")
    #expect(
      drawn.replacing("><", with: ">\n<").replacing("&#10;", with: "\n") == """
        <g class="head">
        <text class="title" x="20" y="34">photos: 40.0 ms of processor time</text>
        <text class="subtitle" x="20" y="54">4 samples at 100 Hz; 2 lost. Time in the kernel was not sampled.</text>
        </g>
        <g class="legend">
        <rect class="swatch o5" x="20" y="66" width="16" height="18"/>
        <text x="42" y="78">own code, by module</text>
        <rect class="swatch l5" x="178" y="66" width="16" height="18"/>
        <text x="200" y="78">libraries</text>
        <rect class="swatch k" x="276" y="66" width="16" height="18"/>
        <text x="298" y="78">kernel</text>
        <rect class="swatch o0 j" x="356" y="66" width="16" height="18"/>
        <rect class="hatch" x="356" y="66" width="16" height="18"/>
        <text x="378" y="78">async callers, joined from suspensions: on no stack</text>
        </g>
        <text class="details" x="20" y="100"> </text>
        <g class="frames" data-left="20" data-undrawn="0">
        <g class="f g" data-r="0 40000000 0">
        <title>photos
        40.0 ms · 100 % · 4 samples</title>
        <rect x="20" y="110" width="1160" height="18"/>
        <text x="24" y="123">photos</text>
        </g>
        <g class="f g" data-r="0 30000000 1">
        <title>operation Load on network
        30.0 ms · 75 % · 3 samples</title>
        <rect x="20" y="129" width="870" height="18"/>
        <text x="24" y="142">operation Load on network</text>
        </g>
        <g class="f l5" data-r="0 30000000 2">
        <title>start
        libc.so
        30.0 ms · 75 % · 3 samples</title>
        <rect x="20" y="148" width="870" height="18"/>
        <text x="24" y="161">start</text>
        </g>
        <g class="f o5" data-r="0 30000000 3">
        <title>main
        App · /src/main.swift:1
        30.0 ms · 75 % · 3 samples</title>
        <rect x="20" y="167" width="870" height="18"/>
        <text x="24" y="180">main</text>
        </g>
        <g class="f o5" data-r="0 30000000 4">
        <title>parse
        App · /src/parse.swift:1
        30.0 ms · 75 % · 3 samples
        inlined into its caller</title>
        <rect x="20" y="186" width="870" height="18"/>
        <text x="24" y="199">parse</text>
        </g>
        <g class="f g" data-r="30000000 10000000 1">
        <title>task refresh
        10.0 ms · 25 % · 1 sample</title>
        <rect x="890" y="129" width="290" height="18"/>
        <text x="894" y="142">task refresh</text>
        </g>
        <g class="f o5 j" data-r="30000000 10000000 2">
        <title>refresh
        App · /src/refresh.swift:1
        10.0 ms · 25 % · 1 sample
        async caller, joined from a suspension: it was on no stack</title>
        <rect x="890" y="148" width="290" height="18"/>
        <rect class="hatch" x="890" y="148" width="290" height="18"/>
        <text x="894" y="161">refresh</text>
        </g>
        <g class="f o5" data-r="30000000 10000000 3">
        <title>fetch
        Store · /src/fetch.swift:1
        10.0 ms · 25 % · 1 sample</title>
        <rect x="890" y="167" width="290" height="18"/>
        <text x="894" y="180">fetch</text>
        </g>
        <g class="f k" data-r="30000000 10000000 4">
        <title>[kernel]
        10.0 ms · 25 % · 1 sample</title>
        <rect x="890" y="186" width="290" height="18"/>
        <text x="894" y="199">[kernel]</text>
        </g>
        </g>
        """)
  }

  @Test func theFileIsTheSameEachTime() {
    #expect(svg(.small) == svg(.small))
    #expect(svg(.hostile) == svg(.hostile))
  }

  @Test(arguments: [Profile.small, .hostile, .broken, Profile()])
  func theFileIsWellFormedAndTextStaysInItsBoxes(profile: Profile) throws {
    let picture = try SVGPicture(svg(profile))
    #expect(picture.scripts == 1)
    #expect(picture.addresses == [])
    #expect(picture.boxes.count >= 1)
    for box in picture.boxes {
      #expect(box.x >= 20 && box.x + box.width <= 1180.02, "\(box.title)")
      // Monospaced letters are at most 0.6 em wide.
      #expect(Double(box.label.count) * 0.6 * 11 <= max(0, box.width), "\(box.label)")
      #expect(box.title.contains("%"))
    }
  }

  @Test func narrowBoxesAreCounted() throws {
    var maker = ProfileMaker()
    maker.add("main@App;often@App", times: 2000)
    maker.add("main@App;seldom@App;never@App")
    let picture = try SVGPicture(svg(maker.profile))
    #expect(picture.boxes.map(\.name) == ["photos", "main", "often"])
    let words = "2,001 samples at 100 Hz; none lost. 2 functions below 0.1 % of the whole are not drawn."
    #expect(picture.texts.contains(words))
    var options = FlameGraphExporter.Options()
    options.smallestShare = 0
    #expect(try SVGPicture(svg(maker.profile, options)).boxes.count == 5)
  }

  @Test func asyncCallersAreHatchedAndTheLegendSaysSo() throws {
    let picture = try SVGPicture(svg(.small))
    #expect(picture.boxes.filter(\.isHatched).map(\.name) == ["refresh"])
    #expect(picture.texts.contains("async callers, joined from suspensions: on no stack"))
    var maker = ProfileMaker()
    maker.add("main@App")
    #expect(try !SVGPicture(svg(maker.profile)).texts.contains { $0.hasPrefix("async") })
  }

  @Test func ownCodeIsWarmAndLibrariesAreGreyByModule() throws {
    let looks = Dictionary(
      try SVGPicture(svg(.small)).boxes.map { ($0.name, $0.look) }, uniquingKeysWith: { first, _ in first })
    #expect(looks["main"].map { FlameStyle.own.contains($0) } == true)
    #expect(looks["main"] == looks["load"])
    #expect(looks["start"].map { FlameStyle.libraries.contains($0) } == true)
    #expect(looks["[kernel]"] == "k")
    #expect(looks["photos"] == "g")
  }

  @Test func aTooltipHasFunctionPlaceTimeAndSamples() throws {
    let box = try #require(try SVGPicture(svg(.small)).boxes.first { $0.name == "parse" })
    #expect(
      box.title == """
        parse
        App · /src/parse.swift:1
        30.0 ms · 42.9 % · 3 samples
        inlined into its caller
        """)
  }

  /// WCAG 2 requires a contrast of 4.5.
  @Test func textHasEnoughContrastOnEveryColour() {
    for look in FlameStyle.colors {
      #expect(contrast(look.light, FlameStyle.textColor.light) >= 4.5, "\(look)")
      #expect(contrast(look.dark, FlameStyle.textColor.dark) >= 4.5, "\(look)")
    }
  }

  private func contrast(_ one: String, _ other: String) -> Double {
    let (one, other) = (luminance(one), luminance(other))
    return (max(one, other) + 0.05) / (min(one, other) + 0.05)
  }

  private func luminance(_ hex: String) -> Double {
    let value = UInt32(hex.dropFirst(), radix: 16) ?? 0
    func linear(_ shift: UInt32) -> Double {
      let part = Double(value >> shift & 0xFF) / 255
      return part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4)
    }
    return 0.2126 * linear(16) + 0.7152 * linear(8) + 0.0722 * linear(0)
  }
}
