/* SPDX-License-Identifier: MIT */
/* The page of `plansim serve` in a browser: quiet, local, and its numbers are the command line's.
 *
 *     node page.cjs CHROMIUM SCRATCH PLANSIM
 */
'use strict';

const assert = require('node:assert/strict');
const path = require('node:path');
const {execFileSync, spawn, spawnSync} = require('node:child_process');
const {chromium} = require('playwright-core');

const [, , executablePath, scratch, plansim] = process.argv;
const tests = [];
const test = (name, run) => tests.push({name, run});
const WIDE = '?model=gpt3-175b&hardware=dgx-a100-80gb&gpus=1024&tp=8&pp=16&dp=8&micro-batch=1' +
             '&global-batch=1024&schedule=1f1b';
let origin = '';

const ready = page => page.waitForFunction(
    () => document.documentElement.dataset.state === 'ready', null, {timeout: 20000});

async function settle(page) {
    await page.evaluate(() => new Promise(done =>
        requestAnimationFrame(() => requestAnimationFrame(done))));
    await ready(page);
}

async function open(browser, query = '', options = {}) {
    const page = await browser.newPage({viewport: {width: 1440, height: 1000}, ...options});

    page.complaints = [];
    page.on('console', message => {
        if (['error', 'warning'].includes(message.type()))
            page.complaints.push(message.text());
    });
    page.on('pageerror', error => page.complaints.push(`${error}`));
    page.on('request', request => {
        if (!request.url().startsWith(origin) && !request.url().startsWith('data:'))
            page.complaints.push(`asked for ${request.url()}`);
    });
    await page.goto(origin + query, {waitUntil: 'load'});
    await ready(page);
    return page;
}

/* What the command that the page shows says. */
async function askAsShown(page) {
    const command = await page.locator('#command').innerText();
    const words = [...command.matchAll(/'([^']*)'|(\S+)/g)].map(found => found[1] ?? found[2]);

    /* It exits with 1 if the plan does not fit. */
    return JSON.parse(spawnSync(plansim, [...words.slice(1), '--json'],
                                {maxBuffer: 1 << 28}).stdout.toString());
}

const answerOf = page => page.evaluate(() => window.plansim.answer());

/* The figures of both; the names of files and of documents differ, where set by hand. */
async function compare(page) {
    const shown = await answerOf(page);
    const said = await askAsShown(page);

    assert.deepEqual(shown, said);
    const step = said.step.time_s;
    const tile = await page.locator('#t-step').innerText();

    assert.equal(tile, step >= 1 ? `${+step.toPrecision(3)} s` : `${+(step * 1e3).toPrecision(3)} ms`);
    assert.equal(await page.locator('#t-bubble').innerText(),
                 `${(100 * said.pipeline.bubble_fraction).toFixed(1)} %`);
    assert.equal(await page.locator('#t-peak').innerText(),
                 `${(said.verdict.worst_peak_bytes / 1e9).toFixed(1)} GB`);
}

for (const [name, query] of [['start', ''], ['530b', '?plan=mt-nlg-530b'], ['wide', WIDE],
                             ['zero-bubble', '?model=gpt3-175b&hardware=dgx-a100-80gb&gpus=64&tp=8' +
                              '&pp=8&micro-batch=1&global-batch=16&schedule=zb-h1']]) {
    test(`${name}: loads in silence, asks this machine alone, says what the command line says`,
         async browser => {
        for (const colorScheme of ['light', 'dark']) {
            const page = await open(browser, query, {colorScheme});

            await page.screenshot({path: path.join(scratch, `page-${name}-${colorScheme}.png`),
                                   fullPage: true});
            await compare(page);
            assert.deepEqual(page.complaints, []);
            await page.close();
        }
    });
}

