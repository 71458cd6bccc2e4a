/** The running services of this checkout, so that commands can find them. */
import { mkdir, readdir, rm } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { PROJECT } from '#infra/build/declarations.ts';
import { dataPath, parsedJson, readIfThere, replaceFile } from './data-directory.ts';

const Running = z.object({ pid: z.number(), project: z.string(), dataDirectory: z.string(), origin: z.string() });
type Running = z.infer<typeof Running>;

/**
 * The folder with one file per running service. Losing a file does no harm, because RUNDOWN_DATA can name the data
 * folder instead.
 */
const register = (): string => join(tmpdir(), `rundown-services-${userInfo().username}`);

/** Registers a running service. Returns a function that removes the entry. */
export async function noteService(dataDirectory: string, origin: string): Promise<() => Promise<void>> {
  await mkdir(register(), { recursive: true, mode: 0o700 });
  const file = join(register(), `${process.pid}.json`);
  await replaceFile(file, { pid: process.pid, project: PROJECT, dataDirectory, origin } satisfies Running);
  return () => rm(file, { force: true });
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Several services are running, and the command does not say which service to use. */
export class ChooseService extends Error {
  override name = 'ChooseService';
  constructor(running: readonly Running[]) {
    const command = `npm run ${process.env['npm_lifecycle_event'] ?? 'demo'}`;
    const choices = running.map(
      ({ dataDirectory, origin }) => `  RUNDOWN_DATA=${dataDirectory} ${command}   for ${origin}`,
    );
    super(['Several services are running. Choose one by its data folder:', ...choices].join('\n'));
  }
}

/** The data folder for a command: RUNDOWN_DATA, or else the folder of the only running service, or else `.rundown`. */
export async function dataOfService(): Promise<string> {
  if (process.env['RUNDOWN_DATA']) return dataPath();
  const names = await readdir(register()).catch(() => []);
  const texts = await Promise.all(names.map((name) => readIfThere(join(register(), name))));
  const running = texts
    .flatMap((text) => parsedJson(Running, text) ?? [])
    .filter(({ project, pid }) => project === PROJECT && isAlive(pid));
  if (running.length > 1) throw new ChooseService(running);
  return running[0]?.dataDirectory ?? dataPath();
}
