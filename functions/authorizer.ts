/**
 * §5 The Lambda authorizer: authenticates the credential and authorizes the route. The table of routes, with the action
 * that each requires, is compiled in at build time.
 */
import type { APIGatewayAuthorizerResult, APIGatewayRequestAuthorizerEvent } from 'aws-lambda';
import type { TokenResource } from '#shared/access/access-token.ts';
import type { ApiAction, Requirement } from '#shared/access/actions.ts';
import { type ApiActor, getCredentialId } from '#shared/access/actor.ts';
import { findCalledTool } from '#shared/access/called-tool.ts';
import { formatChallenge, formatStepUpChallenge } from '#shared/access/challenge.ts';
import { toContext } from '#shared/access/denial.ts';
import { pickGatewayKey } from '#shared/access/gateway-key.ts';
import { findGrantableScope, findRefusal } from '#shared/access/may.ts';
import { findCredential, type HeaderValues } from '#shared/access/request-credential.ts';
import { Unauthorized } from '#shared/engine/errors.ts';
import type { Scope } from '#shared/model/organizations/permissions.ts';
import { connectAuthorizer, connectGauge, connectOrigin, connectVerifier } from '#shared/platform/connect.ts';
import { logUsage } from '#shared/platform/log.ts';
import { encodeExcess } from '#shared/usage/errors.ts';

interface GuardedRoute {
  readonly action: ApiAction;
  /** The audience that an access token must have. */
  readonly resource: TokenResource;
}

/** The routes that require a credential, by method and path, such as `GET /v1/runs/{runId}`. */
declare const BUILT_ROUTES: Readonly<Record<string, GuardedRoute>>;

/** The action that each tool of the MCP server requires, by the name of the tool. */
declare const BUILT_TOOL_ACTIONS: Readonly<Record<string, Requirement>>;

const connect = connectAuthorizer();
const verifier = connectVerifier();
const gauge = connectGauge();
const origin = connectOrigin();

export async function handler(event: APIGatewayRequestAuthorizerEvent): Promise<APIGatewayAuthorizerResult> {
  const route = BUILT_ROUTES[`${event.httpMethod} ${event.resource}`];
  if (!route)
    throw new Error(
      `Route ${event.httpMethod} ${event.resource} is unknown to the authorizer. Rebuild and deploy the authorizer`,
    );
  const { action, resource } = route;
  const headers = event.multiValueHeaders ?? {};
  const credential = findCredential(headers, action);
  const services = connect();
  const actor = await verifier().verify(services, credential, { resource, alsoRead: gauge() });
  if (!actor) throw new Unauthorized();
  const admission = await gauge().admit(services, actor, action);
  logUsage(admission);
  const refusal = findRefusal(actor, action);
  const { organizationId } = actor;
  const principal = {
    principalId: getCredentialId(actor),
    usageIdentifierKey: pickGatewayKey(event.requestContext.stage, organizationId),
  };
  if (refusal && 'missing' in refusal) {
    return answer(principal, 'Deny', { organizationId, challenge: formatChallenge(refusal.missing) });
  }
  const stepUpScope = resource === 'mcp' ? findStepUpScope(actor, headers) : undefined;
  if (stepUpScope !== undefined) {
    return answer(principal, 'Deny', { organizationId, challenge: formatStepUpChallenge(stepUpScope, origin()) });
  }
  return answer(principal, 'Allow', { ...toContext(actor, refusal?.denial), ...encodeExcess(admission.excess) });
}

/** The permission that the called tool needs, and that the client can ask the holder of the token for. */
function findStepUpScope(actor: ApiActor, headers: HeaderValues): Scope | undefined {
  const tool = findCalledTool(headers);
  if (tool === undefined || !Object.hasOwn(BUILT_TOOL_ACTIONS, tool)) return undefined;
  const action = BUILT_TOOL_ACTIONS[tool];
  return action === undefined || action === 'public' ? undefined : findGrantableScope(actor, action);
}

/**
 * The policy covers the whole API and not only the requested method. This is safe, because authorizer results are not
 * cached. A policy that contains a long method ARN could exceed the size limit for policies.
 */
const answer = (
  principal: Pick<APIGatewayAuthorizerResult, 'principalId' | 'usageIdentifierKey'>,
  Effect: 'Allow' | 'Deny',
  context: Record<string, string>,
): APIGatewayAuthorizerResult => ({
  ...principal,
  policyDocument: { Version: '2012-10-17', Statement: [{ Action: 'execute-api:Invoke', Effect, Resource: '*' }] },
  context,
});
