import { createHash } from 'node:crypto';

/** The ids of codes, tokens and grants are secrets. The table has only their hashes. */
export const hashOf = (id: string): string => createHash('sha256').update(id).digest('hex');
