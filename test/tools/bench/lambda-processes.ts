/** Runs each call of a function in a process that serves one call at a time, as Lambda does. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { FunctionHandler, HandlerSource } from '#infra/local/lambda/function-runtime.ts';

const PROGRAM = join(import.meta.dirname, 'lambda-process.ts');

export type LambdaAnswer = { readonly result: unknown } | { readonly error: string };

const isOf = (name: string, part: string): boolean => name.toLowerCase().includes(part.toLowerCase());

export class LambdaProcesses {
  readonly #all = new Set<ChildProcess>();
  readonly #started: string[] = [];
  /** The number of running calls, by the name of the function. */
  readonly #running = new Map<string, number>();

  load = (source: HandlerSource): FunctionHandler => {
    const idle: ChildProcess[] = [];
    const name = source.environment['AWS_LAMBDA_FUNCTION_NAME'] ?? '';
    return async (event, context) => {
      const child = idle.pop() ?? this.#start(source);
      this.#started.push(name);
      this.#running.set(name, this.running(name) + 1);
      try {
        const answered = once(child, 'message');
        const milliseconds = context.getRemainingTimeInMillis();
        child.send({ event, context: { ...context, getRemainingTimeInMillis: undefined }, milliseconds });
        const [answer]: LambdaAnswer[] = await answered;
        if (!answer || 'error' in answer) throw new Error(answer?.error ?? 'The process has ended');
        return answer.result;
      } finally {
        this.#running.set(name, this.running(name) - 1);
        idle.push(child);
      }
    };
  };

  /** The number of running calls of the functions whose name contains `part`. */
  running(part: string): number {
    return [...this.#running].reduce((sum, [name, calls]) => (isOf(name, part) ? sum + calls : sum), 0);
  }

  /** The number of calls that have started. */
  started(part: string): number {
    return this.#started.filter((name) => isOf(name, part)).length;
  }

  #start(source: HandlerSource): ChildProcess {
    const child = fork(PROGRAM, [], { serialization: 'advanced' });
    this.#all.add(child);
    child.send(source);
    return child;
  }

  close(): void {
    for (const child of this.#all) child.kill();
  }
}
