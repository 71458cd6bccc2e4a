/** §5 Credential -> caller, or the refusal. What each route asks for is compiled in from the declarations. */
import type { APIGatewayAuthorizerResult, APIGatewayRequestAuthorizerEvent } from 'aws-lambda';
import { challengeFor, type Demand, refusalOf } from '#shared/credentials/authorize.ts';
import { credentialIdOf, toContext } from '#shared/credentials/caller.ts';
import { credentialOf } from '#shared/credentials/presented.ts';
import { Unauthorized } from '#shared/errors.ts';
import { connectAuthorizer, connectVerifier } from '#shared/services.ts';

/** `GET /v1/runs/{runId}` -> what it asks for. */
declare const BUILT_ROUTES: Readonly<Record<string, Demand>>;

const connect = connectAuthorizer();
const verifier = connectVerifier();

export async function handler(event: APIGatewayRequestAuthorizerEvent): Promise<APIGatewayAuthorizerResult> {
  const route = BUILT_ROUTES[`${event.httpMethod} ${event.resource}`];
  if (!route) throw new Error(`The authorizer was built without the route ${event.httpMethod} ${event.resource}`);
  const caller = await verifier().verify(connect(), credentialOf(event.multiValueHeaders ?? {}, route.permission));
  if (!caller) throw new Unauthorized();
  const refusal = refusalOf(caller, route);
  const principalId = credentialIdOf(caller);
  if (refusal && 'lacks' in refusal) return answer(principalId, 'Deny', { challenge: challengeFor(refusal.lacks) });
  return answer(principalId, 'Allow', toContext(caller, refusal?.denial));
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
