/**
 * Schemas for JSON that other tools write. A member of an unexpected type counts as absent and never makes a report
 * invalid.
 */
import * as z from 'zod';

export const textField = z
  .string()
  .nullish()
  .catch(null)
  .transform((value) => value ?? '');

export const numberField = z
  .number()
  .nullish()
  .catch(null)
  .transform((value) => value ?? undefined);

export const flagField = z
  .boolean()
  .nullish()
  .catch(null)
  .transform((value) => value === true);

/** Leaves out elements of an unexpected type. */
export const listField = <Element extends z.ZodType>(element: Element) =>
  z
    .array(z.unknown())
    .nullish()
    .catch(null)
    .transform((all) =>
      (all ?? []).flatMap((one) => {
        const read = element.safeParse(one);
        return read.success ? [read.data] : [];
      }),
    );

export const textsField = listField(z.string());

export const Annotations = listField(
  z.object({
    type: z.string(),
    description: z
      .string()
      .nullish()
      .catch(null)
      .transform((value) => value ?? null),
  }),
);
