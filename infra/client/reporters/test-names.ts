/** Names tests, in the same way in the reporters and in the processes that run the tests of Vitest. */
import { relative } from 'node:path';
import { makeTestId } from '#shared/model/ids.ts';
import { normalizeId, normalizeSpec } from '#shared/model/short-names.ts';
import { type Copies, makeUniqueTitle } from '#shared/reports/names.ts';
import { DEFAULT_GROUP, toForwardSlashes } from '#shared/reports/paths.ts';
import type { FinishedTest } from './messages.ts';

export type TestName = Pick<FinishedTest, 'testId' | 'title'>;

export const formatGroupName = (project: string | undefined): string => normalizeId(project || DEFAULT_GROUP);

export const toRelativePath = (root: string, path: string): string => toForwardSlashes(relative(root, path));

export const formatSpecName = (root: string, path: string): string => normalizeSpec(toRelativePath(root, path));

/** `copies` counts earlier names: a second test `adds` becomes `adds (2)`, as in imported reports. */
export function makeTestName({ spec, copies }: { spec: string; copies: Copies }, parts: readonly string[]): TestName {
  const title = makeUniqueTitle(copies, parts);
  return { title, testId: makeTestId(spec, title) };
}

export class TestNames {
  readonly #copies = new Map<string, Copies>();

  /** The name of the next test of a spec file. `parts`: its suites, then the test itself. */
  next(group: string, spec: string, parts: readonly string[]): TestName {
    const place = JSON.stringify([group, spec]);
    const copies: Copies = this.#copies.get(place) ?? new Map();
    this.#copies.set(place, copies);
    return makeTestName({ spec, copies }, parts);
  }
}
