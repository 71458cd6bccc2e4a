/** Corrects the JSON schemas that zod generates for the OpenAPI document. */
import * as z from 'zod';
import type { ZodOpenApiOverride } from 'zod-openapi';
import { describedBy } from '#shared/engine/http/described.ts';

/**
 * Adds the registered descriptions of schemas, and corrects the list `required` of requests. Removes the minimum and
 * maximum of safe integers from responses, where they are of no use. Requests keep these bounds, because clients must
 * respect them.
 */
export const override: ZodOpenApiOverride = ({ jsonSchema, zodSchema, io }) => {
  applyDescription(zodSchema, jsonSchema);
  if (io === 'input') return requireWhatIsRequired(zodSchema, jsonSchema);
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
};

/**
 * Corrects the list `required`: zod treats all preprocessed properties as optional, even those that reject `undefined`.
 */
export function requireWhatIsRequired(schema: unknown, described: { required?: string[] }): void {
  if (!(schema instanceof z.ZodObject)) return;
  const members: [string, z.ZodType][] = Object.entries(schema.shape);
  const required = members.filter(([, member]) => !member.safeParse(undefined).success).map(([name]) => name);
  if (required.length > 0) described.required = required;
  else delete described.required;
}

/** Adds the registered description of a schema of a request, and of the schemas in it. */
export function applyDescription(schema: object, jsonSchema: object): void {
  const other = describedBy.get(schema);
  if (!other) return;
  // Without `$schema`, so that it can be part of another schema.
  const { $schema: _, ...described } = z.toJSONSchema(other, {
    io: 'input',
    override: ({ zodSchema, jsonSchema: inner }) => {
      applyDescription(zodSchema, inner);
      requireWhatIsRequired(zodSchema, inner);
    },
  });
  Object.assign(jsonSchema, described);
}
