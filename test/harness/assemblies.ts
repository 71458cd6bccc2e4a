/**
 * Makes stacks, bundles and documents. Test runs share them until the sources change, and stacks with different settings
 * share the function bundles. The CDK, the bundler and the declarations are loaded only if something has to be made.
 */
import { execFile } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ensureAssembly, hashSourceFiles } from '#infra/synthesis-cache.ts';

const run = promisify(execFile);

const OUTPUT = join(import.meta.dirname, '../../cdk.out');

export type Context = Readonly<Record<string, string>>;

/** The settings of the stack that serves tests. */
const SERVED: Context = { env: 'dev', privateWebhooks: 'true' };

let files: Promise<string> | undefined;

/** Returns the folder with this name for the current sources, which `make` fills unless an earlier run has done so. */
function findOrMake(name: string, context: Context, make: (folder: string) => Promise<void>): Promise<string> {
  files ??= hashSourceFiles();
  return ensureAssembly(join(OUTPUT, name), context, make, files);
}

/**
 * Returns the folder of the cloud assembly with these settings. The bundles of its functions do not include npm
 * packages, which makes bundling five times as fast.
 */
export const assemblyOf = (context: Context = SERVED): Promise<string> =>
  findOrMake('tests', context, async (outdir) => {
    const { synthesize } = await import('#infra/synth.ts');
    return synthesize({ outdir, context, bundles: await separateBundles() });
  });

/**
 * Returns the folder of a cloud assembly with the bundles that a deployment would upload. Its template refers to the
 * bundles, which are 100 MB, and is not checked again, because it differs from the template of `assemblyOf()` only in
 * the names of the bundles.
 */
export async function deployedAssembly(): Promise<string> {
  const bundles = await deployedBundles();
  return findOrMake('deployed-tests', SERVED, async (outdir) => {
    const { synthesize } = await import('#infra/synth.ts');
    return synthesize({ outdir, context: SERVED, bundles, local: true });
  });
}

/** The folder of the bundles that a deployment would upload. */
export const deployedBundles = (): Promise<string> =>
  findOrMake('deployed-bundles', {}, async (directory) => {
    const { bundleFunctions } = await import('#infra/build/bundle.ts');
    await bundleFunctions(directory, await loadDeclared());
  });

/** The folder of the client, with the command and the reporters. Nobody may write into it. */
export const builtClient = (): Promise<string> =>
  findOrMake('client', {}, async (folder) => {
    const { buildClient } = await import('#infra/client/build.ts');
    await buildClient(folder);
  });

/** The folder in which npm has installed the client from its tarball, without a registry. Nobody may write into it. */
export const installedClient = (): Promise<string> =>
  findOrMake('installed-client', {}, async (folder) => {
    const env = { PATH: process.env['PATH'], HOME: '/nonexistent', npm_config_offline: 'true' };
    const npm = (...args: readonly string[]) =>
      run('npm', args, { cwd: folder, env: { ...env, npm_config_cache: join(folder, 'cache') } });
    // Without it, npm would install into the folder of this project.
    await writeFile(join(folder, 'package.json'), '{}');
    const { stdout } = await npm('pack', await builtClient(), '--silent');
    await npm('install', join(folder, stdout.trim()), '--no-audit', '--no-fund');
    await rm(join(folder, 'cache'), { recursive: true });
  });

const loadDeclared = async () => (await import('#infra/build/declarations.ts')).loadFunctions();

const OPENAPI = 'openapi.json';
const PAGE_PATHS = 'page-paths.json';

/** The folder with the OpenAPI document, and with the paths of pages and of other protocols, which it does not describe. */
const makeDocuments = (): Promise<string> =>
  findOrMake('documents', {}, async (folder) => {
    const { endpoints, pageFunctions, routeFunctions } = await loadDeclared();
    const { openApiDocument } = await import('#infra/build/openapi.ts');
    const { listPageRoutes } = await import('#infra/build/page-routes.ts');
    const pages = [
      ...pageFunctions.flatMap(({ pages }) => pages.map(({ declaration }) => declaration.path)),
      ...listPageRoutes(pageFunctions, []).map(({ path }) => path),
    ];
    const routes = routeFunctions.flatMap(({ declaration }) => declaration.routes.map(({ path }) => path));
    await writeFile(join(folder, OPENAPI), JSON.stringify(openApiDocument(endpoints)));
    await writeFile(join(folder, PAGE_PATHS), JSON.stringify([...pages, ...routes]));
  });

export const makeOpenApi = async (): Promise<string> => readFile(join(await makeDocuments(), OPENAPI), 'utf8');
export const listPagePaths = async (): Promise<string> => readFile(join(await makeDocuments(), PAGE_PATHS), 'utf8');

/** The folder with the bundles that do not include npm packages, and with one file that contains all npm packages. */
export const separateBundles = (): Promise<string> =>
  findOrMake('separate-bundles', {}, async (directory) => {
    const { buildSeparately, bundlePackages, listPackages, makeSeparateOptions, PLAIN_TABLE, writeBundles } =
      await import('#infra/local/build/separate-bundles.ts');
    const options = await makeSeparateOptions(directory, await loadDeclared());
    const { files, inputs } = await buildSeparately(options);
    await writeBundles(files);
    await bundlePackages(options, listPackages(Object.keys(inputs)), PLAIN_TABLE);
  });
