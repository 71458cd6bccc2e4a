import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type * as z from 'zod';
import { sampled } from '#test/harness/cases.ts';
import { run, temporaryFolder } from '#test/infra/local/child.ts';
import { archive, type Member, partsOf } from './archives.ts';
import { BOMBS } from './bombs.ts';
import { Measured } from './measured-reading.ts';
import { begin, said } from './recordings.ts';

const MOST_BYTES = 100 * 1024 * 1024;
const FILM: Member = { name: 'resources/film', content: Buffer.alloc(110_000_000, 'film'), method: 0 };

const withFilm = (more: Partial<Member>): readonly Buffer[] =>
  partsOf([
    { ...FILM, ...more },
    { name: 'test.trace', content: begin() + said('read'), encrypted: more.encrypted ?? false },
  ]);

type Outcome = z.infer<typeof Measured>['outcome'];

/** The name of an archive, a function that builds it, and the expected outcome. */
type Row = readonly [string, () => Buffer | readonly Buffer[], Outcome];

/**
 * One archive for each kind of content that could fill the memory: a long line, many events, long texts, deep values,
 * many entries and large files.
 */
const KINDS: readonly Row[] = [
  ['one line of a gigabyte', BOMBS['one line of a gigabyte'], 'inflatesTooFar'],
  ['almost as many events as a trace may have', BOMBS['almost as many events as a trace may have'], 'read'],
  ['texts of 240 kilobytes', BOMBS['four hundred texts of 240 kilobytes'], 'read'],
  ['lines of nested arrays', BOMBS['lines of a hundred thousand nested arrays'], 'inflatesTooFar'],
  ['more entries than an archive may have', BOMBS['twenty-five thousand entries'], 'tooManyEntries'],
  ['a nested archive of 110 megabytes', () => withFilm({ content: archive([FILM]) }), 'read'],
];
/** More archives that could fill the memory. `npm test` tries only one of them. */
const MORE: readonly Row[] = [
  ['alternating noise and zeros', BOMBS['alternating noise and zeros'], 'read'],
  ['ten gigabytes of zeros', BOMBS['ten gigabytes of zeros'], 'inflatesTooFar'],
  ['110 megabytes that are cut off', () => withFilm({}).slice(0, -2), 'truncated'],
  ['110 encrypted megabytes', () => withFilm({ encrypted: true, sizes: 'descriptor' }), 'encrypted'],
];

describe('The memory for reading a trace', () => {
  test.each([...KINDS, ...sampled(MORE, MORE.length)])(
    'Reading a trace of %s takes less than 100 MiB of memory',
    async (_, make, outcome) => {
      const file = join(await temporaryFolder(), 'trace.zip');
      await writeFile(file, make());
      const { output } = await run(['test/context/trace/measured-reading.ts', file]);
      const measured = Measured.parse(JSON.parse(output));
      expect(measured.outcome).toBe(outcome);
      expect(measured.growthBytes).toBeLessThan(MOST_BYTES);
    },
  );
});
