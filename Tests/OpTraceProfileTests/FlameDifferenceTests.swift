import OpTraceAnalysis
import Testing

@testable import OpTraceProfile

@Suite struct FlameDifferenceTests {
  private func picture(_ profile: Profile, against base: Profile) throws -> SVGPicture {
    try SVGPicture(text(exported { FlameGraphExporter.write(profile, against: base, to: $0) }))
  }

  private func profile(_ stacks: KeyValuePairs<String, Int>) -> Profile {
    var maker = ProfileMaker()
    for (stack, times) in stacks { maker.add(stack, times: times) }
    return maker.profile
  }

  @Test func redBoxesGrewAndBlueBoxesShrank() throws {
    let base = profile(["main@App;a@App:1": 50, "main@App;b@App": 50, "gone@App;inner@App": 100])
    let now = profile(["main@App;a@App:9": 30, "main@App;b@App": 5, "new@App": 65])
    let boxes = try picture(now, against: base).boxes
    #expect(boxes.map { "\($0.name) \($0.look)" } == ["photos d0", "main b4", "a r4", "b b4", "new r4"])
    #expect(boxes[2].title.contains("before: 25 % (+5.00 points)"))
    #expect(boxes[3].title.contains("before: 25 % (−20.00 points)"))
    #expect(boxes[4].title.contains("before: not there (+65.00 points)"))
    let words = try picture(now, against: base).texts.joined(separator: " ")
    #expect(words.contains("Stacks with 50 % of the time before are not there any more."))
  }

  @Test func equalProfilesShowNoChange() throws {
    let boxes = try picture(.small, against: .small).boxes
    #expect(boxes.allSatisfy { $0.look == "d0" && $0.title.contains("no change") })
  }

  @Test func stacksOfOneFunctionAreComparedSeparately() throws {
    let base = profile(["a@App;c@App": 10, "b@App": 10])
    let now = profile(["a@App": 10, "b@App;c@App": 10])
    let boxes = try picture(now, against: base).boxes
    #expect(boxes.map { "\($0.name) \($0.look)" } == ["photos d0", "a d0", "b d0", "c r4"])
  }

  @Test(arguments: [Profile.small, .hostile, .broken, Profile()])
  func anyTwoProfilesCanBeCompared(profile: Profile) throws {
    for other in [Profile.small, .hostile, .broken, Profile()] {
      #expect(try picture(profile, against: other).boxes.count >= 1)
    }
  }
}
