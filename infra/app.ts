/** The program that cdk.json names. */
import { synthesize } from './synth.ts';

await synthesize({});
