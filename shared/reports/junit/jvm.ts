/** The JUnit dialects of Maven Surefire (for JUnit and TestNG) and of Gradle. */
import { type FoundAttempt, type FoundTest, lastOf } from '#shared/reports/found.ts';
import type { Dialect } from './dialect.ts';
import { foundTest, plainEnding } from './found-row.ts';
import { rowClassOf, rowNameOf } from './generic.ts';
import { hasOrder } from './javascript.ts';

const SCHEMA = 'xsi:noNamespaceSchemaLocation';
const isSurefire = ({ attributes }: { readonly attributes: ReadonlyMap<string, string> }): boolean =>
  attributes.get(SCHEMA)?.endsWith('surefire-test-report.xsd') === true;

const SUREFIRE: Dialect = {
  name: 'surefire',
  framework: 'junit',
  sameName: 'attempts',
  matches: ({ roots, suites }) => roots.some(isSurefire) || suites.some(isSurefire),
  read: (row, context) => {
    const [spec = '', ...nested] = rowClassOf(row).split('$');
    // The row of a failed BeforeAll or AfterAll method has no name.
    return foundTest(row, context, { spec, title: [...nested, rowNameOf(row) || '(class)'], ending: plainEnding(row) });
  },
  join: joinRuns,
  finish: blameConfigurations,
};

const GRADLE: Dialect = {
  name: 'gradle',
  framework: 'junit',
  sameName: 'attempts',
  matches: (sample) => hasOrder(sample, 'name tests skipped failures errors timestamp hostname time'),
  read: (row, context) => foundTest(row, context, { spec: rowClassOf(row), title: [rowNameOf(row)] }),
  join: joinRuns,
};

/**
 * Merges the rows of one test. TestNG reports a failed attempt as skipped if it retries the test, so a skipped row
 * before the last one is a failed attempt.
 */
function joinRuns(rows: readonly FoundTest[]): FoundTest {
  const last = lastOf(rows);
  const before = rows.slice(0, -1).flatMap((row) => row.attempts.map((attempt) => triedBefore(row, attempt)));
  return { ...last, attempts: [...before, ...last.attempts] };
}

function triedBefore({ reason }: FoundTest, attempt: FoundAttempt): FoundAttempt {
  if (attempt.rawStatus !== 'skipped') return attempt;
  const message = reason ?? '';
  const errors = message === '' ? attempt.errors : [{ message, stack: null, location: null, snippet: null }];
  return { ...attempt, state: 'failed', rawStatus: 'failed', errors };
}

const DEPENDS = 'depends on not successfully finished methods';

/**
 * Marks tests as skipped that did not run because a configuration method or another test failed. They are recognized by
 * their skip reason: the error message of a failure in the same class, or a dependency on a method that failed.
 */
function blameConfigurations(tests: readonly FoundTest[]): readonly FoundTest[] {
  const messages = new Set(tests.filter(({ outcome }) => outcome === 'failed').flatMap(failureKeys));
  return tests.map((test) => {
    const { reason } = test;
    if (test.outcome !== 'pending' || !reason) return test;
    const isStopped = messages.has(keyOf(test.spec, reason)) || reason.includes(DEPENDS);
    return isStopped ? stopped(test, reason) : test;
  });
}

const keyOf = (spec: string, message: string): string => JSON.stringify([spec, message]);

/** An error message may start with the class of the error, so it is compared both with and without the class. */
const failureKeys = ({ spec, attempts }: FoundTest): string[] =>
  attempts
    .flatMap(({ errors }) => errors)
    .flatMap(({ message }) => [message, message.replace(/^[\w$.]+: /, '')])
    .map((message) => keyOf(spec, message));

const stopped = (test: FoundTest, message: string): FoundTest => ({
  ...test,
  outcome: 'skipped',
  expectedStatus: 'passed',
  attempts: test.attempts.map((attempt) => ({
    ...attempt,
    state: 'skipped',
    errors: [{ message, stack: null, location: null, snippet: null }],
  })),
});

export const JVM = { SUREFIRE, GRADLE } as const;
