// The whole run in one strip: how much was executing at each time, and which part the timeline shows.

export class Minimap {
  // `lanes` tell when something was executing.
  constructor(canvas, lanes, viewport, colours, show) {
    this.canvas = canvas;
    this.viewport = viewport;
    this.colours = colours;
    this.context = canvas.getContext('2d');
    this.renew(lanes);
    this.#listen(show);
  }

  // Takes lanes that show more.
  renew(lanes) {
    this.lanes = lanes.filter((lane) => lane.kind === 'execution' || lane.kind === 'task');
    this.picture = null;
  }

  resize(width, height, ratio) {
    Object.assign(this, {width, height, ratio});
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    this.picture = null;
  }

  #x(time) { return ((time - this.viewport.first) / (this.viewport.last - this.viewport.first)) * this.width; }
  #time(x) { return this.viewport.first + (x / this.width) * (this.viewport.last - this.viewport.first); }

  // Computes how many operations were executing in each column, on average. This is computed once, and kept.
  #load() {
    const columns = Math.max(1, Math.floor(this.width));
    const load = new Float64Array(columns);
    const {first, last} = this.viewport;
    const cell = (last - first) / columns;
    for (const lane of this.lanes) {
      let before = lane.coveredUntil(first);
      for (let column = 0; column < columns; column++) {
        const until = lane.coveredUntil(first + (column + 1) * cell);
        load[column] += (until - before) / cell;
        before = until;
      }
    }
    return load;
  }

  paint() {
    const {context, colours, width, height} = this;
    this.picture ??= this.#load();
    const most = this.picture.reduce((one, other) => Math.max(one, other), 0) || 1;
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    context.fillStyle = colours.band;
    context.fillRect(0, 0, width, height);
    context.fillStyle = colours.accent;
    context.globalAlpha = 0.75;
    this.picture.forEach((load, column) => {
      const tall = (load / most) * (height - 6);
      if (load > 0) context.fillRect(column, height - 1 - Math.max(tall, 1), 1, Math.max(tall, 1));
    });
    const [from, to] = [this.#x(this.viewport.from), this.#x(this.viewport.to)];
    context.globalAlpha = 0.6;
    context.fillStyle = colours.page;
    context.fillRect(0, 0, from, height);
    context.fillRect(to, 0, width - to, height);
    context.globalAlpha = 1;
    context.strokeStyle = colours.accent;
    context.lineWidth = 1.5;
    context.strokeRect(Math.max(1, from), 1, Math.max(3, Math.min(to, width - 1) - Math.max(1, from)), height - 2);
  }

  // A drag inside the shown part moves it. Elsewhere, a drag moves the part there first.
  #listen(show) {
    let grip = null;
    const move = (event) => {
      const box = this.canvas.getBoundingClientRect();
      const time = this.#time(event.clientX - box.left);
      const {from, to, span} = this.viewport;
      if (grip === null) grip = time >= from && time <= to ? time - from : span / 2;
      show(time - grip, time - grip + span);
    };
    this.canvas.addEventListener('pointerdown', (event) => {
      this.canvas.setPointerCapture(event.pointerId);
      grip = null;
      move(event);
    });
    this.canvas.addEventListener('pointermove', (event) => { if (this.canvas.hasPointerCapture(event.pointerId)) move(event); });
  }
}
