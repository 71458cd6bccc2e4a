import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { sampled } from '#test/harness/cases.ts';
import { run, temporaryFolder } from './child.ts';

const COMMANDS = {
  'npm start': 'infra/local/start.ts',
  'npm run reset': 'infra/local/reset.ts',
  'npm run demo': 'test/tools/demo/demo.ts',
  'npm run admin': 'infra/cli/admin.ts',
  'npm run login': 'infra/cli/login/login.ts',
  'npm run tokens:cleanup': 'infra/cli/clean-up-tokens.ts',
};

/**
 * `npm test` tries `--help` with every second command, and an unknown option with the other commands. `npm run
 * test:deep` tries both with each command.
 */
const isTried = (command: number, option: number) => sampled([0, 1], 2, command).includes(option);

describe.each(Object.entries(COMMANDS).map((row, index) => [...row, index] as const))('%s', (name, file, index) => {
  test.runIf(isTried(index, 0))('The command prints its usage with --help, and writes no data', async () => {
    const folder = join(await temporaryFolder(), 'data');
    await mkdir(folder);
    await writeFile(join(folder, 'lock.db'), '');
    const { status, output } = await run([file, '--help'], { RUNDOWN_DATA: folder });
    expect({ status, output }).toEqual({ status: 0, output: expect.stringContaining(`Usage: ${name}`) });
    expect(output).toContain('RUNDOWN_DATA');
    expect(await readdir(folder)).toEqual(['lock.db']);
  });

  test.runIf(isTried(index, 1))(
    'The command refuses an unknown option, prints its usage, and writes no data',
    async () => {
      const folder = join(await temporaryFolder(), 'data');
      await mkdir(folder);
      await writeFile(join(folder, 'lock.db'), '');
      const { status, output } = await run([file, '--colour'], { RUNDOWN_DATA: folder });
      expect({ status, output }).toEqual({ status: 2, output: expect.stringContaining(`Usage: ${name}`) });
      expect(output).toContain("Unknown option '--colour'");
      expect(output).not.toMatch(/\n +at /);
      expect(await readdir(folder)).toEqual(['lock.db']);
    },
  );
});
