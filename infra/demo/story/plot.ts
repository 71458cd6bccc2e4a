/** Decides the outcome of each test in each run. */
import { BREAKING, REPAIR } from './changes.ts';
import { dim, formatExpectation, formatSnippet, green, red, type StoryFailure } from './failure-text.ts';
import { drawFraction, drawInteger } from './noise.ts';
import type { PlannedRun } from './plan.ts';

/** The titles of the tests that behave in a special way in the story. */
export const FLAKY = 'reserves the last piece in stock';
export const BROKEN = 'never sells below the cost price';
export const SLOW = 'finds articles while typing';
const ZOOMED = 'zooms into a picture';
const DECLINED = 'shows why the bank declined a card';

export interface StoryTest {
  readonly spec: string;
  readonly title: readonly string[];
  readonly tags: readonly string[];
}

export type Happening =
  | { readonly kind: 'passed' }
  | { readonly kind: 'pending'; readonly reason: string }
  | { readonly kind: 'failed' | 'flaky'; readonly failure: StoryFailure };

const PENDING: Readonly<Record<string, string>> = {
  'stacks a voucher on a discount': 'vouchers are being rewritten',
  'converts a discount to a second currency': 'waits for the second currency',
};

/** The fraction of executions in which the flaky test fails at least once. */
const FLAKY_SHARE = 0.38;
const FAILED_SHARE = 0.05;
const RARELY_FLAKY_SHARE = 0.004;

const makeFailure = (failure: StoryFailure): Happening => ({ kind: 'failed', failure });

export function decideHappening(run: PlannedRun, group: string, { spec, title }: StoryTest): Happening {
  const name = title.at(-1) ?? '';
  const reason = PENDING[name];
  if (reason) return { kind: 'pending', reason };
  return (
    (run.project === 'shop' ? decideInShop(run, group, spec, name) : decideInWarehouse(run, spec, name)) ?? {
      kind: 'passed',
    }
  );
}

function decideInShop(run: PlannedRun, group: string, spec: string, name: string): Happening | undefined {
  if (run.special === 'outage' && PAYS.has(spec) && name !== 'accepts a well-formed card number')
    return makeFailure(makeBankFailure(spec, drawInteger(14, 22, 'line', spec)));
  if (run.special === 'tried again' && run.attempt === 1 && SLOW_AT_NOON.has(name))
    return makeFailure(makeSlowPageFailure(spec));
  if (name === BROKEN && isBroken(run)) return makeFailure(priceBelowCost);
  if (name === DECLINED && run.day === 0 && run.branch === 'main' && run.special !== 'live')
    return makeFailure(cardDeclined);
  if (name === 'redeems a card at the checkout' && run.day >= 3) return makeFailure(cardNotAccepted);
  if (name === ZOOMED && run.branch === 'feature/gift-cards' && run.day === 0) return makeFailure(pictureDiffers);
  const chance = drawFraction('chance', run.ciBuildId, group, spec, name);
  if (name === FLAKY && chance < FLAKY_SHARE)
    return { kind: chance < FAILED_SHARE ? 'failed' : 'flaky', failure: lastPiece };
  const tellsItsOwn = name === BROKEN || name === SLOW;
  return chance < RARELY_FLAKY_SHARE && !tellsItsOwn
    ? { kind: 'flaky', failure: makeSlowPageFailure(spec) }
    : undefined;
}

/** Tests that fail in the first try of the build whose failed jobs are run again. */
const SLOW_AT_NOON = new Set(['downloads an invoice', 'follows a parcel']);

/** Spec files whose tests use the bank's test system. */
const PAYS = new Set(['checkout/payment.spec.ts', 'checkout/voucher.spec.ts']);

/** Only the main branch and the branch of the repair contain the breaking commit: all others forked earlier. */
const isBroken = ({ branch, day }: PlannedRun): boolean =>
  (branch === 'main' && day <= BREAKING.day) || (branch === REPAIR.branch && day > REPAIR.day);

