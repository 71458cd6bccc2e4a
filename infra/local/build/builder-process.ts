/** The process that runs `make-assembly.ts`. It is a process of its own because the CDK takes 300 MB. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { CannotStart, explainStartError } from '#infra/local/host/cannot-start.ts';
import { getDataPath } from '#infra/local/host/data-directory.ts';
import type { Order } from './assembly-folder.ts';
import { BuilderReport, type BundleRequest } from './builder-messages.ts';

const PROJECT = join(import.meta.dirname, '../../..');

export class BuilderProcess {
  readonly #child: ChildProcess;
  readonly #requests = new Map<number, PromiseWithResolvers<number>>();
  readonly #template = Promise.withResolvers<void>();
  readonly #ready = Promise.withResolvers<{ readonly needsRestart: boolean }>();
  readonly #errors: string[] = [];
  #isStopped = false;
  #lastNumber = 0;
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
    this.#lastNumber += 1;
    this.#requests.set(this.#lastNumber, request);
    this.#child.send({ number: this.#lastNumber, name } satisfies BundleRequest);
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
        else request?.reject(makeCompileError(report.error));
      }
    }
  }

  async #awaitEnd(): Promise<void> {
    await once(this.#child, 'close');
    // A builder that ends by itself has built all bundles.
    const hasSucceeded = this.#child.exitCode === 0;
    if (hasSucceeded) for (const request of this.#requests.values()) request.resolve(0);
    const failure = hasSucceeded || this.#isStopped ? undefined : this.#explainFailure();
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
function makeCompileError(text: string): Error {
  const error = new Error(text);
  error.stack = text;
  return error;
}
