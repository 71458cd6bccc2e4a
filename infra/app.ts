/** The entry point of the CDK CLI, named in cdk.json. */
import { synthesize } from './synth.ts';

await synthesize({});
