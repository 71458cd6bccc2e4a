/** What the page of a failure shows, and how its files open. */
import { crc32, deflateSync } from 'node:zlib';
import type { Locator } from 'playwright-core';
import { describe, expect, test, vi } from 'vitest';
import { type Artifact, artifacts, deriveObjectName, getObjectKey } from '#shared/model/results/artifact.ts';
import { NEVER } from '#shared/model/runs/expiry.ts';
import { findInlineType, getFileKind, sortByAttachment } from '#shared/results/instances/file-kind.ts';
import { attack } from '#test/harness/attacks.ts';
import { describeInChromium, profile } from '#test/harness/chromium.ts';
import { batch } from '#test/harness/comparisons.ts';
import { textOf } from '#test/harness/elements.ts';
import { uploadRun } from '#test/harness/recording-batch.ts';
import { attempt, COMMIT, error, failed, flaky, passed, testIdOf } from '#test/harness/recording-messages.ts';
import { clock, service, type Tenant, type TestService } from '#test/harness/service.ts';
import { signedIn } from '#test/harness/visitor.ts';
import { asSettings, FINE, see } from './seen.ts';

const SUMS = 'cart.spec.ts > sums';
const TEST_ID = testIdOf('retail', SUMS);
/** A picture of one pixel. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

const WIDE = 2000;

/** A gray picture that is wider than any window of the tests. */
function drawWidePicture(): Buffer {
  const makeChunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const numbers = Buffer.alloc(8);
    numbers.writeUInt32BE(data.length, 0);
    numbers.writeUInt32BE(crc32(body), 4);
    return Buffer.concat([numbers.subarray(0, 4), body, numbers.subarray(4)]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(WIDE, 0);
  header.writeUInt32BE(1, 4);
  header[8] = 8;
  const pixels = deflateSync(Buffer.alloc(WIDE + 1, 0));
  return Buffer.concat([
    PNG.subarray(0, 8),
    makeChunk('IHDR', header),
    makeChunk('IDAT', pixels),
    makeChunk('IEND', Buffer.alloc(0)),
  ]);
}

interface SentFile extends Partial<Artifact> {
  readonly name: string;
  readonly content?: Uint8Array;
}

/** Stores files of the test. A file without a content has not been uploaded. */
async function storeFiles(
  { services, organizationId }: TestService & Tenant,
  instanceId: string,
  files: readonly SentFile[],
): Promise<string[]> {
  const names: string[] = [];
  for (const { content, ...sent } of files) {
    const own = { artifactId: sent.name, testId: TEST_ID, expiry: NEVER };
    const objectName = deriveObjectName(own);
    const row: Artifact = {
      type: 'attachment',
      fileName: sent.name,
      contentType: 'text/plain',
      attempt: 1,
      createdAt: Date.now(),
      ...own,
      ...(content && { bytes: content.length }),
      ...sent,
      organizationId,
      instanceId,
      objectName,
    };
    await services.table.put(artifacts, row);
    if (content) await services.artifacts.put(getObjectKey(row), content, row.contentType);
    names.push(objectName);
  }
  return names;
}

/** Stores the pictures of a snapshot that differs. */
const storeSnapshot = (here: TestService & Tenant, instanceId: string) =>
  storeFiles(
    here,
    instanceId,
    ['expected', 'actual', 'diff'].map((part) => ({
      name: `total-${part}.png`,
      type: 'screenshot',
      contentType: 'image/png',
      content: drawWidePicture(),
    })),
  );

/** Returns where something ends in the window, at the right. */
async function measureEnd(part: Locator): Promise<number> {
  const box = await part.boundingBox();
  return box ? box.x + box.width : Number.NaN;
}

const TOKEN = `ghp_${'a1B2'.repeat(9)}`;
const FILES: readonly SentFile[] = [
  {
    name: 'page.png',
    type: 'screenshot',
    contentType: 'image/png; charset="><script>"',
    content: drawWidePicture(),
    place: 0,
  },
  {
    name: 'notes.txt',
    content: Buffer.from(`first <b>line</b>\n\u001b[31mred\u001b[0m\n${TOKEN}`),
    place: 1,
  },
  { name: 'report.html', contentType: 'text/html', content: Buffer.from('<script>alert(1)</script>'), place: 2 },
  { name: 'data.bin', contentType: 'text/plain', content: Buffer.from([0, 1, 2]), place: 3 },
  { name: 'late.txt', place: 4 },
  { name: 'lost.txt', place: 5, createdAt: 0 },
];

const errors = ['Expected: 1\nReceived: 2', 'Expected: "a"\nReceived: "b"', 'it broke'].map((text) =>
  error(`Error: expect(received).toBe(expected)\n\n${text}`),
);
const LABELLED = failed({
  tags: ['@visual'],
  annotations: [
    { type: 'issue', description: 'https://tracker.example/browse/SHOP-42' },
    { type: 'owner', description: 'javascript:alert(1)' },
    { type: '_currents:rule', description: 'internal' },
  ],
  attempts: [attempt('failed', { attempt: 0, errors: errors.slice(0, 1) }), attempt('failed', { attempt: 1, errors })],
});

async function stage() {
  const here = await service();
  const { runId, instances } = await uploadRun(here, { [SUMS]: LABELLED });
  const [instanceId = ''] = Object.values(instances);
  const files = await storeFiles(here, instanceId, FILES);
  const guest = await signedIn(here, 'guest');
  const project = `/${here.organizationId}/${here.projectId}`;
  const instance = `${project}/instances/${instanceId}`;
  const page = `${instance}/test?test_id=${encodeURIComponent(TEST_ID)}`;
  const linkTo = (name: string) => `${instance}/files/${files[FILES.findIndex((file) => file.name === name)]}`;
  return { here, guest, project, runId, instanceId, page, linkTo };
}

let shared: ReturnType<typeof stage> | undefined;
/** The object store checks presigned URLs against the real time. */
const sharedStage = () => {
  vi.useRealTimers();
  shared ??= stage();
  return shared;
};

describe('The page of a failure', () => {
  test('shows each error that the API returns, with its values and its code', async () => {
    const { here, guest, instanceId, page } = await sharedStage();
    const { body } = await here.api.get(`/context?instance_id=${instanceId}&test_id=${encodeURIComponent(TEST_ID)}`);
    const { html, text, elements } = await guest.get(page);
    expect(body.data.furtherErrors).toHaveLength(2);
    for (const part of ['Error 1 of 3', 'Error 2 of 3', 'Error 3 of 3', 'it broke']) expect(text).toContain(part);
    expect(text).toMatch(/Expected ?"a" ?Received ?"b"/);
    expect(
      elements.filter(({ tagName, attrs }) => tagName === 'span' && attrs.some(({ value }) => value === 'at')),
    ).toHaveLength(3);
    expect(html).not.toContain('internal');
  });

  test('shows the tags and annotations of the test, and links an annotation only if it is a web address', async () => {
    const { guest, page } = await sharedStage();
    const { links, text } = await guest.get(page);
    expect(text).toContain('visual');
    expect(text).toContain('issue tracker.example › SHOP-42');
    expect(text).toContain('owner javascript:alert(1)');
    expect(links).toContain('https://tracker.example/browse/SHOP-42');
    expect(links.filter((link) => link.startsWith('javascript'))).toEqual([]);
    attack('markup');
  });

  test('lists files in the order of attaching, and says which are arriving and which were not uploaded', async () => {
    const { guest, page } = await sharedStage();
    const { text } = await guest.get(page);
    const places = FILES.slice(0, 5).map(({ name }) => text.indexOf(name, text.indexOf('Files')));
    expect(places).toEqual(places.toSorted((one, other) => one - other));
    expect(text).toMatch(/late\.txt ?arriving/);
    expect(text).toMatch(/lost\.txt ?not uploaded/);
  });
});

describe('The verdict on the page of a failure', () => {
  const PRICES = 'cart.spec.ts > prices';

  async function history() {
    const here = await service();
    const guest = await signedIn(here, 'guest');
    const open = async (
      build: string,
      sums: 'passed' | 'failed' | 'flaky',
      prices: 'passed' | 'failed' = sums === 'flaky' ? 'passed' : sums,
    ) => {
      const states = { passed: passed(), failed: failed(), flaky: flaky() };
      const { instances } = await batch(here, build, { [SUMS]: states[sums], [PRICES]: states[prices] });
      const [instanceId] = Object.values(instances);
      const page = (test: string) =>
        `/${here.organizationId}/${here.projectId}/instances/${instanceId}/test?test_id=${testIdOf('retail', test)}`;
      return { sums: page(SUMS), prices: page(PRICES) };
    };
    return { guest, open };
  }

  test('says whether it is new, since when the test has been failing, and that it passed again', async () => {
    const { guest, open } = await history();
    const alone = await open('1', 'failed', 'passed');
    expect((await guest.get(alone.sums)).text).toContain('Failed: there is no earlier run of main to compare with.');
    await open('2', 'passed');
    await open('3', 'passed');
    const broken = await open('4', 'failed');
    expect((await guest.get(broken.sums)).text).toContain('New in this run: passed in the last 2 runs of main.');
    const again = await open('5', 'failed');
    expect((await guest.get(again.sums)).text).toMatch(/Failing on main since \w{7} by Alex Doe, 2 runs\./);
    expect((await guest.get(again.sums)).text).not.toContain('Passed again');
    await open('6', 'passed');
    expect((await guest.get(again.sums)).text).toContain('Passed again in the next run on main.');
    const shaky = await open('7', 'flaky');
    expect((await guest.get(shaky.sums)).text).toContain('Flaky in this run');
    expect((await guest.get(shaky.prices)).html).not.toContain('class="verdict');
  });

  test('stands beside links to the previous and the next failure of the run', async () => {
    const { guest, open } = await history();
    const pages = await open('1', 'failed');
    const neighboursOf = async (path: string) => {
      const { elements, text } = await guest.get(path);
      const links = elements.flatMap(({ tagName, attrs }) => {
        const of = Object.fromEntries(attrs.map(({ name, value }) => [name, value]));
        return tagName === 'a' && of['rel'] ? [[of['rel'], of['href']]] : [];
      });
      return [/\d+ of \d+ failures/.exec(text)?.[0], ...links];
    };
    const both = [await neighboursOf(pages.sums), await neighboursOf(pages.prices)].sort();
    const [first, second] =
      both[0]?.[1]?.[1] === pages.prices ? [pages.sums, pages.prices] : [pages.prices, pages.sums];
    expect(both).toEqual([
      ['1 of 2 failures', ['next', second]],
      ['2 of 2 failures', ['prev', first]],
    ]);
  });
});

describe('A long difference', () => {
  test('says how many lines differ, keeps its colours, and folds equal lines', async () => {
    const here = await service();
    const guest = await signedIn(here, 'guest');
    const lines = Array.from({ length: 120 }, (_, index) =>
      index % 60 === 30 ? `-   "key": ${index},\n+   "key": ${index + 1},` : `    "other": ${index},`,
    );
    const message = ['Error: expect(received).toEqual(expected)', '', '- Expected', '+ Received', '', ...lines].join(
      '\n',
    );
    const { instances } = await batch(here, '1', {
      [SUMS]: failed({ attempts: [attempt('failed', { attempt: 0, errors: [error(message)] })] }),
    });
    const [instanceId = ''] = Object.values(instances);
    const { text, html, links } = await guest.get(
      `/${here.organizationId}/${here.projectId}/instances/${instanceId}/test?test_id=${TEST_ID}`,
    );
    expect(text).toContain('− expected, + received');
    expect(text).toContain('4 lines differ in 2 places');
    expect(html).toContain('<span class="minus">-   &quot;key&quot;: 90,</span>');
    expect(text).toMatch(/\d+ equal lines/);
    const jumps = links.filter((link) => link.startsWith('#d'));
    expect(jumps).toHaveLength(2);
    for (const jump of jumps) expect(html).toContain(`id="${jump.slice(1)}"`);
  });
});

describe('The page about what broke a test', () => {
  test('shows the runs between the last pass and the first failure, the commits that name the test first', async () => {
    const here = await service();
    const guest = await signedIn(here, 'guest');
    const record = async (
      build: string,
      state: ReturnType<typeof passed>,
      message: string,
      sha: string,
      test = SUMS,
    ) => {
      clock.advance(60_000);
      const commit = { ...COMMIT, message, sha: sha.repeat(40), remoteOrigin: 'https://github.com/acme/shop' };
      return uploadRun(here, { [test]: state }, { ciBuildId: build, commit });
    };
    await record('1', passed(), 'Begin', '1');
    await record('2', passed(), 'Write a guide', '2');
    await record('3', passed(), 'Round the sums of a cart', '3', 'other.spec.ts > other');
    const { runId } = await record('4', failed(), 'Describe delivery times', '4');
    await record('5', failed(), 'Count sums again', '5');
    const run = await guest.get(`/${here.organizationId}/${here.projectId}/runs/${runId}`);
    const failure = await guest.get(run.links.find((link) => link.includes('/test?')) ?? '');
    const bisect = failure.links.find((link) => link.includes('/bisect')) ?? '';
    const { text, links } = await guest.get(bisect);
    expect(text).toContain('2 runs of main');
    const places = ['Round the sums of a cart', 'Describe delivery times'].map((message) => text.indexOf(message));
    expect(places.every((place) => place > 0)).toBe(true);
    expect(places).toEqual(places.toSorted((one, other) => one - other));
    expect(text).toContain('suspect names sums, cart');
    expect(text).not.toContain('Count sums again');
    expect(links).toContain(`https://github.com/acme/shop/compare/${'2'.repeat(40)}...${'4'.repeat(40)}`);
    for (const part of ['Last good', 'Write a guide', 'First bad']) expect(text).toContain(part);
  });

  test('says so if the test has never passed or never failed on the default branch', async () => {
    const here = await service();
    const guest = await signedIn(here, 'guest');
    const pageOf = async (build: string, state: ReturnType<typeof passed>) => {
      const { runId, instances } = await batch(here, build, { [SUMS]: state });
      const [instanceId = ''] = Object.values(instances);
      const { body } = await here.api.get(`/context?instance_id=${instanceId}&test_id=${TEST_ID}`);
      expect(body.data.meta.runId).toBe(runId);
      return `/${here.organizationId}/${here.projectId}/tests/${body.data.meta.signature}/bisect`;
    };
    expect((await guest.get(await pageOf('1', passed()))).text).toContain('Nothing broke it');
    const elsewhere = await service();
    const other = await signedIn(elsewhere, 'guest');
    const { instances } = await batch(elsewhere, '1', { [SUMS]: failed() });
    const [instanceId = ''] = Object.values(instances);
    const { body } = await elsewhere.api.get(`/context?instance_id=${instanceId}&test_id=${TEST_ID}`);
    const path = `/${elsewhere.organizationId}/${elsewhere.projectId}/tests/${body.data.meta.signature}/bisect`;
    expect((await other.get(path)).text).toContain('The test has never passed on main');
    expect((await guest.get(path)).status).toBe(404);
  });
});

test('The page of a spec file in a run counts its tests by outcome, and names its group and its run', async () => {
  const { guest, page } = await sharedStage();
  const { text } = await guest.get(page.split('/test?', 1)[0] ?? '');
  expect(text).toMatch(/Runs ?Let traders see net prices ?cart\.spec\.ts/);
  expect(text).toMatch(/Failed ?1 of 1 test ?Flaky ?0 ?Passed ?0 ?Time of tests/);
  expect(text).toMatch(/Details ?Group ?retail/);
});

describe('The page of a test with 750 steps and files', () => {
  test('shows the failed steps with their neighbours, folds the rest, and lists 20 files and a way to the others', async () => {
    const { here, guest, project } = await sharedStage();
    const steps = Array.from({ length: 750 }, (_, index) => ({
      title: `step ${index + 1}`,
      category: 'test.step',
      duration: 2,
      steps: [],
      ...(index === 399 && { error: error('Error: it broke') }),
    }));
    const { instances } = await uploadRun(
      here,
      { [SUMS]: failed({ attempts: [attempt('failed', { attempt: 0, duration: 1500, steps })] }) },
      { ciBuildId: 'many steps' },
    );
    const [instanceId = ''] = Object.values(instances);
    await storeFiles(
      here,
      instanceId,
      Array.from({ length: 750 }, (_, index) => ({
        name: `notes of step ${index + 1}`,
        attempt: 0,
        bytes: 10,
        createdAt: 1,
      })),
    );
    const { html, text, elements } = await guest.get(
      `${project}/instances/${instanceId}/test?test_id=${encodeURIComponent(TEST_ID)}`,
    );
    const lines = elements.flatMap((element) =>
      element.attrs.some(({ value }) => value === 'step-name') ? [textOf(element)] : [],
    );
    expect(lines).toEqual(['step 397', 'step 398', 'step 399', 'step 400', 'step 401', 'step 402']);
    expect(text).toContain('396 steps passed');
    expect(text).toContain('348 steps passed');
    expect(text).toContain('step 750');
    expect(text).toContain('Show 730 more files');
    const names = [...html.matchAll(/>notes of step (\d+)</g)].map(([, number]) => Number(number));
    expect(names).toEqual(Array.from({ length: 750 }, (_, index) => index + 1));
    expect(elements.length).toBeLessThan(6000);
    expect(Buffer.byteLength(html)).toBeLessThan(400_000);
  });
});

describe('A file of a test', () => {
  test('opens in the browser with a fixed type if it is a picture, and is downloaded otherwise or on request', async () => {
    const { guest, linkTo } = await sharedStage();
    const open = async (path: string) => {
      const location = new URL((await guest.get(path)).headers.get('location') ?? '');
      return [
        location.searchParams.get('response-content-disposition')?.split(';')[0],
        location.searchParams.get('response-content-type'),
      ];
    };
    expect(await open(linkTo('page.png'))).toEqual(['inline', 'image/png']);
    expect((await open(`${linkTo('page.png')}?download=true`))[0]).toBe('attachment');
    expect(await open(linkTo('report.html'))).toEqual(['attachment', 'text/html']);
    expect((await open(linkTo('notes.txt')))[0]).toBe('attachment');
    attack('markup', 3);
  });

  test('is shown by a page that escapes and masks text, and leads to the previous and next file', async () => {
    const { guest, linkTo } = await sharedStage();
    const picture = await guest.get(`${linkTo('page.png')}/view`);
    expect(picture.links).toContain(`${linkTo('notes.txt')}/view`);
    const { html, text, headers, links } = await guest.get(`${linkTo('notes.txt')}/view`);
    expect(text).toMatch(/Runs ?Let traders see net prices ?sums ?notes\.txt/);
    expect(html).toContain('first &lt;b&gt;line&lt;/b&gt;');
    expect(text).toContain('[masked: GitHub token]');
    expect(html).not.toContain(TOKEN);
    expect(links).toContain(`${linkTo('page.png')}/view`);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    const { html: other } = await guest.get(`${linkTo('report.html')}/view`);
    expect(other).not.toContain('alert(1)');
    expect((await guest.get(`${linkTo('data.bin')}/view`)).text).toContain('cannot be shown as text');
    expect((await guest.get(`${linkTo('late.txt')}/view`)).status).toBe(404);
    attack('markup', 2);
  });

  test.each([
    'text/html',
    'image/svg+xml',
    'application/xhtml+xml',
    'text/xml',
    'application/xml',
    'image/png+xml',
    'text/html;image/png',
    'text/html,image/png',
    ' image/png text/html',
    'application/pdf',
    'text/javascript',
    '__proto__',
  ])('of the type %s never opens in the browser', (contentType) => {
    expect([findInlineType({ contentType }), getFileKind({ contentType })]).toEqual([undefined, 'other']);
    attack('markup');
  });

  test('stands after the files that were attached before it, with numbers compared as numbers', () => {
    const file = (name: string, more: Partial<Artifact> = {}) =>
      ({ name, objectName: name, attempt: 0, createdAt: 1, ...more }) as Artifact;
    const files = [
      file('step 10'),
      file('step 9'),
      file('a later one', { createdAt: 2, place: 0 }),
      file('z', { createdAt: 2, place: 1 }),
      file('second attempt', { attempt: 1, createdAt: 0 }),
    ];
    expect(sortByAttachment(files.toReversed()).map(({ name }) => name)).toEqual([
      'step 9',
      'step 10',
      'a later one',
      'z',
      'second attempt',
    ]);
  });
});

describeInChromium('A picture on the page of a failure', () => {
  test.each([true, false])('opens as wide as there is room (JavaScript enabled: %s)', async (javaScriptEnabled) => {
    const { here, guest, page: path } = await sharedStage();
    const page = await (await profile(here.origin, guest, { javaScriptEnabled })).newPage();
    await page.goto(path);
    await page.locator('.beside a[data-view]').first().click();
    const picture = page.locator('#file img');
    await picture.evaluate((img) => Reflect.get(img, 'decode').call(img));
    const measureWidth = () => picture.evaluate((img) => Number(Reflect.get(img, 'width')));
    expect(await measureWidth()).toBeLessThan(page.viewportSize()?.width ?? 0);
    await page.getByLabel('Natural size').check();
    expect(await measureWidth()).toBe(WIDE);
    expect(await page.locator('dialog').count()).toBe(javaScriptEnabled ? 1 : 0);
    if (!javaScriptEnabled) return;
    await page.keyboard.press('ArrowRight');
    await page.locator('#file pre').waitFor();
    await page.keyboard.press('ArrowLeft');
    await picture.waitFor({ state: 'attached' });
    await page.keyboard.press('Escape');
    await page.locator('dialog').waitFor({ state: 'detached' });
  });

  test('opens on a phone as wide as its screen, and closes by a link', async () => {
    const { here, guest, page: path } = await sharedStage();
    const context = await profile(here.origin, guest, { viewport: { width: 390, height: 844 } });
    const page = await context.newPage();
    await page.goto(path);
    await page.locator('.beside a[data-view]').first().click();
    const picture = page.locator('dialog img');
    await picture.waitFor();
    expect((await picture.boundingBox())?.width).toBeGreaterThan(300);
    await page.locator('dialog .back').click();
    await page.locator('dialog').waitFor({ state: 'detached' });
  });

  test('is compared with the expected one by a slider that keys move, and without JavaScript in other ways', async () => {
    const { here, guest, page: path, instanceId } = await sharedStage();
    await storeSnapshot(here, instanceId);
    for (const javaScriptEnabled of [true, false]) {
      const page = await (await profile(here.origin, guest, { javaScriptEnabled })).newPage();
      await page.goto(path);
      expect(await page.locator('.snapshot .shot:visible').count()).toBe(3);
      expect(await page.locator('label[for="slide-0"]').isVisible()).toBe(javaScriptEnabled);
      await page.locator(`label[for="${javaScriptEnabled ? 'slide' : 'difference'}-0"]`).click();
      expect(await page.locator('.snapshot .shot:visible').count()).toBe(javaScriptEnabled ? 2 : 1);
      if (!javaScriptEnabled) continue;
      const slider = page.locator('input.split');
      await slider.focus();
      await page.keyboard.press('End');
      expect(await slider.inputValue()).toBe('100');
      expect(await page.locator('.pictures').getAttribute('style')).toBe('--split: 1;');
    }
  });

  test.each([390, 1440])(
    'is compared as a whole in its natural size, in each way, in a window that is %i pixels wide',
    async (width) => {
      const { here, guest, page: path, instanceId } = await sharedStage();
      await storeSnapshot(here, instanceId);
      const page = await (await profile(here.origin, guest, { viewport: { width, height: 844 } })).newPage();
      await page.goto(path);
      const ways = await page.locator('.snapshot .segments label').all();
      expect(ways).toHaveLength(5);
      expect(new Set(await Promise.all(ways.map(async (way) => (await way.boundingBox())?.y))).size).toBe(1);
      await page.getByLabel('100 %').check();
      const frame = page.locator('.pictures');
      for (const way of ways) {
        await way.click();
        await frame.evaluate((element) => Reflect.set(element, 'scrollLeft', Reflect.get(element, 'scrollWidth')));
        const end = await measureEnd(frame);
        for (const shot of await frame.locator('.shot:visible').all()) {
          expect(await measureEnd(shot)).toBeLessThanOrEqual(end);
          expect(await measureEnd(shot.locator('img'))).toBeLessThan(await measureEnd(shot));
          expect((await shot.locator('img').boundingBox())?.width).toBe(WIDE);
        }
      }
      await page.locator('label[for="slide-0"]').click();
      expect((await page.locator('input.split').boundingBox())?.width).toBe(WIDE + 2);
    },
  );

  test('has an accessible page of its own, and so has a text', async () => {
    const { here, guest, linkTo } = await sharedStage();
    const context = await profile(here.origin, guest, asSettings({ theme: 'dark', width: 390 }));
    for (const name of ['page.png', 'notes.txt'])
      expect(await see(context, `${linkTo(name)}/view`, here.services.artifacts.origin)).toEqual({
        ...FINE,
        status: 200,
      });
  });
});
