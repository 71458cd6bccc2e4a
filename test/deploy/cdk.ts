/** The CDK CLI, as an operator would run it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { PROJECT } from '#infra/declarations.ts';
import type { Emulator } from './emulator.ts';

export const STACK = 'Rundown-dev';

const Outputs = z.object({
  [STACK]: z.object({ BaseUrl: z.url(), RecordUrl: z.url(), TableName: z.string(), ArtifactsBucket: z.string() }),
});
export type StackOutputs = z.infer<typeof Outputs>[typeof STACK];

export interface Cdk {
  readonly bootstrap: () => Promise<void>;
  readonly deploy: () => Promise<StackOutputs>;
  readonly destroy: () => Promise<void>;
}

/** Everything it writes goes to `directory`; the log is `cdk.log` there. */
export function cdkFor({ environment }: Emulator, directory: string): Cdk {
  const outputs = join(directory, 'outputs.json');
  const run = async (...command: string[]): Promise<void> => {
    const log = join(directory, 'cdk.log');
    const child = spawn(
      process.execPath,
      [
        join(PROJECT, 'node_modules/aws-cdk/bin/cdk'),
        ...command,
        '-c',
        'env=dev',
        '--output',
        join(directory, 'cdk.out'),
      ],
      {
        cwd: PROJECT,
        env: {
          ...environment,
          PATH: process.env.PATH,
          HOME: directory,
          CDK_DISABLE_CLI_TELEMETRY: 'true',
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    const file = createWriteStream(log, { flags: 'a' });
    for (const output of [child.stdout, child.stderr]) output.pipe(file, { end: false });
    const [status]: unknown[] = await once(child, 'exit');
    if (status !== 0) throw new Error(`cdk ${command.join(' ')} ended with ${status}. Read ${log}`);
  };
  return {
    bootstrap: () => run('bootstrap'),
    deploy: async () => {
      await run('deploy', STACK, '--require-approval', 'never', '--outputs-file', outputs);
      return Outputs.parse(JSON.parse(await readFile(outputs, 'utf8')))[STACK];
    },
    destroy: () => run('destroy', STACK, '--force'),
  };
}
