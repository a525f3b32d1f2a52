/* SPDX-License-Identifier: MIT */
/* Reports in a browser: quiet, offline, and what a pointer or a key is told is right.
 *
 *     node report.cjs CHROMIUM SCRATCH
 */
'use strict';

const assert = require('node:assert/strict');
const path = require('node:path');
const {chromium} = require('playwright-core');

const [, , executablePath, scratch] = process.argv;
const tests = [];
const test = (name, run) => tests.push({name, run});

/* A page that fails the test if it complains or asks for anything but itself. */
async function open(browser, file, options = {}) {
    const address = `file://${path.join(scratch, file)}`;
    const page = await browser.newPage({viewport: {width: 1280, height: 900}, ...options});

    page.complaints = [];
    page.on('console', message => {
        if (['error', 'warning'].includes(message.type()))
            page.complaints.push(message.text());
    });
    page.on('pageerror', error => page.complaints.push(`${error}`));
    page.on('request', request => {
        if (request.url() !== address && !request.url().startsWith('data:'))
            page.complaints.push(`asked for ${request.url()}`);
    });
    await page.goto(address, {waitUntil: 'load'});
    await page.waitForFunction(() => window.plansim !== undefined);
    return page;
}

const settle = page => page.evaluate(() => new Promise(done =>
    requestAnimationFrame(() => requestAnimationFrame(done))));

async function hover(page, i) {
    const {x, y} = await page.evaluate(index => window.plansim.locate(index), i);

    await page.mouse.move(x, y);
    return page.locator('#tip').innerText();
}

for (const file of ['schedule.html', 'run.html', 'long.html']) {
    test(`${file} loads in silence and asks for nothing, light and dark`, async browser => {
        for (const colorScheme of ['light', 'dark']) {
            const page = await open(browser, file, {colorScheme});

            await settle(page);
            await page.screenshot({path: path.join(scratch, `${file}-${colorScheme}.png`),
                                   fullPage: true});
            assert.deepEqual(page.complaints, []);
            await page.close();
        }
    });
}

/* 1F1B of 4 ranks: rank 0 runs F0 F1 F2 F3, is idle from 4 to 10, then B0. */
test('hovering tells the operation, its times and what it waited for', async browser => {
    const page = await open(browser, 'schedule.html');

    assert.equal(await hover(page, 0),
                 'F0 on rank 0, compute\nstarts at 0 ticks, takes 1 tick\nit waited for nothing');
    assert.equal(await hover(page, 4),
                 'B0 on rank 0, compute\nstarts at 10 ticks, takes 2 ticks\n' +
                 'it waited for B0 of rank 1 (compute), which ended then');
    assert.deepEqual(page.complaints, []);
    await page.close();
});

test('every operation is found where it is drawn', async browser => {
    const page = await open(browser, 'schedule.html');

    for (let i = 0; i < 64; i += 5) {
        const tip = await hover(page, i);
        const right = await page.evaluate(index => window.plansim.describe(index), i);

        assert.equal(tip, right.join('\n'));
    }
    await page.close();
});

test('keys zoom, move, select and follow what was waited for', async browser => {
    const page = await open(browser, 'schedule.html');
    const view = () => page.evaluate(() => ({...window.plansim.view}));
    const detail = page.locator('#detail');

    await page.locator('#lanes').focus();
    await page.keyboard.press('+');
    await page.keyboard.press('+');
    const near = await view();
    assert.ok(near.to - near.from < 20);
    await page.keyboard.press('ArrowRight');
    assert.ok((await view()).from > near.from);
    await page.keyboard.press('0');
    assert.equal((await view()).to, 33);
    await page.keyboard.press('Enter');
    assert.match(await detail.innerText(), /^F\d on rank 0/);
    for (let i = 0; i < 9 && !(await detail.innerText()).startsWith('B0 '); i++)
        await page.keyboard.press('n');
    assert.match(await detail.innerText(), /^B0 on rank 0.*B0 of rank 1/);
    await page.keyboard.press('w');
    assert.match(await detail.innerText(), /^B0 on rank 1/);
    await page.keyboard.press('Escape');
    assert.equal(await detail.innerText(), 'No operation is selected.');
    await page.close();
});

test('the wheel zooms about the pointer and dragging moves', async browser => {
    const page = await open(browser, 'run.html');
    const view = () => page.evaluate(() => ({...window.plansim.view}));
    const box = await page.locator('#lanes').boundingBox();
    const whole = await view();

    await page.mouse.move(box.x + box.width / 2, box.y + 100);
    await page.mouse.wheel(0, -900);
    await settle(page);
    const near = await view();
    assert.ok(near.to - near.from < (whole.to - whole.from) / 2);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width / 2 - 200, box.y + 100, {steps: 5});
    await page.mouse.up();
    assert.ok((await view()).from > near.from);
    await page.screenshot({path: path.join(scratch, 'run-near.png')});
    assert.deepEqual(page.complaints, []);
    await page.close();
});

/* Milliseconds from frame to frame while the view moves; one in the middle, since the machine does
 * other things too. */
test('100,000 operations scroll and zoom without lag', async browser => {
    const page = await open(browser, 'long.html');

    assert.ok(await page.evaluate(() => window.plansim.n) >= 100000);
    const times = await page.evaluate(async () => {
        const {view, setView} = window.plansim;
        const span = view.to;
        const costs = [];

        for (let i = 0; i < 40; i++) {
            const width = span / (1 + i % 20);

            setView(span * i / 80, span * i / 80 + width);
            const before = performance.now();
            await new Promise(done => requestAnimationFrame(() => setTimeout(done)));
            costs.push(performance.now() - before);
        }
        return costs.sort((a, b) => a - b);
    });

    console.log(`# median ${times[20].toFixed(1)} ms, most ${times[39].toFixed(1)} ms a frame`);
    assert.ok(times[20] < 100, `a frame takes ${times[20]} ms`);
    assert.deepEqual(page.complaints, []);
    await page.close();
});

test('every control has a name', async browser => {
    const page = await open(browser, 'run.html');
    const nameless = await page.evaluate(() =>
        [...document.querySelectorAll('button, select, canvas, summary')].filter(one =>
            !(one.textContent.trim() || one.getAttribute('aria-label') || one.labels?.length))
            .map(one => one.outerHTML));

    assert.deepEqual(nameless, []);
    await page.close();
});

(async () => {
    const browser = await chromium.launch({executablePath, args: ['--no-sandbox']});
    let failed = 0;

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
    process.exitCode = failed > 0 ? 1 : 0;
})();
