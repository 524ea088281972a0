// What a part of the timeline shows: rectangles for the tracks, at most one for each pixel of a track. Runs in the worker.
import { BLOCK, ROW, TRACK, TRACK_KIND } from './bytes.js';
import { blocksBetween } from './store.js';

const ROWS_MAX = 2 << 20; // that are read for one view, if a level of detail can be shown instead

/** Rectangles as columns: what is transferred to the page. */
class Rectangles {
    constructor() {
        this.capacity = 4096;
        this.count = 0;
        this.track = new Uint32Array(this.capacity);
        this.begin = new Float64Array(this.capacity);
        this.end = new Float64Array(this.capacity);
        this.name = new Uint16Array(this.capacity);
        this.counts = new Uint32Array(this.capacity);
        this.event = new Float64Array(this.capacity); // -1: several
    }

    grow() {
        this.capacity *= 2;
        for (const key of ['track', 'begin', 'end', 'name', 'counts', 'event']) {
            const larger = new this[key].constructor(this.capacity);
            larger.set(this[key]);
            this[key] = larger;
        }
    }

    add(track, begin, end, name, count, event) {
        if (this.count === this.capacity)
            this.grow();
        const n = this.count++;
        this.track[n] = track;
        this.begin[n] = begin;
        this.end[n] = end;
        this.name[n] = name;
        this.counts[n] = count;
        this.event[n] = event;
        return n;
    }

    result() {
        const columns = {};
        for (const key of ['track', 'begin', 'end', 'name', 'counts', 'event'])
            columns[key] = this[key].slice(0, this.count);
        return { count: this.count, ...columns };
    }
}

/** Joins what is narrower than a pixel with what was before it in its track and pixel. */
class Merger {
    constructor(index, nsPerPixel) {
        this.to = new Rectangles();
        this.nsPerPixel = nsPerPixel;
        this.last = new Int32Array(index.tracks.length).fill(-1);
        this.pixel = new Float64Array(index.tracks.length);
        this.weight = new Float64Array(index.tracks.length);
    }

    add(track, begin, end, name, count, event, weight) {
        if (end - begin >= this.nsPerPixel) {
            this.to.add(track, begin, end, name, count, event);
            return;
        }
        const pixel = Math.floor(begin / this.nsPerPixel);
        const n = this.last[track];
        if (n < 0 || this.pixel[track] !== pixel) {
            this.last[track] = this.to.add(track, begin, end, name, count, event);
            this.pixel[track] = pixel;
            this.weight[track] = weight;
            return;
        }
        this.to.counts[n] += count;
        this.to.event[n] = -1;
        if (end > this.to.end[n])
            this.to.end[n] = end;
        if (weight > this.weight[track]) {
            this.to.name[n] = name;
            this.weight[track] = weight;
        }
    }
}

/** The level whose cells are shown; 0: each event is. */
export function chooseLevel(index, begin, end, nsPerPixel) {
    const levels = index.levels;
    let level = 0;
    while (level + 1 < levels.length && levels[level + 1].width <= nsPerPixel)
        level++;
    while (level && !levels[level].has_cells)
        level--;
    if (level)
        return level;
    let rows = 0;
    for (const block of blocksBetween(index.rows, begin, end))
        rows += block[BLOCK.count];
    if (rows <= ROWS_MAX)
        return 0;
    for (level = 1; level < levels.length && !levels[level].has_cells; level++)
        ;
    return level < levels.length ? level : 0;
}

async function addRows(store, merger, begin, end) {
    for (const block of blocksBetween(store.index.rows, begin, end)) {
        const rows = await store.rows(block);
        for (let n = 0; n < rows.count; n++) {
            const time = rows.time[n];
            if (time < begin || time > end || rows.flags[n] & (ROW.span | ROW.sched))
                continue;
            const track = store.eventTracks[rows.thread[n]];
            if (track >= 0)
                merger.add(track, time, time, rows.kind[n], 1, rows.first + n, 1);
        }
    }
}