test('each slider, by keyboard, leads to the numbers of the command line', async browser => {
    const page = await open(browser, '');
    const sliders = await page.locator('input[type=range]').evaluateAll(all => all.map(x => x.id));
    let changed = 0;

    for (const id of sliders) {
        const before = await page.evaluate(() => window.plansim.state());
        const slider = page.locator(`#${id}`);

        await slider.focus();
        await page.keyboard.press('ArrowRight');
        await settle(page);
        if (await page.locator('#complaint').isVisible()) {
            await page.keyboard.press('ArrowLeft');
            await settle(page);
            assert.ok(!await page.locator('#complaint').isVisible(), `${id}: back is no cure`);
            page.complaints = [];
            continue;
        }
        await compare(page);
        changed += await page.evaluate(() => window.plansim.state()) === before ? 0 : 1;
    }
    assert.ok(sliders.length >= 8 && changed >= 7, `${changed} of ${sliders.length} changed`);
    assert.deepEqual(page.complaints, []);
    await page.close();
});

test('choices lead to the numbers of the command line', async browser => {
    const page = await open(browser, '');

    for (const [id, value] of [['schedule', 'gpipe'], ['schedule', 'zb-h1'], ['recompute', 'full'],
                               ['zero', '0'], ['hardware', 'dgx-h100'], ['model', 'llama-3-70b'],
                               ['runtime', 'ideal'], ['plan', 'pipedream-1f1b'], ['plan', '']]) {
        await page.selectOption(`#c-${id}`, value);
        await settle(page);
        assert.equal(await page.locator('#complaint').innerText(), '', `${id} ${value}`);
        await compare(page);
    }
    assert.deepEqual(page.complaints, []);
    await page.close();
});

test('the address holds the state: opened again, it shows the same', async browser => {
    const page = await open(browser, '?plan=mt-nlg-530b');

    await page.fill('#n-m', '120');
    await page.keyboard.press('Enter');
    await settle(page);
    await page.selectOption('#c-recompute', 'selective');
    await settle(page);
    await page.waitForFunction(() => location.search.includes('recompute=selective'));
    const again = await open(browser, new URL(page.url()).search);

    assert.deepEqual(await answerOf(again), await answerOf(page));
    assert.equal(await again.inputValue('#n-m'), '120');
    assert.equal(await again.inputValue('#c-recompute'), 'selective');
    await again.close();
    await page.close();
});

test('a plan that cannot be is refused in the words of the command line, and left again',
     async browser => {
    const page = await open(browser, '?plan=mt-nlg-530b');

    await page.fill('#n-tp', '7');
    await page.keyboard.press('Enter');
    await settle(page);
    const refused = spawnSync(plansim, (await page.evaluate(() => window.plansim.state())).split('&')
        .map(pair => pair.split('=').map(decodeURIComponent)).map(([name, value]) =>
            name === 'plan' ? value : `--${name}=${value}`).toSpliced(0, 0, 'run'));

    assert.equal(await page.locator('#complaint').innerText(), refused.stderr.toString().trim());
    await page.screenshot({path: path.join(scratch, 'page-refused.png')});
    await page.fill('#n-tp', '8');
    await page.keyboard.press('Enter');
    await settle(page);
    assert.ok(!await page.locator('#complaint').isVisible());
    await page.close();
});

test('an address that means nothing still gives something to begin with', async browser => {
    const page = await open(browser, '?plan=nosuch');

    await settle(page);
    assert.match(await page.locator('#complaint').innerText(), /^no plan "nosuch"/);
    await page.selectOption('#c-recompute', 'full');
    await settle(page);
    assert.ok(!await page.locator('#complaint').isVisible());
    await compare(page);
    await page.close();
});

test('16 ranks and 128 microbatches are simulated and drawn within 100 ms', async browser => {
    const page = await open(browser, WIDE);
    const taken = [];

    for (let i = 0; i < 11; i++) {
        await page.selectOption('#c-recompute', i % 2 ? 'full' : 'selective');
        await settle(page);
        taken.push(await page.evaluate(() => window.plansim.taken));
    }
    taken.sort((a, b) => a - b);
    console.log(`# median ${taken[5]} ms, most ${taken[10]} ms`);
    assert.ok(taken[5] < 100, `${taken}`);
    await page.close();
});

