internal import Foundation
internal import OpTrace

extension Scenario {
  static let removedDependencyStuck = broken(
    "removed-dependency-stuck", "A picture no longer needs its original, but is never shown (Foundation on Linux)."
  ) { run in
    let queue = OperationQueue.named("pictures", limit: 2)
    let preview = BlockOperation.named("Load preview") { run.pause(0.05) }
    let original = BlockOperation.named("Load original") { run.pause(0.3) }
    let show = BlockOperation.named("Show picture") { run.say("The picture is shown.") }
    show.addDependency(preview)
    show.addDependency(original)
    queue.addOperations([preview, original, show], waitUntilFinished: false)
    preview.waitUntilFinished()
    run.say("The preview will do.")
    // Foundation on Linux does not check again whether it is ready. What it waits for can be cancelled instead.
    if run.isFixed { original.cancel() } else { show.removeDependency(original) }
    queue.waitUntilAllOperationsAreFinished()
  }
}
