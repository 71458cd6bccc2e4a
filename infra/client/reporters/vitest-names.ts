/** Names Vitest tests in the same way in the reporter and in the processes that run the tests. */
import { relative } from 'node:path';
import { madeTestId } from '#shared/model/ids.ts';
import { type Copies, idName, ownTitle, specName } from '#shared/reports/names.ts';
import { DEFAULT_GROUP } from '#shared/reports/paths.ts';
import type { FinishedTest } from './messages.ts';

export type TestName = Pick<FinishedTest, 'testId' | 'title'>;

export const groupNamed = (project: string | undefined): string => idName(project || DEFAULT_GROUP);

export const pathFrom = (root: string, path: string): string => relative(root, path).replaceAll('\\', '/');

export const specNamed = (root: string, path: string): string => specName(pathFrom(root, path));

/** The name of the next test of a spec file. `copies` counts the names of the tests before it. */
export function nextName({ spec, copies }: { spec: string; copies: Copies }, parts: readonly string[]): TestName {
  const title = ownTitle(copies, parts);
  return { title, testId: madeTestId(spec, title) };
}