test('what would fit is one click away, and does fit', async browser => {
    const page = await open(browser, '?model=llama-3-70b&hardware=dgx-h100&gpus=64&tp=4&pp=4' +
                            '&micro-batch=1&global-batch=64&schedule=interleaved:5');
    const promised = (await answerOf(page)).verdict.fixes[0];

    assert.match(await page.locator('#verdict').innerText(), /^Does not fit/);
    await page.locator('#fixes button').first().click();
    await settle(page);
    assert.match(await page.locator('#verdict').innerText(), /^Fits/);
    assert.equal((await answerOf(page)).verdict.worst_peak_bytes, promised.peak_bytes);
    await compare(page);
    assert.deepEqual(page.complaints, []);
    await page.close();
});

test('a pointer is told the operation, and keys zoom', async browser => {
    const page = await open(browser, '?plan=gpt-48-layers-m8');
    const box = await page.locator('#timeline').boundingBox();

    await page.mouse.move(box.x + 52 + 4, box.y + 6);
    assert.match(await page.locator('#tip').innerText(), /^F of microbatch 0, stage 0\nrank 0, /);
    await page.screenshot({path: path.join(scratch, 'page-hover.png')});
    const whole = await page.locator('#span').innerText();

    await page.locator('#timeline').focus();
    await page.keyboard.press('+');
    assert.match(await page.locator('#span').innerText(), / of /);
    await page.keyboard.press('0');
    assert.equal(await page.locator('#span').innerText(), whole);
    await page.mouse.move(box.x + box.width / 2, box.y + 10);
    await page.mouse.wheel(0, -200);
    await settle(page);
    assert.match(await page.locator('#span').innerText(), / of /);
    assert.deepEqual(page.complaints, []);
    await page.close();
});

test('downloads are the bytes of the command line', async browser => {
    const page = await open(browser, '?plan=pipedream-1f1b');
    const links = await page.locator('#links a').evaluateAll(all => all.map(x => x.href));

    for (const link of links) {
        const format = new URL(link).pathname.split('.')[1] ?? 'json';
        const served = await (await fetch(link)).text();
        const said = execFileSync(plansim, ['run', 'pipedream-1f1b', '-f', format],
                                  {maxBuffer: 1 << 28}).toString();

        assert.ok(served === said, format);
    }
    assert.equal(links.length, 5);
    await page.close();
});

test('the full report opens in silence', async browser => {
    const page = await browser.newPage();
    const complaints = [];

    page.on('console', message => complaints.push(message.text()));
    page.on('pageerror', error => complaints.push(`${error}`));
    await page.goto(`${origin}api/run.html?plan=pipedream-1f1b`, {waitUntil: 'load'});
    assert.deepEqual(complaints, []);
    await page.close();
});

test('every control has a name, and nothing is wider than a narrow window', async browser => {
    const page = await open(browser, '', {viewport: {width: 390, height: 800}});
    const nameless = await page.evaluate(() =>
        [...document.querySelectorAll('button, select, input, canvas')].filter(one =>
            !(one.textContent.trim() || one.getAttribute('aria-label') || one.labels?.length))
            .map(one => one.outerHTML));

    assert.deepEqual(nameless, []);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    await page.screenshot({path: path.join(scratch, 'page-narrow.png'), fullPage: true});
    await page.close();
});

function serve() {
    const server = spawn(plansim, ['serve', '--port', '0'], {stdio: ['ignore', 'pipe', 'inherit']});

    return new Promise((done, fail) => {
        server.stdout.once('data', line => done([server, line.toString().trim()]));
        server.once('exit', code => fail(new Error(`plansim serve ended with ${code}`)));
    });
}

(async () => {
    const [server, address] = await serve();
    const browser = await chromium.launch({executablePath, args: ['--no-sandbox']});
    let failed = 0;

    origin = address;
    console.log(`1..${tests.length}`);
    for (const [index, {name, run}] of tests.entries()) {
        try {
            await run(browser);
            console.log(`ok ${index + 1} - ${name}`);
        } catch (error) {
            failed++;
            console.log(`not ok ${index + 1} - ${name}`);
            console.log(`${error.stack}`.replace(/^/gm, '# '));
        }
    }
    await browser.close();
    server.kill();
    process.exitCode = failed > 0 ? 1 : 0;
})();
