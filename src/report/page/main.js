// The page: its parts, and what happens between them.
import { Client } from './client.js';
import { showEvent, showStatistics } from './details.js';
import { el, put, said, visible } from './dom.js';
import { Flame } from './flame.js';
import { count } from './format.js';
import { Overview } from './overview.js';
import { summary } from './summary.js';
import { Table } from './table.js';
import { nextTheme } from './theme.js';
import { Timeline } from './timeline.js';

const HELP = [
    ['w s', 'zoom in and out, at the pointer'], ['a d', 'to the left and to the right'], ['ctrl + wheel', 'zoom'], ['shift + drag', 'move'],
    ['drag, v', 'select a range of time, or what is shown'], ['f', 'zoom to the selection or the chosen event'], ['0', 'show everything'], ['← →', 'the event before and the next one'],
    ['/', 'search'], ['n N', 'the next and the previous match'], ['c', 'filter'], ['1 2 3 4 5', 'summary, selection, event, events, stacks'],
    ['t', 'dark, light'], ['r', 'arrows on and off'], ['Esc', 'clear the selection'], ['?', 'this'],
];

const COUNTED_MAX = 500000; // events of which counters are read without being asked for

const PRINTED_MAX = 600; // pixels of the timeline on paper

class Page {
    constructor() {
        this.client = new Client('WORKER_SOURCE');
        this.timeline = new Timeline(this.client, {
            onView: () => this.overview.draw(),
            onChoose: number => this.choose(number),
            onSelect: range => this.select(range),
            onNeed: series => this.need(series),
            onError: error => this.fail(error),
        });
        this.overview = new Overview(this.client, this.timeline);
        this.table = new Table(this.client, number => this.choose(number));
        this.flame = new Flame(this.client, error => this.fail(error));
        this.event = null;
        this.panels = {};
        this.build();
    }

    /* ---- parts ---- */

