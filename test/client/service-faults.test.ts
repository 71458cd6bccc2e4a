/** What commands do if the service cannot be used: no fault skips a test or turns a red job green. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { findLeg } from '#infra/client/settings/leg.ts';
import { sampled } from '#test/harness/cases.ts';
import { createRule } from '#test/harness/rules.ts';
import { service, type Tenant, type TestService } from '#test/harness/service.ts';
import { findClient } from '#test/harness/stage.ts';
import { imported, junit } from '#test/imports/reports.ts';
import { endOf, startIn } from '#test/infra/local/child.ts';
import { CONTROLLED_CLOCK, FAULT_NAMES, startWithFault } from './service-faults.ts';

let client: string;
let folder: string;
beforeAll(async () => {
  client = await findClient();
  folder = await mkdtemp(join(tmpdir(), 'rundown-faults-'));
  await writeFile(join(folder, 'fails.mjs'), FAILING_COMMAND);
  await writeFile(join(folder, 'cart.test.ts'), '');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const QUARANTINED = junit({ 'cart.test.ts': { pays: 'failed', sums: 'passed' } });
/** Writes the report that its first argument names. */
const FAILING_COMMAND = `import { writeFileSync } from 'node:fs';
writeFileSync(process.argv[2], ${JSON.stringify(QUARANTINED)});
process.exitCode = 1;`;

let shared: Promise<TestService & Tenant> | undefined;
/** A project whose rule quarantines the test `pays`, with a run that the gate lets pass, and one whose test failed. */
const sharedProject = () =>
  (shared ??= service().then(async (tenant) => {
    vi.useRealTimers();
    await createRule(tenant);
    await imported(tenant, junit({ 'cart.test.ts': { sums: 'passed' } }), 'branch=main&ciBuildId=good');
    await imported(tenant, junit({ 'cart.test.ts': { pays: 'failed' } }), `ciBuildId=bad&try=1&leg=${LEG}`);
    return tenant;
  }));

/** What `rundown run` tells the commands in it. */
const OF_RUN = { RUNDOWN_LEG: 'only', RUNDOWN_COMMAND: 'tests' };
const LEG = findLeg(OF_RUN, undefined, ['tests']);

let number = 0;

interface Part {
  readonly args: () => readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly works: Result;
  readonly fails: Result;
}
interface Result {
  readonly status: number;
  readonly says: string;
}

const run: Omit<Part, 'works'> = {
  args: () => {
    number += 1;
    const report = `report-${number}.xml`;
    return ['run', '--report', report, '--', 'node', 'fails.mjs', report];
  },
  fails: { status: 1, says: 'The exit code stays 1' },
};

const PARTS: Readonly<Record<string, Part>> = {
  '`rundown run`': { ...run, works: { status: 0, says: 'each of its failures is quarantined (1)' } },
  '`rundown run` in a CI job without a key': {
    ...run,
    env: { RUNDOWN_API_KEY: '', RUNDOWN_ID_TOKEN: 'a.b.c' },
    // No project trusts this token.
    works: { status: 1, says: 'The project does not trust this CI job (401)' },
  },
  '`rundown gate`': {
    args: () => ['gate', 'good', '--wait', '0'],
    works: { status: 0, says: 'The gate is open' },
    fails: { status: 1, says: 'Error:' },
  },
  '`rundown last-failed`': {
    env: OF_RUN,
    args: () => [
      ...['last-failed', '--ci-build-id', 'bad', '--try', '2', '--format', 'files'],
      ...['--', 'node', '-e', 'console.log("runs", process.argv.slice(1).join()); process.exitCode = 3'],
    ],
    works: { status: 3, says: 'runs cart.test.ts\n' },
    fails: { status: 3, says: 'runs \n' },
  },
};

async function execute({ args, env = {} }: Part, fault: string) {
  const { origin, organizationId, projectId, keys } = await sharedProject();
  vi.useRealTimers();
  const start = (address: string) =>
    startIn(folder, [...CONTROLLED_CLOCK, join(client, 'rundown.js'), ...args()], {
      GITHUB_ACTIONS: '',
      GITHUB_RUN_ID: '',
      RUNDOWN_DSN: `${address}/${organizationId}/${projectId}`,
      RUNDOWN_API_KEY: keys.readWrite,
      ...env,
    });
  return endOf(await startWithFault(origin, fault, start));
}

describe.each(Object.entries(PARTS))('%s', (_, part) => {
  test.each(sampled(['works', ...FAULT_NAMES], 7, Object.values(PARTS).indexOf(part)))(
    'hides no failure and leaves out no test if the service %s',
    async (fault) => {
      const { status, says } = fault === 'works' ? part.works : part.fails;
      const result = await execute(part, fault);
      expect(result).toEqual({ status, output: expect.stringContaining(says) });
    },
  );
});
