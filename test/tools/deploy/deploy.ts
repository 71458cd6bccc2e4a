/**
 * `npm run test:deploy` deploys the app with the CDK CLI to an AWS-compatible endpoint, uses it, updates it and rolls
 * it back. It also deploys the other environments, and destroys each environment after its checks. Exit status 3 means
 * that there is neither an endpoint nor MiniStack.
 */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readStackOutputs } from '#infra/cli/stack-outputs.ts';
import { startReceiver, type TestReceiver } from '#infra/cli/verify/receiver.ts';
import { OPERATOR } from '#shared/access/actor.ts';
import { createApiKey } from '#shared/organizations/create-api-key.ts';
import { createOrganization } from '#shared/organizations/create-organization.ts';
import { createProject } from '#shared/organizations/create-project.ts';
import { makeServices } from '#shared/platform/connect.ts';
import { ENVIRONMENT } from '#shared/platform/environment.ts';
import type { Services } from '#shared/services.ts';
import { authorizationServer, callTool, importReports } from './applications.ts';
import { NOT_TESTED } from './assembly.ts';
import { type Cdk, cdkFor, type StackOutputs } from './cdk.ts';
import { cleanUp } from './clean-up.ts';
import { type Emulator, findEmulator, HOW_TO_INSTALL, WrongVersion } from './emulator.ts';
import { startLoad } from './load.ts';
import { tell, told } from './notification.ts';
import { runReporter, runTests } from './programs.ts';
import { addRoute, copyOfProject, NEW_ROUTE, type Project, RELEASE_TAG } from './project.ts';
import { endProtection } from './protection.ts';
import { cancel, confirmed, readBack, readContext, runOfBuild } from './read-back.ts';
import { type Account, begin, replay } from './recording.ts';
import { readerToken, refusals } from './refusals.ts';
import { findMissingHistory, RELEASE } from './released-project.ts';
import {
  enableRecovery,
  reconcileFiles,
  refuseForeignTable,
  restoreEncrypted,
  restoreHalf,
  restoreRest,
} from './restored.ts';
import { heard, subscribe } from './webhook.ts';

const NOT_RUN = 3;
const ROLL_BACK = 'infra/operate/roll-back.ts';

const print = (line: string): void => console.log(line);

async function main(): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'rundown-deploy-'));
  const emulator = await findEmulator(directory).catch((error: unknown) => {
    if (error instanceof WrongVersion) return error.message;
    throw error;
  });
  if (emulator === undefined || typeof emulator === 'string') {
    console.error(`NOT RUN: ${emulator ?? `There is no AWS-compatible endpoint. ${HOW_TO_INSTALL}`}`);
    await rm(directory, { recursive: true });
    process.exitCode = NOT_RUN;
    return;
  }
  print(`Deploying to ${emulator.endpoint}; logs are in ${directory}`);
  if (emulator.isMiniStack) for (const line of NOT_TESTED) print(`  not tested: ${line}`);
  const project = await copyOfProject(emulator, directory);
  const cdk = cdkFor(project, directory, (line) => print(`  changed for the emulator: ${line}`));
  const receiver = await startReceiver();
  const stage = { emulator, project, cdk, directory, receiver };
  try {
    await step('bootstrap', cdk.bootstrap);
    await updateFromRelease(stage);
    await exerciseDev(stage);
    await protectedStack(stage, 'staging', (outputs) => restoreTable(stage, outputs));
    await protectedStack(stage, 'prod', async () => {});
  } finally {
    receiver.close();
    await emulator.stop();
  }
  await step('every state between two releases', () => runTests('test/tools/deploy/vitest.config.ts'));
  await rm(directory, { recursive: true });
  print('Deployed, used, updated, rolled back, restored and destroyed.');
}

interface Stage {
  readonly emulator: Emulator;
  readonly project: Project;
  readonly cdk: Cdk;
  readonly directory: string;
  readonly receiver: TestReceiver;
}

/** Updates a deployment of the last release to this version and rolls it back, while requests arrive. */
async function updateFromRelease(stage: Stage): Promise<void> {
  const { emulator, cdk, project } = stage;
  const missing = findMissingHistory();
  if (missing !== undefined) return print(`  NOT TESTED: the update from release ${RELEASE.version}. ${missing}`);
  const outputs = await step(`deploy release ${RELEASE.version}`, () => cdk.deploy('dev'));
  try {
    const account = await createAccount(connect(emulator, outputs));
    const origin = emulatedUrl(emulator, outputs.RecordUrl);
    const runId = await step('record in the release', () => replay(origin, account));
    const load = await startLoad({ origin, account, runId });
    await project.useThisVersion();
    const updated = await step('update to this version, with requests', () => cdk.deploy('dev'));
    load.moveTo(emulatedUrl(emulator, updated.RecordUrl));
    await step('roll back to the release, with requests', () => cdk.operate(ROLL_BACK, 'dev', '--to', RELEASE_TAG));
    load.moveTo(emulatedUrl(emulator, (await readStackOutputs('dev')).RecordUrl));
    print(`  ${await step('find all results', load.stop)}`);
  } finally {
    await step('destroy the release', () => cdk.destroy('dev'));
  }
}

