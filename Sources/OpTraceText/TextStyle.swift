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
  /// Makes a part look like its role; the text's own width must stay.
  public var paint: @Sendable (Role, String) -> String

  /// - Parameters:
  ///   - width: columns that a line may take.
  ///   - paint: what makes a part look like its role; without it all is plain.
  public init(width: Int = 100, paint: @escaping @Sendable (Role, String) -> String = { $1 }) {
    self.width = max(40, width)
    self.paint = paint
  }

  /// No colours.
  public static let plain = TextStyle()
}
