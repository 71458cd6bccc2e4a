/** Refuses declarations that contradict each other, or the names of their files. */
import type { DeclaredPage } from './page-functions.ts';
import { parseTimetable } from './schedule-expression.ts';

export interface DeclaredIn<Content> {
  /** The path from the project's root, for example `functions/queues/confirm-artifact.ts`. */
  readonly file: string;
  readonly declaration: Content;
}

/** A route of an endpoint, a page or a function with several routes. */
export type FileRoute = DeclaredIn<{ readonly method: string; readonly path: string }>;

export function refuseWrongNames(
  operations: ReadonlyArray<DeclaredIn<{ readonly operationId: string }>>,
  others: ReadonlyArray<DeclaredIn<{ readonly name: string }>>,
): void {
  const names = [
    ...operations.map(({ file, declaration }) => ({ file, name: declaration.operationId })),
    ...others.map(({ file, declaration }) => ({ file, name: declaration.name })),
  ];
  for (const { file, name } of names) {
    const kebabCase = name.replace(/[A-Z]/g, (capital) => `-${capital.toLowerCase()}`);
    const fileName = `${kebabCase}.${file.endsWith('.tsx') ? 'tsx' : 'ts'}`;
    if (!file.endsWith(`/${fileName}`)) throw new Error(`${file} declares ${name}: rename the file to ${fileName}`);
  }
  refuseDuplicates(names, ({ name }) => `the name ${name}`);
}

export function refuseWrongExports(pages: ReadonlyArray<DeclaredPage & { readonly name: string }>): void {
  for (const { file, name, declaration } of pages) {
    const { operationId } = declaration;
    if (operationId !== name) throw new Error(`${file} exports ${operationId} as ${name}: use one name`);
  }
  refuseDuplicates(pages, ({ name }) => `the name ${name}`);
}

export function refuseRivalRoutes(endpoints: readonly FileRoute[]): void {
  refuseDuplicates(endpoints, ({ declaration }) => `the route ${declaration.method} ${declaration.path}`);
  refuseRivalParameters(endpoints);
  for (const endpoint of endpoints) refuseInnerGreedyParameter(endpoint);
}

/** API Gateway accepts a greedy parameter, such as `{path+}`, only at the end of a path. */
function refuseInnerGreedyParameter({ file, declaration: { path } }: FileRoute): void {
  if (/\+\}./.test(path)) {
    throw new Error(`${file}: ${path} continues after a greedy parameter: move the parameter to the end`);
  }
}

export function refuseInvalidSchedule(file: string, expression: string): void {
  try {
    parseTimetable(expression);
  } catch (error) {
    throw new Error(`${file}: ${error instanceof Error ? error.message : error}`, { cause: error });
  }
}

export function refuseDuplicates<Declared extends { readonly file: string }>(
  all: readonly Declared[],
  nameOf: (declaration: Declared) => string,
): void {
  const fileByName = new Map<string, string>();
  for (const item of all) {
    const name = nameOf(item);
    const firstFile = fileByName.get(name);
    if (firstFile !== undefined) throw new Error(`${firstFile} and ${item.file} both declare ${name}: change one`);
    fileByName.set(name, item.file);
  }
}

/** API Gateway allows one parameter name per position: `/runs/{runId}` and `/runs/{id}/tests` fail at deployment. */
function refuseRivalParameters(all: readonly FileRoute[]): void {
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
