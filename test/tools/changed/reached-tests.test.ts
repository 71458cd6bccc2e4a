import { describe, expect, test } from 'vitest';
import type { Source } from '#test/harness/sources.ts';
import { findReachedTests } from './reached-tests.ts';

const FILES: Readonly<Record<string, readonly string[]>> = {
  'shared/pure.ts': [],
  'shared/list.ts': ['shared/pure.ts'],
  'shared/page.tsx': [],
  'functions/authorizer.ts': ['shared/access.ts'],
  'shared/access.ts': [],
  'functions/api/list-runs.ts': ['shared/list.ts'],
  'functions/pages/runs.tsx': ['shared/page.tsx'],
  'test/harness/service.ts': ['infra/local/service.ts'],
  'test/harness/world.ts': ['test/harness/service.ts'],
  'test/pure.test.ts': ['shared/pure.ts'],
  'test/lists.test.ts': ['test/harness/world.ts'],
  'test/forms.test.ts': ['test/harness/service.ts'],
  'test/new.test.ts': ['test/harness/service.ts'],
  'test/program.test.ts': [],
  'test/readme.test.ts': [],
};
const TEXTS: Readonly<Record<string, string>> = {
  'test/program.test.ts': "import { spawn } from 'node:child_process';",
  'test/readme.test.ts': "readFile('README.md')",
};
const sources: Source[] = Object.entries(FILES).map(([file, imports]) => ({ file, imports, text: TEXTS[file] ?? '' }));
const ALL = Object.keys(FILES).filter((file) => file.endsWith('.test.ts'));

/** The functions that test files called when they last ran. `test/new.test.ts` has not run yet. */
const calls = new Map([
  ['test/lists.test.ts', ['list-runs']],
  ['test/forms.test.ts', ['forms']],
]);

describe('npm run test:changed', () => {
  test.each([
    ['a file that a test imports and a called function uses', 'shared/pure.ts', ['pure', 'lists', 'new', 'program']],
    ['a page of a called function', 'shared/page.tsx', ['forms', 'new', 'program']],
    ['what the authorizer uses', 'shared/access.ts', ['lists', 'forms', 'new', 'program']],
    ['a helper of tests', 'test/harness/world.ts', ['lists']],
    ['a test', 'test/pure.test.ts', ['pure']],
    ['a style sheet', 'shared/pages/assets/1.css', ['lists', 'forms', 'new', 'program']],
    ['a document that a test reads', 'README.md', ['readme']],
    ['a deleted file', 'shared/deleted.ts', ['new', 'program']],
    ['nothing that a test reaches', 'LICENSE', []],
  ])('After a change of %s, the tests run that it reaches', (_, changed, names) => {
    const reached = findReachedTests([changed], { sources, calls });
    expect(reached).toEqual(ALL.filter((file) => names.some((name) => file === `test/${name}.test.ts`)));
  });

  test.each(['package-lock.json', 'test/vitest.config.ts', 'infra/local/service.ts'])(
    'After a change of %s, which may change the result of any test, all tests run',
    (changed) => {
      expect(findReachedTests([changed], { sources, calls })).toEqual(ALL);
    },
  );
});
