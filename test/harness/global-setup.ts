/** Runs once per test run: synthesizes the stack and starts the local AWS engines. */
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { loadFunctions } from '#infra/build/declarations.ts';
import { openApiDocument } from '#infra/build/openapi.ts';
import { PACKAGES_FILE } from '#infra/local/lambda/shared-packages.ts';
import { type Engines, startEngines } from '#infra/local/stores/engines.ts';
import { assemblyOf, separateBundles } from './assemblies.ts';
import { startSynthesizer } from './synthesizer.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder of the cloud assembly that serves the tests. Its bundles do not include npm packages. */
    readonly assembly: string;
    /** The file with the npm packages that the bundles share. */
    readonly packages: string;
    /** The address of the thread that synthesizes stacks with other settings. */
    readonly synthesizer: string;
    readonly engines: Omit<Engines, 'close'>;
    /** The OpenAPI document, against which the responses of the API are validated. */
    readonly openapi: object;
    /** The paths of pages and of other protocols. The OpenAPI document does not describe them. */
    readonly pagePaths: readonly string[];
  }
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const [{ close, ...engines }, assembly] = await Promise.all([startEngines({}), assemblyOf()]);
  project.provide('assembly', assembly);
  project.provide('packages', join(await separateBundles(), PACKAGES_FILE));
  const { endpoints, routeFunctions, pageFunctions } = await loadFunctions();
  project.provide('openapi', openApiDocument(endpoints));
  const pages = pageFunctions.flatMap(({ pages }) => pages.map(({ declaration }) => declaration.path));
  const routes = routeFunctions.flatMap(({ declaration }) => declaration.routes.map(({ path }) => path));
  project.provide('pagePaths', [...pages, ...routes]);
  project.provide('engines', engines);
  const synthesizer = await startSynthesizer();
  project.provide('synthesizer', synthesizer.origin);
  return async () => {
    await Promise.all([close(), synthesizer.close()]);
  };
}
