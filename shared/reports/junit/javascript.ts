/** The JUnit dialects of Vitest, Jest, mocha and node:test. */

import type { FoundTest } from '#shared/reports/found.ts';
import { hookTitle, specPath } from '#shared/reports/paths.ts';
import type { Dialect, JunitEnding, Sample } from './dialect.ts';
import { plainEnding, stoppedTest } from './found-row.ts';
import { fileOf } from './generic.ts';
import { type JunitRow, skipOf, suitesOf } from './row.ts';

/**
 * Vitest reports a failing hook as a row that has the name of its suite. The tests that the hook prevented look like
 * tests that were skipped on purpose. Drops the rows of hooks, and marks the prevented tests as skipped with the error
 * of the hook.
 */
function blameHooks(tests: readonly FoundTest[]): readonly FoundTest[] {
  const skipped = tests.filter(({ outcome }) => outcome === 'pending');
  const bySuite = Map.groupBy(
    skipped.flatMap((test) =>
      [...new Set(test.title.slice(0, -1))].map((suite) => ({ suite: keyOf(test, suite), test })),
    ),
    ({ suite }) => suite,
  );
  const blamed = new Map<FoundTest, FoundTest>();
  const hooks = new Set<FoundTest>();
  for (const test of tests) {
    const [name = ''] = test.title;
    const stopped = test.title.length === 1 && test.outcome === 'failed' ? bySuite.get(keyOf(test, name)) : undefined;
    if (!stopped) continue;
    hooks.add(test);
    for (const one of stopped) blamed.set(one.test, stoppedTest(one.test, test.attempts.at(-1)?.errors ?? []));
  }
  return hooks.size === 0 ? tests : tests.flatMap((test) => (hooks.has(test) ? [] : (blamed.get(test) ?? test)));
}

const keyOf = ({ spec }: FoundTest, suite: string): string => JSON.stringify([spec, suite]);

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

/** The browser and the system in WebdriverIO's `chrome.156_0_8078_108.linux`, without the version, which changes often. */
const capabilitiesOf = (text: string): string =>
  text
    .split('.')
    .filter((part) => !/^\d/.test(part))
    .join(' ');

/**
 * WebdriverIO names a browser and its version in each class, and the spec file in a property. Each browser runs all spec
 * files, so it is a group. A repetition of a spec file has a report of its own.
 */
export const WEBDRIVERIO: Dialect = {
  name: 'webdriverio',
  matches: ({ suites }) => suites.some(({ properties }) => properties.has('specId') && properties.has('capabilities')),
  place: (row, root) => {
    const capabilities = row.suite?.properties.get('capabilities') ?? '';
    const file = row.suite?.properties.get('file')?.replace(/^file:\/\/(?=\.)/, '');
    const group = capabilitiesOf(capabilities);
    return {
      spec: specPath(file || row.classname, root),
      title: [...describesOf(row, capabilities), row.name],
      ...(group !== '' && { group }),
    };
  },
};

/** The class is `chrome.156_0.linux.shop_cart.totals`: the describe that is the row's suite comes last. */
function describesOf({ classname, suite }: JunitRow, capabilities: string): string[] {
  const name = suite?.properties.get('suiteName') || suite?.name || '';
  const path = classname.startsWith(`${capabilities}.`) ? classname.slice(capabilities.length + 1) : '';
  const ending = `.${name.replaceAll(/\s/g, '_')}`;
  return path.endsWith(ending) ? [path.slice(0, -ending.length).replaceAll('_', ' '), name] : [name];
}

export const VITEST: Dialect = {
  name: 'vitest',
  matches: ({ roots, rows }) =>
    roots.some(
      ({ element, attributes }) => element === 'testsuites' && attributes.has('time') && attributes.has('errors'),
    ) &&
    rows.length > 0 &&
    rows.every((row) => row.classname !== '' && row.classname === row.suite?.name),
  place: (row, root) => ({ spec: specPath(row.classname, root), title: row.name.split(' > ') }),
  finish: blameHooks,
};

export const JEST: Dialect = {
  name: 'jest-junit',
  framework: 'jest',
  isUtc: true,
  matches: (sample) => hasOrder(sample, 'name errors failures skipped timestamp time tests'),
  place: (row, root) => ({
    spec: fileOf(row, root) ?? specPath(row.suite?.name ?? row.classname, root),
    title: [row.classname === BROKEN_FILE ? BROKEN_FILE : row.name],
  }),
  finish: mergeBrokenFiles,
};

const isMocha = ({ roots }: Sample, element: string): boolean =>
  roots.some((root) => root.element === element && root.attributes.get('name') === 'Mocha Tests');

export const MOCHA_JUNIT: Dialect = {
  name: 'mocha-junit',
  framework: 'mocha',
  isUtc: true,
  matches: (sample) => isMocha(sample, 'testsuites'),
  place: (row, root) => ({
    spec: fileOf(row, root) ?? specPath(row.suite?.name ?? '', root),
    // An option of the reporter swaps `name` and `classname`. The longer of the two is the full title.
    title: [hookTitle(row.classname.length > row.name.length ? row.classname : row.name)],
  }),
};

export const MOCHA_XUNIT: Dialect = {
  name: 'mocha-xunit',
  framework: 'mocha',
  matches: (sample) => isMocha(sample, 'testsuite'),
  place: (row, root) => ({
    spec: fileOf(row, root) ?? specPath(row.classname, root),
    title: [row.classname, hookTitle(row.name)],
  }),
};

function nodeEnding(row: JunitRow): JunitEnding {
  if (skipOf(row)?.type === 'todo') return 'pending';
  return row.problems.some(({ type }) => type === 'cancelledByParent') ? 'skipped' : plainEnding(row);
}

export const NODE_TEST: Dialect = {
  name: 'node-test',
  framework: 'node:test',
  matches: (sample) =>
    sample.rows.some(({ attributes }) => attributes.has('failure')) ||
    sample.comments.some((text) => /^\s*duration_ms\s/.test(text)) ||
    hasOrder(sample, 'name time disabled errors tests failures skipped timestamp hostname'),
  place: (row, root) => ({
    spec: fileOf(row, root) ?? specPath(row.classname, root),
    title: [...suitesOf(row), row].map(({ name }) => name.replaceAll('&quot;', '"')),
    ending: nodeEnding(row),
  }),
};
