// The timeline: a canvas with the lines of processes and threads, and a ruler.
import { TRACK, TRACK_KIND } from './bytes.js';
import { el, visible } from './dom.js';
import { clock, compact, count, duration, niceStep } from './format.js';
import { HEIGHT, layOut, processesOf } from './layout.js';
import { STATE_COLORS, colorOf, colors, isDark } from './theme.js';

const LABELS = 232; // width of the names
const RULER = 30;
const FONT = '11px system-ui, sans-serif';
const MIN_SPAN_NS = 100;
const SETTLES_MAX = 500;

export class Timeline {
    /**
     * @param {import('./client.js').Client} client
     * @param {{onView: () => void, onChoose: (number: number) => void, onSelect: (range: object|null) => void, onNeed: (series: object) => void, onError: (error: Error) => void}} events
     */
    constructor(client, events) {
        this.client = client;
        this.events = events;
        this.canvas = el('canvas', { class: 'timeline-canvas', tabindex: 0, role: 'img', 'aria-label': 'Timeline of threads' });
        this.tip = el('div', { class: 'tip', hidden: true });
        this.element = el('div', { class: 'timeline' }, this.canvas, this.tip);
        this.begin = 0;
        this.end = 1;
        this.scroll = 0;
        this.loaded = null;
        this.selection = null;
        this.chosen = null;
        this.marks = null;
        this.series = []; // that the user chose
        this.counters = { kind: 'group', list: [], isCollapsed: false }; // that were found
        this.collapsed = new Set();
        this.showsArrows = true;
        this.names = new Map();
        this.frames = { drawn: 0, slowest: 0 };
        this.listen();
    }

    /** Shows another index: the first, or a later one of a live session. */
    setIndex(index) {
        const isFirst = !this.index;
        this.index = index;
        this.isStale = true; // what is loaded is shown until the new one is
        this.processes = processesOf(index);
        if (isFirst) {
            this.showAll();
            if (this.processes.length > 40)
                this.processes.slice(20).forEach(process => this.collapsed.add(process.key));
        }
        this.layOut();
        this.draw();
    }

    layOut() {
        const { list, isCollapsed } = this.counters;
        const found = list.length ? [this.counters, ...(isCollapsed ? [] : list)] : [];
        this.layout = layOut(this.processes, this.collapsed, [...this.series, ...found]);
        this.limitScroll();
    }

    /* ---- what is shown ---- */

    get width() { return Math.max(1, this.canvas.clientWidth - LABELS); }
    get height() { return this.canvas.clientHeight; }

    xOf(time) { return LABELS + (time - this.begin) / (this.end - this.begin) * this.width; }
    timeOf(x) { return this.begin + (x - LABELS) / this.width * (this.end - this.begin); }

    showAll() {
        const last = Math.max(this.index.last_ns, 1000);
        this.target = null;
        this.setView(-last * 0.01, last * 1.01);
    }

    /** The view that is the nearest one to this and can be shown. */
    limited(begin, end) {
        const last = Math.max(this.index.last_ns, 1000);
        let span = Math.min(Math.max(end - begin, MIN_SPAN_NS), last * 1.5);
        const middle = Math.min(Math.max((begin + end) / 2, 0), last);
        if (Math.abs(span - (end - begin)) < 1e-6 * span)
            span = end - begin;
        return { begin: middle - span / 2, end: middle + span / 2 };
    }

    setView(begin, end) {
        Object.assign(this, this.limited(begin, end));
        this.events.onView();
        this.draw();
    }

    /** Moves there within a few frames. */
    glide(begin, end) {
        if (matchMedia('(prefers-reduced-motion: reduce)').matches || document.hidden) {
            this.setView(begin, end);
            return;
        }
        const isMoving = this.target;
        this.target = this.limited(begin, end); // else it would never be reached
        if (isMoving)
            return;
        const step = () => {
            const to = this.target;
            if (!to)
                return;
            const near = Math.abs(to.begin - this.begin) + Math.abs(to.end - this.end) < (to.end - to.begin) * 0.002;
            if (near) {
                this.target = null;
                this.setView(to.begin, to.end);
                return;
            }
            this.setView(this.begin + (to.begin - this.begin) * 0.35, this.end + (to.end - this.end) * 0.35);
            requestAnimationFrame(step);
        };
        requestAnimationFrame(step);
    }

