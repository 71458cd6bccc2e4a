/** The parameters of operations in the path and the query of the OpenAPI document. */
import * as z from 'zod';
import { getDeprecatedSpellings, getParameterKind } from '#shared/engine/http/query.ts';
import type { Declaration } from '#shared/platform/declaration.ts';

const PATH_PARAMETERS: Readonly<Record<string, string>> = {
  deliveryId: 'Id of a delivery to this webhook',
  hookId: 'Id of a webhook',
  shareId: 'Id of a share',
  organizationId: 'Id of an organization',
  actionId: 'Id of a rule, which the API calls an action',
  importId: 'Id of an import',
  instanceId: 'Id of an instance: one spec file of one group of a run',
  projectId: 'Id of a project',
  recordId: 'Id of a test record, from the response to its first message',
  runId: 'Id of a run',
  sessionId: 'Id of an orchestration session',
  signature: 'Signature of a test, from `POST /signature/test` or from an earlier result',
};

export function buildPathSchema({ pathParameters }: Declaration) {
  const parameters = Object.entries(pathParameters.shape).map(([name, schema]) => {
    const description = schema.meta()?.description ?? PATH_PARAMETERS[name];
    return [name, description === undefined ? schema : schema.meta({ description })];
  });
  return z.object(Object.fromEntries(parameters));
}

const formatParameterName = (name: string, schema: unknown): string =>
  getParameterKind(schema) === 'array' ? `${name}[]` : name;

export function buildQuerySchema(declaration: Declaration) {
  const parameters = Object.entries(declaration.query.shape).map(([name, schema]) => [
    formatParameterName(name, schema),
    schema,
  ]);
  return z.object({ ...Object.fromEntries(parameters), ...listQueryAliases(declaration) });
}

/** §9 An alias accepts the same values as its parameter. */
export function listQueryAliases({ query }: Declaration) {
  return Object.fromEntries(
    Object.entries(query.shape).flatMap(([name, schema]) =>
      getDeprecatedSpellings(schema).map((spelling) => [
        formatParameterName(spelling, schema),
        schema.meta({ description: `Use \`${formatParameterName(name, schema)}\``, param: { deprecated: true } }),
      ]),
    ),
  );
}
