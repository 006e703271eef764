// Programs that end well, and the next run of which may hang; and healthy ones that look alike. The argument says which.
import Dispatch
import Foundation

let arguments = CommandLine.arguments.dropFirst()
guard let name = arguments.first, let program = latent[name] ?? healthy[name] else {
  print("usage: OrderPrograms \((Array(latent.keys) + Array(healthy.keys)).sorted().joined(separator: "|"))")
  exit(64)
}
program()
print("ended")
