/** Playwright's JUnit dialect. Its files mention attempts only in the text of a failure. */
import { limitAnnotations } from '#shared/reports/annotations.ts';
import type { FoundTest } from '#shared/reports/found.ts';
import { toSpecPath, UNNAMED_PROJECT } from '#shared/reports/paths.ts';
import { listTitleTags } from '#shared/reports/tags.ts';
import type { Dialect, JunitEnding } from './dialect.ts';
import { derivePlainEnding, listPropertyAnnotations, toAttemptError } from './found-row.ts';
import { findSkip, type JunitRow, listFailures } from './row.ts';

export const PLAYWRIGHT_DIALECT: Dialect = {
  name: 'playwright',
  sameName: 'kept',
  matches: ({ roots, suites, rows }) =>
    roots.some(({ attributes }) => attributes.has('id') && attributes.has('errors')) &&
    suites.every(({ attributes }) => attributes.has('hostname')) &&
    rows.every((row) => row.classname === row.suite?.name),
  place: (row, root) => {
    const group = row.suite?.attributes.get('hostname') || UNNAMED_PROJECT;
    const { name } = row;
    // An option of the reporter puts the project before the title.
    const title = (name.startsWith(`[${group}] `) ? name.slice(group.length + 3) : name).split(' › ');
    const spec = toSpecPath(row.suite?.name ?? row.classname, root);
    return { group, spec, title, ending: deriveEnding(row), keepsTitle: true };
  },
  complete: (test, row, { title }) => ({
    ...test,
    annotations: limitAnnotations(listPropertyAnnotations(row)),
    tags: listTitleTags(title),
    attempts: splitTries(row, test),
  }),
};

const hasProperty = ({ properties }: JunitRow, ...names: readonly string[]): boolean =>
  properties.some(([name]) => names.includes(name));

/** A skip without a `skip` or `fixme` property was caused by a failed hook, or by an earlier failure in serial mode. */
function deriveEnding(row: JunitRow): JunitEnding {
  const failures = listFailures(row);
  if (failures.length > 0) {
    // A test that is expected to fail may also fail in a way that was not expected, such as a timeout.
    const isPass = failures.some(({ text }) => text.includes(UNEXPECTED_PASS));
    const isError = failures.some(({ kind }) => kind === 'error');
    return hasProperty(row, 'fail') && !isError && isPass ? 'unexpected pass' : 'failed';
  }
  if (findSkip(row)) return hasProperty(row, 'skip', 'fixme') ? 'pending' : 'skipped';
  return hasProperty(row, 'fail') ? 'expected failure' : derivePlainEnding(row);
}

const UNEXPECTED_PASS = 'Expected to fail, but passed.';

const RETRY = /^[ \t]*Retry #\d+ ─+[ \t]*$/m;

/** Splits the text of a failure, which contains all attempts. The time of the row is the total of all attempts. */
function splitTries(row: JunitRow, test: FoundTest): FoundTest['attempts'] {
  const { spec } = test;
  const [problem, ...others] = listFailures(row);
  const [first = '', ...retries] = (problem?.text ?? '').split(RETRY);
  const [attempt] = test.attempts;
  if (!problem || !attempt || retries.length === 0) return test.attempts;
  const tries = [
    toAttemptError({ ...problem, text: first }, spec),
    ...retries.map((text) => toAttemptError({ ...problem, message: null, type: '', text }, spec)),
  ];
  return tries.map((error, index) => {
    const isLast = index === tries.length - 1;
    const errors = isLast ? [error, ...others.map((other) => toAttemptError(other, spec))] : [error];
    return {
      ...attempt,
      ...(isLast ? {} : { files: [] }),
      errors,
      duration: isLast ? attempt.duration : 0,
      startedAt: index === 0 ? attempt.startedAt : null,
    };
  });
}
