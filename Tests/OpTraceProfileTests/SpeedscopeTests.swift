import Foundation
import OpTraceAnalysis
import Testing

@testable import OpTraceProfile

@Suite struct SpeedscopeTests {
  private func written(_ profile: Profile) -> [UInt8] { exported { SpeedscopeExporter.write(profile, to: $0) } }

  @Test func eachThreadHasAProfile() {
    #expect(
      text(written(.small)) == """
        {"$schema":"https://www.speedscope.app/file-format-schema.json","exporter":"optrace","name":"photos",\
        "activeProfileIndex":0,"shared":{"frames":[
        {"name":"start"},
        {"name":"main","file":"/src/main.swift","line":1},
        {"name":"load","file":"/src/load.swift","line":1},
        {"name":"parse","file":"/src/parse.swift","line":1},
        {"name":"write"},
        {"name":"refresh","file":"/src/refresh.swift","line":1},
        {"name":"run"},
        {"name":"fetch","file":"/src/fetch.swift","line":1},
        {"name":"free"},
        {"name":"[kernel]"},
        {"name":"[callers not known]"},
        {"name":"[unknown]"}
        ]},"profiles":[
        {"type":"sampled","unit":"nanoseconds","startValue":0,"endValue":40000000,"name":"main (4711)",\
        "samples":[[0,1,2,3],[10,8]],"weights":[30000000,10000000]},
        {"type":"sampled","unit":"nanoseconds","startValue":0,"endValue":30000000,"name":"worker (4712)",\
        "samples":[[0,1,4,9],[5,6,7]],"weights":[10000000,20000000]}
        ]}

        """)
  }

  @Test(arguments: [Profile.small, .hostile, .broken, Profile()])
  func indexesAndWeightsAreValid(profile: Profile) throws {
    let file = try JSONDecoder().decode(File.self, from: Data(written(profile)))
    for one in file.profiles {
      #expect(one.samples.count == one.weights.count)
      #expect(one.samples.joined().allSatisfy { file.shared.frames.indices.contains($0) })
      #expect(one.weights.allSatisfy { $0 >= 0 })
    }
    #expect(file.shared.frames.allSatisfy { !$0.name.isEmpty })
  }

  private struct File: Decodable {
    struct Frame: Decodable { var name: String }
    struct Shared: Decodable { var frames: [Frame] }
    struct One: Decodable {
      var samples: [[Int]]
      var weights: [Int64]
    }
    var shared: Shared
    var profiles: [One]
  }
}
