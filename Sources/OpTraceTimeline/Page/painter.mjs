// Draws the timeline on a canvas: the rows that the viewport shows. Everything is drawn each time; the cost depends on
// what is on the screen, not on what is in the trace.
import {durationText} from '../../OpTracePage/Page/format.mjs';
import {firstMark, sampleTime} from './marks.mjs';
import {tickText} from '../../OpTracePage/Page/viewport.mjs';
import {TextWidths, shortened} from '../../COpTraceScripts/Scripts/names.mjs';

export const RULER = 22;
const MOST_ARROWS = 400;
const NARROWEST_LABEL = 34;
// The least distance in pixels between samples of a thread that computes. If they were closer, they would look like a
// line.
const NARROWEST_MARKS = 3;
// The number of heights for cells that are partly covered, and the least height in pixels.
const LEVELS = 12;
const LOWEST = 3;

export class Painter {
  constructor(canvas, model, colours, rows) {
    this.canvas = canvas;
    this.context = canvas.getContext('2d', {alpha: false});
    this.widths = new TextWidths(this.context);
    this.model = model;
    this.colours = colours;
    this.colourBy = 'state';
    this.gutter = 190;
    this.renew(rows);
    // Left edges and widths to be filled, by colour and height. The arrays are reused for all lanes.
    this.batches = [];
  }

  // Collects the names to the left of what is drawn.
  renew(rows) { this.rowTitles = [...new Set(rows.filter((row) => row.kind === 'lane' && row.lane.kind !== 'slot').map((row) => row.title))]; }

  resize(width, height, ratio) {
    this.width = width;
    this.height = height;
    this.ratio = ratio;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    this.gutter = this.#gutterFor(width);
  }

  // Returns the width of the gutter: that of the longest row name, if that leaves enough room for the rest. Names of
  // threads differ at their ends.
  #gutterFor(width) {
    const wanted = this.rowTitles.reduce((most, title) => Math.max(most, this.#width(title.slice(0, 80), '11px')), 0) + 20;
    const [least, most] = width < 620 ? [96, width * 0.4] : [190, Math.max(190, width * 0.28)];
    return Math.round(Math.max(least, Math.min(wanted, most)));
  }

  // `scene`: {rows, viewport, scroll, selected, hovered, range, arrows}.
  paint(scene) {
    const {context, colours, width, height} = this;
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    context.fillStyle = colours.page;
    context.fillRect(0, 0, width, height);
    context.save();
    context.beginPath();
    context.rect(0, RULER, width, height - RULER);
    context.clip();
    const shown = scene.rows.filter((row) => row.top + row.height > scene.scroll && row.top < scene.scroll + height - RULER);
    this.#paintGrid(scene.viewport);
    this.labels = [];
    for (const row of shown) this.#paintRow(row, RULER + row.top - scene.scroll, scene);
    if (scene.range) this.#paintRange(scene);
    this.#paintArrows(scene);
    // Labels are drawn after all lines, so that a name is on top of a line that crosses it.
    for (const label of this.labels) this.#paintLabel(label, label.isOnPage || scene.arrows.length > 0);
    this.#paintSelected(scene, shown);
    context.restore();
    this.#paintRuler(scene.viewport);
  }

  #paintRow(row, y, scene) {
    const {context, colours, gutter, width} = this;
    if (row.kind === 'heading') {
      context.fillStyle = colours.band;
      context.fillRect(0, y, width, row.height);
      // The name has priority: flags that it would overlap get no name.
      const room = row.instants.length > 0 ? Math.max(gutter - 12, width / 2) : width - 16;
      this.#paintInstants(row, y, scene.viewport, 8 + Math.min(room, this.#width(row.title, '600 12px')) + 8);
      this.#text(row.title, 8, y + row.height / 2, room, colours.text, '600 12px');
      return;
    }
    context.fillStyle = colours.line;
    context.fillRect(gutter - 1, y, 1, row.height);
    if (row.kind === 'counters') this.#paintCounterTitles(row, y);
    else this.#text(row.title, 10, y + Math.min(row.height, 20) / 2, gutter - 16, colours.muted, '11px', 'left', true);
    if (row.kind === 'note') {
      const {left, width: room} = scene.viewport;
      this.labels.push({text: row.text, x: left + 4, y: y + row.height / 2, room: room - 8, colour: colours.muted, under: colours.page, isOnPage: true});
      return;
    }
    context.save();
    context.beginPath();
    context.rect(gutter, y, width - gutter, row.height);
    context.clip();
    if (row.kind === 'counters') this.#paintCounters(row, y, scene.viewport); else this.#paintLane(row, y, scene);
    if (row.hasMarks && this.showsMarks(scene.viewport)) this.#paintMarks(row, y, scene.viewport);
    context.restore();
  }

