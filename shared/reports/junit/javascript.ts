/** The JUnit dialects of Vitest, Jest, mocha and node:test. */

import type { FoundTest } from '#shared/reports/found.ts';
import { hookTitle, specPath } from '#shared/reports/paths.ts';
import type { Dialect, Sample } from './dialect.ts';
import { foundTest, type JunitEnding, plainEnding } from './found-row.ts';
import { fileOf, rowClassOf, rowNameOf } from './generic.ts';
import { type JunitRow, junitAttribute, skipOf, suitesOf } from './row.ts';

/**
 * Vitest reports a failing hook as a row that has the name of its suite. The tests that the hook prevented look like
 * tests that were skipped on purpose. Drops the rows of hooks, and marks the prevented tests as skipped with the error
 * of the hook.
 */
function blameHooks(tests: readonly FoundTest[]): readonly FoundTest[] {
  const suites = new Map<string, FoundTest[]>();
  for (const test of tests) {
    if (test.outcome !== 'pending') continue;
    for (const suite of new Set(test.title.slice(0, -1))) append(suites, keyOf(test, suite), test);
  }
  const blamed = new Map<FoundTest, FoundTest>();
  const hooks = new Set<FoundTest>();
  for (const test of tests) {
    const [name = ''] = test.title;
    const stopped = test.title.length === 1 && test.outcome === 'failed' ? suites.get(keyOf(test, name)) : undefined;
    if (!stopped) continue;
    hooks.add(test);
    for (const one of stopped) blamed.set(one, stoppedBy(test, one));
  }
  return hooks.size === 0 ? tests : tests.flatMap((test) => (hooks.has(test) ? [] : (blamed.get(test) ?? test)));
}

const keyOf = ({ spec }: FoundTest, suite: string): string => JSON.stringify([spec, suite]);

function append(suites: Map<string, FoundTest[]>, key: string, test: FoundTest): void {
  const known = suites.get(key);
  if (known) known.push(test);
  else suites.set(key, [test]);
}

function stoppedBy(hook: FoundTest, test: FoundTest): FoundTest {
  const errors = hook.attempts.at(-1)?.errors ?? [];
  return {
    ...test,
    outcome: 'skipped',
    expectedStatus: 'passed',
    attempts: test.attempts.map((attempt) => ({ ...attempt, state: 'skipped', errors })),
  };
}

/**
 * With `reportTestSuiteErrors`, jest-junit writes two testcase elements for a file that cannot be run: an error and a
 * failure. Both have this class, and the path of the file as their name.
 */
const BROKEN_FILE = 'Test suite failed to run';

/**
 * Merges the two testcase elements of a file that cannot be run. Keeps the first, which contains the error as text, and
 * drops the second, which contains the same error as JSON.
 */
function mergeBrokenFiles(tests: readonly FoundTest[]): readonly FoundTest[] {
  const seen = new Set<string>();
  return tests.filter(({ title, spec }) => {
    if (title[0] !== BROKEN_FILE) return true;
    const isFirst = !seen.has(spec);
    seen.add(spec);
    return isFirst;
  });
}

/** Whether any suite has exactly these attributes in this order. Some tools can be recognized only by the order. */
export const hasOrder = ({ suites }: Sample, names: string): boolean =>
  suites.some(({ attributes }) => [...attributes.keys()].join(' ') === names);

const VITEST: Dialect = {
  name: 'vitest',
  framework: 'vitest',
  sameName: 'numbered',
  matches: ({ roots, rows }) =>
    roots.some(
      ({ element, attributes }) => element === 'testsuites' && attributes.has('time') && attributes.has('errors'),
    ) &&
    rows.length > 0 &&
    rows.every((row) => rowClassOf(row) !== '' && rowClassOf(row) === row.suite?.name),
  read: (row, context) =>
    foundTest(row, context, { spec: specPath(rowClassOf(row), context.root), title: rowNameOf(row).split(' > ') }),
  finish: blameHooks,
};

const JEST: Dialect = {
  name: 'jest-junit',
  framework: 'jest',
  sameName: 'numbered',
  isUtc: true,
  matches: (sample) => hasOrder(sample, 'name errors failures skipped timestamp time tests'),
  read: (row, context) =>
    foundTest(row, context, {
      spec: fileOf(row, context) ?? specPath(row.suite?.name ?? rowClassOf(row), context.root),
      title: [rowClassOf(row) === BROKEN_FILE ? BROKEN_FILE : rowNameOf(row)],
    }),
  finish: mergeBrokenFiles,
};

const isMocha = ({ roots }: Sample, element: string): boolean =>
  roots.some((root) => root.element === element && root.attributes.get('name') === 'Mocha Tests');

const MOCHA_JUNIT: Dialect = {
  name: 'mocha-junit',
  framework: 'mocha',
  sameName: 'numbered',
  isUtc: true,
  matches: (sample) => isMocha(sample, 'testsuites'),
  read: (row, context) => {
    const name = rowNameOf(row);
    const classname = rowClassOf(row);
    return foundTest(row, context, {
      spec: fileOf(row, context) ?? specPath(row.suite?.name ?? '', context.root),
      // An option of the reporter swaps `name` and `classname`. The longer of the two is the full title.
      title: [hookTitle(classname.length > name.length ? classname : name)],
    });
  },
};

const MOCHA_XUNIT: Dialect = {
  name: 'mocha-xunit',
  framework: 'mocha',
  sameName: 'numbered',
  matches: (sample) => isMocha(sample, 'testsuite'),
  read: (row, context) =>
    foundTest(row, context, {
      spec: fileOf(row, context) ?? specPath(rowClassOf(row), context.root),
      title: [rowClassOf(row), hookTitle(rowNameOf(row))],
    }),
};

function nodeEnding(row: JunitRow): JunitEnding {
  if (skipOf(row)?.type === 'todo') return 'pending';
  return row.problems.some(({ type }) => type === 'cancelledByParent') ? 'skipped' : plainEnding(row);
}

const decodeQuotes = (text: string): string => text.replaceAll('&quot;', '"');

const NODE_TEST: Dialect = {
  name: 'node-test',
  framework: 'node:test',
  sameName: 'numbered',
  matches: (sample) =>
    sample.rows.some(({ attributes }) => attributes.has('failure')) ||
    sample.comments.some((text) => /^\s*duration_ms\s/.test(text)) ||
    hasOrder(sample, 'name time disabled errors tests failures skipped timestamp hostname'),
  read: (row, context) =>
    foundTest(row, context, {
      spec: fileOf(row, context) ?? specPath(rowClassOf(row), context.root),
      title: [...suitesOf(row).map(({ name }) => name), junitAttribute(row, 'name')].map(decodeQuotes),
      ending: nodeEnding(row),
    }),
};

export const JAVASCRIPT = { VITEST, JEST, MOCHA_JUNIT, MOCHA_XUNIT, NODE_TEST } as const;