async function addCells(store, merger, level, begin, end) {
    const width = level.width;
    for (const block of blocksBetween(level.cells, begin, end)) {
        const cells = await store.cells(block);
        for (let n = 0; n < cells.count; n++) {
            const from = cells.interval[n] * width;
            if (from > end || from + width < begin)
                continue;
            // One of a level below the pixel's: an instant, or something of this duration.
            const to = from + (cells.total[n] ? Math.min(cells.total[n], width) : 0);
            merger.add(cells.track[n], from, to, cells.name[n], cells.counts[n], -1, cells.total[n] + cells.counts[n]);
        }
    }
}

async function addItems(store, merger, level, begin, end) {
    for (const block of blocksBetween(level.items, begin, end)) {
        const items = await store.items(block);
        for (let n = 0; n < items.count; n++) {
            if (items.start[n] <= end && items.stop[n] >= begin)
                merger.add(items.track[n], items.start[n], items.stop[n], items.name[n], 1, items.event[n],
                           items.stop[n] - items.start[n] + 1);
        }
    }
}

/** @param {{begin: number, end: number, pixels: number}} of */
export async function view(store, of) {
    const { begin, end } = of;
    const nsPerPixel = Math.max((end - begin) / of.pixels, 1e-3);
    const number = chooseLevel(store.index, begin, end, nsPerPixel);
    const merger = new Merger(store.index, nsPerPixel);
    const levels = store.index.levels;

    if (number)
        await addCells(store, merger, levels[number], begin, end);
    else
        await addRows(store, merger, begin, end);
    for (let n = number; n < levels.length; n++)
        await addItems(store, merger, levels[n], begin, end);
    return { begin, end, level: number, rectangles: merger.to.result(), arrows: await arrows(store, of) };
}

const ARROWS_MAX = 400;

/** Arrows of a view, if they are few enough to be followed. */
async function arrows(store, of) {
    const blocks = blocksBetween(store.index.arrows, of.begin, of.end);
    const found = [];
    if (blocks.length > 16)
        return null;
    for (const block of blocks) {
        const all = await store.arrows(block);
        for (let n = 0; n < all.count; n++) {
            if (all.time[n] > of.end || all.time[n] + all.delay[n] < of.begin)
                continue;
            if (found.length === ARROWS_MAX)
                return null;
            found.push([all.time[n], all.delay[n], all.from[n], all.to[n], all.kind[n]]);
        }
    }
    return found;
}

/** How many events there were over the whole time, in `pixels` parts. */
export async function overview(store, pixels) {
    const counts = new Float64Array(pixels);
    const last = Math.max(store.index.last_ns, 1);
    const level = chooseLevel(store.index, 0, last, last / pixels);
    const add = (time, count) => {
        counts[Math.min(pixels - 1, Math.max(0, Math.floor(time / last * pixels)))] += count;
    };
    if (!level) {
        for (const block of store.index.rows) {
            const rows = await store.rows(block);
            for (let n = 0; n < rows.count; n++)
                add(rows.time[n], 1);
        }
    } else {
        const { width, cells } = store.index.levels[level];
        for (const block of cells) {
            const all = await store.cells(block);
            for (let n = 0; n < all.count; n++)
                add((all.interval[n] + 0.5) * width, all.counts[n]);
        }
        for (let n = level; n < store.index.levels.length; n++) {
            for (const block of store.index.levels[n].items) {
                const items = await store.items(block);
                for (let i = 0; i < items.count; i++)
                    add(items.stop[i], 1);
            }
        }
    }
    return counts;
}

/** The track of each thread's events. */
export function eventTracks(index) {
    const tracks = new Int32Array(index.threads.length).fill(-1);
    index.tracks.forEach((track, n) => {
        if (track[TRACK.kind] === TRACK_KIND.events)
            tracks[track[TRACK.thread]] = n;
    });
    return tracks;
}
