// The main thread's run loop handles ten timers, each for 20 ms. A timer of libdispatch's ticks beside it.
import Dispatch
import Foundation

let ticks = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "ticks"))
ticks.schedule(deadline: .now(), repeating: .milliseconds(5))
ticks.setEventHandler { @Sendable in }
ticks.resume()

nonisolated(unsafe) var left = 10
let timer = Timer(timeInterval: 0.03, repeats: true) { timer in
  let end = DispatchTime.now().uptimeNanoseconds + 20_000_000
  while DispatchTime.now().uptimeNanoseconds < end {}
  left -= 1
  if left == 0 { timer.invalidate() }
}
RunLoop.main.add(timer, forMode: .default)
while left > 0 { _ = RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 0.1)) }
