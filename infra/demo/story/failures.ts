/** What fails in the projects Shop and Warehouse: messages, code frames and steps, as test runners report them. */
import { dim, formatExpectation, formatSnippet, green, red, type StoryFailure } from './failure-text.ts';

const SHOP = '/builds/shop/tests';
const STORE = '/builds/warehouse/test';

export const priceBelowCost: StoryFailure = {
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

export const lastPiece: StoryFailure = {
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

export const cardDeclined: StoryFailure = {
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
export const pictureDiffers: StoryFailure = {
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

export const makeBankFailure = (file: string, line: number): StoryFailure => ({
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

export const cardNotAccepted: StoryFailure = {
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

export const makeSlowPageFailure = (file: string): StoryFailure => ({
  message: 'Error: page.goto: Timeout 10000ms exceeded.\nCall log:\n  - navigating to "/", waiting until "load"',
  file: `${SHOP}/${file}`,
  line: 12,
  column: 16,
  snippet: formatSnippet(12, 16, ['  test.beforeEach(async ({ page }) => {', "    await page.goto('/');", '  });']),
  steps: [],
  failedStep: 'Navigate to "/"',
  waits: 10_000,
});

export const countedTwice: StoryFailure = {
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

export const connectionsLeft: StoryFailure = {
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

export const nameNotShortened: StoryFailure = {
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
