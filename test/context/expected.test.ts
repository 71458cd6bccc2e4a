/** Compares pages byte by byte with golden files. If you change a golden file, read the new page yourself. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ContextData } from '#shared/context/context-wire.ts';
import { applyDetail, type Detail } from '#shared/context/detail.ts';
import { maskObject } from '#shared/masking/mask-object.ts';
import { failedInstance, failedRun, failedTest } from './examples.ts';
import { hostileTest } from './hostile-example.ts';
import { pageOf } from './pairs.ts';

interface Page {
  readonly file: string;
  readonly context: ContextData;
  readonly detail?: Detail;
  readonly maxLength?: number;
}

const PAGES: readonly Page[] = [
  { file: 'test.md', context: failedTest },
  { file: 'test-compact.md', context: failedTest, detail: 'compact' },
  { file: 'test-summary.md', context: failedTest, detail: 'summary' },
  { file: 'test-cut.md', context: failedTest, maxLength: 800 },
  { file: 'test-hostile.md', context: hostileTest },
  { file: 'instance.md', context: failedInstance },
  { file: 'run.md', context: failedRun },
  { file: 'run-compact.md', context: failedRun, detail: 'compact' },
  { file: 'run-summary.md', context: failedRun, detail: 'summary' },
  {
    file: 'run-passed.md',
    context: {
      ...failedRun,
      status: 'PASSED',
      totalFailedTests: 0,
      totalFlakyTests: undefined,
      specs: [],
      list: [],
      total: 0,
      nextPage: false,
    },
  },
];

describe('A page of failure context', () => {
  test.each(PAGES)(
    'equals the golden file expected/$file',
    async ({ file, context, detail = 'default', maxLength }) => {
      const page = pageOf(applyDetail(maskObject(context), detail), maxLength, detail);
      const path = join(import.meta.dirname, 'expected', file);
      // `UPDATE_EXPECTED=1` rewrites the golden file.
      if (process.env['UPDATE_EXPECTED']) await writeFile(path, page);
      expect(page).toBe(await readFile(path, 'utf8'));
    },
  );
});
