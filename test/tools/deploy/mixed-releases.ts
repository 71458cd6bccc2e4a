/**
 * Every state between two releases: an update from the last release, and a roll back to it. Functions of both releases
 * serve the same data at the same time, in the order of a deployment: the authorizer, then all other functions in any
 * order, then the routes. After each step, requests to all routes get an answer that one of the two releases gives, and
 * results are recorded. Runs as a part of `npm run test:deploy`, because it builds both releases.
 */
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { loadFunctions } from '#infra/build/declarations.ts';
import type { LocalFunctions } from '#infra/local/lambda/lambda.ts';
import { type LocalService, startService } from '#infra/local/service.ts';
import { ENVIRONMENT } from '#shared/platform/environment.ts';
import { authorized, badRequest, goodRequest, sampleWorld } from '#test/engine/http/sample-requests.ts';
import type { World } from '#test/engine/http/sample-shapes.ts';
import { send, type WireRequest } from '#test/engine/http/wire.ts';
import { client } from '#test/harness/client.ts';
import { claim, createRecord, recordRun, startRun } from '#test/harness/recording.ts';
import { failed, flaky, passed, suiteGroup } from '#test/harness/recording-messages.ts';
import { START, service, type Tenant, type TestService } from '#test/harness/service.ts';
import { findAssembly, findPackages } from '#test/harness/stage.ts';
import { pageWorld } from '#test/pages/page-world.ts';
import { findMissingHistory, RELEASE, unpackRelease } from './released-project.ts';

const MISSING = findMissingHistory();
if (MISSING !== undefined) console.error(`NOT RUN: ${MISSING}`);

type Release = 'earlier' | 'later';

const functionsOf: Record<Release, LocalFunctions> = { earlier: new Map(), later: new Map() };
/** The functions that have the code of the earlier release. A function that only one release has never changes. */
const earlierArns = new Set<string>();

function chooseFunction(arn: string) {
  const { earlier, later } = functionsOf;
  const chosen = earlierArns.has(arn) ? (earlier.get(arn) ?? later.get(arn)) : (later.get(arn) ?? earlier.get(arn));
  if (!chosen) throw new Error(`No release has ${arn}`);
  return chosen;
}

/** Lets the gateway, the queues and the stream of a release call the function that is deployed at that moment. */
const mix = (release: Release) => (functions: LocalFunctions) => {
  functionsOf[release] = functions;
  return new Map(
    [...functions].map(([arn, fn]) => [
      arn,
      { ...fn, invoke: (payload: string) => chooseFunction(arn).invoke(payload) },
    ]),
  );
};

let folder = '';
const gateways = new Map<Release, LocalService>();
const faults: string[] = [];
let stage: TestService & Tenant;
let requests: ReadonlyMap<string, WireRequest>;

beforeAll(async () => {
  if (MISSING !== undefined) return;
  folder = await mkdtemp(join(tmpdir(), 'rundown-releases-'));
  const project = join(folder, 'project');
  await unpackRelease(project);
  const assembly = join(folder, 'assembly');
  const program = `
    import { synthesize } from './infra/synth.ts';
    await synthesize({ outdir: ${JSON.stringify(assembly)}, context: { env: 'dev', privateWebhooks: 'true' } });`;
  execFileSync(process.execPath, ['--input-type=module', '--eval', program], { cwd: project, stdio: 'inherit' });
}, 600_000);

afterAll(async () => {
  for (const { close } of gateways.values()) await close();
  if (folder !== '') await rm(folder, { recursive: true, force: true });
});

