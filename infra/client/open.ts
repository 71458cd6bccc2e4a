/** `rundown open`: opens the page of a run. */
import { spawn } from 'node:child_process';
import { CommandFailure } from './failure.ts';
import type { EnvironmentVariables, Given } from './options.ts';
import { chosenRunId, runPageUrl } from './runs.ts';
import { serviceOf } from './service.ts';

const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ['open'],
  win32: ['explorer.exe'],
};

export async function open(given: Given, environment: EnvironmentVariables): Promise<string> {
  const service = serviceOf(given);
  const runUrl = await runPageUrl(service, await chosenRunId(service, given, environment));
  if (given.has('json')) return JSON.stringify({ runUrl });
  if (!/^https?:\/\//.test(runUrl)) throw new CommandFailure(`${runUrl} is not a web address`, 'Check RUNDOWN_URL');
  const [program, ...args] = OPENERS[process.platform] ?? ['xdg-open'];
  // On a machine without a browser, the command only shows the address.
  spawn(program, [...args, runUrl], { stdio: 'ignore', detached: true })
    .on('error', () => {})
    .unref();
  return runUrl;
}
