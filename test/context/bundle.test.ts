/** Tests the Markdown renderer and the masking of secrets as deployed: minified, and trimmed by infra/build/trim.ts. */

import { mkdtemp, rm, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { trimPart } from '#infra/build/trim.ts';
import type { ContextData } from '#shared/context/context-wire.ts';
import { maskObject } from '#shared/masking/mask-object.ts';
import { cases } from '#test/harness/cases.ts';
import { fillTest, testShape } from './any-context.ts';
import { fillRun, listShape } from './any-list.ts';
import { failedInstance, failedRun, failedTest } from './examples.ts';
import { hostileTest } from './hostile-example.ts';
import { hostileTexts, inTurn, NOW, pageOf } from './pairs.ts';

/** The maximum size of this bundle in kilobytes. The benchmarks limit the sizes of whole functions. */
const MOST_KILOBYTES = 80;

const SOURCE = `
  import { maskObject } from '#shared/masking/mask-object.ts';
  import { applyDetail } from '#shared/context/detail.ts';
  import { renderContext } from '#shared/context/markdown/context-text.ts';
  import { serializePage } from '#shared/context/markdown/serialize.ts';
  export const answer = (context, detail, maxLength) =>
    serializePage(renderContext(applyDetail(maskObject(context), detail), { detail, now: ${NOW} }), { maxLength });
`;

const Built = z.object({ answer: z.custom<(context: ContextData, detail: string, maxLength?: number) => string>() });

let folder: string;
let built: z.infer<typeof Built>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rundown-context-'));
  const outfile = join(folder, 'context.cjs');
  await build({
    stdin: { contents: SOURCE, resolveDir: import.meta.dirname, loader: 'ts' },
    outfile,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    mainFields: ['module', 'main'],
    minify: true,
    logLevel: 'error',
    plugins: [trimPart],
  });
  built = Built.parse(createRequire(import.meta.url)(outfile));
});

afterAll(() => rm(folder, { recursive: true }));

describe('The bundle of the Markdown renderer', () => {
  test('stays below its size limit', async () => {
    const { size } = await stat(join(folder, 'context.cjs'));
    expect(size / 1000).toBeLessThan(MOST_KILOBYTES);
  });

  test.each([failedTest, hostileTest, failedRun, failedInstance])(
    'The bundle renders the same page as the source code at $level level',
    (context) => {
      for (const maxLength of [undefined, 10, 100, 1000]) {
        expect(built.answer(context, 'default', maxLength)).toBe(pageOf(maskObject(context), maxLength));
      }
    },
  );

  test('The bundle renders the same page as the source code for arbitrary texts', () => {
    fc.assert(
      fc.property(testShape, listShape, hostileTexts, (shape, list, texts) => {
        for (const context of [fillTest(shape, inTurn(texts)), fillRun(list, inTurn(texts))]) {
          expect(built.answer(context, 'default')).toBe(pageOf(maskObject(context)));
        }
      }),
      { numRuns: cases(200, 15) },
    );
  });
});