/** The gateways of both releases, in front of the same table, bucket and queues, and the requests that the tests send. */
async function prepare() {
  if (gateways.size > 0) return;
  stage = await service();
  const here = await pageWorld();
  requests = new Map([...(await listApiRequests(await sampleWorld(stage), stage)), ...(await listPageRequests(here))]);
  const { environment } = stage;
  const shared = {
    engines: {
      dynamodbEndpoint: environment['AWS_ENDPOINT_URL_DYNAMODB'] ?? '',
      s3Endpoint: environment['AWS_ENDPOINT_URL_S3'] ?? '',
      sqsEndpoint: environment['AWS_ENDPOINT_URL_SQS'] ?? '',
      kmsEndpoint: environment['AWS_ENDPOINT_URL_KMS'] ?? '',
      ssmEndpoint: environment['AWS_ENDPOINT_URL_SSM'] ?? '',
    },
    tableName: environment[ENVIRONMENT.tableName] ?? '',
    bucketName: environment[ENVIRONMENT.artifactsBucket] ?? '',
    queuePrefix: `mixed-${crypto.randomUUID().slice(0, 8)}-`,
    publicOrigin: stage.origin,
    oauthIssuer: stage.issuer.issuer,
    permissions: true,
    schedules: false,
    throttling: 'none',
    onFault: (line: string) => void faults.push(line),
  } as const;
  // The object store compares the signatures of its set-up with the real time.
  vi.useRealTimers();
  const packages = await findPackages();
  gateways.set(
    'later',
    await startService({ ...shared, assembly: await findAssembly(), packages, replaceFunctions: mix('later') }),
  );
  gateways.set(
    'earlier',
    await startService({
      ...shared,
      assembly: join(folder, 'assembly'),
      streams: false,
      replaceFunctions: mix('earlier'),
    }),
  );
  vi.useFakeTimers({ toFake: ['Date'], now: START });
}

const NO_ID = 'aaaaaaaaaaaaaaaa';

/** One request to each route of the API and of other protocols. Only those that read name what exists. */
async function listApiRequests(world: World, { keys }: Tenant): Promise<[string, WireRequest][]> {
  const { endpoints, routeFunctions } = await loadFunctions();
  const nothing = Object.fromEntries(Object.keys(world).map((name) => [name, NO_ID]));
  const unknownWorld: World = { ...world, ...nothing, keys: world.keys };
  const ofEndpoints = endpoints.flatMap(({ declaration }): [string, WireRequest][] => {
    const { method, path, alias = path } = declaration;
    const request =
      method === 'GET'
        ? goodRequest(declaration, world)
        : (badRequest(declaration, unknownWorld) ?? goodRequest(declaration, unknownWorld));
    const sent = authorized(declaration, request, keys.readWrite);
    return [path, alias].map((at) => [
      `${method} ${at}`,
      { ...sent, path: sent.path.replace(path.split('{')[0] ?? '', at.split('{')[0] ?? '') },
    ]);
  });
  const ofRoutes = routeFunctions.flatMap(({ declaration: { routes } }) =>
    routes.map(({ method, path }): [string, WireRequest] => {
      const headers = [['authorization', `Bearer ${keys.readWrite}`]] as const;
      return [`${method} ${path}`, { method, path: path.replaceAll(/\{[^}]+\}/g, NO_ID), headers }];
    }),
  );
  return [...ofEndpoints, ...ofRoutes];
}

/** Opens each page as an Admin, and sends each form as a page of another site, which is refused by its function. */
async function listPageRequests({ as, pathOf }: Awaited<ReturnType<typeof pageWorld>>) {
  const { pageFunctions } = await loadFunctions();
  const { cookie } = as('admin');
  return pageFunctions.flatMap(({ pages }) =>
    pages.map(({ declaration }): [string, WireRequest] => {
      const { method, path } = declaration;
      const site = [['sec-fetch-site', method === 'GET' ? 'none' : 'cross-site']] as const;
      const headers = [['cookie', cookie], ['accept', 'text/html'], ...site] as const;
      return [`${method} ${path}`, { method, path: pathOf(declaration), headers }];
    }),
  );
}

const AT_ONCE = 8;

/** Sends every request, or the requests of one of several parts. */
async function sweep(release: Release, { part = 0, parts = 1 } = {}): Promise<ReadonlyMap<string, number>> {
  const { origin = '' } = gateways.get(release) ?? {};
  const statuses = new Map<string, number>();
  const waiting = [...requests].filter((_, index) => index % parts === part);
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
      statuses.set(next[0], (await send(origin, next[1])).status);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return statuses;
}

function deploy(arns: readonly string[], release: Release): void {
  for (const arn of arns) {
    if (release === 'earlier') earlierArns.add(arn);
    else earlierArns.delete(arn);
  }
}

