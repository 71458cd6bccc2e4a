/** §5.2 Connects, changes, tests and removes the issue trackers of an organization. */
import type { Secrets } from '#shared/engine/aws/secrets.ts';
import { ApiError, invalidRequest } from '#shared/engine/errors.ts';
import { trimFinalSlashes } from '#shared/engine/plain-text.ts';
import { expectSameValues } from '#shared/engine/table/update.ts';
import { ABSENT, put, removeWhen, type Write } from '#shared/engine/table/writes.ts';
import { findProject } from '#shared/find-project.ts';
import { formatSecretName, hasCredential, removeCredential } from '#shared/model/credential.ts';
import { type Integration, integrations, type TrackerKind } from '#shared/model/organizations/integration.ts';
import { changeOrganization } from '#shared/organizations/change.ts';
import { parseName } from '#shared/organizations/name-inputs.ts';
import { reserveRoom } from '#shared/organizations/room-for-one.ts';
import { authorizeRead, type OrganizationRequest } from '#shared/organizations/standing.ts';
import { problemOfUrl } from '#shared/sending/url-rules.ts';
import type { CoreServices, Services } from '#shared/services.ts';
import { tooManyIntegrations } from './errors.ts';
import { findIntegration, listIntegrations } from './find-integration.ts';
import { ISSUE_LIMITS } from './limits.ts';
import { asking, type TrackerConnection, type TrackerServices, trackerOf } from './open-integration.ts';
import { TrackerProblem } from './trackers/tracker.ts';

/** What people enter about a connection. */
export interface IntegrationSettings extends Pick<Integration, 'kind' | 'name' | 'apiUrl' | 'account' | 'projectIds'> {
  /** If it is missing, the stored credential is kept. */
  readonly token: string | undefined;
}

type Keeping = TrackerConnection & { readonly secrets: Pick<Secrets, 'get' | 'put' | 'remove'> };

/**
 * Saves a connection after the tracker accepted it. A new credential is stored under a new name, and the old one stays
 * in use until the transaction succeeds.
 */
export async function saveIntegration(
  services: Keeping,
  {
    settings,
    integrationId,
    ...request
  }: OrganizationRequest & {
    /** The connection to change, or `undefined` for a new one. */
    readonly integrationId: string | undefined;
    readonly settings: IntegrationSettings;
  },
): Promise<Integration> {
  const { organizationId } = request;
  await authorizeRead(services, request, 'integrations:change');
  const existing =
    integrationId === undefined ? undefined : await findIntegration(services, { organizationId, integrationId });
  const checked = checkedIntegration(settings, services);
  refuseNewPlace(checked, existing);
  await Promise.all(
    (checked.projectIds ?? []).map((projectId) => findProject(services, { organizationId, projectId })),
  );
  const secretName =
    existing && hasCredential(existing) && checked.token === undefined
      ? existing.secretName
      : await storeToken(services, request, checked);
  const now = services.now();
  const integration: Integration = {
    organizationId,
    integrationId: existing?.integrationId ?? `int_${services.randomId(ISSUE_LIMITS.secretNameCharacters)}`,
    kind: checked.kind,
    name: checked.name,
    apiUrl: checked.apiUrl,
    account: checked.account,
    projectIds: checked.projectIds,
    secretName,
    createdAt: existing?.createdAt ?? now,
    // Two changes within the same millisecond must get different times.
    updatedAt: Math.max(now, (existing?.updatedAt ?? 0) + 1),
  };
  try {
    await asking((await trackerOf(services, integration)).whoAmI());
    await changeOrganization(services, { ...request, action: 'integrations:change' }, async () => {
      const saved = put(integrations, integration, existing ? expectSameValues(existing, 'updatedAt') : ABSENT);
      return {
        result: undefined,
        writes: existing ? [saved] : [saved, await roomForConnection(services, request)],
        record: {
          action: existing ? 'integration changed' : 'integration connected',
          subject: integration.integrationId,
          label: integration.name,
          detail: `${integration.kind} at ${integration.apiUrl}`,
        },
      };
    });
  } catch (error) {
    // After any other error, the transaction may have succeeded, so the credential may be in use.
    if (error instanceof ApiError && secretName !== existing?.secretName)
      await removeCredential(services.secrets, integration);
    throw error;
  }
  if (existing && existing.secretName !== secretName) await removeCredential(services.secrets, existing);
  return integration;
}

const roomForConnection = (services: CoreServices, { organizationId }: OrganizationRequest): Promise<Write> =>
  reserveRoom(services, {
    organizationId,
    what: 'integrations',
    limit: ISSUE_LIMITS.integrationsPerOrganization,
    count: async () => (await listIntegrations(services, { organizationId })).length,
    refusal: tooManyIntegrations,
  });

