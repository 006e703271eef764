import Foundation

/// Shapes that were written when the model was done, each of another kind than those before.
let newShapes: [Shape] = []
