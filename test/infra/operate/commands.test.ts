/** What the commands for operators refuse before they change anything. `npm run test:deploy` tests their effects. */
import { expect, test } from 'vitest';
import { run } from '#test/infra/local/child.ts';

const ROLLBACK = ['npm run rollback', 'infra/operate/roll-back.ts'] as const;
const RESTORE = ['npm run restore', 'infra/operate/restore.ts'] as const;

test.each([
  [ROLLBACK, ['--env', 'production'], '--env must be dev, staging or prod'],
  [ROLLBACK, ['--env', 'prod'], 'Add --yes to continue without confirmation'],
  [
    ROLLBACK,
    ['--env', 'dev', '--to', 'no-such-commit', '--yes'],
    '--to no-such-commit is not a commit of this repository',
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
