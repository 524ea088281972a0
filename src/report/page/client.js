// The page's side of the worker: requests and their answers, and the data in the page.

const PART_BYTES = 3 << 20; // of data in each element (sink.h)

export class Client {
    /** @param {string} source  the worker's script */
    constructor(source) {
        this.url = URL.createObjectURL(new Blob([source], { type: 'text/javascript' }));
        this.worker = new Worker(this.url);
        this.requests = new Map();
        this.number = 0;
        this.worker.onmessage = message => this.receive(message.data);
        this.worker.onerror = event => {
            for (const request of this.requests.values())
                request.reject(new Error(event.message || 'the worker failed'));
        };
    }

    receive(message) {
        if (message.read !== undefined) {
            this.worker.postMessage({ read: message.read, ...this.data(message.offset, message.size) });
            return;
        }
        const request = this.requests.get(message.id);
        if (!request)
            return;
        if (message.progress !== undefined) {
            request.progress?.(message.progress);
            return;
        }
        this.requests.delete(message.id);
        if (message.error !== undefined)
            request.reject(Object.assign(new Error(message.error), { isUser: message.isUser }));
        else
            request.resolve(message.result);
    }

    /** Data of the page as base64, from a multiple of three bytes on. */
    data(offset, size) {
        this.parts = this.parts || document.getElementsByClassName('cairn-data');
        const begin = offset - offset % 3;
        let text = '';
        for (let at = begin; at < offset + size;) {
            const part = Math.floor(at / PART_BYTES);
            const local = at - part * PART_BYTES;
            const take = Math.min(offset + size - at, PART_BYTES - local);
            text += this.parts[part].firstChild.data.slice(local / 3 * 4, Math.ceil((local + take) / 3) * 4);
            at += take;
        }
        return { bytes: text, skip: offset - begin, size };
    }

    /**
     * Asks the worker.
     * @param {string} what
     * @param {object} [of]
     * @param {(part: number) => void} [progress]
     * @returns {Promise<*> & {cancel: () => void}}
     */
    ask(what, of, progress) {
        const id = ++this.number;
        const promise = new Promise((resolve, reject) => {
            this.requests.set(id, { resolve, reject, progress });
        });
        this.worker.postMessage({ id, what, ...of });
        return Object.assign(promise, { cancel: () => this.worker.postMessage({ cancel: id }) });
    }
}
