/** The whole service for a test: gateway, authorizer, functions and table are real, the organization is the test's own, and so is the clock. */
import { afterAll, beforeAll, beforeEach, inject, onTestFinished, vi } from 'vitest';
import type { BusTrouble } from '#infra/local/event-bus.ts';
import { type LocalService, startService } from '#infra/local/service.ts';
import { createApiKey } from '#shared/credentials/create-api-key.ts';
import { OPERATOR } from '#shared/organizations/actor.ts';
import { createOrganization } from '#shared/organizations/create-organization.ts';
import { createProject } from '#shared/organizations/create-project.ts';
import { type Services, services } from '#shared/services.ts';
import { type Client, client } from './client.ts';
import { startTestIssuer, type TestIssuer } from './issuer.ts';
import { refuseSecrets } from './secrets.ts';

/** A Monday, far from any month's or year's end. */
export const START = new Date('2026-11-02T10:00:00.000Z');

let running: LocalService;
let connected: Services;
let issuer: TestIssuer;
let otherIssuer: ((service: () => { origin: string; services: Services }) => Promise<string>) | undefined;

/** Has this file's service accept the access tokens of another issuer: asked for while the file loads. */
export const acceptTokensOf = (start: NonNullable<typeof otherIssuer>): void => {
  otherIssuer = start;
};

let keepsOutbox = false;

/** What this file's service would tell the world stays in the outbox, for a test to look at: asked for while the file loads. */
export const keepOutbox = (): void => {
  keepsOutbox = true;
};

let busTrouble: BusTrouble | undefined;

/** Has the event bus of this file's service refuse events, until the test ends. */
export const refuseEvents = (trouble: BusTrouble): void => {
  busTrouble = trouble;
  onTestFinished(() => {
    busTrouble = undefined;
  });
};

/** What the functions of this file logged, oldest first. */
export const logLines: string[] = [];

beforeAll(async () => {
  issuer = await startTestIssuer();
  const own = `test-${crypto.randomUUID().slice(0, 8)}`;
  running = await startService({
    assembly: inject('assembly'),
    engines: inject('engines'),
    port: 0,
    tableName: own,
    bucketName: own,
    queuePrefix: `${own}-`,
    throttling: false,
    refuseEvents: (entry) => busTrouble?.(entry),
    // The tests' clock jumps: what runs by the clock would run in their midst.
    schedules: false,
    streams: !keepsOutbox,
    oauthIssuer: (await otherIssuer?.(() => ({ origin: running.origin, services: connected }))) ?? issuer.issuer,
    onLog: (line) => logLines.push(line),
    onFault: (line) => logLines.push(line),
  });
  Object.assign(process.env, running.environment);
  connected = services({ ...running.environment });
});
afterAll(async () => {
  await Promise.all([running.close(), issuer.close()]);
  // §5 Whatever the tests of this file did: no log line of theirs may be worth stealing.
  for (const line of logLines) refuseSecrets('A log line', line);
});

/** Only `Date` is the test's: sockets and timers go on by themselves. */
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: START });
});

export interface Tenant {
  readonly organizationId: string;
  readonly projectId: string;
  readonly keys: { readonly readWrite: string; readonly readOnly: string };
  /** As a Read & Write key. */
  readonly api: Client;
  /** As a Read Only key. */
  readonly reader: Client;
}

export interface TestService {
  readonly origin: string;
  readonly baseUrl: string;
  readonly environment: Readonly<Record<string, string>>;
  /** The same services the functions have, for what no request can bring about. */
  readonly services: Services;
  /** Whose access tokens the service accepts. */
  readonly issuer: TestIssuer;
  /** Without a credential. */
  readonly anonymous: Client;
  readonly tenant: (name?: string) => Promise<Tenant>;
  /** Runs a scheduled function at once, by the name that it declares; answers its report. */
  readonly runSchedule: (name: string) => Promise<unknown>;
}

/** A new organization with one project per call of `tenant`; nothing is shared between tests. */
export async function service(): Promise<TestService & Tenant> {
  onTestFinished(() => void vi.useRealTimers());
  const { origin, baseUrl, environment } = running;
  const tenant = async (name = 'Acme'): Promise<Tenant> => {
    const { organizationId } = await createOrganization(connected, { name, actor: OPERATOR });
    const [project, readWrite, readOnly] = await Promise.all([
      createProject(connected, { organizationId, name: 'Shop', actor: OPERATOR }),
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
