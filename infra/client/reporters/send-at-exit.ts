/**
 * Sends the rest of a recording if the process ends before its reporter could send it: after Ctrl+C, or when the
 * framework or a test calls `process.exit`. Nothing asynchronous runs then, so the `rundown` command sends the spool in
 * a process of its own.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { getErrorMessage } from '../settings/failure.ts';
import type { Settings } from './settings.ts';

/** The folder of the package. `__dirname` exists only in CommonJS modules. */
const PACKAGE_FOLDER = typeof __dirname === 'string' ? __dirname : import.meta.dirname;
const LONGEST_MILLISECONDS = 30_000;

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * When the process exits, calls `stop`, which ends the recording and returns the path of the spool if something is left
 * to send. With `handlesSignals`, this also happens after SIGINT, SIGTERM and SIGHUP, and the signal then ends the
 * process unless the framework handles it. Returns a function that removes the listeners. Call it when the recording
 * has ended.
 */
export function sendAtExit(
  settings: Settings,
  stop: () => string | undefined,
  { handlesSignals = false }: { readonly handlesSignals?: boolean } = {},
): () => void {
  const send = () => {
    try {
      const path = stop();
      if (path !== undefined) sendSpool(settings, path);
    } catch (error) {
      console.error(`Rundown  the results were not sent: ${getErrorMessage(error)}`);
    }
  };
  const die = (signal: NodeJS.Signals) => {
    const isHandled = process.listenerCount(signal) > 1;
    send();
    forget();
    if (!isHandled) process.kill(process.pid, signal);
  };
  const forget = () => {
    process.off('exit', send);
    for (const signal of SIGNALS) process.off(signal, die);
  };
  process.once('exit', send);
  if (handlesSignals) for (const signal of SIGNALS) process.on(signal, die);
  return forget;
}

function sendSpool({ url, project, key = '', organization = '' }: Settings, path: string): void {
  const command = join(PACKAGE_FOLDER, 'rundown.js');
  if (!existsSync(command)) return;
  console.error('Rundown  sending the results before the process ends');
  spawnSync(process.execPath, [command, 'upload', '--spool', path], {
    env: {
      ...process.env,
      RUNDOWN_URL: url,
      RUNDOWN_PROJECT: project,
      RUNDOWN_API_KEY: key,
      RUNDOWN_ORGANIZATION: organization,
    },
    stdio: ['ignore', 'inherit', 'inherit'],
    timeout: LONGEST_MILLISECONDS,
  });
}
