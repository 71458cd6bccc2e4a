/** Runs the CDK CLI like an operator. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { PROJECT } from '#infra/build/declarations.ts';
import { closeGaps } from './assembly.ts';
import type { Emulator } from './emulator.ts';

const Outputs = z.object({
  BaseUrl: z.url(),
  RecordUrl: z.url(),
  TableName: z.string(),
  ArtifactsBucket: z.string(),
  SecretsPrefix: z.string(),
});
export type StackOutputs = z.infer<typeof Outputs>;

export type EnvironmentName = 'dev' | 'staging' | 'prod';

export interface Cdk {
  readonly bootstrap: () => Promise<void>;
  /** Deploys the app in the folder `project`. */
  readonly deploy: (environment: EnvironmentName, project?: string) => Promise<StackOutputs>;
  readonly destroy: (environment: EnvironmentName) => Promise<void>;
}

/** Writes to `directory`, with the log in `cdk.log`. Calls `print` for each change of a template. */
export function cdkFor(emulator: Emulator, directory: string, print: (line: string) => void): Cdk {
  const outputs = join(directory, 'outputs.json');
  const deployed = new Set<EnvironmentName>();
  const run = (project: string, ...command: string[]) => runCdk(emulator, { directory, project, command });
  const assemblyOf = (environment: EnvironmentName) => join(directory, `cdk.out.${environment}`);
  return {
    bootstrap: () => run(PROJECT, 'bootstrap', '-c', 'env=dev', '--output', join(directory, 'cdk.out')),
    deploy: async (environment, project = PROJECT) => {
      const [assembly, stack] = [assemblyOf(environment), `Rundown-${environment}`];
      await run(project, 'synth', '--quiet', '-c', `env=${environment}`, '--output', assembly);
      if (emulator.isMiniStack)
        for (const line of await closeGaps(assembly, { isUpdate: deployed.has(environment) })) print(line);
      await run(PROJECT, 'deploy', stack, '--app', assembly, '--require-approval', 'never', '--outputs-file', outputs);
      deployed.add(environment);
      const written: unknown = JSON.parse(await readFile(outputs, 'utf8'));
      return Outputs.parse(z.record(z.string(), z.unknown()).parse(written)[stack]);
    },
    destroy: (environment) =>
      run(PROJECT, 'destroy', `Rundown-${environment}`, '--app', assemblyOf(environment), '--force'),
  };
}

interface Command {
  readonly directory: string;
  readonly project: string;
  readonly command: readonly string[];
}

async function runCdk({ environment }: Emulator, { directory, project, command }: Command): Promise<void> {
  const log = join(directory, 'cdk.log');
  const child = spawn(process.execPath, [join(PROJECT, 'node_modules/aws-cdk/bin/cdk'), ...command], {
    cwd: project,
    env: { ...environment, PATH: process.env.PATH, HOME: directory, CDK_DISABLE_CLI_TELEMETRY: 'true' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const file = createWriteStream(log, { flags: 'a' });
  for (const output of [child.stdout, child.stderr]) output.pipe(file, { end: false });
  const [status]: unknown[] = await once(child, 'exit');
  if (status !== 0) throw new Error(`cdk ${command.join(' ')} ended with ${status}. Read ${log}`);
}
