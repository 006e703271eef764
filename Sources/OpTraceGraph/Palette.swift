import Foundation
public import OpTraceModel

/// A colour in the sRGB space, with the arithmetic that tests need to judge its contrast.
package struct Color: Sendable, Hashable {
  package var hex: String

  package init(_ hex: String) { self.hex = hex }

  /// The relative luminance as defined by WCAG 2, from 0 (black) to 1 (white).
  package var luminance: Double {
    guard hex.count == 7, let value = UInt32(hex.dropFirst(), radix: 16) else { return 0 }
    func linear(_ shift: UInt32) -> Double {
      let part = Double(value >> shift & 0xff) / 255
      return part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4)
    }
    return 0.2126 * linear(16) + 0.7152 * linear(8) + 0.0722 * linear(0)
  }

  /// Returns WCAG's contrast ratio, from 1 to 21. Text needs 4.5.
  package func contrast(with other: Color) -> Double {
    let light = max(luminance, other.luminance)
    let dark = min(luminance, other.luminance)
    return (light + 0.05) / (dark + 0.05)
  }
}

/// A colour for light and one for dark surroundings.
package struct ColorPair: Sendable, Hashable {
  package var light: Color
  package var dark: Color

  package init(_ light: String, _ dark: String) {
    self.light = Color(light)
    self.dark = Color(dark)
  }
}

/// The state of an operation in pictures: the state from the trace, and what the analysis adds to it.
public enum ShownState: String, Sendable, CaseIterable {
  /// It has finished.
  case finished
  /// Its own code is running.
  case executing
  /// It waits for a slot.
  case ready
  /// It waits for dependencies, or was never given to a queue.
  case pending
  /// It was asked to cancel before it ran, and is over.
  case cancelled
  /// It finished with an error.
  case failed
  /// It is part of a wait-for cycle.
  case deadlocked
  /// It cannot go on because of a deadlock, or because something that it waits for does not come.
  case stalled

  /// The state from the trace, without what the analysis adds.
  public init(_ state: OperationState) {
    switch state {
    case .finished: self = .finished
    case .executing: self = .executing
    case .ready: self = .ready
    case .pending: self = .pending
    case .cancelled: self = .cancelled
    case .failed: self = .failed
    }
  }

  /// One character for the state, for readers who cannot see colours.
  public var sign: String {
    switch self {
    case .finished: "✓"
    case .executing: "▶"
    case .ready: "▷"
    case .pending: "○"
    case .cancelled: "✕"
    case .failed: "!"
    case .deadlocked: "↻"
    case .stalled: "⊘"
    }
  }

  package var style: StateStyle {
    switch self {
    case .finished:
      StateStyle(
        accent: ColorPair("#0B7A53", "#4ADE9F"), border: ColorPair("#7CC4A8", "#2F7D5F"),
        fill: ColorPair("#FFFFFF", "#131F36"), text: ColorPair("#0F172A", "#F1F5F9"))
    case .executing:
      StateStyle(
        accent: ColorPair("#0369C7", "#60B0FF"), border: ColorPair("#0369C7", "#3B8FE8"),
        fill: ColorPair("#E3F0FF", "#0C2C52"), text: ColorPair("#0B2A4A", "#EAF4FF"))
    case .ready:
      StateStyle(
        accent: ColorPair("#8A5A00", "#F5C26B"), border: ColorPair("#B98A2F", "#A97F2E"),
        fill: ColorPair("#FFFBF0", "#2A2413"), text: ColorPair("#3B2A05", "#FDF3DC"))
    case .pending:
      StateStyle(
        accent: ColorPair("#5B677A", "#A3B1C6"), border: ColorPair("#8592A6", "#6B7A92"),
        fill: ColorPair("#FFFFFF", "#111B2E"), text: ColorPair("#3F4B5E", "#C9D4E3"))
    case .cancelled:
      StateStyle(
        accent: ColorPair("#5B677A", "#93A1B5"), border: ColorPair("#B9C3D0", "#44526A"),
        fill: ColorPair("#EEF1F5", "#1A2335"), text: ColorPair("#5B677A", "#93A1B5"))
    case .failed:
      StateStyle(
        accent: ColorPair("#A3360B", "#FFA36B"), border: ColorPair("#D2691E", "#C8703A"),
        fill: ColorPair("#FFF3E8", "#3A1F10"), text: ColorPair("#5A2408", "#FFE6D5"))
    case .deadlocked:
      StateStyle(
        accent: ColorPair("#B42318", "#FF8A7A"), border: ColorPair("#C8321A", "#F0563F"),
        fill: ColorPair("#FDEBE7", "#451610"), text: ColorPair("#7F1D1D", "#FFE1DB"))
    case .stalled:
      StateStyle(
        accent: ColorPair("#B42318", "#FF8A7A"), border: ColorPair("#D98577", "#A8503F"),
        fill: ColorPair("#FFF9F7", "#23151A"), text: ColorPair("#6B2A22", "#F6CFC8"))
    }
  }
}

