/**
 * Runs the whole service for one test file, as `npm start` does: gateway, authorizer, functions and table. Each test
 * has its own clock, and each call of `service()` creates an organization.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFailed, onTestFinished, vi } from 'vitest';
import type { BusTrouble } from '#infra/local/events/event-bus.ts';
import { formatFault } from '#infra/local/lambda/fault-text.ts';
import { type LocalService, startService } from '#infra/local/service.ts';
import { type Engines, startEngines } from '#infra/local/stores/engines.ts';
import { OPERATOR } from '#shared/access/actor.ts';
import { FOREVER } from '#shared/model/runs/retention.ts';
import type { DeploymentProvider } from '#shared/model/sign-in/deployment-provider.ts';
import { createApiKey } from '#shared/organizations/create-api-key.ts';
import { createOrganization } from '#shared/organizations/create-organization.ts';
import { createProject } from '#shared/organizations/create-project.ts';
import { makeServices } from '#shared/platform/connect.ts';
import type { Services } from '#shared/services.ts';
import { findContract } from '#test/contract/kept-contract.ts';
import { noteCalledFunctions } from './called-functions.ts';
import { type Client, client } from './client.ts';
import { directTable } from './direct-table.ts';
import { type Call, startProxy } from './engine-proxy.ts';
import { startTestIssuer, type TestIssuer } from './issuer.ts';
import { refuseSecrets } from './secrets.ts';
import { findAssembly, findDeployedAssembly, findEngines, findPackages, readOpenApi, readPagePaths } from './stage.ts';
import { parseStaleness, type Staleness, type StaleReads, startStaleReads } from './stale-reads.ts';

/** A Monday, weeks before the end of the month and of the year. */
export const START = new Date('2026-11-02T10:00:00.000Z');

/**
 * A Monday in the far future. Tests of files begin then, because the object store compares the expiry of presigned URLs
 * with the real time. A test that began at the real time would depend on when it runs.
 */
export const FAR_FUTURE = Date.parse('2100-11-01T10:00:00.000Z');

let running: LocalService;
let ownEngines: Engines | undefined;
let proxy: Awaited<ReturnType<typeof startProxy>> | undefined;
let connected: Services;
let issuer: TestIssuer;
let throttles = false;

/** Makes the gateway of this test file throttle requests as in a deployment. Call this function at module level. */
export const throttleRequests = (): void => {
  throttles = true;
};

/** Makes the service of this test file issue access tokens itself. Call this function at module level. */
export const issueOwnTokens = (): void => {
  isIssuer = true;
};
let isIssuer = false;

let localClients = false;

/**
 * Lets the service of this test file fetch the metadata documents of OAuth clients from this machine. Call this
 * function at module level.
 */
export const acceptLocalClients = (): void => {
  localClients = true;
};

let signInProviders: readonly DeploymentProvider[] | undefined;

/** Lets people of this test file sign in at these providers. Call this function at module level. */
export const signInAt = (providers: readonly DeploymentProvider[]): void => {
  signInProviders = providers;
};

let dnsServer: string | undefined;

/** Lets the service ask this DNS server for TXT records. Call this function at module level. */
export const askDns = (server: string): void => {
  dnsServer = server;
};

let deliversEvents = false;

/**
 * Runs the consumers of events: analytics, webhooks and notifications. Without the consumers, events stay in the
 * outbox. Call this function at module level.
 */
export const deliverEvents = (): void => {
  deliversEvents = true;
};

let fill: ((folder: string) => Promise<void>) | undefined;

/**
 * Makes the service of this test file store its data in a new data folder, like `npm start`. `filling` fills the folder
 * first. Call this function at module level.
 */
export const storeInFolder = (filling: (folder: string) => Promise<void>): void => {
  fill = filling;
};

