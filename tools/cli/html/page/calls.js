// Where the time went, and the tables: call sites, device time, memory, ranks, scope.
// SPDX-License-Identifier: Apache-2.0

let callTable = null; // the table of call sites, which other parts point into

const ranSites = data.sites.filter(s => s.calls);
const hostTotal = ranSites.reduce((sum, s) => sum + s.host, 0);

function siteDetail(site) {
  const lines = sourceLines(site, 4);
  return el('div', {},
    definitionList([
      ['call', site.args.length ? el('code', {}, `${site.callee}(${site.args.join(', ')})`) : ''],
      ['at', el('span', {class: 'mono'}, site.file + (site.line ? ':' + site.line : '') + (site.col ? ':' + site.col : ''))],
      ['via', site.via ? site.via.map(i => el('div', {}, placeNode(data.sites[i]), ' ', el('span', {class: 'mono'}, data.sites[i].function))) : ''],
      ['first call', timeText(site.first) + (site.id === data.process.first_site ? ', with the start of CUDA' : '')],
      ['other calls', site.calls > 1 ? `${timeText(site.mean)} on average, ${timeText(site.min)} to ${timeText(site.max)}, median ${timeText(site.median)}` : ''],
      ['on the device', deviceText([site])],
      ['kernels', site.kernels.length ? el('span', {class: 'mono'}, site.kernels.join(', ')) : ''],
      [site.kind === 'alloc' ? 'allocates' : 'variable', site.variable && el('code', {}, site.variable + (site.type ? '  ' + site.type : ''))],
      ['id', el('span', {class: 'mono'}, site.id)]]),
    lines || el('p', {class: 'muted'}, site.file ? 'The source was not found: gpuinstr html --source DIR' : ''));
}

function revealSite(site) {
  if (callTable && site) callTable.reveal(site);
}

function phaseTable() {
  const sampled = ranSites.some(s => s.device && s.device.method !== 'exact'), known = (ns, text) => ns === null ? 'not known' : text(ns), mark = p => p.estimated ? '~' : '';
  return dataTable([
    {title: 'Phase', value: p => p.name, text: p => el('code', {}, p.name), long: true},
    {title: 'Total Time', value: p => p.total_ns, text: p => timeText(p.total_ns), number: true},
    {title: 'Instances', value: p => p.instances, text: p => countText(p.instances), number: true},
    {title: 'CUDA calls', value: p => p.calls_ns, text: p => mark(p) + timeText(p.calls_ns), number: true, help: 'on the host; the rest is your code'},
    {title: 'GPU work', value: p => p.device_ns || 0, text: p => known(p.device_ns, ns => (sampled || p.estimated ? '~' : '') + timeText(ns)), number: true, help: 'of the work that was issued in it'},
    {title: 'GPU idle', value: p => p.idle_ns || 0, text: p => known(p.idle_ns, ns => '\u2265 ' + mark(p) + timeText(ns)), number: true, help: 'the device surely had nothing to do'}],
  data.phases, {name: 'phases', sort: 1, unfold: -1});
}

