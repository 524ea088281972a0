// The lines of the timeline: processes, their threads, and the tracks of each.
import { THREAD, TRACK, TRACK_KIND } from './bytes.js';
import { visible } from './dom.js';

export const HEIGHT = { process: 24, states: 10, events: 18, span: 19, gap: 7, series: 44, group: 22 };

/** Whose processes have the same id in several recordings, has the recording's name, too. */
function nameOfProcess(index, source, pid, comm) {
    const name = `${comm || (pid ? 'process' : 'unknown process')}${pid ? ` ${pid}` : ''}`;
    return index.sources.length > 1 && index.sources[source].name ? `${name} · ${index.sources[source].name}` : name;
}

/** Processes with their threads; those with the most events first. */
export function processesOf(index) {
    const processes = new Map();
    index.threads.forEach((thread, number) => {
        const key = `${thread[THREAD.source]} ${thread[THREAD.pid]}`;
        if (!processes.has(key))
            processes.set(key, { key, source: thread[THREAD.source], pid: thread[THREAD.pid], comm: '', events: 0, items: 0, threads: [] });
        const process = processes.get(key);
        process.events += thread[THREAD.events];
        if (thread[THREAD.tid] === thread[THREAD.pid] || !process.comm)
            process.comm = thread[THREAD.comm];
        process.threads.push({ number, tid: thread[THREAD.tid], comm: thread[THREAD.comm], tracks: [] });
    });
    const threads = new Map();
    for (const process of processes.values())
        for (const thread of process.threads)
            threads.set(thread.number, thread);
    index.tracks.forEach((track, number) => {
        threads.get(track[TRACK.thread]).tracks.push({ number, kind: track[TRACK.kind], depth: track[TRACK.depth] });
    });
    for (const process of processes.values()) {
        process.name = visible(nameOfProcess(index, process.source, process.pid, process.comm));
        process.threads = process.threads.filter(thread => thread.tracks.length);
        process.threads.sort((a, b) => Number(b.tid === process.pid) - Number(a.tid === process.pid) || a.tid - b.tid);
        for (const thread of process.threads)
            thread.tracks.sort((a, b) => orderOf(a) - orderOf(b));
    }
    return [...processes.values()].filter(process => process.threads.length).sort((a, b) => b.events - a.events || a.pid - b.pid);
}

/** States, then events, then spans from the outermost on. */
function orderOf(track) {
    return track.kind === TRACK_KIND.states ? -2 : track.kind === TRACK_KIND.events ? -1 : track.depth;
}

function heightOf(track) {
    return track.kind === TRACK_KIND.states ? HEIGHT.states : track.kind === TRACK_KIND.events ? HEIGHT.events : HEIGHT.span;
}

/**
 * Lines from the top: where each is, and where each track is.
 * @param {object[]} series  fields over time; of kind 'group': a heading
 * @returns {{lines: object[], tracks: Map<number, object>, folded: Map<number, object>, height: number}}
 */
export function layOut(processes, collapsed, series) {
    const lines = [];
    const tracks = new Map();
    const folded = new Map(); // tracks that are not shown: their process's line
    let y = 0;
    for (const one of series) {
        lines.push({ kind: one.kind || 'series', y, height: one.kind ? HEIGHT.group : HEIGHT.series, series: one });
        y += lines[lines.length - 1].height;
    }
    for (const process of processes) {
        lines.push({ kind: 'process', y, height: HEIGHT.process, process, isCollapsed: collapsed.has(process.key) });
        y += HEIGHT.process;
        if (collapsed.has(process.key)) {
            for (const thread of process.threads)
                for (const track of thread.tracks)
                    folded.set(track.number, { y: y - HEIGHT.process, height: HEIGHT.process });
            continue;
        }
        for (const thread of process.threads) {
            const line = { kind: 'thread', y, thread, process, height: 0 };
            let at = y + 3;
            for (const track of thread.tracks) {
                tracks.set(track.number, { y: at, height: heightOf(track) - 1, kind: track.kind, line });
                at += heightOf(track);
            }
            line.height = Math.max(at - y + HEIGHT.gap - 3, 22);
            lines.push(line);
            y += line.height;
        }
    }
    return { lines, tracks, folded, height: y };
}
