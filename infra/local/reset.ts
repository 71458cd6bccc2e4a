/** `npm run reset`: removes everything the local service has stored. */
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { CannotStart } from './cannot-start.ts';
import { dataPath, holdDataDirectory, isDataDirectory } from './data-directory.ts';
import { complain, say } from './terminal.ts';

const path = dataPath();

try {
  if (existsSync(path)) {
    if (!isDataDirectory(path)) throw new CannotStart(`${path} is not a folder of Rundown, so nothing was removed.`);
    // Held while it is removed: a service that runs on it keeps it.
    const directory = await holdDataDirectory(path);
    await rm(path, { recursive: true });
    await directory.release();
    say(`Removed ${path}. The next "npm start" begins empty, with new API keys.`);
  } else {
    say(`Nothing to remove: there is no ${path}.`);
  }
} catch (error) {
  if (!(error instanceof CannotStart)) throw error;
  complain(error.message);
  process.exitCode = 1;
}
