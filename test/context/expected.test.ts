/** Pages as readers get them, letter by letter. Whoever changes one reads it. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { atDetail, type Detail } from '#shared/context/detail.ts';
import { contextMarkdown } from '#shared/context/markdown/context-markdown.ts';
import { serialize } from '#shared/context/markdown/serialize.ts';
import { masked } from '#shared/context/masking.ts';
import type { ContextData } from '#shared/context/shape.ts';
import { failedInstance, failedRun, failedTest } from './examples.ts';
import { hostileTest } from './hostile-example.ts';

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
  test.each(PAGES)('reads as in expected/$file', async ({ file, context, detail = 'default', maxLength }) => {
    const page = serialize(contextMarkdown(atDetail(masked(context), detail)), { maxLength });
    const path = join(import.meta.dirname, 'expected', file);
    // `UPDATE_EXPECTED=1` writes them anew, for reading.
    if (process.env['UPDATE_EXPECTED']) await writeFile(path, page);
    expect(page).toBe(await readFile(path, 'utf8'));
  });
});
