// The timeline: one canvas, host threads, streams and memory over time.
// SPDX-License-Identifier: Apache-2.0
//
// data.timeline: {end, names, kinds, tracks: [{group, name, t, d, n, k, s, b, c}], memory: [{name, power, t, v}]}; t are
// differences of start times, d durations (ns), n and k places in names and kinds, s sites, b bytes, c correlations.
// A track's gaps are [start, end, count, reason]: what is hatched, because no event shows it.

const LANE = 17, GAP = 5, HEAD = 22, LABEL = 168, MEMORY = 54;

// Events that lie within others go a lane lower; a lane's events follow one another.
function makeTrack(raw, index) {
  const n = raw.t.length, start = new Float64Array(n), end = new Float64Array(n), lane = new Uint8Array(n);
  const lanes = [];
  for (let i = 0, t = 0; i < n; ++i) {
    t += raw.t[i];
    start[i] = t;
    end[i] = t + raw.d[i];
    let l = 0;
    while (l < lanes.length && l < 15 && end[lanes[l][lanes[l].length - 1]] > t) ++l;
    (lanes[l] = lanes[l] || []).push(i);
    lane[i] = l;
  }
  const inside = raw.gaps.some(gap => gap[3] === INSIDE);
  return {raw, index, start, end, lane, lanes, rows: Math.max(lanes.length, inside ? 2 : 1)};
}

// By HtmlGap::Reason.
const INSIDE = 1, NOT_TIMED = 2;
const gapKinds = ['calls left out', 'calls left out', 'device work that was not timed', 'events left out'];
function gapText([start, end, count, reason]) {
  const n = many => plural(count, many.replace(/s$/, ''), many);
  return [n('calls') + ' left out here to stay within the budget', n('calls') + ' inside this one left out to stay within the budget',
    n('operations') + ' on the device not timed: within what is hatched', n('events') + ' too short for this page'][reason];
}

// The first place in `list` (of events) whose `times` value is above t.
function firstAfter(list, times, t) {
  let low = 0, high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[list[middle]] > t) high = middle; else low = middle + 1;
  }
  return low;
}

class Timeline {
  constructor(model, canvas, changed) {
    Object.assign(this, {model, canvas, changed, t0: 0, t1: model.end, chosen: null, hover: null});
    this.tracks = model.tracks.map(makeTrack);
    this.memory = model.memory.map(m => {
      let t = 0;
      return {name: m.name, power: m.power, t: Float64Array.from(m.t, d => t += d), v: m.v, most: m.v.reduce((a, b) => Math.max(a, b), 1)};
    });
    this.partners = new Map();
    for (const track of this.tracks)
      track.raw.c.forEach((c, i) => { if (c) this.partners.has(c) ? this.partners.get(c).push([track, i]) : this.partners.set(c, [[track, i]]); });
    let y = HEAD, group = '';
    for (const track of this.tracks) {
      track.head = track.raw.group !== group;
      group = track.raw.group;
      if (track.head) y += HEAD;
      track.y = y;
      y += track.rows * LANE + GAP;
    }
    for (const m of this.memory) { m.y = y + GAP; y += MEMORY + GAP; }
    this.height = Math.min(y + 4, 8000);
  }

  get width() { return this.canvas.clientWidth; }
  x(t) { return LABEL + (t - this.t0) / (this.t1 - this.t0) * (this.width - LABEL); }
  time(x) { return this.t0 + (x - LABEL) / (this.width - LABEL) * (this.t1 - this.t0); }

  // At least 100 ns wide, never beyond the ends.
  show(t0, t1) {
    const span = Math.min(Math.max(t1 - t0, 100), this.model.end);
    const middle = (t0 + t1) / 2;
    this.t0 = Math.max(0, Math.min(middle - span / 2, this.model.end - span));
    this.t1 = this.t0 + span;
    this.draw();
    this.changed();
  }
  zoom(factor, at = (this.t0 + this.t1) / 2) { this.show(at - (at - this.t0) * factor, at + (this.t1 - at) * factor); }
  pan(part) { const d = (this.t1 - this.t0) * part; this.show(Math.max(0, this.t0 + d), Math.max(0, this.t0 + d) + (this.t1 - this.t0)); }
  zoomTo(track, i) { const d = Math.max(track.end[i] - track.start[i], 100); this.show(track.start[i] - 2 * d, track.end[i] + 2 * d); }

  at(x, y) {
    const track = this.tracks.find(t => y >= t.y && y < t.y + t.lanes.length * LANE);
    if (!track || x < LABEL) return null;
    const list = track.lanes[Math.floor((y - track.y) / LANE)] || [];
    const slack = (this.t1 - this.t0) / (this.width - LABEL), t = this.time(x);
    const at = firstAfter(list, track.end, t - slack);
    return at < list.length && track.start[list[at]] <= t + slack ? [track, list[at]] : null;
  }

