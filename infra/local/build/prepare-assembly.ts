/** Prepares what `npm start` runs: the template, and the bundle of each function when it is called. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { CannotStart, explainStartError } from '#infra/local/host/cannot-start.ts';
import { getDataPath } from '#infra/local/host/data-directory.ts';
import type { PrepareBundle } from '#infra/local/lambda/lambda.ts';
import { PACKAGES_FILE } from '#infra/local/lambda/shared-packages.ts';
import { getBundlesPath, getTemplatePath, INPUTS_FILE, type Order, readAssemblyRecord } from './assembly-folder.ts';
import { BuilderReport, type BundleRequest } from './builder-messages.ts';

const PROJECT = join(import.meta.dirname, '../../..');

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
  #builder: Builder | undefined;
  /** With `watch`: a builder that loads the declarations again, because a source file has changed. */
  #next: Builder | undefined;
  /** The number of changes that the builder had seen when the declarations were loaded again. */
  #changesLoaded = 0;

  constructor(order: Order, onNotice: (line: string) => void) {
    this.#order = order;
    this.#onNotice = onNotice;
  }

  startBuilder(): void {
    const builder = new Builder(this.#order);
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
  async #watch(name: string, builder: Builder): Promise<void> {
    const sourceChanges = await builder.build(name);
    if (builder !== this.#builder || this.#next || sourceChanges <= this.#changesLoaded) return;
    this.#changesLoaded = sourceChanges;
    void this.#loadDeclarationsAgain();
  }

  async #loadDeclarationsAgain(): Promise<void> {
    // Without the digest of the sources, because they are no longer those from which the service started.
    const next = new Builder({ ...this.#order, sources: '' });
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

/** The process that runs `make-assembly.ts`. It is a process of its own because the CDK takes 300 MB. */
class Builder {
  readonly #child: ChildProcess;
  readonly #requests = new Map<number, PromiseWithResolvers<number>>();
  readonly #template = Promise.withResolvers<void>();
  readonly #ready = Promise.withResolvers<{ readonly needsRestart: boolean }>();
  readonly #errors: string[] = [];
  #isStopped = false;
  #number = 0;
  /** Resolves when the process has ended. Rejects if it failed. */
  readonly end: Promise<void>;

  constructor(order: Order) {
    this.#child = fork('infra/local/build/make-assembly.ts', [JSON.stringify(order)], {
      cwd: PROJECT,
      execArgv: ['--import', './infra/local/check-node.mjs'],
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    this.#child.stderr?.on('data', (chunk) => this.#errors.push(String(chunk)));
    this.#child.on('message', (message) => this.#receive(BuilderReport.parse(message)));
    this.end = this.#awaitEnd();
    for (const { promise } of [this.#template, this.#ready]) promise.catch(() => {});
  }

  /** Resolves when the template is current. */
  get template(): Promise<void> {
    return this.#template.promise;
  }

  /** Resolves when bundles are built on request, with whether template or packages are new ones. */
  get ready(): Promise<{ readonly needsRestart: boolean }> {
    return this.#ready.promise;
  }

  /** Resolves when the bundle is current, with the number of source changes so far. Rejects if it does not compile. */
  build(name: string): Promise<number> {
    if (!this.#child.connected) return this.end.then(() => 0);
    const request = Promise.withResolvers<number>();
    this.#number += 1;
    this.#requests.set(this.#number, request);
    this.#child.send({ number: this.#number, name } satisfies BundleRequest);
    return request.promise;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#child.kill();
    await this.end.catch(() => {});
  }

  #receive(report: BuilderReport): void {
    switch (report.kind) {
      case 'template':
        this.#template.resolve();
        break;
      case 'ready':
        this.#ready.resolve({ needsRestart: report.needsRestart });
        break;
      case 'bundle': {
        const request = this.#requests.get(report.number);
        this.#requests.delete(report.number);
        if (report.error === undefined) request?.resolve(report.sourceChanges);
        else request?.reject(compileError(report.error));
      }
    }
  }

  async #awaitEnd(): Promise<void> {
    await once(this.#child, 'close');
    // A builder that ends by itself has built all bundles.
    if (this.#child.exitCode === 0) for (const request of this.#requests.values()) request.resolve(0);
    const failure = this.#child.exitCode === 0 || this.#isStopped ? undefined : this.#explainFailure();
    const error = failure ?? new Error('The service is stopping');
    this.#template.reject(error);
    this.#ready.reject(error);
    for (const request of this.#requests.values()) request.reject(error);
    if (failure) throw failure;
  }

  #explainFailure(): CannotStart {
    const text = this.#errors.join('');
    const explainedError = explainStartError(new Error(text), getDataPath());
    if (explainedError instanceof CannotStart) return explainedError;
    return new CannotStart(`The CDK app cannot be synthesized. Fix this error and start again:\n${text}`);
  }
}

/** The text of esbuild names the place. The stack would only name this file. */
function compileError(text: string): Error {
  const error = new Error(text);
  error.stack = text;
  return error;
}

const formatError = (error: unknown): string => (error instanceof Error ? error.message : String(error));
