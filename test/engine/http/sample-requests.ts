/** One valid request per operation, and an invalid one where possible, for tests that cover all operations. */
import type { Declaration } from '#shared/platform/declaration.ts';
import { accessToken } from '#test/harness/access-tokens.ts';
import { recordRun } from '#test/harness/recording.ts';
import { batchInstance, uploadBody } from '#test/harness/recording-batch.ts';
import { failed, runBody, suiteGroup, testIdOf } from '#test/harness/recording-messages.ts';
import { service, type Tenant, type TestService } from '#test/harness/service.ts';
import { ACTION_SAMPLES, sampleActions } from './sample-actions.ts';
import { IDENTITY_SAMPLES, sampleIdentity } from './sample-identity.ts';
import { IMPORT_SAMPLES, sampleImport } from './sample-imports.ts';
import { ISSUE_SAMPLES, sampleIssues } from './sample-issues.ts';
import { RECORDING_SAMPLES, sampleRecording } from './sample-recordings.ts';
import { RUN_SAMPLES, sampleRuns } from './sample-runs.ts';
import type { Ids, Need, Sample, World } from './sample-shapes.ts';
import { SHARE_SAMPLES, sampleShares } from './sample-shares.ts';
import { sampleWebhooks, WEBHOOK_SAMPLES } from './sample-webhooks.ts';
import type { WireRequest } from './wire.ts';

const SPEC = 'cart.spec.ts';
const FAILING = `${SPEC} > cart > keeps its articles`;
const OPEN = `${SPEC} > cart > is emptied`;
const TITLE = ['cart', 'keeps its articles'];
export const SUITE = [suiteGroup('retail', [FAILING, OPEN])];

/** Ids for test data that was not created. A request with one of these ids fails. */
const NOTHING: Ids = {
  organizationId: '',
  identityToken: '',
  projectId: '',
  doomedProjectId: '',
  runId: '',
  instanceId: '',
  recordId: '',
  recordingId: '',
  signature: '',
  actionId: '',
  doomedActionId: '',
  hookId: '',
  deliveryId: '',
  importId: '',
  doomedHookId: '',
  doomedRunId: '',
  endingRunId: '',
  sessionId: '',
  shareId: '',
  shareSecret: '',
  testId: '',
  integrationId: '',
  trackerProjectId: '',
  issueTypeId: '',
  issueId: '',
  issueKey: '',
  cacheKey: '',
};

const OF_RUN = [
  'runId',
  'instanceId',
  'recordId',
  'signature',
  'testId',
  'shareId',
  'shareSecret',
  'integrationId',
  'issueId',
] as const;

/**
 * Creates the test data that the sample requests of these operations need, such as runs, rules and webhooks. Default:
 * the data for all operations.
 */
export async function sampleWorld(
  tenant: Tenant & TestService,
  operations?: readonly Pick<Declaration, 'operationId'>[],
): Promise<World> {
  const { organizationId, projectId, keys } = tenant;
  const needed = operations?.map(sampleOf).flatMap(({ ids, needs = [] }): readonly Need[] => [...ids, ...needs]);
  const isNeeded = (...needs: readonly Need[]) => !needed || needs.some((need) => needed.includes(need));
  const needsRun = isNeeded(...OF_RUN);
  const run = needsRun ? await sampleRun(tenant) : undefined;
  return {
    ...NOTHING,
    organizationId,
    projectId,
    keys,
    ...run,
    ...(run ? await sampleShares(tenant, run.runId, isNeeded) : {}),
    ...(run ? await sampleIssues(tenant, run, isNeeded) : {}),
    ...(await sampleRuns(tenant, isNeeded)),
    ...(await sampleRecording(tenant, isNeeded)),
    ...(await sampleActions(tenant, isNeeded)),
    ...(await sampleWebhooks(tenant, isNeeded)),
    ...(isNeeded('identityToken') ? await sampleIdentity(tenant) : {}),
    ...(isNeeded('importId') ? await sampleImport(tenant) : {}),
    ...(isNeeded('doomedProjectId') ? { doomedProjectId: await sampleProject(tenant) } : {}),
  };
}

const sampleProject = async ({ api }: Tenant): Promise<string> =>
  (await api.post('/projects', { name: 'Doomed' })).body.data.projectId;

