import { join } from 'node:path';

/** A small cloud assembly with nested stacks. Its functions carry out the orders that tests send them. */
export const ASSEMBLY = join(import.meta.dirname, 'assembly');
