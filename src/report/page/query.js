// Events by number: pages of the table, filters, search, statistics of a selection, values over time. Runs in the worker.
import { BLOCK, lineAt } from './bytes.js';
import { blockOfEvent, blocksBetween, fitTogether } from './store.js';
import { VERDICT, compileFilter } from './filter.js';
import { findField, valueAt } from './values.js';

/** Lets other requests be answered in between. */
function pause() {
    return new Promise(resolve => setTimeout(resolve));
}

const PAUSE_EVERY_BLOCKS = 8;
const MATCHES_MAX = 1 << 20;
const SAMPLES_MAX = 2 << 20;

/** One event, as filters see it. The object is used again for the next one. */
class Row {
    constructor(index) {
        this.index = index;
        this.isProbe = false;
        this.text = null; // that has its fields; null: they were left out, or are not needed
        this.fieldsBegin = 0;
        this.fieldsEnd = 0;
    }

    set(rows, n) {
        const kind = this.index.kinds[rows.kind[n]];
        this.number = rows.first + n;
        this.time = rows.time[n];
        this.cpu = rows.cpu[n];
        this.kindNumber = rows.kind[n];
        this.kind = kind;
        this.threadNumber = rows.thread[n];
        this.thread = this.index.threads[rows.thread[n]];
        this.provider = kind.provider;
        this.name = kind.event;
        return this;
    }

    setFields(values) {
        const n = values ? this.number - values.first : 0;
        this.text = values ? values.text : null;
        this.fieldsBegin = values ? values.begins[n] : 0;
        this.fieldsEnd = values ? values.fieldEnds[n] : 0;
    }
}

/** The values of a block's events, in order. */
export function valuesOf(store, block, isKept) {
    const first = block[BLOCK.first];
    const end = first + block[BLOCK.count];
    const list = [];
    for (let at = first; at < end;) {
        const values = blockOfEvent(store.index.values, at);
        if (!values) // those of this event and of all that follow were left out
            break;
        list.push(store.values(values, isKept));
        at = values[BLOCK.first] + values[BLOCK.count];
    }
    return Promise.all(list);
}

async function lineOf(store, number) {
    const block = blockOfEvent(store.index.values, number);
    return block ? lineAt(await store.values(block), number) : undefined;
}

/** An event with everything that is known of it; null if there is none. */
export async function event(store, number) {
    const block = blockOfEvent(store.index.rows, number);
    if (!block)
        return null;
    const rows = await store.rows(block);
    const n = number - rows.first;
    return {
        number, time: rows.time[n], thread: rows.thread[n], kind: rows.kind[n], cpu: rows.cpu[n] - 1,
        flags: rows.flags[n], line: await lineOf(store, number),
    };
}

/** The first event at or after a time; the number of events if there is none. */
export async function eventAt(store, time) {
    const block = store.index.rows.find(one => one[BLOCK.end] >= time);
    if (!block)
        return store.index.events;
    const rows = await store.rows(block);
    let low = 0;
    let high = rows.count;
    while (low < high) {
        const middle = (low + high) >> 1;
        if (rows.time[middle] < time)
            low = middle + 1;
        else
            high = middle;
    }
    return rows.first + low;
}

/** Rows of the table: `count` of them from `from` on, of those that a filter selected. */
export async function page(store, of, matches) {
    const rows = [];
    const total = matches ? matches.length : store.index.events;
    for (let n = of.from; n < Math.min(of.from + of.count, total); n++)
        rows.push(await event(store, matches ? matches[n] : n));
    return { from: of.from, total, rows };
}

/** The kinds of events that a block can have, as the index says: a set of numbers modulo 32. */
function mayHave(block, verdicts) {
    const kinds = block[BLOCK.kinds];
    return !verdicts || kinds === undefined || verdicts.some((verdict, kind) => verdict && kinds >>> kind % 32 & 1);
}

const BLOCKS_AHEAD = 4; // are read while one is looked at

/**
 * Goes through the events of a time.
 * @param {{begin: number, end: number}} range
 * @param {{verdicts?: number[], needsValues: boolean}} of  verdicts: of each kind, whether it is wanted
 * @param {(row: Row, verdict: number) => boolean} each  returns false to end
 */
