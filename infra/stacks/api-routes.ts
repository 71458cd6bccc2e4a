/** All routes of the API, from the declarations. */
import type { DeclaredFunctions } from '#infra/build/declarations.ts';
import { HEAD_PATHS } from '#infra/build/head-paths.ts';
import { listPageRoutes } from '#infra/build/page-routes.ts';
import type { ApiRoute } from '#infra/constructs/api-definition.ts';

export const answersHead = (method: string, path: string): boolean => method === 'GET' && HEAD_PATHS.includes(path);

export function listApiRoutes(functions: DeclaredFunctions): ApiRoute[] {
  const routes = listDeclaredRoutes(functions);
  const headRoutes = routes
    .filter(({ method, path }) => answersHead(method, path))
    .map((route) => ({ ...route, method: 'HEAD', operationId: `${route.operationId}Head` }));
  return [...routes, ...headRoutes];
}

const listDeclaredRoutes = ({ endpoints, routeFunctions, pageFunctions }: DeclaredFunctions): ApiRoute[] => [
  ...endpoints.flatMap(({ declaration: { method, path, alias, operationId, credential, permission } }) => {
    const isGuarded = credential === 'header';
    const isRecording = permission === 'record';
    const route = { method, path, operationId, functionName: operationId, isGuarded, isRecording };
    return alias === undefined ? [route] : [route, { ...route, path: alias, operationId: `${operationId}Alias` }];
  }),
  ...routeFunctions.flatMap(({ declaration: { name, routes, credential } }) =>
    routes.map(({ method, path, throttle }, index) => {
      const route = { method, path, operationId: `${name}${index + 1}`, functionName: name };
      return { ...route, isGuarded: credential !== 'none', isRecording: false, throttle };
    }),
  ),
  // Pages have no authorizer, because they read session cookies instead of API credentials, and render errors as pages.
  ...listPageRoutes(pageFunctions, [
    ...endpoints.flatMap(({ declaration: { path, alias } }) => (alias === undefined ? [path] : [path, alias])),
    ...routeFunctions.flatMap(({ declaration }) => declaration.routes.map(({ path }) => path)),
  ]).map(({ name, ...route }) => ({ ...route, functionName: name, isGuarded: false, isRecording: false })),
];
