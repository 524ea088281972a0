// Elements, made of text: names and values of a recording never become markup.

/**
 * Makes an element.
 * @param {string} tag
 * @param {Object<string, *>} [properties]  attributes; functions are listeners; `class` is a class
 * @param {...(Node|string|number|null|undefined)} children
 * @returns {any} the element, of the tag's type
 */
export function el(tag, properties, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(properties || {})) {
        if (value === undefined || value === null || value === false)
            continue;
        if (typeof value === 'function')
            element.addEventListener(name, value);
        else
            element.setAttribute(name, value === true ? '' : String(value));
    }
    put(element, ...children);
    return element;
}

/** Replaces the children of an element. */
export function put(element, ...children) {
    element.replaceChildren(...children.filter(child => child !== null && child !== undefined).map(child => child instanceof Node ? child : document.createTextNode(String(child))));
    return element;
}

// Characters that are not seen, or that change how others are shown: bidirectional controls, separators, marks of order.
const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu;

/** Text of a recording as it is shown: what could not be seen is written out. */
export function visible(text) {
    return String(text).replace(UNSEEN, c => {
        const code = c.codePointAt(0);
        return code < 0x20 ? String.fromCodePoint(0x2400 + code) : `\\u{${code.toString(16)}}`;
    });
}

/** Such a text as an element whose direction does not change what surrounds it. */
export function said(text, properties) {
    return el('bdi', properties, visible(text));
}
