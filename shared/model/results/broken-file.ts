/**
 * A spec file that could not be loaded is a failed test with one of these names, which no test has. A try that loads the
 * file has no result with this name.
 */
import { deriveTestKey, makeTestId } from '#shared/model/ids.ts';
import type { Failure } from './failures.ts';

export const BROKEN_FILE = {
  pytest: '(collection)',
  jest: 'Test suite failed to run',
  other: '(file)',
} as const;

/** Vitest names such a test like its file. */
export const isOfBrokenFile = ({ spec, testKey }: Pick<Failure, 'spec' | 'testKey'>): boolean =>
  [...Object.values(BROKEN_FILE), spec].some((name) => deriveTestKey(makeTestId(spec, [name])) === testKey);
