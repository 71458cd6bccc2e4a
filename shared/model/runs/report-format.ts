/** The formats of reports that imports accept. The `rundown` command bundles this file, so it imports nothing. */
export const FORMATS = {
  junit: { name: 'JUnit XML', endings: ['xml'] },
  ctrf: { name: 'CTRF', endings: ['json'] },
  'playwright-json': { name: 'Playwright JSON', endings: ['json'] },
  // The file names of blob reports have a meaning of their own: see `parse-reports.ts`.
  'playwright-blob': { name: 'Playwright blob', endings: [] },
} as const satisfies Readonly<Record<string, { readonly name: string; readonly endings: readonly string[] }>>;

export type ReportFormat = keyof typeof FORMATS;

const isFormat = (name: string): name is ReportFormat => Object.hasOwn(FORMATS, name);

export const REPORT_FORMATS: readonly ReportFormat[] = Object.keys(FORMATS).filter(isFormat);

/** `JUnit XML, CTRF, Playwright JSON, Playwright blob` */
export const FORMAT_NAMES = Object.values(FORMATS)
  .map(({ name }) => name)
  .join(', ');
