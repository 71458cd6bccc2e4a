/** §5 Credential -> caller, or 401. What each route asks for is compiled in from the declarations. */
import type { APIGatewayAuthorizerResult, APIGatewayRequestAuthorizerEvent } from 'aws-lambda';
import { toContext } from '#shared/credentials/caller.ts';
import type { Requirement } from '#shared/credentials/permissions.ts';
import { credentialOf, denialFor, verifyCredential } from '#shared/credentials/verify.ts';
import { Unauthorized } from '#shared/errors.ts';
import { authorizerTable } from '#shared/services.ts';

/** `GET /v1/runs/{runId}` -> what it asks for. */
declare const BUILT_ROUTES: Readonly<Record<string, { readonly permission: Requirement }>>;

const connect = authorizerTable();

export async function handler(event: APIGatewayRequestAuthorizerEvent): Promise<APIGatewayAuthorizerResult> {
  const route = BUILT_ROUTES[`${event.httpMethod} ${event.resource}`];
  if (!route) throw new Error(`The authorizer was built without the route ${event.httpMethod} ${event.resource}`);
  const caller = await verifyCredential(connect(), credentialOf(event.multiValueHeaders ?? {}, route.permission));
  if (!caller) throw new Unauthorized();
  return {
    principalId: caller.keyId,
    // Nothing is cached, so the whole API may stand here: echoing a long method ARN could exceed its limit.
    policyDocument: {
      Version: '2012-10-17',
      Statement: [{ Action: 'execute-api:Invoke', Effect: 'Allow', Resource: '*' }],
    },
    context: toContext(caller, denialFor(caller, route.permission)),
  };
}
