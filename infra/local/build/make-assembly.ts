/**
 * Builds the template and the bundles that `npm start` runs. The build is incremental: it rebuilds a bundle if one of
 * its files changed, and the template if the settings, the declarations or a file of the stacks changed.
 */
import { existsSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { build, stop } from 'esbuild';
import { PAGES_ENTRY, pageEntry } from '#infra/build/bundle.ts';
import { type DeclaredFunctions, loadFunctions, PROJECT } from '#infra/build/declarations.ts';
import { loadRowKinds } from '#infra/build/row-kinds.ts';
import { bundlesOf, forget, madeIn, note, Order, templateOf } from './assembly-folder.ts';
import { changedEntries, digestOf, graphOf, inputsOf } from './input-graph.ts';
import {
  buildSeparately,
  bundlePackages,
  isPackage,
  packagesIn,
  separateOptions,
  writeBundles,
} from './separate-bundles.ts';

/** Files that determine how packages resolve and how files compile. */
const SETTINGS = ['package.json', 'package-lock.json', 'tsconfig.json'];
const BUNDLING = 'infra/local/build/separate-bundles.ts';
const SYNTHESIS = 'infra/synth.ts';

async function make({ folder, context, sources }: Order): Promise<void> {
  const [functions, programs] = await Promise.all([loadFunctions(), digestsOfPrograms()]);
  const options = await separateOptions(bundlesOf(folder), functions);
  const entries = options.entryPoints.map((entry) => entry.in);
  const digest = inputDigests(functions, options.define);
  const known = await madeIn(folder);
  const before = known?.bundling === programs.bundling ? known.graph : {};
  const { files, inputs } = await buildSeparately(options, changedEntries(entries, before, digest));
  const graph = graphOf(entries, before, inputs, digest);
  const names = packagesIn(Object.keys(graph));
  const packages = digestOf([programs.bundling, names]);
  const template = digestOf([programs.synthesis, folder, context, functions, await loadRowKinds()]);

  if (known) await forget(folder);
  else await rm(folder, { recursive: true, force: true });
  await writeBundles(files);
  if (packages !== known?.packages) await bundlePackages(options, names);
  await stop();
  const bundled = { bundling: programs.bundling, packages, graph };
  if (template !== known?.template) {
    // Keeps the bundles if the synthesis fails.
    await note(folder, { ...bundled, sources: '', template: '' });
    await rm(templateOf(folder), { recursive: true, force: true });
    // Loading the CDK takes half a second and 100 MB, so it is loaded only if the template must be built.
    const { synthesize } = await import('#infra/synth.ts');
    await synthesize({ outdir: templateOf(folder), context, bundles: bundlesOf(folder), local: true });
  }
  await note(folder, { ...bundled, sources, template });
}

/** Digests of the code that builds bundles and templates. */
async function digestsOfPrograms(): Promise<{ readonly bundling: string; readonly synthesis: string }> {
  const { metafile } = await build({
    absWorkingDir: PROJECT,
    entryPoints: [BUNDLING, SYNTHESIS],
    outdir: 'unused',
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    write: false,
    metafile: true,
  });
  const of = (files: readonly string[]) =>
    digestOf([process.version, ...[...SETTINGS, ...files.toSorted()].map((file) => [file, textOf(file)])]);
  // Files from shared/ are left out, because they already count as inputs of the bundles.
  const bundling = inputsOf(BUNDLING, metafile.inputs).filter((file) => file.startsWith('infra/'));
  return { bundling: of(bundling), synthesis: of(inputsOf(SYNTHESIS, metafile.inputs)) };
}

/**
 * Digests of files, by their names in the metafile. The digest of a file that uses build constants includes these
 * constants.
 */
function inputDigests({ pageFunctions }: DeclaredFunctions, define: Readonly<Record<string, string>>) {
  const known = new Map<string, string>();
  const read = (file: string): string => {
    if (isPackage(file)) return '';
    if (file.startsWith(PAGES_ENTRY)) return pageEntry(pageFunctions, file.slice(PAGES_ENTRY.length));
    const text = textOf(file);
    const built = new Set(text.match(/\bBUILT_[A-Z_]+/g));
    return digestOf([text, [...built].map((name) => define[name])]);
  };
  return (file: string): string => {
    const digest = known.get(file) ?? digestOf(read(file));
    known.set(file, digest);
    return digest;
  };
}

/** A deleted file counts as empty. */
function textOf(file: string): string {
  const path = join(PROJECT, file);
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}

await make(Order.parse(JSON.parse(process.argv[2] ?? '')));
