import { join } from 'node:path';

/**
 * The fixture of the tests in this folder: a small cloud assembly with nested stacks. Its functions do what the
 * requests and messages of a test tell them to do.
 */
export const ASSEMBLY = join(import.meta.dirname, 'assembly');
