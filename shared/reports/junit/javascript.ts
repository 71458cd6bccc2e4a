/** The JUnit dialects of Vitest, Jest, mocha, node:test, WebdriverIO, Karma, Bun and Deno. */

import { BROKEN_FILE } from '#shared/model/results/broken-file.ts';
import type { FoundTest } from '#shared/reports/found.ts';
import { cleanHookTitle, toForwardSlashes, toSpecPath } from '#shared/reports/paths.ts';
import type { Dialect, JunitEnding, JunitPlace, Sample } from './dialect.ts';
import { derivePlainEnding, markAsSkipped } from './found-row.ts';
import { findSpecFile, isInName, listNestedSuites } from './generic.ts';
import { findSkip, type JunitRow, listSuites } from './row.ts';

/**
 * Vitest reports a failing hook as a row with the name of its suite, and the prevented tests as skipped on purpose.
 * Drops the rows of hooks, and marks the prevented tests as skipped with the error of the hook.
 */
function assignHookErrors(tests: readonly FoundTest[]): readonly FoundTest[] {
  const skippedTests = tests.filter(({ outcome }) => outcome === 'pending');
  const bySuite = Map.groupBy(
    skippedTests.flatMap((test) =>
      [...new Set(test.title.slice(0, -1))].map((suite) => ({ suite: buildSuiteKey(test, suite), test })),
    ),
    ({ suite }) => suite,
  );
  const replacements = new Map<FoundTest, FoundTest>();
  const hooks = new Set<FoundTest>();
  for (const test of tests) {
    const [name = ''] = test.title;
    const preventedTests =
      test.title.length === 1 && test.outcome === 'failed' ? bySuite.get(buildSuiteKey(test, name)) : undefined;
    if (!preventedTests) continue;
    hooks.add(test);
    for (const one of preventedTests)
      replacements.set(one.test, markAsSkipped(one.test, test.attempts.at(-1)?.errors ?? []));
  }
  return hooks.size === 0 ? tests : tests.flatMap((test) => (hooks.has(test) ? [] : (replacements.get(test) ?? test)));
}

const buildSuiteKey = ({ spec }: FoundTest, suite: string): string => JSON.stringify([spec, suite]);

/**
 * With `reportTestSuiteErrors`, jest-junit writes two testcase elements for a file that cannot be run: an error and a
 * failure. Both have this class, and the path of the file as their name.
 */

/** Keeps the first element of such a file, which has the error as text. The second one has the same error as JSON. */
function mergeBrokenFiles(tests: readonly FoundTest[]): readonly FoundTest[] {
  const seenSpecs = new Set<string>();
  return tests.filter(({ title, spec }) => {
    if (title[0] !== BROKEN_FILE.jest) return true;
    const isFirst = !seenSpecs.has(spec);
    seenSpecs.add(spec);
    return isFirst;
  });
}

/** Whether any suite has exactly these attributes in this order. Some tools can be recognized only by the order. */
export const hasOrder = ({ suites }: Sample, names: string): boolean =>
  suites.some(({ attributes }) => [...attributes.keys()].join(' ') === names);

/** The browser and the system in WebdriverIO's `chrome.156_0_8078_108.linux`, without the version, which changes often. */
const parseCapabilities = (text: string): string =>
  text
    .split('.')
    .filter((part) => !/^\d/.test(part))
    .join(' ');

/** Each browser runs all spec files, so it is a group. A repetition of a spec file has a report of its own. */
export const WEBDRIVERIO: Dialect = {
  name: 'webdriverio',
  matches: ({ suites }) => suites.some(({ properties }) => properties.has('specId') && properties.has('capabilities')),
  place: (row, root) => {
    const capabilities = row.suite?.properties.get('capabilities') ?? '';
    const file = row.suite?.properties.get('file')?.replace(/^file:\/\/(?=\.)/, '');
    const group = parseCapabilities(capabilities);
    return {
      spec: toSpecPath(file || row.classname, root),
      title: [...listDescribes(row, capabilities), row.name],
      ...(group !== '' && { group }),
    };
  },
};

/** The class is `chrome.156_0.linux.shop_cart.totals`: the describe that is the row's suite comes last. */
function listDescribes({ classname, suite }: JunitRow, capabilities: string): string[] {
  const name = suite?.properties.get('suiteName') || suite?.name || '';
  const path = classname.startsWith(`${capabilities}.`) ? classname.slice(capabilities.length + 1) : '';
  const ending = `.${name.replaceAll(/\s/g, '_')}`;
  return path.endsWith(ending) ? [path.slice(0, -ending.length).replaceAll('_', ' '), name] : [name];
}

const hasRoot = ({ roots }: Sample, name: string): boolean =>
  roots.some(({ attributes }) => attributes.get('name') === name);

/** Karma writes the browser as `Chrome 156.0.0.0 (Linux x86_64)`. Its version changes often. */
const parseBrowser = (suite: string): string => suite.replaceAll(/ \d[\w.]*/g, '');

/**
 * Karma names a browser and its version in each suite and class, and no spec file: `Chrome_156_0_0_0_(Linux).Cart`. The
 * class ends with the outermost describe. Each browser runs all tests, so it is a group.
 */
export const KARMA: Dialect = {
  name: 'karma',
  matches: ({ suites, rows }) =>
    suites.some(({ properties }) => properties.has('browser.fullName')) ||
    (rows.length > 0 && rows.every((row) => findKarmaClass(row) !== undefined)),
  place: (row, root) => {
    const group = parseBrowser(row.suite?.name ?? '');
    const spec = findSpecFile(row, root) ?? toSpecPath(findKarmaClass(row) ?? row.classname, root);
    return { spec, title: [row.name], ...(group !== '' && { group }) };
  },
};

