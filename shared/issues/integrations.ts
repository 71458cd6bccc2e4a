/** §5.2 Connects, changes, tests and removes the issue trackers of an organization. */
import type { Secrets } from '#shared/engine/aws/secrets.ts';
import { ApiError, invalidRequest } from '#shared/engine/errors.ts';
import { expectSameValues } from '#shared/engine/table/update.ts';
import { ABSENT, put, removeWhen, type Write } from '#shared/engine/table/writes.ts';
import { findProject } from '#shared/find-project.ts';
import { formatSecretName, hasCredential, removeCredential } from '#shared/model/credential.ts';
import { type Integration, integrations } from '#shared/model/issues/integration.ts';
import { TRACKERS } from '#shared/model/issues/tracker-kind.ts';
import { changeOrganization } from '#shared/organizations/change.ts';
import { reserveRoom } from '#shared/organizations/room-for-one.ts';
import { authorizeRead, type OrganizationRequest } from '#shared/organizations/standing.ts';
import type { CoreServices } from '#shared/services.ts';
import { tooManyIntegrations } from './errors.ts';
import { findIntegration, listIntegrations } from './find-integration.ts';
import { checkIntegrationSettings, type IntegrationSettings, refuseNewPlace } from './integration-settings.ts';
import { ISSUE_LIMITS } from './limits.ts';
import {
  openIntegration,
  type TrackerConnection,
  type TrackerServices,
  translateTrackerProblem,
} from './open-integration.ts';
import { TrackerProblem } from './trackers/tracker.ts';

type IntegrationServices = TrackerConnection & { readonly secrets: Pick<Secrets, 'get' | 'put' | 'remove'> };

interface SaveRequest extends OrganizationRequest {
  /** The connection to change, or `undefined` for a new one. */
  readonly integrationId: string | undefined;
  readonly settings: IntegrationSettings;
}

/** A new credential is stored under a new name. The old one stays in use until the transaction succeeds. */
export async function saveIntegration(
  services: IntegrationServices,
  { settings, integrationId, ...request }: SaveRequest,
): Promise<Integration> {
  const { organizationId } = request;
  await authorizeRead(services, request, 'integrations:change');
  const storedIntegration =
    integrationId === undefined ? undefined : await findIntegration(services, { organizationId, integrationId });
  const checkedSettings = checkIntegrationSettings(settings, services);
  refuseNewPlace(checkedSettings, storedIntegration);
  const { projectIds = [] } = checkedSettings;
  await Promise.all(projectIds.map((projectId) => findProject(services, { organizationId, projectId })));
  const keepsToken = storedIntegration && hasCredential(storedIntegration) && checkedSettings.token === undefined;
  const secretName = keepsToken ? storedIntegration.secretName : await storeToken(services, request, checkedSettings);
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
    const tracker = await openIntegration(services, integration);
    await translateTrackerProblem(tracker.whoAmI());
    await changeOrganization(services, { ...request, action: 'integrations:change' }, async () => ({
      result: undefined,
      writes: await planWrites(services, integration, storedIntegration),
      record: {
        action: storedIntegration ? 'integration changed' : 'integration connected',
        ...describeIntegration(integration),
      },
    }));
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

async function planWrites(
  services: CoreServices,
  integration: Integration,
  storedIntegration: Integration | undefined,
): Promise<Write[]> {
  if (storedIntegration) return [put(integrations, integration, expectSameValues(storedIntegration, 'updatedAt'))];
  const { organizationId } = integration;
  const room = await reserveRoom(services, {
    organizationId,
    what: 'integrations',
    limit: ISSUE_LIMITS.integrationsPerOrganization,
    count: async () => (await listIntegrations(services, { organizationId })).length,
    refusal: tooManyIntegrations,
  });
  return [put(integrations, integration, ABSENT), room];
}

/** How the audit log names a connection. */
const describeIntegration = ({ integrationId, name, kind, apiUrl }: Integration) => ({
  subject: integrationId,
  label: name,
  detail: `${kind} at ${apiUrl}`,
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

/** Returns the name of the account. If the connection works, scheduled work uses it again. */
export async function verifyIntegration(
  services: TrackerServices,
  { integrationId, ...request }: OrganizationRequest & { readonly integrationId: string },
): Promise<string> {
  await authorizeRead(services, request, 'integrations:change');
  const integration = await findIntegration(services, { ...request, integrationId });
  const condition = expectSameValues(integration, 'updatedAt');
  try {
    const tracker = await openIntegration(services, integration);
    const account = await tracker.whoAmI();
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
        record: { action: 'integration removed', ...describeIntegration(integration) },
      };
    },
  );
  await removeCredential(services.secrets, removedIntegration);
}
