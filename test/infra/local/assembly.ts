import { join } from 'node:path';

/**
 * A small cloud assembly with nested stacks. Its functions do what the requests and messages of a test tell them to do.
 */
export const ASSEMBLY = join(import.meta.dirname, 'assembly');