    /** Zooms by a factor around a time, by default the pointer's or the middle. */
    zoom(factor, around) {
        const { begin, end } = this.target || this;
        const fixed = around ?? this.pointerTime() ?? (begin + end) / 2;
        this.glide(fixed - (fixed - begin) * factor, fixed + (end - fixed) * factor);
    }

    pan(part) {
        const { begin, end } = this.target || this;
        const by = (end - begin) * part;
        this.glide(begin + by, end + by);
    }

    pointerTime() {
        return this.pointer && this.pointer.x > LABELS ? this.timeOf(this.pointer.x) : null;
    }

    /** Shows a time in the middle, not coarser than now. */
    showTime(time, span) {
        const wide = span || Math.min(this.end - this.begin, Math.max(this.index.last_ns / 50, 1000));
        this.glide(time - wide / 2, time + wide / 2);
    }

    showTrack(number) {
        let at = this.layout.tracks.get(number);
        if (!at) {
            const thread = this.index.tracks[number]?.[TRACK.thread];
            const process = this.processes.find(one => one.threads.some(each => each.number === thread));
            if (!process)
                return;
            this.collapsed.delete(process.key);
            this.layOut();
            at = this.layout.tracks.get(number);
        }
        const view = this.height - RULER;
        if (at && (at.y < this.scroll || at.y + at.height > this.scroll + view)) {
            this.scroll = at.y - view / 2;
            this.limitScroll();
        }
    }

    limitScroll() {
        const most = Math.max(0, this.layout.height - (this.height - RULER));
        this.scroll = Math.min(Math.max(this.scroll, 0), most);
    }

    /* ---- data ---- */

    /** Asks for what is shown and not loaded, one request at a time. */
    load() {
        if (this.isLoading || !this.index)
            return;
        const span = this.end - this.begin;
        const has = this.loaded;
        const scale = has ? (has.end - has.begin) / has.pixels / (span / this.width) : 0;
        if (has && !this.isStale && has.begin <= Math.max(this.begin, 0) && has.end >= Math.min(this.end, this.index.last_ns) && scale > 0.55 && scale < 1.4)
            return;
        const request = { begin: this.begin - span / 2, end: this.end + span / 2, pixels: this.width * 2 };
        const index = this.index;
        this.isLoading = true;
        this.isStale = false;
        this.client.ask('view', request).then(result => {
            this.isLoading = false;
            if (index !== this.index)
                this.isStale = true;
            this.loaded = { ...result, pixels: request.pixels };
            this.byTrack = null;
            return this.draw();
        }, error => {
            this.isLoading = false;
            this.events.onError(error);
        });
    }

    get isSettled() {
        const { list, isCollapsed } = this.counters;
        return this.loaded && !this.isLoading && !this.isDrawing && (isCollapsed || list.every(one => one.times));
    }

    /** Resolves when what is shown was loaded and drawn, or after some time: what cannot be seen is not. */
    async settled() {
        for (let n = 0; n < SETTLES_MAX && this.index && !this.isSettled; n++)
            await new Promise(resolve => setTimeout(resolve, 10));
    }

    nameOf(kind, number) {
        const key = kind * 65536 + number;
        let name = this.names.get(key);
        if (name === undefined) {
            const text = kind === TRACK_KIND.states ? this.index.states[number] : visible(this.index.kinds[number].event);
            const full = kind === TRACK_KIND.states ? text : visible(`${this.index.kinds[number].provider}:${this.index.kinds[number].event}`);
            name = { text, full, color: null, dark: null };
            this.names.set(key, name);
        }
        return name;
    }

    colorOf(kind, number) {
        if (kind === TRACK_KIND.states)
            return this.colors[STATE_COLORS[number] || 'other'];
        const name = this.nameOf(kind, number);
        if (name.dark !== this.dark) {
            name.dark = this.dark;
            name.color = colorOf(name.full, this.dark);
        }
        return name.color;
    }

    /* ---- drawing ---- */