/** Starts local AWS engines that store their data in a new folder. */
async function enginesOf(filling: (folder: string) => Promise<void>): Promise<Engines> {
  const folder = await mkdtemp(join(tmpdir(), 'rundown-test-'));
  await filling(folder);
  const engines = await startEngines({ dataDirectory: folder });
  return {
    ...engines,
    close: async () => {
      await engines.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

let isWatched = false;
let beforeCall: ((call: Call) => unknown) | undefined;

/** Lets the tests of this file act between the table calls of a request. Call this function at module level. */
export const watchTable = (): void => {
  isWatched = true;
};

/**
 * Runs `act` before each table call that `request` causes, which waits for it, and fails if it throws. The calls of `act`
 * are not reported.
 */
export async function beforeTableCalls<Result>(
  act: (call: Call) => unknown,
  request: () => Promise<Result>,
): Promise<Result> {
  if (!isWatched) throw new Error('Call watchTable() at module level');
  let isActing = false;
  beforeCall = async (call) => {
    if (isActing) return;
    isActing = true;
    try {
      await act(call);
    } finally {
      isActing = false;
    }
  };
  try {
    return await request();
  } finally {
    beforeCall = undefined;
  }
}

let staleReads: StaleReads | undefined;
let firstStaleness = parseStaleness(process.env['STALE_READS']);

/**
 * Answers the eventually consistent reads of this test file from an older state. Call this function at module level.
 * `STALE_READS=second` does so in every file.
 */
export const serveStaleReads = (): void => {
  firstStaleness = 'second';
};

/** From here on, eventually consistent reads get this state. */
export const readStale = (staleness: Staleness): void => {
  if (!staleReads) throw new Error('Call serveStaleReads() at module level');
  staleReads.staleness = staleness;
};

let runsDeployed = false;

/**
 * Runs the bundles that a deployment would upload. By default, functions share their npm packages, so that each package
 * is loaded only once. Call this function at module level.
 */
export const runDeployedBundles = (): void => {
  runsDeployed = true;
};

let busTrouble: BusTrouble | undefined;

/** Makes the event bus refuse the events for which `trouble` returns a failure, until the end of the test. */
export const refuseEvents = (trouble: BusTrouble): void => {
  busTrouble = trouble;
  onTestFinished(() => {
    busTrouble = undefined;
  });
};

/** The log lines of the functions in this test file and the faults of the local runner, oldest first. */
export const logLines: string[] = [];

/** The lines about errors among them. */
const faults: string[] = [];

/** Descriptions of the responses in the current test that violate the OpenAPI document. */
const breaches: string[] = [];

beforeAll(async () => {
  const [contract, pages, functions] = await Promise.all([
    findContract(readOpenApi),
    readPagePaths().then((paths) => paths.map(asPattern)),
    findFunctions(),
  ]);
  issuer = await startTestIssuer();
  // Stored data is found only by the names of its table and bucket, so a data folder must always use the same names.
  const own = fill ? 'data-folder' : `test-${crypto.randomUUID().slice(0, 8)}`;
  ownEngines = fill && (await enginesOf(fill));
  const engines = ownEngines ?? (await findEngines());
  staleReads = firstStaleness && (await startStaleReads(engines.dynamodbEndpoint, firstStaleness));
  const dynamodbEndpoint = staleReads?.endpoint ?? engines.dynamodbEndpoint;
  if (isWatched) proxy = await startProxy(dynamodbEndpoint, { before: (call) => beforeCall?.(call) });
  running = await startService({
    ...functions,
    engines: { ...engines, dynamodbEndpoint: proxy?.endpoint ?? dynamodbEndpoint },
    tableName: own,
    bucketName: own,
    queuePrefix: `${own}-`,
    permissions: true,
    refuseEvents: (entry) => busTrouble?.(entry),
    // Schedules do not run by themselves, because tests move the clock.
    schedules: false,
    streams: deliversEvents,
    ...(isIssuer ? {} : { oauthIssuer: issuer.issuer }),
    throttling: throttles ? 'all' : 'none',
    localClients,
    ...(signInProviders ? { signInProviders } : {}),
    ...(dnsServer ? { dnsServer } : {}),
    dailyExports: true,
    onAnswer: ({ method, target }, { status, headers, body }) => {
      const [path = ''] = target.split('?', 1);
      // The OpenAPI document describes only the API. Pages have tests of their own.
      if (!path.startsWith('/v1/') && pages.some((page) => page.test(path))) return;
      const breach = contract({ method, target, status, headers, body });
      if (breach !== undefined) breaches.push(breach);
    },
    onLog: (line) => logLines.push(line),
    onFault: (line) => {
      logLines.push(line);
      faults.push(line);
    },
  });
  Object.assign(process.env, running.environment);
  connected = { ...makeServices({ ...running.environment }), table: directTable(running.environment) };
});

const findFunctions = async () =>
  runsDeployed
    ? { assembly: await findDeployedAssembly() }
    : { assembly: await findAssembly(), packages: await findPackages() };

/** Returns a pattern that matches the paths of a declared route. */
const asPattern = (path: string): RegExp =>
  new RegExp(`^${path.replaceAll(/\{[^}]+\+\}/g, '.+').replaceAll(/\{[^}]+\}/g, '[^/]+')}$`);

afterAll(async () => {
  await noteCalledFunctions(running.listCalledBundles());
  await Promise.all([running.close(), issuer.close()]);
  await Promise.all([ownEngines?.close(), proxy?.close(), staleReads?.close()]);
  // §5 No log line of any test may contain a credential.
  for (const line of logLines) refuseSecrets('A log line', line);
});

afterEach(() => {
  expect(breaches.splice(0), 'Responses that violate the OpenAPI document').toEqual([]);
});

/** Fakes only `Date`. Sockets and timers use the real time. */
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: START });
});

