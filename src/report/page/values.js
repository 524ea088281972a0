// The values of an event: a line of text (values.h), and the names that its kind has.

const QUOTE = 34, COMMA = 44, MINUS = 45, ZERO = 48, BRACKET = 91, BACKSLASH = 92, BRACKET_END = 93, BRACE = 123, BRACE_END = 125;

/** Where a value ends that begins at `at`, at `limit` at the latest. */
function endOfValue(text, at, limit) {
    let depth = 0;
    for (; at < limit; at++) {
        const c = text.charCodeAt(at);
        if (c === QUOTE) {
            for (at++; at < limit && text.charCodeAt(at) !== QUOTE; at++) {
                if (text.charCodeAt(at) === BACKSLASH)
                    at++;
            }
        } else if (c === BRACKET || c === BRACE) {
            depth++;
        } else if (c === BRACKET_END || c === BRACE_END) {
            if (!depth)
                return at;
            depth--;
        } else if (c === COMMA && !depth) {
            return at;
        }
    }
    return limit;
}

/** The texts of a list of values. */
export function splitValues(text) {
    const values = [];
    let at = 0;
    while (at < text.length) {
        const end = endOfValue(text, at, text.length);
        values.push(text.slice(at, end));
        at = end + 1;
    }
    return values;
}

/**
 * A tree of an event's fields: [name, text of the value or null, members or null].
 * @param {Array} fields  [name, members, isArray] of the kind, members after their struct
 * @param {string} text
 */
export function fieldTree(fields, text) {
    const tree = [];
    const values = splitValues(text);
    let next = 0;
    for (let n = 0; n < fields.length && next < values.length; n++) {
        const [name, members, isArray] = fields[n];
        const value = values[next++];
        const inner = fields.slice(n + 1, n + 1 + members);
        n += members;
        if (!members)
            tree.push([name, value, null]);
        else if (isArray)
            tree.push([name, null, splitValues(value.slice(1, -1)).map((one, i) => [`[${i}]`, null, fieldTree(inner, one.slice(1, -1))])]);
        else
            tree.push([name, null, fieldTree(inner, value.slice(1, -1))]);
    }
    return tree;
}

/** The parts of a line: values, and what follows them. */
export function splitLine(line) {
    const [values, activity, related, error] = (line || '').split('\t');
    return { values, activity, related, error };
}

/** A value as a number where it is one, otherwise as text. */
export function valueOf(text) {
    if (text === undefined || text === null || text === '')
        return null;
    if (text[0] === '"' && !text.includes('\\'))
        return text.slice(1, -1);
    if (text[0] === '"') {
        try {
            return JSON.parse(text);
        } catch {
            return text;
        }
    }
    if (text === 'true' || text === 'false')
        return text === 'true';
    if (text === 'null')
        return null;
    if (/^-?\d+$/.test(text)) {
        const number = Number(text);
        return Number.isSafeInteger(number) ? number : BigInt(text);
    }
    const number = Number(text);
    return Number.isNaN(number) ? text : number;
}

/** As it is shown: a string without its quotes. */
export function textOf(text) {
    if (text && text[0] === '"') {
        const value = valueOf(text);
        return typeof value === 'string' ? value : text;
    }
    return text;
}

/**
 * Finds a field by its name, "Peer.Port" in a struct. Without case, if no other has it.
 * @returns {number[]|null} the way to it: positions among the values
 */
export function findField(fields, name) {
    const exact = findFieldBy(fields, name.split('.'), a => a);
    return exact || findFieldBy(fields, name.toLowerCase().split('.'), a => a.toLowerCase());
}

function findFieldBy(fields, path, fold) {
    let position = 0;
    const whole = path.join('.');
    for (let n = 0; n < fields.length; n++, position++) {
        const [name, members, isArray] = fields[n];
        if (fold(name) === whole && !members)
            return [position];
        if (fold(name) === path[0] && members && !isArray && path.length > 1) {
            const inner = findFieldBy(fields.slice(n + 1, n + 1 + members), path.slice(1), fold);
            if (inner)
                return [position, ...inner];
        }
        n += members;
    }
    return null;
}

/** A part of a text as a value. Most are short whole numbers, of which no text is made. */
function valueOfPart(text, begin, end) {
    const isNegative = text.charCodeAt(begin) === MINUS;
    let number = 0;
    let at = isNegative ? begin + 1 : begin;
    if (end - at > 15 || at === end)
        return valueOf(text.slice(begin, end));
    for (; at < end; at++) {
        const digit = text.charCodeAt(at) - ZERO;
        if (digit < 0 || digit > 9)
            return valueOf(text.slice(begin, end));
        number = number * 10 + digit;
    }
    return isNegative ? -number : number;
}

/** The value that findField found, of fields that are a part of a text. */
export function valueAt(text, begin, end, way) {
    for (let depth = 0; ; depth++) {
        for (let skip = way[depth]; skip > 0; skip--)
            begin = endOfValue(text, begin, end) + 1;
        if (begin >= end)
            return null;
        const valueEnd = endOfValue(text, begin, end);
        if (depth + 1 === way.length)
            return valueOfPart(text, begin, valueEnd);
        begin++; // within its brackets
        end = valueEnd - 1;
    }
}
