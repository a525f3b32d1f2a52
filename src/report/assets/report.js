/* SPDX-License-Identifier: MIT */
/* The timeline and the memory curve of a report.
 *
 * 1. Unpack the data into typed arrays; a track's tasks stand together, in time order.
 * 2. Lay the tracks out in lanes, rank below rank.
 * 3. Draw what is visible: per track a binary search finds the first task in view, and tasks
 *    narrower than a pixel are added up, column by column, by colour.
 * 4. Point, drag, wheel and keys move the view or select a task.
 *
 * No library: what is needed of one is a binary search and a few rectangles.
 */
'use strict';

(() => {
const data = JSON.parse(document.getElementById('data').textContent);
const n = data.duration.length;
if (n === 0)
    return;

/* -- 1. Data ----------------------------------------------------------------------------------- */

const STREAMS = ['compute', 'send to next', 'send to previous', 'tensor parallel', 'data parallel'];
const PAINTS = 9;
const duration = Float64Array.from(data.duration);
const start = new Float64Array(n);
const classOf = Uint32Array.from(data.class);
const microbatch = Int32Array.from(data.microbatch);
const binder = Int32Array.from(data.binder);
const trackOf = new Uint32Array(n);
const classes = data.classes.map(([op, paint, stage, chunk, taken, given, working, amount]) =>
    ({op, paint, stage, chunk, taken, given, working, amount}));
const tracks = data.tracks.map(([rank, stream, first], index, all) =>
    ({rank, stream, first, last: index + 1 < all.length ? all[index + 1][2] : n, longest: 0,
      busy: false}));
const makespan = data.makespan;
const ticks = data.kind === 'schedule';

for (const [index, track] of tracks.entries()) {
    let end = 0;

    for (let i = track.first; i < track.last; i++) {
        start[i] = end + data.gap[i];
        end = start[i] + duration[i];
        track.longest = Math.max(track.longest, duration[i]);
        trackOf[i] = index;
    }
    track.busy = track.longest > 0;
}

/* -- Words -- */

function tellTime(ps) {
    if (ticks)
        return `${ps} tick${ps === 1 ? '' : 's'}`;
    for (const [unit, size] of [['s', 1e12], ['ms', 1e9], ['us', 1e6], ['ns', 1e3]]) {
        if (ps >= size)
            return `${+(ps / size).toPrecision(5)} ${unit}`;
    }
    return `${ps} ps`;
}

function tellAmount(value, unit) {
    for (const [prefix, size] of [['P', 1e15], ['T', 1e12], ['G', 1e9], ['M', 1e6], ['k', 1e3]]) {
        if (value >= size)
            return `${(value / size).toPrecision(3)} ${prefix}${unit}`;
    }
    return `${value} ${unit}`;
}

const tellBytes = bytes => ticks ? `${bytes}` : tellAmount(bytes, 'B');

function tellTask(i) {
    const {op, stage, chunk} = classes[classOf[i]];
    const number = microbatch[i] >= 0 ? microbatch[i] : '';

    return data.chunks > 1 && number !== '' ? `${op}${number} of stage ${stage}, chunk ${chunk}`
                                            : `${op}${number}`;
}

/* What a task waited for, as the simulator found it. */
function tellWait(i) {
    const before = binder[i];

    if (before < 0)
        return start[i] === 0 ? 'it waited for nothing' : 'no single task held it back';
    const {rank, stream} = tracks[trackOf[before]];
    const where = rank === tracks[trackOf[i]].rank ? '' : ` of rank ${rank}`;

    return `it waited for ${tellTask(before)}${where} (${STREAMS[stream]}), which ended then`;
}

function describe(i) {
    const {rank, stream} = tracks[trackOf[i]];
    const {amount, paint} = classes[classOf[i]];
    const unit = paint < 5 ? 'FLOP' : 'B';
    const work = amount > 0 && !ticks ? `, ${tellAmount(amount, unit)}` : '';

    return [`${tellTask(i)} on rank ${rank}, ${STREAMS[stream]}`,
            `starts at ${tellTime(start[i])}, takes ${tellTime(duration[i])}${work}`,
            tellWait(i)];
}

/* -- 2. Lanes ---------------------------------------------------------------------------------- */

const AXIS = 22;
const GUTTER = 68;
const dense = tracks.length > 0 && tracks[tracks.length - 1].rank >= 12;
const BROAD = dense ? 15 : 22;
const NARROW = dense ? 5 : 8;
const SPACE = 7;
const rows = [];

for (const track of tracks) {
    const row = rows[track.rank] ??= {top: 0, height: 0, tracks: []};

    if (track.busy)
        row.tracks.push(track);
}
let total = 0;
for (const row of rows) {
    row.top = total;
    for (const track of row.tracks) {
        track.top = total;
        track.height = track.stream === 0 ? BROAD : NARROW;
        total += track.height + 1;
    }
    row.height = total - row.top;
    total += SPACE;
}

const element = id => document.getElementById(id);
const lanes = element('lanes');
const minimap = element('minimap');
const memory = element('memory');
const detail = element('detail');
const tip = element('tip');
const chooser = element('rank');
const view = {from: 0, to: makespan, scroll: 0};
let hovered = -1;
let selected = -1;
let colors;

lanes.style.height = `${Math.min(total + AXIS + 6, Math.max(320, window.innerHeight * 0.62))}px`;

function readColors() {
    const style = getComputedStyle(document.documentElement);
    const read = name => style.getPropertyValue(name).trim();
    const list = name => Array.from({length: PAINTS}, (_, i) => read(`--${name}${i}`));

    colors = {ground: read('--ground'), raised: read('--raised'), ink: read('--ink'),
              muted: read('--muted'), line: read('--line'), alarm: read('--alarm'),
              accent: read('--accent'), even: list('even'), odd: list('odd')};
}

const fillOf = ({paint, chunk}) => (chunk % 2 === 1 ? colors.odd : colors.even)[paint];

/* Black or white, whichever reads better on a colour "#rrggbb". */
function inkOn(fill) {
    const [red, green, blue] = [1, 3, 5].map(at => parseInt(fill.slice(at, at + 2), 16));

    return red * 0.299 + green * 0.587 + blue * 0.114 > 120 ? '#111111' : '#ffffff';
}

/* -- 3. Drawing -------------------------------------------------------------------------------- */

function prepare(canvas) {
    const ratio = window.devicePixelRatio || 1;
    const width = canvas.clientWidth;
    const height = canvas.clientHeight;
    const context = canvas.getContext('2d');

    const columns = Math.round(width * ratio);
    const lines = Math.round(height * ratio);

    if (canvas.width !== columns || canvas.height !== lines) {
        canvas.width = columns;
        canvas.height = lines;
    }
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    context.font = '11px system-ui, sans-serif';
    context.textBaseline = 'middle';
    return {context, width, height};
}

/* The first task of a track that may end after a time. */
function findFirst(track, time) {
    let low = track.first;
    let high = track.last;

    while (low < high) {
        const middle = (low + high) >> 1;

        if (start[middle] < time - track.longest)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

function drawCell(context, i, box, numbered) {
    const kind = classes[classOf[i]];
    const fill = fillOf(kind);

    context.fillStyle = fill;
    context.fillRect(box.x, box.y, box.width, box.height);
    if (box.width < 4)
        return;
    context.strokeStyle = colors.ground;
    context.lineWidth = 1;
    context.strokeRect(box.x, box.y, box.width, box.height);
    if (!numbered || microbatch[i] < 0)
        return;
    const text = `${microbatch[i]}`;

    if (text.length * 6.5 + 4 > box.width)
        return;
    context.fillStyle = inkOn(fill);
    context.textAlign = 'center';
    context.fillText(text, Math.max(box.x, box.left) +
                           (Math.min(box.x + box.width, box.right) - Math.max(box.x, box.left)) / 2,
                     box.y + box.height / 2 + 0.5);
}

/* Adds up what is narrower than a pixel: in a column the height of a colour is its share. */
class Columns {
    constructor(context, top, height, length) {
        Object.assign(this, {context, top, height, length, x: -1, sums: new Float64Array(PAINTS)});
    }
    add(x, paint, time) {
        if (x !== this.x)
            this.flush();
        this.x = x;
        this.sums[paint] += time;
    }
    flush() {
        let bottom = this.top + this.height;

        for (let paint = 0; this.x >= 0 && paint < PAINTS; paint++) {
            const height = Math.min(1, this.sums[paint] / this.length) * this.height;

            if (height === 0)
                continue;
            this.context.fillStyle = colors.even[paint];
            this.context.fillRect(this.x, Math.max(this.top, bottom - height), 1, height);
            bottom -= height;
        }
        this.sums.fill(0);
        this.x = -1;
    }
}

/* Draws a track between two times into a box; tells how many tasks it looked at. */
function drawTrack(context, track, box, from, to) {
    const scale = box.width / (to - from);
    const columns = new Columns(context, box.top, box.height, 1 / scale);
    const first = findFirst(track, from);
    let i = first;

    for (; i < track.last && start[i] < to; i++) {
        const x = box.left + (start[i] - from) * scale;
        const width = duration[i] * scale;

        if (width === 0 || x + width < box.left)
            continue;
        if (width < 1 && x >= box.left) {
            columns.add(Math.floor(x), classes[classOf[i]].paint, duration[i]);
            continue;
        }
        columns.flush();
        drawCell(context, i, {x, y: box.top, width, height: box.height, left: box.left,
                              right: box.left + box.width}, box.height >= 14);
    }
    columns.flush();
    return i - first;
}

/* 1, 2 or 5 times a power of ten, some 90 pixels apart. */
function chooseStep(span, width) {
    const least = span * 90 / width;
    const power = 10 ** Math.floor(Math.log10(least));

    for (const factor of [1, 2, 5, 10]) {
        if (power * factor >= least)
            return ticks ? Math.max(1, power * factor) : power * factor;
    }
    return power * 10;
}

function drawAxis(context, width) {
    const span = view.to - view.from;
    const step = chooseStep(span, width - GUTTER);

    context.fillStyle = colors.raised;
    context.fillRect(0, 0, width, AXIS);
    context.fillStyle = colors.muted;
    context.textAlign = 'center';
    for (let mark = Math.ceil(view.from / step) * step; mark <= view.to; mark += step) {
        const x = GUTTER + (mark - view.from) / span * (width - GUTTER);

        context.fillRect(x, AXIS - 4, 1, 4);
        if (x > GUTTER + 20 && x < width - 24)
            context.fillText(tellTime(Math.round(mark)), x, AXIS / 2 - 1);
    }
}

function boxOf(i, width) {
    const scale = (width - GUTTER) / (view.to - view.from);
    const track = tracks[trackOf[i]];

    return {x: GUTTER + (start[i] - view.from) * scale, y: AXIS + 4 + track.top - view.scroll,
            width: Math.max(2, duration[i] * scale), height: track.height};
}

/* A frame around a task and, dashed, around what it waited for, with a line between. */
function drawMarked(context, i, width) {
    const box = boxOf(i, width);
    const before = binder[i];

    context.lineWidth = 2;
    context.strokeStyle = colors.ink;
    context.strokeRect(box.x, box.y, box.width, box.height);
    if (before < 0 || duration[before] === 0)
        return;
    const cause = boxOf(before, width);

    context.strokeStyle = colors.alarm;
    context.setLineDash([4, 3]);
    context.strokeRect(cause.x, cause.y, cause.width, cause.height);
    context.beginPath();
    context.moveTo(cause.x + cause.width, cause.y + cause.height / 2);
    context.lineTo(box.x, box.y + box.height / 2);
    context.stroke();
    context.setLineDash([]);
}

function drawLanes() {
    const {context, width, height} = prepare(lanes);

    view.visited = 0;
    context.save();
    context.beginPath();
    context.rect(GUTTER, AXIS, width - GUTTER, height - AXIS);
    context.clip();
    for (const row of rows) {
        if (row.top - view.scroll > height || row.top + row.height - view.scroll < 0)
            continue;
        for (const track of row.tracks) {
            const box = {left: GUTTER, top: AXIS + 4 + track.top - view.scroll,
                         width: width - GUTTER, height: track.height};

            context.fillStyle = colors.raised;
            context.fillRect(box.left, box.top, box.width, box.height);
            view.visited += drawTrack(context, track, box, view.from, view.to);
        }
    }
    for (const i of new Set([selected, hovered])) {
        if (i >= 0)
            drawMarked(context, i, width);
    }
    context.restore();
    context.textAlign = 'right';
    for (const [rank, row] of rows.entries()) {
        const y = AXIS + 4 + row.top - view.scroll + Math.min(BROAD, row.height) / 2;

        context.fillStyle = colors.ink;
        if (y > AXIS && y < height)
            context.fillText(`rank ${rank}`, GUTTER - 8, y);
    }
    drawAxis(context, width);
}

/* The whole run: drawn once, with a window over it. */
let whole = null;

function drawWhole(width, height) {
    const ratio = window.devicePixelRatio || 1;
    const pitch = (height - 4) / rows.length;

    whole = document.createElement('canvas');
    whole.width = Math.round(width * ratio);
    whole.height = Math.round(height * ratio);
    const context = whole.getContext('2d');

    context.scale(ratio, ratio);
    for (const [rank, row] of rows.entries()) {
        const track = row.tracks[0];
        const box = {left: GUTTER, top: 2 + rank * pitch, width: width - GUTTER,
                     height: Math.max(1, pitch - (pitch > 4 ? 1 : 0))};

        if (track !== undefined)
            drawTrack(context, track, {...box, height: Math.min(box.height, 13)}, 0, makespan);
    }
}

function drawMinimap() {
    const {context, width, height} = prepare(minimap);
    const place = time => GUTTER + time / makespan * (width - GUTTER);

    if (whole === null)
        drawWhole(width, height);
    context.drawImage(whole, 0, 0, width, height);
    context.globalAlpha = 0.55;
    context.fillStyle = colors.ground;
    context.fillRect(GUTTER, 0, place(view.from) - GUTTER, height);
    context.fillRect(place(view.to), 0, width - place(view.to), height);
    context.globalAlpha = 1;
    context.strokeStyle = colors.accent;
    context.lineWidth = 2;
    context.strokeRect(place(view.from) + 1, 1, Math.max(2, place(view.to) - place(view.from) - 2),
                       height - 2);
    context.fillStyle = colors.muted;
    context.textAlign = 'right';
    context.fillText('all', GUTTER - 8, height / 2);
}

/* -- Memory -- */

const curves = [];

/* Times and bytes of every change on a rank, from what its tasks take, hold and give back. */
function curveOf(rank) {
    if (curves[rank] !== undefined)
        return curves[rank];
    const track = tracks.find(one => one.rank === rank && one.stream === 0);
    const base = data.states[rank];
    const times = [0];
    const values = [base];
    let held = base;

    for (let i = track?.first ?? 0; i < (track?.last ?? 0); i++) {
        const {taken, given, working} = classes[classOf[i]];

        times.push(start[i], start[i] + duration[i]);
        values.push(held + taken + working, held + taken - given);
        held += taken - given;
    }
    curves[rank] = {times: Float64Array.from(times), values: Float64Array.from(values),
                    most: values.reduce((a, b) => Math.max(a, b), 0)};
    return curves[rank];
}

function findChange(times, time) {
    let low = 0;
    let high = times.length;

    while (low < high) {
        const middle = (low + high) >> 1;

        if (times[middle] <= time)
            low = middle + 1;
        else
            high = middle;
    }
    return Math.max(0, low - 1);
}

/* Steps of a curve within the view; of the changes in one pixel the highest is drawn, then the
 * last. */
function traceCurve(context, {times, values}, place, rise) {
    let i = findChange(times, view.from);
    let height = values[i];

    context.lineTo(GUTTER, rise(height));
    while (i + 1 < times.length && times[i + 1] <= view.to) {
        const x = Math.max(GUTTER, place(times[++i]));
        let most = values[i];

        context.lineTo(x, rise(height));
        while (i + 1 < times.length && place(times[i + 1]) < x + 1)
            most = Math.max(most, values[++i]);
        height = values[i];
        context.lineTo(x, rise(most));
        context.lineTo(x, rise(height));
    }
    context.lineTo(place(view.to), rise(height));
}

function drawMemory() {
    const {context, width, height} = prepare(memory);
    const rank = Number(chooser.value);
    const curve = curveOf(rank);
    const scale = Math.max(data.capacity, data.most) * 1.06 || 1;
    const floor = height - 10;
    const place = time => GUTTER + (time - view.from) / (view.to - view.from) * (width - GUTTER);
    const rise = bytes => floor - bytes / scale * (floor - 12);
    const base = data.states[rank];

    context.fillStyle = colors.even[1];
    context.beginPath();
    context.moveTo(GUTTER, rise(base));
    traceCurve(context, curve, place, rise);
    context.lineTo(width, rise(base));
    context.fill();
    context.fillStyle = colors.even[3];
    context.fillRect(GUTTER, rise(base), width - GUTTER, floor - rise(base));
    context.strokeStyle = colors.muted;
    context.lineWidth = 1;
    for (let other = 0; rows.length <= 8 && other < rows.length; other++) {
        context.beginPath();
        traceCurve(context, curveOf(other), place, rise);
        context.globalAlpha = other === rank ? 1 : 0.45;
        context.stroke();
    }
    context.globalAlpha = 1;
    context.fillStyle = colors.ink;
    context.textAlign = 'right';
    context.fillText('0', GUTTER - 8, floor);
    context.fillText(tellBytes(curve.most), GUTTER - 8, rise(curve.most));
    context.fillRect(GUTTER - 5, rise(curve.most), 5, 1);
    if (data.capacity === 0)
        return;
    context.strokeStyle = colors.alarm;
    context.setLineDash([6, 4]);
    context.beginPath();
    context.moveTo(GUTTER, rise(data.capacity));
    context.lineTo(width, rise(data.capacity));
    context.stroke();
    context.setLineDash([]);
    context.textAlign = 'left';
    const low = rise(data.capacity) + 18 > floor;

    context.fillStyle = low ? colors.ink : colors.alarm;
    context.fillText(`capacity ${tellBytes(data.capacity)}`, GUTTER + 8,
                     rise(data.capacity) + (low ? -9 : 9));
}

let waiting = false;

function redraw() {
    if (waiting)
        return;
    waiting = true;
    requestAnimationFrame(() => {
        waiting = false;
        drawLanes();
        drawMinimap();
        drawMemory();
    });
}

/* -- 4. Moving about --------------------------------------------------------------------------- */

function setView(from, to) {
    const span = Math.min(makespan, Math.max(to - from, Math.min(makespan, ticks ? 2 : 1000)));

    view.from = Math.min(Math.max(0, from), makespan - span);
    view.to = view.from + span;
    redraw();
}

function zoom(factor, at = (view.from + view.to) / 2) {
    setView(at - (at - view.from) * factor, at + (view.to - at) * factor);
}

function pan(share) {
    const by = (view.to - view.from) * share;

    setView(view.from + by, view.to + by);
}

function scrollBy(pixels) {
    const most = Math.max(0, total + AXIS + 4 - lanes.clientHeight);

    view.scroll = Math.min(most, Math.max(0, view.scroll + pixels));
    redraw();
}

function timeAt(x, width) {
    return view.from + (x - GUTTER) / (width - GUTTER) * (view.to - view.from);
}

/* The task at a point of the canvas, or the nearest within three pixels; -1. */
function findTask(x, y) {
    const row = y - AXIS - 4 + view.scroll;
    const track = tracks.find(one => one.busy && row >= one.top && row <= one.top + one.height);

    if (track === undefined || x < GUTTER || y < AXIS)
        return -1;
    const time = timeAt(x, lanes.clientWidth);
    let nearest = -1;
    let least = 3 / (lanes.clientWidth - GUTTER) * (view.to - view.from);

    for (let i = findFirst(track, time - least); i < track.last && start[i] <= time + least; i++) {
        const away = Math.max(0, start[i] - time, time - start[i] - duration[i]);

        if (duration[i] > 0 && away < least) {
            nearest = i;
            least = away;
        }
    }
    return nearest;
}

function showTip(i, x, y) {
    tip.hidden = i < 0;
    if (i < 0)
        return;
    tip.replaceChildren(...describe(i).map((line, index) => {
        const part = document.createElement(index === 0 ? 'strong' : 'div');

        part.textContent = line;
        return part;
    }));
    tip.style.left = `${Math.min(x + 14, window.innerWidth - tip.offsetWidth - 8)}px`;
    tip.style.top = `${Math.min(y + 16, window.innerHeight - tip.offsetHeight - 8)}px`;
}

/* Selects a task, brings it into view and tells it to screen readers. */
function select(i) {
    selected = i;
    if (i < 0) {
        detail.textContent = 'No operation is selected.';
        redraw();
        return;
    }
    const track = tracks[trackOf[i]];
    const span = view.to - view.from;

    detail.textContent = `${describe(i).join('; ')}.`;
    chooser.value = track.rank;
    if (start[i] < view.from || start[i] + duration[i] > view.to)
        setView(start[i] + duration[i] / 2 - span / 2, start[i] + duration[i] / 2 + span / 2);
    if (track.top - view.scroll < 0)
        scrollBy(track.top - view.scroll);
    else if (track.top + track.height - view.scroll > lanes.clientHeight - AXIS - 6)
        scrollBy(track.top + track.height - view.scroll - lanes.clientHeight + AXIS + 6);
    redraw();
}

/* The next task with a duration on the same track, or the task at the middle of the view. */
function step(direction) {
    if (selected < 0) {
        const track = tracks.find(one => one.busy && one.top >= view.scroll) ?? tracks[0];

        select(Math.min(track.last - 1, findFirst(track, view.from + track.longest)));
        return;
    }
    const track = tracks[trackOf[selected]];
    let i = selected + direction;

    while (i >= track.first && i < track.last && duration[i] === 0)
        i += direction;
    if (i >= track.first && i < track.last)
        select(i);
}

function stepRank(direction) {
    if (selected < 0) {
        scrollBy(direction * (BROAD + SPACE));
        return;
    }
    const busy = tracks.filter(one => one.busy);
    const track = busy[busy.indexOf(tracks[trackOf[selected]]) + direction];

    if (track !== undefined)
        select(Math.min(track.last - 1, findFirst(track, start[selected] + track.longest)));
}

const KEYS = {
    '+': () => zoom(1 / 1.5), '=': () => zoom(1 / 1.5), '-': () => zoom(1.5),
    '0': () => setView(0, makespan), 'Home': () => setView(0, view.to - view.from),
    'End': () => setView(makespan - view.to + view.from, makespan),
    'ArrowLeft': () => pan(-0.1), 'ArrowRight': () => pan(0.1),
    'ArrowUp': () => stepRank(-1), 'ArrowDown': () => stepRank(1),
    'n': () => step(1), 'p': () => step(-1), 'Enter': () => step(1), 'Escape': () => select(-1),
    'w': () => { if (selected >= 0 && binder[selected] >= 0) select(binder[selected]); },
};

lanes.addEventListener('keydown', event => {
    const act = KEYS[event.key];

    if (act === undefined || event.ctrlKey || event.metaKey || event.altKey)
        return;
    event.preventDefault();
    act();
});

lanes.addEventListener('wheel', event => {
    event.preventDefault();
    if (event.shiftKey)
        scrollBy(event.deltaY || event.deltaX);
    else if (Math.abs(event.deltaX) > Math.abs(event.deltaY))
        pan(event.deltaX / lanes.clientWidth);
    else
        zoom(Math.exp(event.deltaY * 0.0015), timeAt(event.offsetX, lanes.clientWidth));
}, {passive: false});

let drag = null;

lanes.addEventListener('pointerdown', event => {
    drag = {x: event.clientX, y: event.clientY, from: view.from, to: view.to, scroll: view.scroll,
            moved: false};
    lanes.setPointerCapture(event.pointerId);
});
lanes.addEventListener('pointermove', event => {
    if (drag === null) {
        const i = findTask(event.offsetX, event.offsetY);

        showTip(i, event.clientX, event.clientY);
        if (i !== hovered) {
            hovered = i;
            redraw();
        }
        return;
    }
    const by = (drag.x - event.clientX) / (lanes.clientWidth - GUTTER) * (drag.to - drag.from);

    if (Math.hypot(drag.x - event.clientX, drag.y - event.clientY) > 3)
        drag.moved = true;
    if (!drag.moved)
        return;
    showTip(-1);
    setView(drag.from + by, drag.to + by);
    scrollBy(drag.scroll + drag.y - event.clientY - view.scroll);
});
lanes.addEventListener('pointerup', event => {
    if (drag !== null && !drag.moved)
        select(findTask(event.offsetX, event.offsetY));
    drag = null;
});
lanes.addEventListener('pointercancel', () => { drag = null; });
lanes.addEventListener('pointerleave', () => {
    hovered = -1;
    showTip(-1);
    redraw();
});

function moveWindow(event) {
    const at = (event.offsetX - GUTTER) / (minimap.clientWidth - GUTTER) * makespan;
    const half = (view.to - view.from) / 2;

    if (event.buttons === 1)
        setView(at - half, at + half);
}
minimap.addEventListener('pointerdown', event => {
    minimap.setPointerCapture(event.pointerId);
    moveWindow(event);
});
minimap.addEventListener('pointermove', moveWindow);

element('zoom-in').addEventListener('click', () => zoom(1 / 2));
element('zoom-out').addEventListener('click', () => zoom(2));
element('zoom-all').addEventListener('click', () => setView(0, makespan));
chooser.addEventListener('change', redraw);

function restart() {
    readColors();
    whole = null;
    redraw();
}
window.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', restart);
new ResizeObserver(restart).observe(lanes);
for (let rank = 0; rank < rows.length; rank++)
    chooser.add(new Option(`rank ${rank}`, rank));
chooser.value = data.worst;
restart();

/* For tests and for the curious at the console. */
window.plansim = {
    view, n, describe, setView,
    locate(i) {
        const frame = lanes.getBoundingClientRect();
        const box = boxOf(i, lanes.clientWidth);

        return {x: frame.x + box.x + box.width / 2, y: frame.y + box.y + box.height / 2};
    },
};
})();
