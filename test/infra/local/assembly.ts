import { join } from 'node:path';

/** A small cloud assembly with nested stacks. Its functions do what the tests send them as orders. */
export const ASSEMBLY = join(import.meta.dirname, 'assembly');
