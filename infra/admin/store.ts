/** Which table is administered: a deployed one by name, else that of the running local service. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { dataPath } from '#infra/local/data-directory.ts';
import { ENVIRONMENT } from '#shared/environment.ts';
import { type Administration, administration } from '#shared/services.ts';
import { UsageError } from './usage.ts';

/** Written by `npm start`: what its functions see. */
const Environment = z.record(z.string(), z.string());

export async function openStore(table: string | undefined): Promise<Administration> {
  if (table) return administration({ ...process.env, [ENVIRONMENT.tableName]: table });
  const environment = await localEnvironment();
  // The SDK finds endpoint and credentials in the environment of its process.
  Object.assign(process.env, environment);
  return administration(environment);
}

async function localEnvironment(): Promise<Record<string, string>> {
  const file = join(dataPath(), 'store.json');
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined) {
    throw new UsageError(
      'No local service has run here. Start one with "npm start", or name a deployed table with --table',
    );
  }
  return Environment.parse(JSON.parse(text));
}
