// Decompresses blocks (RFC 1950 and 1951). The browser's DecompressionStream takes several times as long for blocks of this size.

const LENGTHS = [3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258];
const LENGTH_BITS = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0];
const DISTANCES = [1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577];
const DISTANCE_BITS = DISTANCES.map((_, n) => n < 4 ? 0 : (n >> 1) - 1);
const ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
const SHORT_COPY = 24;

class DamagedBlock extends Error {
    constructor() {
        super('a block of the data is damaged');
    }
}

/** A prefix code as a table: of the next bits, the symbol and how many bits are its. Without an entry: 0. */
function prefixCode(lengths) {
    const counts = new Uint16Array(17);
    for (const length of lengths)
        counts[length]++;
    let bits = 15;
    while (bits > 1 && !counts[bits])
        bits--;
    const next = new Uint32Array(17);
    for (let length = 1, code = 0; length <= 15; length++) {
        code = (code + (length > 1 ? counts[length - 1] : 0)) << 1;
        next[length] = code;
    }
    const table = new Uint16Array(1 << bits);
    lengths.forEach((length, symbol) => {
        if (!length)
            return;
        let reversed = 0;
        for (let n = 0, code = next[length]++; n < length; n++, code >>= 1)
            reversed = reversed << 1 | code & 1;
        for (let at = reversed; at < table.length; at += 1 << length)
            table[at] = symbol << 4 | length;
    });
    return table;
}

const FIXED = Array.from({ length: 288 }, (_, n) => n < 144 ? 8 : n < 256 ? 9 : n < 280 ? 7 : 8);
let fixedCodes = null;

class Inflater {
    constructor(source, size) {
        this.source = source;
        this.at = 2; // after zlib's header
        this.hold = 0;
        this.bits = 0;
        this.to = new Uint8Array(size);
        this.out = 0;
    }

    take(count) {
        while (this.bits < count) {
            if (this.at >= this.source.length)
                throw new DamagedBlock();
            this.hold |= this.source[this.at++] << this.bits;
            this.bits += 8;
        }
        const number = this.hold & (1 << count) - 1;
        this.hold >>>= count;
        this.bits -= count;
        return number;
    }

    symbol(table) {
        while (this.bits < 15) { // after the end there are zeros
            this.hold |= (this.source[this.at++] || 0) << this.bits;
            this.bits += 8;
        }
        const entry = table[this.hold & table.length - 1];
        if (!entry)
            throw new DamagedBlock();
        this.hold >>>= entry & 15;
        this.bits -= entry & 15;
        return entry >> 4;
    }

    codes() {
        const literals = this.take(5) + 257;
        const distances = this.take(5) + 1;
        const count = this.take(4) + 4;
        const lengths = new Array(19).fill(0);
        for (let n = 0; n < count; n++)
            lengths[ORDER[n]] = this.take(3);
        const table = prefixCode(lengths);
        const all = [];
        while (all.length < literals + distances) {
            const symbol = this.symbol(table);
            if (symbol < 16)
                all.push(symbol);
            else if (symbol === 16 && !all.length)
                throw new DamagedBlock();
            else
                for (let value = symbol === 16 ? all[all.length - 1] : 0, n = symbol === 16 ? this.take(2) + 3 : symbol === 17 ? this.take(3) + 3 : this.take(7) + 11; n > 0; n--)
                    all.push(value);
        }
        return [prefixCode(all.slice(0, literals)), prefixCode(all.slice(literals, literals + distances))];
    }

    stored() {
        this.at -= this.bits >> 3; // whole bytes that were read ahead
        this.hold = this.bits = 0;
        const size = this.take(16);
        this.take(16);
        if (this.at + size > this.source.length || this.out + size > this.to.length)
            throw new DamagedBlock();
        this.to.set(this.source.subarray(this.at, this.at + size), this.out);
        this.at += size;
        this.out += size;
    }

    /** The loop that takes the time: its state is in variables. */
    packed(literals, distances) {
        const { source, to } = this;
        const literalMask = literals.length - 1, distanceMask = distances.length - 1;
        const end = source.length + 4, size = to.length;
        let { at, hold, bits, out } = this;
        for (;;) {
            while (bits < 15) {
                hold |= source[at++] << bits;
                bits += 8;
            }
            const entry = literals[hold & literalMask];
            hold >>>= entry & 15;
            bits -= entry & 15;
            const symbol = entry >> 4;
            if (symbol < 256 && entry && out < size) {
                to[out++] = symbol;
                continue;
            }
            if (symbol === 256)
                break;
            if (symbol < 257 || symbol > 285 || at > end)
                throw new DamagedBlock();
            while (bits < 15) {
                hold |= source[at++] << bits;
                bits += 8;
            }
            const lengthBits = LENGTH_BITS[symbol - 257];
            const length = LENGTHS[symbol - 257] + (hold & (1 << lengthBits) - 1);
            hold >>>= lengthBits;
            bits -= lengthBits;
            while (bits < 15) {
                hold |= source[at++] << bits;
                bits += 8;
            }
            const distanceEntry = distances[hold & distanceMask];
            hold >>>= distanceEntry & 15;
            bits -= distanceEntry & 15;
            while (bits < 15) {
                hold |= source[at++] << bits;
                bits += 8;
            }
            const distanceBits = DISTANCE_BITS[distanceEntry >> 4];
            const distance = DISTANCES[distanceEntry >> 4] + (hold & (1 << distanceBits) - 1);
            hold >>>= distanceBits;
            bits -= distanceBits;
            if (!distanceEntry || !(distance <= out) || out + length > size)
                throw new DamagedBlock();
            if (length > SHORT_COPY && distance >= length) {
                to.copyWithin(out, out - distance, out - distance + length);
                out += length;
            } else {
                for (const until = out + length; out < until; out++)
                    to[out] = to[out - distance];
            }
        }
        Object.assign(this, { at, hold, bits, out });
    }

    run() {
        for (let isLast = 0; !isLast;) {
            isLast = this.take(1);
            const kind = this.take(2);
            if (kind === 0)
                this.stored();
            else if (kind === 1)
                this.packed(...(fixedCodes = fixedCodes || [prefixCode(FIXED), prefixCode(new Array(30).fill(5))]));
            else if (kind === 2)
                this.packed(...this.codes());
            else
                throw new DamagedBlock();
        }
        if (this.out !== this.to.length)
            throw new DamagedBlock();
        return this.to;
    }
}

/**
 * Data that zlib compressed.
 * @param {Uint8Array} bytes
 * @param {number} size  of the result
 */
export function inflate(bytes, size) {
    return bytes.length === size ? bytes : new Inflater(bytes, size).run();
}
