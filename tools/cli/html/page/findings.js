// Findings with the source around them, and their filter.
// SPDX-License-Identifier: Apache-2.0

const gradeClass = f => f.suppressed ? 'suppressed' : f.grade === 'proven' ? 'proven-' + f.class : f.grade;
const gradeNames = {'proven-bug': 'bugs', 'proven-waste': 'waste', likely: 'likely', advice: 'advice', information: 'information', suppressed: 'suppressed'};
const relatedNames = {'double-free': 'first freed', 'copy-after-free': 'freed', 'out-of-bounds-copy': 'allocated'};

function placeLine(label, site) {
  return site && el('p', {class: 'muted'}, label + ' ', placeNode(site), site.function ? ' ' : '', site.function && el('span', {class: 'mono'}, site.function));
}

function holdersText(holders) {
  return holders.map(h => `${h.variable || '(no variable)'} ${bytesText(h.bytes)} x${h.count} ${place(data.sites[h.site])}`).join(', ');
}

function sourceOf(site, label, around) {
  const lines = sourceLines(site, around);
  return lines && [label && el('p', {class: 'muted'}, label), lines];
}

// What a finding is about, and how much of it.
function findingWords(f) {
  const type = f.type ? f.type + (f.elements ? `[${f.elements}]` : '') : f.memory, mark = f.estimated ? '~' : '';
  return {what: f.direction ? [f.variable, f.source].filter(Boolean).join(' \u2190 ') + ' ' + f.direction : [f.variable, type].filter(Boolean).join('  '),
    amount: (f.bytes ? mark + bytesText(f.bytes) + ' ' : '') + 'x' + mark + f.count};
}

// As in the text report: `weights` for `weights.data()`.
const plainName = text => text.replace(/(\.|->)(get|data)\(\)/g, '');

function findingCard(f) {
  const own = data.sites[f.site], shown = data.sites[f.shown], related = data.sites[f.related], caller = data.sites[f.caller];
  const {what, amount} = findingWords(f);
  const suppress = `${f.pattern}:${shown && shown.function ? shown.function + ':' + f.variable : f.variable || '*'}`;
  return el('details', {id: 'finding-' + data.findings.indexOf(f), class: 'finding panel ' + gradeClass(f), open: gradeClass(f).startsWith('proven')},
    el('summary', {class: 'head'},
      el('h3', {}, f.pattern), el('span', {class: 'badge'}, f.suppressed ? 'suppressed' : f.grade),
      el('span', {class: 'amount'}, amount), el('code', {}, what),
      f.cost_ns ? el('span', {title: 'at most: the host\u2019s time in these calls'}, '\u2264 ' + timeText(f.cost_ns)) : '',
      el('span', {class: 'where'}, placeNode(shown))),
    el('div', {class: 'body'},
      shown && shown.function && el('p', {class: 'mono'}, shown.function),
      f.error && !f.message.includes(f.error) && el('p', {}, el('code', {}, f.error), own && own.callee ? ' from ' : '', own && el('code', {}, own.callee)),
      f.message && el('p', {}, f.message),
      f.ranks && el('p', {}, f.ranks),
      f.holders.length ? el('p', {}, 'held then: ' + holdersText(f.holders)) : '',
      f.fix && el('p', {class: 'fix'}, el('b', {}, 'Fix: '), f.fix),
      sourceOf(shown, '', 3),
      own !== shown ? placeLine('via', own) : own && own.via && own.via.map(i => placeLine('via', data.sites[i])),
      own === shown && placeLine('called from', caller),
      own !== shown && sourceOf(own, '', 1),
      related && placeLine(relatedNames[f.pattern] || 'see', related),
      related && related !== shown && sourceOf(related, '', 1),
      f.suppression && el('p', {class: 'muted'}, 'suppressed by ', el('code', {}, f.suppression)),
      el('details', {}, el('summary', {}, 'What this means'),
        el('pre', {}, data.explain[f.pattern] || ''),
        el('p', {class: 'muted'}, 'To suppress it, a line of a suppressions file: ', el('code', {}, suppress)))));
}

// 50 at a time: a page of thousands stays quick.
function showFindings(list, host, from) {
  const more = host.querySelector('.more');
  if (more) more.remove();
  host.append(...list.slice(from, from + 50).map(findingCard));
  if (list.length > from + 50)
    host.append(el('button', {class: 'button more', onclick: () => showFindings(list, host, from + 50)}, `${list.length - from - 50} more`));
}

