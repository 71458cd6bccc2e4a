/** Runs once per test run: synthesizes the stack and starts the local engines. */
import type { TestProject } from 'vitest/node';
import { loadFunctions } from '#infra/build/declarations.ts';
import { openApiDocument } from '#infra/build/openapi.ts';
import { type Engines, startEngines } from '#infra/local/stores/engines.ts';
import { assemblyOf, bundles } from './assemblies.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder of the cloud assembly of `-c env=dev`. */
    readonly assembly: string;
    /** The folder of the bundled functions. */
    readonly bundles: string;
    readonly engines: Omit<Engines, 'close'>;
    /** The OpenAPI document that validates every response. */
    readonly openapi: object;
    /** The paths of pages and of other protocols, which are no part of the API and its document. */
    readonly pagePaths: readonly string[];
  }
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const context = { env: 'dev', privateWebhooks: 'true' };
  const [{ close, ...engines }, assembly] = await Promise.all([startEngines({}), assemblyOf(context)]);
  project.provide('assembly', assembly);
  project.provide('bundles', await bundles());
  const { endpoints, routeFunctions, pageFunctions } = await loadFunctions();
  project.provide('openapi', openApiDocument(endpoints));
  const pages = pageFunctions.flatMap(({ pages }) => pages.map(({ declaration }) => declaration.path));
  const routes = routeFunctions.flatMap(({ declaration }) => declaration.routes.map(({ path }) => path));
  project.provide('pagePaths', [...pages, ...routes]);
  project.provide('engines', engines);
  return close;
}
