/**
 * `npm run test:deploy`: deploys the app with the CDK CLI to an AWS-compatible endpoint, records a run through it, reads
 * the run back and takes the stack down. Exit status 3 means that it did not run, because there is nothing to deploy to.
 */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import * as z from 'zod';
import { createApiKey } from '#shared/credentials/create-api-key.ts';
import { ENVIRONMENT } from '#shared/environment.ts';
import { OPERATOR } from '#shared/organizations/actor.ts';
import { createOrganization } from '#shared/organizations/create-organization.ts';
import { createProject } from '#shared/organizations/create-project.ts';
import { type Services, services } from '#shared/services.ts';
import { cdkFor, type StackOutputs } from './cdk.ts';
import { cleanUp } from './clean-up.ts';
import { type Emulator, findEmulator } from './emulator.ts';
import { type Account, expectedCounts, replay } from './recording.ts';
import { relayed } from './run-events.ts';

const NOT_RUN = 3;

const Counters = z.object({
  overall: z.int(),
  passes: z.int(),
  failures: z.int(),
  pending: z.int(),
  skipped: z.int(),
  flaky: z.int(),
});
const Run = z.object({
  data: z.object({
    completionState: z.string(),
    groups: z.array(z.object({ groupId: z.string(), tests: Counters })),
    specs: z.array(z.object({ instanceId: z.string() })),
  }),
});
const Instance = z.object({
  data: z.object({
    results: z.object({ stdout: z.object({ readUrl: z.url(), bytes: z.int().nullable() }).nullable() }),
  }),
});
/** From S3 by way of the queue to the function, with its cold start. */
const CONFIRMATION_SECONDS = 60;

async function main(): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'rundown-deploy-'));
  const emulator = await findEmulator(directory);
  if (emulator === undefined) {
    console.error(
      'NOT RUN: nothing to deploy to. Install MiniStack (pip install ministack), or set RUNDOWN_AWS_ENDPOINT.',
    );
    await rm(directory, { recursive: true });
    process.exitCode = NOT_RUN;
    return;
  }
  console.log(`Deploying to ${emulator.endpoint}; logs are in ${directory}`);
  const cdk = cdkFor(emulator, directory);
  try {
    await step('bootstrap', cdk.bootstrap);
    const outputs = await step('deploy', cdk.deploy);
    try {
      await exercise(emulator, outputs);
    } finally {
      await step('destroy', cdk.destroy);
    }
  } finally {
    await emulator.stop();
  }
  await rm(directory, { recursive: true });
  console.log('Deployed, recorded, read back and destroyed.');
}

async function exercise(emulator: Emulator, outputs: StackOutputs): Promise<void> {
  const recordUrl = emulatedUrl(emulator, outputs.RecordUrl);
  const connected = connect(emulator, outputs);
  const account = await step('create organization, project and key', () => createAccount(connected));
  const runId = await step('record', () => replay(recordUrl, account));
  const instanceIds = await step('read back', () => readBack(`${recordUrl}/v1`, account, runId));
  await step('files confirmed', () => confirmed(`${recordUrl}/v1`, account, instanceIds));
  await step('dead token marked', () => cleanUp(emulator, connected));
  await step('event brought to its webhook', () => relayed(connected));
}

/** Emulators serve every API under a path of their own address instead of under a host name. */
function emulatedUrl({ endpoint }: Emulator, url: string): string {
  const { hostname, pathname } = new URL(url);
  return `${endpoint}/_aws/execute-api/${hostname.split('.')[0]}${pathname}`;
}

function connect({ environment }: Emulator, outputs: StackOutputs): Services {
  Object.assign(process.env, environment);
  return services({
    ...environment,
    [ENVIRONMENT.tableName]: outputs.TableName,
    [ENVIRONMENT.artifactsBucket]: outputs.ArtifactsBucket,
    [ENVIRONMENT.publicOrigin]: outputs.RecordUrl,
  });
}

async function createAccount(connected: Services): Promise<Account> {
  const { organizationId } = await createOrganization(connected, { name: 'Deployed', actor: OPERATOR });
  const { projectId } = await createProject(connected, { organizationId, name: 'Shop', actor: OPERATOR });
  const key = { organizationId, label: 'recorder', level: 'readWrite', actor: OPERATOR } as const;
  const { value } = await createApiKey(connected, key);
  return { projectId, recordKey: value, ciBuildId: `deploy-${Date.now()}` };
}

async function read(url: string, { recordKey }: Account): Promise<unknown> {
  const response = await fetch(url, { headers: { authorization: `Bearer ${recordKey}` } });
  assert.equal(response.status, 200, `GET ${url}: ${response.status}`);
  return response.json();
}

const standardOutput = async (url: string, account: Account) =>
  Instance.parse(await read(url, account)).data.results.stdout;

/** Answers the instances that have a standard output. */
async function readBack(baseUrl: string, account: Account, runId: string): Promise<string[]> {
  const { data: run } = Run.parse(await read(`${baseUrl}/runs/${runId}`, account));
  assert.equal(run.completionState, 'COMPLETE');
  const counted = run.groups.map(({ groupId, tests: { overall, passes, failures, pending, skipped, flaky } }) => {
    return [groupId, { overall, passes, failures, notRun: pending + skipped, flaky }];
  });
  assert.deepEqual(Object.fromEntries(counted), await expectedCounts());

  const instances = await Promise.all(
    run.specs.map(async ({ instanceId }) => ({
      instanceId,
      output: await standardOutput(`${baseUrl}/instances/${instanceId}`, account),
    })),
  );
  const withOutput = instances.flatMap(({ instanceId, output }) => (output ? [{ instanceId, output }] : []));
  assert.ok(withOutput.length > 0, 'No instance has its standard output');
  const file = await fetch(withOutput[0]?.output.readUrl ?? '');
  assert.match(await file.text(), /Currents reporter/);

  const stranger = await fetch(`${baseUrl}/runs/${runId}`);
  assert.equal(stranger.status, 401);
  assert.match(stranger.headers.get('www-authenticate') ?? '', /^Bearer resource_metadata="https?:/);
  return withOutput.map(({ instanceId }) => instanceId);
}

/** S3 has told the queue, the queue the function, and the function the table, how large each file is. */
async function confirmed(baseUrl: string, account: Account, instanceIds: readonly string[]): Promise<void> {
  const deadline = Date.now() + CONFIRMATION_SECONDS * 1000;
  for (const instanceId of instanceIds) {
    const look = () => standardOutput(`${baseUrl}/instances/${instanceId}`, account);
    let output = await look();
    while (output?.bytes === null && Date.now() < deadline) {
      await wait(200);
      output = await look();
    }
    // Stored as it was sent, compressed: only the header tells its size.
    const file = await fetch(output?.readUrl ?? '');
    await file.arrayBuffer();
    const bytes = Number(file.headers.get('content-length'));
    assert.equal(output?.bytes, bytes, `The size of the standard output of ${instanceId}`);
  }
}

async function step<Result>(name: string, run: () => Promise<Result>): Promise<Result> {
  const start = performance.now();
  const result = await run();
  console.log(`${name.padEnd(40)} ${((performance.now() - start) / 1000).toFixed(1)} s`);
  return result;
}

await main();
