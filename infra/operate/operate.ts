/** Shared by the programs that change a deployment: confirmation, usage errors, exit codes, and child processes. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { ENVIRONMENTS, type Environment } from '#infra/build/environments.ts';
import { confirm as ask } from '#infra/cli/confirm.ts';
import { isUsage, printError, printLine } from '#infra/cli/terminal/terminal.ts';
import { UsageError } from '#infra/cli/terminal/usage-error.ts';

export function parseEnvironment(option: string | undefined): Environment {
  if (option === undefined) throw new UsageError('Missing --env');
  const environment = Object.values(ENVIRONMENTS).find(({ name }) => name === option);
  if (environment === undefined) throw new UsageError('--env must be dev, staging or prod');
  return environment;
}

export const readEnvironmentFile = async (file: string): Promise<Record<string, unknown>> =>
  z.record(z.string(), z.unknown()).parse(JSON.parse(await readFile(file, 'utf8')));

/** Throws if the answer is not yes, or if there is no terminal. */
export async function confirm(plan: readonly string[], { yes }: { readonly yes: boolean }): Promise<void> {
  for (const line of plan) printLine(line);
  if (!yes) await ask();
}

/** The exit code is 2 after a usage error, and 1 after any other error. */
export async function runOperation(usage: string, act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (error) {
    const problem = error instanceof Error ? error.message || error.name : String(error);
    printError(isUsage(error) ? `${problem}\n\n${usage}` : problem);
    process.exitCode = isUsage(error) ? 2 : 1;
  }
}

/** The output of the program appears, and it may ask questions. Rejects if it fails: its output says why. */
export async function runProgram(folder: string, [program, ...words]: readonly [string, ...string[]]): Promise<void> {
  const child = spawn(program, words, { cwd: folder, stdio: 'inherit' });
  const [status, signal]: unknown[] = await once(child, 'exit');
  const end = status === null ? `was ended by the signal ${signal}` : `ended with the exit status ${status}`;
  if (status !== 0) throw new Error(`${[program, ...words].join(' ')} ${end}`);
}

interface Deployment {
  readonly environment: string;
  readonly context?: Readonly<Record<string, string>>;
  /** Whether the CDK shows new permissions and asks the operator to approve them. */
  readonly asks: boolean;
}

/** Runs `cdk deploy` in the folder of a project, with the CDK CLI that is installed there. */
export function deploy(folder: string, { environment, context = {}, asks }: Deployment): Promise<void> {
  const settings = Object.entries({ env: environment, ...context }).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ]);
  const approval = asks ? [] : ['--require-approval', 'never'];
  const cdk = join(folder, 'node_modules/aws-cdk/bin/cdk');
  return runProgram(folder, [process.execPath, cdk, 'deploy', `Rundown-${environment}`, ...settings, ...approval]);
}
