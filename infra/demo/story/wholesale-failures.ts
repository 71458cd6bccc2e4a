/** What fails in the project Wholesale. */
import {
  dim,
  formatExpectation,
  formatSnippet,
  green,
  red,
  type SnapshotName,
  type StoryFailure,
} from './failure-text.ts';
import type { LargeTest } from './large-runs.ts';
import { drawFraction } from './noise.ts';
import { VISUAL } from './wholesale-tests.ts';

const TESTS = '/builds/wholesale/tests';

/** 300 of the tests fail for four reasons. Most of them miss an address that the commit has moved. */
export function findFailureOfNewPaths({ spec, title }: LargeTest): StoryFailure | undefined {
  const [area = '', page = ''] = spec.replace('.spec.ts', '').split('/');
  const name = title.at(-1) ?? '';
  if (page === 'list' || page === 'details') return area === 'roles' ? undefined : makeMovedPath(area, page);
  if (page === 'export' && area !== 'roles' && area !== 'depots') return name === 'opens' ? undefined : noExportButton;
  if (page === 'search' && name !== 'opens' && name !== 'is empty at first') return findSearchFailure(area, name);
  return undefined;
}

const WITHOUT_INDEX = new Set(['contracts', 'deliveries', 'depots', 'invoices', 'returns']);
const COUNTS = new Set(['finds a number', 'says how many were found']);

const findSearchFailure = (area: string, name: string): StoryFailure | undefined => {
  if (WITHOUT_INDEX.has(area)) return indexIsAway;
  return COUNTS.has(name) && area !== 'roles' ? makeWrongCount(area) : undefined;
};

/** The helper that all tests use to prepare their data. */
const HELPER = `${TESTS}/support/api.ts`;

const makeMovedPath = (area: string, page: string): StoryFailure => ({
  message: [
    `Error: POST /api/${area} prepares the ${page} page`,
    '',
    formatExpectation('received', 'toBe') + dim(' // Object.is equality'),
    '',
    `Expected: ${green('201')}`,
    `Received: ${red('404')}`,
  ].join('\n'),
  file: HELPER,
  line: 14,
  column: 61,
  snippet: formatSnippet(14, 61, [
    "  const answer = await request.post('/api/' + area, { data });",
    '  expect(answer.status(), describePreparation(area, page)).toBe(201);',
    '  return answer.json();',
  ]),
  steps: [`POST "/api/${area}"`],
  failedStep: 'Expect "toBe"',
  stdout: [`POST /api/${area} 404 not found\n`],
  waits: 5,
});

const noExportButton: StoryFailure = {
  message: [
    'Error: locator.click: Timeout 2000ms exceeded.',
    'Call log:',
    dim("  - waiting for getByRole('button', { name: 'Export' })"),
  ].join('\n'),
  file: `${TESTS}/support/export.ts`,
  line: 9,
  column: 58,
  snippet: formatSnippet(9, 58, [
    "  await page.goto('/' + area);",
    "  await page.getByRole('button', { name: 'Export' }).click();",
    "  return page.waitForEvent('download');",
  ]),
  steps: ['Navigate to "/offers"'],
  failedStep: "Click getByRole('button', { name: 'Export' })",
  waits: 2000,
};

const indexIsAway: StoryFailure = {
  message: 'Error: connect ECONNREFUSED 10.20.4.31:9200',
  file: `${TESTS}/support/search-index.ts`,
  line: 21,
  column: 11,
  snippet: formatSnippet(21, 11, [
    'export async function refreshIndex(area: string) {',
    '    await client.indices.refresh({ index: area });',
    '}',
  ]),
  steps: [],
  failedStep: 'Refresh the index',
  stderr: ['search index: connect ECONNREFUSED 10.20.4.31:9200\n'],
  waits: 30,
};

