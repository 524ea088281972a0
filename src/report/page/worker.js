// The worker: reads and decodes what the page asks for, so that the page stays responsive.
import { Store, fromBase64 } from './store.js';
import { counters } from './counters.js';
import { eventTracks, overview, view } from './view.js';
import { flame, kindsWithStacks, stackOf } from './stacks.js';
import { event, eventAt, filter, find, page, series, spanOf, statistics } from './query.js';

let store = null;
let matches = null; // numbers of the events that the filter selected; null: all
let remote = null; // address of the data; null: it is in the page
const reads = new Map(); // data that the page was asked for
let readNumber = 0;
const cancelled = new Set();

function readFromPage(offset, size) {
    return new Promise(resolve => {
        reads.set(++readNumber, resolve);
        postMessage({ read: readNumber, offset, size });
    });
}

async function readFromServer(offset, size) {
    const answer = await fetch(remote + 'data', { headers: { Range: `bytes=${offset}-${offset + size - 1}` } });
    if (answer.status !== 206)
        throw new Error(`the server answered ${answer.status}`);
    return new Uint8Array(await answer.arrayBuffer());
}

function take(index) {
    const former = store;
    store = new Store(remote ? readFromServer : readFromPage);
    if (former) { // a live session: what was read stays valid
        store.cache = former.cache;
        store.cachedBytes = former.cachedBytes;
    }
    store.index = index;
    store.eventTracks = eventTracks(index);
    return index;
}

async function open(of) {
    remote = of.remote;
    if (!remote) {
        take(of.index);
        return null;
    }
    const answer = await fetch(remote + 'index', { cache: 'no-store' });
    if (!answer.ok)
        throw new Error(`the server answered ${answer.status}`);
    return take(await answer.json());
}

async function answer(of, progress) {
    switch (of.what) {
    case 'open': return open(of);
    case 'view': return view(store, of);
    case 'overview': return overview(store, of.pixels);
    case 'page': return page(store, of, matches);
    case 'event': {
        const one = await event(store, of.number);
        return one && { ...one, span: await spanOf(store, of.number, one.time), stack: await stackOf(store, of.number, one.time) };
    }
    case 'eventAt': return eventAt(store, of.time);
    case 'filter': {
        matches = null;
        if (!of.text)
            return null;
        const found = await filter(store, of, progress);
        matches = found.numbers;
        return found;
    }
    case 'positionOf': return matches ? positionIn(matches, of.number) : of.number;
    case 'find': return find(store, of, progress);
    case 'statistics': return statistics(store, of, progress);
    case 'counters': return counters(store);
    case 'flame': return flame(store, of, progress);
    case 'kindsWithStacks': return kindsWithStacks(store, progress);
    case 'series': return series(store, of, progress);
    default: throw new Error(`unknown request ${of.what}`);
    }
}

/** The position of the first that is not below a number. */
function positionIn(numbers, number) {
    let low = 0;
    let high = numbers.length;
    while (low < high) {
        const middle = (low + high) >> 1;
        if (numbers[middle] < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

onmessage = async message => {
    const of = message.data;
    if (of.bytes !== undefined) {
        reads.get(of.read)(fromBase64(of.bytes).subarray(of.skip, of.skip + of.size));
        reads.delete(of.read);
        return;
    }
    if (of.cancel !== undefined) {
        cancelled.add(of.cancel);
        return;
    }
    const progress = (done, all) => {
        if (done % 8 === 0)
            postMessage({ id: of.id, progress: done / all });
        return !cancelled.has(of.id);
    };
    try {
        postMessage({ id: of.id, result: await answer(of, progress) });
    } catch (error) {
        postMessage({ id: of.id, error: String(error.message || error), isUser: error.constructor.name === 'FilterError' });
    }
    cancelled.delete(of.id);
};
