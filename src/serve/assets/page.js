/* SPDX-License-Identifier: MIT */
/* The page of plansim serve.
 *
 * 1. The state is a query, the same for the address bar and for /api/run. A control changes its
 *    parameters; what controls show comes from the answer, so that defaults are told as well.
 * 2. Every change asks twice, for the figures (JSON) and the operations (CSV); the latest wins.
 * 3. The timeline is drawn from the operations; the rest is elements.
 */
'use strict';

(() => {
const START = 'model=gpt3-175b&hardware=dgx-a100-80gb&gpus=512&tp=8&pp=8&dp=8&micro-batch=1' +
              '&global-batch=128&schedule=1f1b&recompute=none&zero=1&sequence-parallel=true';
const $ = id => document.getElementById(id);
const make = (name, properties = {}, ...children) => {
    const element = Object.assign(document.createElement(name), properties);

    element.append(...children);
    return element;
};

/* -- 1. State and controls --------------------------------------------------------------------- */

let state = new URLSearchParams(location.search.slice(1) || START);
let answer = null;
const controls = {};

const STEPS = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512];
const divisors = n => Array.from({length: Math.min(n, 128)}, (_, i) => i + 1).filter(i => n % i === 0);

/* What the answer says about the plan, as numbers to begin the next question with. */
const plan = () => answer.plan;
const resolved = () => answer.input.resolved;

function set(changes) {
    for (const [name, value] of Object.entries(changes)) {
        if (value === null)
            state.delete(name);
        else
            state.set(name, value);
    }
}

/* Degrees and batches belong together: what is not changed stays, and the sums follow. */
function setSizes(changes) {
    const {tp, cp, pp, dp, micro, m} = {
        tp: plan().tp, cp: plan().cp, pp: plan().pp, dp: plan().dp, micro: plan().micro_batch,
        m: plan().num_microbatches, ...changes,
    };

    set({tp, cp: cp > 1 || plan().cp > 1 ? cp : null, pp, dp, gpus: tp * cp * pp * dp,
         'micro-batch': micro, 'global-batch': dp * micro * m});
}

function setMember(pointer, value) {
    const others = state.getAll('set').filter(member => !member.startsWith(`${pointer}=`));

    state.delete('set');
    for (const member of others)
        state.append('set', member);
    if (value !== null)
        state.append('set', `${pointer}=${value}`);
}

/* A measured table holds for the link it was measured on; another rate goes by the formula. */
function setNvlink(rate) {
    setMember('/hardware/scale_up/collectives', rate === null ? null : '[]');
    setMember('/hardware/scale_up/bandwidth', rate === null ? null : `${rate} GB/s`);
    setMember('/hardware/scale_up/pair_bandwidth', rate === null ? null : `${rate} GB/s`);
}

const parseRate = text => {
    const [, number, prefix] = /^([\d.]+) ([GMT]?)B\/s$/.exec(text || '') || [];

    return number === undefined ? null : number * {'': 1e-9, M: 1e-3, G: 1, T: 1e3}[prefix];
};

/* A slider over a list of values, and a number beside it for what lies between. */
function addSlider(group, name, label, {values, read, write}) {
    const id = `c-${name}`;
    const range = make('input', {type: 'range', min: 0, id});
    const number = make('input', {type: 'number', min: 0, step: 'any', id: `n-${name}`});
    let list = [];

    number.setAttribute('aria-label', `${label}, as a number`);
    range.addEventListener('input', () => change(() => write(list[range.value])));
    number.addEventListener('change', () => number.value !== '' && change(() => write(+number.value)));
    group.append(make('div', {className: 'field'},
                      make('label', {htmlFor: id, textContent: label}), range, number));
    controls[name] = {range, number, show() {
        const value = read();

        list = [...new Set([...values(), ...(value === null ? [] : [value])])].sort((a, b) => a - b);
        range.max = list.length - 1;
        range.value = list.indexOf(value);
        range.setAttribute('aria-valuetext', `${value}`);
        range.disabled = number.disabled = value === null;
        if (document.activeElement !== number)
            number.value = value === null ? '' : +value.toFixed(3);
    }};
}

function addChoice(group, name, label, {options, read, write}) {
    const id = `c-${name}`;
    const select = make('select', {id});

    for (const [value, text, title] of options)
        select.append(make('option', {value, textContent: text ?? value, title: title ?? ''}));
    select.addEventListener('change', () => change(() => write(select.value)));
    group.append(make('div', {className: 'field wide'},
                      make('label', {htmlFor: id, textContent: label}), select));
    controls[name] = {select, show() {
        const value = read();

        if (![...select.options].some(option => option.value === value))
            select.append(make('option', {value, textContent: value}));
        select.value = value;
    }};
}

function addSwitch(group, name, label, {read, write}) {
    const id = `c-${name}`;
    const box = make('input', {type: 'checkbox', id});

    box.addEventListener('change', () => change(() => write(box.checked)));
    group.append(make('div', {className: 'field'},
                      make('label', {htmlFor: id, textContent: label}), box));
    controls[name] = {box, show() { box.checked = read(); }};
}

function addGroup(title) {
    const group = make('fieldset', {}, make('legend', {textContent: title}));

    $('controls').append(group);
    return group;
}

const names = list => list.map(name => [name]);
const words = list => list.map(({name, summary}) => [name, name, summary]);

function build(presets) {
    const what = addGroup('What and where');

    addChoice(what, 'plan', 'Begin with', {
        options: [['', 'a plan of my own'], ...names(presets.plans)],
        read: () => state.get('plan') ?? '',
        write: name => { state = new URLSearchParams(name === '' ? START : {plan: name}); },
    });
    addChoice(what, 'model', 'Model', {
        options: names(presets.models), read: () => answer.model.name,
        write: name => set({model: name}),
    });
    addChoice(what, 'hardware', 'Hardware', {
        options: names(presets.hardware), read: () => resolved().hardware.name,
        write: name => { setNvlink(null); setMember('/hardware/fabric/nic_bandwidth', null);
                         set({hardware: name}); },
    });
    addChoice(what, 'runtime', 'Runtime', {
        options: names(presets.runtimes), read: () => resolved().runtime.name,
        write: name => set({runtime: name}),
    });

    const degrees = addGroup('Parallel degrees');
    const layers = () => resolved().model.transformer?.layers ?? 64;
    const replica = () => plan().tp * plan().cp * plan().pp;

    addSlider(degrees, 'gpus', 'GPUs', {
        values: () => STEPS.map(n => n * replica()), read: () => plan().world_size,
        write: n => setSizes({dp: Math.max(1, Math.round(n / replica()))}),
    });
    addSlider(degrees, 'tp', 'Tensor', {
        values: () => [1, 2, 4, 8, 16, 32], read: () => plan().tp, write: tp => setSizes({tp}),
    });
    addSlider(degrees, 'cp', 'Context', {
        values: () => [1, 2, 4, 8, 16, 32], read: () => plan().cp, write: cp => setSizes({cp}),
    });
    addSlider(degrees, 'pp', 'Pipeline', {
        values: () => divisors(layers()), read: () => plan().pp, write: pp => setSizes({pp}),
    });
    addSlider(degrees, 'dp', 'Data', {
        values: () => STEPS, read: () => plan().dp, write: dp => setSizes({dp}),
    });
    addSwitch(degrees, 'sequence', 'Sequence par.', {
        read: () => resolved().parallel.sequence_parallel,
        write: on => { set({'sequence-parallel': on ? 'true' : null});
                       setMember('/parallel/sequence_parallel', on ? null : 'false'); },
    });

    const batch = addGroup('Batch and schedule');

    controls.batch = {show() {
        batch.firstChild.textContent = `Batch of ${plan().global_batch} and schedule`;
    }};

    addSlider(batch, 'micro', 'Microbatch', {
        values: () => [1, 2, 4, 8, 16, 32], read: () => plan().micro_batch,
        write: micro => setSizes({micro}),
    });
    addSlider(batch, 'm', 'Microbatches', {
        values: () => STEPS, read: () => plan().num_microbatches, write: m => setSizes({m}),
    });
    addChoice(batch, 'schedule', 'Schedule', {
        options: words(presets.schedules), read: () => resolved().schedule.name,
        write: name => set({schedule: name}),
    });
    addSlider(batch, 'chunks', 'Chunks', {
        values: () => divisors(Math.max(1, Math.floor(layers() / plan().pp))),
        read: () => resolved().schedule.chunks ?? 1,
        write: v => set({schedule: `${resolved().schedule.name}:${v}`}),
    });

    const memory = addGroup('Memory');

    addChoice(memory, 'recompute', 'Recompute', {
        options: names(['none', 'selective', 'full']), read: () => plan().recompute,
        write: what => set({recompute: what}),
    });
    addChoice(memory, 'zero', 'ZeRO stage', {
        options: names(['0', '1', '2', '3']), read: () => `${plan().zero_stage}`,
        write: stage => set({zero: stage}),
    });
    addChoice(memory, 'precision', 'Precision', {
        options: names(['fp32', 'tf32', 'fp16', 'bf16', 'fp8']), read: () => plan().precision,
        write: type => set({precision: type}),
    });

    const links = addGroup('Links, GB/s one way');

    addSlider(links, 'nvlink', 'In a node', {
        values: () => [16, 32, 64, 100, 150, 200, 300, 450, 600, 900, 1800],
        read: () => parseRate(resolved().hardware.scale_up?.bandwidth), write: setNvlink,
    });
    addSlider(links, 'nic', 'Each NIC', {
        values: () => [1.25, 3.125, 6.25, 12.5, 25, 50, 100],
        read: () => parseRate(resolved().hardware.fabric?.nic_bandwidth),
        write: rate => setMember('/hardware/fabric/nic_bandwidth', `${rate} GB/s`),
    });
}

/* -- 2. Asking --------------------------------------------------------------------------------- */

let asking = null;
let scheduled = false;
let history = null;

function change(write) {
    if (answer === null)
        return;
    write();
    if (scheduled)
        return;
    scheduled = true;
    requestAnimationFrame(() => {
        scheduled = false;
        ask();
    });
}

function remember() {
    clearTimeout(history);
    history = setTimeout(() => {
        const address = `?${state}`;

        if (address !== location.search)
            window.history.replaceState(null, '', address);
    }, 150);
}

function complain(text) {
    $('complaint').hidden = text === null;
    $('complaint').textContent = text ?? '';
    $('result').classList.toggle('stale', text !== null);
}

async function fetchText(path, signal) {
    const response = await fetch(path, {signal});
    const text = await response.text();

    if (!response.ok)
        throw new Error(text.trim());
    return text;
}

async function ask() {
    const begin = performance.now();
    const query = `${state}`;

    asking?.abort();
    asking = new AbortController();
    const {signal} = asking;

    document.documentElement.dataset.state = 'asking';
    remember();
    try {
        const [json, csv] = await Promise.all([fetchText(`api/run?${query}`, signal),
                                               fetchText(`api/run.csv?${query}`, signal)]);

        answer = JSON.parse(json);
        show(csv, query);
        complain(null);
        const taken = Math.round(performance.now() - begin);

        window.plansim.taken = taken;
        $('clock').textContent = `simulated and drawn in ${taken} ms`;
    } catch (error) {
        if (error.name === 'AbortError')
            return;
        complain(error.message);
        $('clock').textContent = '';
    }
    document.documentElement.dataset.state = 'ready';
}

/* -- 3. Showing -------------------------------------------------------------------------------- */

function tellTime(s) {
    for (const [unit, size] of [['s', 1], ['ms', 1e-3], ['us', 1e-6]]) {
        if (s >= size)
            return `${+(s / size).toPrecision(3)} ${unit}`;
    }
    return s === 0 ? '0 s' : `${+(s * 1e9).toPrecision(3)} ns`;
}

const tellBytes = bytes => `${(bytes / 1e9).toFixed(1)} GB`;
const tellShare = share => `${(100 * share).toFixed(1)} %`;

function tellCount(count) {
    for (const [letter, size] of [['T', 1e12], ['B', 1e9], ['M', 1e6], ['k', 1e3]]) {
        if (count >= size)
            return `${+(count / size).toPrecision(3)} ${letter}`;
    }
    return `${+count.toPrecision(3)}`;
}

function showVerdict() {
    const {verdict, step} = answer;
    const fits = verdict.fits;

    $('verdict').className = fits ? 'yes' : 'no';
    $('verdict').textContent = fits
        ? `Fits: stage ${verdict.worst_stage} needs ${tellBytes(verdict.worst_peak_bytes)} of ` +
          `${tellBytes(verdict.capacity_bytes)}`
        : `Does not fit: stage ${verdict.worst_stage} needs ${tellBytes(verdict.worst_peak_bytes)} of ` +
          `${tellBytes(verdict.capacity_bytes)}; a step would take ${tellTime(step.time_s)}`;
}

function showTiles() {
    const {step, pipeline, model} = answer;
    const tiles = [
        ['step', 'Step', tellTime(step.time_s),
         `${tellTime(step.time_low_s)} to ${tellTime(step.time_high_s)}`],
        ['bubble', 'Bubble', tellShare(pipeline.bubble_fraction),
         pipeline.ideal_bubble_fraction === null ? 'of the step'
             : `closed form ${tellShare(pipeline.ideal_bubble_fraction)}`],
        ['mfu', 'MFU', tellShare(step.mfu_fraction),
         `${Math.round(step.model_tflops_per_gpu)} TFLOP/s a GPU`],
        ['tokens', 'Tokens a second', tellCount(step.tokens_per_s),
         `${tellCount(step.tokens_per_s_per_gpu)} a GPU`],
        ['peak', 'Fullest GPU', tellBytes(answer.verdict.worst_peak_bytes),
         `of ${tellBytes(answer.verdict.capacity_bytes)}`],
        ['size', 'Parameters', tellCount(model.params_total),
         `on ${plan().world_size} GPUs`],
    ];

    $('tiles').replaceChildren(...tiles.map(([id, title, value, more]) => make('div', {},
        make('dt', {textContent: title}), make('dd', {id: `t-${id}`, textContent: value}),
        make('dd', {textContent: more}))));
}

const swatch = (fill, text, value) => {
    const mark = make('i');

    mark.style.background = fill;
    return make('li', {}, mark, `${text} `, make('b', {textContent: value ?? ''}));
};

const TERMS = [
    ['compute', 'compute', '#00609a'], ['recompute', 'recompute', '#6cb4e4'],
    ['tp_exposed', 'tensor parallel', '#c56da0'], ['pp_exposed', 'pipeline transfers', '#7d2f5b'],
    ['cp_exposed', 'context parallel', '#8566b8'], ['dp_exposed', 'data parallel', '#ecc3d8'],
    ['bubble', 'bubble', 'var(--track)'], ['optimizer', 'optimizer', '#777777'],
    ['other', 'other', '#aaaaaa'],
];

function showBreakdown() {
    const parts = answer.step.breakdown_s;
    const there = TERMS.filter(([key]) => parts[key] > 0);

    $('breakdown').replaceChildren(...there.map(([key, name, fill]) => {
        const part = make('span', {title: `${name}: ${tellTime(parts[key])}`});

        part.style.flexGrow = parts[key] / answer.step.time_s;
        part.style.background = fill;
        return part;
    }));
    $('terms').replaceChildren(...there.map(([key, name, fill]) => swatch(fill, name,
        `${tellTime(parts[key])}, ${tellShare(parts[key] / answer.step.time_s)}`)));
}

const PARTS = [
    ['weights_bytes', 'weights', '#00609a'], ['gradients_bytes', 'gradients', '#6cb4e4'],
    ['optimizer_bytes', 'optimizer', '#2fae89'], ['activations_bytes', 'activations', '#e69f00'],
    ['logits_bytes', 'logits', '#f0e04a'], ['comm_buffers_bytes', 'buffers', '#c56da0'],
    ['overhead_bytes', 'context, fragments', '#999999'],
];

function showMemory() {
    const {stages, verdict} = answer;
    const top = 1.04 * Math.max(verdict.capacity_bytes, ...stages.map(stage => stage.peak_bytes));
    const every = Math.ceil(stages.length / 24);
    const line = make('hr');
    const label = make('span', {className: 'cap', textContent: `${tellBytes(verdict.capacity_bytes)} usable`});

    line.style.bottom = label.style.top = '';
    $('memory').replaceChildren(...stages.map((stage, i) => {
        const column = make('div', {className: 'stage', title:
            `stage ${stage.stage}: ${tellBytes(stage.peak_bytes)} during ${stage.peak_event}\n` +
            PARTS.map(([key, name]) => `${name} ${tellBytes(stage[key])}`).join('\n')});

        for (const [key, , fill] of PARTS) {
            const part = make('span');

            part.style.height = `${100 * stage[key] / top}%`;
            part.style.background = fill;
            column.append(part);
        }
        column.append(make('b', {textContent: i % every === 0 ? stage.stage : ''}));
        return column;
    }), line, label);
    const height = $('memory').clientHeight - parseFloat(getComputedStyle($('memory')).paddingBottom);
    const y = `${height * (1 - verdict.capacity_bytes / top)}px`;

    line.style.top = label.style.top = y;
    const sum = key => Math.max(...stages.map(stage => stage[key]));

    $('parts').replaceChildren(...PARTS.filter(([key]) => sum(key) > 0).map(([key, name, fill]) =>
        swatch(fill, name, `up to ${tellBytes(sum(key))}`)));
}

const FIX_NAMES = {zero_stage: 'zero', micro_batch: 'micro-batch',
                   sequence_parallel: 'sequence-parallel'};

/* "tp=8, recompute=full" as parameters. */
function apply(fix) {
    setMember('/parallel/sequence_parallel', null);
    for (const part of fix.split(', ')) {
        const [name, value] = part.split('=');

        set({[FIX_NAMES[name] ?? name]: value});
    }
}

function showFixes() {
    const {fixes} = answer.verdict;

    $('fixes').hidden = fixes.length === 0;
    $('fixes').querySelector('ul').replaceChildren(...fixes.map(fix => {
        const button = make('button', {type: 'button', textContent: fix.change});

        button.addEventListener('click', () => change(() => apply(fix.change)));
        return make('li', {}, button, ` ${tellBytes(fix.peak_bytes)}` +
            (fix.step_s === null ? '' : `, ${tellTime(fix.step_s)} a step`));
    }));
}

const FLAGS = ['sequence-parallel', 'balance'];

function tellCommand() {
    const quoted = value => /^[\w.:/=,+-]+$/.test(value) ? value : `'${value}'`;
    const options = [...state].filter(([name]) => name !== 'plan').map(([name, value]) =>
        FLAGS.includes(name) ? `--${name}` : `--${name} ${quoted(value)}`);

    return ['plansim run', ...(state.get('plan') ? [state.get('plan')] : []), ...options].join(' ');
}

function showLinks(query) {
    const copy = make('button', {type: 'button', textContent: 'Copy link'});

    copy.addEventListener('click', async () => {
        await navigator.clipboard.writeText(`${location.origin}${location.pathname}?${state}`);
        copy.textContent = 'Copied';
    });
    $('links').replaceChildren(
        make('a', {href: `api/run.html?${query}`, textContent: 'Full report', target: '_blank',
                   rel: 'noopener'}),
        ...[['', 'JSON', 'json'], ['.svg', 'SVG', 'svg'], ['.chrome', 'Perfetto trace', 'trace.json'],
            ['.csv', 'CSV', 'csv']].map(([ending, text, suffix]) => make('a', {
            href: `api/run${ending}?${query}`, textContent: text, download: `plansim.${suffix}`})),
        copy);
    $('command').textContent = tellCommand();
}

/* -- Timeline -- */

const INKS = {
    F: ['F forward', '#00609a', '#6cb4e4'], B: ['B backward', '#e69f00', '#fad58a'],
    I: ['I input gradient', '#f0e04a', '#fbf5bd'], W: ['W weight gradient', '#2fae89', '#97dec7'],
    optimizer: ['optimizer', '#777777', '#777777'], tp: ['tensor parallel', '#c56da0', '#c56da0'],
    cp: ['context parallel', '#8566b8', '#8566b8'],
    send: ['transfers', '#9a4a78', '#9a4a78'], dp: ['data parallel', '#ecc3d8', '#ecc3d8'],
};
const DARK_INK = new Set(['#00609a', '#9a4a78', '#777777']);
let spans = [];
let groups = new Map(); /* by colour */
let ranks = 0;
let end = 1;
let view = {from: 0, to: 1};
let row = 20;
const LEFT = 52;

function findInk(op, stream) {
    if (stream === 'compute')
        return INKS[op] ? op : /^[FB]+$/.test(op) ? 'B' : 'optimizer';
    if (op.startsWith('cp-'))
        return 'cp';
    return stream === 'tp' ? 'tp' : stream.startsWith('send') ? 'send' : 'dp';
}

function read(csv) {
    const lines = csv.split('\n');

    spans = [];
    groups = new Map();
    ranks = 0;
    end = 0;
    for (let i = 1; i < lines.length; i++) {
        const [rank, stage, chunk, microbatch, op, stream, start, taken] = lines[i].split(',');

        if (taken === undefined)
            continue;
        const span = {rank: +rank, stage, chunk: +chunk, microbatch, op, stream, start: +start,
                      taken: +taken, ink: findInk(op, stream), compute: stream === 'compute'};
        const fill = INKS[span.ink][1 + span.chunk % 2];

        span.numbered = span.ink.length === 1;
        spans.push(span);
        if (!groups.has(fill))
            groups.set(fill, []);
        groups.get(fill).push(span);
        ranks = Math.max(ranks, span.rank + 1);
        end = Math.max(end, span.start + span.taken);
    }
    view = {from: 0, to: end};
}

/* The place of a span: compute fills the row, what is sent is a strip below it. */
function place(span, width) {
    const scale = (width - LEFT) / (view.to - view.from);
    const strip = row >= 14 ? 3 : 0;

    return {
        x: LEFT + (span.start - view.from) * scale,
        y: span.rank * row + (span.compute ? 0 : row - strip - 1),
        w: span.taken * scale,
        h: span.compute ? row - strip - 2 : strip,
    };
}

function draw() {
    const canvas = $('timeline');
    const width = canvas.clientWidth;
    const ratio = window.devicePixelRatio || 1;
    const style = getComputedStyle(document.documentElement);
    const context = canvas.getContext('2d');

    row = Math.max(7, Math.min(26, Math.floor(560 / ranks)));
    canvas.style.height = `${ranks * row + 18}px`;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round((ranks * row + 18) * ratio);
    context.scale(ratio, ratio);
    context.font = '11px system-ui, "Liberation Sans", sans-serif';
    context.textBaseline = 'middle';
    context.fillStyle = style.getPropertyValue('--track');
    for (let rank = 0; rank < ranks; rank++)
        context.fillRect(LEFT, rank * row, width - LEFT, row - 2);
    drawSpans(context, width);
    context.fillStyle = style.getPropertyValue('--card');
    context.fillRect(0, 0, LEFT, ranks * row);
    drawAxes(context, width, style.getPropertyValue('--muted'));
    $('span').textContent = view.to - view.from < end * 0.999
        ? `${tellTime(view.from)} to ${tellTime(view.to)} of ${tellTime(end)}`
        : `${ranks} rank${ranks === 1 ? '' : 's'}, ${tellTime(end)}`;
}

function drawSpans(context, width) {
    const scale = (width - LEFT) / (view.to - view.from);
    const strip = row >= 14 ? 3 : 0;
    const numbered = [];

    /* Colour by colour: a change of colour costs more than a rectangle. */
    for (const [fill, group] of groups) {
        context.fillStyle = fill;
        for (const span of group) {
            const x = LEFT + (span.start - view.from) * scale;
            const w = span.taken * scale;
            const h = span.compute ? row - strip - 2 : strip;

            if (h === 0 || w === 0 || x + w < LEFT || x > width)
                continue;
            context.fillRect(x, span.rank * row + (span.compute ? 0 : row - strip - 1),
                             Math.max(0.4, w - (w > 8 ? 1 : 0)), h);
            if (h > 10 && span.numbered && w > 5 + 6.2 * span.microbatch.length)
                numbered.push([fill, span.microbatch, x + w / 2, span.rank * row + h / 2 + 0.5]);
        }
    }
    context.textAlign = 'center';
    for (const [fill, text, x, y] of numbered) {
        context.fillStyle = DARK_INK.has(fill) ? '#ffffff' : '#15171a';
        context.fillText(text, x, y);
    }
}

function drawAxes(context, width, ink) {
    const every = Math.ceil(12 / row);

    context.fillStyle = ink;
    context.textAlign = 'right';
    for (let rank = 0; rank < ranks; rank += every)
        context.fillText(`rank ${rank}`, LEFT - 7, rank * row + row / 2 - 1);
    for (let i = 0; i <= 4; i++) {
        context.textAlign = i === 0 ? 'left' : i === 4 ? 'right' : 'center';
        const time = view.from + (view.to - view.from) * i / 4;

        context.fillText(tellTime(time),
                         LEFT + (width - LEFT) * i / 4, ranks * row + 9);
    }
}

function hit(x, y) {
    const width = $('timeline').clientWidth;

    return spans.findLast(span => {
        const box = place(span, width);

        return x >= box.x && x < box.x + box.w && y >= box.y && y < box.y + box.h;
    });
}

function point(event) {
    const box = $('timeline').getBoundingClientRect();
    const span = hit(event.clientX - box.left, event.clientY - box.top);
    const tip = $('tip');

    tip.hidden = span === undefined;
    if (span === undefined)
        return;
    tip.textContent = `${span.op} of microbatch ${span.microbatch}, stage ${span.stage}\n` +
        `rank ${span.rank}, ${tellTime(span.start)} + ${tellTime(span.taken)}`;
    tip.style.left = `${Math.min(event.clientX + 14, innerWidth - 250)}px`;
    tip.style.top = `${event.clientY + 16}px`;
}

function zoom(factor, at = 0.5) {
    const length = Math.min(end, Math.max(end / 5000, (view.to - view.from) * factor));
    const middle = view.from + (view.to - view.from) * at;

    moveTo(middle - length * at, length);
}

function moveTo(from, length) {
    from = Math.max(0, Math.min(end - length, from));
    view = {from, to: from + length};
    draw();
}

function watchTimeline() {
    const canvas = $('timeline');
    let held = null;

    canvas.addEventListener('wheel', event => {
        const box = canvas.getBoundingClientRect();

        event.preventDefault();
        zoom(event.deltaY > 0 ? 1.25 : 0.8,
             Math.max(0, (event.clientX - box.left - LEFT) / (box.width - LEFT)));
    }, {passive: false});
    canvas.addEventListener('pointerdown', event => {
        held = {x: event.clientX, from: view.from};
        canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener('pointerup', () => { held = null; });
    canvas.addEventListener('pointerleave', () => { $('tip').hidden = true; });
    canvas.addEventListener('pointermove', event => {
        const length = view.to - view.from;

        if (held === null)
            return point(event);
        return moveTo(held.from - (event.clientX - held.x) * length / (canvas.clientWidth - LEFT),
                      length);
    });
    canvas.addEventListener('keydown', event => {
        const length = view.to - view.from;
        const acts = {
            '+': () => zoom(0.7), '=': () => zoom(0.7), '-': () => zoom(1.4),
            '0': () => moveTo(0, end), ArrowLeft: () => moveTo(view.from - length / 8, length),
            ArrowRight: () => moveTo(view.from + length / 8, length),
        };

        if (acts[event.key] === undefined || event.ctrlKey || event.metaKey)
            return;
        event.preventDefault();
        acts[event.key]();
    });
    new ResizeObserver(() => answer !== null && draw()).observe(canvas);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw);
}

function showColours() {
    const used = new Set(spans.map(span => span.ink));

    $('colours').replaceChildren(...Object.entries(INKS).filter(([ink]) => used.has(ink))
        .map(([, [name, fill]]) => swatch(fill, name)), swatch('var(--track)', 'idle'),
        ...(spans.some(span => span.chunk % 2 === 1)
            ? [make('li', {textContent: 'lighter: every other chunk'})] : []));
}

function show(csv, query) {
    read(csv);
    for (const control of Object.values(controls))
        control.show();
    showVerdict();
    showTiles();
    draw();
    showColours();
    showBreakdown();
    showMemory();
    showFixes();
    showLinks(query);
    document.title = `${answer.model.name}, ${tellTime(answer.step.time_s)} a step - plansim`;
}

async function begin() {
    window.plansim = {answer: () => answer, state: () => `${state}`, taken: 0};
    $('controls').addEventListener('submit', event => event.preventDefault());
    build(JSON.parse(await fetchText('api/presets')));
    watchTimeline();
    addEventListener('popstate', () => {
        state = new URLSearchParams(location.search.slice(1) || START);
        ask();
    });
    await ask();
    if (answer === null) {
        /* A link that means nothing: say so, and leave something to begin with. */
        const text = $('complaint').textContent;

        state = new URLSearchParams(START);
        await ask();
        complain(text);
    }
}

begin();
})();