    draw() {
        if (this.isDrawing)
            return;
        this.isDrawing = true;
        requestAnimationFrame(() => {
            this.isDrawing = false;
            const begin = performance.now();
            this.paint();
            this.frames.drawn++;
            this.frames.slowest = Math.max(this.frames.slowest, performance.now() - begin);
            this.load();
        });
    }

    /** At once, for printing. */
    paint() {
        const ratio = window.devicePixelRatio || 1;
        const width = this.canvas.clientWidth;
        const height = this.canvas.clientHeight;
        if (!this.index || !width)
            return;
        if (this.canvas.width !== Math.round(width * ratio) || this.canvas.height !== Math.round(height * ratio)) {
            this.canvas.width = Math.round(width * ratio);
            this.canvas.height = Math.round(height * ratio);
            this.limitScroll();
        }
        const to = this.canvas.getContext('2d');
        this.colors = colors();
        this.dark = isDark();
        to.setTransform(ratio, 0, 0, ratio, 0, 0);
        to.fillStyle = this.colors.bg;
        to.fillRect(0, 0, width, height);
        to.font = FONT;
        to.textBaseline = 'middle';
        to.save();
        to.beginPath();
        to.rect(0, RULER, width, height - RULER);
        to.clip();
        this.paintLines(to, width, height);
        to.save();
        to.beginPath();
        to.rect(LABELS, RULER, width - LABELS, height - RULER);
        to.clip();
        this.paintRectangles(to, height);
        this.paintSeries(to);
        this.paintMarks(to, height);
        this.paintChosen(to, height);
        if (this.showsArrows)
            this.paintArrows(to);
        to.restore();
        this.paintLabels(to, height);
        to.restore();
        this.paintRuler(to, width);
        this.paintSelection(to, width, height);
    }

    yOf(y) { return y - this.scroll + RULER; }

    isShown(y, lineHeight, height) {
        return this.yOf(y) < height && this.yOf(y + lineHeight) > RULER;
    }

    paintLines(to, width, height) {
        for (const line of this.layout.lines) {
            if (!this.isShown(line.y, line.height, height))
                continue;
            const y = this.yOf(line.y);
            if (line.kind === 'process' || line.kind === 'group') {
                to.fillStyle = this.colors.process;
                to.fillRect(0, y, width, line.height);
            }
            to.fillStyle = this.colors.line;
            to.fillRect(0, Math.round(y + line.height) - 1, width, 1);
        }
        const step = this.rulerStep();
        to.fillStyle = this.colors.line;
        for (let time = Math.ceil(this.begin / step) * step; time <= this.end; time += step)
            to.fillRect(Math.round(this.xOf(time)), RULER, 1, height);
    }

    paintRectangles(to, height) {
        if (!this.loaded)
            return;
        const { rectangles } = this.loaded;
        const scale = this.width / (this.end - this.begin);
        const right = LABELS + this.width;
        for (let n = 0; n < rectangles.count; n++) {
            const at = this.layout.tracks.get(rectangles.track[n]);
            if (!at || !this.isShown(at.y, at.height, height))
                continue;
            const x0 = LABELS + (rectangles.begin[n] - this.begin) * scale;
            const x1 = LABELS + (rectangles.end[n] - this.begin) * scale;
            if (x1 < LABELS || x0 > right)
                continue;
            to.fillStyle = this.colorOf(at.kind, rectangles.name[n]);
            if (at.kind === TRACK_KIND.events)
                this.paintInstant(to, at, x0, x1, rectangles.counts[n]);
            else
                this.paintSpan(to, at, Math.max(x0, LABELS - 4), Math.min(x1, right + 4), rectangles.name[n]);
        }
    }

    /** Several events in one place are drawn higher. */
    paintInstant(to, at, x0, x1, events) {
        const high = Math.min(at.height, 7 + 2.2 * Math.log2(events + 1));
        to.fillRect(Math.floor(x0), this.yOf(at.y) + at.height - high, Math.max(1.6, x1 - x0), high);
    }

    paintSpan(to, at, x0, x1, name) {
        const y = this.yOf(at.y);
        const wide = Math.max(1, x1 - x0 - (x1 - x0 > 4 ? 0.6 : 0));
        to.fillRect(x0, y, wide, at.height);
        if (wide < 34 || at.kind === TRACK_KIND.states)
            return;
        to.fillStyle = this.dark ? '#0d1117' : '#fff';
        const left = Math.max(x0, LABELS) + 4;
        const text = fit(to, this.nameOf(at.kind, name).text, x1 - left - 4);
        if (text)
            to.fillText(text, left, y + at.height / 2 + 0.5);
    }

