/** §5.2 Connects, changes, tests and removes the issue trackers of an organization. */
import type { Secrets } from '#shared/engine/aws/secrets.ts';
import { ApiError, invalidRequest } from '#shared/engine/errors.ts';
import { trimFinalSlashes } from '#shared/engine/plain-text.ts';
import { expectSameValues } from '#shared/engine/table/update.ts';
import { ABSENT, put, removeWhen, type Write } from '#shared/engine/table/writes.ts';
import { findProject } from '#shared/find-project.ts';
import { formatSecretName, hasCredential, removeCredential } from '#shared/model/credential.ts';
import { type Integration, integrations } from '#shared/model/issues/integration.ts';
import { TRACKERS } from '#shared/model/issues/tracker-kind.ts';
import { changeOrganization } from '#shared/organizations/change.ts';
import { parseName } from '#shared/organizations/name-inputs.ts';
import { reserveRoom } from '#shared/organizations/room-for-one.ts';
import { authorizeRead, type OrganizationRequest } from '#shared/organizations/standing.ts';
import { findUrlProblem } from '#shared/sending/url-rules.ts';
import type { CoreServices, Services } from '#shared/services.ts';
import { tooManyIntegrations } from './errors.ts';
import { findIntegration, listIntegrations } from './find-integration.ts';
import { ISSUE_LIMITS } from './limits.ts';
import {
  openIntegration,
  type TrackerConnection,
  type TrackerServices,
  translateTrackerProblem,
} from './open-integration.ts';
import { TrackerProblem } from './trackers/tracker.ts';

export interface IntegrationSettings extends Pick<Integration, 'kind' | 'name' | 'apiUrl' | 'account' | 'projectIds'> {
  /** If it is missing, the stored credential is kept. */
  readonly token: string | undefined;
}

type IntegrationServices = TrackerConnection & { readonly secrets: Pick<Secrets, 'get' | 'put' | 'remove'> };

/** A new credential is stored under a new name. The old one stays in use until the transaction succeeds. */
export async function saveIntegration(
  services: IntegrationServices,
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
  const storedIntegration =
    integrationId === undefined ? undefined : await findIntegration(services, { organizationId, integrationId });
  const checkedSettings = checkIntegrationSettings(settings, services);
  refuseNewPlace(checkedSettings, storedIntegration);
  await Promise.all(
    (checkedSettings.projectIds ?? []).map((projectId) => findProject(services, { organizationId, projectId })),
  );
  const secretName =
    storedIntegration && hasCredential(storedIntegration) && checkedSettings.token === undefined
      ? storedIntegration.secretName
      : await storeToken(services, request, checkedSettings);
  const now = services.now();
  const integration: Integration = {
    organizationId,
    integrationId: storedIntegration?.integrationId ?? `int_${services.randomId(ISSUE_LIMITS.secretNameCharacters)}`,
    kind: checkedSettings.kind,
    name: checkedSettings.name,
    apiUrl: checkedSettings.apiUrl,
    account: checkedSettings.account,
    projectIds: checkedSettings.projectIds,
    secretName,
    createdAt: storedIntegration?.createdAt ?? now,
    // Two changes within the same millisecond must get different times.
    updatedAt: Math.max(now, (storedIntegration?.updatedAt ?? 0) + 1),
  };
  try {
    await translateTrackerProblem((await openIntegration(services, integration)).whoAmI());
    await changeOrganization(services, { ...request, action: 'integrations:change' }, async () => {
      const write = put(
        integrations,
        integration,
        storedIntegration ? expectSameValues(storedIntegration, 'updatedAt') : ABSENT,
      );
      return {
        result: undefined,
        writes: storedIntegration ? [write] : [write, await reserveRoomForConnection(services, request)],
        record: {
          action: storedIntegration ? 'integration changed' : 'integration connected',
          subject: integration.integrationId,
          label: integration.name,
          detail: `${integration.kind} at ${integration.apiUrl}`,
        },
      };
    });
  } catch (error) {
    // After any other error, the transaction may have succeeded, so the credential may be in use.
    if (error instanceof ApiError && secretName !== storedIntegration?.secretName)
      await removeCredential(services.secrets, integration);
    throw error;
  }
  if (storedIntegration && storedIntegration.secretName !== secretName)
    await removeCredential(services.secrets, storedIntegration);
  return integration;
}

