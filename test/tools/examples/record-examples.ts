/**
 * `npm run examples` regenerates infra/build/openapi-examples.json from real answers. The clock and the ids are fixed,
 * so that the file changes only if the answers change.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mock } from 'node:test';
import { PROJECT } from '#infra/build/declarations.ts';
import { printLine, step } from '#infra/cli/terminal/terminal.ts';
import { startService } from '#infra/local/service.ts';
import { type Engines, startEngines } from '#infra/local/stores/engines.ts';
import { synthesize } from '#infra/synth.ts';
import { OPERATOR } from '#shared/access/actor.ts';
import { SCOPES } from '#shared/model/organizations/permissions.ts';
import { createAccount } from '#shared/organizations/create-account.ts';
import { createApiKey } from '#shared/organizations/create-api-key.ts';
import { createOrganization } from '#shared/organizations/create-organization.ts';
import { createProject } from '#shared/organizations/create-project.ts';
import { addMember } from '#shared/organizations/members.ts';
import { makeServices } from '#shared/platform/connect.ts';
import { client } from '#test/harness/client.ts';
import { claimsOf, signed, startTestIssuer } from '#test/harness/issuer.ts';
import { startCiJob } from './ci-job.ts';
import { converse, type Examples } from './conversation.ts';
import { connectJira } from './issue-conversation.ts';

const FILE = join(PROJECT, 'infra/build/openapi-examples.json');
const NOW = Date.parse('2026-11-02T10:00:00.000Z');

const assembly = await mkdtemp(join(tmpdir(), 'rundown-examples-'));
try {
  await step('Synthesizing the CDK app', () =>
    synthesize({ outdir: assembly, context: { env: 'dev', privateWebhooks: 'true' } }),
  );
  const engines = await startEngines({});
  try {
    const examples = await step('Recording and reading a run', () => recorded(engines));
    await writeFile(FILE, `${JSON.stringify(examples, null, 2)}\n`);
  } finally {
    await engines.close();
  }
  execFileSync(join(PROJECT, 'node_modules/.bin/biome'), ['format', '--write', FILE], { cwd: PROJECT });
  printLine(`Wrote ${FILE}`);
} finally {
  await rm(assembly, { recursive: true });
}

/** Records the examples. Only `Date` is fixed: sockets and timers use real time. */
async function recorded(engines: Omit<Engines, 'close'>): Promise<Examples> {
  const issuer = await startTestIssuer();
  const options = { oauthIssuer: issuer.issuer, streams: false, throttling: 'none' } as const;
  const service = await startService({ assembly, engines, ...options });
  mock.timers.enable({ apis: ['Date'], now: NOW });
  try {
    Object.assign(process.env, service.environment);
    const made = { ...makeServices({ ...service.environment }), randomId: fixedIds() };
    const { organizationId } = await createOrganization(made, { name: 'Shop', actor: OPERATOR });
    const by = { organizationId, actor: OPERATOR };
    const { projectId } = await createProject(made, { ...by, name: 'Checkout' });
    const readWrite = await createApiKey(made, { ...by, label: 'CI', level: 'readWrite' });
    const readOnly = await createApiKey(made, { ...by, label: 'Dashboard', level: 'readOnly' });
    const { accountId } = await createAccount(made, { email: 'alex.doe@example.com', name: 'Alex Doe' });
    await addMember(made, { ...by, accountId, role: 'admin' });
    const claims = claimsOf(issuer, { origin: service.origin, organizationId }, accountId, { scope: SCOPES.join(' ') });
    const token = await signed(claims, issuer.key);
    return await converse({
      person: client(service.origin, token),
      api: client(service.origin, readWrite.value),
      reader: client(service.origin, readOnly.value),
      anonymous: client(service.origin),
      withSecret: (secret) => client(service.origin, secret),
      issuer: issuer.issuer,
      organizationId,
      projectId,
      identityToken: await startCiJob(made, { origin: service.origin, organizationId, projectId }),
      jira: await connectJira({ ...made, privateReceivers: 'machine' }, organizationId),
      recordKey: readWrite.value,
      runSchedule: (name) => service.runSchedule(`rundown-dev-${name}`),
      advance: (milliseconds) => mock.timers.setTime(Date.now() + milliseconds),
    });
  } finally {
    mock.timers.reset();
    await service.close();
    await issuer.close();
  }
}

/** Returns a generator of deterministic ids in the format of random ids. */
function fixedIds(): (characters: number) => string {
  let made = 0;
  return (characters) => {
    made += 1;
    return createHash('sha512').update(`example ${made}`).digest('hex').slice(0, characters);
  };
}
