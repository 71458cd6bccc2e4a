import type * as z from 'zod';

/** Maps a schema to a more detailed one that replaces it in the OpenAPI document. */
export const describedBy = new WeakMap<object, z.ZodType>();
