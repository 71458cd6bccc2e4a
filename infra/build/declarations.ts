/**
 * Finds the declarations by scanning `functions/`. Each file becomes a function with its triggers, except that the
 * pages and forms of a folder share one function.
 */
import { join } from 'node:path';
import type { ConsumerDeclaration } from '#shared/platform/consumer.ts';
import type { Declaration } from '#shared/platform/declaration.ts';
import type { RoutesDeclaration } from '#shared/platform/routes.ts';
import type { ScheduleDeclaration } from '#shared/platform/schedule.ts';
import type { StreamDeclaration } from '#shared/platform/stream.ts';
import {
  exportedFrom,
  isConsumer,
  isEndpoint,
  isRoutes,
  isSchedule,
  isStream,
  refuseMixedFolders,
} from './exported-handlers.ts';
import { type DeclaredPage, isPage, type PageFunction, pageFunctionsOf } from './page-functions.ts';
import { timetable } from './schedule-expression.ts';

export interface DeclaredEndpoint {
  /** The path from the project's root, for example `functions/api/get-health.ts`. */
  readonly file: string;
  /**
   * The folder below `functions/`, for example `api`. Endpoints of one folder share a nested stack and an OpenAPI tag.
   */
  readonly area: string;
  readonly declaration: Declaration;
}

export interface DeclaredConsumer {
  /** The path from the project's root, for example `functions/queues/confirm-artifact.ts`. */
  readonly file: string;
  readonly declaration: ConsumerDeclaration;
}

export interface DeclaredSchedule {
  /** The path from the project's root, for example `functions/schedules/clean-up-tokens.ts`. */
  readonly file: string;
  readonly declaration: ScheduleDeclaration;
}

export interface DeclaredStream {
  /** The path from the project's root, for example `functions/streams/relay-outbox.ts`. */
  readonly file: string;
  readonly declaration: StreamDeclaration;
}

/** A function that handles several routes itself, such as the authorization server. */
export interface DeclaredRoutes {
  /** The path from the project's root, for example `functions/oauth/authorization-server.ts`. */
  readonly file: string;
  /** The folder below `functions/`. */
  readonly folder: string;
  readonly declaration: RoutesDeclaration;
}

export interface DeclaredFunctions {
  readonly endpoints: readonly DeclaredEndpoint[];
  readonly routeFunctions: readonly DeclaredRoutes[];
  readonly pageFunctions: readonly PageFunction[];
  readonly consumers: readonly DeclaredConsumer[];
  readonly schedules: readonly DeclaredSchedule[];
  readonly streams: readonly DeclaredStream[];
}

export const PROJECT = join(import.meta.dirname, '../..');

/** All functions except the authorizer, sorted by file name. Throws on the first invalid file. */
export async function loadFunctions(project: string = PROJECT): Promise<DeclaredFunctions> {
  const all = await exportedFrom(project);
  refuseMixedFolders(all);
  const endpoints = all.flatMap(({ file, folder, handler }) =>
    isEndpoint(handler) ? [{ file, area: folder, declaration: handler.declaration }] : [],
  );
  const pages = all.flatMap(({ file, folder, handler }) =>
    isPage(handler) ? [{ file, folder, declaration: handler.declaration }] : [],
  );
  const routeFunctions = all.flatMap(({ file, folder, handler }) =>
    isRoutes(handler) ? [{ file, folder, declaration: handler.routes }] : [],
  );
  const consumers = all.flatMap(({ file, handler }) =>
    isConsumer(handler) ? [{ file, declaration: handler.consumer }] : [],
  );
  const schedules = all.flatMap(({ file, handler }) =>
    isSchedule(handler) ? [{ file, declaration: handler.schedule }] : [],
  );
  const streams = all.flatMap(({ file, handler }) =>
    isStream(handler) ? [{ file, declaration: handler.stream }] : [],
  );
  for (const { file, declaration } of schedules) refuseUnintelligible(file, declaration.expression);
  refuseWrongNames([...endpoints, ...pages], [...routeFunctions, ...consumers, ...schedules, ...streams]);
  refuseRivalRoutes([...endpoints, ...endpoints.flatMap(aliasOf), ...pages, ...routeFunctions.flatMap(eachRoute)]);
  // Each source sends its messages to one queue, which has one consumer.
  refuseDuplicates(consumers, ({ declaration }) => `the source ${declaration.source}`);
  return { endpoints, routeFunctions, pageFunctions: pageFunctionsOf(pages), consumers, schedules, streams };
}

