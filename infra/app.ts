/** The entry point of the CDK CLI, named in cdk.json. */
import { join } from 'node:path';
import { describeCommit } from './build/commit.ts';
import { synthesize } from './synth.ts';

await synthesize({ environments: join(import.meta.dirname, 'environments'), commit: describeCommit() });
