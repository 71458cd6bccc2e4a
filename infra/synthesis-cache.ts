/** Caches cloud assemblies by the digest of their inputs, so that unchanged inputs are not synthesized again. */
import { createHash } from 'node:crypto';
import { glob, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';

const PROJECT = join(import.meta.dirname, '..');
const SOURCES = '{functions,shared,infra}/**/*.{ts,tsx,json,css,js,svg}';
/** Other files that the service serves, such as the packages of the client and the guides. */
const SERVED = [
  'infra/client/**/*.{md,tgz,yml}',
  '{functions/README,CHANGELOG}.md',
  'LICENSE',
  'infra/{release,client/package}/THIRD-PARTY-NOTICES',
];
const SETTINGS = '{package,package-lock,tsconfig,cdk}.json';
/** An unused assembly is deleted after this time. No service or test run uses an assembly for longer than that. */
const UNUSED_AFTER_MILLISECONDS = 24 * 60 * 60 * 1000;
const DIGEST_CHARACTERS = 32;

type Context = Readonly<Record<string, string>>;

/**
 * Calls `synthesize` with a temporary folder if there is no assembly for these inputs below `cache`. A failed synthesis
 * is never reused. `files` is for callers that ask for several assemblies of the same sources.
 */
export async function ensureAssembly(
  cache: string,
  context: Context,
  synthesize: (outdir: string) => Promise<void>,
  files?: Promise<string>,
): Promise<string> {
  const assembly = join(cache, await hashSources(context, files));
  await mkdir(cache, { recursive: true });
  if (!(await exists(assembly))) await makeAssembly(cache, assembly, synthesize);
  await utimes(assembly, new Date(), new Date());
  await removeUnused(cache);
  return assembly;
}

/** The digest of the files, the context and the Node version that a synthesis depends on. */
export async function hashSources(context: Context, files = hashSourceFiles()): Promise<string> {
  const inputs = [process.version, Object.entries(context).sort(), await files];
  return createHash('sha256').update(JSON.stringify(inputs)).digest('hex').slice(0, DIGEST_CHARACTERS);
}

export async function hashSourceFiles(): Promise<string> {
  const files: string[] = [];
  for await (const file of glob([SOURCES, ...SERVED, SETTINGS], { cwd: PROJECT })) files.push(file);
  const hash = createHash('sha256');
  for (const file of files.sort()) {
    const text = await readFile(join(PROJECT, file));
    hash.update(JSON.stringify([file, text.length])).update(text);
  }
  return hash.digest('hex');
}

async function makeAssembly(cache: string, assembly: string, synthesize: (outdir: string) => Promise<void>) {
  const temporaryFolder = await mkdtemp(join(cache, 'unfinished-'));
  try {
    await synthesize(temporaryFolder);
    await rename(temporaryFolder, assembly);
  } catch (error) {
    await rm(temporaryFolder, { recursive: true, force: true });
    // Another process may have created the same assembly first.
    if (!(await exists(assembly))) throw error;
  }
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

async function removeUnused(cache: string): Promise<void> {
  for (const name of await readdir(cache)) {
    const path = join(cache, name);
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Date.now() }));
    if (Date.now() - mtimeMs > UNUSED_AFTER_MILLISECONDS) await rm(path, { recursive: true, force: true });
  }
}