async function storeToken(
  services: Keeping,
  { organizationId }: OrganizationRequest,
  { token, kind }: IntegrationSettings,
): Promise<string> {
  if (token === undefined) throw invalidRequest(`The connection has no credential yet. ${TOKENS[kind]}`, ['token']);
  const secret = { organizationId, secretId: services.randomId(ISSUE_LIMITS.secretNameCharacters) };
  await services.secrets.put(secret, token);
  return formatSecretName(secret);
}

const TOKENS: Readonly<Record<TrackerKind, string>> = {
  jira: 'Enter an API token of Jira Cloud with the email address of its account, or a personal access token of Jira Data Center',
  github: 'Enter a fine-grained token that may read and write issues',
  gitlab: 'Enter a project access token with the scope api',
  linear: 'Enter a personal API key',
};

/** The format of a token: visible ASCII characters, because it is sent in a header. */
const TOKEN = /^[\u0021-\u007e]+$/;
const ACCOUNT = /^[^\s:@]+@[^\s:@]+$/;

/** Returns the settings in their stored form. Throws 400 if they are invalid. Sends no request to the tracker. */
export function checkedIntegration(
  settings: IntegrationSettings,
  services: Pick<Services, 'privateReceivers'>,
): IntegrationSettings {
  const name = parseName('The name of a connection', settings.name, { characters: ISSUE_LIMITS.nameCharacters });
  if (settings.apiUrl.includes('?'))
    throw invalidRequest('The address contains a query string. Enter it without one', ['apiUrl']);
  const problem = problemOfUrl(settings.apiUrl, services);
  if (problem !== undefined) throw invalidRequest(problem, ['apiUrl']);
  if (settings.token !== undefined && !TOKEN.test(settings.token))
    throw invalidRequest('The token is invalid. Enter it without spaces, line breaks or non-ASCII characters', [
      'token',
    ]);
  if (settings.account !== undefined && !ACCOUNT.test(settings.account))
    throw invalidRequest('Enter the email address of the account that owns the API token', ['account']);
  return { ...settings, name, apiUrl: trimFinalSlashes(settings.apiUrl) };
}

/**
 * Refuses to use a stored credential for another site or account. Otherwise, an Admin could send the credential to a
 * server of their own and read it there.
 */
function refuseNewPlace(given: IntegrationSettings, existing: Integration | undefined): void {
  if (existing === undefined || given.token !== undefined) return;
  if (given.kind !== existing.kind || given.apiUrl !== existing.apiUrl || given.account !== existing.account)
    throw invalidRequest(
      'The stored token is used only with the address and account for which it was saved. Enter the token again',
      ['token'],
    );
}

/**
 * Asks the tracker who owns the credential, and returns the name of the account. If the connection works, scheduled
 * work uses it again.
 */
export async function testIntegration(
  services: TrackerServices,
  { integrationId, ...request }: OrganizationRequest & { readonly integrationId: string },
): Promise<string> {
  await authorizeRead(services, request, 'integrations:change');
  const integration = await findIntegration(services, { ...request, integrationId });
  const when = expectSameValues(integration, 'updatedAt');
  try {
    const account = await (await trackerOf(services, integration)).whoAmI();
    const remove = ['refused', 'pausedUntil', 'failures'] as const;
    await services.table.update(integrations, integration, { remove }, when);
    return account;
  } catch (error) {
    if (error instanceof TrackerProblem && error.verdict.kind === 'refused') {
      const refused = { at: services.now(), problem: error.message };
      await services.table.update(integrations, integration, { set: [['refused', refused]] }, when);
    }
    return asking(Promise.reject(error));
  }
}

/** Removes a connection before its credential. Linked issues stay linked, with their last known state. */
export async function removeIntegration(
  services: CoreServices & { readonly secrets: Pick<Secrets, 'remove'> },
  { integrationId, ...request }: OrganizationRequest & { readonly integrationId: string },
): Promise<void> {
  const removed = await changeOrganization(services, { ...request, action: 'integrations:change' }, async () => {
    const integration = await findIntegration(services, { ...request, integrationId });
    return {
      result: integration,
      writes: [removeWhen(integrations, integration, expectSameValues(integration, 'updatedAt'))],
      record: {
        action: 'integration removed',
        subject: integrationId,
        label: integration.name,
        detail: `${integration.kind} at ${integration.apiUrl}`,
      },
    };
  });
  await removeCredential(services.secrets, removed);
}