const reserveRoomForConnection = (services: CoreServices, { organizationId }: OrganizationRequest): Promise<Write> =>
  reserveRoom(services, {
    organizationId,
    what: 'integrations',
    limit: ISSUE_LIMITS.integrationsPerOrganization,
    count: async () => (await listIntegrations(services, { organizationId })).length,
    refusal: tooManyIntegrations,
  });

async function storeToken(
  services: IntegrationServices,
  { organizationId }: OrganizationRequest,
  { token, kind }: IntegrationSettings,
): Promise<string> {
  if (token === undefined)
    throw invalidRequest(`The connection has no credential yet. ${TRACKERS[kind].tokenAdvice}`, ['token']);
  const secret = { organizationId, secretId: services.randomId(ISSUE_LIMITS.secretNameCharacters) };
  await services.secrets.put(secret, token);
  return formatSecretName(secret);
}

/** The format of a token: visible ASCII characters, because it is sent in a header. */
const TOKEN = /^[\u0021-\u007e]+$/;
const ACCOUNT = /^[^\s:@]+@[^\s:@]+$/;

/** Returns the settings in their stored form. Throws 400 if they are invalid. Sends no request to the tracker. */
export function checkIntegrationSettings(
  settings: IntegrationSettings,
  services: Pick<Services, 'privateReceivers'>,
): IntegrationSettings {
  const name = parseName('The name of a connection', settings.name, { characters: ISSUE_LIMITS.nameCharacters });
  if (settings.apiUrl.includes('?'))
    throw invalidRequest('The address contains a query string. Enter it without one', ['apiUrl']);
  const problem = findUrlProblem(settings.apiUrl, services);
  if (problem !== undefined) throw invalidRequest(problem, ['apiUrl']);
  if (settings.token !== undefined && !TOKEN.test(settings.token))
    throw invalidRequest('The token is invalid. Enter it without spaces, line breaks or non-ASCII characters', [
      'token',
    ]);
  if (settings.account !== undefined && !ACCOUNT.test(settings.account))
    throw invalidRequest('Enter the email address of the account that owns the API token', ['account']);
  return { ...settings, name, apiUrl: trimFinalSlashes(settings.apiUrl) };
}

/** Otherwise, an Admin could send a stored credential to a server of their own and read it there. */
function refuseNewPlace(settings: IntegrationSettings, storedIntegration: Integration | undefined): void {
  if (storedIntegration === undefined || settings.token !== undefined) return;
  if (
    settings.kind !== storedIntegration.kind ||
    settings.apiUrl !== storedIntegration.apiUrl ||
    settings.account !== storedIntegration.account
  )
    throw invalidRequest(
      'The stored token is used only with the address and account for which it was saved. Enter the token again',
      ['token'],
    );
}

/** Returns the name of the account. If the connection works, scheduled work uses it again. */
export async function verifyIntegration(
  services: TrackerServices,
  { integrationId, ...request }: OrganizationRequest & { readonly integrationId: string },
): Promise<string> {
  await authorizeRead(services, request, 'integrations:change');
  const integration = await findIntegration(services, { ...request, integrationId });
  const condition = expectSameValues(integration, 'updatedAt');
  try {
    const account = await (await openIntegration(services, integration)).whoAmI();
    const remove = ['refused', 'pausedUntil', 'failures'] as const;
    await services.table.update(integrations, integration, { remove }, condition);
    return account;
  } catch (error) {
    if (error instanceof TrackerProblem && error.verdict.kind === 'refused') {
      const refusal = { at: services.now(), problem: error.message };
      await services.table.update(integrations, integration, { set: [['refused', refusal]] }, condition);
    }
    return translateTrackerProblem(Promise.reject(error));
  }
}

/** Removes a connection before its credential. Linked issues stay linked, with their last known state. */
export async function removeIntegration(
  services: CoreServices & { readonly secrets: Pick<Secrets, 'remove'> },
  { integrationId, ...request }: OrganizationRequest & { readonly integrationId: string },
): Promise<void> {
  const removedIntegration = await changeOrganization(
    services,
    { ...request, action: 'integrations:change' },
    async () => {
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
    },
  );
  await removeCredential(services.secrets, removedIntegration);
}
