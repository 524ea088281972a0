// The filter's language: conditions as SQL has them after WHERE. Compiled to functions; nothing is evaluated as script.
import { findField, valueAt } from './values.js';
import { THREAD } from './bytes.js';

const TOKEN = /\s*(?:('(?:[^']|'')*')|("(?:[^"]|"")*")|((?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|0x[0-9a-f]+)(ns|us|µs|ms|s)?(?![\w.])|([\p{L}_][\p{L}\p{N}_.]*)|(<=|>=|<>|!=|==|\|\||[-+*/%()=<>,]))/iuy;
const UNITS = { ns: 1, us: 1e3, 'µs': 1e3, ms: 1e6, s: 1e9 };
const LEVELS = ['', 'critical', 'error', 'warning', 'information', 'verbose'];

/** What each event has. A field of the same name is written in double quotes, or with a capital letter as it is. */
const COLUMNS = {
    event: row => row.provider + ':' + row.name,
    provider: row => row.provider,
    name: row => row.name,
    level: row => LEVELS[row.kind.level] ?? row.kind.level ?? null,
    keyword: row => row.kind.keyword ?? null,
    opcode: row => row.kind.opcode ?? null,
    comm: row => ofRow(row).thread[THREAD.comm],
    pid: row => ofRow(row).thread[THREAD.pid],
    tid: row => ofRow(row).thread[THREAD.tid],
    cpu: row => ofRow(row).cpu - 1,
    time: row => ofRow(row).time / 1e9,
    number: row => ofRow(row).number,
};

/* A probe is all events of a kind at once: what differs between them is unknown. */
const UNKNOWN = Symbol('unknown');

function ofRow(row) {
    if (row.isProbe)
        throw UNKNOWN;
    return row;
}

/** AND and OR of SQL: one side may decide, whatever the other one is; else the result is missing if a side is. */
function connect(a, b, decisive) {
    return row => {
        if (row.isProbe)
            return probe(row, a, b, decisive);
        const x = logical(a(row));
        if (x === decisive)
            return x;
        const y = logical(b(row));
        return y === decisive || x !== null ? y : null;
    };
}

/** The same of a probe. */
function probe(row, a, b, decisive) {
    let result = !decisive;
    let unknown = false;
    for (const side of [a, b]) {
        try {
            const value = logical(side(row));
            if (value === decisive)
                return decisive;
            if (value === null)
                result = null;
        } catch (error) {
            if (error !== UNKNOWN)
                throw error;
            unknown = true;
        }
    }
    if (unknown)
        throw UNKNOWN;
    return result;
}

export class FilterError extends Error {}

function tokens(text) {
    const list = [];
    TOKEN.lastIndex = 0;
    while (text.slice(TOKEN.lastIndex).trim()) {
        const at = TOKEN.lastIndex;
        const match = TOKEN.exec(text);
        if (!match)
            throw new FilterError(`cannot read this: ${text.slice(at, at + 20).trim()}`);
        const [, string, quoted, number, unit, word, sign] = match;
        if (string !== undefined)
            list.push({ kind: 'string', value: string.slice(1, -1).replaceAll("''", "'") });
        else if (quoted !== undefined)
            list.push({ kind: 'name', value: quoted.slice(1, -1).replaceAll('""', '"') });
        else if (number !== undefined)
            list.push({ kind: 'number', value: numberOf(number, unit) });
        else if (word !== undefined)
            list.push({ kind: 'name', value: word, word: word.toLowerCase() });
        else
            list.push({ kind: 'sign', word: sign });
    }
    return list;
}

function numberOf(text, unit) {
    if (unit)
        return Number(text) * UNITS[unit.toLowerCase()];
    const number = Number(text);
    return /^(\d+|0x[\da-f]+)$/i.test(text) && !Number.isSafeInteger(number) ? BigInt(text) : number;
}

