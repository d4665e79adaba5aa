// Reads Parquet files with DuckDB and with parquet-wasm, and compares every value with the CSV.
// SPDX-License-Identifier: Apache-2.0
//
// usage: node read-parquet.mjs FILE...    (FILE.parquet and FILE.csv of the same trace)
import {readFileSync} from 'node:fs';
import {DuckDBInstance} from '@duckdb/node-api';
import {tableFromIPC} from 'apache-arrow';
import {readParquet} from 'parquet-wasm';

/** Rows of RFC 4180. */
function parseCsv(text) {
  const rows = [[]];
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\n]*))(,|\n)/g)) {
    rows.at(-1).push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === '\n') rows.push([]);
  }
  rows.pop();
  return rows;
}

async function withDuckDb(path) {
  const connection = await (await DuckDBInstance.create()).connect();
  const result = await connection.runAndReadAll(`SELECT * FROM read_parquet('${path}')`);
  return {names: result.columnNames(), columns: result.getColumns()};
}

function withParquetWasm(path) {
  const table = tableFromIPC(readParquet(new Uint8Array(readFileSync(path))).intoIPCStream());
  const names = table.schema.fields.map(field => field.name);
  return {names, columns: names.map(name => [...table.getChild(name)])};
}

/** The CSV has six digits of a number with a fraction. */
function isSame(value, text) {
  if (typeof value === 'number') return Math.abs(value - Number(text)) <= 1e-5 * Math.abs(value);
  return String(value) === text;
}

function compare(reader, {names, columns}, [head, ...rows]) {
  if (names.join() !== head.join()) throw new Error(`${reader}: columns ${names}`);
  names.forEach((name, at) => {
    const column = columns[at];
    if (column.length !== rows.length)
      throw new Error(`${reader}: ${name} has ${column.length} values of ${rows.length}`);
    const wrong = rows.findIndex((row, i) => !isSame(column[i], row[at]));
    if (wrong >= 0)
      throw new Error(`${reader}: ${name}, row ${wrong}: ${column[wrong]}, not ${rows[wrong][at]}`);
  });
  console.log(`${reader}: ${rows.length} rows of ${names.length} columns are those of the CSV`);
}

for (const file of process.argv.slice(2)) {
  const rows = parseCsv(readFileSync(`${file}.csv`, 'utf8'));
  compare('DuckDB', await withDuckDb(`${file}.parquet`), rows);
  compare('parquet-wasm', withParquetWasm(`${file}.parquet`), rows);
}