async function scan(store, range, of, progress, each) {
    const { verdicts } = of;
    const blocks = blocksBetween(store.index.rows, range.begin, range.end).filter(block => mayHave(block, verdicts));
    const keepsRows = fitTogether(blocks);
    const keepsValues = keepsRows && fitTogether(store.index.values);
    const load = async block => {
        const rows = await store.rows(block, keepsRows);
        const needsValues = of.needsValues && (!verdicts || rows.kind.some(kind => verdicts[kind] === VERDICT.each));
        return { rows, values: needsValues ? await valuesOf(store, block, keepsValues) : [] };
    };
    const loading = [];
    const row = new Row(store.index);
    for (let b = 0; b < blocks.length; b++) {
        while (loading.length < BLOCKS_AHEAD && b + loading.length < blocks.length) {
            const next = load(blocks[b + loading.length]);
            next.catch(() => {}); // it is reported when it is its turn
            loading.push(next);
        }
        const { rows, values } = await loading.shift();
        if (!eachOf(row, rows, values, range, verdicts, each))
            return;
        if (b % PAUSE_EVERY_BLOCKS === 0)
            await pause();
        if (!progress(b + 1, blocks.length))
            return;
    }
}

/** The rows of a block. False: no more are wanted. */
function eachOf(row, rows, values, range, verdicts, each) {
    let v = 0;
    for (let n = 0; n < rows.count; n++) {
        const verdict = verdicts ? verdicts[rows.kind[n]] : VERDICT.each;
        if (!verdict || rows.time[n] < range.begin || rows.time[n] > range.end)
            continue;
        row.set(rows, n);
        while (v < values.length && values[v].first + values[v].count <= row.number)
            v++;
        row.setFields(v < values.length && values[v].first <= row.number ? values[v] : null);
        if (!each(row, verdict))
            return false;
    }
    return true;
}

/** The numbers of the events that a filter selects. */
export async function filter(store, of, progress) {
    const compiled = compileFilter(of.text);
    const verdicts = store.index.kinds.map(compiled.verdict);
    const numbers = new Float64Array(MATCHES_MAX);
    const times = new Float64Array(MATCHES_MAX);
    const threads = new Uint16Array(MATCHES_MAX);
    const known = compiled.fields.filter(name => store.index.kinds.some(kind => kind.fields && findField(kind.fields, name)));
    let count = 0;
    let isCut = false;
    await scan(store, of, { verdicts, needsValues: compiled.needsValues }, progress, (row, verdict) => {
        if (verdict !== VERDICT.all && !compiled.matches(row))
            return true;
        if (count === MATCHES_MAX) {
            isCut = true;
            return false;
        }
        numbers[count] = row.number;
        times[count] = row.time;
        threads[count++] = row.threadNumber;
        return true;
    });
    return {
        numbers: numbers.slice(0, count), times: times.slice(0, count), threads: threads.slice(0, count), isCut,
        unknown: compiled.fields.filter(name => !known.includes(name)),
    };
}

/** The numbers of the events whose values contain a text, which is in lower case, in order. */
function numbersWith(values, text) {
    const numbers = new Set();
    const all = values.text.toLowerCase();
    if (all.length !== values.text.length) { // positions would differ
        for (let n = 0; n < values.count; n++)
            if (lineAt(values, values.first + n).toLowerCase().includes(text))
                numbers.add(values.first + n);
        return numbers;
    }
    let n = 0;
    for (let at = all.indexOf(text); at >= 0; at = all.indexOf(text, values.begins[n])) {
        while (n < values.count && values.begins[n] <= at)
            n++;
        numbers.add(values.first + n - 1);
        if (n === values.count)
            break;
    }
    return numbers;
}