    paintSeries(to) {
        for (const line of this.layout.lines) {
            if (line.kind !== 'series')
                continue;
            const { times, numbers, least, greatest } = line.series;
            if (!times && this.isShown(line.y, line.height, this.height))
                this.events.onNeed(line.series);
            if (!times)
                continue;
            const y = this.yOf(line.y) + 4;
            const high = line.height - 9;
            const yOf = number => y + high - (greatest > least ? (number - least) / (greatest - least) : 0.5) * high;
            let n = lowerBound(times, this.begin);
            to.fillStyle = this.colors.accent;
            to.globalAlpha = 0.25;
            for (let i = Math.max(0, n - 1); i < times.length && times[i] <= this.end;) {
                // The least and the greatest of each pixel; then the level up to the next one.
                const x = Math.max(LABELS, Math.floor(this.xOf(times[i])));
                const until = this.timeOf(x + 1);
                let low = numbers[i], top = numbers[i], j = i + 1;
                for (; j < times.length && times[j] < until; j++) {
                    low = Math.min(low, numbers[j]);
                    top = Math.max(top, numbers[j]);
                }
                const next = j < times.length ? this.xOf(times[j]) : this.xOf(this.index.last_ns);
                to.globalAlpha = 0.25;
                to.fillRect(x, yOf(numbers[j - 1]), Math.max(1, next - x), y + high - yOf(numbers[j - 1]));
                to.globalAlpha = 1;
                to.fillRect(x, yOf(top) - 1, Math.max(1.5, next - x), 1.5);
                to.fillRect(x, yOf(top), 1, Math.max(1, yOf(low) - yOf(top)));
                i = Math.max(j, i + 1);
            }
            to.globalAlpha = 1;
            n = 0;
        }
    }

    /** Events that the filter selected. */
    paintMarks(to, height) {
        if (!this.marks)
            return;
        const { times, threads } = this.marks;
        const lines = new Map();
        for (const line of this.layout.lines)
            if (line.kind === 'thread')
                lines.set(line.thread.number, line);
        to.fillStyle = this.colors.warn;
        let last = new Map();
        for (let n = lowerBound(times, this.begin); n < times.length && times[n] <= this.end; n++) {
            const line = lines.get(threads[n]);
            const x = Math.round(this.xOf(times[n]));
            if (!line || last.get(line) === x || !this.isShown(line.y, line.height, height))
                continue;
            last.set(line, x);
            to.fillRect(x - 1, this.yOf(line.y), 2, line.height - 1);
        }
        last = null;
    }

    paintChosen(to, height) {
        if (!this.chosen)
            return;
        const x = Math.round(this.xOf(this.chosen.time));
        to.fillStyle = this.colors.accent;
        to.fillRect(x, RULER, 1, height);
        const { span } = this.chosen;
        const at = span && this.layout.tracks.get(span.track);
        if (!at)
            return;
        to.strokeStyle = this.colors.text;
        to.lineWidth = 2;
        to.strokeRect(this.xOf(span.start), this.yOf(at.y), Math.max(2, this.xOf(span.stop) - this.xOf(span.start)), at.height);
    }

    paintArrows(to) {
        const arrows = this.loaded?.arrows;
        if (!arrows)
            return;
        for (const [time, delay, from, target, kind] of arrows) {
            const a = this.layout.tracks.get(from) || this.layout.folded.get(from);
            const b = this.layout.tracks.get(target) || this.layout.folded.get(target);
            if (!a || !b || a === b)
                continue;
            const x0 = this.xOf(time);
            const x1 = this.xOf(time + delay);
            const y0 = this.yOf(a.y) + a.height / 2;
            const y1 = this.yOf(b.y) + b.height / 2;
            to.strokeStyle = to.fillStyle = kind ? this.colors.runnable : this.colors.text;
            to.globalAlpha = 0.75;
            to.lineWidth = 1.2;
            to.beginPath();
            to.moveTo(x0, y0);
            to.bezierCurveTo(x0 + 14, y0, x1 - 14, y1, x1, y1);
            to.stroke();
            to.beginPath();
            to.moveTo(x1 + 1, y1);
            to.lineTo(x1 - 5, y1 - 3);
            to.lineTo(x1 - 5, y1 + 3);
            to.fill();
            to.globalAlpha = 1;
        }
    }

