/** What all test files share: engines, assemblies and documents. Each is made when a test first asks for it. */
import { inject } from 'vitest';
import * as z from 'zod';
import type { Endpoints } from '#infra/local/stores/engines.ts';
import type { Context } from './assemblies.ts';
import { postPatiently } from './post-patiently.ts';

const EndpointsOfEngines: z.ZodType<Endpoints> = z.object({
  dynamodbEndpoint: z.string(),
  s3Endpoint: z.string(),
  sqsEndpoint: z.string(),
  kmsEndpoint: z.string(),
  ssmEndpoint: z.string(),
});

/** Starts the local AWS engines unless a test has done so before. */
export const findEngines = async (): Promise<Endpoints> => EndpointsOfEngines.parse(JSON.parse(await ask('/engines')));

/** The folder of the cloud assembly that serves the tests. Its bundles do not include npm packages. */
export const findAssembly = (): Promise<string> => ask('/assembly');

/** The folder of the same assembly with the bundles that a deployment would upload. */
export const findDeployedAssembly = (): Promise<string> => ask('/deployed-assembly');

/** The folder of the client, with the command and the reporters. Nobody may write into it. */
export const findClient = (): Promise<string> => ask('/client');

/** The folder in which npm has installed the client from its package. Nobody may write into it. */
export const findInstalledClient = (): Promise<string> => ask('/installed-client');

/** The file with the npm packages that the bundles share. */
export const findPackages = (): Promise<string> => ask('/packages');

/** The folder of the assembly that is synthesized with these settings. Throws if synthesis fails. */
export const assemblyWith = (context: Context): Promise<string> => ask('/assembly', context);

/** The OpenAPI document, against which the responses of the API are validated. */
export const readOpenApi = async (): Promise<object> =>
  z.record(z.string(), z.unknown()).parse(JSON.parse(await ask('/openapi')));

/** The paths of pages and of other protocols. The OpenAPI document does not describe them. */
export const readPagePaths = async (): Promise<string[]> =>
  z.array(z.string()).parse(JSON.parse(await ask('/page-paths')));

async function ask(path: string, body: unknown = null): Promise<string> {
  const { status, content } = await postPatiently(inject('stage') + path, JSON.stringify(body));
  if (status !== 200) throw new Error(content);
  return content;
}
