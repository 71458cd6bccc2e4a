/** Starts a service with recorded data, for external tools. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { startService } from '#infra/local/service.ts';
import { startEngines } from '#infra/local/stores/engines.ts';
import { synthesize } from '#infra/synth.ts';
import { OPERATOR } from '#shared/access/actor.ts';
import { SCOPES } from '#shared/model/organizations/permissions.ts';
import { createAccount } from '#shared/organizations/create-account.ts';
import { createApiKey } from '#shared/organizations/create-api-key.ts';
import { createOrganization } from '#shared/organizations/create-organization.ts';
import { createProject } from '#shared/organizations/create-project.ts';
import { addMember } from '#shared/organizations/members.ts';
import { makeServices } from '#shared/platform/connect.ts';
import type { Services } from '#shared/services.ts';
import { type Client, client } from '#test/harness/client.ts';
import { claimsOf, signed, startTestIssuer } from '#test/harness/issuer.ts';
import { startCiJob } from '#test/tools/examples/ci-job.ts';
import { converse } from '#test/tools/examples/conversation.ts';
import { connectJira } from '#test/tools/examples/issue-conversation.ts';

export interface StandingService {
  readonly origin: string;
  readonly key: string;
  /** Values of path and query parameters that refer to existing data. */
  readonly ids: Readonly<Record<string, string>>;
  readonly close: () => Promise<void>;
}

export async function standingService(): Promise<StandingService> {
  const assembly = await mkdtemp(join(tmpdir(), 'rundown-contract-'));
  await synthesize({ outdir: assembly, context: { env: 'dev', privateWebhooks: 'true' } });
  const engines = await startEngines({});
  const issuer = await startTestIssuer();
  const service = await startService({ assembly, engines, schedules: false, oauthIssuer: issuer.issuer });
  Object.assign(process.env, service.environment);
  const connected = makeServices({ ...service.environment });
  const tenant = await tenantIn(connected);
  const api = client(service.origin, tenant.key);
  const anonymous = client(service.origin);
  const { origin } = service;
  const claims = claimsOf(issuer, { origin, ...tenant }, tenant.accountId, { scope: SCOPES.join(' ') });
  const person = client(origin, await signed(claims, issuer.key));
  const withSecret = (secret: string) => client(origin, secret);
  const { organizationId, projectId } = tenant;
  const runSchedule = (name: string) => service.runSchedule(`rundown-dev-${name}`);
  const clients = { api, anonymous, reader: api, person, withSecret, issuer: issuer.issuer };
  const jira = await connectJira({ ...connected, privateReceivers: 'machine' }, organizationId);
  const identityToken = await startCiJob(connected, { origin, organizationId, projectId });
  const of = { organizationId, projectId, identityToken, jira };
  await converse({ ...clients, ...of, recordKey: tenant.key, advance: () => {}, runSchedule });
  const close = async () => {
    await service.close();
    await issuer.close();
    await engines.close();
    await rm(assembly, { recursive: true });
  };
  return { origin: service.origin, key: tenant.key, ids: await idsIn(api, projectId), close };
}

async function tenantIn(connected: Services) {
  const { organizationId } = await createOrganization(connected, { name: 'Acme', actor: OPERATOR });
  const by = { organizationId, actor: OPERATOR };
  const { projectId } = await createProject(connected, { ...by, name: 'Shop' });
  const { value: key } = await createApiKey(connected, { ...by, label: 'CI', level: 'readWrite' });
  const { accountId } = await createAccount(connected, { email: 'admin@acme.example', name: 'Admin' });
  await addMember(connected, { ...by, accountId, role: 'admin' });
  return { organizationId, accountId, projectId, key };
}

const Runs = z.object({ data: z.array(z.object({ runId: z.string() })).min(1) });
const Whole = z.object({ data: z.object({ specs: z.array(z.object({ instanceId: z.string() })) }) });
const Hooks = z.object({ data: z.array(z.object({ hookId: z.string() })).min(1) });

const CreatedAction = z.object({ data: z.object({ actionId: z.string() }) });
const QUARANTINE = {
  name: 'Contract',
  action: [{ op: 'quarantine' }],
  matcher: { op: 'AND', cond: [{ type: 'title', op: 'eq', value: 'adds an item' }] },
};

async function idsIn(api: Client, projectId: string): Promise<Record<string, string>> {
  const runs = Runs.parse((await api.get(`/projects/${projectId}/runs?limit=50`)).body).data;
  const wholes = await Promise.all(
    runs.map(async ({ runId }) => Whole.parse((await api.get(`/runs/${runId}`)).body).data),
  );
  const found = wholes.findIndex(({ specs }) => specs.length > 0);
  const hook = await api.post(`/webhooks?projectId=${projectId}`, {
    url: 'https://receiver.example/hook',
    label: 'Contract',
  });
  if (hook.status !== 201) throw new Error(`Creating a webhook returned ${hook.status}`);
  const action = await api.post(`/actions?projectId=${projectId}`, QUARANTINE);
  const { actionId } = CreatedAction.parse(action.body).data;
  const hooks = Hooks.parse((await api.get(`/webhooks?projectId=${projectId}`)).body).data;
  return {
    projectId,
    runId: runs[found]?.runId ?? '',
    instanceId: wholes[found]?.specs[0]?.instanceId ?? '',
    hookId: hooks[0]?.hookId ?? '',
    actionId,
  };
}
