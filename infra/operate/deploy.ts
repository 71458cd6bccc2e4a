/** Deploys a project in a folder, by the programs that are installed there. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** The output of the program appears, and it may ask questions. Rejects if it fails: its output says why. */
export async function runChildProgram(
  folder: string,
  [program, ...words]: readonly [string, ...string[]],
): Promise<void> {
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
  return runChildProgram(folder, [process.execPath, cdk, 'deploy', `Rundown-${environment}`, ...settings, ...approval]);
}
