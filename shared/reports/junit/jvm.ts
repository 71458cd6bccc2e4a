/** The JUnit dialects of Maven Surefire (for JUnit and TestNG) and of Gradle. */
import type { AttemptError } from '#shared/model/results/attempt.ts';
import { type FoundAttempt, type FoundTest, pickLastTest } from '#shared/reports/found.ts';
import type { Dialect } from './dialect.ts';
import { markAsSkipped } from './found-row.ts';
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
    const [spec = '', ...nestedClasses] = row.classname.split('$');
    // The row of a failed BeforeAll or AfterAll method has no name.
    return { spec, title: [...nestedClasses, row.name || '(class)'] };
  },
  join: joinRuns,
  finish: assignConfigurationErrors,
};

export const GRADLE: Dialect = {
  name: 'gradle',
  framework: 'junit',
  sameName: 'attempts',
  matches: (sample) => hasOrder(sample, 'name tests skipped failures errors timestamp hostname time'),
  place: (row) => ({ spec: row.classname, title: [row.name] }),
  join: joinRuns,
};

/** TestNG reports a failed attempt as skipped if it retries the test, so a skipped row before the last one failed. */
function joinRuns(rows: readonly FoundTest[]): FoundTest {
  const last = pickLastTest(rows);
  const before = rows.slice(0, -1).flatMap((row) => row.attempts.map((attempt) => toFailedAttempt(row, attempt)));
  return { ...last, attempts: [...before, ...last.attempts] };
}

function toFailedAttempt({ reason }: FoundTest, attempt: FoundAttempt): FoundAttempt {
  if (attempt.rawStatus !== 'skipped') return attempt;
  return { ...attempt, state: 'failed', rawStatus: 'failed', errors: reason ? toErrors(reason) : attempt.errors };
}

const toErrors = (message: string): AttemptError[] => [{ message, stack: null, location: null, snippet: null }];

/** A test did not run if its skip reason is a failure in its class, or a failed method that it depends on. */
function assignConfigurationErrors(tests: readonly FoundTest[]): readonly FoundTest[] {
  // An error message may start with the class of the error, so it is compared both with and without the class.
  const messages = new Set(
    tests
      .filter(({ outcome }) => outcome === 'failed')
      .flatMap(({ spec, attempts }) =>
        attempts.flatMap(({ errors }) => errors.map(({ message }) => ({ spec, message }))),
      )
      .flatMap(({ spec, message }) => [
        buildMessageKey(spec, message),
        buildMessageKey(spec, message.replace(/^[\w$.]+: /, '')),
      ]),
  );
  return tests.map((test) => {
    const { reason } = test;
    if (test.outcome !== 'pending' || !reason) return test;
    const isStopped =
      messages.has(buildMessageKey(test.spec, reason)) ||
      reason.includes('depends on not successfully finished methods');
    return isStopped ? markAsSkipped(test, toErrors(reason)) : test;
  });
}

const buildMessageKey = (spec: string, message: string): string => JSON.stringify([spec, message]);
