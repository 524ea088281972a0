/* SPDX-License-Identifier: MIT */
/* Questions that people ask, and the SQL that answers them: of any recording. */
#include <cairn/query.h>

static const struct cairn_query_example examples[] = {
    {"Which events are there, and how many?",
     "SELECT provider, event, count(*) AS events FROM events\n"
     "  GROUP BY provider, event ORDER BY events DESC"},
    {"What is in the recordings, from when to when, and is anything wrong with them?",
     "SELECT path, events, wall(first_ns) AS first, (last_ns - first_ns) / 1e9 AS seconds, lost,\n"
     "    damaged, error FROM files"},
    {"Which threads write the most events?",
     "SELECT comm, pid, tid, events FROM threads ORDER BY events DESC LIMIT 20"},
    {"How many events are there in each second, by thread?",
     "SELECT wall(time_bucket('1s', time_ns)) AS second, tid, count(*) AS events FROM events\n"
     "  GROUP BY 1, 2 ORDER BY 1, events DESC"},
    {"When are there most events?",
     "SELECT wall(time_bucket('100ms', time_ns)) AS begin, count(*) AS events FROM events\n"
     "  GROUP BY 1 ORDER BY events DESC LIMIT 10"},
    {"What was lost, where, and why?",
     "SELECT path, cause, events, processes FROM losses ORDER BY events DESC"},
    {"Where are the longest gaps without any event?",
     "SELECT wall(time_ns) AS after, (next - time_ns) / 1e6 AS ms FROM\n"
     "    (SELECT time_ns, lead(time_ns) OVER (ORDER BY time_ns) AS next FROM events)\n"
     "  WHERE next IS NOT NULL ORDER BY ms DESC LIMIT 10"},
    {"Which errors and warnings are there?",
     "SELECT level, provider, event, count(*) AS events, wall(min(time_ns)) AS first FROM events\n"
     "  WHERE level_number BETWEEN 1 AND 3 GROUP BY 1, 2, 3 ORDER BY level_number, events DESC"},
    {"What happened just before the first error?",
     "SELECT wall, comm, tid, event, fields FROM events\n"
     "  WHERE time_ns <= (SELECT min(time_ns) FROM events WHERE level_number BETWEEN 1 AND 2)\n"
     "  ORDER BY time_ns DESC LIMIT 20"},
    {"Which source lines write the most events?",
     "SELECT file, line, function, count(*) AS events FROM events WHERE file IS NOT NULL\n"
     "  GROUP BY 1, 2, 3 ORDER BY events DESC LIMIT 20"},
    {"How are the durations of activities distributed?",
     "SELECT name, count(*) AS count, median(duration_ns) / 1e6 AS p50_ms,\n"
     "    percentile(duration_ns, 90) / 1e6 AS p90_ms, percentile(duration_ns, 99) / 1e6 AS "
     "p99_ms,\n"
     "    max(duration_ns) / 1e6 AS max_ms FROM spans GROUP BY name ORDER BY count DESC"},
    {"Which activities are the slowest?",
     "SELECT name, comm, tid, duration_ns / 1e6 AS ms, wall(start_ns) AS start, start_fields\n"
     "  FROM spans ORDER BY duration_ns DESC LIMIT 10"},
    {"Which activities take the time themselves, without those that they contain?",
     "SELECT name, count(*) AS count, sum(self_ns) / 1e6 AS self_ms, sum(duration_ns) / 1e6 AS ms\n"
     "  FROM spans GROUP BY name ORDER BY self_ms DESC LIMIT 20"},
    {"Which activities never stopped?",
     "SELECT name, comm, tid, wall(start_ns) AS start, start_fields FROM activities\n"
     "  WHERE stop_ns IS NULL ORDER BY start_ns"},
    {"What did the slowest activities' threads wait for?",
     "SELECT s.id, s.name, s.duration_ns / 1e6 AS ms, t.state,\n"
     "    sum(overlap(s.start_ns, s.stop_ns, t.start_ns, t.stop_ns)) / 1e6 AS state_ms\n"
     "  FROM (SELECT * FROM spans ORDER BY duration_ns DESC LIMIT 10) s JOIN thread_state t\n"
     "    ON t.tid = s.tid AND t.recording = s.recording\n"
     "      AND t.stop_ns > s.start_ns AND t.start_ns < s.stop_ns\n"
     "  GROUP BY s.id, t.state ORDER BY ms DESC, state_ms DESC"},
    {"How long does each thread run, and wait for a CPU, for others, for a disk?",
     "SELECT comm, tid, sum(duration_ns) FILTER (WHERE state = 'running') / 1e6 AS running_ms,\n"
     "    sum(duration_ns) FILTER (WHERE state = 'runnable') / 1e6 AS runnable_ms,\n"
     "    sum(duration_ns) FILTER (WHERE state = 'sleeping') / 1e6 AS sleeping_ms,\n"
     "    sum(duration_ns) FILTER (WHERE state = 'blocked') / 1e6 AS blocked_ms\n"
     "  FROM thread_state GROUP BY tid, recording ORDER BY running_ms DESC"},
    {"Who preempted whom?",
     "SELECT comm AS preempted, next_comm AS by, count(*) AS times FROM sched\n"
     "  WHERE end_state = 'runnable' AND tid <> 0 GROUP BY 1, 2 ORDER BY times DESC LIMIT 20"},
    {"Who woke whom, and how long did it then wait for a CPU?",
     "SELECT t.comm, t.tid, t.waker, count(*) AS times, median(duration_ns) / 1e3 AS p50_us,\n"
     "    max(duration_ns) / 1e3 AS max_us FROM thread_state t\n"
     "  WHERE state = 'runnable' AND waker IS NOT NULL GROUP BY 1, 2, 3 ORDER BY times DESC LIMIT "
     "20"},
    {"How busy is each CPU?",
     "SELECT recording, cpu, count(*) AS switches,\n"
     "    sum(duration_ns) FILTER (WHERE tid <> 0) * 100.0 / sum(duration_ns) AS percent\n"
     "  FROM sched GROUP BY 1, 2 ORDER BY 1, 2"},
    {"Which numbers do events have, and in which ranges are they?",
     "SELECT event, field, count(*) AS count, min(value) AS min, median(value) AS p50,\n"
     "    percentile(value, 99) AS p99, max(value) AS max FROM metrics\n"
     "  GROUP BY event, field ORDER BY event, field"},
};

size_t cairn_query_example_count(void)
{
    return sizeof(examples) / sizeof(*examples);
}

const struct cairn_query_example *cairn_query_example(size_t index)
{
    return &examples[index];
}
