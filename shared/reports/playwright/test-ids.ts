/**
 * The ids that Playwright gives to tests, as its `--last-failed` needs them. A spec of the JSON report has only the id
 * of its first test. Its tests of other projects and repetitions have other ids, which are computed as Playwright does.
 * They are used only if the computed id of the first test equals the one in the report.
 */
import { createHash } from 'node:crypto';
import { posix } from 'node:path';
import type { Spec, Test } from './json-wire.ts';

export interface TestIdContext {
  /** The file's path and the titles of its suites, as the report has them. */
  readonly file: string;
  readonly titles: readonly string[];
  readonly rootDir: string;
  /** The folder of each project's tests, by the project's id. */
  readonly testDirs: ReadonlyMap<string, string>;
}

/** One id per test of the spec; `undefined` where it is not known. */
export function testIdsOf(spec: Spec, context: TestIdContext): (string | undefined)[] {
  const [fileId = ''] = spec.id.split('-');
  const seen = new Map<string, number>();
  const ids = spec.tests.map(({ projectId }) => {
    const repetition = seen.get(projectId) ?? 0;
    seen.set(projectId, repetition + 1);
    return madeId({ projectId, repetition }, { ...context, titles: [...context.titles, spec.title], fileId });
  });
  return ids[0] === spec.id ? ids : spec.tests.map((_, index) => (index === 0 && spec.id ? spec.id : undefined));
}

function madeId(
  { projectId, repetition }: Pick<Test, 'projectId'> & { readonly repetition: number },
  { file, titles, fileId, rootDir, testDirs }: TestIdContext & { readonly fileId: string },
): string {
  const testDir = testDirs.get(projectId);
  const fileOf = testDir === undefined ? fileId : hash(posix.relative(slashed(testDir), `${slashed(rootDir)}/${file}`));
  const repeated = repetition > 0 ? ` (repeat:${repetition})` : '';
  return `${fileOf}-${hash(`[project=${projectId}]${[file, ...titles].join('\x1e')}${repeated}`)}`;
}

const slashed = (path: string): string => path.replaceAll('\\', '/');

const hash = (text: string): string => createHash('sha1').update(text).digest('hex').slice(0, 20);
