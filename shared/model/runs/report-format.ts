/** The report formats of imports. The `rundown` command bundles this file, so it must not import other files. */
export const FORMATS = {
  junit: { name: 'JUnit XML', endings: ['xml'] },
  ctrf: { name: 'CTRF', endings: ['json'] },
  'playwright-json': { name: 'Playwright JSON', endings: ['json'] },
  // A blob report is a zip archive. Its events are in `.jsonl` files, which `parse-reports.ts` recognizes.
  'playwright-blob': { name: 'Playwright blob', endings: [] },
  trx: { name: 'trx', endings: ['trx'] },
  'go-test': { name: 'go test -json', endings: ['jsonl', 'json', 'ndjson'] },
  nunit3: { name: 'NUnit 3', endings: ['xml'] },
  nunit2: { name: 'NUnit 2', endings: ['xml'] },
  xunit: { name: 'xUnit.net', endings: ['xml'] },
  'jest-json': { name: 'Jest JSON', endings: ['json'] },
  'vitest-json': { name: 'Vitest JSON', endings: ['json'] },
  'mocha-json': { name: 'mocha JSON', endings: ['json'] },
  mochawesome: { name: 'mochawesome', endings: ['json'] },
  'cypress-json': { name: 'Cypress result', endings: ['json'] },
  'rspec-json': { name: 'RSpec JSON', endings: ['json'] },
  tap: { name: 'TAP', endings: ['tap', 'txt'] },
  'robot-xml': { name: 'Robot Framework XML', endings: ['xml'] },
  'robot-json': { name: 'Robot Framework JSON', endings: ['json'] },
  'cucumber-json': { name: 'Cucumber JSON', endings: ['json', 'txt'] },
  allure: { name: 'Allure results', endings: ['json'] },
  'pytest-json-report': { name: 'pytest-json-report', endings: ['json'] },
  testng: { name: 'TestNG', endings: ['xml'] },
  'dart-json': { name: 'Dart and Flutter JSON', endings: ['jsonl', 'json'] },
  'xcresult-json': { name: 'xcresulttool JSON', endings: ['json'] },
  'pytest-reportlog': { name: 'pytest-reportlog', endings: ['jsonl', 'json'] },
  'newman-json': { name: 'Newman JSON', endings: ['json'] },
  'cucumber-messages': { name: 'Cucumber Messages', endings: ['ndjson', 'jsonl'] },
  'nextest-json': { name: 'nextest JSON', endings: ['jsonl', 'json'] },
} as const satisfies Readonly<Record<string, { readonly name: string; readonly endings: readonly string[] }>>;

export type ReportFormat = keyof typeof FORMATS;

const isFormat = (name: string): name is ReportFormat => Object.hasOwn(FORMATS, name);

export const REPORT_FORMATS: readonly ReportFormat[] = Object.keys(FORMATS).filter(isFormat);

/** The names of all formats, for descriptions and messages: `JUnit XML, CTRF, Playwright JSON, Playwright blob`. */
export const FORMAT_NAMES = Object.values(FORMATS)
  .map(({ name }) => name)
  .join(', ');
