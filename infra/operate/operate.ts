/** The frame of the programs with which operators change a deployment: questions, refusals and exit codes. */
import { createInterface } from 'node:readline/promises';
import { ENVIRONMENTS, type Environment } from '#infra/build/environments.ts';
import { isUsage, printError, printLine } from '#infra/cli/terminal.ts';
import { UsageError } from '#infra/cli/usage-error.ts';

/** Throws if the option is missing or names no environment. */
export function environmentNamed(given: string | undefined): Environment {
  if (given === undefined) throw new UsageError('Missing --env');
  const found = Object.values(ENVIRONMENTS).find(({ name }) => name === given);
  if (found === undefined) throw new UsageError('--env must be dev, staging or prod');
  return found;
}

/** Prints what will happen and waits for a yes. Throws if the answer is another one, or if nobody can answer. */
export async function confirm(plan: readonly string[], { yes }: { readonly yes: boolean }): Promise<void> {
  for (const line of plan) printLine(line);
  if (yes) return;
  if (!process.stdin.isTTY) throw new UsageError('Nobody can answer here. Add --yes to go ahead without a question');
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await terminal.question('Continue? Type yes: ');
  terminal.close();
  if (answer.trim() !== 'yes') throw new Error('Nothing was changed.');
}

/** Runs a program. It exits with 2 after a mistake on the command line, and with 1 after a failure. */
export async function operate(usage: string, act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (error) {
    const isMistake = error instanceof UsageError || isUsage(error);
    const problem = error instanceof Error ? error.message || error.name : String(error);
    printError(isMistake ? `${problem}\n\n${usage}` : problem);
    process.exitCode = isMistake ? 2 : 1;
  }
}
