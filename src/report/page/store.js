// Blocks, decoded when they are needed, and the last used ones kept. Runs in the worker.
import { inflate } from './inflate.js';
import { BLOCK, decodeArrows, decodeCells, decodeItems, decodeNodes, decodeRows, decodeStacks, decodeValues } from './bytes.js';

const CACHE_MAX_BYTES = 256 << 20;

/** Decodes base64 (RFC 4648) without padding inside. @param {string} text */
export function fromBase64(text) {
    const decode = /** @type {any} */ (Uint8Array).fromBase64; // browsers have it since 2025
    if (decode)
        return decode.call(Uint8Array, text);
    const binary = atob(text);
    const bytes = new Uint8Array(binary.length);
    for (let n = 0; n < bytes.length; n++)
        bytes[n] = binary.charCodeAt(n);
    return bytes;
}

export class Store {
    /** @param {(offset: number, size: number) => Promise<Uint8Array>} read */
    constructor(read) {
        this.read = read;
        this.cache = new Map(); // by offset; the last used ones last
        this.cachedBytes = 0;
        this.index = null;
        this.functionTree = null;
        this.eventTracks = new Int32Array(0); // by thread
    }

    async raw(block) {
        const bytes = await this.read(block[BLOCK.offset], block[BLOCK.size]);
        return inflate(bytes, block[BLOCK.raw]);
    }

    /** @param {boolean} [isKept]  false: it will not be asked for again soon */
    async load(block, decode, isKept = true) {
        const key = block[BLOCK.offset];
        let entry = this.cache.get(key);
        if (!entry && !isKept)
            return decode(await this.raw(block), block);
        if (entry) {
            this.cache.delete(key);
        } else {
            entry = { size: block[BLOCK.raw] * 6, decoded: this.raw(block).then(bytes => decode(bytes, block)) };
            this.cachedBytes += entry.size;
        }
        this.cache.set(key, entry);
        for (const [old, one] of this.cache) {
            if (this.cachedBytes < CACHE_MAX_BYTES || old === key)
                break;
            this.cache.delete(old);
            this.cachedBytes -= one.size;
        }
        return entry.decoded;
    }

    rows(block, isKept) { return this.load(block, decodeRows, isKept); }
    values(block, isKept) { return this.load(block, decodeValues, isKept); }
    items(block) { return this.load(block, decodeItems); }
    cells(block) { return this.load(block, decodeCells); }
    arrows(block) { return this.load(block, decodeArrows); }
    nodes(block) { return this.load(block, decodeNodes); }
    stacks(block) { return this.load(block, decodeStacks); }
}

/** The blocks that have something between two times. */
export function blocksBetween(blocks, begin, end) {
    return blocks.filter(block => block[BLOCK.end] >= begin && block[BLOCK.begin] <= end);
}

/** True if the blocks can be kept decoded while others are read. */
export function fitTogether(blocks) {
    return blocks.reduce((sum, block) => sum + block[BLOCK.raw] * 6, 0) < CACHE_MAX_BYTES / 2;
}

/** The block that has an event, by the event's number; undefined if none has it. */
export function blockOfEvent(blocks, event) {
    let low = 0;
    let high = blocks.length;
    while (low < high) {
        const middle = (low + high) >> 1;
        if (blocks[middle][BLOCK.first] + blocks[middle][BLOCK.count] <= event)
            low = middle + 1;
        else
            high = middle;
    }
    const block = blocks[low];
    return block && block[BLOCK.first] <= event ? block : undefined;
}
