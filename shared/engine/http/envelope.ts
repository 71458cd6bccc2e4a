/** §4, §2.5 Response bodies. Every success has the status `OK`. */
import * as z from 'zod';

const OK = z.literal('OK');

export const single = <Data extends z.ZodType>(data: Data) => z.object({ status: OK, data });

/** A complete list without pages. Used only for lists whose length is limited elsewhere. */
export const listOf = <Item extends z.ZodType>(item: Item) => z.object({ status: OK, data: z.array(item) });

/** The response body of a list with cursor pagination. Every item in `data` includes its cursor. */
export const cursorPageOf = <Shape extends z.ZodRawShape>(item: z.ZodObject<Shape>) =>
  z.object({
    status: OK,
    has_more: z.boolean().meta({ description: 'Whether there are more items in the requested direction' }),
    data: z.array(
      item.extend({
        cursor: z.string().meta({ description: 'The position of this item, for `starting_after` or `ending_before`' }),
      }),
    ),
  });

export const nothing = z.object({ status: OK });

export const wrapOk = <Members extends object>(members: Members) => ({ status: 'OK' as const, ...members });

/** A response in the envelope of `single` and `listOf`. */
export const wrapData = <Data>(data: Data) => wrapOk({ data });
