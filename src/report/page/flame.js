// The flame graph: how many stacks each function was in, below those that called it; and a table of the functions.
import { el, put, said, visible } from './dom.js';
import { count, duration, percent } from './format.js';
import { colors, isDark, shadeOf } from './theme.js';
import { fit } from './timeline.js';

const FRAME_HEIGHT = 18;
const TOP_FUNCTIONS = 40;
const NARROWEST = 0.3; // pixels

/** A frame's name: of its function, or else of the file that it is in. */
export function frameName(frame) {
    const [symbol, object, isKernel] = frame;
    return symbol || (isKernel ? '[kernel]' : object ? `[${object.slice(object.lastIndexOf('/') + 1)}]` : '[unknown]');
}

/** Where each node is: from left to right those with the most stacks first, in stacks; and how deep. */
function arrange(nodes, samples) {
    const x = new Float64Array(nodes.count);
    const depth = new Uint16Array(nodes.count);
    const children = new Map([[-1, []]]);
    let deepest = 0;
    for (let n = 0; n < nodes.count; n++) {
        const parent = nodes.parent[n];
        depth[n] = parent < 0 ? 1 : depth[parent] + 1;
        deepest = Math.max(deepest, depth[n]);
        if (!children.has(parent))
            children.set(parent, []);
        children.get(parent).push(n);
    }
    for (const [parent, list] of children) { // a parent is placed before its children: it has a lower number
        let at = parent < 0 ? 0 : x[parent];
        for (const n of list.sort((a, b) => nodes.total[b] - nodes.total[a])) {
            x[n] = at;
            at += nodes.total[n];
        }
    }
    return { x, depth, deepest, samples };
}

/** Functions with the number of stacks that they were in, and in which they were the innermost. */
function functionsOf(nodes) {
    const functions = new Map();
    for (let n = 0; n < nodes.count; n++) {
        const frame = nodes.frame[n];
        const one = functions.get(frame) || { frame, self: 0, total: 0 };
        functions.set(frame, one);
        one.self += nodes.self[n];
        let caller = nodes.parent[n];
        while (caller >= 0 && nodes.frame[caller] !== frame)
            caller = nodes.parent[caller];
        if (caller < 0) // not within itself
            one.total += nodes.total[n];
    }
    return [...functions.values()].sort((a, b) => b.self - a.self || b.total - a.total);
}

export class Flame {
    /**
     * @param {import('./client.js').Client} client
     * @param {(error: Error) => void} onError
     */
    constructor(client, onError) {
        this.client = client;
        this.onError = onError;
        this.range = null;
        this.root = -1; // the node that is shown in full width; -1: all
        this.canvas = el('canvas', { class: 'flame-canvas', tabindex: 0, role: 'img', 'aria-label': 'Flame graph of stacks' });
        this.tip = el('div', { class: 'tip', hidden: true });
        this.kindBox = el('select', { 'aria-label': 'Events', change: () => this.load() });
        this.searchBox = el('input', { type: 'search', placeholder: 'Highlight functions', 'aria-label': 'Highlight functions', spellcheck: 'false', input: () => this.draw() });
        this.about = el('span', { class: 'dim' });
        this.resetButton = el('button', { class: 'link', hidden: true, click: () => this.zoom(-1) }, 'show all');
        this.functions = el('div', { class: 'flame-functions' });
        this.scroller = el('div', { class: 'flame-scroller' }, this.canvas, this.tip);
        this.element = el('div', { class: 'flame' },
            el('div', { class: 'flame-head' }, this.kindBox, this.searchBox, this.about, this.resetButton),
            el('div', { class: 'flame-body' }, this.scroller, this.functions));
        this.canvas.addEventListener('click', event => this.zoom(this.hit(event.offsetX, event.offsetY)));
        this.canvas.addEventListener('pointermove', event => this.showTip(event.offsetX, event.offsetY));
        this.canvas.addEventListener('pointerleave', () => { this.tip.hidden = true; });
        this.canvas.addEventListener('keydown', event => this.key(event));
        new ResizeObserver(() => this.draw()).observe(this.scroller);
    }

