// The answers of cairn query are those of DuckDB over the JSON lines of the same recording: forty questions, each in the SQL of both.
// Runs if the package @duckdb/node-api is found (NODE_PATH); otherwise exits with 77.
// usage: compare_duckdb.mjs CAIRN RECORDING|MAKE_RECORDING
import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { mkdtempSync, openSync, closeSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const [cairn, source] = process.argv.slice(2);
let duckdb;
try {
  duckdb = createRequire(import.meta.url)('@duckdb/node-api');
} catch {
  console.log('no DuckDB (@duckdb/node-api)');
  process.exit(77);
}

// Tables of DuckDB with the contents of ours, made from the JSON lines alone. DuckDB compares each span with all rows of its thread,
// unless it is asked for the last one before: the spans of a thread, as its states, do not overlap.
const SETUP = `
CREATE TABLE events AS SELECT *, time_ns AS t FROM read_json('JSONL', format = 'newline_delimited', sample_size = -1);
CREATE VIEW query AS SELECT e.*, fields.DurationUs AS DurationUs, fields."Rows" AS "Rows", fields.Ms AS Ms, fields."Table" AS "Table",
  fields.Hit AS Hit FROM events e WHERE event = 'Query';
CREATE VIEW activities AS SELECT a.activity AS id, a.event AS name, a.time_ns AS start_ns, b.time_ns AS stop_ns,
  b.time_ns - a.time_ns AS duration_ns, a.tid AS tid, a.comm AS comm, a.fields.Path AS path, b.fields.Status AS status
  FROM events a LEFT JOIN events b ON b.activity = a.activity AND b.opcode = 'activity_stop' WHERE a.opcode = 'activity_start';
CREATE VIEW ended AS SELECT * FROM activities WHERE stop_ns IS NOT NULL;
CREATE VIEW switches AS SELECT time_ns, cpu, fields.prev_pid AS prev, fields.next_pid AS next, fields.prev_state AS state,
  fields.prev_comm AS prev_comm, lag(time_ns) OVER (PARTITION BY cpu ORDER BY time_ns) AS since_ns FROM events WHERE event = 'sched_switch';
CREATE VIEW changes AS
  SELECT time_ns, prev AS tid, CASE state WHEN 0 THEN 'runnable' WHEN 1 THEN 'sleeping' ELSE 'blocked' END AS state, NULL AS waker
    FROM switches WHERE prev <> 0
  UNION ALL SELECT time_ns, next, 'running', NULL FROM switches WHERE next <> 0
  UNION ALL SELECT time_ns, fields.pid, 'woken', tid FROM events WHERE event = 'sched_waking';
CREATE VIEW kept AS SELECT * FROM (SELECT *, lag(state) OVER (PARTITION BY tid ORDER BY time_ns) AS before FROM changes)
  WHERE NOT (state = 'woken' AND before IN ('running', 'runnable'));
CREATE VIEW thread_state AS SELECT tid, CASE state WHEN 'woken' THEN 'runnable' ELSE state END AS state, waker, time_ns AS start_ns,
  coalesce(lead(time_ns) OVER (PARTITION BY tid ORDER BY time_ns), (SELECT max(time_ns) FROM events WHERE provider = 'sched')) AS stop_ns
  FROM kept;
`;

const Q = '"Shop:Query"', R = '"Shop:Request"', S = '"sched:sched_switch"', W = '"sched:sched_waking"';
const same = sql => [sql, sql];
const QUESTIONS = [
  // counts and names
  same('SELECT count(*) FROM events'),
  same('SELECT event, count(*) FROM events GROUP BY event ORDER BY event'),
  same('SELECT provider, count(*), count(DISTINCT event) FROM events GROUP BY provider ORDER BY provider'),
  same('SELECT DISTINCT event FROM events ORDER BY 1'),
  same("SELECT count(*) FROM events WHERE event = 'Query'"),
  same("SELECT count(*) FROM events WHERE event IN ('Query', 'Parsed') AND cpu = 2"),
  same("SELECT event, count(*) FROM events WHERE event LIKE 'sched%' GROUP BY 1 ORDER BY 1"),
  // parts of events
  same('SELECT min(time_ns), max(time_ns) FROM events'),
  same('SELECT tid, count(*) FROM events GROUP BY tid ORDER BY tid'),
  same('SELECT cpu, count(*), min(time_ns) FROM events WHERE pid <> 0 GROUP BY cpu ORDER BY cpu'),
  same('SELECT comm, count(*) FROM events WHERE comm IS NOT NULL GROUP BY comm ORDER BY comm'),
  same('SELECT level, opcode, count(*) FROM events GROUP BY 1, 2 ORDER BY 1 NULLS FIRST, 2 NULLS FIRST'),
  same('SELECT count(DISTINCT activity) FROM events'),
  same('SELECT count(*) FROM events WHERE time_ns BETWEEN 1700000000000500000 AND 1700000000001500000'),
  same("SELECT time_ns, event, tid FROM events WHERE time_ns > 1700000000000900000 AND tid = 4003 ORDER BY time_ns LIMIT 20"),
  ["SELECT activity, count(*) FROM events WHERE activity = 'ab000000-0000-0000-0000-000000000010' GROUP BY 1",
   "SELECT activity, count(*) FROM events WHERE activity = 'ab000000-0000-0000-0000-000000000010' GROUP BY 1"],
  // fields
  [`SELECT sum(DurationUs), min(DurationUs), max(DurationUs), avg(DurationUs) FROM ${Q}`,
   'SELECT sum(DurationUs), min(DurationUs), max(DurationUs), avg(DurationUs) FROM query'],
  [`SELECT median(DurationUs), percentile(DurationUs, 90), percentile_cont(DurationUs, 0.99), percentile_disc(DurationUs, 0.95) FROM ${Q}`,
   'SELECT median(DurationUs), quantile_cont(DurationUs, 0.9), quantile_cont(DurationUs, 0.99), quantile_disc(DurationUs, 0.95) FROM query'],
  [`SELECT "Table", count(*), percentile_cont(DurationUs, 0.5), max("Rows") FROM ${Q} GROUP BY 1 ORDER BY 1`,
   'SELECT "Table", count(*), quantile_cont(DurationUs, 0.5), max("Rows") FROM query GROUP BY 1 ORDER BY 1'],
  [`SELECT "Table", Hit, sum(Ms), sum("Rows") FROM ${Q} GROUP BY 1, 2 ORDER BY 1, 2`,
   'SELECT "Table", Hit, sum(Ms), sum("Rows") FROM query GROUP BY 1, 2 ORDER BY 1, 2'],
  [`SELECT time_ns, DurationUs, "Table" FROM ${Q} ORDER BY DurationUs DESC, time_ns LIMIT 10`,
   'SELECT time_ns, DurationUs, "Table" FROM query ORDER BY DurationUs DESC, time_ns LIMIT 10'],
  [`SELECT count(*) FROM ${Q} WHERE Ms > 0.05 AND "Table" = 'items'`, `SELECT count(*) FROM query WHERE Ms > 0.05 AND "Table" = 'items'`],
  [`SELECT Path, count(*), count(DISTINCT User) FROM ${R} WHERE Path IS NOT NULL GROUP BY 1 ORDER BY 1`,
   "SELECT fields.Path, count(*), count(DISTINCT fields.User) FROM events WHERE opcode = 'activity_start' GROUP BY 1 ORDER BY 1"],
  [`SELECT Status, count(*) FROM ${R} WHERE opcode = 'activity_stop' GROUP BY 1 ORDER BY 1`,
   "SELECT fields.Status, count(*) FROM events WHERE opcode = 'activity_stop' GROUP BY 1 ORDER BY 1"],
  [`SELECT json_extract(fields, '$.Step') AS s, count(*) FROM events WHERE event IN ('Parsed', 'Rendered') GROUP BY 1 ORDER BY 1`,
   "SELECT fields.Step AS s, count(*) FROM events WHERE event IN ('Parsed', 'Rendered') GROUP BY 1 ORDER BY 1"],
  [`SELECT time_bucket('1ms', time_ns) AS b, count(*) FROM events GROUP BY b ORDER BY b`,
   'SELECT time_ns - time_ns % 1000000 AS b, count(*) FROM events GROUP BY b ORDER BY b'],
  [`SELECT prev_comm, next_pid, count(*) FROM ${S} GROUP BY 1, 2 ORDER BY 1, 2`,
   "SELECT fields.prev_comm, fields.next_pid, count(*) FROM events WHERE event = 'sched_switch' GROUP BY 1, 2 ORDER BY 1, 2"],
  [`SELECT event_pid, pid, count(*) FROM ${W} GROUP BY 1, 2 ORDER BY 1, 2`,
   "SELECT pid, fields.pid, count(*) FROM events WHERE event = 'sched_waking' GROUP BY 1, 2 ORDER BY 1, 2"],
  [`SELECT time_ns, DurationUs - lag(DurationUs) OVER (ORDER BY time_ns) FROM ${Q} ORDER BY time_ns LIMIT 50`,
   'SELECT time_ns, DurationUs - lag(DurationUs) OVER (ORDER BY time_ns) FROM query ORDER BY time_ns LIMIT 50'],
  // activities
  same('SELECT count(*), count(stop_ns), sum(duration_ns), max(duration_ns) FROM activities'),
  same('SELECT name, tid, count(*), avg(duration_ns) FROM activities GROUP BY 1, 2 ORDER BY 1, 2'),
  [`SELECT json_extract(start_fields, '$.Path') AS p, max(duration_ns), sum(json_extract(stop_fields, '$.Status') = 500) FROM spans GROUP BY 1 ORDER BY 1`,
   'SELECT path AS p, max(duration_ns), count(*) FILTER (status = 500) FROM activities WHERE stop_ns IS NOT NULL GROUP BY 1 ORDER BY 1'],
  same('SELECT id, duration_ns FROM activities ORDER BY duration_ns DESC, id LIMIT 10'),
  [`SELECT s.id, s.duration_ns, q.DurationUs FROM spans s JOIN ${Q} q ON q.activity = s.id ORDER BY s.duration_ns DESC, s.id LIMIT 10`,
   'SELECT s.id, s.duration_ns, q.DurationUs FROM activities s JOIN query q ON q.activity = s.id ORDER BY s.duration_ns DESC, s.id LIMIT 10'],
  [`SELECT count(*), sum(e.time_ns - s.start_ns) FROM spans s JOIN events e ON e.tid = s.tid AND e.time_ns BETWEEN s.start_ns AND s.stop_ns`,
   `SELECT count(*), sum(e.time_ns - s.start_ns) FROM events e ASOF JOIN ended s ON e.tid = s.tid AND e.time_ns >= s.start_ns
      WHERE e.time_ns <= s.stop_ns`],
  // the scheduler
  ['SELECT cpu, count(*), sum(duration_ns) FROM sched WHERE tid <> 0 GROUP BY cpu ORDER BY cpu',
   'SELECT cpu, count(*), sum(time_ns - since_ns) FROM switches WHERE prev <> 0 GROUP BY cpu ORDER BY cpu'],
  ["SELECT next_tid, count(*) FROM sched WHERE end_state = 'runnable' AND tid <> 0 GROUP BY 1 ORDER BY 1",
   'SELECT next, count(*) FROM switches WHERE state = 0 AND prev <> 0 GROUP BY 1 ORDER BY 1'],
  ['SELECT state, count(*), sum(duration_ns) FROM thread_state GROUP BY state ORDER BY state',
   'SELECT state, count(*), sum(stop_ns - start_ns) FROM thread_state GROUP BY state ORDER BY state'],
  ['SELECT tid, waker, count(*) FROM thread_state WHERE waker IS NOT NULL GROUP BY 1, 2 ORDER BY 1, 2',
   'SELECT tid, waker, count(*) FROM thread_state WHERE waker IS NOT NULL GROUP BY 1, 2 ORDER BY 1, 2'],
  [`SELECT t.state, count(*), sum(overlap(s.start_ns, s.stop_ns, t.start_ns, t.stop_ns)) FROM spans s JOIN thread_state t
      ON t.tid = s.tid AND t.stop_ns > s.start_ns AND t.start_ns < s.stop_ns GROUP BY 1 ORDER BY 1`,
   `SELECT state, count(*), sum(least(s_stop, t_stop) - greatest(s_start, t_start)) FROM (
      SELECT state, s.start_ns AS s_start, s.stop_ns AS s_stop, t.start_ns AS t_start, t.stop_ns AS t_stop
        FROM thread_state t ASOF JOIN ended s ON t.tid = s.tid AND t.start_ns >= s.start_ns
      UNION ALL SELECT state, s.start_ns, s.stop_ns, t.start_ns, t.stop_ns
        FROM ended s ASOF JOIN thread_state t ON t.tid = s.tid AND s.start_ns > t.start_ns)
      WHERE t_stop > s_start AND t_start < s_stop GROUP BY 1 ORDER BY 1`],
];

// Values of both as texts: numbers with twelve digits, true and false as 1 and 0.
function normal(value) {
  if (value === null || value === undefined) return '';
  if (typeof value === 'boolean') return value ? '1' : '0';
  const text = String(value);
  if (/^-?\d+$/.test(text)) return BigInt(text).toString();
  if (/^-?[\d.]+(e[-+]?\d+)?$/i.test(text)) return String(Number(Number(text).toPrecision(12)));
  return text;
}

// Integers of 64 bits stay exact.
function parse(line) {
  return Object.values(JSON.parse(line.replace(/:(-?\d{16,})([,}])/g, ':"$1"$2')));
}