/// The colours of a state: `accent`, for its sign and for what it did, goes on `fill`.
package struct StateStyle: Sendable, Hashable {
  package var accent: ColorPair
  var border: ColorPair
  package var fill: ColorPair
  package var text: ColorPair
}

/// The colours that all pictures share.
package enum Palette {
  package static let page = ColorPair("#FFFFFF", "#0B1220")
  package static let text = ColorPair("#0F172A", "#F1F5F9")
  package static let muted = ColorPair("#52607A", "#A9B6CB")
  package static let edge = ColorPair("#94A3B8", "#64748B")
  package static let critical = ColorPair("#7C3AED", "#A78BFA")
  package static let cycle = ColorPair("#C8321A", "#FF6F5E")
  package static let warning = ColorPair("#8A4B00", "#F9B95C")
  package static let good = ColorPair("#0B7A53", "#4ADE9F")
  /// The parts of a time bar.
  package static let track = ColorPair("#E6EBF2", "#263450")
  static let waitsForDependencies = ColorPair("#93A2B8", "#6F80A0")
  static let waitsForSlot = ColorPair("#E5A430", "#F2B84B")

  /// The backgrounds of lanes, used in turn.
  package static let lanes: [LaneStyle] = [
    LaneStyle(
      fill: ColorPair("#EFF6FF", "#0E1C36"), border: ColorPair("#C7DDFB", "#1D3A6B"),
      text: ColorPair("#1E40AF", "#A9CBFF")),
    LaneStyle(
      fill: ColorPair("#EEFBF8", "#0B2422"), border: ColorPair("#B7E4DA", "#17504A"),
      text: ColorPair("#115E59", "#8FE3D6")),
    LaneStyle(
      fill: ColorPair("#FFFAEB", "#261D0B"), border: ColorPair("#F2DFA8", "#55431A"),
      text: ColorPair("#854D0E", "#F5D48A")),
    LaneStyle(
      fill: ColorPair("#FBF3FF", "#21132F"), border: ColorPair("#E6CDF8", "#4A2B66"),
      text: ColorPair("#6B21A8", "#DDB8FF")),
    LaneStyle(
      fill: ColorPair("#FFF3F5", "#2B121B"), border: ColorPair("#F7CBD6", "#5F2739"),
      text: ColorPair("#9F1239", "#FFB3C4")),
    LaneStyle(
      fill: ColorPair("#F4FBEB", "#17230C"), border: ColorPair("#D3E9B4", "#37521B"),
      text: ColorPair("#3F6212", "#C6EB94")),
    LaneStyle(
      fill: ColorPair("#EDFAFF", "#08222E"), border: ColorPair("#B9E3F5", "#134A62"),
      text: ColorPair("#0C5A7D", "#93DBFA")),
    LaneStyle(
      fill: ColorPair("#F5F5F4", "#1C1C1E"), border: ColorPair("#DAD9D6", "#45454A"),
      text: ColorPair("#44403C", "#D6D3D1")),
  ]
}

/// The colours of a lane: its texts go on `fill`.
package struct LaneStyle: Sendable, Hashable {
  package var fill: ColorPair
  var border: ColorPair
  package var text: ColorPair
}
