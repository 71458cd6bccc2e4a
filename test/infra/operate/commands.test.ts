/** What the commands of operators refuse before they change anything. `npm run test:deploy` tries the rest. */
import { describe, expect, test } from 'vitest';
import { run } from '#test/infra/local/child.ts';

const PROGRAMS = { 'npm run rollback': 'infra/operate/roll-back.ts' };

describe.each(Object.entries(PROGRAMS))('%s', (name, file) => {
  test.each([
    [['--env', 'production'], '--env must be dev, staging or prod'],
    [['--colour'], "Unknown option '--colour'"],
    [['--env', 'prod'], 'Add --yes to go ahead without a question'],
  ])('refuses %j with its usage, and changes nothing', async (words, problem) => {
    const { status, output } = await run([file, ...words]);
    expect({ status, output }).toEqual({ status: 2, output: expect.stringContaining(`Usage: ${name}`) });
    expect(output).toContain(problem);
    expect(output).not.toMatch(/\n +at /);
  });
});

test('npm run rollback refuses a commit that the repository does not have', async () => {
  const { status, output } = await run([
    PROGRAMS['npm run rollback'],
    '--env',
    'dev',
    '--to',
    'no-such-commit',
    '--yes',
  ]);
  expect(status).toBe(2);
  expect(output).toContain('--to no-such-commit is no commit of this repository');
});
