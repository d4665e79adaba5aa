// Elements, figures and what all parts of the page share. All text reaches the page as text nodes.
// SPDX-License-Identifier: Apache-2.0
'use strict';

const data = JSON.parse(document.getElementById('data').textContent);
const main = document.getElementById('main');

// el('p', {class: 'x', onclick: f}, 'text', node): never parses markup.
function el(tag, attributes, ...children) {
  const node = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith('on')) node.addEventListener(key.slice(2), value);
    else if (key === 'style') for (const [k, v] of Object.entries(value)) node.style.setProperty(k, v);
    else node.setAttribute(key, value === true ? '' : value);
  }
  for (const child of children.flat(Infinity))
    if (child || child === 0) node.append(child);
  return node;
}

function three(value, unit) { // three significant digits
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return value.toFixed(digits) + ' ' + unit;
}

function bytesText(bytes) {
  if (bytes < 999.5) return Math.round(bytes) + ' B';
  for (const unit of ['kB', 'MB', 'GB', 'TB']) {
    bytes /= 1000;
    if (bytes < 999.5 || unit === 'TB') return three(bytes, unit);
  }
}

function timeText(ns) {
  if (ns < 999.5) return Math.round(ns) + ' ns';
  for (const unit of ['us', 'ms']) {
    ns /= 1000;
    if (ns < 999.5) return three(ns, unit);
  }
  return three(ns / 1000, 's');
}

const countText = value => Math.round(value).toLocaleString('en').replace(/,/g, '\u2009');
const percentText = (part, all) => all > 0 ? (100 * part / all).toFixed(1) + ' %' : '';
const tenthsText = share => (share / 10).toFixed(1) + ' %';
const doubtText = (doubt, total) => doubt < total ? ` \u00b1 ${(100 * doubt / total).toFixed(1)} %` : ' \u00b1 > 100 %';
const plural = (n, one, many) => countText(n) + ' ' + (n === 1 ? one : many);
const baseName = path => path.slice(path.lastIndexOf('/') + 1);

const colours = new Set(['launch', 'copy', 'set', 'alloc', 'free', 'sync', 'library', 'graph']);
const sameColour = {create: 'alloc', destroy: 'free', kernel: 'launch', memcpy: 'copy', memset: 'set', prefetch: 'copy', region: 'library'};
const kindColour = kind => { const k = sameColour[kind] || kind; return colours.has(k) ? k : 'other'; };
const colourOf = kind => `var(--${kindColour(kind)})`;

function place(site) { return !site || !site.file ? '?' : baseName(site.file) + (site.line ? ':' + site.line : ''); }
function placeNode(site) {
  if (!site) return '?';
  return el('span', {class: 'mono', title: site.file + (site.line ? ':' + site.line : '')}, place(site));
}

// A part of the page with its entry in the bar.
const sections = [];
function section(id, title, lead, number) {
  const node = el('section', {id, 'aria-label': title}, el('h2', {}, title), lead && el('p', {class: 'lead'}, lead));
  main.append(node);
  sections.push({id, title, number});
  return node;
}

// "~582 ms \u00b1 1.2 %": time on the device of some sites; '' nothing is known of it.
function deviceText(sites) {
  const times = sites.map(s => s.device).filter(Boolean), sum = of => times.reduce((all, d) => all + of(d), 0);
  const samples = sum(d => d.samples), total = sum(d => d.total_ns), untimed = sum(d => d.untimed), doubt = Math.sqrt(sum(d => d.ci_ns * d.ci_ns));
  if (!samples) return untimed ? 'not timed' : '';
  return (untimed ? '\u2265 ' : '') + (samples < sum(d => d.operations) ? '~' : '') + timeText(total) + (doubt && total ? doubtText(doubt, total) : '');
}

// What stands beside a source line: calls, time on the host and on the device.
let sitesByLine = null;
function lineTimes(file, line) {
  if (!sitesByLine) {
    sitesByLine = new Map();
    for (const s of data.sites.filter(s => s.calls && s.line)) {
      const key = s.file + ':' + s.line;
      sitesByLine.has(key) ? sitesByLine.get(key).push(s) : sitesByLine.set(key, [s]);
    }
  }
  const sites = sitesByLine.get(file + ':' + line);
  if (!sites) return '';
  const device = deviceText(sites);
  return [plural(sites.reduce((n, s) => n + s.calls, 0), 'call', 'calls'), timeText(sites.reduce((ns, s) => ns + s.host, 0)) + ' host', device && device + ' device']
    .filter(Boolean).join('  \u00b7  ');
}

// The lines around a site, the line itself marked; null where the source was not found.
function sourceLines(site, around) {
  const lines = site && data.source[site.file];
  if (!lines || !site.line) return null;
  const rows = [];
  for (let n = Math.max(1, site.line - around); n <= site.line + around; ++n)
    if (lines[n] !== undefined)
      rows.push(el('div', {class: n === site.line ? 'hit' : ''}, el('span', {class: 'no'}, String(n)), el('span', {class: 'code'}, lines[n]),
        el('span', {class: 'beside'}, lineTimes(site.file, n))));
  if (!rows.length) return null;
  return el('div', {class: 'source mono', tabindex: 0, role: 'region', 'aria-label': 'source ' + place(site)}, rows);
}

function definitionList(pairs) {
  return el('dl', {class: 'pairs'}, pairs.filter(([, value]) => value !== '' && value !== undefined && value !== null)
    .map(([name, value]) => [el('dt', {}, name), el('dd', {}, value)]));
}

function save(name, type, parts) {
  const url = URL.createObjectURL(new Blob(parts, {type}));
  const link = el('a', {href: url, download: name});
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

// Light or dark: the system's unless chosen here.
const theme = {
  stored() { try { return localStorage.getItem('gpuinstr-theme'); } catch (e) { return null; } },
  media: matchMedia('(prefers-color-scheme: dark)'),
  watchers: [],
  get dark() { const s = this.stored(); return s ? s === 'dark' : this.media.matches; },
  apply() {
    document.documentElement.dataset.theme = this.dark ? 'dark' : 'light';
    for (const watcher of this.watchers) watcher();
  },
  toggle() {
    try { localStorage.setItem('gpuinstr-theme', this.dark ? 'light' : 'dark'); } catch (e) { return; }
    this.apply();
  },
};
theme.media.addEventListener('change', () => theme.apply());
theme.apply();
