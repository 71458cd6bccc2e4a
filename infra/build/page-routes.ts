/**
 * The resources of API Gateway for pages and forms. An API has at most 300 resources, so most pages share greedy ones,
 * and their function finds the page by the path.
 */
import { GREEDY_SEGMENT, isPathBelow } from '#shared/platform/declared-path.ts';
import type { PageLambda } from '#shared/platform/page.ts';
import type { PageFunction } from './page-functions.ts';

export interface PageRoute {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly operationId: string;
  /** The name of the function. */
  readonly name: string;
}

interface GreedyArea {
  /** Below this path, every request that no other resource matches goes to the function of its method. */
  readonly base: string;
  readonly GET: PageLambda;
  readonly POST: PageLambda;
}

/**
 * A greedy resource must have no sibling with a parameter, which API Gateway refuses. So there is none below
 * `/{organizationId}`, which has the sibling `/{organizationId}/{projectId}`. From the most specific to the least.
 */
const GREEDY_AREAS: readonly GreedyArea[] = [
  { base: '/sign-in/with', GET: 'provider-sign-in', POST: 'provider-sign-in' },
  { base: '/sign-in/company', GET: 'company-sign-in', POST: 'company-sign-in' },
  { base: '/{organizationId}/{projectId}/settings', GET: 'settings', POST: 'forms' },
  { base: '/{organizationId}/settings/company-sign-in', GET: 'company-settings', POST: 'company-settings' },
  { base: '/{organizationId}/settings', GET: 'settings', POST: 'forms' },
  { base: '/{organizationId}/{projectId}', GET: 'pages', POST: 'forms' },
];

/** `otherPaths`: the paths of endpoints and of functions with several routes. */
export function listPageRoutes(pageFunctions: readonly PageFunction[], otherPaths: readonly string[]): PageRoute[] {
  const all = pageFunctions.flatMap(({ name, folder, pages }) =>
    pages.map(({ declaration: { method, path, operationId } }) => ({ method, path, operationId, name, folder })),
  );
  const needsResource = ({ method, path, folder }: (typeof all)[number]) => findArea(path)?.[method] !== folder;
  const resources = new Set(
    [...otherPaths, ...all.filter(needsResource).map(({ path }) => path)].flatMap(listResources),
  );
  // A page whose path is a resource anyway gets its method there. Nothing then depends on which resource matches.
  const ownRoutes = all.filter((page) => needsResource(page) || resources.has(page.path));
  const names = new Map(pageFunctions.map(({ name, folder }) => [folder, name]));
  const greedyRoutes = GREEDY_AREAS.flatMap((area) =>
    (['GET', 'POST'] as const).flatMap((method) => {
      const name = names.get(area[method]);
      return name === undefined ? [] : [{ method, path: `${area.base}/${GREEDY_SEGMENT}`, name }];
    }),
  );
  return [
    ...ownRoutes.map(({ method, path, operationId, name }) => ({ method, path, operationId, name })),
    ...greedyRoutes.map((route, index) => ({ ...route, operationId: `${route.name}Greedy${index + 1}` })),
  ];
}

const findArea = (path: string): GreedyArea | undefined => GREEDY_AREAS.find(({ base }) => isPathBelow(path, base));

/** The resources of a path: one per segment. */
const listResources = (path: string): string[] =>
  path
    .split('/')
    .slice(1)
    .map((_, index, segments) => `/${segments.slice(0, index + 1).join('/')}`);
