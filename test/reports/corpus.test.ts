import { describe, expect, test } from 'vitest';
import type { ParsedFile } from '#shared/reports/report.ts';
import { CORPUS, type Expected } from './corpus.ts';
import { parseSample, type Told, toldBy } from './samples.ts';

const DEFAULT_GROUP = 'default';

/**
 * Tests for which this product counts more attempts than the sample expects, each with the number that this product
 * counts. See the decisions in shared/reports/README.md.
 */
const MORE_ATTEMPTS: ReadonlyMap<string, number> = new Map([
  ['playwright-junit-1.65.1.xml: cart › passes though expected to fail', 2],
]);
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape codes are what is removed
const ESCAPES = /\u001b\[\d+m/g;

/**
 * Numbers the titles of tests with the same name from the second one on, for example `pays (2)`, as the import does.
 * The expected values of some samples do not have these numbers.
 */
function numberCopies(tests: Expected['tests']): Expected['tests'] {
  const seen = new Map<string, number>();
  return tests.map((one) => {
    const key = JSON.stringify([one.group, one.spec, one.title]);
    const copies = (seen.get(key) ?? 0) + 1;
    seen.set(key, copies);
    return copies === 1 ? one : { ...one, title: [...one.title.slice(0, -1), `${one.title.at(-1)} (${copies})`] };
  });
}

const expectedTests = ({ report, format, tests }: Expected) =>
  numberCopies(tests)
    .map(({ group = DEFAULT_GROUP, spec, title, outcome, flaky, attempts, durationMs }) => ({
      group,
      spec,
      title: format === 'junit' ? title.map((part) => part.replaceAll(ESCAPES, '')) : title,
      outcome,
      flaky,
      attempts: MORE_ATTEMPTS.get(`${report}: ${title.join(' › ')}`) ?? attempts,
      durationMs,
    }))
    .sort(byName);

type Named = Pick<Told, 'group' | 'spec' | 'title'>;
const keyOf = ({ group, spec, title }: Named): string => JSON.stringify([group, spec, title]);
const byName = (one: Named, other: Named): number => (keyOf(one) < keyOf(other) ? -1 : 1);

const durationsIn = ({ instances }: ParsedFile) =>
  instances
    .flatMap(({ groupId, spec, tests }) =>
      tests.map(({ title, attempts }) => ({ group: groupId, spec, title, all: attempts.map((one) => one.duration) })),
    )
    .sort(byName);

describe.each(CORPUS.map((one) => [one.report, one] as const))('%s', (_, sample) => {
  test('A sample report gives each test its group, spec file, title, outcome, flakiness and attempts', async () => {
    const expected = expectedTests(sample).map(({ durationMs: _duration, ...told }) => told);
    expect(toldBy(await parseSample(sample.report)).sort(byName)).toEqual(expected);
  });

  test('The format of a sample report and the tool that wrote it are recognized, and a truncated report is marked', async () => {
    const { dialect, truncated, format } = await parseSample(sample.report);
    expect({ format, truncated, ...(sample.dialect && { dialect }) }).toEqual({
      format: sample.format,
      truncated: sample.truncated ?? false,
      ...(sample.dialect && { dialect: sample.dialect }),
    });
  });

  test('A sample report gives each test an attempt with the duration from the file', async () => {
    const found = durationsIn(await parseSample(sample.report));
    for (const [index, { durationMs, title }] of expectedTests(sample).entries())
      expect(found[index]?.all, title.join(' › ')).toContain(durationMs);
  });
});
