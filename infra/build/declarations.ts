/**
 * Finds the declarations by scanning `functions/`. Each file becomes a function with its triggers, except in
 * `functions/pages/`: a file declares all pages and forms of its subject, and each names the function that serves it.
 */
import './jsx.ts';
import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ConsumerDeclaration } from '#shared/platform/consumer.ts';
import type { Declaration } from '#shared/platform/declaration.ts';
import type { RoutesDeclaration } from '#shared/platform/routes.ts';
import type { ScheduleDeclaration } from '#shared/platform/schedule.ts';
import type { StreamDeclaration } from '#shared/platform/stream.ts';
import {
  type DeclaredIn,
  type FileRoute,
  refuseDuplicates,
  refuseInvalidSchedule,
  refuseRivalRoutes,
  refuseWrongExports,
  refuseWrongNames,
} from './declaration-checks.ts';
import { groupPages, isPage, type PageFunction } from './page-functions.ts';

export interface DeclaredEndpoint extends DeclaredIn<Declaration> {
  /** The folder below `functions/`, such as `api`. Endpoints of one folder share a nested stack and an OpenAPI tag. */
  readonly area: string;
}

export type DeclaredConsumer = DeclaredIn<ConsumerDeclaration>;
export type DeclaredSchedule = DeclaredIn<ScheduleDeclaration>;
export type DeclaredStream = DeclaredIn<StreamDeclaration>;

/** A function that handles several routes itself, such as the authorization server. */
export interface DeclaredRoutes extends DeclaredIn<RoutesDeclaration> {
  readonly folder: string;
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
  const all = await importHandlers(project);
  refuseMixedFolders(all);
  const pickDeclarations = <Name extends keyof Declarations>(name: Name) => {
    const declares = makeHandlerCheck(name);
    return all.flatMap(({ file, handler }) => (declares(handler) ? [{ file, declaration: handler[name] }] : []));
  };
  const endpoints = pickDeclarations('declaration').map((one) => ({ ...one, area: getFolder(one) }));
  const pages = all.flatMap(({ file, name, handler }) =>
    isPage(handler) ? [{ file, name, declaration: handler.declaration }] : [],
  );
  const routeFunctions = pickDeclarations('routes').map((one) => ({ ...one, folder: getFolder(one) }));
  const consumers = pickDeclarations('consumer');
  const schedules = pickDeclarations('schedule');
  const streams = pickDeclarations('stream');
  for (const { file, declaration } of schedules) refuseInvalidSchedule(file, declaration.expression);
  refuseWrongNames(endpoints, [...routeFunctions, ...consumers, ...schedules, ...streams]);
  refuseWrongExports(pages);
  refuseRivalRoutes([
    ...endpoints,
    ...endpoints.flatMap(listAliasRoutes),
    ...pages,
    ...routeFunctions.flatMap(listRoutes),
  ]);
  // Each source sends its messages to one queue, which has one consumer.
  refuseDuplicates(consumers, ({ declaration }) => `the source ${declaration.source}`);
  return {
    endpoints,
    routeFunctions,
    pageFunctions: groupPages(pages.map(({ file, declaration }) => ({ file, declaration }))),
    consumers,
    schedules,
    streams,
  };
}

const getFolder = ({ file }: DeclaredIn<unknown>): string => basename(dirname(file));

interface ExportedHandler {
  readonly file: string;
  readonly folder: string;
  /** The name of the export: `handler`, or that of a page or form. */
  readonly name: string;
  readonly handler: unknown;
}

/** The folder whose files export several handlers. */
const PAGES = 'pages';

async function importHandlers(project: string): Promise<ExportedHandler[]> {
  const root = join(project, 'functions');
  const entries = await readdir(root, { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  const handlers = folders.sort().map(async (folder) => {
    const names = (await readdir(join(root, folder))).filter((name) => /\.tsx?$/.test(name)).sort();
    return Promise.all(names.map((name) => importFile(root, folder, name)));
  });
  return (await Promise.all(handlers)).flat(2);
}

async function importFile(root: string, folder: string, fileName: string): Promise<ExportedHandler[]> {
  const module: object = await import(pathToFileURL(join(root, folder, fileName)).href);
  const file = `functions/${folder}/${fileName}`;
  if (folder === PAGES) return Object.entries(module).map(([name, handler]) => ({ file, folder, name, handler }));
  const handler = 'handler' in module ? module.handler : undefined;
  return [{ file, folder, name: 'handler', handler }];
}

interface Declarations {
  readonly declaration: Declaration;
  readonly routes: RoutesDeclaration;
  readonly consumer: ConsumerDeclaration;
  readonly schedule: ScheduleDeclaration;
  readonly stream: StreamDeclaration;
}

/** The content needs no check: only `endpoint()` and its like create one, and the compiler checks their arguments. */
const makeHandlerCheck =
  <Name extends keyof Declarations>(name: Name) =>
  (handler: unknown): handler is Pick<Declarations, Name> =>
    typeof handler === 'function' && typeof Reflect.get(handler, name) === 'object';

const KINDS = {
  page: isPage,
  endpoint: makeHandlerCheck('declaration'),
  routes: makeHandlerCheck('routes'),
  consumer: makeHandlerCheck('consumer'),
  schedule: makeHandlerCheck('schedule'),
  stream: makeHandlerCheck('stream'),
};

/** Throws if a file exports no handler or a folder mixes kinds, because a folder's functions share one nested stack. */
function refuseMixedFolders(all: readonly ExportedHandler[]): void {
  const first = new Map<string, { readonly file: string; readonly kind: string }>();
  for (const { file, folder, handler } of all) {
    const kind = Object.entries(KINDS).find(([, isKind]) => isKind(handler))?.[0];
    if (kind === undefined)
      throw new Error(
        `${file} must export a "handler" created by endpoint(), routes(), page(), form(), consumer(), schedule() or stream()`,
      );
    const firstInFolder = first.get(folder) ?? { file, kind };
    if (firstInFolder.kind !== kind)
      throw new Error(
        `${file} has the kind "${kind}", but ${firstInFolder.file} has the kind "${firstInFolder.kind}": move one of the files to another folder`,
      );
    first.set(folder, firstInFolder);
  }
}

const listAliasRoutes = ({ file, declaration: { method, alias } }: DeclaredEndpoint): FileRoute[] =>
  alias === undefined ? [] : [{ file, declaration: { method, path: alias } }];

const listRoutes = ({ file, declaration }: DeclaredRoutes) =>
  declaration.routes.map((route) => ({ file, declaration: route }));

export const loadDeclarations = async (): Promise<readonly DeclaredEndpoint[]> => (await loadFunctions()).endpoints;