    build() {
        this.title = el('h1', {});
        this.search = el('input', { type: 'search', placeholder: 'Search   /', 'aria-label': 'Search', spellcheck: 'false', keydown: event => this.searchKey(event) });
        this.filterBox = el('input', { type: 'search', class: 'filter', placeholder: "Filter   c    name = 'Request' AND DurationUs > 5", 'aria-label': 'Filter', spellcheck: 'false', keydown: event => this.filterKey(event), search: () => this.filter() });
        this.status = el('span', { class: 'status', role: 'status' });
        const header = el('header', {}, this.title, this.search, this.filterBox, this.status,
            el('button', { title: 'Dark or light (t)', 'aria-label': 'Dark or light', click: () => this.theme() }, '◐'),
            el('button', { title: 'Keys (?)', 'aria-label': 'Keys', click: () => this.help() }, '?'));
        this.tabs = el('div', { class: 'tabs', role: 'tablist' });
        this.drawer = el('div', { class: 'drawer' }, this.tabs);
        for (const [name, title] of [['summary', 'Summary'], ['selection', 'Selection'], ['event', 'Event'], ['table', 'Events'], ['stacks', 'Stacks']]) {
            this.panels[name] = el('div', { class: `panel panel-${name}`, role: 'tabpanel' });
            this.tabs.append(el('button', { role: 'tab', 'data-panel': name, click: () => this.showPanel(name) }, title));
            this.drawer.append(this.panels[name]);
        }
        this.panels.table.append(this.table.element);
        this.panels.stacks.append(this.flame.element);
        this.dialog = el('dialog', {}, el('h2', {}, 'Keys'), el('table', { class: 'facts' }, ...HELP.map(([keys, text]) => el('tr', {}, el('th', {}, keys), el('td', {}, text)))), el('form', { method: 'dialog' }, el('button', {}, 'Close')));
        const splitter = el('div', { class: 'splitter', role: 'separator', pointerdown: event => this.split(event) });
        put(document.getElementById('app'), header, this.overview.canvas, this.timeline.element, splitter, this.drawer, this.dialog);
        document.addEventListener('keydown', event => this.key(event));
        matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.redraw());
        addEventListener('beforeprint', () => this.print(true));
        addEventListener('afterprint', () => this.print(false));
        this.showPanel('summary');
    }

    showPanel(name) {
        this.panel = name;
        for (const [one, panel] of Object.entries(this.panels))
            panel.hidden = one !== name;
        for (const tab of /** @type {HTMLElement[]} */ ([...this.tabs.children]))
            tab.setAttribute('aria-selected', String(tab.dataset.panel === name));
        if (name === 'table')
            this.showInTable();
        if (name === 'stacks' && this.index)
            this.flame.show();
    }

    split(event) {
        const height = this.drawer.offsetHeight;
        const from = event.clientY;
        event.target.setPointerCapture(event.pointerId);
        event.target.onpointermove = move => {
            this.drawer.style.height = `${Math.min(Math.max(height + from - move.clientY, 60), innerHeight - 200)}px`;
        };
        event.target.onpointerup = () => { event.target.onpointermove = null; };
    }

    /* ---- the recording ---- */

    async open() {
        const place = document.getElementById('cairn-index');
        if (place) {
            const index = JSON.parse(place.textContent);
            const asked = this.client.ask('open', { index });
            this.take(index);
            await asked;
        } else {
            this.remote = location.href.replace(/[?#].*/, '');
            this.take(await this.client.ask('open', { remote: this.remote }));
            if (this.index.is_live)
                this.follow();
        }
        await this.findCounters();
        if (this.flame.isThere && this.index.events <= COUNTED_MAX)
            await this.flame.show(); // it can be printed
        document.documentElement.dataset.ready = 'yes';
    }

    take(index) {
        const isFirst = !this.index;
        this.index = index;
        document.title = visible(index.title);
        put(this.title, said(index.title));
        put(this.panels.summary, summary(index, name => this.filterByName(name)));
        if (isFirst) {
            showEvent(this.panels.event, index, null);
            showStatistics(this.panels.selection, index, null);
        }
        this.timeline.setIndex(index);
        this.table.setIndex(index, index.events);
        this.flame.setIndex(index);
        /** @type {HTMLElement} */ (this.tabs.querySelector('[data-panel=stacks]')).hidden = !this.flame.isThere;
        if (this.panel === 'stacks')
            this.flame.show();
        this.overview.load().catch(error => this.fail(error));
    }

    /** Of a live session: what came since then. */
    async follow() {
        for (;;) {
            await new Promise(resolve => setTimeout(resolve, 1000));
            if (document.hidden || this.marks)
                continue;
            try {
                const former = this.index;
                const isAtEnd = this.timeline.end >= former.last_ns;
                const index = await this.client.ask('open', { remote: this.remote });
                if (index.events === former.events && index.is_live)
                    continue;
                const span = this.timeline.end - this.timeline.begin;
                const all = span >= former.last_ns;
                this.take(index);
                if (all)
                    this.timeline.showAll();
                else if (isAtEnd)
                    this.timeline.setView(index.last_ns - span, index.last_ns);
                this.say(index.is_live ? 'live' : 'ended');
                if (!index.is_live)
                    return;
            } catch (error) {
                this.say(`the recording is not served any more (${error.message})`);
                return;
            }
        }
    }

    say(text) { this.status.textContent = text; }

    fail(error) { this.say(`${error.message}`); }

    /* ---- events and selections ---- */

    async choose(number) {
        const event = await this.client.ask('event', { number });
        if (!event)
            return;
        this.event = event;
        this.timeline.chosen = event;
        this.table.chosen = number;
        showEvent(this.panels.event, this.index, event, {
            filter: text => this.filterBy(text),
            plot: (kind, field) => this.plot(kind, field),
            zoom: span => this.zoomTo(span),
        });
        if (this.panel !== 'table')
            this.showPanel('event');
        await this.showInTable();
        if (event.time < this.timeline.begin || event.time > this.timeline.end)
            this.timeline.showTime(event.time);
        this.timeline.draw();
    }

    async showInTable() {
        if (this.panel !== 'table')
            return;
        if (this.event)
            this.table.show(await this.client.ask('positionOf', { number: this.event.number }));
        else
            this.table.draw();
    }

    async step(by) {
        let number;
        if (this.event) {
            const position = await this.client.ask('positionOf', { number: this.event.number });
            number = this.marks ? this.marks.numbers[position + by] : position + by;
        } else {
            number = await this.client.ask('eventAt', { time: this.timeline.begin });
        }
        if (number !== undefined && number >= 0 && number < this.index.events)
            await this.choose(number);
    }

    async select(range) {
        this.timeline.selection = range;
        this.timeline.draw();
        this.flame.setRange(range);
        if (this.panel === 'stacks')
            this.flame.show();
        this.selecting?.cancel();
        if (!range) {
            showStatistics(this.panels.selection, this.index, null);
            return;
        }
        if (this.panel !== 'stacks')
            this.showPanel('selection');
        put(this.panels.selection, el('p', { class: 'dim hint' }, 'Counting…'));
        const asked = this.client.ask('statistics', { begin: range.begin, end: range.end }, part => this.say(`counting ${Math.round(part * 100)} %`));
        this.selecting = asked;
        try {
            const result = await asked;
            if (this.selecting !== asked)
                return;
            this.say('');
            showStatistics(this.panels.selection, this.index, result, { zoom: span => this.zoomTo(span), clear: () => this.select(null), name: name => this.filterByName(name) });
        } catch (error) {
            this.fail(error);
        }
    }

    zoomTo(span) {
        const wide = Math.max(span.stop - span.start, 1000);
        if (span.track !== undefined)
            this.timeline.showTrack(span.track);
        this.timeline.glide(span.start - wide * 0.1, span.stop + wide * 0.1);
    }

    focusOn() {
        if (this.timeline.selection)
            this.zoomTo({ start: this.timeline.selection.begin, stop: this.timeline.selection.end });
        else if (this.event?.span)
            this.zoomTo(this.event.span);
        else if (this.event)
            this.timeline.showTime(this.event.time, (this.timeline.end - this.timeline.begin) / 4);
    }

    /** Reads the values of a field; null if it has none that are numbers. */
    async values(of) {
        this.say('reading values…');
        const series = await this.client.ask('series', of, part => this.say(`reading values ${Math.round(part * 100)} %`));
        this.say('');
        if (!series.times.length)
            return null;
        series.least = series.numbers.reduce((a, b) => Math.min(a, b));
        series.greatest = series.numbers.reduce((a, b) => Math.max(a, b));
        return series;
    }

    /** A counter is seen whose values are not read yet: one after the other. */
    async need(counter) {
        if (this.needs)
            return;
        this.needs = counter;
        try {
            Object.assign(counter, await this.values({ provider: counter.provider, event: counter.event, field: counter.field }) || { times: [], numbers: [], least: 0, greatest: 0 });
        } catch (error) {
            this.fail(error);
        }
        this.needs = null;
        this.timeline.draw();
    }

    /** Finds what is worth a line. In a large recording it is read when the user opens it. */
    async findCounters() {
        const list = await this.client.ask('counters', {});
        const { counters } = this.timeline;
        const former = new Map(counters.list.map(one => [`${one.provider}\n${one.event}\n${one.field}`, one]));
        if (!counters.list.length)
            counters.isCollapsed = this.index.events > COUNTED_MAX;
        counters.list = list.map(one => former.get(`${one.provider}\n${one.event}\n${one.field}`) || one);
        this.timeline.layOut();
        this.timeline.draw();
    }

    async plot(kind, field) {
        const series = await this.values({ provider: kind.provider, event: kind.event, field });
        if (!series)
            return;
        this.timeline.series.push(series);
        this.timeline.layOut();
        this.timeline.scroll = 0;
        this.timeline.draw();
    }

    /* ---- search and filter ---- */

    searchKey(event) {
        if (event.key === 'Enter')
            this.find(event.shiftKey);
        else if (event.key === 'Escape')
            this.timeline.canvas.focus();
    }

    async find(backward) {
        const text = this.search.value;
        if (!text)
            return;
        const from = this.event ? this.event.number + (backward ? -1 : 1) : 0;
        this.finding?.cancel();
        this.say('searching…');
        const asked = this.client.ask('find', { text, from, backward }, part => this.say(`searching ${Math.round(part * 100)} %`));
        this.finding = asked;
        const found = await asked;
        if (this.finding !== asked)
            return;
        this.say(found ? `found #${found.number}` : `nothing ${backward ? 'before' : 'after'} this: ${visible(text)}`);
        if (!found) {
            this.event = null; // the next search begins anew
            return;
        }
        await this.choose(found.number);
        const track = this.index.tracks.findIndex(one => one[0] === found.thread);
        if (track >= 0)
            this.timeline.showTrack(track);
    }

    filterKey(event) {
        if (event.key === 'Enter')
            this.filter();
        else if (event.key === 'Escape')
            this.timeline.canvas.focus();
    }

    filterByName(name) { this.filterBy(`event = '${name.replaceAll("'", "''")}'`); }

    filterBy(text) {
        this.filterBox.value = text;
        this.showPanel('table');
        this.filter();
    }

    async filter() {
        const text = this.filterBox.value.trim();
        this.filtering?.cancel();
        const range = this.timeline.selection || { begin: -Infinity, end: Infinity };
        const asked = this.client.ask('filter', { text, begin: range.begin, end: range.end }, part => this.say(`filtering ${Math.round(part * 100)} %`));
        this.filtering = asked;
        this.filterBox.setCustomValidity('');
        try {
            const found = await asked;
            if (this.filtering !== asked)
                return;
            this.marks = this.timeline.marks = found;
            this.table.setIndex(this.index, found ? found.numbers.length : this.index.events);
            this.say(found ? `${count(found.numbers.length)}${found.isCut ? ' or more' : ''} of ${count(this.index.events)} events` + (found.unknown.length ? `; no event has the field ${visible(found.unknown.join(', '))}` : '') : '');
            this.status.dataset.count = found ? found.numbers.length : '';
        } catch (error) {
            this.filterBox.setCustomValidity(error.message);
            this.say(error.message);
        }
        this.timeline.draw();
    }

    /* ---- keys ---- */

    key(event) {
        if (event.ctrlKey || event.metaKey || event.altKey)
            return;
        if (event.target instanceof HTMLInputElement || this.dialog.open)
            return;
        const action = this.actionOf(event);
        if (!action)
            return;
        event.preventDefault();
        action();
    }

    actionOf(event) {
        const { timeline } = this;
        const panels = { 1: 'summary', 2: 'selection', 3: 'event', 4: 'table', 5: 'stacks' };
        if (panels[event.key])
            return () => this.showPanel(panels[event.key]);
        return {
            w: () => timeline.zoom(0.65), s: () => timeline.zoom(1 / 0.65), a: () => timeline.pan(-0.2), d: () => timeline.pan(0.2),
            W: () => timeline.zoom(0.3), S: () => timeline.zoom(1 / 0.3), A: () => timeline.pan(-0.8), D: () => timeline.pan(0.8),
            0: () => timeline.showAll(), v: () => this.select({ begin: timeline.begin, end: timeline.end }), f: () => this.focusOn(), t: () => this.theme(), '?': () => this.help(),
            '/': () => this.search.select(), c: () => this.filterBox.select(), n: () => this.find(false), N: () => this.find(true),
            ArrowLeft: () => this.step(-1), ArrowRight: () => this.step(1), ArrowUp: () => this.step(-1), ArrowDown: () => this.step(1),
            r: () => { timeline.showsArrows = !timeline.showsArrows; timeline.draw(); },
            Escape: () => this.select(null),
        }[event.key];
    }

    help() { this.dialog.showModal(); }

    theme() {
        this.say(`theme: ${nextTheme()}`);
        this.redraw();
    }

    redraw() {
        this.flame.draw();
        this.timeline.draw();
        this.overview.draw();
    }

    /** Paper is white, and shows every panel that has something. */
    print(isPrinting) {
        const root = document.documentElement;
        if (isPrinting) {
            const has = { summary: true, selection: this.timeline.selection, event: this.event, table: this.panel === 'table', stacks: this.flame.nodes };
            this.themeBefore = root.dataset.theme || 'auto';
            root.dataset.theme = 'light';
            root.dataset.printing = 'yes';
            this.timeline.element.style.height = `${Math.min(this.timeline.layout.height + 40, PRINTED_MAX)}px`;
            for (const [name, panel] of Object.entries(this.panels))
                panel.hidden = !has[name];
        } else {
            root.dataset.theme = this.themeBefore;
            delete root.dataset.printing;
            this.timeline.element.style.height = '';
            this.showPanel(this.panel);
        }
        this.timeline.paint();
        this.overview.paint();
        this.flame.paint();
    }
}

/** Delays the document's load event until the page is ready, so that `chromium --print-to-pdf` prints what is drawn: a document in it that is not closed. */
function delayLoad() {
    const frame = el('iframe', { hidden: true });
    document.body.append(frame);
    frame.contentDocument.open();
    return () => {
        frame.contentDocument.close();
        frame.remove();
    };
}

const page = new Page();
const endLoad = delayLoad();
page.open().finally(() => page.timeline.settled().then(endLoad)).catch(error => {
    put(document.getElementById('app'), el('p', { class: 'loading' }, `The report cannot be shown: ${error.message}`));
});

// For tests: what the page shows, and its answers.
Object.defineProperty(window, 'cairnReport', { value: page });
