// What fits where in the graph: views of it, and the boxes that lead from one to another.

export const GRAPH_MARGIN = 16;

/** Returns the view zoomed by `factor`, and moved so that the point of the picture at (x, y) in the window stays there. `view`: {x, y, scale}. */
export function zoomedView(view, factor, x, y, limits) {
  const scale = Math.min(limits.most, Math.max(limits.least, view.scale * factor));
  return {x: view.x + x / view.scale - x / scale, y: view.y + y / view.scale - y / scale, scale};
}

/** Returns the view that shows a whole box in the middle, at no more than `most` times its size. */
export function fittedView(box, width, height, most) {
  const scale = Math.max(1e-3, Math.min(most, (width - 2 * GRAPH_MARGIN) / Math.max(1, box.width), (height - 2 * GRAPH_MARGIN) / Math.max(1, box.height)));
  return {x: box.x + box.width / 2 - width / scale / 2, y: box.y + box.height / 2 - height / scale / 2, scale};
}

/** Returns the box around boxes that are given by their centres. */
export function boxAround(boxes) {
  const edge = (key, size, sign) => boxes.map(box => sign * (box[key] + sign * box[size] / 2)).reduce((most, value) => Math.max(most, value)) * sign;
  const [x, y] = [edge('x', 'width', -1), edge('y', 'height', -1)];
  return {x, y, width: edge('x', 'width', 1) - x, height: edge('y', 'height', 1) - y};
}

/** Returns the view of a part of a picture at this `scale`, with as much of the rest as there is room for. */
export function partView(part, content, width, height, scale) {
  const startOf = (key, size, room) => {
    const margin = GRAPH_MARGIN / scale;
    // Start at the edge of the picture if it is near, because the names of its parts are there.
    if (part[key] + part[size] + 2 * margin <= content[key] + room) return content[key] - margin;
    // A part that is larger than the window is shown from its own start.
    const start = part[size] + 2 * margin > room ? part[key] - margin : part[key] + part[size] / 2 - room / 2;
    const [first, last] = [content[key] - margin, content[key] + content[size] + margin - room];
    return last < first ? content[key] + content[size] / 2 - room / 2 : Math.min(Math.max(start, first), last);
  };
  return {x: startOf('x', 'width', width / scale), y: startOf('y', 'height', height / scale), scale};
}

/** Returns all ids that `links` lead to from `start`, including `start`, and the links on the way. `links`: id -> [[id, link]]. */
export function reachable(start, links) {
  const ids = new Set([start]), passed = [], stack = [start];
  while (stack.length > 0) {
    for (const [id, link] of links.get(stack.pop()) ?? []) {
      passed.push(link);
      if (ids.has(id)) continue;
      ids.add(id);
      stack.push(id);
    }
  }
  return {ids, passed};
}

/** Returns the box that an arrow key leads to: the nearest in that direction; among equally near ones, one with an edge. Null if there is none. */
export function boxTowards(key, from, boxes, linked) {
  const [dx, dy] = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]}[key];
  let best = null, least = Infinity;
  for (const box of boxes) {
    const [x, y] = [box.x - from.x, box.y - from.y];
    const along = x * dx + y * dy, across = Math.abs(x * dy) + Math.abs(y * dx);
    if (along < 1 || across > 3 * along) continue;
    const cost = (along + 2 * across) * (linked.has(box.id) ? 0.5 : 1);
    if (cost < least) [best, least] = [box, cost];
  }
  return best;
}
