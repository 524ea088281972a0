// What is known of one event, and the statistics of a selection.
import { ROW, THREAD } from './bytes.js';
import { frameName } from './flame.js';
import { el, put, said, visible } from './dom.js';
import { clock, count, duration, percent, rate, seconds } from './format.js';
import { nameTable } from './summary.js';
import { fieldTree, splitLine, textOf, valueOf } from './values.js';

const LEVELS = ['', 'critical', 'error', 'warning', 'information', 'verbose'];

function line(name, ...value) {
    return el('tr', {}, el('th', {}, name), el('td', {}, ...value));
}

/** The filter for a field's value. In quotes its name is neither a keyword nor a column that each event has. */
function filterOf(path, text, value) {
    return `"${path.replaceAll('"', '""')}" = ${typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : text}`;
}

/** Buttons for a value. The filter's language has no elements of arrays, and nothing equals null. */
function valueActions(path, text, actions) {
    const value = valueOf(text);
    if (path.includes('[') || text[0] === '[' || value === null)
        return [];
    const filter = el('button', { class: 'link', title: 'show the events that have this value', click: () => actions.filter(filterOf(path, text, value)) }, 'filter');
    const plot = el('button', { class: 'link', title: 'draw the values over time', click: () => actions.plot(path) }, 'plot');
    return typeof value === 'number' ? [filter, plot] : [filter];
}

function fieldLines(tree, path, depth, actions) {
    return tree.flatMap(([name, text, members]) => {
        const own = path ? `${path}.${name}` : name;
        const label = el('th', {}, said(name));
        label.style.paddingLeft = `${8 + depth * 16}px`;
        if (members)
            return [el('tr', {}, label, el('td', {})), ...fieldLines(members, own, depth + 1, actions)];
        return [el('tr', {}, label, el('td', {}, said(textOf(text), { class: 'value' }), el('span', { class: 'actions' }, ...valueActions(own, text, actions))))];
    });
}

function stackLines(index, stack) {
    return stack.map((frame, n) => el('tr', {}, el('th', {}, String(n)), el('td', {}, said(frameName(index.frames[frame])), el('span', { class: 'dim' }, ' ', said(index.frames[frame][1])))));
}

/** @param {HTMLElement} into */
export function showEvent(into, index, event, actions) {
    if (!event) {
        put(into, el('p', { class: 'dim hint' }, 'Click an event or a span, or choose a line of the table. The arrow keys go to the next one.'));
        return;
    }
    const kind = index.kinds[event.kind];
    const thread = index.threads[event.thread];
    const { values, activity, related, error } = splitLine(event.line);
    const head = [
        line('time', `${seconds(event.time)} s`, el('span', { class: 'dim' }, ` ${clock(index, event.time, true)}`)),
        line('thread', said(thread[THREAD.comm] || '–'), ` tid ${thread[THREAD.tid]}, pid ${thread[THREAD.pid]}`, event.cpu >= 0 ? `, CPU ${event.cpu}` : ''),
    ];
    if (kind.level !== undefined)
        head.push(line('level', LEVELS[kind.level] || kind.level, ` · keyword ${kind.keyword}`, kind.opcode ? ` · ${kind.opcode}` : ''));
    if (event.span)
        head.push(line('span', duration(event.span.stop - event.span.start), ' ', el('button', { class: 'link', click: () => actions.zoom(event.span) }, 'zoom')));
    if (activity)
        head.push(line('activity', activity, related ? el('span', { class: 'dim' }, ` of ${related}`) : ''));
    if (error)
        head.push(line('damaged', error));
    if (event.flags & ROW.noTime)
        head.push(line('', 'its time is unknown'));
    const fields = values === undefined ? [line('', el('span', { class: 'dim' }, 'the fields were left out, to limit the size of this file'))]
        : kind.fields ? fieldLines(fieldTree(kind.fields, values), '', 0, { ...actions, plot: name => actions.plot(kind, name) })
            : [line('values', said(values))];
    put(into, el('div', { class: 'columns' },
        el('div', {}, el('h3', { class: 'event-name' }, said(`${kind.provider}:${kind.event}`), el('span', { class: 'dim' }, ` #${event.number}`)), el('table', { class: 'facts' }, ...head)),
        el('div', {}, el('h3', {}, 'Fields'), el('table', { class: 'facts fields' }, ...fields),
            event.stack?.length ? el('h3', { class: 'stack-head' }, 'Stack') : null,
            event.stack?.length ? el('table', { class: 'facts fields stack' }, ...stackLines(index, event.stack)) : null)));
}

/** A line for each name, which several kinds may have: the start of a span, and its stop. */
function rowsByName(index, result) {
    const durations = new Map(result.durations);
    const rows = new Map();
    result.kinds.forEach((events, n) => {
        if (!events && !durations.has(n))
            return;
        const name = `${index.kinds[n].provider}:${index.kinds[n].event}`;
        const key = durations.has(n) && rows.get(name)?.durations ? `${name}\n${n}` : name;
        const row = rows.get(key) || { name, count: 0 };
        row.count += events;
        row.durations = row.durations || durations.get(n);
        rows.set(key, row);
    });
    return [...rows.values()].sort((a, b) => b.count - a.count);
}

export function showStatistics(into, index, result, actions) {
    if (!result) {
        put(into, el('p', { class: 'dim hint' }, 'Drag over the timeline to select a range of time.'));
        return;
    }
    const ns = result.end - result.begin;
    const rows = rowsByName(index, result);
    put(into,
        el('p', { class: 'selection-head' }, el('b', { class: 'selection-count', 'data-count': result.events }, count(result.events)), ` events in `, el('b', {}, duration(ns)), ` · ${rate(result.events, ns)} · from ${seconds(result.begin)} s to ${seconds(result.end)} s `,
            el('button', { class: 'link', click: () => actions.zoom({ start: result.begin, stop: result.end }) }, 'zoom'), ' ',
            el('button', { class: 'link', click: actions.clear }, 'clear')),
        rows.length ? nameTable(rows, Math.max(result.events, 1), ns, actions.name) : null,
        stateTable(index, result));
}

function stateTable(index, result) {
    if (!result.states.length)
        return null;
    const used = index.states.map((name, n) => n).filter(n => result.states.some(([, times]) => times[n]));
    const rows = result.states.sort((a, b) => b[1][0] - a[1][0]).slice(0, 200).map(([number, times]) => {
        const thread = index.threads[number];
        const all = times.reduce((sum, time) => sum + time, 0);
        return el('tr', {}, el('td', {}, said(`${thread[THREAD.comm]} ${thread[THREAD.tid]}`)), ...used.map(n => el('td', { class: 'number' }, times[n] ? `${duration(times[n])} ${percent(times[n], all)}` : '')));
    });
    return el('table', { class: 'names' }, el('thead', {}, el('tr', {}, el('th', {}, 'thread'), ...used.map(n => el('th', { class: 'number' }, index.states[n])))), el('tbody', {}, ...rows));
}

export function fieldsText(kind, line) {
    if (line === undefined)
        return '';
    const { values } = splitLine(line);
    if (!kind.fields)
        return visible(values);
    return flatten(fieldTree(kind.fields, values), '');
}

function flatten(tree, path) {
    return tree.map(([name, text, members]) => members ? flatten(members, path + name + '.') : `${visible(path + name)}=${visible(textOf(text))}`).join('  ');
}
