import Foundation
import OpTrace

let network = TracedOperationQueue(name: "network", maxConcurrentOperationCount: 4)
let manifest = TracedBlockOperation(name: "FetchManifest") { Thread.sleep(forTimeInterval: 0.4) }
let photo = TracedBlockOperation(name: "Download 1") { Thread.sleep(forTimeInterval: 0.8) }
photo.addDependency(manifest)
network.addOperations([manifest, photo], waitUntilFinished: true)
