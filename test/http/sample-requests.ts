/** One good and one bad request per operation: what the tests of all operations alike are made of. */
import type { Declaration } from '#shared/declaration.ts';
import { recordRun } from '#test/harness/recording.ts';
import { batchInstance, uploadBody } from '#test/harness/recording-batch.ts';
import { failed, passed, runBody, suiteGroup, testIdOf } from '#test/harness/recording-messages.ts';
import type { Tenant, TestService } from '#test/harness/service.ts';
import { RUN_SAMPLES, sampleRuns } from './sample-runs.ts';
import { sampleWebhooks, WEBHOOK_SAMPLES } from './sample-webhooks.ts';
import type { WireRequest } from './wire.ts';

export interface Ids {
  readonly projectId: string;
  readonly runId: string;
  readonly instanceId: string;
  readonly recordId: string;
  readonly signature: string;
  readonly hookId: string;
  readonly deliveryId: string;
  /** Of a webhook that nothing else is asked of, so that it can be deleted. */
  readonly doomedHookId: string;
  /** Likewise, of runs. */
  readonly doomedRunId: string;
  readonly endingRunId: string;
}

/** What an organization with one recorded run can ask about. */
export interface World extends Ids {
  readonly keys: Tenant['keys'];
}

const SPEC = 'cart.spec.ts';
const FAILING = `${SPEC} > cart > keeps its articles`;
const OPEN = `${SPEC} > cart > is emptied`;
const TITLE = ['cart', 'keeps its articles'];
export const SUITE = [suiteGroup('retail', [FAILING, OPEN])];

/** A run with one finished and one open test, so that everything may still be recorded into it. */
export async function sampleWorld(tenant: Tenant & Pick<TestService, 'services'>): Promise<World> {
  const { projectId, keys, api } = tenant;
  const run = await recordRun(tenant, { retail: { tests: { [FAILING]: failed(), [OPEN]: undefined } } });
  const asked = await api.post('/signature/test', { projectId, specFilePath: SPEC, testTitle: TITLE });
  return {
    projectId,
    keys,
    runId: run.runId,
    instanceId: run.instances[`retail ${SPEC}`] ?? '',
    recordId: run.records[`retail ${FAILING}`] ?? '',
    signature: asked.body.data.signature,
    ...(await sampleRuns(tenant)),
    ...(await sampleWebhooks(tenant)),
  };
}

export interface Sample {
  /** Ids that lead to something or to a 404, in path, query or body. */
  readonly ids: readonly (keyof Ids)[];
  readonly query?: (world: World) => string;
  readonly body?: (world: World) => object;
  /** Names in the path that stand for another id than their own. */
  readonly at?: Readonly<Record<string, keyof Ids>>;
  /** It can be done once only: afterwards, what it is about is not there any more. */
  readonly once?: true;
  /** Refused with 400 whatever the ids are. */
  readonly bad?: { readonly query: string } | { readonly body: object };
}

const message = ({ _s, _d, attempts } = passed()) => ({ _t: 1, _s, _d, attempts });
const RANGE = 'date_start=2026-11-01&date_end=2026-11-30';

const SAMPLES: Readonly<Record<string, Sample>> = {
  getHealth: { ids: [] },
  getOpenapi: { ids: [] },
  getProtectedResource: { ids: [] },
  getMcpProtectedResource: { ids: [] },
  listProjects: { ids: [], bad: { query: 'limit=0' } },
  getProject: { ids: ['projectId'] },
  getMe: { ids: [] },
  listRuns: { ids: ['projectId'], bad: { query: 'starting_after=a&ending_before=b' } },
  getRun: { ids: ['runId'] },
  findRun: {
    ids: ['projectId'],
    query: ({ projectId }) => `projectId=${encodeURIComponent(projectId)}&ciBuildId=build-1`,
    bad: { query: 'projectId=zzzzzz' },
  },
  getInstance: { ids: ['instanceId'] },
  getContext: {
    ids: ['runId'],
    query: ({ runId }) => `run_id=${encodeURIComponent(runId)}`,
    bad: { query: 'test_id=t1' },
  },
  getTestResults: { ids: [], query: () => RANGE, bad: { query: `${RANGE}&status[]=broken` } },
  getTestSignature: {
    ids: ['projectId'],
    body: ({ projectId }) => ({ projectId, specFilePath: SPEC, testTitle: TITLE }),
    bad: { body: { projectId: 'zzzzzz', specFilePath: SPEC } },
  },
  ...RUN_SAMPLES,
  ...WEBHOOK_SAMPLES,
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
  uploadRun: {
    ids: ['projectId'],
    body: ({ projectId, keys }) =>
      uploadBody({ projectId, keys }, SUITE, [batchInstance('retail', SPEC, { [FAILING]: passed() })], {
        ciBuildId: 'upload-1',
      }),
    bad: { body: { projectId: 'zzzzzz' } },
  },
};

export const sampleOf = ({ operationId }: Declaration): Sample => {
  const sample = SAMPLES[operationId];
  if (!sample) throw new Error(`Add a sample request of ${operationId} to test/http/sample-requests.ts`);
  return sample;
};

export const sampledOperations = Object.keys(SAMPLES);

const withIds = (declaration: Declaration, world: Ids): string =>
  declaration.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const wanted = sampleOf(declaration).at?.[name] ?? name;
    return encodeURIComponent(String(Object.entries(world).find(([id]) => id === wanted)?.[1]));
  });

/** A request that succeeds in this world. A credential in the body is already there. */
export function goodRequest(declaration: Declaration, world: World): WireRequest {
  const { query, body } = sampleOf(declaration);
  return requestOf(declaration, world, query?.(world), body?.(world));
}

/** A request that is refused for what it asks, by a caller who may ask it. */
export function badRequest(declaration: Declaration, world: World): WireRequest | undefined {
  const { bad, query } = sampleOf(declaration);
  if (!bad) return undefined;
  if ('query' in bad) return requestOf(declaration, world, bad.query, undefined);
  const key = declaration.credential === 'body' ? { recordKey: world.keys.readWrite } : {};
  return requestOf(declaration, world, query?.(world), { ...bad.body, ...key });
}

function requestOf(declaration: Declaration, world: World, query?: string, body?: object): WireRequest {
  return {
    method: declaration.method,
    path: withIds(declaration, world) + (query ? `?${query}` : ''),
    ...(body ? { body: JSON.stringify(body), headers: [['content-type', 'application/json']] as const } : {}),
  };
}

/** The same request, in the name of the owner of a key. */
export function authorized(declaration: Declaration, request: WireRequest, key: string): WireRequest {
  if (declaration.credential === 'none') return request;
  if (declaration.credential === 'body') {
    return { ...request, body: JSON.stringify({ ...JSON.parse(String(request.body)), recordKey: key }) };
  }
  return { ...request, headers: [...(request.headers ?? []), ['authorization', `Bearer ${key}`]] };
}
