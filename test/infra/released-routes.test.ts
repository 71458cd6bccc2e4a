/**
 * Routes in an update from the last release and in a roll back to it. The functions change minutes before the routes in
 * both directions: first old routes call new functions, then new routes call old functions.
 */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { type DeclaredFunctions, loadFunctions } from '#infra/build/declarations.ts';
import { buildRouteGuards, type ReleasedRoutes, readReleasedRoutes } from '#infra/build/route-guards.ts';
import { listRoutes, recordRoutes } from '#infra/release/record-routes.ts';
import { isGreedy } from '#shared/platform/declared-path.ts';
import { temporaryFolder } from './local/child.ts';

let functions: DeclaredFunctions;
let releases: ReleasedRoutes[];
let current: ReleasedRoutes;
beforeAll(async () => {
  functions = await loadFunctions();
  releases = await readReleasedRoutes();
  current = listRoutes(functions);
});

/** Routes that, for as long as the routes are those of `from`, call a function of `to` that does not know them. */
function listGaps(from: ReleasedRoutes, to: ReleasedRoutes, isServed: (route: string) => boolean): string[] {
  const names = new Set(Object.values(to).map(({ functionName }) => functionName));
  return Object.entries(from).flatMap(([route, { functionName }]) => {
    const isKnown = !names.has(functionName) || to[route]?.functionName === functionName || isServed(route);
    return isKnown ? [] : [`${route} calls ${functionName}`];
  });
}

/** Pages and forms that greedy routes serve are no routes, but their functions know their paths. */
const isPageOrForm = (route: string): boolean =>
  functions.pageFunctions.some(({ pages }) =>
    pages.some(({ declaration: { method, path } }) => route === `${method} ${path}`),
  );

/** Whether requests of the release before reach the route. Other routes are new, so nobody calls them yet. */
function isCalled(route: string, released: ReleasedRoutes): boolean {
  const [method = '', path = ''] = route.split(' ');
  const withoutNames = (text: string) => text.replaceAll(/\{\w+\}/g, '{}');
  return Object.keys(released).some((one) => {
    const [ownMethod = '', ownPath = ''] = one.split(' ');
    if (ownMethod !== method) return false;
    const base = path.slice(0, path.lastIndexOf('/') + 1);
    return isGreedy(path) ? ownPath.startsWith(base) : withoutNames(ownPath) === withoutNames(path);
  });
}

const listUpdateGaps = (released: ReleasedRoutes): string[] => listGaps(released, current, isPageOrForm);

const listRollBackGaps = (released: ReleasedRoutes, routes: ReleasedRoutes = current): string[] =>
  listGaps(routes, released, (route) => !isCalled(route, released));

describe('The routes of the last release', () => {
  test('The authorizer knows them all, with the guard that they had', () => {
    expect(releases.length).toBeGreaterThan(0);
    const guards = buildRouteGuards(functions, releases);
    const unknown = releases.flatMap((released) =>
      Object.entries(released).flatMap(([route, { guard }]) => (guard && !guards[route] ? [route] : [])),
    );
    expect(unknown).toEqual([]);
    for (const [route, { guard }] of Object.entries(current)) expect(guards[route]).toEqual(guard);
  });

  test('The authorizer still guards a route that this version no longer has, and takes the guard of this version where both have one', () => {
    const removed = { functionName: 'getOld', guard: { action: 'results:read', resource: 'api' } } as const;
    const loose = { functionName: 'deleteRun', guard: { action: 'results:read', resource: 'api' } } as const;
    const guards = buildRouteGuards(functions, [{ 'GET /v1/old': removed, 'DELETE /v1/runs/{runId}': loose }]);
    expect(guards['GET /v1/old']).toEqual(removed.guard);
    expect(guards['DELETE /v1/runs/{runId}']).toEqual(current['DELETE /v1/runs/{runId}']?.guard);
    expect(guards['DELETE /v1/runs/{runId}']).not.toEqual(loose.guard);
    expect(guards).not.toHaveProperty(['GET /v1/health']);
  });

  test('In an update, each of them calls a function that serves it: in this version, or of the release because this version has none of its name', () => {
    expect(releases.flatMap(listUpdateGaps)).toEqual([]);
  });

  test('In a roll back, each route of this version that replaces one of them calls a function that the release does not have, or that serves it there', () => {
    expect(releases.flatMap((released) => listRollBackGaps(released))).toEqual([]);
  });

  test.each([
    ['a function that lost a route', { 'GET /v1/lost': { functionName: 'getRun' } }, ['GET /v1/lost calls getRun']],
    ['a function that is gone', { 'GET /v1/lost': { functionName: 'getOld' } }, []],
    [
      'a page below a greedy route',
      { 'GET /{organizationId}/{projectId}/runs/{runId}/live': { functionName: 'showPages' } },
      [],
    ],
  ])('The check of an update judges %s', (_, released, gaps) => {
    expect(listUpdateGaps(released)).toEqual(gaps);
  });

  test.each([
    ['the earlier function of a greedy route', 'GET /{a}/runs', 'GET /{a}/{path+}', ['GET /{a}/{path+} calls pages']],
    ['another method below a greedy route', 'POST /{a}/runs', 'GET /{a}/{path+}', []],
    ['the same route', 'GET /{a}/runs', 'GET /{a}/runs', []],
    ['another name of a parameter', 'GET /{a}/runs', 'GET /{b}/runs', ['GET /{b}/runs calls pages']],
    ['a new route', 'GET /{a}/runs', 'GET /{a}/flows', []],
  ])('The check of a roll back judges %s', (_, earlier, later, gaps) => {
    const pages = { functionName: 'pages' };
    expect(listRollBackGaps({ [earlier]: pages }, { [later]: pages })).toEqual(gaps);
  });

  test('A recorded action that no longer exists fails the build', async () => {
    const folder = await temporaryFolder();
    const guard = { action: 'runs:fly', resource: 'api' };
    await writeFile(join(folder, '1.0.0.json'), JSON.stringify({ 'GET /v1/fly': { functionName: 'fly', guard } }));
    await expect(readReleasedRoutes(folder)).rejects.toThrow('is no action any more');
  });
});

test('A release records its routes beside those of the release before, and forgets older ones', async () => {
  const folder = await temporaryFolder();
  for (const name of ['0.9.0.json', '0.10.0.json', '0.11.0.json']) await writeFile(join(folder, name), '{}');
  await recordRoutes(folder, '0.11.0', functions);
  expect((await readdir(folder)).sort()).toEqual(['0.10.0.json', '0.11.0.json']);
  expect(JSON.parse(await readFile(join(folder, '0.11.0.json'), 'utf8'))).toEqual(JSON.parse(JSON.stringify(current)));
  expect(await readReleasedRoutes(folder)).toHaveLength(2);
});
