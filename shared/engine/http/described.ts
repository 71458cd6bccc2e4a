import type * as z from 'zod';

/** Maps a schema to the more detailed schema that describes it in the OpenAPI document. */
export const describedBy = new WeakMap<object, z.ZodType>();