/** Records a run in progress: one test has a final result, and the other one has not reported. */
async function sampleRun(tenant: Tenant) {
  const { projectId, api } = tenant;
  const run = await recordRun(tenant, { retail: { tests: { [FAILING]: failed(), [OPEN]: undefined } } });
  const asked = await api.post('/signature/test', { projectId, specFilePath: SPEC, testTitle: TITLE });
  return {
    runId: run.runId,
    instanceId: run.instances[`retail ${SPEC}`] ?? '',
    recordId: run.records[`retail ${FAILING}`] ?? '',
    signature: asked.body.data.signature,
    testId: testIdOf('retail', FAILING),
  };
}

let shared: Promise<Shared> | undefined;
/**
 * The test data that a test file shares for all requests that change nothing, because they only read or are refused.
 */
export const sharedWorld = (): Promise<Shared> =>
  (shared ??= service().then(async (tenant) => ({ tenant, world: await sampleWorld(tenant) })));

interface Shared {
  readonly tenant: TestService & Tenant;
  readonly world: World;
}

// The test stays failed, because other sample requests need a failed test.
const message = ({ _s, _d, attempts } = failed()) => ({ _t: 1, _s, _d, attempts });
const RANGE = 'date_start=2026-11-01&date_end=2026-11-30';

const SAMPLES: Readonly<Record<string, Sample>> = {
  getHealth: { ids: [] },
  getOpenapi: { ids: [] },
  getProtectedResource: { ids: [] },
  getMcpProtectedResource: { ids: [] },
  listProjects: { ids: [], bad: { query: 'limit=0' } },
  getProject: { ids: ['projectId'] },
  createProject: { ids: [], body: () => ({ name: 'Warehouse' }), bad: { body: { name: '' } } },
  deleteProject: { ids: ['doomedProjectId'], at: { projectId: 'doomedProjectId' } },
  restoreProject: { ids: ['doomedProjectId'], at: { projectId: 'doomedProjectId' } },
  updateProject: { ids: ['projectId'], body: () => ({ tags: ['critical'] }), bad: { body: {} } },
  getMe: { ids: [] },
  listRuns: { ids: ['projectId'], bad: { query: 'starting_after=a&ending_before=b' } },
  listFlakyTests: { ids: ['projectId'], bad: { query: 'state[]=good' } },
  searchProject: { ids: ['projectId'], query: () => 'q=articles', bad: { query: 'q=articles&limit=21' } },
  listTerms: { ids: ['projectId'], values: { termType: 'branch' }, bad: { query: 'dir=up' } },
  listTests: { ids: ['projectId'], query: () => RANGE, bad: { query: `${RANGE}&order=fastest` } },
  listSpecFiles: { ids: ['projectId'], query: () => RANGE, bad: { query: `${RANGE}&limit=51` } },
  listErrors: { ids: ['projectId'], query: () => RANGE, bad: { query: `${RANGE}&group_by[]=colour` } },
  getInsights: { ids: ['projectId'], query: () => RANGE, bad: { query: `${RANGE}&resolution=1m` } },
  listPullRequests: { ids: ['projectId'], bad: { query: 'runs_per_pr=11' } },
  getRun: { ids: ['runId'] },
  getRunComparison: { ids: ['runId'], bad: { query: 'page=1' } },
  getRunGate: { ids: ['runId'], bad: { query: 'rules[]=noDust' } },
  findRun: {
    ids: ['projectId'],
    needs: ['runId'],
    query: ({ projectId }) => `projectId=${encodeURIComponent(projectId)}&ciBuildId=build-1`,
    bad: { query: 'projectId=zzzzzz' },
  },
  getInstance: { ids: ['instanceId'], bad: { query: 'limit=0' } },
  getContext: {
    ids: ['runId'],
    query: ({ runId }) => `run_id=${encodeURIComponent(runId)}`,
    bad: { query: 'test_id=t1' },
  },
  getTestResults: { ids: [], needs: ['signature'], query: () => RANGE, bad: { query: `${RANGE}&status[]=broken` } },
  getTestSignature: {
    ids: ['projectId'],
    body: ({ projectId }) => ({ projectId, specFilePath: SPEC, testTitle: TITLE }),
    bad: { body: { projectId: 'zzzzzz', specFilePath: SPEC } },
  },
  createRun: {
    ids: ['projectId'],
    body: ({ projectId }) => runBody(projectId, SUITE),
    bad: { body: { projectId: 'zzzzzz' } },
  },
  claimInstance: {
    ids: ['runId'],
    body: () => ({ groupId: 'retail', spec: SPEC, machineId: 'm1' }),
    bad: { body: { groupId: 7 } },
  },
  createTestRecord: {
    ids: ['instanceId'],
    body: ({ runId, instanceId }) => ({
      ...message(),
      runId,
      instanceId,
      groupId: 'retail',
      testId: testIdOf('retail', FAILING),
      spec: SPEC,
      title: TITLE,
    }),
    bad: { body: { instanceId: 'zzzzzz' } },
  },
  updateTestRecord: { ids: ['recordId'], body: () => message(), bad: { body: { _t: 'first' } } },
  registerTestArtifact: {
    ids: ['recordId'],
    body: () => ({ type: 'trace', name: 'trace', artifactId: 'a1', attemptId: 0, contentType: 'application/zip' }),
    bad: { body: { name: 'trace' } },
  },
  registerInstanceArtifact: {
    ids: ['instanceId'],
    body: () => ({ type: 'stdout', name: 'stdout', contentType: 'text/plain' }),
    bad: { body: {} },
  },
  registerDebugLog: { ids: [], body: () => ({ type: 'pw-debug', runId: 'run-1' }), bad: { body: { type: 1 } } },
  uploadRun: {
    ids: ['projectId'],
    body: ({ projectId, keys }) =>
      uploadBody({ projectId, keys }, SUITE, [batchInstance('retail', SPEC, { [FAILING]: failed() })], {
        ciBuildId: 'upload-1',
      }),
    bad: { body: { projectId: 'zzzzzz' } },
  },
};