  // Draws a lane. A cell is two pixels wide. Slices that are closer together than that are drawn as high as their share
  // of the cell, so that a lane seen from afar shows how much of it is used.
  #paintLane({lane, height}, y, {viewport}) {
    const {context, colours, batches} = this;
    const labels = [];
    const right = viewport.left + viewport.width + 4;
    lane.visit(viewport.from, viewport.to, viewport.perPixel * 2, (from, to, at, count, coverage) => {
      const x = Math.max(viewport.x(from), viewport.left - 4);
      const wide = Math.max(Math.min(viewport.x(to), right) - x, 1);
      const level = Math.max(1, Math.ceil(coverage * LEVELS));
      const batch = this.#batch(this.#fill(lane, at, count) * LEVELS + level - 1);
      const last = batch.length - 1;
      // Cells that touch and look the same are merged.
      if (count > 1 && last > 0 && batch[last - 1] + batch[last] >= x - 0.01) batch[last] = x + wide - batch[last - 1];
      else batch.push(x, count === 1 && wide > 3 ? wide - 0.75 : wide);
      if (count === 1 && wide > NARROWEST_LABEL && height >= 15) labels.push({x, wide, at});
    });
    // Cells of one colour are filled together, because changing the colour costs more than filling.
    batches.forEach((batch, key) => {
      if (batch.length === 0) return;
      const tall = Math.max(LOWEST, ((height - 2) * ((key % LEVELS) + 1)) / LEVELS);
      context.fillStyle = colours.fills[Math.floor(key / LEVELS)];
      for (let index = 0; index < batch.length; index += 2) context.fillRect(batch[index], y + height - 1 - tall, batch[index + 1], tall);
      batch.length = 0;
    });
    for (const {x, wide, at} of labels) {
      const left = Math.max(x, viewport.left);
      this.labels.push({
        text: this.#label(lane, at), x: left + 4, y: y + height / 2, room: x + wide - left - 8, colour: colours.onFill,
        under: colours.fills[this.#fill(lane, at)],
      });
    }
  }

  // Whether samples are far enough apart.
  showsMarks(viewport) { return this.model.samplePeriod >= viewport.perPixel * NARROWEST_MARKS; }