    get isThere() { return Boolean(this.index?.stacks.length); }

    setIndex(index) {
        this.index = index;
        this.isStale = true;
        this.isListed = false;
    }

    /** @param {{begin: number, end: number}|null} range  null: everything */
    setRange(range) {
        this.range = range;
        this.isStale = true;
    }

    /** Counts what is not counted yet. */
    show() {
        if (!this.isThere)
            put(this.element, el('p', { class: 'dim hint' }, 'No event has a stack. For those of the kernel, record with --kernel EVENT -g.'));
        else if (this.isStale)
            return this.load();
        this.draw();
        return Promise.resolve();
    }

    async listKinds() {
        const chosen = this.kindBox.value;
        const kinds = await this.client.ask('kindsWithStacks', {});
        put(this.kindBox, el('option', { value: '' }, 'stacks of all events'), ...kinds.map(([kind, stacks]) =>
            el('option', { value: kind }, visible(`${this.index.kinds[kind].event} (${count(stacks)})`))));
        this.kindBox.value = chosen;
        this.isListed = true;
    }

    async load() {
        const range = this.range || { begin: -Infinity, end: Infinity };
        this.asked?.cancel();
        this.isStale = false;
        try {
            if (!this.isListed)
                await this.listKinds();
            const asked = this.client.ask('flame', { ...range, kinds: this.kindBox.value ? [Number(this.kindBox.value)] : null },
                                          part => { this.about.textContent = `counting ${Math.round(part * 100)} %`; });
            this.asked = asked;
            const result = await asked;
            if (this.asked === asked)
                this.take(result);
        } catch (error) {
            this.onError(error);
        }
    }

    take(result) {
        this.nodes = result.nodes;
        this.place = arrange(result.nodes, result.stacks);
        this.root = -1;
        this.resetButton.hidden = true;
        this.about.textContent = `${count(result.stacks)} stack${result.stacks === 1 ? '' : 's'} of ${this.range ? `the selected ${duration(result.end - result.begin)}` : 'the whole recording'}`
            + (this.index.stacks_cut ? `; ${count(this.index.stacks_cut)} lack functions: there were too many` : '');
        this.element.dataset.stacks = result.stacks;
        this.showFunctions(result);
        this.draw();
    }

    showFunctions(result) {
        const rows = functionsOf(this.nodes).slice(0, TOP_FUNCTIONS).map(one => el('tr', {},
            el('td', {}, el('button', { class: 'link name', click: () => this.highlight(frameName(this.index.frames[one.frame])) }, said(frameName(this.index.frames[one.frame])))),
            el('td', { class: 'number', 'data-self': one.self }, percent(one.self, result.stacks)),
            el('td', { class: 'number', 'data-total': one.total }, percent(one.total, result.stacks))));
        put(this.functions, el('table', { class: 'names' }, el('thead', {}, el('tr', {}, ...['function', 'self', 'total'].map((title, n) => el('th', { class: n ? 'number' : '' }, title)))), el('tbody', {}, ...rows)));
    }

    highlight(text) {
        this.searchBox.value = this.searchBox.value === text ? '' : text;
        this.draw();
    }

    /** Shows a node and what it called in full width; once more: what called it. */
    zoom(node) {
        if (!this.nodes || node === undefined)
            return;
        this.root = node === this.root && node >= 0 ? this.nodes.parent[node] : node;
        this.resetButton.hidden = this.root < 0;
        this.draw();
    }

    key(event) {
        if (event.key !== 'Escape' || this.root < 0)
            return;
        event.stopPropagation();
        this.zoom(-1);
    }

    /* ---- drawing ---- */

    /** The stacks that are shown, from and to. */
    get shown() {
        const { x, samples } = this.place;
        return this.root < 0 ? [0, samples] : [x[this.root], x[this.root] + this.nodes.total[this.root]];
    }

