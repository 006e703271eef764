internal import Foundation
internal import OpTrace

extension Scenario {
  static let startedBeforeDependency = broken(
    "started-before-dependency", "An override of isReady does not ask super, and so ignores the dependencies."
  ) { run in
    let queue = OperationQueue.named("maps", limit: 4)
    let tiles = BlockOperation.named("Load tiles") { run.pause(0.2) }
    let draw = DrawMap("Draw map", run)
    draw.addDependency(tiles)
    queue.addOperations([tiles, draw], waitUntilFinished: false)
    queue.waitUntilAllOperationsAreFinished()
    run.say("The map is drawn.")
  }
}

/// Sendable: the stored property is a constant.
private class DrawMap: Operation, @unchecked Sendable {
  private let run: ScenarioRun

  init(_ name: String, _ run: ScenarioRun) {
    self.run = run
    super.init()
    self.name = name
  }

  private var hasWindow: Bool { true }

  override var isReady: Bool { run.isFixed ? super.isReady && hasWindow : hasWindow }

  override func main() { run.pause(0.05) }
}