const PARTS = [
  SAMPLES,
  RUN_SAMPLES,
  RECORDING_SAMPLES,
  ACTION_SAMPLES,
  WEBHOOK_SAMPLES,
  IMPORT_SAMPLES,
  SHARE_SAMPLES,
  ISSUE_SAMPLES,
  IDENTITY_SAMPLES,
];
const ALL_SAMPLES: Readonly<Record<string, Sample>> = Object.assign({}, ...PARTS);

export const sampleOf = ({ operationId }: Pick<Declaration, 'operationId'>): Sample => {
  const sample = ALL_SAMPLES[operationId];
  if (!sample) throw new Error(`Add a sample request of ${operationId} to test/engine/http/sample-requests.ts`);
  return sample;
};

export const sampledOperations = Object.keys(ALL_SAMPLES);

const withIds = (declaration: Declaration, world: Ids): string =>
  declaration.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const { at, values } = sampleOf(declaration);
    const known = Object.entries({ ...world, ...values });
    return encodeURIComponent(String(known.find(([id]) => id === (at?.[name] ?? name))?.[1]));
  });

/** Returns a request that succeeds with these ids. The caller must add the credential unless it belongs in the body. */
export function goodRequest(declaration: Declaration, world: World): WireRequest {
  const { query, body, file } = sampleOf(declaration);
  const request = requestOf(declaration, world, query?.(world), body?.(world));
  return file === undefined ? request : { ...request, body: file };
}

/**
 * Returns an invalid request, or `undefined` if no request to the operation is invalid. The caller must add the
 * credential unless it belongs in the body.
 */
export function badRequest(declaration: Declaration, world: World): WireRequest | undefined {
  const { bad, query } = sampleOf(declaration);
  if (!bad) return undefined;
  if ('query' in bad) return requestOf(declaration, world, bad.query, undefined);
  const key = declaration.credential === 'body' ? { recordKey: world.keys.readWrite } : {};
  return requestOf(declaration, world, query?.(world), { ...bad.body, ...key });
}

function requestOf(declaration: Declaration, world: World, query?: string, body?: object): WireRequest {
  const type = body ? [['content-type', 'application/json'] as const] : [];
  return {
    method: declaration.method,
    path: withIds(declaration, world) + (query ? `?${query}` : ''),
    headers: [...type, ...(sampleOf(declaration).headers?.(world) ?? [])],
    ...(body ? { body: JSON.stringify(body) } : {}),
  };
}

export const takesKeys = ({ credentialKinds }: Declaration): boolean => credentialKinds.includes('apiKey');

/**
 * A credential that the operation accepts: the Read & Write key of the organization, or an access token of an Admin if
 * the operation refuses keys.
 */
export const validCredential = async (stage: TestService & Tenant, declaration: Declaration): Promise<string> =>
  takesKeys(declaration) ? stage.keys.readWrite : (await accessToken(stage)).value;

/** Adds a credential to a request: in its header, or in its body if the operation takes the key there. */
export function authorized(declaration: Declaration, request: WireRequest, key: string): WireRequest {
  if (declaration.credential === 'none') return request;
  if (declaration.credential === 'body') {
    return { ...request, body: JSON.stringify({ ...JSON.parse(String(request.body)), recordKey: key }) };
  }
  return { ...request, headers: [...(request.headers ?? []), ['authorization', `Bearer ${key}`]] };
}
