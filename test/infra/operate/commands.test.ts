/** What the commands for operators refuse before they change anything. `npm run test:deploy` tests their effects. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadHandler } from '#infra/local/lambda/function-runtime.ts';
import { deployedBundles } from '#test/harness/assemblies.ts';
import { endOf, run, start } from '#test/infra/local/child.ts';
import { CONTEXT } from '#test/infra/local/lambda-context.ts';

const ROLLBACK = ['npm run rollback', 'infra/operate/roll-back.ts'] as const;
const RESTORE = ['npm run restore', 'infra/operate/restore.ts'] as const;

test.each([
  [ROLLBACK, ['--env', 'production'], '--env must be dev, staging or prod'],
  [ROLLBACK, ['--env', 'prod', '--to', 'HEAD'], 'Add --yes to continue without confirmation'],
  [
    ROLLBACK,
    ['--env', 'dev', '--to', 'no-such-commit', '--yes'],
    'no-such-commit is neither a commit nor a tag of this repository',
  ],
  [RESTORE, ['--colour'], "Unknown option '--colour'"],
  [RESTORE, ['--env', 'prod', '--at', '2026-11-20 10:00'], '--at must be a time with a time zone'],
  [
    RESTORE,
    ['--env', 'prod', '--at', '2026-11-20T10:00:00Z', '--table', 'rundown-dev-restored'],
    '--table must begin with rundown-prod-',
  ],
])('Wrong arguments are refused with the problem and the usage: %s %j', async ([name, file], words, problem) => {
  const { status, output } = await run([file, ...words]);
  expect({ status, output }).toEqual({ status: 2, output: expect.stringContaining(`Usage: ${name}`) });
  expect(output).toContain(problem);
  expect(output).not.toMatch(/\n +at /);
});

test('npm run stack names the source files in a stack of a deployed bundle', async () => {
  const failure = Promise.withResolvers<string>();
  const directory = join(await deployedBundles(), 'list-projects');
  const output = { onLog: () => {}, onFault: failure.resolve };
  // The table is at an address where nothing listens, and the request lacks everything.
  const handler = loadHandler({ directory, handler: 'index.handler', environment: {} }, output);
  await Promise.resolve(handler({}, CONTEXT)).catch(({ stack }) => failure.resolve(stack));
  const stack = await failure.promise;
  expect(stack).toMatch(/\/index\.js:\d+:\d+/);
  const child = start(['infra/operate/read-stack.ts', '--function', 'rundown-prod-listProjects', '--commit', 'none']);
  child.stdin?.end(stack);
  const { status, output: text } = await endOf(child);
  expect({ status, text }).toEqual({
    status: 0,
    text: expect.stringMatching(/shared\/platform\/endpoint\.ts:\d+:\d+/),
  });
  expect(text).not.toContain('list-projects/index.js:');
});
