/** The parts of GitHub's answers that notices read. */
import * as z from 'zod';

export const Refusal = z.object({ message: z.string() });

export const Comment = z.object({ id: z.int().positive(), body: z.string().nullish() });
export const Comments = z.array(Comment);