/** Comparisons of SQL: of texts with numbers by their text; what is missing equals nothing. */
function compare(a, b) {
    if (typeof a === 'number' && typeof b === 'number')
        return a < b ? -1 : a > b ? 1 : 0;
    if (typeof a === 'boolean')
        a = Number(a);
    if (typeof b === 'boolean')
        b = Number(b);
    if (typeof a !== typeof b && (typeof a === 'string' || typeof b === 'string')) {
        // Numbers that are shown as text, "ENOENT(2)" or "0x10", compare with a number by their number.
        const x = typeof a === 'string' ? numberIn(a) : a;
        const y = typeof b === 'string' ? numberIn(b) : b;
        if (x !== null && y !== null)
            return x < y ? -1 : x > y ? 1 : 0;
        a = String(a);
        b = String(b);
    }
    return a < b ? -1 : a > b ? 1 : 0;
}

function numberIn(text) {
    const match = /\((-?\d+)\)$/.exec(text) || /^(-?\d+|0x[\da-f]+)$/i.exec(text);
    return match ? Number(match[1]) : null;
}

const SIGNS = {
    '=': order => order === 0, '==': order => order === 0,
    '!=': order => order !== 0, '<>': order => order !== 0,
    '<': order => order < 0, '<=': order => order <= 0,
    '>': order => order > 0, '>=': order => order >= 0,
};

const ARITHMETIC = { '+': (a, b) => a + b, '-': (a, b) => a - b, '*': (a, b) => a * b, '/': (a, b) => a / b, '%': (a, b) => a % b };

/** If it is none of them, and one of them is missing, the result is missing. */
function isOneOf(value, list) {
    return list.some(one => one !== null && compare(value, one) === 0) || (list.includes(null) ? null : false);
}

