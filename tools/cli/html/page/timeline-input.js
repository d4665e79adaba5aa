// Mouse and keyboard of the timeline, what is shown of an event, and the way to Perfetto.
// SPDX-License-Identifier: Apache-2.0

function eventFacts(line, [track, i]) {
  const raw = track.raw, site = data.sites[raw.s[i]];
  return {name: line.model.names[raw.n[i]], kind: line.model.kinds[raw.k[i]], site, start: track.start[i], length: track.end[i] - track.start[i],
    bytes: raw.b[i], track: `${raw.group}, ${raw.name}`};
}

function describeEvent(line, event) {
  const f = eventFacts(line, event), partners = (line.partners.get(event[0].raw.c[event[1]]) || []).filter(p => p[0] !== event[0] || p[1] !== event[1]);
  return [el('div', {}, el('i', {class: 'key', style: {'--c': colourOf(f.kind)}}), el('b', {}, f.name), '  ', timeText(f.length),
    el('span', {class: 'muted'}, ` at ${(f.start / 1e6).toFixed(3)} ms`), f.bytes ? `, ${bytesText(f.bytes)}` + (f.length ? ` (${(f.bytes / f.length).toFixed(2)} GB/s)` : '') : ''),
  el('div', {class: 'muted'}, f.track, f.site ? ', ' : '', f.site && el('button', {class: 'linklike', onclick: () => revealSite(f.site)}, place(f.site)), f.site && f.site.function ? ' ' + f.site.function : '',
    partners.map(p => [', ', el('button', {class: 'linklike', onclick: () => { line.choose(p); }}, `to ${p[0].raw.group}, ${p[0].raw.name}`)]))];
}

// The events as Chrome's JSON, which Perfetto reads.
function chromeTrace(line) {
  const events = [], groups = [...new Set(line.tracks.map(t => t.raw.group))];
  groups.forEach((name, pid) => events.push({ph: 'M', name: 'process_name', pid: pid + 1, args: {name}}));
  line.tracks.forEach((track, tid) => {
    const pid = groups.indexOf(track.raw.group) + 1;
    events.push({ph: 'M', name: 'thread_name', pid, tid: tid + 1, args: {name: track.raw.name}});
    for (let i = 0; i < track.start.length; ++i) {
      const f = eventFacts(line, [track, i]), args = {};
      if (f.site) args.source = f.site.file + ':' + f.site.line;
      if (f.bytes) args.bytes = f.bytes;
      events.push({ph: 'X', name: f.name, cat: f.kind, pid, tid: tid + 1, ts: f.start / 1000, dur: f.length / 1000, args});
    }
  });
  line.memory.forEach((m, k) => m.t.forEach((t, i) => events.push({ph: 'C', name: m.name, pid: groups.length + 1 + k, ts: t / 1000, args: m.power ? {W: m.v[i] / 1000} : {bytes: m.v[i]}})));
  return JSON.stringify({traceEvents: events, displayTimeUnit: 'ns'});
}

// ui.perfetto.dev answers PING with PONG when it is ready; the trace goes from window to window and leaves the machine nowhere.
function openInPerfetto(line, status) {
  const origin = 'https://ui.perfetto.dev', other = window.open(origin);
  if (!other) { status('The browser did not open a window.'); return; }
  status('Waiting for ui.perfetto.dev ...');
  const buffer = new TextEncoder().encode(chromeTrace(line)).buffer;
  const timer = setInterval(() => other.postMessage('PING', origin), 100);
  const stop = text => { clearInterval(timer); clearTimeout(limit); removeEventListener('message', answer); status(text); };
  const answer = event => {
    if (event.source !== other || event.data !== 'PONG') return;
    other.postMessage({perfetto: {buffer, title: document.title, fileName: 'gpuinstr.json'}}, origin);
    stop('Opened in Perfetto.');
  };
  const limit = setTimeout(() => stop('ui.perfetto.dev did not answer: save the file and open it there.'), 30000);
  addEventListener('message', answer);
}

// The next or previous event of the chosen one's lane; at first the first in sight.
function step(line, by) {
  const track = line.chosen ? line.chosen[0] : line.tracks.find(t => t.start.length);
  if (!track) return;
  const list = track.lanes[line.chosen ? track.lane[line.chosen[1]] : 0];
  const at = line.chosen ? list.indexOf(line.chosen[1]) + by : firstAfter(list, track.end, line.t0);
  if (list[at] !== undefined) line.choose([track, list[at]]);
}

function stepTrack(line, by) {
  if (!line.chosen) return step(line, 1);
  const [track, i] = line.chosen;
  for (let t = track.index + by; line.tracks[t]; t += by) {
    const list = line.tracks[t].lanes[0] || [], at = Math.min(firstAfter(list, line.tracks[t].end, track.start[i]), list.length - 1);
    if (list.length) return line.choose([line.tracks[t], list[at]]);
  }
}

function timelineKeys(line, event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const actions = {ArrowLeft: () => line.pan(-.2), ArrowRight: () => line.pan(.2), '+': () => line.zoom(.5), '=': () => line.zoom(.5), '-': () => line.zoom(2),
    w: () => line.zoom(.5), s: () => line.zoom(2), a: () => line.pan(-.2), d: () => line.pan(.2), 0: () => line.show(0, line.model.end), Home: () => line.pan(-1e9), End: () => line.show(line.model.end - (line.t1 - line.t0), line.model.end),
    n: () => step(line, 1), p: () => step(line, -1), ArrowDown: () => stepTrack(line, 1), ArrowUp: () => stepTrack(line, -1),
    Enter: () => line.chosen && line.zoomTo(...line.chosen), Escape: () => line.choose(null)};
  if (!actions[event.key]) return;
  event.preventDefault();
  actions[event.key]();
}

