/**
 * The consent page, the second prompt: may this program act for you? Consent creates a grant for one member in one
 * organization.
 */
import { setTimeout as wait } from 'node:timers/promises';
import type { KoaContextWithOIDC } from 'oidc-provider';
import * as z from 'zod';
import { findMember, type Member } from './members.ts';
import { consentPage } from './pages.ts';
import { NO_MEMBER } from './sign-in.ts';
import { fieldsOf, problem, type Reply, show, type Visit } from './visit.ts';

/** The missing parts of a new grant: everything that was requested. */
const Lacking = z.object({
  missingOIDCScope: z.array(z.string()).default([]),
  missingResourceScopes: z.record(z.string(), z.array(z.string())).default({}),
});

const SignedIn = z.object({ login: z.object({ accountId: z.string(), organizationId: z.string() }) });

export async function askConsent(visit: Visit): Promise<Reply> {
  const member = await signedIn(visit);
  if (!member) return problem(400, NO_MEMBER);
  const { request, clientName, details } = visit;
  const { missingOIDCScope, missingResourceScopes } = Lacking.parse(details.prompt.details);
  const scopes = [...new Set([...Object.values(missingResourceScopes).flat(), ...missingOIDCScope])];
  const { host } = new URL(request.redirect_uri);
  return show(
    visit,
    consentPage({ clientName, member, resources: [request.resource].flat(), scopes, returnsTo: host }),
  );
}

export async function takeDecision(visit: Visit): Promise<Reply> {
  const { provider, req, res, request, details } = visit;
  const fields = await fieldsOf(req);
  if (fields?.['decision'] !== 'allow') {
    const refusal = { error: 'access_denied', error_description: 'The person denied the request' };
    return { kind: 'onward', location: await provider.interactionResult(req, res, refusal) };
  }
  const member = await signedIn(visit);
  if (!member) return problem(400, NO_MEMBER);
  await secondAfter(member.startedAt);
  const { accountId, organizationId } = member;
  const grant = new provider.Grant({ accountId, clientId: request.client_id });
  grant.addRar({ type: ORGANIZATION, identifier: organizationId });
  const { missingOIDCScope, missingResourceScopes } = Lacking.parse(details.prompt.details);
  grant.addOIDCScope(missingOIDCScope);
  for (const [resource, scopes] of Object.entries(missingResourceScopes)) grant.addResourceScope(resource, scopes);
  const consent = { grantId: await grant.save() };
  return { kind: 'onward', location: await provider.interactionResult(req, res, { consent }) };
}

const SECOND = 1000;

/** Tokens are dated in whole seconds, and one older than the membership is refused (§5.2). */
async function secondAfter(startedAt: number): Promise<void> {
  const now = Date.now();
  if (startedAt > now - (now % SECOND)) await wait(SECOND - (now % SECOND));
}

async function signedIn({ services, details }: Visit): Promise<Member | undefined> {
  const { data } = SignedIn.safeParse(details.lastSubmission);
  return data && findMember(services, data.login);
}

/** RFC 9396 lets a grant carry such details. */
const ORGANIZATION = 'organization';
const Organization = z.object({ type: z.literal(ORGANIZATION), identifier: z.string() });

/** The organization of the grant behind the current token request. */
export function organizationOf(ctx: KoaContextWithOIDC): string | undefined {
  for (const detail of ctx.oidc.entities.Grant?.rar ?? []) {
    const { data } = Organization.safeParse(detail);
    if (data) return data.identifier;
  }
  return undefined;
}