    paintLabels(to, height) {
        to.fillStyle = this.colors.panel;
        to.globalAlpha = 1;
        to.fillRect(0, RULER, LABELS - 1, height);
        for (const line of this.layout.lines) {
            if (!this.isShown(line.y, line.height, height))
                continue;
            this.paintLabel(to, line, this.yOf(line.y));
        }
        to.fillStyle = this.colors.line;
        to.fillRect(LABELS - 1, RULER, 1, height);
    }

    paintLabel(to, line, y) {
        if (line.kind === 'process') {
            to.fillStyle = this.colors.process;
            to.fillRect(0, y, LABELS - 1, line.height - 1);
            to.fillStyle = this.colors.text;
            to.font = `600 ${FONT}`;
            to.fillText(line.isCollapsed ? '▸' : '▾', 8, y + line.height / 2);
            to.fillText(fit(to, line.process.name, LABELS - 90), 22, y + line.height / 2);
            to.font = FONT;
            to.fillStyle = this.colors.dim;
            this.paintRight(to, count(line.process.events), y + line.height / 2);
        } else if (line.kind === 'thread') {
            to.fillStyle = this.colors.text;
            to.fillText(fit(to, visible(line.thread.comm || 'thread'), LABELS - 100), 22, y + 12);
            to.fillStyle = this.colors.dim;
            this.paintRight(to, String(line.thread.tid), y + 12);
        } else if (line.kind === 'group') {
            this.paintGroup(to, line, y);
        } else {
            this.paintSeriesLabel(to, line.series, y);
        }
    }

    paintGroup(to, line, y) {
        to.fillStyle = this.colors.process;
        to.fillRect(0, y, LABELS - 1, line.height - 1);
        to.fillStyle = this.colors.text;
        to.font = `600 ${FONT}`;
        to.fillText(line.series.isCollapsed ? '▸' : '▾', 8, y + line.height / 2);
        to.fillText('Counters', 22, y + line.height / 2);
        to.font = FONT;
        to.fillStyle = this.colors.dim;
        this.paintRight(to, String(line.series.list.length), y + line.height / 2);
    }

    paintSeriesLabel(to, series, y) {
        to.fillStyle = this.colors.text;
        to.fillText(fit(to, visible(series.field), LABELS - 110), 22, y + 14);
        to.fillStyle = this.colors.dim;
        to.fillText(fit(to, visible(series.event), LABELS - 60), 22, y + 30);
        if (series.times)
            this.paintRight(to, `${short(series.least)} … ${short(series.greatest)}`, y + 14);
        this.paintRight(to, '✕', y + 30);
    }

    paintRight(to, text, y) {
        to.textAlign = 'right';
        to.fillText(text, LABELS - 10, y);
        to.textAlign = 'left';
    }

    rulerStep() { return niceStep((this.end - this.begin) / this.width * 110); }

    paintRuler(to, width) {
        const step = this.rulerStep();
        to.fillStyle = this.colors.panel;
        to.fillRect(0, 0, width, RULER);
        to.fillStyle = this.colors.line;
        to.fillRect(0, RULER - 1, width, 1);
        to.save();
        to.beginPath();
        to.rect(LABELS, 0, width - LABELS, RULER);
        to.clip();
        for (let time = Math.ceil(this.begin / step) * step; time <= this.end; time += step) {
            const x = Math.round(this.xOf(time));
            to.fillStyle = this.colors.line;
            to.fillRect(x, RULER - 8, 1, 8);
            to.fillStyle = this.colors.dim;
            to.fillText(rulerText(time, step, this.end), x + 4, RULER - 11);
        }
        to.restore();
        to.fillStyle = this.colors.panel;
        to.fillRect(0, 0, LABELS, RULER - 1);
        to.fillStyle = this.colors.dim;
        to.fillText(fit(to, `${duration(this.end - this.begin)} shown`, LABELS - 20), 8, RULER / 2);
    }