const listArns = () => [...new Set([...functionsOf.earlier.keys(), ...functionsOf.later.keys()])].sort();

/** The order of a seed. The nested stacks of the functions are updated at the same time, so each order can happen. */
function shuffle(arns: readonly string[], seed: number): string[] {
  let state = seed;
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state;
  };
  return arns
    .map((arn) => [next(), arn] as const)
    .sort(([one], [other]) => one - other)
    .map(([, arn]) => arn);
}

const isAuthorizer = (arn: string): boolean => arn.endsWith('-authorizer');

/** The authorizer is the first function of a deployment. It is also tested as the last, because its role may take longer. */
const ORDERS = [
  ['first', 1],
  ['first', 2],
  ['last', 3],
] as const;
/** After each function, a part of the requests is sent: all of them while eight functions change. */
const PARTS = 8;

describe.skipIf(MISSING !== undefined)(`Between release ${RELEASE.version} and this version`, () => {
  test.each((['later', 'earlier'] as const).flatMap((target) => ORDERS.map((order) => [target, ...order] as const)))(
    'While functions change to the %s release, with the authorizer %s, in order %i, every route answers as one of both releases, and no result is lost',
    async (target, authorizer, seed) => {
      await prepare();
      const source: Release = target === 'later' ? 'earlier' : 'later';
      const arns = listArns();
      const expected = new Map<Release, ReadonlyMap<string, number>>();
      for (const release of [target, source] as const) {
        deploy(arns, release);
        expected.set(release, await sweep(release));
      }
      const check = async (state: string, release: Release, portion = {}) => {
        const statuses = await sweep(release, portion);
        const wrong = [...statuses].flatMap(([route, status]) => {
          const allowed = [...expected.values()].map((all) => all.get(route));
          return status < 500 && allowed.includes(status) ? [] : [`${route}: ${status} instead of ${allowed}`];
        });
        expect(wrong, state).toEqual([]);
      };
      for (const [release, statuses] of expected) {
        const failing = [...statuses].filter(([, status]) => status >= 500);
        expect(failing, `All functions and routes are of the ${release} release`).toEqual([]);
      }

      const routes = gateways.get(source);
      const recorder = { ...stage, api: client(routes?.origin ?? '', stage.keys.readWrite) };
      const others = shuffle(
        arns.filter((arn) => !isAuthorizer(arn)),
        seed,
      );
      const guards = arns.filter(isAuthorizer);
      const order = authorizer === 'first' ? [...guards, ...others] : [...others, ...guards];
      const long = order.map((_, index) => `long.spec.ts > test ${index}`);
      const run = await startRun(recorder, [suiteGroup('long', long)], {
        ciBuildId: `long-${target}-${authorizer}-${seed}`,
      });
      const claimed = await claim(recorder, { ...run, groupId: 'long' }, 'long.spec.ts');
      const runIds: string[] = [];
      for (const [index, arn] of order.entries()) {
        const state = `${index + 1} of ${order.length} functions: ${arn.split(':').at(-1)}`;
        deploy([arn], target);
        await createRecord(recorder, claimed, long[index] ?? '', passed());
        await check(state, source, isAuthorizer(arn) ? {} : { part: index % PARTS, parts: PARTS });
        if (index % PARTS === 0) {
          const tests = {
            'a.spec.ts > passes': passed(),
            'a.spec.ts > fails': failed(),
            'b.spec.ts > wavers': flaky(),
          };
          const { runId } = await recordRun(recorder, { short: { tests } }, { ciBuildId: `${run.runId}-${index}` });
          runIds.push(runId);
        }
      }
      await check('All functions changed, the routes did not', source);
      await check('The routes changed', target);

      const reader = client(gateways.get(target)?.origin ?? '', stage.keys.readOnly);
      const countTests = async (runId: string) => {
        const { status, body } = await reader.get(`/runs/${runId}`);
        expect(status).toBe(200);
        return body.data.groups[0].tests;
      };
      expect(await countTests(run.runId)).toMatchObject({ overall: long.length, passes: long.length });
      for (const runId of runIds) expect(await countTests(runId)).toMatchObject({ overall: 3, passes: 2, failures: 1 });
    },
    1_800_000,
  );
});
