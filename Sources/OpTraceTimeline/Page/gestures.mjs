// Translates pointer, wheel and keys into actions on the timeline. This does not know how anything is drawn: it calls
// the methods of `target`.

const DRAG = 4;

// `target`: {viewport, zoom(factor, x), pan(pixels), scroll(pixels), hover(x, y), click(x, y), open(), range(from, to, isOver), isGutter(x)}
export function listenToPointer(canvas, target) {
  const pointers = new Map();
  let drag = null;
  let pinch = null;
  // A first click may open something beside the canvas, which moves what a second click would hit. So only the first
  // click of a double click counts. The browser counts the clicks of a mouse. Taps are counted here: the second is one
  // that follows soon and near. Positions are relative to the window, because the canvas moves too.
  let clicks = 1;
  let tapped = {x: NaN, y: NaN, time: -Infinity};
  const isSecond = (event) => (event.pointerType === 'mouse' ? clicks > 1
    : event.timeStamp - tapped.time < 500 && Math.hypot(event.clientX - tapped.x, event.clientY - tapped.y) < 2 * DRAG);

  const pointOf = (event) => {
    const box = canvas.getBoundingClientRect();
    return {x: event.clientX - box.left, y: event.clientY - box.top};
  };
  const spread = () => {
    const [one, other] = [...pointers.values()];
    return {distance: Math.hypot(one.x - other.x, one.y - other.y), x: (one.x + other.x) / 2, y: (one.y + other.y) / 2};
  };

  canvas.addEventListener('pointerdown', (event) => {
    if (event.button !== 0) return;
    canvas.setPointerCapture(event.pointerId);
    const at = pointOf(event);
    pointers.set(event.pointerId, at);
    clicks = 1;
    if (pointers.size === 2) {
      pinch = spread();
      drag = null;
    } else if (pointers.size === 1) {
      drag = {...at, last: at, moved: false, isRange: event.shiftKey};
    }
  });
  // This comes after the pointer's own event, and has the number of the click.
  canvas.addEventListener('mousedown', (event) => { clicks = event.detail; });
  canvas.addEventListener('pointermove', (event) => {
    const at = pointOf(event);
    if (pointers.has(event.pointerId)) pointers.set(event.pointerId, at);
    if (pointers.size === 2 && pinch) {
      const now = spread();
      target.zoom(pinch.distance / Math.max(1, now.distance), now.x);
      target.pan(pinch.x - now.x);
      target.scroll(pinch.y - now.y);
      pinch = now;
    } else if (drag && pointers.has(event.pointerId)) {
      if (!drag.moved && Math.hypot(at.x - drag.x, at.y - drag.y) < DRAG) return;
      drag.moved = true;
      if (drag.isRange) {
        target.range(drag.x, at.x, false);
      } else {
        target.pan(drag.last.x - at.x);
        target.scroll(drag.last.y - at.y);
      }
      drag.last = at;
    } else if (pointers.size === 0) {
      target.hover(at.x, at.y, event);
    }
  });
  const end = (event) => {
    const at = pointOf(event);
    if (drag && event.type === 'pointerup') {
      if (drag.moved && drag.isRange) target.range(drag.x, at.x, true);
      if (!drag.moved) {
        const isFirst = !isSecond(event);
        tapped = {x: event.clientX, y: event.clientY, time: isFirst ? event.timeStamp : -Infinity};
        if (isFirst) target.click(at.x, at.y);
      }
    }
    pointers.delete(event.pointerId);
    if (pointers.size < 2) pinch = null;
    // If a finger remains, it continues as a drag.
    const rest = [...pointers.values()][0];
    drag = rest ? {...rest, last: rest, moved: true, isRange: false} : null;
  };
  canvas.addEventListener('pointerup', end);
  canvas.addEventListener('pointercancel', end);
  canvas.addEventListener('pointerleave', () => target.hover(-1, -1));
  canvas.addEventListener('dblclick', () => target.open());
  canvas.addEventListener('wheel', (event) => {
    event.preventDefault();
    const at = pointOf(event);
    // Some browsers count in lines or pages.
    const unit = event.deltaMode === 1 ? 16 : event.deltaMode === 2 ? 400 : 1;
    const [across, down] = [event.deltaX * unit, event.deltaY * unit];
    if (target.isGutter(at.x) && !event.ctrlKey) target.scroll(down);
    else if (event.shiftKey) target.pan(down + across);
    else if (Math.abs(across) > Math.abs(down)) target.pan(across);
    // A pinch on a touchpad arrives as a small wheel movement with the control key.
    else target.zoom(Math.exp(Math.max(-240, Math.min(240, down)) * (event.ctrlKey ? 0.01 : 0.002)), at.x);
  }, {passive: false});
}

// Returns what a key does to the timeline. Null: nothing.
export function actionOfKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return null;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const step = event.shiftKey ? 0.8 : 0.2;
  switch (key) {
    case 'w': case '+': case '=': return {zoom: event.shiftKey && key === 'w' ? 0.4 : 0.7};
    case 's': case '-': case '_': return {zoom: event.shiftKey && key === 's' ? 2.5 : 1 / 0.7};
    case 'a': case 'ArrowLeft': return {pan: -step};
    case 'd': case 'ArrowRight': return {pan: step};
    case 'ArrowUp': return {lane: -1};
    case 'ArrowDown': return {lane: 1};
    case 'PageUp': return {scroll: -0.8};
    case 'PageDown': return {scroll: 0.8};
    case '[': return {neighbour: -1};
    case ']': return {neighbour: 1};
    case 'Enter': return {choose: true};
    case 'f': case '0': case 'Home': return {all: true};
    case 'End': return {follow: true};
    case 'z': return {toSelection: true};
    case 'c': return {colours: true};
    default: return null;
  }
}