    paintSelection(to, width, height) {
        const range = this.selection;
        if (!range)
            return;
        const x0 = Math.max(LABELS, this.xOf(range.begin));
        const x1 = Math.min(width, this.xOf(range.end));
        if (x1 <= x0)
            return;
        to.fillStyle = this.colors.selection;
        to.fillRect(x0, 0, x1 - x0, height);
        to.fillStyle = this.colors.accent;
        to.fillRect(x0, 0, 1, height);
        to.fillRect(x1 - 1, 0, 1, height);
        const text = duration(range.end - range.begin);
        to.fillText(text, Math.max(LABELS + 2, Math.min(x0 + 4, width - 80)), RULER + 10);
    }

    /* ---- pointer ---- */

    listen() {
        this.canvas.addEventListener('wheel', event => this.wheel(event), { passive: false });
        this.canvas.addEventListener('pointerdown', event => this.press(event));
        this.canvas.addEventListener('pointermove', event => this.move(event));
        this.canvas.addEventListener('pointerup', event => this.release(event));
        this.canvas.addEventListener('pointerleave', () => { this.pointer = null; this.tip.hidden = true; });
        new ResizeObserver(() => this.draw()).observe(this.canvas);
    }

    wheel(event) {
        event.preventDefault();
        if (event.ctrlKey || event.metaKey) {
            this.target = null;
            const time = this.timeOf(Math.max(event.offsetX, LABELS));
            const factor = Math.exp(Math.max(-60, Math.min(60, event.deltaY)) / 120);
            this.setView(time - (time - this.begin) * factor, time + (this.end - time) * factor);
        } else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
            const by = (event.deltaX || event.deltaY) / this.width * (this.end - this.begin);
            this.target = null;
            this.setView(this.begin + by, this.end + by);
        } else {
            this.scroll += event.deltaY;
            this.limitScroll();
            this.draw();
        }
    }

    press(event) {
        if (event.button !== 0)
            return;
        this.canvas.focus();
        this.canvas.setPointerCapture(event.pointerId);
        this.pressed = { x: event.offsetX, y: event.offsetY, begin: this.begin, end: this.end, scroll: this.scroll, pans: event.shiftKey };
    }

    move(event) {
        this.pointer = { x: event.offsetX, y: event.offsetY };
        if (!this.pressed) {
            this.showTip();
            return;
        }
        const from = this.pressed;
        if (Math.abs(event.offsetX - from.x) + Math.abs(event.offsetY - from.y) < 4 && !from.moved)
            return;
        from.moved = true;
        if (from.pans) {
            const by = (from.x - event.offsetX) / this.width * (from.end - from.begin);
            this.scroll = from.scroll + from.y - event.offsetY;
            this.limitScroll();
            this.setView(from.begin + by, from.end + by);
        } else if (from.x > LABELS) {
            const a = this.timeOf(from.x);
            const b = this.timeOf(Math.max(event.offsetX, LABELS));
            this.selection = { begin: Math.min(a, b), end: Math.max(a, b) };
            this.draw();
        }
    }

    release(event) {
        const from = this.pressed;
        this.pressed = null;
        if (!from)
            return;
        if (from.moved && !from.pans && this.selection)
            this.events.onSelect(this.selection);
        else if (!from.moved && event.offsetX < LABELS)
            this.clickLabel(event.offsetX, event.offsetY);
        else if (!from.moved)
            this.click(event.offsetX, event.offsetY);
    }

    clickLabel(x, y) {
        const at = y - RULER + this.scroll;
        const line = this.layout.lines.find(one => at >= one.y && at < one.y + one.height);
        if (line?.kind === 'process') {
            if (!this.collapsed.delete(line.process.key))
                this.collapsed.add(line.process.key);
        } else if (line?.kind === 'series' && x > LABELS - 30) {
            this.series = this.series.filter(one => one !== line.series);
            this.counters.list = this.counters.list.filter(one => one !== line.series);
        } else if (line?.kind === 'group') {
            this.counters.isCollapsed = !this.counters.isCollapsed;
        }
        this.layOut();
        this.draw();
    }

    click(x, y) {
        const hit = this.hit(x, y);
        if (!hit)
            this.events.onSelect(null);
        else if (hit.event >= 0 && hit.kind !== TRACK_KIND.states)
            this.events.onChoose(hit.event);
        else if (hit.kind === TRACK_KIND.states)
            this.events.onSelect({ begin: hit.begin, end: hit.end });
        else
            this.zoom(0.2, (hit.begin + hit.end) / 2);
    }

    /** What is drawn at a point. */
    hit(x, y) {
        if (!this.loaded || y < RULER || x < LABELS)
            return null;
        const at = y - RULER + this.scroll;
        let track = -1;
        for (const [number, one] of this.layout.tracks)
            if (at >= one.y - 1 && at <= one.y + one.height + 1)
                track = number;
        if (track < 0)
            return null;
        const { rectangles } = this.loaded;
        const time = this.timeOf(x);
        const near = (this.end - this.begin) / this.width * 4;
        let best = -1;
        let distance = near;
        for (let n = 0; n < rectangles.count; n++) {
            if (rectangles.track[n] !== track)
                continue;
            const off = Math.max(rectangles.begin[n] - time, time - rectangles.end[n], 0);
            if (off < distance || (off === 0 && best < 0)) {
                best = n;
                distance = off;
            }
        }
        if (best < 0)
            return null;
        return {
            kind: this.layout.tracks.get(track).kind, track, begin: rectangles.begin[best], end: rectangles.end[best],
            name: rectangles.name[best], count: rectangles.counts[best], event: rectangles.event[best],
        };
    }

    showTip() {
        const { x, y } = this.pointer;
        const hit = this.hit(x, y);
        this.canvas.style.cursor = hit || x < LABELS ? 'pointer' : 'crosshair';
        this.tip.hidden = !hit;
        if (!hit)
            return;
        const name = this.nameOf(hit.kind, hit.name).full;
        const lines = [el('b', {}, hit.count > 1 ? `${count(hit.count)} events, most: ` : '', el('bdi', {}, name))];
        if (hit.end > hit.begin)
            lines.push(el('div', {}, `${duration(hit.end - hit.begin)}${hit.count > 1 ? ' together' : ''}`));
        lines.push(el('div', { class: 'dim' }, `at ${duration(hit.begin)} ${clock(this.index, hit.begin)}`));
        if (hit.count > 1)
            lines.push(el('div', { class: 'dim' }, 'click to zoom in'));
        this.tip.replaceChildren(...lines);
        const left = x + 16 + this.tip.offsetWidth > this.canvas.clientWidth ? x - this.tip.offsetWidth - 12 : x + 16;
        this.tip.style.left = `${Math.max(0, left)}px`;
        this.tip.style.top = `${Math.min(y + 14, this.height - this.tip.offsetHeight)}px`;
    }
}