let findFinding = null; // shows a finding's card, whatever the filter hides

// The first screen: each proven finding with its place and what to do about it.
function changesSection() {
  const proven = kind => data.findings.filter(f => gradeClass(f) === 'proven-' + kind), most = 4;
  const bugs = proven('bug'), waste = proven('waste').sort((a, b) => b.cost_ns - a.cost_ns);
  const others = data.findings.filter(f => !f.suppressed && (f.grade === 'likely' || f.grade === 'advice'));
  const told = [...bugs.slice(0, most), ...waste.slice(0, 2 * most - Math.min(bugs.length, most))];
  const shown = told.length ? told : others.slice(0, most), more = (told.length ? bugs.length + waste.length : others.length) - shown.length;
  const go = f => event => { event.preventDefault(); findFinding(f); };
  const node = el('section', {id: 'changes', 'aria-label': 'What to change'}, el('h2', {}, 'What to change'));
  main.append(node);
  if (!told.length) node.append(el('p', {class: 'lead'}, data.result.charAt(0).toUpperCase() + data.result.slice(1) + '.'));
  if (shown.length)
    node.append(el('ul', {class: 'changes panel'}, shown.map(f => {
      const place = data.sites[f.shown];
      return el('li', {class: gradeClass(f)}, el('a', {href: '#finding-' + data.findings.indexOf(f), onclick: go(f)}, f.pattern, f.grade === 'proven' ? '' : el('span', {class: 'muted'}, ' ' + f.grade)),
        el('code', {class: 'what', title: findingWords(f).what}, plainName(findingWords(f).what) || f.error), placeNode(place),
        el('span', {class: 'do'}, f.fix || f.message), el('span', {class: 'num'}, f.cost_ns ? '\u2264 ' + timeText(f.cost_ns) : findingWords(f).amount));
    })), more ? el('p', {}, el('a', {href: '#findings'}, `${more} more`)) : '');
}

function findingText(f) {
  const shown = data.sites[f.shown], own = data.sites[f.site];
  return [f.pattern, f.grade, f.variable, f.type, f.error, f.message, shown && shown.function, place(shown), place(own), own && own.callee].join('\n').toLowerCase();
}

function findingsSection() {
  const counted = data.findings.filter(f => !f.suppressed && f.grade === 'proven').length;
  const node = section('findings', 'Findings', '', counted);
  if (!data.findings.length) {
    node.append(el('p', {class: 'lead'}, 'Nothing was found.'));
    return;
  }
  const counts = {};
  for (const f of data.findings) counts[gradeClass(f)] = (counts[gradeClass(f)] || 0) + 1;
  const hidden = new Set(counts.suppressed && Object.keys(counts).length > 1 ? ['suppressed'] : []);
  const texts = new Map(data.findings.map(f => [f, findingText(f)]));
  const list = el('div', {}), count = el('span', {class: 'count', role: 'status'});
  const search = el('input', {type: 'search', placeholder: 'Filter findings', 'aria-label': 'Filter findings', oninput: () => update()});
  const chips = Object.keys(gradeNames).filter(g => counts[g]).map(g =>
    el('button', {class: 'button', 'aria-pressed': String(!hidden.has(g)), onclick: event => {
      hidden.has(g) ? hidden.delete(g) : hidden.add(g);
      event.target.setAttribute('aria-pressed', String(!hidden.has(g)));
      update();
    }}, `${gradeNames[g]} ${counts[g]}`));
  function update() {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const shown = data.findings.filter(f => !hidden.has(gradeClass(f)) && words.every(w => texts.get(f).includes(w)));
    list.replaceChildren();
    showFindings(shown, list, 0);
    count.textContent = shown.length === data.findings.length ? '' : `${shown.length} of ${data.findings.length}`;
  }
  node.append(el('div', {class: 'tools'}, chips, data.findings.length > 3 ? search : '', count), list);
  update();
  findFinding = f => {
    const id = 'finding-' + data.findings.indexOf(f);
    if (!document.getElementById(id)) {
      hidden.clear();
      chips.forEach(chip => chip.setAttribute('aria-pressed', 'true'));
      search.value = '';
      update();
      while (!document.getElementById(id) && list.querySelector('.more')) list.querySelector('.more').click();
    }
    const card = document.getElementById(id);
    card.open = true;
    history.replaceState(null, '', '#' + id);
    card.scrollIntoView();
  };
}
