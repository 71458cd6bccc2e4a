/** Finds the service of `npm start`, and sends requests to it. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { ChooseService, findDataFolder } from '#infra/local/host/running-services.ts';

/** Thrown if the demo cannot continue. The message tells the user what is wrong and what to do. */
export class CannotShow extends Error {
  override name = 'CannotShow';
}

const Local = z.object({
  baseUrl: z.url(),
  recordUrl: z.url(),
  organizationId: z.string(),
  projects: z.tuple([z.object({ projectId: z.string(), name: z.string() })], z.unknown()),
  apiKeys: z.object({ readWrite: z.string(), readOnly: z.string() }),
});
export type Local = z.infer<typeof Local>;

const START =
  'Run "npm start" in another terminal, wait until it says that it is ready, and try again. ' +
  'RUNDOWN_DATA=<folder> selects a service with another data folder.';

/** Reads local.json. Throws `CannotShow` if the file is missing or damaged, or if the user has to choose a service. */
export async function readLocal(): Promise<Local> {
  const file = join(await chosenFolder(), 'local.json');
  const text = await readFile(file, 'utf8').catch(() => {
    throw new CannotShow(`${file} does not exist, because the service was never started with this folder. ${START}`);
  });
  try {
    return Local.parse(JSON.parse(text));
  } catch {
    throw new CannotShow(`${file} is damaged. Delete it. ${START}`);
  }
}

async function chosenFolder(): Promise<string> {
  try {
    return await findDataFolder();
  } catch (error) {
    throw error instanceof ChooseService ? new CannotShow(error.message) : error;
  }
}

const ANSWER_TIMEOUT_MILLISECONDS = 5000;

export type Ask = <Schema extends z.ZodType>(schema: Schema, path: string, body?: object) => Promise<z.infer<Schema>>;

/**
 * Returns a function that sends a request with the read-only key, and throws `CannotShow` if the request is refused or
 * not answered.
 */
export function asker({ baseUrl, apiKeys }: Local): Ask {
  return async (schema, path, body) => {
    const response = await fetch(`${baseUrl}${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${apiKeys.readOnly}`, 'content-type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
      signal: AbortSignal.timeout(ANSWER_TIMEOUT_MILLISECONDS),
    }).catch(() => {
      throw new CannotShow(`Nothing answers at ${baseUrl}. ${START}`);
    });
    const answered: unknown = await response.json().catch(() => undefined);
    if (response.ok) return schema.parse(answered);
    const { error = `${response.status} ${response.statusText}` } = Failure.safeParse(answered).data ?? {};
    throw new CannotShow(`${baseUrl}${path} refused the request: ${error}`);
  };
}

const Failure = z.object({ error: z.string() });
