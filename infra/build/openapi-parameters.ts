/** The parameters of operations in the OpenAPI document. */
import * as z from 'zod';
import { deprecatedSpellings, parameterKind } from '#shared/engine/http/query.ts';
import type { Declaration } from '#shared/platform/declaration.ts';

const PATH_PARAMETERS: Readonly<Record<string, string>> = {
  deliveryId: 'Id of a delivery to this webhook',
  hookId: 'Id of a webhook',
  actionId: 'Id of a rule, which the API calls an action',
  importId: 'Id of an import',
  instanceId: 'Id of an instance: one spec file of one group of a run',
  projectId: 'Id of a project',
  recordId: 'Id of a test record, from the response to its first message',
  runId: 'Id of a run',
  sessionId: 'Id of an orchestration session',
  signature: 'Signature of a test, from `POST /signature/test` or from an earlier result',
};

/** The path parameters with their descriptions. */
export function describedPath({ pathParameters }: Declaration) {
  const named = Object.entries(pathParameters.shape).map(([name, schema]) => {
    const description = schema.meta()?.description ?? PATH_PARAMETERS[name];
    return [name, description === undefined ? schema : schema.meta({ description })];
  });
  return z.object(Object.fromEntries(named));
}

/** The name of a parameter in a request. Array parameters are sent as `name[]`. */
const sentName = (name: string, schema: unknown): string => (parameterKind(schema) === 'array' ? `${name}[]` : name);

/** The query parameters as requests send them, including deprecated aliases. */
export function sentQuery(declaration: Declaration) {
  const named = Object.entries(declaration.query.shape).map(([name, schema]) => [sentName(name, schema), schema]);
  return z.object({ ...Object.fromEntries(named), ...aliasesOf(declaration) });
}

/** §9 An alias accepts the same values as its parameter. */
export function aliasesOf({ query }: Declaration) {
  return Object.fromEntries(
    Object.entries(query.shape).flatMap(([name, schema]) =>
      deprecatedSpellings(schema).map((spelling) => [
        sentName(spelling, schema),
        schema.meta({ description: `Use \`${sentName(name, schema)}\``, param: { deprecated: true } }),
      ]),
    ),
  );
}
