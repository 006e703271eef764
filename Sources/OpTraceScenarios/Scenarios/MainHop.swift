internal import Foundation
internal import OpTrace

extension Scenario {
  static let mainHop = Scenario(
    "main-hop", "Work in the background, then back to the main thread with the result."
  ) { run in
    let background = TracedOperationQueue(name: "background", maxConcurrentOperationCount: 2, recorder: run.recorder)
    let main = TracedOperationQueue(name: "main", maxConcurrentOperationCount: 1, recorder: run.recorder)
    main.underlyingQueue = .main

    let shown = DispatchGroup()
    for picture in ["cover", "map"] {
      shown.enter()
      background.addOperation(named: "Load \(picture)") {
        run.pause(picture == "cover" ? 0.25 : 0.4)
        main.addOperation(named: "Show \(picture)") {
          run.pause(0.1)
          run.say("The \(picture) is shown, on the \(Thread.isMainThread ? "main" : "wrong") thread.")
          shown.leave()
        }
      }
    }
    MainThread.wait(for: shown)
    // The last one reports before it is finished.
    MainThread.wait(forFinished: main)
  }
}
