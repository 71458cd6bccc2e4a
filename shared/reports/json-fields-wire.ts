/**
 * Schemas for JSON that other tools write. A member of an unexpected type counts as absent and never makes a report
 * invalid.
 */
import * as z from 'zod';

/** Accepts absent values, and replaces a value of an unexpected type with `null`. */
export const orNull = <Schema extends z.ZodType>(schema: Schema) => schema.nullish().catch(null);

export const textField = orNull(z.string()).transform((value) => value ?? '');
export const numberField = orNull(z.number()).transform((value) => value ?? undefined);
export const flagField = orNull(z.boolean()).transform((value) => value === true);

/** Leaves out elements of an unexpected type. */
export const listField = <Element extends z.ZodType>(element: Element) =>
  orNull(z.array(z.unknown())).transform((all) =>
    (all ?? []).flatMap((one) => {
      const read = element.safeParse(one);
      return read.success ? [read.data] : [];
    }),
  );

export const textsField = listField(z.string());

export const Annotations = listField(
  z.object({
    type: z.string(),
    description: orNull(z.string()).transform((value) => value ?? null),
  }),
);

/** An attachment in a JSON report of Playwright or a CTRF report. `body`: its content as base64. */
export const Attachment = z.object({ name: textField, contentType: textField, path: textField, body: textField });

export const Shard = orNull(z.object({ current: z.int(), total: z.int() }));
