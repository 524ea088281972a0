// Stacks of events: how often each function was in one. Runs in the worker.
import { BLOCK } from './bytes.js';
import { blocksBetween } from './store.js';

/** The tree of functions by number: number + 1 of what called each (0: none), and its frame. */
async function functionTree(store) {
    const blocks = store.index.nodes;
    const last = blocks[blocks.length - 1];
    const count = last ? last[BLOCK.first] + last[BLOCK.count] : 0;
    if (store.functionTree?.count === count)
        return store.functionTree;
    const tree = { count, parent: new Uint32Array(count), frame: new Uint32Array(count) };
    for (const block of blocks) {
        const nodes = await store.nodes(block);
        tree.parent.set(nodes.parent, block[BLOCK.first]);
        tree.frame.set(nodes.frame, block[BLOCK.first]);
    }
    store.functionTree = tree;
    return tree;
}

/** The nodes that were counted, each after its parent: what is transferred to the page. */
function counted(tree, self) {
    const total = Float64Array.from(self);
    const number = new Int32Array(tree.count).fill(-1);
    let count = 0;
    for (let n = tree.count - 1; n >= 0; n--) // what a function called comes after it
        if (tree.parent[n])
            total[tree.parent[n] - 1] += total[n];
    for (let n = 0; n < tree.count; n++)
        if (total[n])
            number[n] = count++;
    const result = { count, parent: new Int32Array(count), frame: new Uint32Array(count), self: new Float64Array(count), total: new Float64Array(count) };
    for (let n = 0; n < tree.count; n++) {
        const at = number[n];
        if (at < 0)
            continue;
        result.parent[at] = tree.parent[n] ? number[tree.parent[n] - 1] : -1;
        result.frame[at] = tree.frame[n];
        result.self[at] = self[n];
        result.total[at] = total[n];
    }
    return result;
}

/**
 * Counts the stacks of a time.
 * @param {{begin: number, end: number, kinds: number[]|null}} of  kinds of events; null: all
 */
export async function flame(store, of, progress) {
    const tree = await functionTree(store);
    const self = new Float64Array(tree.count);
    const kinds = of.kinds && new Set(of.kinds);
    const blocks = blocksBetween(store.index.stacks, of.begin, of.end);
    let stacks = 0;
    for (let b = 0; b < blocks.length; b++) {
        const rows = await store.stacks(blocks[b]);
        for (let n = 0; n < rows.count; n++) {
            if (rows.time[n] < of.begin || rows.time[n] > of.end || (kinds && !kinds.has(rows.kind[n])) || !rows.node[n])
                continue;
            self[rows.node[n] - 1]++;
            stacks++;
        }
        if (!progress(b + 1, blocks.length))
            break;
    }
    return { ...of, stacks, nodes: counted(tree, self) };
}

/** Which kinds of events have stacks: numbers of kinds, those with the most first. */
export async function kindsWithStacks(store, progress) {
    const counts = new Float64Array(store.index.kinds.length);
    const blocks = store.index.stacks;
    for (let b = 0; b < blocks.length; b++) {
        const { kind } = await store.stacks(blocks[b]);
        for (let n = 0; n < kind.length; n++)
            counts[kind[n]]++;
        if (!progress(b + 1, blocks.length))
            break;
    }
    return [...counts.keys()].filter(kind => counts[kind]).sort((a, b) => counts[b] - counts[a]).map(kind => [kind, counts[kind]]);
}

/** The frames of an event's stack, the innermost first; none if it has no stack. */
export async function stackOf(store, number, time) {
    const frames = [];
    for (const block of blocksBetween(store.index.stacks, time, time)) {
        const rows = await store.stacks(block);
        const at = rows.event.indexOf(number);
        if (at < 0)
            continue;
        const tree = await functionTree(store);
        for (let node = rows.node[at]; node; node = tree.parent[node - 1])
            frames.push(tree.frame[node - 1]);
        break;
    }
    return frames;
}
