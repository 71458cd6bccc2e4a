/** The running services of this checkout, so that commands can find them. */

import { mkdir, readdir, rm } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { PROJECT } from '#infra/build/declarations.ts';
import { getDataPath } from './data-directory.ts';
import { parseData, readIfThere, replaceFile } from './json-files.ts';

const RunningService = z.object({
  pid: z.number(),
  project: z.string(),
  dataDirectory: z.string(),
  origin: z.string(),
});
type RunningService = z.infer<typeof RunningService>;

/** One file per running service. Losing one does no harm, because RUNDOWN_DATA can name the data folder instead. */
const getRegisterPath = (): string => join(tmpdir(), `rundown-services-${userInfo().username}`);

/** Registers a running service. Returns a function that removes the entry. */
export async function noteService(dataDirectory: string, origin: string): Promise<() => Promise<void>> {
  await mkdir(getRegisterPath(), { recursive: true, mode: 0o700 });
  const file = join(getRegisterPath(), `${process.pid}.json`);
  await replaceFile(file, { pid: process.pid, project: PROJECT, dataDirectory, origin } satisfies RunningService);
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
  constructor(services: readonly RunningService[]) {
    const command = `npm run ${process.env['npm_lifecycle_event'] ?? 'demo'}`;
    const choices = services.map(
      ({ dataDirectory, origin }) => `  RUNDOWN_DATA=${dataDirectory} ${command}   for ${origin}`,
    );
    super(['Several services are running. Choose one by its data folder:', ...choices].join('\n'));
  }
}

/** The data folder for a command: RUNDOWN_DATA, or else the folder of the only running service, or else `.rundown`. */
export async function findDataFolder(): Promise<string> {
  if (process.env['RUNDOWN_DATA']) return getDataPath();
  const names = await readdir(getRegisterPath()).catch(() => []);
  const texts = await Promise.all(names.map((name) => readIfThere(join(getRegisterPath(), name))));
  const services = texts
    .flatMap((text) => parseData(RunningService, text) ?? [])
    .filter(({ project, pid }) => project === PROJECT && isAlive(pid));
  if (services.length > 1) throw new ChooseService(services);
  return services[0]?.dataDirectory ?? getDataPath();
}