function timeSection() {
  const node = section('time', 'Where the time went',
    `${timeText(hostTotal)} in CUDA calls, all threads together; the process ran for ${timeText(data.process.wall_ns)}.`);
  const byKind = new Map();
  for (const s of ranSites) byKind.set(s.kind, (byKind.get(s.kind) || 0) + s.host);
  // What is less than a tenth of a per cent is one.
  const little = [...byKind].filter(([, ns]) => ns < hostTotal / 1000);
  if (little.length > 1) {
    for (const [kind] of little) byKind.delete(kind);
    byKind.set(plural(little.length, 'other kind', 'other kinds'), little.reduce((sum, [, ns]) => sum + ns, 0));
  }
  const kinds = [...byKind].sort((a, b) => b[1] - a[1]);
  const label = kinds.map(([k, ns]) => `${k} ${percentText(ns, hostTotal)}`).join(', ');
  node.append(
    el('div', {class: 'stack', role: 'img', 'aria-label': label}, kinds.filter(([, ns]) => ns > 0).map(([k, ns]) =>
      el('div', {title: `${k} ${timeText(ns)}`, style: {flex: `${ns} 0 0`, background: colourOf(k)}}))),
    el('ul', {class: 'legend'}, kinds.map(([k, ns]) =>
      el('li', {}, el('i', {style: {'--c': colourOf(k)}}), `${k} `, el('span', {class: 'muted'}, `${timeText(ns)}  ${percentText(ns, hostTotal)}`)))));
  if (data.idle) node.append(el('p', {class: 'idle'}, el('b', {}, 'GPU idle: '), data.idle));
  if (data.gpu.length) node.append(el('pre', {}, data.gpu.join('\n')));
  if (data.phases.length) node.append(el('h3', {}, 'Phases: ranges that the program names'), phaseTable());
  const bars = (title, rows, all) => {
    if (!rows.length) return;
    node.append(el('h3', {}, title), el('div', {class: 'bars'}, rows.map(r => [
      el('div', {class: 'what'}, el('button', {class: 'linklike', title: r.name, onclick: () => revealSite(r.site)}, el('code', {}, r.name)), ' ', el('span', {class: 'muted'}, placeNode(r.site))),
      el('div', {class: 'bar-cell'}, el('div', {class: 'bar', style: {width: 100 * r.ns / rows[0].ns + '%', '--c': colourOf(r.kind)}})),
      el('div', {class: 'num'}, timeText(r.ns)), el('div', {class: 'num muted'}, percentText(r.ns, all))])));
  };
  bars('On the host, by call site', [...ranSites].sort((a, b) => b.host - a.host).slice(0, 10).filter(s => s.host)
    .map(site => ({name: site.callee, site, ns: site.host, kind: site.kind})), hostTotal);
  const device = ranSites.filter(s => s.device && s.device.total_ns).sort((a, b) => b.device.total_ns - a.device.total_ns);
  const deviceTotal = device.reduce((sum, s) => sum + s.device.total_ns, 0);
  bars('On the device, by call site', device.slice(0, 10).map(site => ({name: site.kernels[0] || site.callee, site, ns: site.device.total_ns, kind: site.kind})), deviceTotal);
}

function callsSection() {
  if (!ranSites.length) return;
  const node = section('calls', 'Call sites', 'Every place in the source that called CUDA. A row unfolds to its source.', ranSites.length);
  const columns = [
    {title: 'Call', value: s => s.callee, text: s => el('code', {}, s.callee), long: true},
    {title: 'Where', value: place, text: placeNode, long: true},
    {title: 'Function', value: s => s.function, text: s => el('code', {}, s.function), long: true},
    {title: 'Variable', value: s => s.variable, text: s => el('code', {}, s.variable), long: true},
    {title: 'Total Time', value: s => s.host, text: s => timeText(s.host), number: true, help: 'host time of all calls'},
    {title: 'Time (%)', value: s => s.share, text: s => tenthsText(s.share), number: true, help: 'of the host time in CUDA calls'},
    {title: 'Num Calls', value: s => s.calls, text: s => (s.calls_estimated ? '~' : '') + countText(s.calls), number: true},
    {title: 'Avg', value: s => s.mean, text: s => timeText(s.mean), number: true, help: 'without the first call, in which CUDA loads code'},
    {title: 'Max', value: s => s.max, text: s => timeText(s.max), number: true, help: 'without the first call'},
    {title: 'Bytes', value: s => s.bytes, text: s => s.bytes ? bytesText(s.bytes) : '', number: true}];
  if (ranSites.some(s => s.device))
    columns.push({title: 'On device', value: s => s.device ? s.device.total_ns : 0, text: s => el('span', {title: deviceText([s])}, deviceText([s]).split(' \u00b1')[0]), number: true, help: 'time on the device, ~ estimated from samples; an unfolded row has the interval'});
  if (ranSites.some(s => s.failed))
    columns.push({title: 'Failed', value: s => s.failed, text: s => s.failed ? countText(s.failed) : '', number: true});
  callTable = dataTable(columns, ranSites, {name: 'call sites', sort: 4, detail: siteDetail, kinds: s => s.kind, search: s => s.file + '\n' + s.kernels.join('\n')});
  node.append(callTable);
}

