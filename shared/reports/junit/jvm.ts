/** The JUnit dialects of Maven Surefire (for JUnit and TestNG) and of Gradle. */
import type { AttemptError } from '#shared/model/tests/attempt.ts';
import { type FoundAttempt, type FoundTest, lastOf } from '#shared/reports/found.ts';
import type { Dialect } from './dialect.ts';
import { stoppedTest } from './found-row.ts';
import { hasOrder } from './javascript.ts';
import type { JunitSuite } from './row.ts';

const isSurefire = ({ attributes }: Pick<JunitSuite, 'attributes'>): boolean =>
  /surefire-test-report[\d.-]*\.xsd$/.test(attributes.get('xsi:noNamespaceSchemaLocation') ?? '');

export const SUREFIRE: Dialect = {
  name: 'surefire',
  framework: 'junit',
  sameName: 'attempts',
  matches: ({ roots, suites }) => roots.some(isSurefire) || suites.some(isSurefire),
  place: (row) => {
    const [spec = '', ...nested] = row.classname.split('$');
    // The row of a failed BeforeAll or AfterAll method has no name.
    return { spec, title: [...nested, row.name || '(class)'] };
  },
  join: joinRuns,
  finish: blameConfigurations,
};

export const GRADLE: Dialect = {
  name: 'gradle',
  framework: 'junit',
  sameName: 'attempts',
  matches: (sample) => hasOrder(sample, 'name tests skipped failures errors timestamp hostname time'),
  place: (row) => ({ spec: row.classname, title: [row.name] }),
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
  return { ...attempt, state: 'failed', rawStatus: 'failed', errors: reason ? errorsOf(reason) : attempt.errors };
}

const errorsOf = (message: string): AttemptError[] => [{ message, stack: null, location: null, snippet: null }];

/**
 * Marks tests as skipped that did not run because a configuration method or another test failed. They are recognized by
 * their skip reason: the error message of a failure in the same class, or a dependency on a method that failed.
 */
function blameConfigurations(tests: readonly FoundTest[]): readonly FoundTest[] {
  // An error message may start with the class of the error, so it is compared both with and without the class.
  const messages = new Set(
    tests
      .filter(({ outcome }) => outcome === 'failed')
      .flatMap(({ spec, attempts }) =>
        attempts.flatMap(({ errors }) => errors.map(({ message }) => ({ spec, message }))),
      )
      .flatMap(({ spec, message }) => [keyOf(spec, message), keyOf(spec, message.replace(/^[\w$.]+: /, ''))]),
  );
  return tests.map((test) => {
    const { reason } = test;
    if (test.outcome !== 'pending' || !reason) return test;
    const isStopped =
      messages.has(keyOf(test.spec, reason)) || reason.includes('depends on not successfully finished methods');
    return isStopped ? stoppedTest(test, errorsOf(reason)) : test;
  });
}

const keyOf = (spec: string, message: string): string => JSON.stringify([spec, message]);
