/** A step of `npm run release`: records the routes of this version, for the update to the next one. */

import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { DeclaredFunctions } from '#infra/build/declarations.ts';
import { listDeclaredGuards, type ReleasedRoutes } from '#infra/build/route-guards.ts';
import { listApiRoutes } from '#infra/stacks/api-routes.ts';

/** Removes the routes of all releases but the last one, which may be updated to this version. */
export async function recordRoutes(folder: string, version: string, functions: DeclaredFunctions): Promise<void> {
  await mkdir(folder, { recursive: true });
  const versions = (await readdir(folder)).map((name) => basename(name, '.json')).filter((one) => one !== version);
  const [, ...old] = versions.sort((one, other) => other.localeCompare(one, 'en', { numeric: true }));
  for (const one of old) await rm(join(folder, `${one}.json`));
  await writeFile(join(folder, `${version}.json`), `${JSON.stringify(listRoutes(functions), null, 2)}\n`);
}

export function listRoutes(functions: DeclaredFunctions): ReleasedRoutes {
  const guards = new Map(listDeclaredGuards(functions));
  const routes = listApiRoutes(functions).map(({ method, path, functionName }) => {
    const route = `${method} ${path}`;
    return [route, { functionName, guard: guards.get(route) }] as const;
  });
  return Object.fromEntries(routes.sort(([one], [other]) => (one < other ? -1 : 1)));
}
