/** `npm run reset`: deletes all data of the local service. */
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { printLine, runProgram } from '#infra/cli/terminal/terminal.ts';
import { CannotStart } from './host/cannot-start.ts';
import { getDataPath, holdDataDirectory, isDataDirectory } from './host/data-directory.ts';

const USAGE = `Usage: npm run reset

Deletes the data folder of the local service, including its keys: .rundown in this folder, or the folder in RUNDOWN_DATA.`;

const path = getDataPath();

async function reset(): Promise<void> {
  const { help } = parseArgs({ options: { help: { type: 'boolean' } } }).values;
  if (help) return printLine(USAGE);
  if (!existsSync(path)) return printLine(`Nothing to remove: ${path} does not exist.`);
  if (!isDataDirectory(path))
    throw new CannotStart(
      `${path} is not a data folder of Rundown, so nothing was removed. Set RUNDOWN_DATA to the data folder`,
    );
  // The lock makes sure that no service is using the data.
  const directory = await holdDataDirectory(path);
  await rm(path, { recursive: true });
  await directory.release();
  printLine(
    `Removed ${path}. The next "npm start" creates new API keys, and records the demo again unless you pass --empty.`,
  );
}

await runProgram(USAGE, reset, (error) => (error instanceof CannotStart ? error.message : undefined));