function decideInWarehouse({ branch, day, job }: PlannedRun, spec: string, name: string): Happening | undefined {
  if (job === NEXT_NODE && name === 'shortens long names') return makeFailure(nameNotShortened);
  if (name === 'counts reserved pieces once' && branch === 'main' && day === 12) return makeFailure(countedTwice);
  if (spec === 'test/api/orders.test.ts' && branch === 'chore/update-dependencies' && day === 11)
    return makeFailure(connectionsLeft);
  return undefined;
}

/** The jobs of the run in which two of them execute the same tests. One test fails in the second job. */
export const NODE_JOBS = ['node-24', 'node-26'] as const;
const [, NEXT_NODE] = NODE_JOBS;

const SLOW_AT_FIRST = 1300;
const SLOWER_PER_DAY = 135;
/** Length of the story in days. Over this time, the slow test gets slower. */
const DAYS = 29;

/** Duration of a passing attempt, in milliseconds. */
export function computeTestDuration(run: PlannedRun, group: string, { spec, title }: StoryTest): number {
  const name = title.at(-1) ?? '';
  const share = drawFraction('size', spec, name) ** 2;
  const usual =
    name === SLOW
      ? SLOW_AT_FIRST + (DAYS - run.day) * SLOWER_PER_DAY
      : run.project === 'shop'
        ? 700 + share * 6800
        : 6 + share * 420;
  const varies = 0.88 + 0.3 * drawFraction('duration', run.ciBuildId, group, spec, name) ** 2;
  return Math.round(usual * varies * (group === 'firefox' ? 1.2 : 1));
}

const SHOP = '/builds/shop/tests';
const STORE = '/builds/warehouse/test';

const priceBelowCost: StoryFailure = {
  message: [
    `Error: ${formatExpectation('received', 'toBeGreaterThanOrEqual')}`,
    '',
    `Expected: >= ${green('19')}`,
    `Received:    ${red('18.9')}`,
  ].join('\n'),
  file: `${SHOP}/pricing.spec.ts`,
  line: 33,
  column: 63,
  snippet: formatSnippet(33, 63, [
    "    await page.getByLabel('Pieces').fill('20');",
    "    expect(Number(await page.getByTestId('price').textContent())).toBeGreaterThanOrEqual(19);",
    '  });',
  ]),
  steps: ['Navigate to "/offers/plate"', 'Fill "20" getByLabel(\'Pieces\')'],
  failedStep: 'Expect "toBeGreaterThanOrEqual"',
  stdout: ['offer plate: 20 pieces at 1.00, cost 0.95\n', 'discount 5.5 % rounded per article\n'],
  files: 'price-below-cost',
  waits: 40,
};

const lastPiece: StoryFailure = {
  message: [
    `Error: ${formatExpectation('locator', 'toHaveText')} failed`,
    '',
    "Locator:  getByTestId('state')",
    `Expected: ${green('"reserved"')}`,
    `Received: ${red('"busy"')}`,
    'Timeout:  2000ms',
    '',
    'Call log:',
    dim('  - Expect "toHaveText" with timeout 2000ms'),
    dim("  - waiting for getByTestId('state')"),
    dim('    8 × locator resolved to <b data-testid="state">busy</b>'),
    dim('      - unexpected value "busy"'),
  ].join('\n'),
  file: `${SHOP}/cart.spec.ts`,
  line: 28,
  column: 45,
  snippet: formatSnippet(28, 45, [
    "    await page.getByRole('button', { name: 'Reserve' }).click();",
    "    await expect(page.getByTestId('state')).toHaveText('reserved', { timeout: 2_000 });",
    '  });',
  ]),
  steps: ['Navigate to "/articles/mug"', "Click getByRole('button', { name: 'Reserve' })"],
  failedStep: 'Expect "toHaveText"',
  stdout: ['request 1 to the warehouse\n'],
  stderr: ['the warehouse is busy\n'],
  files: 'last-piece',
  waits: 2000,
};