function deviceSection() {
  const rows = ranSites.flatMap(site => (site.device ? site.device.rows : []).map(row => ({site, ...row})));
  if (!rows.length) return;
  const sampled = ranSites.some(s => s.device && s.device.method !== 'exact');
  const node = section('device', 'On the device', sampled ? 'Kernels and transfers, estimated from timed samples; \u00b1 is half of the 95 % interval.' : 'Kernels and transfers, each of them timed.', rows.length);
  const name = r => r.name || r.operation + (r.memory ? ', ' + r.memory : '');
  node.append(dataTable([
    {title: 'Operation', value: name, text: r => el('code', {}, name(r)), long: true},
    {title: 'Where', value: r => place(r.site), text: r => placeNode(r.site), long: true},
    {title: 'Total Time', value: r => r.total_ns, text: r => (r.samples < r.operations ? '~' : '') + timeText(r.total_ns), number: true},
    {title: '\u00b1', value: r => r.ci_ns, text: r => r.ci_ns ? timeText(r.ci_ns) : '', number: true},
    {title: 'Time (%)', value: r => r.share, text: r => tenthsText(r.share), number: true, help: 'of all kernels, or of all copies and sets'},
    {title: 'Instances', value: r => r.operations, text: r => (r.operations_estimated ? '~' : '') + countText(r.operations), number: true},
    {title: 'Timed', value: r => r.samples, text: r => countText(r.samples), number: true},
    {title: 'Avg', value: r => r.operations ? r.total_ns / r.operations : 0, text: r => r.operations ? timeText(r.total_ns / r.operations) : '', number: true},
    {title: 'Max', value: r => r.max_ns, text: r => timeText(r.max_ns), number: true},
    {title: 'GB/s', value: r => r.bytes && r.total_ns ? r.bytes / r.total_ns : 0, text: r => r.bytes && r.total_ns ? (r.bytes / r.total_ns).toFixed(1) : '', number: true}],
  rows, {name: 'device times', sort: 2, unfold: -1, kinds: r => r.operation}));
}

function allocationTable(node) {
  if (!data.allocations.length) return;
  node.append(el('h3', {}, 'Allocated over the whole run'), dataTable([
    {title: 'Variable', value: a => a.variable || '(no variable)', text: a => el('code', {}, a.variable || '(no variable)'), long: true},
    {title: 'Where', value: a => place(data.sites[a.site]), text: a => placeNode(data.sites[a.site]), long: true},
    {title: 'Kind', value: a => a.memory},
    {title: 'Total', value: a => a.bytes, text: a => bytesText(a.bytes), number: true},
    {title: 'Count', value: a => a.count, text: a => countText(a.count), number: true},
    {title: 'Avg', value: a => a.bytes / a.count, text: a => bytesText(Math.round(a.bytes / a.count)), number: true},
    {title: 'Peak', value: a => a.peak, text: a => bytesText(a.peak), number: true},
    {title: 'At exit', value: a => a.live, text: a => bytesText(a.live), number: true}],
  data.allocations, {name: 'allocations', sort: 3}));
}

function memorySection() {
  if (!data.holders.length && !data.devices.length && !data.allocations.length) return;
  const node = section('memory', 'Memory at its peak', data.devices.map(d =>
    `${d.simulated ? 'Simulated device' : d.name}: ${bytesText(d.peak_bytes)} of ${bytesText(d.memory_bytes)} at ${timeText(d.peak_at_ns)}`).join('; '));
  if (!data.holders.length) return allocationTable(node);
  const all = data.holders.reduce((sum, h) => sum + h.bytes, 0);
  node.append(dataTable([
    {title: 'Variable', value: h => h.variable || '(no variable)', text: h => el('code', {}, h.variable || '(no variable)'), long: true},
    {title: 'Where', value: h => place(data.sites[h.site]), text: h => placeNode(data.sites[h.site]), long: true},
    {title: 'Function', value: h => (data.sites[h.site] || {}).function || '', text: h => el('code', {}, (data.sites[h.site] || {}).function || ''), long: true},
    {title: 'Kind', value: h => h.memory},
    {title: 'Bytes', value: h => h.bytes, text: h => bytesText(h.bytes), number: true},
    {title: 'Share', value: h => h.bytes, text: h => percentText(h.bytes, all), number: true},
    {title: 'Allocations', value: h => h.count, text: h => countText(h.count), number: true}],
  data.holders, {name: 'holders', sort: 4}));
  allocationTable(node);
}

