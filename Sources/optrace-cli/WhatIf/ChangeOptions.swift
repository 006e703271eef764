import ArgumentParser
import OpTracePrediction

/// A change in the form in which it was typed.
struct ChangeText: Equatable {
  var option: ChangeOption
  var value: String
}

/// The options that change a run; each may be repeated.
struct ChangeOptions: ParsableArguments {
  // A value that looks like an option is taken as a value, so that its error says what is wrong with it.
  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp("How many a queue runs at once.", valueName: "queue=n|unlimited"))
  var limit: [String] = []

  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      """
      Operations k times as fast; 'infinitely': they take no time. Of a function that 'record --profile' sampled, its \
      part of them.
      """, valueName: "class|function=k"))
  var faster: [String] = []

  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp("Operations go to another queue.", valueName: "class=queue"))
  var move: [String] = []

  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp("All of a queue's operations go to another one.", valueName: "queue=other"))
  var merge: [String] = []

  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "Remove dependencies: 'Decode>Download' means that Decode no longer waits for Download; '*' means all.",
      valueName: "pair"))
  var without: [String] = []

  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "The queue priority: veryLow, low, normal, high, veryHigh.", valueName: "class=priority"))
  var priority: [String] = []

  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp("How many processors the machine has.", valueName: "n"))
  var processors: [String] = []

  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp("How many threads each pool has; it does not grow then.", valueName: "n"))
  var threads: [String] = []

  var all: [ChangeText] {
    let values: [(ChangeOption, [String])] = [
      (.limit, limit), (.faster, faster), (.move, move), (.merge, merge), (.without, without),
      (.priority, priority), (.processors, processors), (.threads, threads),
    ]
    return values.flatMap { option, values in values.map { ChangeText(option: option, value: $0) } }
  }
}

/// The value of `--scenario`: change options, as a shell would split them.
enum ScenarioText {
  static func changes(of text: String) throws -> [ChangeText] {
    guard let words = split(text) else {
      throw Failure.usage("--scenario '\(printable(text))': a quote is not closed")
    }
    do {
      let options = try ChangeOptions.parse(words)
      guard !options.all.isEmpty else { throw Failure.usage("--scenario '\(printable(text))': it has no change") }
      return options.all
    } catch let failure as Failure {
      throw failure
    } catch {
      throw Failure.usage("--scenario '\(printable(text))': \(printable(ChangeOptions.message(for: error)))")
    }
  }

  /// Splits at blanks; quotes and backslashes keep words together. Nil: a quote is not closed.
  static func split(_ text: String) -> [String]? {
    var words: [String] = []
    var word: String?
    var quote: Character?
    var isEscaped = false
    for character in text {
      if isEscaped {
        word = (word ?? "") + String(character)
        isEscaped = false
      } else if character == "\\", quote != "'" {
        isEscaped = true
      } else if let open = quote {
        if character == open { quote = nil } else { word = (word ?? "") + String(character) }
      } else if character == "'" || character == "\"" {
        quote = character
        word = word ?? ""
      } else if character.isWhitespace {
        if let done = word { words.append(done) }
        word = nil
      } else {
        word = (word ?? "") + String(character)
      }
    }
    guard quote == nil, !isEscaped else { return nil }
    if let word { words.append(word) }
    return words
  }
}
