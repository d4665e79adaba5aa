// Runs the SQL of docs/guides/Clusters.md with DuckDB, compares the answers with sums of its own
// and with those that stand there, has Spark's grammar read what is for Spark, and runs what a
// translator makes of it: the questions must mean the same to both.
// SPDX-License-Identifier: Apache-2.0
//
// usage: node run-queries.mjs Clusters.md    (sites.csv and findings.csv in the working folder)
import {readdirSync, readFileSync} from 'node:fs';
import {DuckDBInstance} from '@duckdb/node-api';
import {Dialect, transpile} from '@polyglot-sql/sdk';
import {SparkSQL} from 'dt-sql-parser';

const fail = text => { throw new Error(text); };

/** The indented blocks behind the line that has the text, up to the next paragraph: one text. */
function blockBehind(guide, text) {
  const lines = guide.split('\n');
  const at = lines.findIndex(line => line.includes(text));
  if (at < 0) fail(`no '${text}' in the guide`);
  const rest = lines.slice(at + 1);
  const first = rest.findIndex(line => line.startsWith('    '));
  const length = rest.slice(first).findIndex(line => line && !line.startsWith('    '));
  return rest.slice(first, length < 0 ? undefined : first + length).map(line => line.slice(4)).join('\n');
}

const statements = sql => sql.split(';').map(one => one.trim()).filter(one => one);

/** Rows of gpuinstr report --csv as objects; the generated ones have no quoted field. */
function rowsOf(path) {
  const [head, ...rows] = readFileSync(path, 'utf8').trimEnd().split('\n').map(line => line.split(','));
  return rows.map(row => Object.fromEntries(row.map((value, i) => [head[i], value])));
}

function grouped(rows, keys) {
  const groups = new Map();
  for (const row of rows) {
    const key = keys.map(name => row[name]).join(' | ');
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  return [...groups];
}

const sum = (rows, name) => rows.reduce((total, row) => total + Number(row[name]), 0);

/** What the three queries must answer, without SQL. */
function expected() {
  const sites = grouped(rowsOf('sites.csv'), ['Name', 'file', 'line']).map(([key, rows]) => {
    const most = rows.reduce((a, b) => Number(b['Total Time (ns)']) > Number(a['Total Time (ns)']) ? b : a);
    const average = sum(rows, 'Total Time (ns)') / rows.length, max = Number(most['Total Time (ns)']);
    return {lost: max - average, text: `${key} | ${Math.round(100 * (max / average - 1))} | ${most.rank}`};
  });
  const findings = rowsOf('findings.csv');
  const leaks = findings.filter(row => row.pattern === 'leak' && row.grade === 'proven' && row.suppressed === 'false');
  const ranks = grouped(leaks, ['rank']).map(([rank, rows]) =>
    ({lost: sum(rows, 'bytes') - Number(rank) / 1e6, text: `${rank} | ${rows.length} | ${sum(rows, 'bytes')}`}));
  const costly = findings.filter(row => Number(row.cost_ns) > 0);
  const waste = grouped(costly, ['pattern', 'file', 'line']).map(([key, rows]) => ({
    lost: sum(rows, 'cost_ns'),
    text: `${key} | ${sum(rows, 'cost_ns') / 1e6} | ${sum(rows, 'bytes')} | ${new Set(rows.map(row => row.rank)).size}`,
  }));
  return [sites, ranks, waste].map(rows =>
    rows.sort((a, b) => b.lost - a.lost).slice(0, 3).map(row => row.text));
}

const guide = readFileSync(process.argv[2], 'utf8');
const queries = statements(blockBehind(guide, 'the same three questions:'));
if (queries.length !== 3) fail(`${queries.length} queries in the guide`);
const connection = await (await DuckDBInstance.create()).connect();
for (const statement of statements(blockBehind(guide, 'In DuckDB, a Parquet file')))
  await connection.run(statement);
for (const folder of ['sites', 'findings']) {
  const files = readdirSync(folder, {recursive: true}).filter(name => name.endsWith('.parquet')).length;
  if (files < 1000) fail(`${folder}: ${files} files`);
  console.log(`${folder}: ${files} Parquet files`);
}

async function answerTo(query) {
  const result = await connection.runAndReadAll(query);
  return {names: result.columnNames(), rows: result.getRowsJS().map(row => row.join(' | '))};
}

function translated(query, from) {
  const {success, error, sql} = transpile(query, from, Dialect.DuckDB, {unsupportedLevel: 'raise'});
  if (!success) fail(`${from}: ${error}\n${query}`);
  return sql[0];
}

const answers = [];
const mustBe = expected();
for (const [i, query] of queries.entries()) {
  const {names, rows} = await answerTo(query);
  if (rows.join('\n') !== mustBe[i].join('\n')) fail(`query ${i + 1}:\n${rows.join('\n')}\nnot\n${mustBe[i].join('\n')}`);
  answers.push([names.join(' | '), ...rows].join('\n'));
  const fromSpark = translated(query, Dialect.Spark);
  if (fromSpark !== translated(query, Dialect.DuckDB)) fail(`means something else in Spark: ${fromSpark}`);
  if ((await answerTo(fromSpark)).rows.join('\n') !== rows.join('\n')) fail(`other answers: ${fromSpark}`);
}
if (translated('SELECT rank FROM sites ORDER BY rank', Dialect.Spark) ===
    translated('SELECT rank FROM sites ORDER BY rank', Dialect.DuckDB)) fail('the translator sees no difference');
console.log(answers.join('\n\n'));
if (blockBehind(guide, 'DuckDB answers').trim() !== answers.join('\n\n')) fail('other answers stand in the guide');

const spark = new SparkSQL();
for (const statement of [...statements(blockBehind(guide, 'In Spark the views')), ...queries])
  for (const {message} of spark.validate(statement + ';')) fail(`Spark: ${message}\n${statement}`);
if (!spark.validate('SELEC name FROM sites;').length) fail("Spark's grammar takes anything");
console.log(`DuckDB's answers are right and stand in the guide; Spark's grammar takes all statements, and the
questions mean the same in both`);