const directory = mkdtempSync(join(tmpdir(), 'cairn-query-'));
try {
  const lines = join(directory, 'events.jsonl');
  let recording = source;
  if (source.endsWith('make_recording')) {
    recording = join(directory, 'recording.data');
    execFileSync(source, ['1000', recording]);
  }
  const out = openSync(lines, 'w');
  execFileSync(cairn, ['decode', '-f', 'jsonl', recording], { stdio: ['ignore', out, 'inherit'] });
  closeSync(out);
  const connection = await (await duckdb.DuckDBInstance.create(join(directory, 'events.duckdb'))).connect();
  for (const sql of SETUP.replace('JSONL', lines).split(';'))
    if (sql.trim()) await connection.run(sql);
  let failed = 0;
  for (const [ours, theirs] of QUESTIONS) {
    const printed = execFileSync(cairn, ['query', '-f', 'jsonl', recording, ours + ' '], { encoding: 'utf8', maxBuffer: 1 << 28 });
    const mine = printed.split('\n').filter(Boolean).map(line => parse(line).map(normal).join('|'));
    const rows = await (await connection.runAndReadAll(theirs)).getRows();
    const other = rows.map(row => row.map(normal).join('|'));
    if (mine.join('\n') === other.join('\n')) continue;
    failed++;
    console.log(`differs: ${ours}\n  cairn:  ${mine.slice(0, 5).join('\n          ')}\n  DuckDB: ${other.slice(0, 5).join('\n          ')}`);
  }
  console.log(`${QUESTIONS.length - failed} of ${QUESTIONS.length} answers are those of DuckDB`);
  process.exitCode = failed ? 1 : 0;
} finally {
  rmSync(directory, { recursive: true });
}
