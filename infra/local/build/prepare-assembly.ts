/** Prepares what `npm start` runs: the template, and the bundle of each function when it is called. */
import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { PrepareBundle } from '#infra/local/lambda/lambda.ts';
import { PACKAGES_FILE } from '#infra/local/lambda/shared-packages.ts';
import { getBundlesPath, getTemplatePath, INPUTS_FILE, type Order, readAssemblyRecord } from './assembly-folder.ts';
import { BuilderProcess } from './builder-process.ts';

export interface LocalAssembly {
  /** The folder of the template. */
  readonly assembly: string;
  /** The file with the packages that all functions share. */
  readonly packages: string;
  readonly prepareBundle: PrepareBundle;
}

interface Listener {
  /** Gets what the person should know about later builds. */
  readonly onNotice: (line: string) => void;
  /** Gets the function that ends all builds, before the first of them begins. */
  readonly onStart: (close: () => Promise<void>) => void;
}

/** Returns when the template is current. Throws `CannotStart` if it cannot be made. */
export async function prepareAssembly(order: Order, { onNotice, onStart }: Listener): Promise<LocalAssembly> {
  const { folder } = order;
  const record = await readAssemblyRecord(folder);
  const isCurrent = record?.sources === order.sources;
  const bundles = new Bundles(order, onNotice);
  onStart(() => bundles.close());
  if (order.watch || !isCurrent || !record.isComplete) bundles.startBuilder();
  if (!isCurrent) await bundles.template();
  const isBuilt = (directory: string) => isCurrent && !order.watch && existsSync(join(directory, INPUTS_FILE));
  return {
    assembly: getTemplatePath(folder),
    packages: join(getBundlesPath(folder), PACKAGES_FILE),
    prepareBundle: async (directory) => {
      if (!isBuilt(directory)) await bundles.prepare(basename(directory));
    },
  };
}

/** The bundles of the running service. While all are current, there is no builder. */
class Bundles {
  readonly #order: Order;
  readonly #onNotice: (line: string) => void;
  readonly #current = new Map<string, Promise<void>>();
  #builder: BuilderProcess | undefined;
  /** With `watch`: a builder that loads the declarations again, because a source file has changed. */
  #next: BuilderProcess | undefined;
  /** The number of changes that the builder had seen when the declarations were loaded again. */
  #changesLoaded = 0;

  constructor(order: Order, onNotice: (line: string) => void) {
    this.#order = order;
    this.#onNotice = onNotice;
  }

  startBuilder(): void {
    const builder = new BuilderProcess(this.#order);
    this.#builder = builder;
    builder.end.catch(async (error: unknown) => {
      // Whoever waits for the template gets the error.
      const hasTemplate = await builder.template.then(
        () => true,
        () => false,
      );
      if (hasTemplate) this.#onNotice(formatError(error));
    });
  }

  template(): Promise<unknown> {
    return this.#builder?.template ?? Promise.resolve();
  }

  /** Resolves when the bundle is current. Throws if the function does not compile. */
  async prepare(name: string): Promise<void> {
    const builder = this.#builder;
    if (!builder) return;
    if (this.#order.watch) return this.#watch(name, builder);
    const preparation = this.#current.get(name) ?? builder.build(name).then(() => undefined);
    this.#current.set(name, preparation);
    // A function that did not compile is tried again at its next call.
    preparation.catch(() => this.#current.delete(name));
    await preparation;
  }

  /** Afterwards loads the declarations again, because schemas and tools in other bundles may have changed, too. */
  async #watch(name: string, builder: BuilderProcess): Promise<void> {
    const sourceChanges = await builder.build(name);
    if (builder !== this.#builder || this.#next || sourceChanges <= this.#changesLoaded) return;
    this.#changesLoaded = sourceChanges;
    void this.#loadDeclarationsAgain();
  }

  async #loadDeclarationsAgain(): Promise<void> {
    // Without the digest of the sources, because they are no longer those from which the service started.
    const next = new BuilderProcess({ ...this.#order, sources: '' });
    this.#next = next;
    try {
      const { needsRestart } = await next.ready;
      const previous = this.#builder;
      this.#builder = next;
      this.#changesLoaded = 0;
      await previous?.stop();
      if (needsRestart)
        this.#onNotice('The routes, permissions, settings or packages of a function changed. Restart to apply this');
    } catch (error) {
      this.#onNotice(formatError(error));
    } finally {
      this.#next = undefined;
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.#builder?.stop(), this.#next?.stop()]);
  }
}

const formatError = (error: unknown): string => (error instanceof Error ? error.message : String(error));
