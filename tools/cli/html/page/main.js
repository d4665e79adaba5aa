// The head of the page, then its parts in the order in which they help.
// SPDX-License-Identifier: Apache-2.0

function headline() {
  const p = data.process, name = baseName(p.args[0] || p.exe || 'program');
  document.title = `${name}: ${data.result} - gpuinstr`;
  const where = [data.merged ? `${data.merged.processes} processes` : `pid ${p.pid}`, p.rank >= 0 && !data.merged ? `rank ${p.rank}` : '', p.host,
    data.devices.length ? [...new Set(data.devices.map(d => d.simulated ? 'simulated device' : d.name))].join(', ') : 'no GPU'];
  main.append(el('h1', {}, name), el('p', {class: 'muted', style: {margin: 0}}, where.filter(Boolean).join('  \u00b7  ')));
  const figure = (title, value, note) => el('div', {}, el('dt', {}, title), el('dd', {}, value, note && el('small', {}, note)));
  const counted = c => data.findings.filter(f => f.grade === 'proven' && f.class === c && !f.suppressed);
  const bugs = new Set(counted('bug').map(f => [f.pattern, f.site, f.memory].join(' '))).size; // of one line, whoever calls it
  const waste = data.waste_ns;
  const peak = data.devices.reduce((most, d) => d.peak_bytes > most.peak_bytes ? d : most, {peak_bytes: 0, memory_bytes: 0});
  main.append(el('dl', {class: 'figures panel'},
    figure('Proven bugs', String(bugs), bugs ? '' : 'none'),
    figure('Proven waste', String(counted('waste').length), waste ? '\u2264 ' + timeText(waste) : ''),
    figure('Ran for', timeText(p.wall_ns), p.ended && !data.merged ? 'ended by ' + p.ended : ''),
    figure('In CUDA calls', timeText(hostTotal), percentText(hostTotal, p.wall_ns * (data.merged ? data.merged.processes : 1)) + (data.merged ? ' of all processes' : ' of the run')),
    p.once_ns >= 1e6 ? figure('Start of CUDA', timeText(p.once_ns), p.context_ns ? 'contexts ' + timeText(p.context_ns) : '') : null,
    figure('Peak memory', bytesText(peak.peak_bytes), peak.memory_bytes ? 'of ' + bytesText(peak.memory_bytes) : ''),
    figure('Cost of watching', p.own_cost_percent ? p.own_cost_percent.toFixed(1) + ' %' : '-', p.startup_ns ? '+ ' + timeText(p.startup_ns) + ' start' : '')));
}

function bar() {
  const button = el('button', {class: 'button', onclick: () => theme.toggle()}, '');
  const name = () => { button.textContent = theme.dark ? 'Light' : 'Dark'; button.setAttribute('aria-label', theme.dark ? 'Light colours' : 'Dark colours'); };
  theme.watchers.push(name);
  name();
  document.getElementById('bar').append(el('div', {}, el('strong', {}, 'gpuinstr'),
    el('nav', {'aria-label': 'Parts of the page'}, sections.map(s => el('a', {href: '#' + s.id}, s.title, s.number ? el('span', {class: 'number'}, countText(s.number)) : ''))),
    button));
}

headline();
changesSection();
timeSection();
findingsSection();
if (data.timeline) timelineSection();
callsSection();
deviceSection();
memorySection();
ranksSection();
scopeSection();
bar();
// A link to a card or a part of the page that a mail holds: all of it is drawn only now.
if (/^#finding-\d+$/.test(location.hash)) {
  const linked = data.findings[Number(location.hash.slice(9))];
  if (linked) findFinding(linked);
} else if (location.hash.length > 1 && document.getElementById(location.hash.slice(1))) {
  document.getElementById(location.hash.slice(1)).scrollIntoView();
}
main.append(el('p', {class: 'muted', style: {'margin-top': '3rem'}}, `Written by gpuinstr ${data.version}.`));
// `/` goes to the filter of the table in sight.
addEventListener('keydown', event => {
  if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement.tagName)) return;
  const inputs = [...document.querySelectorAll('input[type="search"]')];
  const next = inputs.find(i => i.getBoundingClientRect().bottom > 60) || inputs[0];
  if (next) { event.preventDefault(); next.focus(); }
});
