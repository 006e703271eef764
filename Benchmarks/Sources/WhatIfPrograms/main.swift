import Foundation

// `WhatIfPrograms SHAPE`: runs one shape, with the changes of `WHATIF_CHANGES`. Without a shape it lists them: whether the model knew it, its name,
// and its changes, apart by tabs.
let arguments = CommandLine.arguments
if arguments.count == 2, let shape = (knownShapes + newShapes).first(where: { $0.name == arguments[1] }) {
  shape.run()
} else {
  for (word, shapes) in [("known", knownShapes), ("new", newShapes)] {
    for shape in shapes { print(([word, shape.name] + shape.changes).joined(separator: "\t")) }
  }
  exit(arguments.count == 1 ? 0 : 64)
}
