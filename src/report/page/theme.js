// Dark and light, and the colours of what is drawn.

const ORDER = ['auto', 'light', 'dark'];

export function isDark() {
    const chosen = document.documentElement.dataset.theme;
    return chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
}

export function nextTheme() {
    const root = document.documentElement;
    const now = ORDER.indexOf(root.dataset.theme || 'auto');
    root.dataset.theme = ORDER[(now + 1) % ORDER.length];
    return root.dataset.theme;
}

/** Colours of the style sheet. */
export function colors() {
    const style = getComputedStyle(document.documentElement);
    const of = {};
    for (const name of ['bg', 'panel', 'text', 'dim', 'line', 'accent', 'process', 'selection', 'running', 'runnable', 'sleeping', 'blocked', 'other', 'warn'])
        of[name] = style.getPropertyValue(`--${name}`).trim();
    return of;
}

function hash(text) {
    let number = 2166136261;
    for (let n = 0; n < text.length; n++)
        number = Math.imul(number ^ text.charCodeAt(n), 16777619);
    return number >>> 0;
}

const HUES = [210, 25, 145, 280, 45, 185, 335, 95, 250, 10, 165, 305];

/** A colour for a name, always the same one. */
export function colorOf(name, dark) {
    const number = hash(name);
    const hue = HUES[number % HUES.length] + ((number >> 8) % 13) - 6;
    const light = (dark ? 62 : 46) + ((number >> 16) % 3) * 5 - 5;
    return `hsl(${hue} ${dark ? 55 : 58}% ${light}%)`;
}

/** A colour for one of a group: the group's, somewhat lighter or darker. */
export function shadeOf(group, name, dark) {
    const hue = HUES[hash(group) % HUES.length];
    const shade = hash(name);
    return `hsl(${hue + shade % 17 - 8} ${dark ? 50 : 56}% ${(dark ? 60 : 46) + (shade >> 8) % 13 - 6}%)`;
}

export const STATE_COLORS = ['running', 'runnable', 'sleeping', 'blocked', 'other', 'other', 'other'];
