// Nothing but Swift's own tasks: no Foundation, no operation.

@inline(never) private func double(_ number: Int) async -> Int {
  await Task.yield()
  return number * 2
}

@main enum PlainTaskProgram {
  static func main() async {
    let count = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 4
    let isShort = count > 1000
    let sum = await withTaskGroup(of: Int.self) { group in
      for number in 0..<count { group.addTask { isShort ? number * 2 : await double(number) } }
      var sum = 0
      for await value in group { sum += value }
      return sum
    }
    print(sum)
  }
}
