import Dispatch
import Foundation

// Loads two libraries in turns, each where the other one was, and lets each work in a block of a queue with its name.
var places: Set<UInt> = []
for name in ["first", "second", "first", "second"] {
  guard let library = dlopen("\(CommandLine.arguments[1])/\(name).so", RTLD_NOW), let run = dlsym(library, "plugin_run")
  else {
    fatalError("\(name) is not there")
  }
  places.insert(UInt(bitPattern: run))
  DispatchQueue(label: name).sync { unsafeBitCast(run, to: (@convention(c) (UInt64) -> Void).self)(200_000_000) }
  dlclose(library)
}
print(places.count == 1 ? "one place" : "\(places.count) places")
