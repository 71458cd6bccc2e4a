/** `npm run reset`: deletes all data of the local service. */
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { isUsage, printError, printLine } from '#infra/cli/terminal.ts';
import { CannotStart } from './host/cannot-start.ts';
import { dataPath, holdDataDirectory, isDataDirectory } from './host/data-directory.ts';

const USAGE = `Usage: npm run reset

Removes the folder of the local service's data, with its keys: .rundown in this folder, or as RUNDOWN_DATA says.`;

const path = dataPath();

try {
  const { help } = parseArgs({ options: { help: { type: 'boolean' } } }).values;
  if (help) {
    printLine(USAGE);
  } else if (existsSync(path)) {
    if (!isDataDirectory(path)) throw new CannotStart(`${path} is not a folder of Rundown, so nothing was removed.`);
    // Holds the lock during the deletion, so a running service keeps its data.
    const directory = await holdDataDirectory(path);
    await rm(path, { recursive: true });
    await directory.release();
    printLine(
      `Removed ${path}. The next "npm start" makes new API keys, and records the demo again unless it gets --empty.`,
    );
  } else {
    printLine(`Nothing to remove: there is no ${path}.`);
  }
} catch (error) {
  if (!(error instanceof CannotStart) && !isUsage(error)) throw error;
  printError(isUsage(error) ? `${error.message}\n\n${USAGE}` : error.message);
  process.exitCode = isUsage(error) ? 2 : 1;
}
