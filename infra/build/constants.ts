/** The constants that are built into the functions, such as `BUILT_VERSION`. */
import { gzipSync } from 'node:zlib';
import { loadServedClients } from '#infra/client/served-clients.ts';
import PACKAGE from '../../package.json' with { type: 'json' };
import { buildAssets, describeStyleSheets, listAssetFiles, listAssetPaths } from './assets.ts';
import type { DeclaredFunctions } from './declarations.ts';
import { GUIDE_FILES, parseGuides } from './guides.ts';
import { openApiDocument } from './openapi.ts';
import { buildRouteGuards, readReleasedRoutes } from './route-guards.ts';
import { buildToolActions, buildToolDefinitions } from './tools.ts';

type Constants = Readonly<Record<string, string>>;

export async function buildConstants(functions: DeclaredFunctions, commit: string | undefined): Promise<Constants> {
  const { endpoints } = functions;
  const { version, packages } = await loadServedClients();
  const constants = {
    BUILT_API_SEGMENTS: listApiSegments(functions),
    BUILT_FRESH_ACTIONS: listFreshActions(functions),
    BUILT_CLIENT_VERSION: version,
    BUILT_CLIENTS: Object.fromEntries([...packages].map(([version, file]) => [version, file.toString('base64')])),
    BUILT_ROUTES: buildRouteGuards(functions, await readReleasedRoutes()),
    BUILT_TOOLS: buildToolDefinitions(endpoints),
    BUILT_TOOL_ACTIONS: buildToolActions(endpoints),
    BUILT_VERSION: PACKAGE.version,
    BUILT_RELEASE: { version: PACKAGE.version, commit },
    BUILT_OPENAPI: compress(openApiDocument(endpoints)),
  };
  return { ...formatConstants(constants), ...readServedFiles() };
}

/** What a person who needs a recent sign-in is about to do, for each page and form that asks for one. */
const listFreshActions = ({ pageFunctions }: DeclaredFunctions): Record<string, string> =>
  Object.fromEntries(
    pageFunctions.flatMap(({ pages }) =>
      pages.flatMap(({ declaration: { operationId, fresh } }) => (fresh === undefined ? [] : [[operationId, fresh]])),
    ),
  );

/** The files from which `readServedFiles` makes its constants. */
export const listServedFiles = (): string[] => [...listAssetFiles(), ...GUIDE_FILES];

export const readServedFiles = (): Constants =>
  formatConstants({
    BUILT_ASSETS: buildAssets(),
    BUILT_ASSET_PATHS: listAssetPaths(),
    BUILT_STYLE_SHEETS: describeStyleSheets(),
    BUILT_GUIDES: compress(parseGuides()),
  });

const formatConstants = (constants: Readonly<Record<string, unknown>>): Constants =>
  Object.fromEntries(Object.entries(constants).map(([name, value]) => [name, JSON.stringify(value)]));

const compress = (value: object): string => gzipSync(JSON.stringify(value)).toString('base64');

/** The first path segments of the API and of other protocols, such as `v1`. They never name an organization. */
export function listApiSegments({ endpoints, routeFunctions }: DeclaredFunctions): string[] {
  const paths = [
    ...endpoints.map(({ declaration }) => declaration.path),
    ...routeFunctions.flatMap(({ declaration }) => declaration.routes.map(({ path }) => path)),
  ];
  return [...new Set(paths.map((path) => path.split('/')[1] ?? ''))];
}
