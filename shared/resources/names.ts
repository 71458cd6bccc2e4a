/** Ids, spec files and titles as callers send them. Bounded, and never cut: another name is another thing. */
import * as z from 'zod';
import { LIMITS } from '../limits.ts';

export const id = z.string().min(1).max(LIMITS.idCharacters);
export const spec = z.string().min(1).max(LIMITS.specCharacters);
export const title = z.array(z.string().max(LIMITS.titlePartCharacters)).min(1).max(LIMITS.titleParts);
