/** §4.4.7 `GET /projects/{projectId}/terms/{termType}`: its query and its items. */
import * as z from 'zod';
import { TERM_TYPES } from '#shared/model/runs/term.ts';
import { RESULT_LIMITS } from '../limits.ts';

export const TermTypeName = z
  .enum(TERM_TYPES)
  .meta({ description: '`ann_type` and `ann_desc` are the types and descriptions of annotations' });

export const termsQuery = {
  dir: z.enum(['asc', 'desc']).default('desc').meta({ description: 'Order by the last use' }),
  search: z
    .string()
    .min(1)
    .max(RESULT_LIMITS.termSearchCharacters)
    .optional()
    .meta({ description: 'Terms with this text, ignoring case' }),
};

export const TermItem = z
  .object({
    value: z.string(),
    lastUsedAt: z.string().meta({ format: 'date-time', description: 'When a run last used it, accurate to an hour' }),
  })
  .meta({ id: 'Term' });
export type TermItem = z.infer<typeof TermItem>;
