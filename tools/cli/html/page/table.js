// A table that sorts, filters and unfolds its rows.
// SPDX-License-Identifier: Apache-2.0
//
// columns: {title, value: row => number or string, text: row => what is shown, number, long, help}
// options: {name, sort: column, detail: row => node, kinds: row => string}

function dataTable(columns, rows, options) {
  const state = {column: options.sort || 0, descending: columns[options.sort || 0].number, limit: 200};
  const body = el('tbody'), count = el('span', {class: 'count', role: 'status'});
  const text = (c, row) => c.text ? c.text(row) : c.value(row);
  const plain = new Map();
  const haystack = row => {
    if (!plain.has(row)) plain.set(row, columns.map(c => c.number ? '' : c.value(row)).concat(options.search ? options.search(row) : '').join('\n').toLowerCase());
    return plain.get(row);
  };
  const search = el('input', {type: 'search', placeholder: 'Filter ' + options.name, 'aria-label': 'Filter ' + options.name, oninput: () => { state.limit = 200; update(); }});
  const kinds = options.kinds ? [...new Set(rows.map(options.kinds))].sort() : [];
  const kind = el('select', {'aria-label': 'Kind', onchange: () => update()}, el('option', {value: ''}, 'all kinds'), kinds.map(k => el('option', {value: k}, k)));
  const heads = columns.map((c, i) => el('th', {scope: 'col', class: c.number ? 'num' : '', title: c.help},
    el('button', {onclick: () => sortBy(i)}, c.title)));

  function sortBy(i) {
    state.descending = i === state.column ? !state.descending : !!columns[i].number;
    state.column = i;
    update();
  }

  function compare(a, b) {
    const c = columns[state.column], x = c.value(a), y = c.value(b);
    const order = c.number ? x - y : String(x).localeCompare(String(y), 'en', {numeric: true});
    return state.descending ? -order : order;
  }

  function cell(c, row, i) {
    const content = text(c, row);
    const title = c.long ? String(c.value(row)) : undefined;
    if (i === (options.unfold || 0) && options.detail)
      return el('td', {class: c.number ? 'num' : ''}, el('button', {class: 'expand', 'aria-expanded': 'false', title, onclick: event => unfold(event.currentTarget, row)}, content));
    return el('td', {class: (c.number ? 'num' : '') + (c.long ? ' long' : ''), title}, content);
  }

  function unfold(button, row) {
    const line = button.closest('tr'), open = button.getAttribute('aria-expanded') === 'true';
    button.setAttribute('aria-expanded', String(!open));
    if (open) line.nextElementSibling.remove();
    else line.after(el('tr', {class: 'detail'}, el('td', {colspan: columns.length}, options.detail(row))));
  }

  function update() {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = rows.filter(row => (!kind.value || options.kinds(row) === kind.value) && words.every(w => haystack(row).includes(w)));
    found.sort(compare);
    heads.forEach((head, i) => i === state.column ? head.setAttribute('aria-sort', state.descending ? 'descending' : 'ascending') : head.removeAttribute('aria-sort'));
    body.replaceChildren(...found.slice(0, state.limit).map(row => el('tr', {class: 'row'}, columns.map((c, i) => cell(c, row, i)))));
    more.hidden = found.length <= state.limit;
    more.textContent = `show all ${found.length}`;
    count.textContent = found.length === rows.length ? plural(rows.length, 'row', 'rows') : `${found.length} of ${rows.length} rows`;
  }

  const more = el('button', {class: 'button', onclick: () => { state.limit = Infinity; update(); }});
  const node = el('div', {},
    el('div', {class: 'tools'}, rows.length > 5 ? search : '', kinds.length > 1 && rows.length > 5 ? kind : '', count),
    el('div', {class: 'panel scroll', tabindex: 0, role: 'region', 'aria-label': options.name}, el('table', {}, el('thead', {}, el('tr', {}, heads)), body)), more);
  update();
  // Another part of the page asks for one row.
  node.reveal = row => {
    search.value = kind.value = '';
    state.limit = Infinity;
    update();
    const found = rows.filter(() => true).sort(compare), line = body.children[found.indexOf(row)];
    if (!line) return;
    const button = line.querySelector('.expand');
    if (button) { unfold(button, row); button.focus({preventScroll: true}); }
    line.scrollIntoView({block: 'center'});
  };
  return node;
}
