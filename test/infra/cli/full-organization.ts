/** An organization with rows of most kinds that an organization can have, and a second service without it. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, vi } from 'vitest';
import { startService } from '#infra/local/service.ts';
import { makePerson, OPERATOR } from '#shared/access/actor.ts';
import { createBadge } from '#shared/badges/badges.ts';
import { proveDomain } from '#shared/company-sign-in/domains.ts';
import { createGroup } from '#shared/directory/groups.ts';
import { createScimToken } from '#shared/directory/tokens.ts';
import { createUser } from '#shared/directory/users.ts';
import { ABSENT, PRESENT, put, update } from '#shared/engine/table/writes.ts';
import { changeAutomation, readAutomation } from '#shared/issues/automation/settings.ts';
import { formatSecretName } from '#shared/model/credential.ts';
import { dueNotifications } from '#shared/model/due.ts';
import { outboxParked } from '#shared/model/events/outbox-retry.ts';
import { oauthItems } from '#shared/model/oauth/oauth-item.ts';
import { type Account, accounts } from '#shared/model/organizations/account.ts';
import { organizations } from '#shared/model/organizations/organization.ts';
import { signInSettings } from '#shared/model/organizations/sign-in-settings.ts';
import { companyIdentities, companyProviders } from '#shared/model/sign-in/company-provider.ts';
import { providerIdentities, providerIdentitiesOfAccount } from '#shared/model/sign-in/provider-identity.ts';
import { saveNotification } from '#shared/notifications/save-notification.ts';
import { requestErasure } from '#shared/organizations/erased-people.ts';
import { inviteMember } from '#shared/organizations/invitations.ts';
import { addMember } from '#shared/organizations/members.ts';
import { changeUsageLimits } from '#shared/organizations/usage-limits.ts';
import { connectProviders, connectSecrets, connectTrackers, makeServices } from '#shared/platform/connect.ts';
import { createSignInLink } from '#shared/sign-in/links.ts';
import { sampleWorld } from '#test/engine/http/sample-requests.ts';
import { runEvent } from '#test/events/rows.ts';
import { managedAccount, managedMember } from '#test/harness/company-people.ts';
import { CLIENT_ID, CLIENT_SECRET } from '#test/harness/company-provider.ts';
import { signedInWithPasskey } from '#test/harness/passkey.ts';
import { member, token } from '#test/harness/people.ts';
import { createRule } from '#test/harness/rules.ts';
import { service, type Tenant, type TestService } from '#test/harness/service.ts';
import { findAssembly, findEngines, findPackages } from '#test/harness/stage.ts';
import { recordAll, WITH_FILES } from '#test/lifecycle/runs-of-every-kind.ts';
import { givenGrant } from '#test/oauth/given-grant.ts';

const DAY = 24 * 3_600_000;
const CHANNEL = 'https://hooks.slack.com/services/T0/B0/x';

/** Creates and fills an organization. Afterwards, the clock is stopped just after the files were stored. */
export async function fullOrganization() {
  const here = await service();
  // The object store checks presigned URLs against the real time.
  vi.useRealTimers();
  const { organizationId, projectId, environment, services, api } = here;
  const request = { organizationId, projectId, actor: OPERATOR };
  const world = await sampleWorld(here);
  await recordAll(here, WITH_FILES);
  // Analytics of six hours are summarized only after those hours have ended.
  vi.setSystemTime(Date.now() + DAY);
  await here.runSchedule('mergeAnalytics');
  vi.useRealTimers();
  const automation = await readAutomation(services, request);
  await changeAutomation(services, { ...request, settings: { ...automation, reportsAgain: true } });
  await createRule(here);
  const { actionId } = await createRule(here);
  await api.send('DELETE', `/actions/${actionId}`);
  const hook = { url: 'https://receiver.invalid/', headers: '{"authorization":"Bearer h34der"}', signed: true };
  const { hookId, secret } = (await api.post(`/webhooks?projectId=${projectId}`, hook)).body.data;
  const secrets = connectSecrets(environment)();
  const notification = await saveNotification(
    { ...services, secrets },
    { ...request, settings: { kind: 'slack', runs: 'all', credential: CHANNEL } },
  );
  await createBadge(services, { ...request, branch: 'main', label: 'tests' });
  await api.post('@/cache/upload', { recordKey: here.keys.readWrite, ci: {}, id: 'cache', config: {} });
  await changeUsageLimits(services, { ...request, change: { requestsPerMonth: 5_000_000 } });
  const people = await fillPeople(here);
  await fillQueues(here);
  const provider = await storeProvider(here);
  await proveDomain(services, { ...request, domain: `${organizationId}.example` }, 'by the operator');
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
  return {
    ...here,
    ...people,
    world,
    secrets,
    notification,
    hookId,
    trackers: connectTrackers(environment)().secrets,
    providers: connectProviders(environment)(),
    provider,
    /** The secrets that no archive and no output may contain. */
    hidden: [
      String(secret),
      'h34der',
      CHANNEL,
      CLIENT_SECRET,
      people.token,
      people.scimToken,
      here.keys.readOnly,
      here.keys.readWrite,
    ],
  };
}

export type FullOrganization = Awaited<ReturnType<typeof fullOrganization>>;

