/** What `functions/` holds, found by scanning it: adding a file adds a function, and what leads to it. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ConsumerDeclaration } from '#shared/consumer.ts';
import type { Declaration } from '#shared/declaration.ts';
import type { ScheduleDeclaration } from '#shared/schedule.ts';
import type { StreamDeclaration } from '#shared/stream.ts';
import { timetable } from './schedule-expression.ts';

export const AREAS = ['api', 'recording'] as const;
type Area = (typeof AREAS)[number];

export interface DeclaredEndpoint {
  /** Path from the project's root: `functions/api/get-health.ts`. */
  readonly file: string;
  readonly area: Area;
  readonly declaration: Declaration;
}

export interface DeclaredConsumer {
  /** Path from the project's root: `functions/queues/confirm-artifact.ts`. */
  readonly file: string;
  readonly declaration: ConsumerDeclaration;
}

export interface DeclaredSchedule {
  /** Path from the project's root: `functions/schedules/clean-up-tokens.ts`. */
  readonly file: string;
  readonly declaration: ScheduleDeclaration;
}

export interface DeclaredStream {
  /** Path from the project's root: `functions/streams/relay-outbox.ts`. */
  readonly file: string;
  readonly declaration: StreamDeclaration;
}

export interface DeclaredFunctions {
  readonly endpoints: readonly DeclaredEndpoint[];
  readonly consumers: readonly DeclaredConsumer[];
  readonly schedules: readonly DeclaredSchedule[];
  readonly streams: readonly DeclaredStream[];
}

export const PROJECT = join(import.meta.dirname, '..');

/** All but the authorizer, by file name. Throws on the first file that is not well-formed. */
export async function loadFunctions(project: string = PROJECT): Promise<DeclaredFunctions> {
  const loadingUnasked = [loadConsumers(project), loadSchedules(project), loadStreams(project)] as const;
  const [endpoints, consumers, schedules, streams] = await Promise.all([loadDeclarations(project), ...loadingUnasked]);
  const names = [
    ...endpoints.map(({ file, declaration }) => ({ file, name: declaration.operationId })),
    ...[...consumers, ...schedules, ...streams].map(({ file, declaration }) => ({ file, name: declaration.name })),
  ];
  refuseDuplicates(names, ({ name }) => `the name ${name}`);
  return { endpoints, consumers, schedules, streams };
}

/** All endpoints by file name. Throws on the first file that is not a well-formed endpoint. */
export async function loadDeclarations(project: string = PROJECT): Promise<DeclaredEndpoint[]> {
  const areas = AREAS.map(async (area) => {
    const handlers = await handlersIn(project, `functions/${area}`);
    return handlers.map(
      ({ file, handler }): DeclaredEndpoint => ({ file, area, declaration: endpointOf(file, handler) }),
    );
  });
  const all = (await Promise.all(areas)).flat();
  refuseDuplicates(all, ({ declaration }) => `operationId ${declaration.operationId}`);
  refuseDuplicates(all, ({ declaration }) => `route ${declaration.method} ${declaration.path}`);
  refuseRivalParameters(all);
  return all;
}

/** S3 sends one kind of event of a bucket to one queue only, so a source has one consumer. */
async function loadConsumers(project: string): Promise<DeclaredConsumer[]> {
  const handlers = await handlersIn(project, 'functions/queues');
  const all = handlers.map(({ file, handler }): DeclaredConsumer => ({ file, declaration: consumerOf(file, handler) }));
  refuseDuplicates(all, ({ declaration }) => `the source ${declaration.source}`);
  return all;
}

async function loadSchedules(project: string): Promise<DeclaredSchedule[]> {
  const handlers = await handlersIn(project, 'functions/schedules');
  return handlers.map(({ file, handler }) => ({ file, declaration: scheduleOf(file, handler) }));
}

async function loadStreams(project: string): Promise<DeclaredStream[]> {
  const handlers = await handlersIn(project, 'functions/streams');
  return handlers.map(({ file, handler }) => ({ file, declaration: streamOf(file, handler) }));
}

interface ExportedHandler {
  readonly file: string;
  readonly handler: unknown;
}

async function handlersIn(project: string, folder: string): Promise<ExportedHandler[]> {
  const names = (await readdir(join(project, folder))).filter((name) => name.endsWith('.ts')).sort();
  return Promise.all(
    names.map(async (name): Promise<ExportedHandler> => {
      const file = `${folder}/${name}`;
      const module: object = await import(pathToFileURL(join(project, file)).href);
      return { file, handler: 'handler' in module ? module.handler : undefined };
    }),
  );
}

function endpointOf(file: string, handler: unknown): Declaration {
  if (!isEndpoint(handler)) throw new Error(`${file} must export "handler" made by endpoint({...})`);
  refuseOtherName(file, handler.declaration.operationId);
  return handler.declaration;
}

function consumerOf(file: string, handler: unknown): ConsumerDeclaration {
  if (!isConsumer(handler)) throw new Error(`${file} must export "handler" made by consumer({...})`);
  refuseOtherName(file, handler.consumer.name);
  return handler.consumer;
}

function scheduleOf(file: string, handler: unknown): ScheduleDeclaration {
  if (!isSchedule(handler)) throw new Error(`${file} must export "handler" made by schedule({...})`);
  refuseOtherName(file, handler.schedule.name);
  refuseUnintelligible(file, handler.schedule.expression);
  return handler.schedule;
}

function streamOf(file: string, handler: unknown): StreamDeclaration {
  if (!isStream(handler)) throw new Error(`${file} must export "handler" made by stream({...})`);
  refuseOtherName(file, handler.stream.name);
  return handler.stream;
}

function refuseUnintelligible(file: string, expression: string): void {
  try {
    timetable(expression);
  } catch (error) {
    throw new Error(`${file}: ${error instanceof Error ? error.message : error}`, { cause: error });
  }
}

/** Trusts the shape below `declaration`: only `endpoint()` makes one, and the compiler holds its argument. */
const isEndpoint = (handler: unknown): handler is { readonly declaration: Declaration } =>
  typeof handler === 'function' && 'declaration' in handler && typeof handler.declaration === 'object';

/** As above, for `consumer()`, `schedule()` and `stream()`. */
const isConsumer = (handler: unknown): handler is { readonly consumer: ConsumerDeclaration } =>
  typeof handler === 'function' && 'consumer' in handler && typeof handler.consumer === 'object';

const isSchedule = (handler: unknown): handler is { readonly schedule: ScheduleDeclaration } =>
  typeof handler === 'function' && 'schedule' in handler && typeof handler.schedule === 'object';

const isStream = (handler: unknown): handler is { readonly stream: StreamDeclaration } =>
  typeof handler === 'function' && 'stream' in handler && typeof handler.stream === 'object';

function refuseOtherName(file: string, name: string): void {
  const expected = `${kebabCase(name)}.ts`;
  if (!file.endsWith(`/${expected}`)) throw new Error(`${file} declares ${name}: rename it to ${expected}`);
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

/** A REST API has one path parameter per place: `/runs/{runId}` beside `/runs/{id}/tests` fails only when deployed. */
function refuseRivalParameters(all: readonly DeclaredEndpoint[]): void {
  const parameterAt = new Map<string, string>();
  for (const { file, declaration } of all) {
    for (const match of declaration.path.matchAll(/\{[^}]+\}/g)) {
      const place = declaration.path.slice(0, match.index);
      const [parameter] = match;
      const rival = parameterAt.get(place) ?? parameter;
      if (rival !== parameter) throw new Error(`${file}: ${place}${parameter} is already called ${place}${rival}`);
      parameterAt.set(place, parameter);
    }
  }
}