const cardDeclined: StoryFailure = {
  message: [
    `Error: ${formatExpectation('locator', 'toHaveText')} failed`,
    '',
    "Locator:  getByRole('alert')",
    `Expected: ${green('"The bank declined this card: its limit is reached."')}`,
    `Received: ${red('"Something went wrong."')}`,
    'Timeout:  5000ms',
    '',
    'Call log:',
    dim('  - Expect "toHaveText" with timeout 5000ms'),
    dim("  - waiting for getByRole('alert')"),
    dim('    9 × locator resolved to <p role="alert">Something went wrong.</p>'),
    dim('      - unexpected value "Something went wrong."'),
  ].join('\n'),
  file: `${SHOP}/checkout/payment.spec.ts`,
  line: 41,
  column: 42,
  snippet: formatSnippet(41, 42, [
    "    await page.getByRole('button', { name: 'Pay' }).click();",
    "    await expect(page.getByRole('alert')).toHaveText(DECLINED);",
    '  });',
  ]),
  steps: [
    'Navigate to "/checkout"',
    'Fill "4000 0000 0000 0002" getByLabel(\'Card number\')',
    "Click getByRole('button', { name: 'Pay' })",
  ],
  failedStep: 'Expect "toHaveText"',
  stdout: ['payment 7f31: authorization requested\n', 'payment 7f31: declined, reason limit_reached\n'],
  files: 'card-declined',
  waits: 5000,
};

/** The snapshot differs, because the branch adds a label that covers a part of the picture. */
const pictureDiffers: StoryFailure = {
  message: [
    `Error: ${formatExpectation('locator', 'toHaveScreenshot')} failed`,
    '',
    "Locator: locator('svg')",
    '  12184 pixels (ratio 0.06 of all image pixels) are different.',
    '',
    '  Snapshot: zoomed.png',
    '',
    'Call log:',
    dim('  - Expect "toHaveScreenshot(zoomed.png)" locator(\'svg\') with timeout 5000ms'),
    dim('    - verifying given screenshot expectation'),
    dim('  - taking element screenshot'),
    dim('  - 12184 pixels (ratio 0.06 of all image pixels) are different.'),
  ].join('\n'),
  file: `${SHOP}/article.spec.ts`,
  line: 17,
  column: 37,
  snippet: formatSnippet(17, 37, [
    "    await page.getByRole('img').click();",
    "    await expect(page.locator('svg')).toHaveScreenshot('zoomed.png');",
    '  });',
  ]),
  steps: ['Navigate to "/articles/mug"', "Click getByRole('img')"],
  failedStep: 'Expect "toHaveScreenshot(zoomed.png)"',
  files: 'picture-differs',
  hasVideo: true,
  snapshots: ['zoomed'],
  waits: 5000,
};

const makeBankFailure = (file: string, line: number): StoryFailure => ({
  message: [
    `Error: ${dim('expect(')}${red('locator')}${dim(').')}toBeHidden${dim('()')} failed`,
    '',
    "Locator:  getByRole('alert')",
    `Expected: ${green('hidden')}`,
    `Received: ${red('visible')}`,
    'Timeout:  5000ms',
    '',
    'Call log:',
    dim('  - Expect "toBeHidden" with timeout 5000ms'),
    dim("  - waiting for getByRole('alert')"),
    dim('    9 × locator resolved to <p role="alert">The bank cannot be reached. Try again later.</p>'),
    dim('      - unexpected value "visible"'),
  ].join('\n'),
  file: `${SHOP}/${file}`,
  line,
  column: 44,
  snippet: formatSnippet(line, 44, [
    "    await page.goto('/voucher');",
    "    await expect(page.getByRole('alert')).toBeHidden();",
    '  });',
  ]),
  steps: ['Navigate to "/voucher"'],
  failedStep: 'Expect "toBeHidden"',
  stderr: ['no session with the bank: connect ECONNREFUSED 10.20.4.17:8443\n'],
  files: 'bank-is-down',
  waits: 5000,
});

