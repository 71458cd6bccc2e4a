/** The parts of GitHub's answers that notices read. */
import * as z from 'zod';
import { Ended } from '#shared/notices/ended.ts';

export const Refusal = z.object({ message: z.string() });

export const Comment = z.object({ id: z.int().positive(), body: z.string().nullish() });
export const Comments = z.array(Comment);

/** A proxy may answer in place of GitHub. */
export function formed<Schema extends z.ZodType>(schema: Schema, json: unknown): z.output<Schema> {
  const { data } = schema.safeParse(json);
  if (data === undefined) throw new Ended({ kind: 'failed' }, "GitHub's answer has an unexpected form");
  return data;
}