/** Finds the next event, from a number on, whose name, thread or values contain a text. */
export async function find(store, of, progress) {
    const text = of.text.toLowerCase();
    const blocks = store.index.rows;
    const kinds = store.index.kinds.map(kind => `${kind.provider}:${kind.event}`.toLowerCase().includes(text));
    const threads = store.index.threads.map(thread => `${thread[3]} ${thread[2]}`.toLowerCase().includes(text));
    const isKept = fitTogether(blocks) && fitTogether(store.index.values);
    const step = of.backward ? -1 : 1;
    let b = blocks.indexOf(blockOfEvent(blocks, Math.min(Math.max(of.from, 0), store.index.events - 1)));
    for (let looked = 0; b >= 0 && b < blocks.length; b += step) {
        const rows = await store.rows(blocks[b], isKept);
        const found = (await valuesOf(store, blocks[b], isKept)).map(values => numbersWith(values, text));
        for (let i = 0; i < rows.count; i++) {
            const n = of.backward ? rows.count - 1 - i : i;
            const number = rows.first + n;
            if (of.backward ? number > of.from : number < of.from)
                continue;
            if (kinds[rows.kind[n]] || threads[rows.thread[n]] || found.some(numbers => numbers.has(number)))
                return event(store, number);
        }
        if (looked % PAUSE_EVERY_BLOCKS === 0)
            await pause();
        if (!progress(++looked, blocks.length))
            return null;
    }
    return null;
}

const QUANTILES = [0.5, 0.9, 0.99];

function describe(durations) {
    const sorted = Float64Array.from(durations).sort();
    const at = part => sorted[Math.min(sorted.length - 1, Math.ceil(part * sorted.length) - 1)];
    return [sorted.length, sorted.reduce((sum, one) => sum + one, 0), sorted[0], ...QUANTILES.map(at), sorted[sorted.length - 1]];
}

const DURATIONS_MAX = 4 << 20;

/** Counts of a selection: events by kind and by thread; spans and states that are in it, even in part. */
export async function statistics(store, of, progress) {
    const kinds = new Float64Array(store.index.kinds.length);
    const threads = new Float64Array(store.index.threads.length);
    const durations = new Map(); // by the kind that begins spans
    const states = new Map(); // by thread
    let events = 0;
    let collected = 0;

    await scan(store, of, { needsValues: false }, progress, row => {
        events++;
        kinds[row.kindNumber]++;
        threads[row.threadNumber]++;
        return true;
    });
    for (const level of store.index.levels) {
        for (const block of blocksBetween(level.items, of.begin, of.end)) {
            const items = await store.items(block);
            for (let n = 0; n < items.count; n++) {
                if (items.start[n] > of.end || items.stop[n] < of.begin)
                    continue;
                const track = store.index.tracks[items.track[n]];
                if (track[1] === 2) {
                    const inside = Math.min(items.stop[n], of.end) - Math.max(items.start[n], of.begin);
                    if (!states.has(track[0]))
                        states.set(track[0], new Float64Array(store.index.states.length));
                    states.get(track[0])[items.name[n]] += inside;
                } else if (collected < DURATIONS_MAX) {
                    collected++;
                    if (!durations.has(items.name[n]))
                        durations.set(items.name[n], []);
                    durations.get(items.name[n]).push(items.stop[n] - items.start[n]);
                }
            }
        }
    }
    return {
        ...of, events, kinds, threads, isCut: collected === DURATIONS_MAX,
        durations: [...durations].map(([kind, list]) => [kind, describe(list)]),
        states: [...states].map(([thread, times]) => [thread, [...times]]),
    };
}

/** The numbers that a field has over time. */
export async function series(store, of, progress) {
    const times = [];
    const numbers = [];
    const ways = store.index.kinds.map(kind => kind.provider === of.provider && kind.event === of.event && kind.fields ? findField(kind.fields, of.field) : null);
    const verdicts = ways.map(way => way ? VERDICT.each : VERDICT.none);
    await scan(store, { begin: 0, end: store.index.last_ns }, { verdicts, needsValues: true }, progress, row => {
        const way = ways[row.kindNumber];
        const value = row.text === null ? null : valueAt(row.text, row.fieldsBegin, row.fieldsEnd, way);
        if (typeof value === 'number' || typeof value === 'bigint') {
            times.push(row.time);
            numbers.push(Number(value));
        }
        return times.length < SAMPLES_MAX;
    });
    return { ...of, times: Float64Array.from(times), numbers: Float64Array.from(numbers) };
}

/** The span that an event begins, if one does; for the details of an event. */
export async function spanOf(store, number, time) {
    for (const level of store.index.levels) {
        for (const block of blocksBetween(level.items, time, time)) {
            const items = await store.items(block);
            const n = items.event.indexOf(number);
            if (n >= 0 && store.index.tracks[items.track[n]][1] === 1)
                return { start: items.start[n], stop: items.stop[n], track: items.track[n] };
        }
    }
    return null;
}