function timelineMouse(line, tip) {
  const canvas = line.canvas;
  let drag = null;
  const hide = () => { tip.hidden = true; };
  canvas.addEventListener('pointerdown', e => { drag = {x: e.offsetX, t0: line.t0, t1: line.t1, moved: false}; canvas.setPointerCapture(e.pointerId); hide(); });
  canvas.addEventListener('pointermove', e => {
    if (drag) {
      drag.moved = drag.moved || Math.abs(e.offsetX - drag.x) > 3;
      const t = (drag.x - e.offsetX) / (line.width - LABEL) * (drag.t1 - drag.t0);
      if (drag.moved) line.show(...(drag.t0 + t < 0 ? [0, drag.t1 - drag.t0] : [drag.t0 + t, drag.t1 + t]));
      return;
    }
    const event = line.at(e.offsetX, e.offsetY), gap = !event && line.gapAt(e.offsetX, e.offsetY);
    if (!event && !gap) return hide();
    tip.replaceChildren(...(event ? describeEvent(line, event) : [gapText(gap)]));
    tip.hidden = false;
    tip.style.left = Math.min(e.clientX + 14, innerWidth - tip.offsetWidth - 8) + 'px';
    tip.style.top = Math.min(e.clientY + 16, innerHeight - tip.offsetHeight - 8) + 'px';
  });
  canvas.addEventListener('pointerup', e => { if (drag && !drag.moved) line.choose(line.at(e.offsetX, e.offsetY)); drag = null; });
  canvas.addEventListener('pointerleave', hide);
  canvas.addEventListener('dblclick', e => line.zoom(.25, line.time(e.offsetX)));
  canvas.addEventListener('wheel', e => {
    if (!e.ctrlKey && !e.metaKey && Math.abs(e.deltaX) <= Math.abs(e.deltaY) && !e.shiftKey) return; // the page scrolls
    e.preventDefault();
    hide();
    if (e.ctrlKey || e.metaKey) line.zoom(Math.exp(Math.max(-1, Math.min(1, e.deltaY / 200))), line.time(Math.max(LABEL, e.offsetX)));
    else line.pan((e.deltaX || e.deltaY) / 1000);
  }, {passive: false});
}

let theTimeline = null;

function timelineSection() {
  const model = data.timeline, events = model.tracks.reduce((n, t) => n + t.t.length, 0);
  const node = section('timeline', 'Timeline', [plural(events, 'event', 'events'), ...model.notes].join('; ') + '.');
  const canvas = el('canvas', {tabindex: 0, role: 'application', 'aria-label': 'Timeline. Left and right pan, plus and minus zoom, n and p choose the next and previous event, Enter zooms to it, 0 shows all.', onkeydown: e => timelineKeys(line, e)});
  const range = el('span', {class: 'count', role: 'status'}), chosen = el('div', {class: 'chosen', 'aria-live': 'polite'}), tip = el('div', {id: 'tip', hidden: true});
  let shown;
  const line = new Timeline(model, canvas, () => {
    range.textContent = `${(line.t0 / 1e6).toFixed(3)} \u2013 ${(line.t1 / 1e6).toFixed(3)} ms (${timeText(line.t1 - line.t0)})`;
    if (line.chosen !== shown || !chosen.firstChild) chosen.replaceChildren(...(line.chosen ? describeEvent(line, line.chosen) : [el('span', {class: 'muted'}, 'Choose an event for its facts. ',
      el('kbd', {}, 'Ctrl'), ' + wheel zooms, drag pans; ', ['\u2190', '\u2192', '+', '\u2212', '0'].map(k => [el('kbd', {}, k), ' ']), 'pan and zoom, ', el('kbd', {}, 'n'), ' ', el('kbd', {}, 'p'), ' next and previous event, ', el('kbd', {}, 'Enter'), ' zooms to it.')]));
    shown = line.chosen;
  });
  const button = (text, label, action) => el('button', {class: 'button', 'aria-label': label, onclick: action}, text);
  const status = el('span', {class: 'muted', role: 'status'});
  const hatched = [...new Set(model.tracks.flatMap(t => t.gaps.map(gap => gapKinds[gap[3]])))];
  node.append(
    el('div', {class: 'tools'}, button('+', 'Zoom in', () => line.zoom(.5)), button('\u2212', 'Zoom out', () => line.zoom(2)), button('All', 'Show all', () => line.show(0, model.end)),
      button('Save for Perfetto', 'Save as Chrome JSON, which Perfetto opens', () => save('gpuinstr-trace.json', 'application/json', [chromeTrace(line)])),
      button('Open in Perfetto', 'Open in ui.perfetto.dev; the events stay on this machine', () => openInPerfetto(line, text => { status.textContent = text; })), status,
      hatched.length ? el('span', {class: 'hatched muted'}, el('i', {class: 'hatch'}), 'hatched: ' + hatched.join(', ')) : '', range),
    el('div', {class: 'frame panel'}, el('div', {class: 'rows'}, canvas), chosen), tip);
  theTimeline = line;
  timelineMouse(line, tip);
  theme.watchers.push(() => line.draw());
  new ResizeObserver(() => line.draw()).observe(canvas);
  line.show(0, model.end);
}
