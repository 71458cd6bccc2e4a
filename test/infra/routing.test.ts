/**
 * Compares the routes that the local gateway and API Gateway choose, for every declared path with every method. The
 * expected routes follow AWS's documentation and recorded responses of real REST APIs, which
 * infra/local/gateway/routes.ts names.
 */

import { describe, expect, test } from 'vitest';
import { listApiSegments } from '#infra/build/constants.ts';
import { loadFunctions } from '#infra/build/declarations.ts';
import { buildRouteTree, findRoute } from '#infra/local/gateway/routes.ts';
import { listApiRoutes } from '#infra/stacks/api-routes.ts';
import { NO_SUCH_OPERATION_MESSAGE, UNAUTHORIZED_MESSAGE } from '#shared/engine/errors.ts';
import { sampled } from '#test/harness/cases.ts';
import { exchange, textIn } from '#test/harness/client.ts';
import { service } from '#test/harness/service.ts';
import { signedIn } from '#test/harness/visitor.ts';

const functions = await loadFunctions();
const routes = listApiRoutes(functions);
const segments = listApiSegments(functions);
type Declared = (typeof routes)[number];

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
const segmentsOf = (path: string): string[] => path.split('/').slice(1);
const filled = (path: string): string => path.replaceAll(/\{(\w+)\+?\}/g, '$1');
const isOfPages = ({ path }: Declared): boolean => path.startsWith('/{');

/**
 * The path and similar paths: with an unknown child, with a misspelled first segment, and the first segment alone with
 * and without unknown children.
 */
function variants(path: string): string[] {
  const [first = '', ...rest] = segmentsOf(path);
  if (first === '') return [path];
  const misspelled = `/${[`${first}-typo`, ...rest].join('/')}`;
  return [path, `${path}/typo`, misspelled, `/${first}`, `/${first}/typo`, `/${first}/typo/deeper`];
}

/**
 * The path of each page, with the organization replaced by the first segment of an API path. The pages use the first
 * segments of the API paths in turn.
 */
const inTheApi = routes
  .filter(isOfPages)
  .map(({ path }, index) => filled(path).replace(/^\/\w+/, `/${segments[index % segments.length]}`));

const paths = new Set([
  ...routes.flatMap(({ path }) => variants(filled(path))),
  ...inTheApi,
  '/.well-known/oauth-authorization-server/mcp',
]);

/** How specific a declared path segment is. A lower number is more specific. */
const rank = (segment: string): number => (segment.endsWith('+}') ? 2 : segment.startsWith('{') ? 1 : 0);
const order = ({ path }: Declared): string => segmentsOf(path).map(rank).join('');
const pattern = ({ path }: Declared): RegExp =>
  new RegExp(
    `^${path
      .replaceAll('.', '\\.')
      .replaceAll(/\{\w+\+\}/g, '.+')
      .replaceAll(/\{\w+\}/g, '[^/]+')}$`,
  );
const patterns = routes.map((route) => ({ route, matches: pattern(route) }));

/**
 * Finds the route that AWS chooses: of all routes that match method and path, the most specific in the first segment in
 * which they differ.
 */
function routeOnAws(method: string, path: string): Declared | undefined {
  const matching = patterns.filter(({ route, matches }) => route.method === method && matches.test(path));
  return matching.map(({ route }) => route).toSorted((one, other) => (order(one) < order(other) ? -1 : 1))[0];
}

interface Row {
  readonly method: string;
  readonly path: string;
  readonly route: Declared | undefined;
}

const table: readonly Row[] = [...paths].flatMap((path) =>
  METHODS.map((method) => ({ method, path, route: routeOnAws(method, path) })),
);

/** An API path without a route of its own, which the route of a page matches with its organization parameter. */
const isStray = ({ path, route }: Row): boolean =>
  route !== undefined && isOfPages(route) && segments.includes(segmentsOf(path)[0] ?? '');

const named = ({ method, path, route }: Row): string => `${method} ${path}: ${route?.method} ${route?.path}`;
const failed = (error: string): string => JSON.stringify({ status: 'FAILED', error });
const NOTHING = `404 ${failed(NO_SUCH_OPERATION_MESSAGE)}`;
const REFUSED = `401 ${failed(UNAUTHORIZED_MESSAGE)}`;

async function answerTo(origin: string, { method, path }: Row, headers: Readonly<Record<string, string>> = {}) {
  // Uncompressed, because an answer to HEAD names the coding of a body that it does not have.
  const answer = await exchange(method, origin + path, { 'accept-encoding': 'identity', ...headers }, undefined);
  return `${answer.statusCode} ${await textIn(answer)}`;
}

describe('The local gateway', () => {
  test('finds the same route as AWS for all declared, unknown and misspelled paths with every method', () => {
    const tree = buildRouteTree(routes);
    const differing = table.filter(({ method, path, route }) => findRoute(tree, method, path)?.route !== route);
    expect(differing.map(named)).toEqual([]);
    expect(table.length).toBeGreaterThan(3000);
  });

  test('responds like AWS: with 404 for an unknown API route, with 401 for a route that needs a credential, and otherwise with the response of the function', async () => {
    const { origin } = await service();
    const differing: string[] = [];
    // The step of the sample and the number of methods are coprime, so that the sample has all methods.
    for (const row of sampled(table, 8)) {
      const answer = await answerTo(origin, row);
      const nothing = row.method === 'HEAD' ? '404 ' : NOTHING;
      const isRight =
        row.route === undefined || isStray(row)
          ? answer === nothing
          : row.route.isGuarded
            ? answer === REFUSED
            : // An answer to HEAD has no text, by which that of a function differs.
              (row.method === 'HEAD' || answer !== nothing) && !answer.startsWith('5');
      if (!isRight) differing.push(`${named(row)} answered ${answer.slice(0, 200)}`);
    }
    expect(differing).toEqual([]);
  });
});

describe('A path of the API that only a page matches', () => {
  const strays = table.filter(isStray);

  test('The tests include API paths that match only a page, below every first segment of the API', () => {
    expect(new Set(strays.map(({ path }) => segmentsOf(path)[0]))).toEqual(new Set(segments));
  });

  test('An API path that matches only a page gets the 404 of the API, even for a signed-in person or with an encoded first segment', async () => {
    const here = await service();
    const { cookie } = await signedIn(here, 'admin');
    for (const path of ['/v1/typo', '/%761/typo', '/.well-known/oauth-authorization-server/mcp']) {
      const row: Row = { method: 'GET', path, route: undefined };
      expect(await answerTo(here.origin, row, { cookie, accept: 'text/html' })).toBe(NOTHING);
    }
  });
});
