/** §5 Credential -> caller, or the refusal. What each route asks for is compiled in from the declarations. */
import type { APIGatewayAuthorizerResult, APIGatewayRequestAuthorizerEvent } from 'aws-lambda';
import { authorize, challengeFor, type Demand } from '#shared/credentials/authorize.ts';
import { credentialIdOf, toContext } from '#shared/credentials/caller.ts';
import { credentialOf } from '#shared/credentials/presented.ts';
import { verifyCredential } from '#shared/credentials/verify.ts';
import { Unauthorized } from '#shared/errors.ts';
import { connectAuthorizer } from '#shared/services.ts';

/** `GET /v1/runs/{runId}` -> what it asks for. */
declare const BUILT_ROUTES: Readonly<Record<string, Demand>>;

const connect = connectAuthorizer();

export async function handler(event: APIGatewayRequestAuthorizerEvent): Promise<APIGatewayAuthorizerResult> {
  const route = BUILT_ROUTES[`${event.httpMethod} ${event.resource}`];
  if (!route) throw new Error(`The authorizer was built without the route ${event.httpMethod} ${event.resource}`);
  const caller = await verifyCredential(connect(), credentialOf(event.multiValueHeaders ?? {}, route.permission));
  if (!caller) throw new Unauthorized();
  const verdict = authorize(caller, route);
  const principalId = credentialIdOf(caller);
  if ('lacks' in verdict) return answer(principalId, 'Deny', { challenge: challengeFor(verdict.lacks) });
  return answer(principalId, 'Allow', toContext(caller, verdict.may ? undefined : verdict.denial));
}

/** Nothing is cached, so the whole API may stand here: echoing a long method ARN could exceed its limit. */
const answer = (
  principalId: string,
  Effect: 'Allow' | 'Deny',
  context: Record<string, string>,
): APIGatewayAuthorizerResult => ({
  principalId,
  policyDocument: { Version: '2012-10-17', Statement: [{ Action: 'execute-api:Invoke', Effect, Resource: '*' }] },
  context,
});
