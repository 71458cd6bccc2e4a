/**
 * What the authorizer checks, by route. An update changes the authorizer before the routes. So it also knows those of
 * the last releases, which `npm run release` records in `released-routes/`: a route that this version no longer has
 * keeps its guard, and its function, until the end of the update.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import type { TokenResource } from '#shared/access/access-token.ts';
import { ACTIONS } from '#shared/access/actions.ts';
import { type DeclaredFunctions, PROJECT } from './declarations.ts';

/** The action that a credential must allow, and the resource for which an access token must be issued. */
export interface Guard {
  readonly action: string;
  readonly resource: TokenResource;
}

export type Guards = Readonly<Record<string, Guard>>;

export const buildRouteGuards = (functions: DeclaredFunctions, releases: readonly ReleasedRoutes[]): Guards =>
  Object.fromEntries([...releases.flatMap(listReleasedGuards), ...listDeclaredGuards(functions)]);

/** By method and path, such as `GET /v1/runs/{runId}`. */
export type ReleasedRoutes = z.infer<typeof ReleasedRoutes>;

const ReleasedRoutes = z.record(
  z.string(),
  z.strictObject({
    functionName: z.string(),
    guard: z
      .strictObject({
        action: z
          .string()
          .refine((action) => action in ACTIONS, 'is no action any more: keep it until the next release'),
        resource: z.enum(['api', 'mcp']),
      })
      .optional(),
  }),
);

export const RELEASED_ROUTES = join(PROJECT, 'infra/build/released-routes');

/** From the oldest release to the newest one. Each version keeps those of the release before it, and its own. */
export async function readReleasedRoutes(folder: string = RELEASED_ROUTES): Promise<ReleasedRoutes[]> {
  const names = (await readdir(folder)).sort((one, other) => one.localeCompare(other, 'en', { numeric: true }));
  return Promise.all(
    names.map(async (name) => ReleasedRoutes.parse(JSON.parse(await readFile(join(folder, name), 'utf8')))),
  );
}

const listReleasedGuards = (routes: ReleasedRoutes): [string, Guard][] =>
  Object.entries(routes).flatMap(([route, { guard }]) => (guard === undefined ? [] : [[route, guard]]));

export function listDeclaredGuards({ endpoints, routeFunctions }: DeclaredFunctions): [string, Guard][] {
  const ofEndpoints = endpoints.flatMap(({ declaration }): [string, Guard][] => {
    const { method, path, alias = path, permission, credential } = declaration;
    if (credential !== 'header') return [];
    const guard = { action: permission, resource: 'api' } as const;
    return [path, alias].map((at) => [`${method} ${at}`, guard]);
  });
  const ofRoutes = routeFunctions.flatMap(({ declaration: { routes, credential } }): [string, Guard][] =>
    credential === 'none' ? [] : routes.map(({ method, path }) => [`${method} ${path}`, credential]),
  );
  return [...ofEndpoints, ...ofRoutes];
}
