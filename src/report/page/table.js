// The table of events: only the lines that are seen are elements.
import { THREAD } from './bytes.js';
import { fieldsText } from './details.js';
import { el, put, said } from './dom.js';
import { count, seconds } from './format.js';

const LINE = 22;
const MAX_HEIGHT = 8e6; // browsers limit the height of an element

export class Table {
    constructor(client, onChoose) {
        this.client = client;
        this.onChoose = onChoose;
        this.total = 0;
        this.chosen = -1;
        this.body = el('div', { class: 'table-body' });
        this.spacer = el('div', { class: 'table-spacer' }, this.body);
        this.scroller = el('div', { class: 'table-scroller', tabindex: 0, scroll: () => this.draw() }, this.spacer);
        this.head = el('div', { class: 'table-line table-head' }, ...['number', 'time (s)', 'cpu', 'thread', 'event', 'fields'].map(name => el('span', {}, name)));
        this.element = el('div', { class: 'table' }, this.head, this.scroller);
        new ResizeObserver(() => this.draw()).observe(this.scroller);
    }

    setIndex(index, total) {
        this.index = index;
        this.total = total;
        this.spacer.style.height = `${Math.min(total * LINE, MAX_HEIGHT)}px`;
        this.pageAt = -1;
        this.draw();
    }

    get lines() { return Math.max(1, Math.floor(this.scroller.clientHeight / LINE)); }

    /** The first line that is seen. */
    get first() {
        const range = this.spacer.offsetHeight - this.scroller.clientHeight;
        if (this.total * LINE <= MAX_HEIGHT)
            return Math.floor(this.scroller.scrollTop / LINE);
        return range > 0 ? Math.round(this.scroller.scrollTop / range * Math.max(0, this.total - this.lines)) : 0;
    }

    show(position) {
        const first = this.first;
        if (position >= first && position < first + this.lines - 1) {
            this.draw();
            return;
        }
        const target = Math.max(0, position - Math.floor(this.lines / 2));
        const range = this.spacer.offsetHeight - this.scroller.clientHeight;
        this.scroller.scrollTop = this.total * LINE <= MAX_HEIGHT ? target * LINE : target / Math.max(1, this.total - this.lines) * range;
        this.draw();
    }

    async draw() {
        if (!this.index || !this.scroller.clientHeight)
            return;
        if (this.isLoading) {
            this.again = true;
            return;
        }
        this.isLoading = true;
        try {
            const first = Math.min(this.first, Math.max(0, this.total - 1));
            const result = await this.client.ask('page', { from: first, count: this.lines + 2 });
            this.body.style.transform = `translateY(${this.total * LINE <= MAX_HEIGHT ? first * LINE : this.scroller.scrollTop}px)`;
            put(this.body, ...result.rows.filter(Boolean).map(row => this.line(row)));
        } finally {
            this.isLoading = false;
        }
        if (this.again) {
            this.again = false;
            this.draw();
        }
    }

    line(row) {
        const kind = this.index.kinds[row.kind];
        const thread = this.index.threads[row.thread];
        return el('div', { class: `table-line ${row.number === this.chosen ? 'chosen' : ''} level-${kind.level || 0}`, 'data-number': row.number, click: () => this.onChoose(row.number) },
            el('span', { class: 'number' }, count(row.number)), el('span', { class: 'number' }, seconds(row.time)), el('span', { class: 'number' }, row.cpu >= 0 ? row.cpu : ''),
            said(`${thread[THREAD.comm] || '?'} ${thread[THREAD.tid]}`), said(kind.provider ? `${kind.provider}:${kind.event}` : kind.event), el('bdi', { class: 'fields' }, fieldsText(kind, row.line)));
    }
}
