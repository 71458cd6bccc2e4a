/**
 * Seeds all property tests with one number, so that every run tests the same cases. `PROPERTY_SEED=random` draws a new
 * seed for each property. A failure prints the command that replays it.
 */
import { relative } from 'node:path';
import fc from 'fast-check';
import { expect } from 'vitest';
import { cases } from './cases.ts';

const FIXED_SEED = '20261021';
/** The number of cases for properties that do not set a number themselves. */
const CASES = 100;

const { PROPERTY_SEED: seed = FIXED_SEED, PROPERTY_PATH: path } = process.env;

fc.configureGlobal({
  numRuns: cases(CASES),
  ...(seed === 'random' ? {} : { seed: Number(seed) }),
  ...(path ? { path, endOnFailure: true } : {}),
  reporter: failWithReplay,
});

function failWithReplay(details: fc.RunDetails<unknown>): void {
  if (!details.failed) return;
  const { testPath = '', currentTestName = '' } = expect.getState();
  const replay = replayOf(details, relative(process.cwd(), testPath), currentTestName);
  throw new Error(`${fc.defaultReportMessage(details)}\n\nReplay it with:\n${replay}\n`, {
    cause: details.errorInstance,
  });
}

type Failure = Pick<fc.RunDetails<unknown>, 'seed' | 'counterexamplePath'>;

function replayOf({ seed, counterexamplePath }: Failure, file: string, name: string): string {
  const from = `PROPERTY_SEED=${seed} PROPERTY_PATH=${counterexamplePath ?? ''}`;
  return `${from} npx vitest run --config test/vitest.config.ts ${file} -t '${patternOf(name)}'`;
}

/**
 * Returns the test name as a regular expression without shell metacharacters. Between the names of suites and tests, it
 * matches any separator, because Vitest joins these names differently when it matches `-t`.
 */
const patternOf = (name: string): string =>
  name
    .split(' > ')
    .map((part) => part.replaceAll(/[^\w ]/g, '.'))
    .join('.+');
