// What scripts/make-readme-images records for dispatch-import.svg: operations whose work goes on in dispatch queues.
import Dispatch
import Foundation

let decoding = DispatchQueue(label: "decoding", attributes: .concurrent)
let store = DispatchQueue(label: "store")
let over = DispatchGroup()

func readPhoto() {
  usleep(4000)
  for part in 1...2 { decoding.async(group: over) { decode(part) } }
}

func decode(_ part: Int) {
  usleep(3000 * UInt32(part))
  store.async(group: over) { save() }
}

func save() { usleep(2500) }

let photos = OperationQueue()
photos.name = "photos"
photos.maxConcurrentOperationCount = 1
for number in 1...3 {
  let read = BlockOperation { readPhoto() }
  read.name = "read photo \(number)"
  photos.addOperation(read)
}
photos.waitUntilAllOperationsAreFinished()
over.wait()