  gapAt(x, y) {
    const track = this.tracks.find(t => y >= t.y && y < t.y + t.rows * LANE);
    if (!track || x < LABEL) return null;
    const slack = 2 * (this.t1 - this.t0) / (this.width - LABEL), t = this.time(x), row = Math.floor((y - track.y) / LANE);
    return track.raw.gaps.find(gap => (gap[3] === INSIDE ? 1 : 0) === row && gap[0] <= t + slack && gap[1] >= t - slack) || null;
  }

  choose(event) {
    this.chosen = event;
    if (event && (this.tracks.length && (event[0].end[event[1]] < this.t0 || event[0].start[event[1]] > this.t1))) {
      const half = (this.t1 - this.t0) / 2, t = event[0].start[event[1]];
      this.show(t - half, t + half);
    } else {
      this.draw();
      this.changed();
    }
  }

  draw() {
    const scale = devicePixelRatio || 1, c = this.canvas, g = c.getContext('2d'), width = this.width;
    c.style.height = this.height + 'px';
    if (c.width !== Math.round(width * scale) || c.height !== Math.round(this.height * scale)) {
      c.width = Math.round(width * scale);
      c.height = Math.round(this.height * scale);
    }
    const style = getComputedStyle(document.documentElement);
    this.colour = name => style.getPropertyValue('--' + name).trim();
    this.fills = this.model.kinds.map(k => this.colour(kindColour(k)));
    g.setTransform(scale, 0, 0, scale, 0, 0);
    g.clearRect(0, 0, width, this.height);
    g.font = '12px system-ui, sans-serif';
    g.textBaseline = 'middle';
    this.drawAxis(g);
    g.save();
    g.beginPath();
    g.rect(LABEL, HEAD, width - LABEL, this.height);
    g.clip();
    this.hatch = this.makeHatch(g);
    for (const track of this.tracks) {
      this.drawGaps(g, track);
      for (let l = 0; l < track.lanes.length; ++l) this.drawLane(g, track, l);
    }
    for (const m of this.memory) this.drawMemory(g, m);
    this.drawChosen(g);
    g.restore();
    this.drawLabels(g);
  }

  drawAxis(g) {
    const span = this.t1 - this.t0, raw = span / Math.max(2, (this.width - LABEL) / 110), power = 10 ** Math.floor(Math.log10(raw));
    const step = [1, 2, 5, 10].map(f => f * power).find(s => s >= raw);
    g.fillStyle = this.colour('muted');
    g.strokeStyle = this.colour('line');
    g.lineWidth = 1;
    for (let t = Math.ceil(this.t0 / step) * step; t <= this.t1; t += step) {
      const x = Math.round(this.x(t)) + .5;
      g.beginPath();
      g.moveTo(x, HEAD);
      g.lineTo(x, this.height);
      g.stroke();
      g.fillText(this.tick(t, step), x + 4, HEAD / 2);
    }
  }
  tick(t, step) {
    const [unit, size] = this.t1 >= 2e9 ? ['s', 1e9] : this.t1 >= 2e6 ? ['ms', 1e6] : ['us', 1e3];
    return (t / size).toFixed(Math.max(0, Math.min(9, Math.ceil(-Math.log10(step / size) - 1e-9)))) + ' ' + unit;
  }

  // As many steps as there are pixels, whatever the number of events.
  drawLane(g, track, l) {
    const list = track.lanes[l], y = track.y + l * LANE, perPixel = (this.t1 - this.t0) / (this.width - LABEL);
    const text = this.colour('panel'), {start, end, raw} = track;
    for (let at = firstAfter(list, end, this.t0); at < list.length;) {
      const i = list[at];
      if (start[i] > this.t1) break;
      const x = Math.max(LABEL - 2, this.x(start[i])), wide = Math.min(this.width + 2, this.x(end[i])) - x;
      g.fillStyle = this.fills[raw.k[i]];
      g.fillRect(x, y, Math.max(1, wide - (wide > 4 ? .5 : 0)), LANE - 2);
      if (wide > 34) this.label(g, this.model.names[raw.n[i]], Math.max(x, LABEL) + 4, y + LANE / 2 - 1, wide - 8, text);
      at = wide >= 1 ? at + 1 : Math.max(at + 1, firstAfter(list, end, start[i] + perPixel));
    }
  }
  makeHatch(g) {
    const tile = document.createElement('canvas'), t = tile.getContext('2d');
    tile.width = tile.height = 8;
    t.strokeStyle = this.colour('muted');
    t.globalAlpha = .75;
    t.lineWidth = 1.2;
    t.beginPath();
    for (const x of [-8, 0, 8]) { t.moveTo(x, 8); t.lineTo(x + 8, 0); }
    t.stroke();
    return g.createPattern(tile, 'repeat');
  }

