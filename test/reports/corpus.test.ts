import { describe, expect, test } from 'vitest';
import { parseReports } from '#shared/reports/reading/parse-reports.ts';
import type { ParsedFile } from '#shared/reports/report.ts';
import { CORPUS, type Expected } from './corpus.ts';
import { sampleFile, sourceOf } from './sources.ts';

const NOW = Date.parse('2026-11-23T00:00:00Z');
const DEFAULT_GROUP = 'default';

async function parsed({ report }: Expected): Promise<ParsedFile> {
  const [file] = await parseReports(sourceOf(await sampleFile(report)), { name: report, root: '/project', now: NOW });
  if (!file) throw new Error(`${report} has no result`);
  return file;
}

/** Attempts that the rules of this product find in addition: see the decisions in shared/reports/README.md. */
const MORE_ATTEMPTS: ReadonlyMap<string, number> = new Map([
  ['playwright-junit-1.65.1.xml: cart › passes though expected to fail', 2],
]);
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape codes are what is removed
const ESCAPES = /\u001b\[\d+m/g;

const expectedTests = ({ report, format, tests }: Expected) =>
  tests
    .map(({ group = DEFAULT_GROUP, spec, title, outcome, flaky, attempts }) => ({
      group,
      spec,
      title: format === 'junit' ? title.map((part) => part.replaceAll(ESCAPES, '')) : title,
      outcome,
      flaky,
      attempts: MORE_ATTEMPTS.get(`${report}: ${title.join(' › ')}`) ?? attempts,
    }))
    .sort(byName);

const foundTests = ({ instances }: ParsedFile) =>
  instances
    .flatMap(({ groupId, spec, tests }) =>
      tests.map(({ title, outcome, flaky, attempts }) => ({
        group: groupId,
        spec,
        title: [...title],
        outcome,
        flaky,
        attempts: attempts.length,
      })),
    )
    .sort(byName);

const keyOf = ({ group, spec, title }: { group: string; spec: string; title: readonly string[] }): string =>
  JSON.stringify([group, spec, title]);
const byName = (one: Parameters<typeof keyOf>[0], other: Parameters<typeof keyOf>[0]): number =>
  keyOf(one) < keyOf(other) ? -1 : 1;

describe.each(CORPUS.filter(({ format }) => format === 'junit').map((one) => [one.report, one] as const))(
  '%s',
  (_, expected) => {
    test('gives each test its group, spec file, title, outcome, flakiness and attempts', async () => {
      expect(foundTests(await parsed(expected))).toEqual(expectedTests(expected));
    });

    test('is recognized with its writer, and says whether it was cut', async () => {
      const { dialect, truncated, format } = await parsed(expected);
      expect({ format, truncated, ...(expected.dialect && { dialect }) }).toEqual({
        format: expected.format,
        truncated: expected.truncated ?? false,
        ...(expected.dialect && { dialect: expected.dialect }),
      });
    });

    test('gives each test the duration in the file', async () => {
      const { instances } = await parsed(expected);
      const found = instances.flatMap(({ tests }) =>
        tests.map(({ attempts }) => attempts.map(({ duration }) => duration)),
      );
      for (const [index, { durationMs, title }] of expected.tests.entries())
        expect(found[index], title.join(' › ')).toContain(durationMs);
    });
  },
);
