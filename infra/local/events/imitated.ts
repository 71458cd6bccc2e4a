/** Validates the parts of the template that the local runner supports. */
import * as z from 'zod';
import type { LocalFunction } from '#infra/local/lambda/lambda.ts';
import { formatFunctionArn } from '#infra/local/template/physical-ids.ts';
import type { StackResource } from '#infra/local/template/stack.ts';

/** Throws an error with the resource and its `kind` if a value is not supported. */
export function readSupportedProperties<Shape extends z.ZodRawShape>(
  kind: string,
  resource: StackResource,
  schema: z.ZodObject<Shape>,
): z.infer<z.ZodObject<Shape>> {
  const names = Object.keys(schema.shape);
  const result = schema.safeParse(Object.fromEntries(names.map((name) => [name, resource.property(name)])));
  if (result.success) return result.data;
  throw new Error(
    `The local runner does not support the ${kind} ${resource.logicalId}: ${z.prettifyError(result.error)}`,
  );
}

/** The function that the resource invokes, by its name or ARN. */
export function getFunction(
  functions: ReadonlyMap<string, LocalFunction>,
  resource: StackResource,
  name: string,
): LocalFunction {
  const fn = functions.get(formatFunctionArn(name));
  if (!fn) throw new Error(`${resource.logicalId} invokes ${name}, which no stack defines`);
  return fn;
}
