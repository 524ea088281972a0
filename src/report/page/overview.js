// The whole recording as a strip: how many events there were when, and which part the timeline shows.
import { el } from './dom.js';
import { colors } from './theme.js';

export class Overview {
    constructor(client, timeline) {
        this.client = client;
        this.timeline = timeline;
        this.canvas = el('canvas', { class: 'overview', role: 'img', 'aria-label': 'Events over the whole time' });
        this.counts = null;
        this.canvas.addEventListener('pointerdown', event => {
            this.canvas.setPointerCapture(event.pointerId);
            this.from = this.timeOf(event.offsetX);
            this.moves = event.offsetX >= this.xOf(timeline.begin) && event.offsetX <= this.xOf(timeline.end) && this.isZoomed();
            this.last = this.from;
        });
        this.canvas.addEventListener('pointermove', event => this.drag(event));
        this.canvas.addEventListener('pointerup', () => { this.from = undefined; });
        this.canvas.addEventListener('dblclick', () => timeline.showAll());
        new ResizeObserver(() => this.draw()).observe(this.canvas);
    }

    isZoomed() { return this.timeline.end - this.timeline.begin < this.timeline.index.last_ns * 0.98; }
    get last_ns() { return Math.max(this.timeline.index.last_ns, 1); }
    timeOf(x) { return x / this.canvas.clientWidth * this.last_ns; }
    xOf(time) { return time / this.last_ns * this.canvas.clientWidth; }

    drag(event) {
        if (this.from === undefined)
            return;
        const time = this.timeOf(event.offsetX);
        if (this.moves) {
            this.timeline.setView(this.timeline.begin + time - this.last, this.timeline.end + time - this.last);
            this.last = time;
        } else if (Math.abs(event.offsetX - this.xOf(this.from)) > 3) {
            this.timeline.setView(Math.min(time, this.from), Math.max(time, this.from));
        }
    }

    async load() {
        this.counts = await this.client.ask('overview', { pixels: 600 });
        this.draw();
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
        const ratio = window.devicePixelRatio || 1;
        const width = this.canvas.clientWidth;
        const height = this.canvas.clientHeight;
        if (!width || !this.timeline.index)
            return;
        const of = colors();
        this.canvas.width = Math.round(width * ratio);
        this.canvas.height = Math.round(height * ratio);
        const to = this.canvas.getContext('2d');
        to.setTransform(ratio, 0, 0, ratio, 0, 0);
        to.fillStyle = of.panel;
        to.fillRect(0, 0, width, height);
        if (this.counts) {
            const most = Math.max(...this.counts, 1);
            const step = width / this.counts.length;
            to.fillStyle = of.accent;
            this.counts.forEach((count, n) => {
                const high = count ? Math.max(1, Math.sqrt(count / most) * (height - 4)) : 0;
                to.fillRect(n * step, height - high, Math.ceil(step), high);
            });
        }
        const x0 = this.xOf(this.timeline.begin);
        const x1 = this.xOf(this.timeline.end);
        to.fillStyle = of.selection;
        to.fillRect(x0, 0, Math.max(2, x1 - x0), height);
        to.fillStyle = of.text;
        to.fillRect(Math.max(0, x0), 0, 1.5, height);
        to.fillRect(Math.min(width - 1.5, Math.max(x1, x0 + 2)), 0, 1.5, height);
    }
}
