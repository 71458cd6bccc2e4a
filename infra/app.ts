/** What cdk.json runs. */
import { synthesize } from './synth.ts';

await synthesize({});