/** LIKE has % and _, without case; GLOB has * and ?. */
function pattern(text, isGlob) {
    const any = isGlob ? '*' : '%';
    const one = isGlob ? '?' : '_';
    const source = [...text].map(c => c === any ? '[^]*' : c === one ? '[^]' : c.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')).join('');
    return new RegExp(`^${source}$`, isGlob ? 'u' : 'iu');
}

class Parser {
    constructor(text) {
        this.list = tokens(text);
        this.at = 0;
        this.fields = new Set();
    }

    peek() { return this.list[this.at]?.word; }

    take(...words) {
        const token = this.list[this.at];
        if (token && token.word !== undefined && words.includes(token.word)) {
            this.at++;
            return token.word;
        }
        return undefined;
    }

    need(word) {
        if (!this.take(word))
            throw new FilterError(`${word.toUpperCase()} is missing` + this.place());
    }

    place() {
        const token = this.list[this.at];
        return token ? ` before ${token.value ?? token.word}` : ' at the end';
    }

    or() {
        let left = this.and();
        while (this.take('or'))
            left = connect(left, this.and(), true);
        return left;
    }

    and() {
        let left = this.not();
        while (this.take('and'))
            left = connect(left, this.not(), false);
        return left;
    }

    not() {
        if (!this.take('not'))
            return this.comparison();
        const inner = this.not();
        return row => { const value = inner(row); return value === null ? null : !truth(value); };
    }

    comparison() {
        const left = this.sum();
        const sign = this.take(...Object.keys(SIGNS));
        if (sign)
            return this.compared(left, SIGNS[sign], this.sum());
        if (this.take('is')) {
            const negated = this.take('not');
            this.need('null');
            return row => (left(row) === null) !== Boolean(negated);
        }
        const negated = Boolean(this.take('not'));
        const word = this.take('like', 'glob', 'in', 'between');
        if (!word) {
            if (negated)
                throw new FilterError('LIKE, GLOB, IN or BETWEEN is missing' + this.place());
            return left;
        }
        const inner = this.word(word, left);
        return negated ? row => { const value = inner(row); return value === null ? null : !value; } : inner;
    }

    compared(left, sign, right) {
        return row => {
            const a = left(row), b = right(row);
            return a === null || b === null ? null : sign(compare(a, b));
        };
    }

    word(word, left) {
        if (word === 'between') {
            const low = this.sum();
            this.need('and');
            const high = this.sum();
            return row => {
                const a = left(row), b = low(row), c = high(row);
                return a === null || b === null || c === null ? null : compare(a, b) >= 0 && compare(a, c) <= 0;
            };
        }
        if (word === 'in') {
            const list = [];
            this.need('(');
            do
                list.push(this.sum());
            while (this.take(','));
            this.need(')');
            return row => { const a = left(row); return a === null ? null : isOneOf(a, list.map(one => one(row))); };
        }
        const token = this.list[this.at++];
        if (token?.kind !== 'string')
            throw new FilterError(`${word.toUpperCase()} needs a 'text'`);
        const matches = pattern(token.value, word === 'glob');
        return row => { const a = left(row); return a === null ? null : matches.test(String(a)); };
    }

    sum() { return this.calculation(['+', '-'], () => this.calculation(['*', '/', '%'], () => this.operand())); }

    calculation(signs, next) {
        let left = next();
        for (let sign; (sign = this.take(...signs));) {
            const a = left, b = next(), calculate = ARITHMETIC[sign];
            left = row => {
                const x = a(row), y = b(row);
                return x === null || y === null ? null : calculate(Number(x), Number(y));
            };
        }
        return left;
    }

    operand() {
        if (this.take('(')) {
            const inner = this.or();
            this.need(')');
            return inner;
        }
        if (this.take('-')) {
            const inner = this.operand();
            return row => { const value = inner(row); return value === null ? null : -value; };
        }
        const token = this.list[this.at++];
        if (!token || token.kind === 'sign')
            throw new FilterError('a value is missing' + (token ? ` before ${token.word}` : ' at the end'));
        if (token.kind !== 'name')
            return () => token.value;
        if (token.word === 'true' || token.word === 'false')
            return () => token.word === 'true';
        if (token.word === 'null')
            return () => null;
        return this.column(token);
    }

    column(token) {
        const column = token.word && Object.hasOwn(COLUMNS, token.value) ? COLUMNS[token.value] : null;
        if (column)
            return column;
        const name = token.value;
        const ways = new Map(); // by the kind
        this.fields.add(name);
        return row => {
            let way = ways.get(row.kind);
            if (way === undefined) {
                way = row.kind.fields ? findField(row.kind.fields, name) : null;
                ways.set(row.kind, way);
            }
            if (way && row.isProbe)
                throw UNKNOWN;
            return way && row.text !== null ? valueAt(row.text, row.fieldsBegin, row.fieldsEnd, way) : null;
        };
    }
}

function truth(value) {
    return value !== null && value !== false && value !== 0 && value !== '';
}

/** As AND, OR and NOT take a value: true, false, or null if it is missing. */
function logical(value) {
    return value === null ? null : truth(value);
}

export const VERDICT = { none: 0, all: 1, each: 2 };

/** Which events of a kind match: none or all of them, or it depends on each. */
function verdictOf(condition, kind) {
    try {
        return truth(condition({ isProbe: true, kind, provider: kind.provider, name: kind.event })) ? VERDICT.all : VERDICT.none;
    } catch (error) {
        if (error !== UNKNOWN)
            throw error;
        return VERDICT.each;
    }
}

/**
 * Compiles a filter.
 * @param {string} text
 * @returns {{matches: (row: object) => boolean, verdict: (kind: object) => number, needsValues: boolean, fields: string[]}}
 */
export function compileFilter(text) {
    const parser = new Parser(text);
    const condition = parser.or();
    if (parser.at < parser.list.length)
        throw new FilterError('AND or OR is missing' + parser.place());
    return { matches: row => truth(condition(row)), verdict: kind => verdictOf(condition, kind), needsValues: parser.fields.size > 0, fields: [...parser.fields] };
}
