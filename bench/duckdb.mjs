// SPDX-License-Identifier: MIT
// The questions of query_cost.py, by DuckDB: prints the seconds of each, and of loading, as JSON.
// usage: duckdb.mjs JSONL PARQUET TURNS
import { createRequire } from 'node:module';

const [lines, parquet, turns] = process.argv.slice(2);
const duckdb = createRequire(process.cwd() + '/')('@duckdb/node-api');
const connection = await (await duckdb.DuckDBInstance.create(':memory:')).connect();
const FIELDS = `"Path" VARCHAR, "User" BIGINT, "DurationUs" BIGINT, "Rows" BIGINT, "Ms" DOUBLE, "Table" VARCHAR, "Hit" BOOLEAN,
  "Step" BIGINT, "Status" BIGINT, prev_comm VARCHAR, prev_pid BIGINT, prev_prio BIGINT, prev_state BIGINT, next_comm VARCHAR,
  next_pid BIGINT, next_prio BIGINT, comm VARCHAR, pid BIGINT, prio BIGINT, target_cpu BIGINT`;
const COLUMNS = `{time_ns: 'BIGINT', provider: 'VARCHAR', event: 'VARCHAR', level: 'VARCHAR', opcode: 'VARCHAR', cpu: 'INTEGER',
  pid: 'INTEGER', tid: 'INTEGER', comm: 'VARCHAR', activity: 'VARCHAR', fields: 'STRUCT(${FIELDS})'}`;
const SETUP = `CREATE VIEW events AS SELECT * FROM '${parquet}';
CREATE VIEW spans AS SELECT a.time_ns AS start_ns, b.time_ns AS stop_ns, a.tid AS tid
  FROM events a JOIN events b ON b.activity = a.activity AND b.opcode = 'activity_stop' WHERE a.opcode = 'activity_start';
CREATE VIEW switches AS SELECT time_ns, fields.prev_pid AS prev, fields.next_pid AS next, fields.prev_state AS state
  FROM events WHERE event = 'sched_switch';
CREATE VIEW changes AS
  SELECT time_ns, prev AS tid, CASE state WHEN 0 THEN 'runnable' WHEN 1 THEN 'sleeping' ELSE 'blocked' END AS state
    FROM switches WHERE prev <> 0
  UNION ALL SELECT time_ns, next, 'running' FROM switches WHERE next <> 0
  UNION ALL SELECT time_ns, fields.pid, 'woken' FROM events WHERE event = 'sched_waking';
CREATE VIEW kept AS SELECT * FROM (SELECT *, lag(state) OVER (PARTITION BY tid ORDER BY time_ns) AS before FROM changes)
  WHERE NOT (state = 'woken' AND before IN ('running', 'runnable'));
CREATE VIEW thread_state AS SELECT tid, CASE state WHEN 'woken' THEN 'runnable' ELSE state END AS state, time_ns AS start_ns,
  lead(time_ns) OVER (PARTITION BY tid ORDER BY time_ns) AS stop_ns FROM kept`;
const QUESTIONS = {
  count: 'SELECT count(*) FROM events',
  group: 'SELECT event, count(*) FROM events GROUP BY event',
  percentile: "SELECT quantile_cont(fields.DurationUs, 0.95) FROM events WHERE event = 'Query'",
  join: `SELECT t.state, count(*), sum(least(s.stop_ns, t.stop_ns) - greatest(s.start_ns, t.start_ns)) FROM spans s
    JOIN thread_state t ON t.tid = s.tid AND t.stop_ns > s.start_ns AND t.start_ns < s.stop_ns GROUP BY 1`,
};
const JOIN_LIMIT_MS = 120000; // DuckDB compares all rows of a thread

async function seconds(sql, limit) {
  const start = performance.now();
  const timer = limit && setTimeout(() => connection.interrupt(), limit);
  try {
    await connection.run(sql);
  } catch (error) {
    if (!limit || performance.now() - start < limit) throw error;
  }
  clearTimeout(timer);
  return (performance.now() - start) / 1000;
}

const results = {
  load: [await seconds(`COPY (SELECT * FROM read_json('${lines}', format = 'newline_delimited', columns = ${COLUMNS}))
    TO '${parquet}' (FORMAT parquet)`)],
};
for (const sql of SETUP.split(';')) await connection.run(sql);
for (const [name, sql] of Object.entries(QUESTIONS)) {
  results[name] = [];
  for (let n = 0; n < (name === 'join' ? 1 : turns); n++) results[name].push(await seconds(sql, name === 'join' && JOIN_LIMIT_MS));
}
console.log(JSON.stringify(results));
process.exit(0);