    draw() {
        if (this.isDrawing)
            return;
        this.isDrawing = true;
        requestAnimationFrame(() => {
            this.isDrawing = false;
            this.paint();
        });
    }

    paint() {
        const width = this.scroller.clientWidth;
        if (!this.nodes || !width)
            return;
        const ratio = window.devicePixelRatio || 1;
        const height = (this.place.deepest + 1) * FRAME_HEIGHT + 2;
        this.canvas.style.height = `${height}px`;
        this.canvas.width = Math.round(width * ratio);
        this.canvas.height = Math.round(height * ratio);
        const to = this.canvas.getContext('2d');
        to.setTransform(ratio, 0, 0, ratio, 0, 0);
        to.font = '11px system-ui, sans-serif';
        to.textBaseline = 'middle';
        this.colors = colors();
        this.dark = isDark();
        const wanted = this.searchBox.value.toLowerCase();
        this.paintRow(to, 0, width, 0, 'all', this.colors.other, !wanted);
        const [from, until] = this.shown;
        const scale = width / Math.max(1, until - from);
        const ancestors = this.ancestors();
        for (let n = 0; n < this.nodes.count; n++) {
            const x0 = Math.max(0, (this.place.x[n] - from) * scale);
            const x1 = Math.min(width, (this.place.x[n] + this.nodes.total[n] - from) * scale);
            if (x1 - x0 < NARROWEST && !ancestors.has(n))
                continue;
            const frame = this.index.frames[this.nodes.frame[n]];
            const name = frameName(frame);
            this.paintRow(to, x0, x1, this.place.depth[n], name, shadeOf(frame[2] ? 'kernel' : frame[1], name, this.dark), !wanted || name.toLowerCase().includes(wanted));
        }
    }

    ancestors() {
        const set = new Set();
        for (let n = this.root; n >= 0; n = this.nodes.parent[n])
            set.add(n);
        return set;
    }

    paintRow(to, x0, x1, depth, name, color, isWanted) {
        const y = depth * FRAME_HEIGHT;
        const wide = x1 - x0;
        to.globalAlpha = isWanted ? 1 : 0.25;
        to.fillStyle = color;
        to.fillRect(x0, y, Math.max(0.5, wide - (wide > 3 ? 0.7 : 0)), FRAME_HEIGHT - 1);
        if (wide > 30) {
            to.fillStyle = this.dark ? '#0d1117' : '#fff';
            to.fillText(fit(to, visible(name), wide - 8), x0 + 4, y + FRAME_HEIGHT / 2);
        }
        to.globalAlpha = 1;
    }

    /** The node at a point; -1: all; undefined: none. */
    hit(x, y) {
        if (!this.nodes)
            return undefined;
        const depth = Math.floor(y / FRAME_HEIGHT);
        if (!depth)
            return -1;
        const [from, until] = this.shown;
        const at = from + x / this.scroller.clientWidth * (until - from);
        for (let n = 0; n < this.nodes.count; n++)
            if (this.place.depth[n] === depth && this.place.x[n] <= at && at < this.place.x[n] + this.nodes.total[n])
                return n;
        return undefined;
    }

    showTip(x, y) {
        const n = this.hit(x, y);
        this.tip.hidden = n === undefined || n < 0;
        this.canvas.style.cursor = n === undefined ? 'default' : 'pointer';
        if (this.tip.hidden)
            return;
        const [, object] = this.index.frames[this.nodes.frame[n]];
        put(this.tip, el('b', {}, said(frameName(this.index.frames[this.nodes.frame[n]]))), el('div', { class: 'dim' }, said(object || 'unknown file')),
            el('div', {}, `${count(this.nodes.total[n])} stacks, ${percent(this.nodes.total[n], this.place.samples)}; innermost in ${count(this.nodes.self[n])}`));
        this.tip.style.left = `${Math.max(0, Math.min(x + 14, this.scroller.clientWidth - this.tip.offsetWidth))}px`;
        this.tip.style.top = `${y + 16}px`;
    }
}
