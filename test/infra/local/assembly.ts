import { join } from 'node:path';

/** A small cloud assembly as `cdk synth` writes them: nested stacks, and functions that do what a test tells them. */
export const ASSEMBLY = join(import.meta.dirname, 'assembly');
