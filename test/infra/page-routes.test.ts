import { beforeAll, describe, expect, test } from 'vitest';
import { type DeclaredFunctions, loadFunctions } from '#infra/build/declarations.ts';
import type { ApiRoute } from '#infra/constructs/api-definition.ts';
import { buildRouteTree, findRoute, type RouteTree } from '#infra/local/gateway/routes.ts';
import { listApiRoutes } from '#infra/stacks/api-routes.ts';
import { findDeclaredPath, isGreedy } from '#shared/platform/declared-path.ts';

let functions: DeclaredFunctions;
let routes: ApiRoute[];
let tree: RouteTree<ApiRoute>;
beforeAll(async () => {
  functions = await loadFunctions();
  routes = listApiRoutes(functions);
  tree = buildRouteTree(routes);
});

const fill = (path: string): string => path.replace(/\{[^}]+\}/g, 'a1');

describe('The routes of pages and forms', () => {
  test('Each page and form is served by its function, also by one that finds the page itself', () => {
    const all = functions.pageFunctions.flatMap(({ name, pages }) =>
      pages.map(({ declaration }) => ({ name, method: declaration.method, path: declaration.path, pages })),
    );
    expect(all.length).toBeGreaterThan(150);
    for (const { name, method, path, pages } of all) {
      const match = findRoute(tree, method, fill(path));
      expect(match?.route.functionName, `${method} ${path}`).toBe(name);
      const { path: resource = '' } = match?.route ?? {};
      if (resource === path || !isGreedy(resource)) expect(resource).toBe(path);
      else {
        const paths = pages.flatMap(({ declaration }) => (declaration.method === method ? [declaration.path] : []));
        expect(findDeclaredPath(paths, resource, match?.pathParameters ?? {})?.path).toBe(path);
      }
    }
  });

  test('A new page below a project needs no resource of its own', () => {
    const count = (from: readonly ApiRoute[]) => new Set(from.map(({ path }) => path)).size;
    const [pages] = functions.pageFunctions.filter(({ folder }) => folder === 'pages');
    const [page] = pages?.pages ?? [];
    if (!pages || !page) throw new Error('No function serves pages');
    const path = '/{organizationId}/{projectId}/new/{newId}/deep';
    const added = { ...page, declaration: { ...page.declaration, operationId: 'showNew', path } };
    const more = { ...pages, pages: [...pages.pages, added] };
    const others = functions.pageFunctions.filter((one) => one !== pages);
    expect(count(listApiRoutes({ ...functions, pageFunctions: [...others, more] }))).toBe(count(routes));
  });
});

describe('The page of a path', () => {
  const PATHS = ['/{a}/runs/new', '/{a}/runs/{runId}', '/{a}/{other}/new', '/{a}/runs/{runId}/live'];
  const find = (path: string) => findDeclaredPath(PATHS, '/{a}/{path+}', { a: 'x', path });

  test.each([
    ['a literal before a parameter', 'runs/new', { path: '/{a}/runs/new', pathParameters: { a: 'x' } }],
    ['a parameter', 'runs/7', { path: '/{a}/runs/{runId}', pathParameters: { a: 'x', runId: '7' } }],
    ['the first literal', 'flows/new', { path: '/{a}/{other}/new', pathParameters: { a: 'x', other: 'flows' } }],
    ['a deeper path', 'runs/7/live', { path: '/{a}/runs/{runId}/live', pathParameters: { a: 'x', runId: '7' } }],
  ])('The path that is declared most exactly is found: %s', (_, path, expected) => {
    expect(find(path)).toEqual(expected);
  });

  test.each(['', 'runs', 'runs/', 'runs//live', 'runs/7/live/', 'runs/7/dead', '__proto__', 'constructor/new/x'])(
    'No page is found for a path that is not declared: "%s"',
    (path) => expect(find(path)).toBeUndefined(),
  );
});
