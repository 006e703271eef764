/// How a text for people is laid out: how wide it may be, and what its parts look like.
public struct TextStyle: Sendable {
  /// How a part of a text is meant, for those who colour it.
  public enum Role: Sendable {
    /// Something is wrong.
    case error
    /// Something may be wrong.
    case warning
    /// Something to know.
    case note
    /// All is well.
    case good
    /// A heading, or what matters in a line.
    case strong
    /// What can be read over.
    case faint
  }

  /// Columns that a line may take; 40 at least. Tables take what they need.
  public var width: Int
  /// Whether long texts at the end of a line are cut to fit a terminal; nobody else has a reason to.
  public var cutsTexts: Bool
  /// Makes a part look like its role; the text's own width must stay.
  public var paint: @Sendable (Role, String) -> String

  /// - Parameters:
  ///   - width: columns that a line may take.
  ///   - cutsTexts: whether long texts are cut, for a terminal.
  ///   - paint: what makes a part look like its role; without it all is plain.
  public init(
    width: Int = 100, cutsTexts: Bool = false, paint: @escaping @Sendable (Role, String) -> String = { $1 }
  ) {
    self.width = max(40, width)
    self.cutsTexts = cutsTexts
    self.paint = paint
  }

  /// No colours.
  public static let plain = TextStyle()
}