  // Under the events: what is timed or recorded covers it.
  drawGaps(g, track) {
    g.fillStyle = this.hatch;
    let drawn = -1, row = -1;
    for (const [start, end, , reason] of track.raw.gaps) {
      if (end < this.t0 || start > this.t1) continue;
      const x = Math.max(LABEL, this.x(start)), right = Math.max(x + 2, Math.min(this.width, this.x(end))), at = reason === INSIDE ? 1 : 0;
      if (at === row && right <= drawn) continue;
      g.fillRect(x, track.y + at * LANE, right - x, LANE - 2);
      drawn = right;
      row = at;
    }
  }

  label(g, text, x, y, wide, colour) {
    const fits = Math.floor(wide / 6.3);
    if (fits < 3) return;
    g.fillStyle = colour;
    g.fillText(text.length > fits ? text.slice(0, fits - 1) + '\u2026' : text, x, y);
  }

  drawMemory(g, m) {
    const bottom = m.y + MEMORY - 2, all = [...m.t.keys()], from = Math.max(0, firstAfter(all, m.t, this.t0) - 1);
    const height = v => bottom - (MEMORY - 8) * v / m.most;
    g.beginPath();
    g.moveTo(LABEL, bottom);
    let value = m.t.length && m.t[from] <= this.t0 ? m.v[from] : m.power && m.t.length ? m.v[0] : 0;
    g.lineTo(LABEL, height(value));
    for (let i = from, pixel = -1, top = 0; i < m.t.length && m.t[i] <= this.t1; ++i) {
      if (m.t[i] < this.t0) continue;
      const x = this.x(m.t[i]);
      if (Math.floor(x) !== pixel) { g.lineTo(x, height(value)); top = 0; pixel = Math.floor(x); }
      value = m.v[i];
      if (value > top) g.lineTo(x, height(top = value)); // the peak of a pixel is not lost
    }
    g.lineTo(Math.min(this.width, this.x(this.model.end)), height(value));
    g.lineTo(Math.min(this.width, this.x(this.model.end)), bottom);
    g.closePath();
    g.globalAlpha = .45;
    g.fillStyle = this.colour(m.power ? 'sync' : 'alloc');
    g.fill();
    g.globalAlpha = 1;
    g.strokeStyle = this.colour(m.power ? 'sync' : 'alloc');
    g.stroke();
  }

  drawChosen(g) {
    if (!this.chosen) return;
    const [track, i] = this.chosen, box = (t, k) => [this.x(t.start[k]), t.y + t.lane[k] * LANE, Math.max(2, this.x(t.end[k]) - this.x(t.start[k])), LANE - 2];
    const own = box(track, i);
    g.strokeStyle = this.colour('text');
    g.lineWidth = 2;
    g.strokeRect(own[0] - 1, own[1] - 1, own[2] + 2, own[3] + 2);
    for (const [other, k] of this.partners.get(track.raw.c[i]) || []) {
      if (other === track && k === i) continue;
      const there = box(other, k);
      g.strokeRect(there[0] - 1, there[1] - 1, there[2] + 2, there[3] + 2);
      g.lineWidth = 1;
      g.beginPath();
      const [a, b] = own[1] < there[1] ? [own, there] : [there, own];
      g.moveTo(a[0] + 1, a[1] + a[3]);
      g.bezierCurveTo(a[0] + 1, (a[1] + b[1]) / 2, b[0] + 1, (a[1] + b[1]) / 2, b[0] + 1, b[1]);
      g.stroke();
    }
    g.lineWidth = 1;
  }

  drawLabels(g) {
    const fit = text => text.length > 25 ? text.slice(0, 12) + '\u2026' + text.slice(-12) : text;
    for (const track of this.tracks) {
      if (track.head) {
        g.fillStyle = this.colour('text');
        g.font = '600 12px system-ui, sans-serif';
        g.fillText(fit(track.raw.group), 10, track.y - HEAD / 2);
        g.font = '12px system-ui, sans-serif';
      }
      g.fillStyle = this.colour('muted');
      g.fillText(fit(track.raw.name), 18, track.y + LANE / 2);
    }
    for (const m of this.memory) {
      g.fillStyle = this.colour('text');
      g.fillText(fit(m.name), 10, m.y + 14);
      g.fillStyle = this.colour('muted');
      g.fillText('at most ' + (m.power ? Math.round(m.most / 1000) + ' W' : bytesText(m.most)), 18, m.y + 32);
    }
  }
}
