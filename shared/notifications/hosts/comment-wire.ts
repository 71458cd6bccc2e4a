/** A comment in the format in which both code hosts return it. */
import * as z from 'zod';

export const Comment = z.object({ id: z.int().positive(), body: z.string().nullish() });
export const Comments = z.array(Comment);
