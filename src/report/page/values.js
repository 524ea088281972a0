// The values of an event: a line of text (values.h), and the names that its kind has.

/** Where a value ends that begins at `at`. */
function endOfValue(text, at) {
    let depth = 0;
    for (; at < text.length; at++) {
        const c = text[at];
        if (c === '"') {
            for (at++; text[at] !== '"' && at < text.length; at++) {
                if (text[at] === '\\')
                    at++;
            }
        } else if (c === '[' || c === '{') {
            depth++;
        } else if (c === ']' || c === '}') {
            if (!depth)
                return at;
            depth--;
        } else if (c === ',' && !depth) {
            return at;
        }
    }
    return at;
}

/** The texts of a list of values. */
export function splitValues(text) {
    const values = [];
    let at = 0;
    while (at < text.length) {
        const end = endOfValue(text, at);
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

/** The text of a value that findField found. */
export function valueAt(text, way) {
    let value = text;
    for (let depth = 0; depth < way.length; depth++) {
        if (depth)
            value = value.slice(1, -1);
        let at = 0;
        for (let skip = way[depth]; skip > 0; skip--)
            at = endOfValue(value, at) + 1;
        if (at >= value.length)
            return undefined;
        value = value.slice(at, endOfValue(value, at));
    }
    return value;
}