const makeWrongCount = (area: string): StoryFailure => {
  const count = Math.floor(2 + 7 * drawFraction('found', area));
  return {
    message: [
      `Error: ${formatExpectation('locator', 'toHaveText')} failed`,
      '',
      "Locator:  getByRole('status')",
      `Expected: ${green('"12 found"')}`,
      `Received: ${red(`"${count} found"`)}`,
      'Timeout:  1000ms',
      '',
      'Call log:',
      dim('  - Expect "toHaveText" with timeout 1000ms'),
      dim("  - waiting for getByRole('status')"),
      dim(`    5 × locator resolved to <p role="status">${count} found</p>`),
    ].join('\n'),
    file: `${TESTS}/${area}/search.spec.ts`,
    line: 58,
    column: 51,
    snippet: formatSnippet(58, 51, [
      "    await page.getByRole('searchbox').fill('steel');",
      "    await expect(page.getByRole('status')).toHaveText('12 found');",
      '  });',
    ]),
    steps: [`Navigate to "/${area}/search"`, 'Fill "steel" getByRole(\'searchbox\')'],
    failedStep: 'Expect "toHaveText"',
    waits: 1000,
  };
};

export const palletsMissing: StoryFailure = {
  message: [
    `Error: ${formatExpectation('locator', 'toHaveCount')} failed`,
    '',
    "Locator:  getByRole('row', { name: 'pallet' })",
    `Expected: ${green('4')}`,
    `Received: ${red('0')}`,
    'Timeout:  2000ms',
    '',
    'Call log:',
    dim('  - Expect "toHaveCount" with timeout 2000ms'),
    dim("  - waiting for getByRole('row', { name: 'pallet' })"),
    dim('    6 × locator resolved to 0 elements'),
  ].join('\n'),
  file: `${TESTS}/orders/import.spec.ts`,
  line: 31,
  column: 63,
  snippet: formatSnippet(31, 63, [
    "    await page.getByLabel('File').setInputFiles('pallets.xlsx');",
    "    await expect(page.getByRole('row', { name: 'pallet' })).toHaveCount(4);",
    '  });',
  ]),
  steps: ['Navigate to "/orders/import"', "Set input files getByLabel('File')"],
  failedStep: 'Expect "toHaveCount"',
  waits: 2000,
};

interface Picture {
  readonly snapshot: SnapshotName;
  readonly line: number;
  /** What Playwright says about the pictures. */
  readonly difference: string;
  /** Whether the test continues after the difference. */
  readonly isSoft: boolean;
}

const makePictureFailure = ({ snapshot, line, difference, isSoft }: Picture): StoryFailure => {
  const column = isSoft ? 22 : 17;
  const matcher = `${isSoft ? 'soft ' : ''}toHaveScreenshot(${snapshot}.png)`;
  return {
    message: [
      `Error: ${formatExpectation('page', 'toHaveScreenshot')} failed`,
      '',
      `  ${difference}`,
      '',
      `  Snapshot: ${snapshot}.png`,
      '',
      'Call log:',
      dim(`  - Expect "${matcher}" with timeout 5000ms`),
      dim('    - verifying given screenshot expectation'),
      dim('  - taking page screenshot'),
      dim(`  - ${difference}`),
    ].join('\n'),
    file: `${TESTS}/${VISUAL}`,
    line,
    column,
    snippet: formatSnippet(line, column, [
      "    await page.getByRole('main').waitFor();",
      `    await expect${isSoft ? '.soft' : ''}(page).toHaveScreenshot('${snapshot}.png');`,
      '  });',
    ]),
    steps: ['Navigate to "/"'],
    failedStep: `Expect "${matcher}"`,
    snapshots: [snapshot],
    waits: 5000,
  };
};

const offerCard = makePictureFailure({
  snapshot: 'offer-card',
  line: 24,
  difference: '2381 pixels (ratio 0.04 of all image pixels) are different.',
  isSoft: true,
});
const offerBadge = makePictureFailure({
  snapshot: 'offer-badge',
  line: 25,
  difference: '7988 pixels (ratio 0.9 of all image pixels) are different.',
  isSoft: true,
});

export const PICTURE_FAILURES: Readonly<Record<string, StoryFailure>> = {
  'the table of contracts': makePictureFailure({
    snapshot: 'contract-table',
    line: 12,
    difference:
      'Expected an image 900px by 180px, received 900px by 224px. 80586 pixels (ratio 0.4 of all image pixels) are different.',
    isSoft: false,
  }),
  'the offers of a week': {
    ...offerCard,
    laterErrors: [offerBadge],
    snapshots: ['offer-card', 'offer-badge'],
  },
};
