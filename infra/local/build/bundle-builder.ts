/** Builds the bundles of the local service one by one, when they are needed, and knows which of them are current. */

import { readFileSync, statSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { listServedFiles, readServedFiles } from '#infra/build/constants.ts';
import type { DeclaredFunctions } from '#infra/build/declarations.ts';
import { generatePageEntry, PAGES_ENTRY } from '#infra/build/page-entry.ts';
import { INPUTS_FILE } from './assembly-folder.ts';
import { computeInputsDigest, computeValueDigest, type InputGraph, readGraph } from './input-graph.ts';
import {
  buildSeparately,
  isPackage,
  listPackages,
  readImports,
  type SeparateOptions,
  writeBundles,
} from './separate-bundles.ts';

interface BuilderOptions {
  readonly functions: DeclaredFunctions;
  readonly options: SeparateOptions;
  /** Digest of the code that builds bundles. */
  readonly bundling: string;
}

export class BundleBuilder {
  readonly #functions: DeclaredFunctions;
  readonly #options: SeparateOptions;
  readonly #bundling: string;
  readonly #graph: Map<string, readonly string[]>;
  readonly packages: readonly string[];
  /** The entries by the names of their folders. */
  readonly #entries: ReadonlyMap<string, string>;
  readonly #running = new Map<string, Promise<void>>();
  readonly #files = new Map<string, KnownFile>();
  /** The number of changes of source files since this builder began. */
  sourceChanges = 0;
  #served = '';

  private constructor({ functions, options, bundling }: BuilderOptions, graph: InputGraph) {
    this.#functions = functions;
    this.#options = options;
    this.#bundling = bundling;
    this.#graph = new Map(graph);
    this.packages = listPackages([...graph.keys()]);
    this.#entries = new Map(options.entryPoints.map((entry) => [dirname(entry.out), entry.in]));
    this.#served = readStamp(listServedFiles());
  }

  static async start(options: BuilderOptions): Promise<BundleBuilder> {
    return new BundleBuilder(options, readGraph(await readImports(options.options)));
  }

  /** The names of the functions whose bundle is missing, or was built from other files than there are now. */
  listStale(): string[] {
    const digestFile = this.#readDigests();
    return [...this.#entries.keys()].filter((name) => !this.#isCurrent(name, digestFile));
  }

  /** Afterwards every bundle with a note of its inputs is current. */
  async forgetStale(): Promise<void> {
    for (const name of this.listStale()) await rm(this.#inputsFile(name), { force: true });
  }

  /** Builds the bundle of a function if it is not current. Throws if it does not compile. */
  async ensure(name: string): Promise<void> {
    if (!this.#entries.has(name)) throw new Error(`No function has the bundle ${name}`);
    // A file may have changed since this build began, so the bundle is checked after it.
    await this.#running.get(name)?.catch(() => {});
    this.#readServedFilesAgain();
    if (!this.#isCurrent(name, this.#readDigests())) await this.build([name]);
  }

  /** Builds the bundles of several functions at once, except those that are being built. Returns when all are built. */
  async build(names: readonly string[]): Promise<void> {
    const others = names.flatMap((name) => this.#running.get(name) ?? []);
    const idleNames = names.filter((name) => !this.#running.has(name));
    const build = this.#build(idleNames).finally(() => {
      for (const name of idleNames) this.#running.delete(name);
    });
    for (const name of idleNames) this.#running.set(name, build);
    await Promise.all([build, ...others]);
  }

  /** Waits for the builds that requests have begun. */
  async settle(): Promise<void> {
    await Promise.allSettled(this.#running.values());
  }

  async #build(names: readonly string[]): Promise<void> {
    const digestBefore = this.#readDigests();
    const inputsBefore = names.map((name) => this.#digestInputs(name, digestBefore));
    const entries = new Set(names.flatMap((name) => this.#entries.get(name) ?? []));
    const { files, inputs } = await buildSeparately(this.#options, entries);
    this.#refuseNewPackages(listPackages(Object.keys(inputs)));
    for (const [file, imports] of readGraph(inputs)) this.#graph.set(file, imports);
    await Promise.all(names.map((name) => rm(this.#inputsFile(name), { force: true })));
    await writeBundles(files);
    const digestAfter = this.#readDigests();
    for (const [index, name] of names.entries()) {
      const digest = this.#digestInputs(name, digestAfter);
      // A file that changed during the build may be in the bundle or not, so the bundle is built again at its next use.
      if (digest === inputsBefore[index]) await writeFile(this.#inputsFile(name), digest);
    }
  }

  #isCurrent(name: string, digestFile: DigestFile): boolean {
    const entry = this.#entries.get(name) ?? name;
    return this.#graph.has(entry) && readIfPresent(this.#inputsFile(name)) === this.#digestInputs(name, digestFile);
  }

  #inputsFile(name: string): string {
    return join(this.#options.outdir, name, INPUTS_FILE);
  }

  #digestInputs(name: string, digestFile: DigestFile): string {
    return this.#bundling + computeInputsDigest(this.#entries.get(name) ?? name, this.#graph, digestFile);
  }

  /** Returns a function that looks at each file once, because bundles share most of their files. */
  #readDigests(): DigestFile {
    const digestByFile = new Map<string, string>();
    return (file) => {
      const digest = digestByFile.get(file) ?? this.#digestFile(file);
      digestByFile.set(file, digest);
      return digest;
    };
  }

  /** The digest of a file and of the constants that are built into it. */
  #digestFile(file: string): string {
    if (isPackage(file)) return '';
    const { digest, constants } = file.startsWith(PAGES_ENTRY)
      ? readText('', generatePageEntry(this.#functions.pageFunctions, file.slice(PAGES_ENTRY.length)))
      : this.#readFile(file);
    return constants.length === 0
      ? digest
      : computeValueDigest([digest, constants.map((name) => this.#options.define[name])]);
  }

  /** Reads a file again only if its time or size has changed. A deleted file counts as empty. */
  #readFile(file: string): KnownFile {
    // esbuild names a copy of a file `file?name`.
    const path = join(this.#options.absWorkingDir, file.split('?', 1)[0] ?? file);
    const stamp = readStamp([path]);
    const knownFile = this.#files.get(file);
    if (knownFile?.stamp === stamp) return knownFile;
    const currentFile = readText(stamp, readIfPresent(path) ?? '');
    if (knownFile && knownFile.digest !== currentFile.digest) this.sourceChanges += 1;
    this.#files.set(file, currentFile);
    return currentFile;
  }

  /** Builds the style sheets, scripts and guides into the bundles again, if one of their files has changed. */
  #readServedFilesAgain(): void {
    const stamp = readStamp(listServedFiles());
    if (stamp === this.#served) return;
    Object.assign(this.#options.define, readServedFiles());
    this.#served = stamp;
  }

  #refuseNewPackages(names: readonly string[]): void {
    const missingPackages = names.filter((name) => !this.packages.includes(name));
    if (missingPackages.length > 0)
      throw new Error(
        `No function has imported ${missingPackages.join(', ')} before: restart npm start, which loads packages`,
      );
  }
}

type DigestFile = (file: string) => string;

interface KnownFile {
  /** Changes with the file. */
  readonly stamp: string;
  readonly digest: string;
  /** The names of the constants that are built into the file. */
  readonly constants: readonly string[];
}

const readText = (stamp: string, text: string): KnownFile => ({
  stamp,
  digest: computeValueDigest(text),
  constants: [...new Set(text.match(/\bBUILT_[A-Z_]+/g))],
});

/** Changes when one of the files changes. */
function readStamp(paths: readonly string[]): string {
  const stamps = paths.map((path) => {
    const stats = statSync(path, { throwIfNoEntry: false });
    return stats ? `${path} ${stats.mtimeMs} ${stats.ctimeMs} ${stats.size}` : path;
  });
  return stamps.join('\n');
}

function readIfPresent(path: string): string | undefined {
  return statSync(path, { throwIfNoEntry: false }) ? readFileSync(path, 'utf8') : undefined;
}
