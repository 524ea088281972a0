// The summary of the whole recording: rates, losses, the most frequent events, durations of spans.
import { el, said } from './dom.js';
import { bytes, clock, count, duration, percent, rate } from './format.js';

const ROWS_AT_FIRST = 100;

/** Events by name. Several layouts of one name are one line, except for durations, which cannot be added. */
export function eventsByName(index) {
    const names = new Map();
    for (const kind of index.kinds) {
        const name = kind.provider ? `${kind.provider}:${kind.event}` : kind.event;
        const key = kind.durations && names.get(name)?.durations ? `${name}\n${names.size}` : name;
        const one = names.get(key);
        if (one) {
            one.count += kind.count;
            one.bytes += kind.bytes;
            one.damaged += kind.damaged;
            one.durations = one.durations || kind.durations;
        } else {
            names.set(key, { name, level: kind.level, count: kind.count, bytes: kind.bytes, damaged: kind.damaged, durations: kind.durations });
        }
    }
    return [...names.values()].sort((a, b) => b.count - a.count);
}

function card(label, value, note, kind) {
    return el('div', { class: `card ${kind || ''}` }, el('div', { class: 'card-label' }, label), el('div', { class: 'card-value' }, value), note ? el('div', { class: 'card-note' }, note) : null);
}

function cards(index) {
    const lost = index.sources.reduce((sum, source) => sum + source.lost, 0);
    const processes = new Set(index.threads.map(thread => `${thread[0]} ${thread[1]}`)).size;
    const list = [
        card('Events', count(index.events), rate(index.events, index.last_ns)),
        card('Duration', duration(index.last_ns), clock(index, 0, true)),
        card('Lost', count(lost), lost ? percent(lost, lost + index.events) : 'nothing', lost ? 'bad' : 'good'),
        card('Processes', count(processes), `${count(index.threads.length)} thread${index.threads.length === 1 ? '' : 's'}`),
    ];
    if (index.spans || index.spans_open)
        list.push(card('Spans', count(index.spans), index.spans_open ? `${count(index.spans_open)} did not end` : ''));
    if (index.damaged)
        list.push(card('Damaged', count(index.damaged), 'events, shown as far as they can be read', 'bad'));
    return el('div', { class: 'cards' }, ...list);
}

/** What is missing, and why. */
function losses(index) {
    const lines = [];
    for (const source of index.sources) {
        const name = () => said(source.name);
        for (const [cause, lost, processes] of source.causes) {
            if (lost)
                lines.push(el('li', {}, name(), `: ${count(lost)} events were lost: ${cause}`));
            if (processes)
                lines.push(el('li', {}, name(), `: ${count(processes)} processes were not recorded: ${cause}`));
        }
        const known = source.causes.reduce((sum, one) => sum + one[1], 0);
        if (source.lost > known)
            lines.push(el('li', {}, name(), `: ${count(source.lost - known)} events were lost`));
        if (source.unreadable || source.damaged_records)
            lines.push(el('li', {}, name(), `: ${count(source.unreadable + source.damaged_records)} records cannot be read`));
        if (source.directory_gone)
            lines.push(el('li', {}, name(), ': the tracing directory was removed while recording'));
        if (source.silences)
            lines.push(el('li', {}, name(), ': the recorder did not run for 5 s or more: events that programs wrote until it continued are missing'));
        if (source.changed_cpus)
            lines.push(el('li', {}, name(), `: ${count(source.changed_cpus)} CPUs went offline or online: the kernel's events on them are missing`));
        if (source.directories_left_out)
            lines.push(el('li', {}, name(), `: ${count(source.directories_left_out)} tracing directories were not recorded`));
        if (source.kernel_gap)
            lines.push(el('li', {}, name(), ': the recorder took the place of one that was killed: events of the kernel in between are missing'));
    }
    if (index.without_fields)
        lines.push(el('li', {}, `The fields of ${count(index.without_fields)} events were left out, to limit the size of this file.`));
    if (index.stops_alone || index.spans_forgotten)
        lines.push(el('li', {}, `${count(index.stops_alone)} spans ended that had not begun; ${count(index.spans_forgotten)} were replaced while they were open.`));
    return lines.length ? el('ul', { class: 'losses' }, ...lines) : null;
}

/** Cells of durations: number, then p50, p90, p99, maximum. */
export function durationCells(durations) {
    if (!durations)
        return [1, 2, 3, 4].map(() => el('td', {}));
    const [, , , p50, p90, p99, most] = durations;
    return [p50, p90, p99, most].map(ns => el('td', { class: 'number', 'data-ns': ns }, duration(ns)));
}

/**
 * A table of events by name.
 * @param {object[]} rows  name, count, bytes, durations
 */
export function nameTable(rows, total, ns, onName) {
    const hasDurations = rows.some(row => row.durations);
    const body = el('tbody', {});
    const fill = most => {
        body.replaceChildren(...rows.slice(0, most).map(row => el('tr', {},
            el('td', {}, el('button', { class: 'link name', click: () => onName(row.name) }, said(row.name))),
            el('td', { class: 'number', 'data-count': row.count }, count(row.count)),
            el('td', { class: 'bar-cell' }, bar(row.count / total)),
            el('td', { class: 'number' }, rate(row.count, ns)),
            row.bytes === undefined ? null : el('td', { class: 'number' }, bytes(row.bytes)),
            ...(hasDurations ? durationCells(row.durations) : []))));
        if (rows.length > most)
            body.append(el('tr', {}, el('td', { colspan: 9 }, el('button', { class: 'link', click: () => fill(Infinity) }, `show all ${count(rows.length)}`))));
    };
    fill(ROWS_AT_FIRST);
    return el('table', { class: 'names' },
        el('thead', {}, el('tr', {}, ...['event', 'count', '', 'rate', ...(rows[0]?.bytes === undefined ? [] : ['bytes']), ...(hasDurations ? ['p50', 'p90', 'p99', 'max'] : [])].map((title, n) => el('th', { class: n ? 'number' : '' }, title)))),
        body);
}

function bar(part) {
    const inner = el('div', { class: 'bar' });
    inner.style.width = `${Math.max(1, part * 100)}%`;
    return inner;
}

export function summary(index, onName) {
    return el('section', { class: 'summary' },
        cards(index),
        losses(index),
        nameTable(eventsByName(index), index.events, index.last_ns, onName),
        el('p', { class: 'dim files' }, ...index.sources.map(source => el('span', {}, said(source.name), ` · ${count(source.events)} events `)), ` · ${index.program}`));
}