const cardNotAccepted: StoryFailure = {
  message: [
    'Test timeout of 30000ms exceeded.',
    '',
    'Error: locator.click: Test timeout of 30000ms exceeded.',
    'Call log:',
    dim("  - waiting for getByRole('button', { name: 'Redeem' })"),
    dim('    - locator resolved to <button disabled type="submit">Redeem</button>'),
    dim('  - attempting click action'),
    dim('    58 × waiting for element to be visible, enabled and stable'),
    dim('       - element is not enabled'),
  ].join('\n'),
  file: `${SHOP}/checkout/gift-cards.spec.ts`,
  line: 22,
  column: 59,
  snippet: formatSnippet(22, 59, [
    "    await page.getByLabel('Code').fill('GIFT-2024-7731');",
    "    await page.getByRole('button', { name: 'Redeem' }).click();",
    "    await expect(page.getByTestId('total')).toHaveText('0.00');",
  ]),
  steps: ['Navigate to "/checkout"', 'Fill "GIFT-2024-7731" getByLabel(\'Code\')'],
  failedStep: "Click getByRole('button', { name: 'Redeem' })",
  status: 'timedOut',
  waits: 29_200,
};

const makeSlowPageFailure = (file: string): StoryFailure => ({
  message: 'Error: page.goto: Timeout 10000ms exceeded.\nCall log:\n  - navigating to "/", waiting until "load"',
  file: `${SHOP}/${file}`,
  line: 12,
  column: 16,
  snippet: formatSnippet(12, 16, ['  test.beforeEach(async ({ page }) => {', "    await page.goto('/');", '  });']),
  steps: [],
  failedStep: 'Navigate to "/"',
  waits: 10_000,
});

const countedTwice: StoryFailure = {
  message: [
    "AssertionError: expected { article: 'mug', free: 6, reserved: 8 } to deeply equal { article: 'mug', free: 10, reserved: 4 }",
    '',
    `${green('- Expected')}`,
    `${red('+ Received')}`,
    '',
    '  {',
    '    "article": "mug",',
    green('-   "free": 10,'),
    green('-   "reserved": 4,'),
    red('+   "free": 6,'),
    red('+   "reserved": 8,'),
    '  }',
  ].join('\n'),
  file: `${STORE}/stock/count.test.ts`,
  line: 47,
  column: 30,
  snippet: formatSnippet(47, 30, [
    "    await reserve(db, { article: 'mug', pieces: 4 });",
    "    expect(await stockOf(db, 'mug')).toEqual({ article: 'mug', free: 10, reserved: 4 });",
    '  });',
  ]),
  steps: [],
  failedStep: 'Expect "toEqual"',
  stdout: ['migration 0042: reserved pieces are a column of stock\n'],
  waits: 12,
};

const connectionsLeft: StoryFailure = {
  message: 'Error: sorry, too many clients already\n  code: 53300, severity: FATAL',
  file: `${STORE}/api/orders.test.ts`,
  line: 18,
  column: 22,
  snippet: formatSnippet(18, 22, ['  beforeEach(async () => {', '    db = await connect(DATABASE);', '  });']),
  steps: [],
  failedStep: 'Connect to the database',
  stderr: ['pool: 20 of 20 connections in use\n'],
  waits: 310,
};

const nameNotShortened: StoryFailure = {
  message: [
    "AssertionError: expected 'Ärztehaus am Marktplatz, 2. Ober…' to be 'Ärztehaus am Marktplatz, 2. Oberg…'",
    '',
    `Expected: ${green('"Ärztehaus am Marktplatz, 2. Oberg…"')}`,
    `Received: ${red('"Ärztehaus am Marktplatz, 2. Ober…"')}`,
  ].join('\n'),
  file: `${STORE}/parcels/label.test.ts`,
  line: 29,
  column: 36,
  snippet: formatSnippet(29, 36, [
    '    const [line] = labelOf(address);',
    "    expect(line.slice(0, 34)).toBe('Ärztehaus am Marktplatz, 2. Oberg…');",
    '  });',
  ]),
  steps: [],
  failedStep: 'Expect "toBe"',
  waits: 4,
};