async function exerciseDev(stage: Stage): Promise<void> {
  const outputs = await step('deploy dev', () => stage.cdk.deploy('dev'));
  try {
    const connected = connect(stage.emulator, outputs);
    const origin = emulatedUrl(stage.emulator, outputs.RecordUrl);
    const account = await step('create organization, project and key', () => createAccount(connected));
    await use(stage, origin, account);
    const deployed = { connected, emulator: stage.emulator, secretsPrefix: outputs.SecretsPrefix };
    await step('import reports, and tell Slack', () => imported(deployed, origin, account));
    await step('publish signing keys of KMS', () => authorizationServer(origin));
    await step('call a tool over MCP', () => callTool(origin, account));
    await step('revoke a dead token', () => cleanUp(stage.emulator, connected));
    await update(stage, origin, { ...account, token: await readerToken(connected) });
  } finally {
    await step('destroy dev', () => stage.cdk.destroy('dev'));
  }
}

/** Deploys, uses and destroys a stack with termination protection. */
async function protectedStack(
  { emulator, cdk }: Stage,
  environment: 'staging' | 'prod',
  use: (outputs: StackOutputs) => Promise<void>,
): Promise<void> {
  await use(await step(`deploy ${environment}`, () => cdk.deploy(environment)));
  await step(`end the protection of ${environment}`, () => endProtection(emulator, cdk, environment));
  await step(`destroy ${environment}`, () => cdk.destroy(environment));
}

/** Restores the table of staging, because dev has no point-in-time recovery. */
async function restoreTable({ emulator, cdk, project, receiver }: Stage, outputs: StackOutputs): Promise<void> {
  const connected = connect(emulator, outputs);
  const origin = emulatedUrl(emulator, outputs.RecordUrl);
  const baseUrl = `${origin}/v1`;
  const account = await createAccount(connected);
  // Removes the received events of dev, which are signed with another secret.
  receiver.received.splice(0);
  const secret = await subscribe(baseUrl, account, receiver.url);
  const runId = await step('record in staging', () => replay(origin, account));
  await confirmed(baseUrl, account, await readBack(baseUrl, account, runId));
  if (emulator.isMiniStack) {
    await enableRecovery(outputs.TableName);
    print('  changed for the emulator: MiniStack ignores point-in-time recovery in a template: enabled by a call');
  }
  const restore = { cdk, project, environment: 'staging', at: new Date().toISOString() } as const;
  await step('refuse a table of another environment', () => refuseForeignTable(restore, origin));
  await step('pause, and restore the table', () => restoreHalf(restore, origin));
  const table = await step('deploy the restored table, and resume', () => restoreRest(restore, origin));
  await step('read back from the restored table', () => readBack(baseUrl, account, runId));
  const later = { ...account, ciBuildId: `restored-${Date.now()}` };
  await step('record after the restore', () => replay(origin, later));
  await step('receive RUN_FINISH through its stream', () => heard(receiver, secret, later.ciBuildId, 'RUN_FINISH'));
  const names = { table, bucket: outputs.ArtifactsBucket };
  const adopted = connect(emulator, { ...outputs, TableName: table });
  await step('bring a deleted file back', () => reconcileFiles(adopted, account, names));
  await step('restore tables with a key and a maximum of the operator', restoreEncrypted);
}

async function use({ emulator, directory, receiver }: Stage, origin: string, account: Account): Promise<void> {
  const baseUrl = `${origin}/v1`;
  const secret = await step('create webhook', () => subscribe(baseUrl, account, receiver.url));
  const runId = await step('record', () => replay(origin, account));
  const instanceIds = await step('read back', () => readBack(baseUrl, account, runId));
  await step('confirm files', () => confirmed(baseUrl, account, instanceIds));
  await step('read the failure context', () => readContext(baseUrl, account, runId));
  await step('receive RUN_FINISH', () => heard(receiver, secret, account.ciBuildId, 'RUN_FINISH'));
  const reported = await step('record with the published reporter', () =>
    runReporter({ emulator, origin, directory }, account),
  );
  const { completionState } = await runOfBuild(baseUrl, { ...account, ciBuildId: reported });
  assert.equal(completionState, 'COMPLETE');
  const cancelled = { ...account, ciBuildId: `cancel-${Date.now()}` };
  await step('cancel a run', async () => cancel(baseUrl, cancelled, await begin(origin, cancelled)));
  await step('receive RUN_CANCELED', () => heard(receiver, secret, cancelled.ciBuildId, 'RUN_CANCELED'));
}

