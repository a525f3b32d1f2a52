/* SPDX-License-Identifier: MIT */
/* A Chrome trace in a viewer that is not ours, speedscope: every thread and every slice is there.
 *
 *     node viewer.cjs CHROMIUM SCRATCH TRACE.json...
 *
 * speedscope shows a thread at a time, and lists its slices under "Sandwich", each as its name and
 * its arguments.
 */
'use strict';

const assert = require('node:assert/strict');
const fs = require('node:fs');
const http = require('node:http');
const path = require('node:path');
const {chromium} = require('playwright-core');

const [, , executablePath, scratch, ...traces] = process.argv;
const release = path.join(scratch, 'node_modules/speedscope/dist/release');
const types = {'.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css'};
let origin = '';

/* Names are taken from the two directories, never paths. */
function answer(request, response) {
    const name = path.basename(new URL(request.url, origin).pathname);
    const file = path.join(name.endsWith('.trace.json') ? scratch : release, name);

    if (!fs.existsSync(file)) {
        response.writeHead(404).end();
        return;
    }
    response.writeHead(200, {'content-type': types[path.extname(name)] ?? 'application/octet-stream'});
    response.end(fs.readFileSync(file));
}

/* What the viewer should show: the threads with slices, by process and thread. */
function readThreads(file) {
    const events = JSON.parse(fs.readFileSync(file)).traceEvents;
    const named = (what, pid, tid) => events.find(event => event.name === what &&
        event.pid === pid && (tid === undefined || event.tid === tid)).args.name;
    const threads = new Map();

    for (const {pid, tid} of events.filter(event => event.ph === 'X'))
        threads.set(pid * 1e6 + tid, {pid, tid});
    return [...threads].sort(([a], [b]) => a - b).map(([, {pid, tid}]) => {
        const slices = events.filter(x => x.ph === 'X' && x.pid === pid && x.tid === tid);

        return {
            name: `${named('process_name', pid)} (pid ${pid}), ` +
                  `${named('thread_name', pid, tid)} (tid ${tid})`,
            frames: [...new Set(slices.map(x => `${x.name} ${JSON.stringify(x.args)}`))].sort(),
        };
    });
}

async function open(browser, file) {
    const page = await browser.newPage({viewport: {width: 1440, height: 1400}});

    page.complaints = [];
    page.on('console', message => {
        /* The driver says how slow it is to look at its own picture. */
        if (['error', 'warning'].includes(message.type()) && !message.text().includes('GL Driver'))
            page.complaints.push(message.text());
    });
    page.on('pageerror', error => page.complaints.push(`${error}`));
    page.on('dialog', dialog => {
        page.complaints.push(dialog.message());
        dialog.dismiss();
    });
    page.on('request', request => {
        if (!request.url().startsWith(origin) && !request.url().startsWith('data:'))
            page.complaints.push(`asked for ${request.url()}`);
    });
    await page.goto(`${origin}/index.html#profileURL=${encodeURIComponent(`${origin}/${file}`)}`);
    await page.waitForFunction(name => document.title === `${name} - speedscope`, file,
                               {timeout: 20000});
    return page;
}

/* The last table is the list of slices; a row is its times, then its name. */
const listFrames = page => page.evaluate(() =>
    [...[...document.querySelectorAll('table')].at(-1).querySelectorAll('tr')]
        .map(row => row.lastElementChild.innerText.trim())
        .filter(text => text.includes('{')).sort());

async function check(browser, file) {
    const threads = readThreads(path.join(scratch, file));
    const page = await open(browser, file);

    await page.screenshot({path: path.join(scratch, `${file}.png`)});
    await page.keyboard.press('3');
    for (const [index, {name, frames}] of threads.entries()) {
        const title = `${name} (${index + 1}/${threads.length})`;

        await page.getByText(title, {exact: true}).waitFor({timeout: 5000});
        assert.deepEqual(await listFrames(page), frames, title);
        await page.keyboard.press('n');
    }
    await page.screenshot({path: path.join(scratch, `${file}-frames.png`)});
    assert.deepEqual(page.complaints, []);
    await page.close();
    return `${threads.length} threads, ${threads.flatMap(x => x.frames).length} frames`;
}

(async () => {
    const server = http.createServer(answer);
    let failed = 0;

    await new Promise(done => server.listen(0, '127.0.0.1', done));
    origin = `http://127.0.0.1:${server.address().port}`;
    const browser = await chromium.launch({executablePath, args: ['--no-sandbox']});

    console.log(`1..${traces.length}`);
    for (const [index, file] of traces.entries()) {
        try {
            const seen = await check(browser, file);

            console.log(`ok ${index + 1} - ${file} in speedscope, in silence: ${seen}`);
        } catch (error) {
            failed++;
            console.log(`not ok ${index + 1} - ${file} in speedscope`);
            console.log(`${error.stack}`.replace(/^/gm, '# '));
        }
    }
    await browser.close();
    server.close();
    process.exitCode = failed > 0 ? 1 : 0;
})();
