/** What the programs that change a deployment have in common: their options, their confirmation and their end. */
import { readFile } from 'node:fs/promises';
import * as z from 'zod';
import { ENVIRONMENTS, type Environment } from '#infra/build/environments.ts';
import { confirm as ask } from '#infra/cli/confirm.ts';
import { printLine, runProgram } from '#infra/cli/terminal/terminal.ts';
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
export const runOperation = (usage: string, operate: () => Promise<void>): Promise<void> =>
  runProgram(usage, operate, (error) => (error instanceof Error ? error.message || error.name : String(error)));
