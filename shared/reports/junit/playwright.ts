/** Playwright's JUnit dialect. Its files mention attempts only in the text of a failure. */
import { keptAnnotations } from '#shared/reports/annotations.ts';
import type { FoundAttempt, FoundTest } from '#shared/reports/found.ts';
import { specPath, UNNAMED_PROJECT } from '#shared/reports/paths.ts';
import { tagsInTitle } from '#shared/reports/tags.ts';
import type { Dialect, DialectContext } from './dialect.ts';
import { errorIn, foundTest, type JunitEnding, plainEnding } from './found-row.ts';
import { rowClassOf, rowNameOf } from './generic.ts';
import { failuresOf, type JunitProblem, type JunitRow, skipOf } from './row.ts';

export const PLAYWRIGHT_DIALECT: Dialect = {
  name: 'playwright',
  framework: 'playwright',
  sameName: 'kept',
  matches: ({ roots, suites, rows }) =>
    roots.some(({ attributes }) => attributes.has('id') && attributes.has('errors')) &&
    suites.every(({ attributes }) => attributes.has('hostname')) &&
    rows.every((row) => rowClassOf(row) === row.suite?.name),
  read: readTest,
};

function readTest(row: JunitRow, context: DialectContext): FoundTest | undefined {
  const project = row.suite?.attributes.get('hostname') || UNNAMED_PROJECT;
  const name = rowNameOf(row);
  // An option of the reporter puts the project before the title.
  const title = (name.startsWith(`[${project}] `) ? name.slice(project.length + 3) : name).split(' › ');
  const spec = specPath(row.suite?.name ?? rowClassOf(row), context.root);
  const test = foundTest(row, context, { group: project, spec, title, ending: endingOf(row), keepsTitle: true });
  if (!test) return undefined;
  const annotations = row.properties.map(([type, value]) => ({ type, description: value === '' ? null : value }));
  return {
    ...test,
    annotations: keptAnnotations(annotations),
    tags: tagsInTitle(title),
    attempts: triesOf(row, { test, spec }),
  };
}

const hasProperty = ({ properties }: JunitRow, ...names: readonly string[]): boolean =>
  properties.some(([name]) => names.includes(name));

/** A skip without a `skip` or `fixme` property was caused by a failed hook, or by an earlier failure in serial mode. */
function endingOf(row: JunitRow): JunitEnding {
  if (failuresOf(row).length > 0)
    return hasProperty(row, 'fail') && !hasErrorElement(row) ? failureOfExpected(row) : 'failed';
  if (skipOf(row)) return hasProperty(row, 'skip', 'fixme') ? 'pending' : 'skipped';
  return hasProperty(row, 'fail') ? 'expected failure' : plainEnding(row);
}

const hasErrorElement = (row: JunitRow): boolean => row.problems.some(({ kind }) => kind === 'error');

/**
 * Returns how a test ended if it was expected to fail and Playwright reports a failure: either the test passed
 * unexpectedly, or it failed in a way that was not expected, such as a timeout.
 */
const failureOfExpected = (row: JunitRow): JunitEnding =>
  failuresOf(row).some(({ text }) => text.includes(UNEXPECTED_PASS)) ? 'unexpected pass' : 'failed';
const UNEXPECTED_PASS = 'Expected to fail, but passed.';

const RETRY = /^[ \t]*Retry #\d+ ─+[ \t]*$/m;

/** Splits the text of a failure, which contains all attempts. The time of the row is the total of all attempts. */
function triesOf(row: JunitRow, { test, spec }: { test: FoundTest; spec: string }): readonly FoundAttempt[] {
  const [problem, ...others] = failuresOf(row);
  const [first = '', ...retries] = (problem?.text ?? '').split(RETRY);
  const [own] = test.attempts;
  if (!problem || !own || retries.length === 0) return test.attempts;
  const tries = [
    errorIn({ ...problem, text: first }, spec),
    ...retries.map((text) => errorIn(tryOf(problem, text), spec)),
  ];
  return tries.map((error, index) => {
    const isLast = index === tries.length - 1;
    const errors = isLast ? [error, ...others.map((other) => errorIn(other, spec))] : [error];
    return {
      ...own,
      ...(isLast ? {} : { files: [] }),
      errors,
      duration: isLast ? own.duration : 0,
      startedAt: index === 0 ? own.startedAt : null,
    };
  });
}

const tryOf = (problem: JunitProblem, text: string): JunitProblem => ({ ...problem, message: null, type: '', text });
