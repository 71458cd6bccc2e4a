/** All routes of the API, with the function that handles each. */
import type { DeclaredFunctions } from '#infra/build/declarations.ts';
import type { ApiRoute } from '#infra/constructs/api-definition.ts';

export const routesOf = ({ endpoints, routeFunctions, pageFunctions }: DeclaredFunctions): ApiRoute[] => [
  ...endpoints.flatMap(({ declaration: { method, path, alias, operationId, credential } }) => {
    const route = { method, path, operationId, functionName: operationId, isGuarded: credential === 'header' };
    return alias === undefined ? [route] : [route, { ...route, path: alias, operationId: `${operationId}Alias` }];
  }),
  ...routeFunctions.flatMap(({ declaration: { name, routes, credential } }) =>
    routes.map(({ method, path, throttle }, index) => {
      const route = { method, path, operationId: `${name}${index + 1}`, functionName: name };
      return { ...route, isGuarded: credential !== 'none', throttle };
    }),
  ),
  // No authorizer: pages read session cookies instead of credentials, and render errors as pages.
  ...pageFunctions.flatMap(({ name, pages }) =>
    pages.map(({ declaration: { method, path, operationId } }) => {
      return { method, path, operationId, functionName: name, isGuarded: false };
    }),
  ),
];
