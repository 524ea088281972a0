// Reads the columns of a block: varints, one column after the other (columns.h).

export class Cursor {
    /** @param {Uint8Array} data */
    constructor(data) {
        this.data = data;
        this.at = 0;
    }

    /** A number below 2^53. @returns {number} */
    varint() {
        const data = this.data;
        let byte = data[this.at++];
        if (byte < 0x80)
            return byte;
        let number = byte & 0x7f;
        let scale = 0x80;
        do {
            byte = data[this.at++];
            number += (byte & 0x7f) * scale;
            scale *= 0x80;
        } while (byte >= 0x80);
        return number;
    }

    /**
     * A column of numbers.
     * @template {Float64Array|Uint32Array|Uint16Array|Uint8Array} T
     * @param {T} to
     * @returns {T}
     */
    column(to) {
        for (let n = 0; n < to.length; n++)
            to[n] = this.varint();
        return to;
    }

    /**
     * A column of differences, added up.
     * @param {Float64Array} to
     */
    differences(to) {
        let sum = 0;
        for (let n = 0; n < to.length; n++) {
            const number = this.varint();
            sum += number % 2 ? -(number + 1) / 2 : number / 2;
            to[n] = sum;
        }
        return to;
    }
}

/** What each position of a block's entry in the index has (index.c). */
export const BLOCK = { offset: 0, size: 1, raw: 2, begin: 3, end: 4, first: 5, count: 6, kinds: 7 };

export const ROW = { span: 1, sched: 2, damaged: 4, noTime: 8 };

export const TRACK = { thread: 0, kind: 1, depth: 2, items: 3 };
export const TRACK_KIND = { events: 0, spans: 1, states: 2 };
export const THREAD = { source: 0, pid: 1, tid: 2, comm: 3, events: 4 };

/** Rows of events: their values are elsewhere. */
export function decodeRows(bytes, block) {
    const cursor = new Cursor(bytes);
    const count = block[BLOCK.count];
    return {
        first: block[BLOCK.first],
        count,
        time: cursor.differences(new Float64Array(count)),
        thread: cursor.column(new Uint16Array(count)),
        kind: cursor.column(new Uint16Array(count)),
        cpu: cursor.column(new Uint32Array(count)),
        flags: cursor.column(new Uint8Array(count)),
    };
}

/** Spans and states. */
export function decodeItems(bytes, block) {
    const cursor = new Cursor(bytes);
    const count = block[BLOCK.count];
    const stop = cursor.differences(new Float64Array(count));
    const start = cursor.column(new Float64Array(count));
    for (let n = 0; n < count; n++)
        start[n] = stop[n] - start[n];
    return {
        count,
        stop,
        start,
        track: cursor.column(new Uint32Array(count)),
        name: cursor.column(new Uint16Array(count)),
        event: cursor.differences(new Float64Array(count)),
    };
}

/** What was counted in intervals. */
export function decodeCells(bytes, block) {
    const cursor = new Cursor(bytes);
    const count = block[BLOCK.count];
    return {
        count,
        interval: cursor.differences(new Float64Array(count)),
        track: cursor.column(new Uint32Array(count)),
        name: cursor.column(new Uint16Array(count)),
        counts: cursor.column(new Uint32Array(count)),
        total: cursor.column(new Float64Array(count)),
    };
}

export function decodeArrows(bytes, block) {
    const cursor = new Cursor(bytes);
    const count = block[BLOCK.count];
    return {
        count,
        time: cursor.differences(new Float64Array(count)),
        delay: cursor.column(new Float64Array(count)),
        from: cursor.column(new Uint32Array(count)),
        to: cursor.column(new Uint32Array(count)),
        kind: cursor.column(new Uint8Array(count)),
    };
}

/** Functions of stacks (stacks.h). */
export function decodeNodes(bytes, block) {
    const cursor = new Cursor(bytes);
    const count = block[BLOCK.count];
    return { count, parent: cursor.differences(new Float64Array(count)), frame: cursor.column(new Uint32Array(count)) };
}

/** Events that have stacks. */
export function decodeStacks(bytes, block) {
    const cursor = new Cursor(bytes);
    const count = block[BLOCK.count];
    return {
        count,
        time: cursor.differences(new Float64Array(count)),
        event: cursor.differences(new Float64Array(count)),
        thread: cursor.column(new Uint16Array(count)),
        kind: cursor.column(new Uint16Array(count)),
        node: cursor.column(new Uint32Array(count)),
    };
}

/** The lines of a block of values: one text, where each begins, and where its fields end. */
export function decodeValues(bytes, block) {
    const text = new TextDecoder().decode(bytes);
    const count = block[BLOCK.count];
    const begins = new Uint32Array(count + 1);
    const fieldEnds = new Uint32Array(count);
    let at = 0;
    let tab = text.indexOf('\t');
    for (let n = 0; n < count; n++) {
        const end = text.indexOf('\n', at);
        while (tab >= 0 && tab < at)
            tab = text.indexOf('\t', at);
        begins[n] = at;
        fieldEnds[n] = tab >= 0 && tab < end ? tab : end;
        at = end + 1;
    }
    begins[count] = at;
    return { first: block[BLOCK.first], count, text, begins, fieldEnds };
}

/** The line of an event, which is in these values. */
export function lineAt(values, number) {
    const n = number - values.first;
    return values.text.slice(values.begins[n], values.begins[n + 1] - 1);
}
