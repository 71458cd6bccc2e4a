/** The endpoints, found by scanning `functions/`: adding a file adds a route and a Lambda. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Declaration } from '#shared/declaration.ts';

export const AREAS = ['api', 'recording'] as const;
type Area = (typeof AREAS)[number];

export interface DeclaredEndpoint {
  /** Path from the project's root: `functions/api/get-health.ts`. */
  readonly file: string;
  readonly area: Area;
  readonly declaration: Declaration;
}

export const PROJECT = join(import.meta.dirname, '..');

/** All endpoints by file name. Throws on the first file that is not a well-formed endpoint. */
export async function loadDeclarations(): Promise<DeclaredEndpoint[]> {
  const endpoints = await Promise.all(AREAS.map(loadArea));
  const all = endpoints.flat();
  refuseDuplicates(all, ({ declaration }) => `operationId ${declaration.operationId}`);
  refuseDuplicates(all, ({ declaration }) => `route ${declaration.method} ${declaration.path}`);
  refuseRivalParameters(all);
  return all;
}

async function loadArea(area: Area): Promise<DeclaredEndpoint[]> {
  const files = (await readdir(join(PROJECT, 'functions', area))).filter((name) => name.endsWith('.ts')).sort();
  return Promise.all(files.map((name) => loadEndpoint(area, name)));
}

async function loadEndpoint(area: Area, name: string): Promise<DeclaredEndpoint> {
  const file = `functions/${area}/${name}`;
  const module: unknown = await import(pathToFileURL(join(PROJECT, file)).href);
  if (!isEndpointModule(module)) throw new Error(`${file} must export "handler" made by endpoint({...})`);
  const { declaration } = module.handler;
  const expected = `${kebabCase(declaration.operationId)}.ts`;
  if (name !== expected) throw new Error(`${file} declares ${declaration.operationId}: rename it to ${expected}`);
  return { file, area, declaration };
}

interface EndpointModule {
  readonly handler: { readonly declaration: Declaration };
}

/** Trusts the shape below `declaration`: only `endpoint()` makes one, and the compiler holds its argument. */
function isEndpointModule(module: unknown): module is EndpointModule {
  if (typeof module !== 'object' || module === null || !('handler' in module)) return false;
  const { handler } = module;
  return typeof handler === 'function' && 'declaration' in handler && typeof handler.declaration === 'object';
}

const kebabCase = (camelCase: string): string => camelCase.replace(/[A-Z]/g, (capital) => `-${capital.toLowerCase()}`);

function refuseDuplicates(all: readonly DeclaredEndpoint[], nameOf: (endpoint: DeclaredEndpoint) => string): void {
  const seen = new Map<string, string>();
  for (const endpoint of all) {
    const name = nameOf(endpoint);
    const earlier = seen.get(name);
    if (earlier !== undefined) throw new Error(`${earlier} and ${endpoint.file} both declare ${name}: change one`);
    seen.set(name, endpoint.file);
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
