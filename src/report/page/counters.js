// Which fields are counters: numbers that change over time and are worth a line of the timeline. Runs in the worker.
import { ROW } from './bytes.js';
import { valuesOf } from './query.js';
import { splitValues, valueOf } from './values.js';

const BLOCKS_MAX = 12; // that are looked at, over the whole time
const SAMPLES_OF_KIND = 256; // of a kind in a block
const COUNTERS_MAX = 6;
const SAMPLES_MIN = 8;
const DISTINCT_MIN = 3;

// Numbers that name something, or say when or where it was.
const NAMES = new Set(['id', 'ids', 'pid', 'tid', 'tgid', 'ppid', 'uid', 'gid', 'fd', 'ino', 'inode', 'dev', 'port', 'addr', 'address', 'ptr', 'pointer', 'ip', 'hash',
    'seq', 'sequence', 'serial', 'number', 'no', 'nr', 'num', 'index', 'idx', 'line', 'time', 'timestamp', 'ts', 'date', 'cookie', 'key', 'handle', 'flags', 'flag', 'mode', 'mask',
    'prio', 'priority', 'cpu', 'core', 'node', 'offset', 'pfn', 'sector', 'error', 'errno', 'status', 'code', 'ret', 'result', 'type', 'kind', 'version', 'major', 'minor', 'vec', 'vector', 'irq', 'crc', 'checksum', 'job']);
// Words of quantities.
const QUANTITIES = new Set(['length', 'len', 'depth', 'size', 'bytes', 'count', 'used', 'free', 'total', 'load', 'usage', 'rate', 'temp', 'temperature', 'latency', 'duration',
    'queue', 'queued', 'pending', 'active', 'level', 'percent', 'fps', 'mem', 'memory', 'heap', 'rss', 'connections', 'threads', 'hits', 'misses', 'ns', 'us', 'ms', 'volume', 'speed', 'frequency', 'watts', 'volts', 'balance', 'amount']);

function wordsOf(name) {
    return name.split(/(?<=[a-z\d])(?=[A-Z])|[^A-Za-z\d]+/).map(word => word.toLowerCase()).filter(Boolean);
}

/** What is known of one field. */
class Field {
    constructor(kind, name) {
        const words = wordsOf(name);
        this.kind = kind;
        this.name = name;
        this.isName = words.some(word => NAMES.has(word));
        this.isQuantity = words.some(word => QUANTITIES.has(word)) || wordsOf(kind.event).some(word => QUANTITIES.has(word));
        this.samples = 0;
        this.rising = 0; // by one from one event to the next, as numbers of a sequence do
        this.distinct = new Set();
    }

    add(number) {
        if (number === this.last + 1)
            this.rising++;
        this.last = number;
        this.samples++;
        if (this.distinct.size < DISTINCT_MIN)
            this.distinct.add(number);
    }

    get isCounter() {
        return !this.isName && this.samples >= SAMPLES_MIN && this.distinct.size >= DISTINCT_MIN && (this.isQuantity || this.rising < this.samples * 0.7);
    }
}

/** Spread over the whole time. */
function someOf(blocks) {
    const step = Math.max(1, blocks.length / BLOCKS_MAX);
    const some = [];
    for (let at = 0; at < blocks.length; at += step)
        some.push(blocks[Math.floor(at)]);
    return some;
}

async function look(store, block, fields) {
    const rows = await store.rows(block, false);
    const seen = new Uint32Array(store.index.kinds.length);
    let n = 0;
    for (const values of await valuesOf(store, block, false)) {
        for (; n < rows.count && rows.first + n < values.first + values.count; n++) {
            const kind = store.index.kinds[rows.kind[n]];
            if (!kind.fields || rows.flags[n] & ROW.sched || seen[rows.kind[n]]++ >= SAMPLES_OF_KIND)
                continue;
            const at = rows.first + n - values.first;
            takeValues(fields, rows.kind[n], kind, splitValues(values.text.slice(values.begins[at], values.fieldEnds[at])));
        }
    }
}

function takeValues(fields, number, kind, values) {
    let position = 0;
    for (let n = 0; n < kind.fields.length; n++, position++) {
        const [name, members, isArray] = kind.fields[n];
        n += members;
        const value = members || isArray ? null : valueOf(values[position]);
        if (typeof value !== 'number' || !Number.isFinite(value))
            continue;
        const key = `${number} ${position}`;
        if (!fields.has(key))
            fields.set(key, new Field(kind, name));
        fields.get(key).add(value);
    }
}

/**
 * The counters that are found, the most useful first.
 * @returns {Promise<{provider: string, event: string, field: string}[]>}
 */
export async function counters(store) {
    const fields = new Map();
    for (const block of someOf(store.index.rows))
        await look(store, block, fields);
    const names = new Map(); // kinds of one name: those of several programs
    for (const field of [...fields.values()].filter(one => one.isCounter).sort((a, b) => Number(b.isQuantity) - Number(a.isQuantity) || b.kind.count - a.kind.count)) {
        const key = `${field.kind.provider}\n${field.kind.event}\n${field.name}`;
        if (!names.has(key))
            names.set(key, { provider: field.kind.provider, event: field.kind.event, field: field.name });
    }
    return [...names.values()].slice(0, COUNTERS_MAX);
}