  // Draws a small line at the lower edge for each sample.
  #paintMarks({lane, height}, y, viewport) {
    const {context, colours, model} = this;
    const {starts, rows} = model.marksOf;
    context.fillStyle = colours.text;
    for (let at = firstMark(model, lane.track, viewport.from); at < starts[lane.track + 1]; at++) {
      const time = sampleTime(model, rows[at]);
      if (time > viewport.to) break;
      context.fillRect(viewport.x(time) - 0.75, y + height - 5, 1.5, 5);
    }
  }

  // Draws a label on the colour of what it names, so that no line runs through its letters.
  #paintLabel({text, x, y, room, colour, under}, isCrossed) {
    const {context} = this;
    if (isCrossed && room >= 8) {
      context.font = `11px ${this.colours.font}`;
      context.fillStyle = under;
      context.fillRect(x - 2, y - 6, Math.min(this.#width(text, '11px'), room) + 4, 12);
    }
    this.#text(text, x, y, room, colour, '11px');
  }

  #batch(key) { return this.batches[Math.max(0, key)] ??= []; }

  #fill(lane, at, count = 1) {
    const {colours, model} = this;
    switch (lane.kind) {
      // If a cell contains several pieces, it has the colour of running tasks; the height shows how much they ran.
      case 'task': return count === 1 && !lane.runs[at] ? colours.fillOfPiece(model.pieceKind(lane.piece[at])) : colours.fillOf(model, lane.row[at], this.colourBy);
      case 'slot': case 'dependencies': return colours.fillOfWait(model, lane.row[at], lane.kind);
      case 'detail': return colours.fillOfDetail(model.detailKind(lane.detail[at]));
      default: return colours.fillOf(model, lane.row[at], this.colourBy);
    }
  }

  #label(lane, at) {
    if (lane.piece && !lane.runs[at]) return this.model.pieceText(lane.piece[at]);
    return lane.detail ? this.model.detailName(lane.detail[at]) : this.model.name(lane.row[at]);
  }

  // Draws the program's marks and the changes of a queue: a flag for each, with its name if there is room.
  #paintInstants({instants, height}, y, viewport, titleEnd) {
    const {context, colours} = this;
    let free = this.gutter;
    let written = Math.max(this.gutter, titleEnd);
    for (const [index, {time, name}] of instants.entries()) {
      const x = viewport.x(time);
      if (x < free || x > this.width) continue;
      free = x + 3;
      context.fillStyle = colours.accent;
      // Above a name, the flag keeps to the edge.
      context.fillRect(x, x < titleEnd ? y : y + 3, 5, x < titleEnd ? 3 : 4);
      if (x < titleEnd) continue;
      context.fillRect(x, y + 3, 1.5, height - 3);
      const next = instants[index + 1];
      const room = Math.min(next ? viewport.x(next.time) - x - 12 : Infinity, this.width - x - 10);
      // At the right edge, the name is to the left of its flag.
      if (!next && room < 60) this.#text(name, x - 6, y + height / 2, x - written - 12, colours.text, '11px', 'right');
      else this.#text(name, x + 8, y + height / 2, room, colours.text, '11px');
      written = x + 8 + Math.min(room, this.#width(name, '11px'));
    }
  }

  // Draws executing work as an area, with the limit as a line. Ready work, of which there may be a thousand times as
  // much, is a line with a scale of its own.
  #paintCounters({counter, height}, y, viewport) {
    const {context, colours} = this;
    const {executing, ready, limit} = counter;
    const base = y + height - 3;
    const level = (value, most) => base - ((height - 8) * Math.max(0, value)) / Math.max(1, most);
    const most = Math.max(executing?.highest ?? 0, limit?.highest ?? 0);
    const each = (steps, draw) => steps?.visit(viewport.from, viewport.to, viewport.perPixel, (from, to, value) => {
      const x = viewport.x(from);
      draw(x, Math.max(viewport.x(to) - x, 1), value);
    });
    context.fillStyle = colours.fills[colours.executingFill];
    each(executing, (x, wide, value) => context.fillRect(x, level(value, most), wide, base - level(value, most)));
    context.fillStyle = colours.waitsForSlot;
    let before = base;
    each(ready, (x, wide, value) => {
      const top = level(value, ready.highest);
      context.fillRect(x, top - 1, wide, 1.5);
      context.fillRect(x, Math.min(top, before) - 1, 1, Math.abs(top - before) + 1);
      before = top;
    });
    context.fillStyle = colours.text;
    each(limit, (x, wide, value) => { if (value >= 0) context.fillRect(x, level(value, most), wide, 1); });
    context.fillStyle = colours.line;
    context.fillRect(viewport.left, base, viewport.width, 1);
  }

  #paintCounterTitles({counter}, y) {
    const {context, colours} = this;
    const line = (row, colour, text) => {
      context.fillStyle = colour;
      context.fillRect(10, y + 5 + row * 14, 8, 8);
      this.#text(text, 22, y + 9 + row * 14, this.gutter - 26, colours.muted, '11px');
    };
    const most = (steps) => (this.gutter < 150 ? `≤ ${steps?.highest ?? 0}` : `, most ${steps?.highest ?? 0}`);
    line(0, colours.fills[colours.executingFill], `${this.gutter < 150 ? 'runs ' : 'executing'}${most(counter.executing)}`);
    line(1, colours.waitsForSlot, `${this.gutter < 150 ? 'ready ' : 'ready'}${most(counter.ready)}`);
    if (counter.limit) line(2, colours.text, 'limit');
  }

  #paintGrid(viewport) {
    const {context, colours, height} = this;
    context.fillStyle = colours.line;
    context.globalAlpha = 0.5;
    for (const time of viewport.ticks().ticks) context.fillRect(Math.round(viewport.x(time)), RULER, 1, height);
    context.globalAlpha = 1;
  }

  #paintRuler(viewport) {
    const {context, colours, width} = this;
    context.fillStyle = colours.band;
    context.fillRect(0, 0, width, RULER);
    const {step, ticks} = viewport.ticks();
    const largest = Math.max(Math.abs(viewport.from), Math.abs(viewport.to));
    for (const time of ticks) {
      const x = viewport.x(time);
      if (x < this.gutter) continue;
      context.fillStyle = colours.line;
      context.fillRect(Math.round(x), RULER - 5, 1, 5);
      this.#text(tickText(time, step, largest), x + 4, RULER / 2, 100, colours.muted, '11px');
    }
    context.fillStyle = colours.band;
    context.fillRect(0, 0, this.gutter, RULER);
    this.#text(`${durationText(viewport.span)} shown`, 10, RULER / 2, this.gutter - 14, colours.muted, '11px');
    context.fillStyle = colours.line;
    context.fillRect(0, RULER - 1, width, 1);
  }

  #paintRange({viewport, range}) {
    const {context, colours, height} = this;
    const [from, to] = [Math.min(...range), Math.max(...range)].map((time) => viewport.x(time));
    context.globalAlpha = 0.18;
    context.fillStyle = colours.accent;
    context.fillRect(from, RULER, to - from, height);
    context.globalAlpha = 1;
    const [begin, end] = [viewport.time(from), viewport.time(to)];
    this.#text(durationText(end - begin), from + 4, RULER + 10, 200, colours.text, '600 12px');
  }

  // Draws frames around the slices of the selected operation, and a thin frame around the slice under the pointer.
  #paintSelected(scene, shown) {
    const frame = (row, at, thick, colour, last = at) => {
      const {context} = this;
      const y = RULER + row.top - scene.scroll;
      const x = scene.viewport.x(row.lane.begin[at]);
      const wide = Math.max(scene.viewport.x(row.lane.end[last]) - x, 3);
      context.save();
      context.beginPath();
      context.rect(this.gutter, RULER, this.width - this.gutter, this.height);
      context.clip();
      context.strokeStyle = colour;
      context.lineWidth = thick;
      context.strokeRect(x - 0.5, y + 0.5, wide, row.height - 1);
      context.restore();
    };
    for (const {row, at, last} of scene.selected) if (shown.includes(row)) frame(row, at, 2.5, this.colours.text, last);
    if (scene.hovered && shown.includes(scene.hovered.row)) frame(scene.hovered.row, scene.hovered.at, 1.25, this.colours.text);
  }

  // Draws arrows from what the selected operation depended on, and to what depended on it.
  #paintArrows({arrows, viewport, scroll}) {
    const {context, colours} = this;
    context.save();
    context.beginPath();
    context.rect(this.gutter, RULER, this.width - this.gutter, this.height);
    context.clip();
    context.lineWidth = 1.5;
    for (const {from, to, fromTop, toTop, isCritical, isStuck} of arrows.slice(0, MOST_ARROWS)) {
      const [x1, x2] = [viewport.x(from), viewport.x(to)];
      if (Math.max(x1, x2) < this.gutter - 50 || Math.min(x1, x2) > this.width + 50) continue;
      const [y1, y2] = [fromTop, toTop].map((top) => RULER + top - scroll);
      const bend = Math.min(60, Math.max(14, Math.abs(x2 - x1) / 2));
      context.strokeStyle = isStuck ? colours.stuck : isCritical ? colours.critical : colours.text;
      context.fillStyle = context.strokeStyle;
      context.globalAlpha = 0.8;
      context.beginPath();
      context.moveTo(x1, y1);
      context.bezierCurveTo(x1 + bend, y1, x2 - bend, y2, x2 - 5, y2);
      context.stroke();
      context.beginPath();
      context.moveTo(x2, y2);
      context.lineTo(x2 - 7, y2 - 4);
      context.lineTo(x2 - 7, y2 + 4);
      context.fill();
    }
    context.restore();
  }

  // Draws one line of text, cut to fit: at its end, or before the part that makes it unique (`keepsEnd`).
  #text(text, x, y, room, colour, font, align = 'left', keepsEnd = false) {
    const {context} = this;
    if (room < 8 || !text) return;
    context.font = `${font} ${this.colours.font}`;
    context.fillStyle = colour;
    context.textBaseline = 'middle';
    context.textAlign = align;
    const end = keepsEnd ? text.lastIndexOf(' · ') : -1;
    if (end > 0 && this.#fitting(text, room, font) !== text) {
      const tail = text.slice(end);
      const head = this.#fitting(text.slice(0, end), room - this.#width(tail, font), font);
      if (head !== '') return context.fillText(head + tail, x, y + 0.5);
    }
    context.fillText(this.#fitting(text, room, font), x, y + 0.5);
  }

  #width(text, font) { return this.widths.of(text, `${font} ${this.colours.font}`); }

  #fitting(text, room, font) { return shortened(text, room, (part) => this.#width(part, font)); }
}