/** The first position whose number is not below. */
export function lowerBound(numbers, number) {
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

/** A number in few characters. */
function short(number) {
    return Math.abs(number) >= 1e5 ? compact(number) : String(Number(number.toPrecision(6)));
}

/** A text that is cut to a width. */
export function fit(to, text, width) {
    if (text.length * 4 < width && to.measureText(text).width <= width)
        return text;
    const most = Math.floor(width / 3);
    let cut = text.slice(0, most);
    while (cut && to.measureText(cut + '…').width > width)
        cut = cut.slice(0, Math.max(0, Math.min(cut.length - 1, Math.floor(cut.length * width / Math.max(1, to.measureText(cut + '…').width)))));
    return cut === text ? text : cut.length > 1 ? cut + '…' : '';
}

/** A time on the ruler: its unit is that of the latest time, and it has the digits that differ from step to step. */
function rulerText(time, step, end) {
    /** @type {[string, number][]} */
    const units = [['s', 1e9], ['ms', 1e6], ['µs', 1e3], ['ns', 1]];
    const [unit, size] = units.find(([, one]) => Math.abs(end) >= one) || units[3];
    const digits = Math.min(9, Math.max(0, Math.ceil(Math.log10(size / step) - 1e-9)));
    const number = Math.round(time / step) * step / size + 0; // no -0
    return `${new Intl.NumberFormat('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits }).format(number)} ${unit}`;
}
