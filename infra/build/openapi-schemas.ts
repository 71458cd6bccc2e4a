/** Corrects the JSON schemas that zod generates for the OpenAPI document. */
import * as z from 'zod';
import type { ZodOpenApiOverride } from 'zod-openapi';
import { describedBy } from '#shared/engine/http/described.ts';

/** Responses lose the bounds of safe integers, of no use there. Requests keep them: clients must respect them. */
export const adjustSchema: ZodOpenApiOverride = ({ jsonSchema, zodSchema, io }) => {
  applyDescription(zodSchema, jsonSchema);
  if (io === 'input') return requireWhatIsRequired(zodSchema, jsonSchema);
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
};

/** zod treats all preprocessed properties as optional, even those that reject `undefined`. */
export function requireWhatIsRequired(schema: unknown, jsonSchema: { required?: string[] }): void {
  if (!(schema instanceof z.ZodObject)) return;
  const members: [string, z.ZodType][] = Object.entries(schema.shape);
  const requiredNames = members.filter(([, member]) => !member.safeParse(undefined).success).map(([name]) => name);
  if (requiredNames.length > 0) jsonSchema.required = requiredNames;
  else delete jsonSchema.required;
}

export function applyDescription(schema: object, jsonSchema: object): void {
  const other = describedBy.get(schema);
  if (!other) return;
  // Without `$schema`, so that it can be part of another schema.
  const { $schema: _, ...inputSchema } = z.toJSONSchema(other, {
    io: 'input',
    override: ({ zodSchema, jsonSchema: inner }) => {
      applyDescription(zodSchema, inner);
      requireWhatIsRequired(zodSchema, inner);
    },
  });
  Object.assign(jsonSchema, inputSchema);
}