/** Imports two reports, and checks that Slack is notified about their runs. */
async function imported(deployed: Parameters<typeof tell>[0], origin: string, account: OwnedAccount): Promise<void> {
  const slack = await startReceiver();
  try {
    await tell(deployed, account, slack);
    for (const ciBuildId of await importReports(`${origin}/v1`, account)) await told(slack, ciBuildId);
  } finally {
    slack.close();
  }
}

/**
 * Updates the deployment and rolls it back. Compares the refusals before and after, because an update of the routes
 * once reset the gateway responses.
 */
async function update(
  { emulator, cdk, project }: Stage,
  origin: string,
  credentials: { readonly token: string; readonly recordKey: string },
): Promise<void> {
  const before = await step('read refusals', () => refusals(emulator, origin, credentials));
  // Before the route is added, its path matches the page of an organization, which redirects to the sign-in page.
  const newRoute = async (at: string) => (await fetch(`${at}${NEW_ROUTE}`, { redirect: 'manual' })).status;
  assert.notEqual(await newRoute(origin), 200);
  await addRoute(project);
  const outputs = await step('add one route to dev', () => cdk.deploy('dev'));
  const current = emulatedUrl(emulator, outputs.RecordUrl);
  assert.equal(await newRoute(current), 200, `GET ${NEW_ROUTE} after the update`);
  const after = await step('read refusals after the update', () => refusals(emulator, current, credentials));
  assert.deepEqual(after, before);
  for (const name of Object.keys(after)) print(`  unchanged: ${name}`);
  // The commit before this one is the deployed one, so a roll back must ask the deployment and not the history of Git.
  await writeFile(join(project.folder, 'NOTES.md'), 'Nothing of this is deployed');
  project.commit('Write notes');
  await step('roll dev back', () => cdk.operate(ROLL_BACK, 'dev'));
  await assert.rejects(cdk.operate(ROLL_BACK, 'dev'), 'A second roll back must be told its commit');
  const earlier = emulatedUrl(emulator, (await readStackOutputs('dev')).RecordUrl);
  assert.notEqual(await newRoute(earlier), 200, `GET ${NEW_ROUTE} after the rollback`);
  assert.equal(project.worktrees(), 1, 'The rollback left a worktree');
  const last = await step('read refusals after the rollback', () => refusals(emulator, earlier, credentials));
  assert.deepEqual(last, before);
}

/**
 * The address of an API on the emulator. Emulators serve each API under a path of their own address instead of under
 * the host name of the API.
 */
function emulatedUrl({ endpoint }: Emulator, url: string): string {
  const { hostname, pathname } = new URL(url);
  return `${endpoint}/_aws/execute-api/${hostname.split('.')[0]}${pathname}`;
}

function connect({ environment }: Emulator, outputs: StackOutputs): Services {
  Object.assign(process.env, environment);
  return makeServices({
    ...environment,
    [ENVIRONMENT.tableName]: outputs.TableName,
    [ENVIRONMENT.artifactsBucket]: outputs.ArtifactsBucket,
    [ENVIRONMENT.publicOrigin]: outputs.RecordUrl,
  });
}

interface OwnedAccount extends Account {
  readonly organizationId: string;
}

async function createAccount(connected: Services): Promise<OwnedAccount> {
  const { organizationId } = await createOrganization(connected, { name: 'Deployed', actor: OPERATOR });
  const { projectId } = await createProject(connected, { organizationId, name: 'Shop', actor: OPERATOR });
  const key = { organizationId, label: 'recorder', level: 'readWrite', actor: OPERATOR } as const;
  const { value } = await createApiKey(connected, key);
  return { organizationId, projectId, recordKey: value, ciBuildId: `deploy-${Date.now()}` };
}

async function step<Result>(name: string, run: () => Promise<Result>): Promise<Result> {
  const start = performance.now();
  try {
    const result = await run();
    print(`${name.padEnd(40)} ${((performance.now() - start) / 1000).toFixed(1)} s`);
    return result;
  } catch (error) {
    print(`${name.padEnd(40)} FAILED after ${((performance.now() - start) / 1000).toFixed(1)} s`);
    throw error;
  }
}

await main();
