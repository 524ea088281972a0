// Numbers as text.

const GROUPS = new Intl.NumberFormat('en-US');

export function count(number) {
    return GROUPS.format(number);
}

/** "1.25 ms" of ns. */
export function duration(ns) {
    const size = Math.abs(ns);
    if (size < 1e3)
        return `${trim(ns)} ns`;
    if (size < 1e6)
        return `${trim(ns / 1e3)} µs`;
    if (size < 1e9)
        return `${trim(ns / 1e6)} ms`;
    if (size < 120e9)
        return `${trim(ns / 1e9)} s`;
    if (size < 7200e9)
        return `${Math.floor(ns / 60e9)} min ${trim(ns / 1e9 % 60, 0)} s`;
    return `${Math.floor(ns / 3600e9)} h ${trim(ns / 60e9 % 60, 0)} min`;
}

function trim(number, digits = 3) {
    const size = Math.abs(number);
    const decimals = Math.max(0, Math.min(digits, size >= 100 ? digits - 2 : size >= 10 ? digits - 1 : digits));
    return String(Number(number.toFixed(decimals)));
}

/** @type {[string, number][]} */
const BYTES = [['GiB', 2 ** 30], ['MiB', 2 ** 20], ['KiB', 2 ** 10]];

export function bytes(number) {
    for (const [unit, size] of BYTES) {
        if (number >= size)
            return `${trim(number / size)} ${unit}`;
    }
    return `${number} B`;
}

export function rate(events, ns) {
    return ns > 0 ? `${compact(events / (ns / 1e9))}/s` : '–';
}

/** @type {[string, number][]} */
const PREFIXES = [['G', 1e9], ['M', 1e6], ['k', 1e3]];

export function compact(number) {
    for (const [unit, size] of PREFIXES) {
        if (number >= size)
            return trim(number / size) + unit;
    }
    return trim(number);
}

export function percent(part, whole) {
    return whole ? `${trim(part / whole * 100, 1)} %` : '';
}

/** Seconds since the beginning, as exact as the time is. */
export function seconds(ns) {
    const sign = ns < 0 ? '-' : '';
    const whole = Math.floor(Math.abs(ns) / 1e9);
    return `${sign}${whole}.${String(Math.round(Math.abs(ns) - whole * 1e9)).padStart(9, '0')}`;
}

/** The time of day of a time, in the reader's zone; "" if the recording does not know it. */
export function clock(index, ns, hasDate) {
    if (!index.is_wall)
        return '';
    const total = BigInt(index.base_ns) + BigInt(Math.round(ns));
    const date = new Date(Number(total / 1000000n));
    const two = number => String(number).padStart(2, '0');
    const day = hasDate ? `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ` : '';
    return `${day}${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}.${String(total % 1000000000n).padStart(9, '0')}`;
}

/** Steps of a ruler: 1, 2 or 5 of a power of ten. */
export function niceStep(atLeast) {
    const power = 10 ** Math.floor(Math.log10(atLeast));
    for (const factor of [1, 2, 5])
        if (factor * power >= atLeast)
            return factor * power;
    return 10 * power;
}