/** Adds an Admin with a passkey, sessions, a sign-in link, a token and an application, and invites another person. */
async function fillPeople(here: TestService & Tenant) {
  const { organizationId, services } = here;
  const admin = await member(here, 'admin');
  await signedInWithPasskey(here, admin);
  await storeIdentity(here, admin);
  await createSignInLink(services, { email: admin.email, actor: OPERATOR });
  const { value } = await token(here, { owner: admin });
  const { hash } = await givenGrant(here, admin);
  const expiresAt = Math.floor((Date.now() + 14 * DAY) / 1000);
  const refresh = { model: 'RefreshToken', hash, payload: JSON.stringify({ organizationId }), expiresAt } as const;
  await services.table.writeMany([put(oauthItems, refresh)]);
  await inviteMember(services, { organizationId, email: 'kim@example.com', role: 'guest', actor: makePerson(admin) });
  // Somebody else has an account of their own with the same address.
  await managedMember(here, admin.email, 'guest');
  await managedAccount(here, `former-${admin.email}`);
  const { value: scimToken, tokenId } = await createScimToken(services, { organizationId, actor: OPERATOR });
  const request = { actor: { kind: 'directory' as const, organizationId, tokenId } };
  const emails = [{ value: 'lee@work.example', type: 'work' }];
  const user = await createUser(services, request, {
    userName: 'lee@example.com',
    externalId: 'e1',
    emails,
    active: true,
  });
  const members = { only: [user.entry.entryId], add: [], remove: [] };
  await createGroup(services, request, { displayName: 'Visitors' }, members);
  await requestErasure(services, { organizationId, actor: OPERATOR, email: 'robin@example.com', names: ['Robin'] });
  const groupRoles = [{ group: 'Testers', role: 'admin' as const }];
  await services.table.put(signInSettings, { organizationId, groupRoles, updatedAt: Date.now() });
  return { admin, token: value, scimToken };
}

/** Connects the account with an identity at a provider of the deployment. */
async function storeIdentity({ services: { table } }: TestService, account: Account): Promise<void> {
  const { accountId } = account;
  const provider = { issuer: 'https://sso.invalid', name: 'Acme' };
  const identity = {
    identity: 'b'.repeat(64),
    accountId,
    ...provider,
    ground: 'person' as const,
    createdAt: Date.now(),
  };
  await table.transact([
    put(providerIdentities, identity, ABSENT),
    put(providerIdentitiesOfAccount, identity, ABSENT),
    update(accounts, account, { add: [['identities', 1]] }, PRESENT),
  ]);
}

/** Stores a provider that nobody reaches, with its client secret, and the identity of a member. */
async function storeProvider({ organizationId, environment, services: { table } }: TestService & Tenant) {
  const secret = { organizationId, secretId: 'client' };
  await connectProviders(environment)().put(secret, CLIENT_SECRET);
  const now = Date.now();
  const provider = {
    organizationId,
    providerId: 'cmp_1',
    name: 'Acme Okta',
    issuer: 'https://acme.invalid',
    clientId: CLIENT_ID,
    secretName: formatSecretName(secret),
    admitsNew: true,
    createdAt: now,
    updatedAt: now,
  };
  const identity = {
    organizationId,
    identity: 'a'.repeat(64),
    accountId: 'none',
    email: 'a@b.example',
    createdAt: now,
  };
  await table.transact([put(companyProviders, provider, ABSENT), put(companyIdentities, identity, ABSENT)]);
  const companySignIn = { providerId: provider.providerId, required: false };
  await table.update(organizations, { organizationId }, { set: [['companySignIn', companySignIn]] }, PRESENT);
  return provider;
}

/** Stores a notification that is due later, and an event that is parked because all attempts to send it failed. */
async function fillQueues({ organizationId, services: { table } }: TestService & Tenant): Promise<void> {
  const job = { organizationId, hookId: 'slack', deliveryId: 'd', attempt: 1 };
  await table.put(dueNotifications, { ...job, dueAt: Date.now() + 1e9 });
  const parked = { shard: 1, retryId: 'r', dueAt: Date.now(), tries: 6, reason: '', at: Date.now() };
  const event = { ...runEvent('parked'), organizationId };
  await table.put(outboxParked, { ...parked, content: { kind: 'events', events: [event] } });
}

/** Makes the person an Admin of another new organization. Returns the id of this organization. */
export async function alsoElsewhere(here: TestService, { accountId }: Account): Promise<string> {
  const { organizationId } = await here.tenant('Elsewhere');
  await addMember(here.services, { organizationId, accountId, role: 'admin', actor: OPERATOR });
  return organizationId;
}

const folders: string[] = [];
const running: { close: () => Promise<void> }[] = [];
afterAll(async () => {
  for (const { close } of running) await close();
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
});

/** A folder that lasts until the end of the test file. */
export async function lastingFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'rundown-life-'));
  folders.push(folder);
  return folder;
}

/**
 * Sets the stopped clock to the real time if they differ by more than two minutes, because the object store checks
 * presigned URLs against the real time.
 */
export function useRealTime(): void {
  const real = vi.getRealSystemTime();
  if (Math.abs(Date.now() - real) > NEAR_MILLISECONDS) vi.setSystemTime(real);
}
const NEAR_MILLISECONDS = 120_000;

/** Makes commands of `npm run admin` work on this service. */
export async function administer(environment: Readonly<Record<string, string>>): Promise<void> {
  const folder = await lastingFolder();
  useRealTime();
  await writeFile(join(folder, 'store.json'), JSON.stringify(environment));
  process.env['RUNDOWN_DATA'] = folder;
  Object.assign(process.env, environment);
}

/** Starts a service without any organization. It runs until the end of the test file. */
export async function emptyService() {
  useRealTime();
  const own = `empty-${crypto.randomUUID().slice(0, 8)}`;
  const started = await startService({
    ...{ assembly: await findAssembly(), packages: await findPackages(), engines: await findEngines() },
    ...{ tableName: own, bucketName: own, queuePrefix: `${own}-`, schedules: false, onFault: () => {} },
  });
  running.push(started);
  return { ...started, services: makeServices({ ...started.environment }) };
}