const aliasOf = ({ file, declaration: { method, alias } }: DeclaredEndpoint): Routed[] =>
  alias === undefined ? [] : [{ file, declaration: { method, path: alias } }];

const eachRoute = ({ file, declaration }: DeclaredRoutes) =>
  declaration.routes.map((route) => ({ file, declaration: route }));

/** All endpoints, sorted by file name. */
export const loadDeclarations = async (): Promise<readonly DeclaredEndpoint[]> => (await loadFunctions()).endpoints;

/** A route of an endpoint, a page or a function with several routes. */
interface Routed {
  readonly file: string;
  readonly declaration: { readonly method: string; readonly path: string };
}

type Operation = DeclaredEndpoint | DeclaredPage;
type Named = DeclaredRoutes | DeclaredConsumer | DeclaredSchedule | DeclaredStream;

function refuseWrongNames(endpoints: readonly Operation[], others: readonly Named[]): void {
  const names = [
    ...endpoints.map(({ file, declaration }) => ({ file, name: declaration.operationId })),
    ...others.map(({ file, declaration }) => ({ file, name: declaration.name })),
  ];
  for (const { file, name } of names) refuseOtherName(file, name);
  refuseDuplicates(names, ({ name }) => `the name ${name}`);
}

function refuseRivalRoutes(endpoints: readonly Routed[]): void {
  refuseDuplicates(endpoints, ({ declaration }) => `the route ${declaration.method} ${declaration.path}`);
  refuseRivalParameters(endpoints);
  for (const { file, declaration } of endpoints) {
    if (/\+\}./.test(declaration.path))
      throw new Error(`${file}: ${declaration.path} continues after a greedy parameter: move the parameter to the end`);
  }
}

function refuseUnintelligible(file: string, expression: string): void {
  try {
    timetable(expression);
  } catch (error) {
    throw new Error(`${file}: ${error instanceof Error ? error.message : error}`, { cause: error });
  }
}

function refuseOtherName(file: string, name: string): void {
  const expected = `${kebabCase(name)}.${file.endsWith('.tsx') ? 'tsx' : 'ts'}`;
  if (!file.endsWith(`/${expected}`)) throw new Error(`${file} declares ${name}: rename the file to ${expected}`);
}

const kebabCase = (camelCase: string): string => camelCase.replace(/[A-Z]/g, (capital) => `-${capital.toLowerCase()}`);

function refuseDuplicates<Declared extends { readonly file: string }>(
  all: readonly Declared[],
  nameOf: (declared: Declared) => string,
): void {
  const seen = new Map<string, string>();
  for (const declared of all) {
    const name = nameOf(declared);
    const earlier = seen.get(name);
    if (earlier !== undefined) throw new Error(`${earlier} and ${declared.file} both declare ${name}: change one`);
    seen.set(name, declared.file);
  }
}

/**
 * API Gateway allows only one parameter name at each position of a path. Without this check, `/runs/{runId}` next to
 * `/runs/{id}/tests` would fail only at deployment.
 */
function refuseRivalParameters(all: readonly Routed[]): void {
  const parameterAt = new Map<string, string>();
  for (const { file, declaration } of all) {
    for (const match of declaration.path.matchAll(/\{[^{}]+\}/g)) {
      const place = declaration.path.slice(0, match.index);
      const [parameter] = match;
      const rival = parameterAt.get(place) ?? parameter;
      if (rival !== parameter)
        throw new Error(
          `${file} declares a path that begins with ${place}${parameter}, but another path begins with ${place}${rival}: use the same parameter in both`,
        );
      parameterAt.set(place, parameter);
    }
  }
}