/** Shows the errors of handlers below a test that fails, because an answer with status 500 does not say why. */
beforeEach(() => {
  const before = faults.length;
  onTestFailed(() => {
    for (const line of faults.slice(before)) console.error(formatFault(line) ?? line);
  });
});

export interface Tenant {
  readonly organizationId: string;
  readonly projectId: string;
  readonly keys: { readonly readWrite: string; readonly readOnly: string };
  /** A client with a Read & Write key. */
  readonly api: Client;
  /** A client with a Read Only key. */
  readonly reader: Client;
}

export interface TestService {
  readonly origin: string;
  readonly baseUrl: string;
  readonly environment: Readonly<Record<string, string>>;
  /** The services that the functions use. With them, tests create states that no request can cause. */
  readonly services: Services;
  /** The authorization server that the service trusts, unless the test file calls `issueOwnTokens()`. */
  readonly issuer: TestIssuer;
  /** A client without a credential. */
  readonly anonymous: Client;
  readonly tenant: (name?: string) => Promise<Tenant>;
  /** Runs a scheduled function by its declared name and returns its report. */
  readonly runSchedule: (name: string) => Promise<unknown>;
}

/**
 * Creates an organization with one project, so that tests share no data. Each call to `tenant` creates another
 * organization.
 */
export async function service(): Promise<TestService & Tenant> {
  onTestFinished(() => void vi.useRealTimers());
  const { origin, baseUrl, environment } = running;
  const tenant = async (name = 'Acme'): Promise<Tenant> => {
    const { organizationId } = await createOrganization(connected, { name, actor: OPERATOR });
    const [project, readWrite, readOnly] = await Promise.all([
      // The project keeps its data forever, because tests may move the clock by years.
      createProject(connected, { organizationId, name: 'Shop', actor: OPERATOR, retention: FOREVER }),
      createApiKey(connected, { organizationId, label: 'CI', level: 'readWrite', actor: OPERATOR }),
      createApiKey(connected, { organizationId, label: 'dashboard', level: 'readOnly', actor: OPERATOR }),
    ]);
    const keys = { readWrite: readWrite.value, readOnly: readOnly.value };
    const { projectId } = project;
    return {
      organizationId,
      projectId,
      keys,
      api: client(origin, keys.readWrite),
      reader: client(origin, keys.readOnly),
    };
  };
  const runSchedule = (name: string) => running.runSchedule(`rundown-dev-${name}`);
  const here = { origin, baseUrl, environment, services: connected, issuer, anonymous: client(origin), tenant };
  return { ...here, runSchedule, ...(await tenant()) };
}

export const clock = {
  advance: (milliseconds: number): void => void vi.setSystemTime(Date.now() + milliseconds),
  set: (time: string | number): void => void vi.setSystemTime(time),
};