function ranksSection() {
  const merged = data.merged;
  if (!merged) return;
  const node = section('ranks', 'Ranks', `${plural(merged.processes, 'process', 'processes')} on ${plural(merged.hosts, 'host', 'hosts')}.`);
  const line = (name, spread, text) => [name, `${text(spread.max)} on rank ${spread.max_rank}, average ${text(spread.avg)} (+${spread.imbalance_percent.toFixed(0)} %), least ${text(spread.min)} on rank ${spread.min_rank}`];
  node.append(definitionList([line('in CUDA calls', merged.host_ns, timeText), line('wall time', merged.wall_ns, timeText),
    merged.peak_bytes.max ? line('peak memory', merged.peak_bytes, bytesText) : ['', '']]));
  const rows = merged.sites.filter(r => data.sites[r.site]), lost = r => r.host_ns.max - r.host_ns.avg;
  node.append(dataTable([
    {title: 'Call', value: r => data.sites[r.site].callee, text: r => el('code', {}, data.sites[r.site].callee), long: true},
    {title: 'Where', value: r => place(data.sites[r.site]), text: r => placeNode(data.sites[r.site]), long: true},
    {title: 'Lost', value: lost, text: r => timeText(lost(r)), number: true, help: 'longest less average: what an even load would win'},
    {title: 'Imbalance', value: r => r.host_ns.imbalance_percent, text: r => '+' + r.host_ns.imbalance_percent.toFixed(0) + ' %', number: true},
    {title: 'Least', value: r => r.host_ns.min, text: r => timeText(r.host_ns.min), number: true},
    {title: 'Average', value: r => r.host_ns.avg, text: r => timeText(r.host_ns.avg), number: true},
    {title: 'Most', value: r => r.host_ns.max, text: r => timeText(r.host_ns.max), number: true},
    {title: 'on rank', value: r => r.host_ns.max_rank, number: true},
    {title: 'Ranks', value: r => r.ranks, text: r => `${r.ranks}/${merged.processes}`, number: true}],
  rows, {name: 'sites by rank', sort: 2, kinds: r => data.sites[r.site].kind}));
}

function scopeSection() {
  const c = data.coverage, node = section('scope', 'Scope', 'What was watched, and what was not seen.');
  const images = list => list.map(i => el('div', {class: 'mono'}, i.path + (i.instrumented ? `  ${i.sites_run} of ${i.sites} sites ran` : '')));
  const not = c.images.filter(i => !i.instrumented);
  const parts = c.images.filter(i => i.unseen_calls.length)
    .map(i => ({path: `${i.path} calls ${i.unseen_calls.join(', ')}`}));
  node.append(definitionList([
    ['program', el('span', {class: 'mono'}, data.process.args.join(' ') || data.process.exe)],
    ['sites', `${c.sites_run} of ${c.sites} ran`],
    ['instrumented', images(c.images.filter(i => i.instrumented))],
    ['not instrumented', not.length ? images(not) : ''],
    ['parts without the plugin', parts.length ? images(parts) : ''],
    ['vendor libraries', c.vendor.join(', ')],
    ['unseen calls through pointers', c.addresses_taken.join(', ')],
    ['transfers checked', c.audit.eligible ? `${c.audit.verified} of ${c.audit.eligible} repeats, ${bytesText(c.audit.verified_bytes)} of ${bytesText(c.audit.eligible_bytes)}` : ''],
    ['transfers judged', c.audit.transfers ? `${bytesText(c.audit.judged_bytes)} of ${bytesText(c.audit.transfer_bytes)}, ${timeText(c.audit.judged_ns)} of ${timeText(c.audit.transfer_ns)} in their calls` : ''],
    ['notes', c.notes.length ? c.notes.map(n => el('div', {}, n)) : ''],
    ['suppressions', data.suppressions.length ? data.suppressions.map(s => el('div', {}, el('code', {}, s.rule), ` ${s.origin}: used ${s.used}`)) : '']]));
}
