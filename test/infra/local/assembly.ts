import { join } from 'node:path';

/** A small cloud assembly with nested stacks. Its functions execute the orders of tests. */
export const ASSEMBLY = join(import.meta.dirname, 'assembly');
