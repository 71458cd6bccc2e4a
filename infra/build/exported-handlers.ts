/** Imports every file in the folders of `functions/` and classifies its handler. */
import './jsx.ts';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ConsumerDeclaration } from '#shared/platform/consumer.ts';
import type { Declaration } from '#shared/platform/declaration.ts';
import type { RoutesDeclaration } from '#shared/platform/routes.ts';
import type { ScheduleDeclaration } from '#shared/platform/schedule.ts';
import type { StreamDeclaration } from '#shared/platform/stream.ts';
import { isPage } from './page-functions.ts';

export interface Exported {
  readonly file: string;
  readonly folder: string;
  readonly handler: unknown;
}

/** The handlers of all files in the folders of `functions/`, sorted by folder and file name. */
export async function exportedFrom(project: string): Promise<Exported[]> {
  const entries = await readdir(join(project, 'functions'), { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  return (await Promise.all(folders.sort().map((folder) => exportedFromFolder(project, folder)))).flat();
}

async function exportedFromFolder(project: string, folder: string): Promise<Exported[]> {
  const names = (await readdir(join(project, 'functions', folder))).filter((name) => /\.tsx?$/.test(name)).sort();
  return Promise.all(
    names.map(async (name): Promise<Exported> => {
      const file = `functions/${folder}/${name}`;
      const module: object = await import(pathToFileURL(join(project, file)).href);
      return { file, folder, handler: 'handler' in module ? module.handler : undefined };
    }),
  );
}

/**
 * Whether `endpoint()` created the handler. Does not check the content of `declaration`: only `endpoint()` creates one,
 * and the compiler checks its argument.
 */
export const isEndpoint = (handler: unknown): handler is { readonly declaration: Declaration } =>
  typeof handler === 'function' && 'declaration' in handler && typeof handler.declaration === 'object';

/**
 * Whether `consumer()` created the handler. Does not check the content of `consumer`: only `consumer()` creates one,
 * and the compiler checks its argument. The same applies to `isSchedule`, `isStream` and `isRoutes`.
 */
export const isConsumer = (handler: unknown): handler is { readonly consumer: ConsumerDeclaration } =>
  typeof handler === 'function' && 'consumer' in handler && typeof handler.consumer === 'object';

export const isSchedule = (handler: unknown): handler is { readonly schedule: ScheduleDeclaration } =>
  typeof handler === 'function' && 'schedule' in handler && typeof handler.schedule === 'object';

export const isStream = (handler: unknown): handler is { readonly stream: StreamDeclaration } =>
  typeof handler === 'function' && 'stream' in handler && typeof handler.stream === 'object';

export const isRoutes = (handler: unknown): handler is { readonly routes: RoutesDeclaration } =>
  typeof handler === 'function' && 'routes' in handler && typeof handler.routes === 'object';

type Kind = 'routes' | 'endpoint' | 'page' | 'consumer' | 'schedule' | 'stream';

function kindOf({ file, handler }: Exported): Kind {
  if (isPage(handler)) return 'page';
  if (isEndpoint(handler)) return 'endpoint';
  if (isRoutes(handler)) return 'routes';
  if (isConsumer(handler)) return 'consumer';
  if (isSchedule(handler)) return 'schedule';
  if (isStream(handler)) return 'stream';
  throw new Error(
    `${file} must export a "handler" created by endpoint(), routes(), page(), form(), consumer(), schedule() or stream()`,
  );
}

/**
 * Throws if a folder contains handlers of different kinds, because all functions of a folder share one nested stack.
 */
export function refuseMixedFolders(all: readonly Exported[]): void {
  const first = new Map<string, { readonly file: string; readonly kind: Kind }>();
  for (const one of all) {
    const kind = kindOf(one);
    const earlier = first.get(one.folder) ?? { file: one.file, kind };
    if (earlier.kind !== kind)
      throw new Error(
        `${one.file} has the kind "${kind}", but ${earlier.file} has the kind "${earlier.kind}": move one of the files to another folder`,
      );
    first.set(one.folder, earlier);
  }
}
