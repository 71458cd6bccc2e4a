/** Runs the CDK CLI and operator commands in a copy of the project. */
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { CHANGES, type Project, UPDATE } from './project.ts';

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
  readonly deploy: (environment: EnvironmentName) => Promise<StackOutputs>;
  /** Runs an operator command that deploys the environment again. */
  readonly operate: (program: string, environment: EnvironmentName, ...words: string[]) => Promise<void>;
  /** Destroys an environment. It must be the environment that was deployed last. */
  readonly destroy: (environment: EnvironmentName) => Promise<void>;
}

/**
 * Returns functions that run the CDK in the copy of the project. The CDK logs to `cdk.log`, and operator commands log
 * to `operate.log`. `deploy` calls `print` for each kind of change to the templates.
 */
export function cdkFor({ folder, run }: Project, directory: string, print: (line: string) => void): Cdk {
  const outputs = join(directory, 'outputs.json');
  const changes = join(directory, 'changes');
  const deployments = new Map<EnvironmentName, number>();
  const cdk = (...words: string[]) =>
    run('cdk.log', ['node_modules/aws-cdk/bin/cdk', ...words], { [CHANGES]: changes });
  /** Runs a command that deploys the environment. */
  const deploying = async (environment: EnvironmentName, log: string, words: readonly string[]): Promise<void> => {
    const earlier = deployments.get(environment) ?? 0;
    deployments.set(environment, earlier + 1);
    await run(log, words, { [CHANGES]: changes, ...(earlier > 0 ? { [UPDATE]: `${earlier}` } : {}) });
  };
  const printChanges = async (): Promise<void> => {
    const made = await readFile(changes, 'utf8').catch(() => '');
    for (const line of made.split('\n').filter(Boolean)) print(line);
  };
  return {
    bootstrap: () => cdk('bootstrap', '-c', 'env=dev'),
    deploy: async (environment) => {
      const stack = `Rundown-${environment}`;
      // The folder still contains the templates of the environment that was deployed before.
      await rm(join(folder, 'cdk.out'), { recursive: true, force: true });
      const words = ['deploy', stack, '-c', `env=${environment}`, '--require-approval', 'never'];
      await deploying(environment, 'cdk.log', ['node_modules/aws-cdk/bin/cdk', ...words, '--outputs-file', outputs]);
      await printChanges();
      const written: unknown = JSON.parse(await readFile(outputs, 'utf8'));
      return Outputs.parse(z.record(z.string(), z.unknown()).parse(written)[stack]);
    },
    operate: (program, environment, ...words) =>
      deploying(environment, 'operate.log', [join(folder, program), '--env', environment, '--yes', ...words]),
    destroy: (environment) => cdk('destroy', `Rundown-${environment}`, '--app', 'cdk.out', '--force'),
  };
}
