/** Shared by the programs that change a deployment: confirmation, usage errors and exit codes. */
import { ENVIRONMENTS, type Environment } from '#infra/build/environments.ts';
import { confirm as ask } from '#infra/cli/confirm.ts';
import { isUsage, printError, printLine } from '#infra/cli/terminal.ts';
import { UsageError } from '#infra/cli/usage-error.ts';

/** The environment that `--env` names. Throws `UsageError` if the option is missing or names no environment. */
export function environmentNamed(given: string | undefined): Environment {
  if (given === undefined) throw new UsageError('Missing --env');
  const found = Object.values(ENVIRONMENTS).find(({ name }) => name === given);
  if (found === undefined) throw new UsageError('--env must be dev, staging or prod');
  return found;
}

/**
 * Prints the plan, and asks for confirmation unless `yes` is set. Throws if the answer is not yes, or if there is no
 * terminal.
 */
export async function confirm(plan: readonly string[], { yes }: { readonly yes: boolean }): Promise<void> {
  for (const line of plan) printLine(line);
  if (!yes) await ask();
}

/** Runs a program and prints its error. The exit code is 2 after a usage error, and 1 after any other error. */
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