/** The class without the browser. `undefined` if the class names no browser. */
function findKarmaClass({ classname, suite }: JunitRow): string | undefined {
  if (!suite || !/ \d[\d.]* \([^()]+\)$/.test(suite.name)) return undefined;
  const browser = `${suite.name.replaceAll(/[ .]/g, '_')}.`;
  const at = classname.indexOf(browser);
  return at < 0 ? undefined : classname.slice(0, at) + classname.slice(at + browser.length);
}

/** Bun writes the describes of a class from the inside out. It nests them as suites, too, in the usual order. */
export const BUN: Dialect = {
  name: 'bun',
  matches: (sample) => hasRoot(sample, 'bun test'),
  place: (row, root) => {
    const suites = listNestedSuites(row);
    const describes = suites.length > 0 || row.classname === '' ? suites : row.classname.split(' > ').reverse();
    return {
      spec: findSpecFile(row, root) ?? toSpecPath(row.suite?.name ?? '', root),
      title: [...describes, row.name],
    };
  },
};

export const DENO: Dialect = {
  name: 'deno',
  matches: (sample) => hasRoot(sample, 'deno test'),
  place: placeInScript,
};

function placeInScript(row: JunitRow, root: string | undefined): JunitPlace {
  return { spec: toSpecPath(row.classname, root), title: row.name.split(' > ') };
}

/** Spec files of Vitest. Java reports have classes there, and errors outside tests have a class that is no file. */
const SCRIPT = /\.(?:[cm]?[jt]sx?|vue|svelte|astro|mdx?|feature)$/;

export const VITEST: Dialect = {
  name: 'vitest',
  matches: ({ roots, rows }) =>
    roots.some(
      ({ element, attributes }) => element === 'testsuites' && attributes.has('time') && attributes.has('errors'),
    ) &&
    rows.some(({ classname }) => SCRIPT.test(classname)) &&
    rows.every((row) => row.classname !== '' && row.classname === row.suite?.name),
  place: placeInScript,
  finish: assignHookErrors,
};

/** By default, class and name both contain describes and test. The class counts only if the name has no describes. */
function buildJestTitle(row: JunitRow, file: string): string[] {
  const { classname, name } = row;
  if (classname === BROKEN_FILE.jest) return [BROKEN_FILE.jest];
  if (classname === '' || isInName(classname, name) || isPathEnd(classname, file)) return [name];
  return [...classname.split(' › '), name];
}

const isPathEnd = (text: string, file: string): boolean =>
  text !== '' && `/${file}`.endsWith(`/${toForwardSlashes(text)}`);

export const JEST: Dialect = {
  name: 'jest-junit',
  framework: 'jest',
  isUtc: true,
  matches: (sample) => hasOrder(sample, 'name errors failures skipped timestamp time tests'),
  place: (row, root) => {
    const spec = findSpecFile(row, root) ?? toSpecPath(row.suite?.name ?? row.classname, root);
    return { spec, title: buildJestTitle(row, spec) };
  },
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
    // In reports of Cypress, only the root suite of a spec file names the file. The suites of its tests follow.
    spec: findSpecFile(row, root) ?? toSpecPath(row.suite?.latestFile || row.suite?.name || '', root),
    // An option of the reporter swaps `name` and `classname`. The longer of the two is the full title.
    title: [cleanHookTitle(row.classname.length > row.name.length ? row.classname : row.name)],
  }),
};

export const MOCHA_XUNIT: Dialect = {
  name: 'mocha-xunit',
  framework: 'mocha',
  matches: (sample) => isMocha(sample, 'testsuite'),
  place: (row, root) => ({
    spec: findSpecFile(row, root) ?? toSpecPath(row.classname, root),
    title: [row.classname, cleanHookTitle(row.name)],
  }),
};

function deriveNodeEnding(row: JunitRow): JunitEnding {
  if (findSkip(row)?.type === 'todo') return 'pending';
  return row.problems.some(({ type }) => type === 'cancelledByParent') ? 'skipped' : derivePlainEnding(row);
}

export const NODE_TEST: Dialect = {
  name: 'node-test',
  framework: 'node:test',
  // A test with subtests is a suite in the file, which does not say that it failed.
  readFailures: (comment) => {
    const count = /^\s*fail (\d{1,9})\s*$/.exec(comment)?.[1];
    return count === undefined ? undefined : Number(count);
  },
  matches: (sample) =>
    sample.rows.some(({ attributes }) => attributes.has('failure')) ||
    sample.comments.some((text) => /^\s*duration_ms\s/.test(text)) ||
    hasOrder(sample, 'name time disabled errors tests failures skipped timestamp hostname'),
  place: (row, root) => ({
    spec: findSpecFile(row, root) ?? toSpecPath(row.classname, root),
    title: [...listSuites(row), row].map(({ name }) => name.replaceAll('&quot;', '"')),
    ending: deriveNodeEnding(row),
  }),
};

/** node-tap names the file only in rows of failed tests. The class is the suites around the row, the first is the file. */
export const NODE_TAP: Dialect = {
  name: 'node-tap',
  framework: 'tap',
  // A failed assertion counts for its test, too.
  countsTwice: true,
  matches: (sample) => hasRoot(sample, 'TAP Tests'),
  place: (row, root) => {
    const [file = row.classname, ...tests] = listSuites(row).map(({ name }) => name);
    // A property says that a test was skipped, or is a todo, which may fail.
    const isDeclared = row.properties.some(([name]) => name === 'skip' || name === 'todo');
    return {
      spec: toSpecPath(file, root),
      title: [...tests, row.name],
      ending: isDeclared ? 'pending' : derivePlainEnding(row),
    };
  },
};
