/** Runs a suite with the published `pwc-p` on several machines. Each machine is a process group. */
import { createServer } from 'node:http';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { bind, getPort, LOCALHOST } from '#infra/local/host/loopback.ts';
import { readLastMessageTime } from '#shared/lifecycle/last-report.ts';
import { instances } from '#shared/model/results/instance.ts';
import { IS_DEEP } from '#test/harness/cases.ts';
import { read } from '#test/harness/recording-readback.ts';
import { service } from '#test/harness/service.ts';
import { endOf, killGroup, startGroup, temporaryFolder } from '#test/infra/local/child.ts';
import { environment } from './programs.ts';
import { proxyOf } from './sent-results.ts';

const PROJECT = join(import.meta.dirname, '../..');
const PWCP = 'node_modules/@currents/playwright/dist/bin/pwc-p.js';
/**
 * The spec files: four in `npm test`, and six in `npm run test:deep`. There are more spec files than machines, so that
 * a machine gets several tasks.
 */
const NAMES = ['apples', 'bread', 'cheese', 'dates', ...(IS_DEEP ? ['eggs', 'figs'] : [])];
const FILES = NAMES.map((name) => `${name}.spec.ts`);
/**
 * The two jumps of the clock, in milliseconds. The service treats a killed machine as crashed only after the second
 * jump.
 */
const SILENCES = [100_000, 30_000] as const;

/** Starts a server that the tests of the sample suite poll until it lets their machine continue. */
async function gate() {
  const open = new Set<string>();
  const server = createServer(({ url = '' }, response) => {
    response.writeHead(open.has(url.slice(1)) ? 200 : 409).end();
  });
  await bind(server, 0);
  onTestFinished(() => void server.close());
  return { url: `http://${LOCALHOST}:${getPort(server)}`, open };
}

async function setting(ciBuildId: string) {
  vi.useRealTimers();
  const tenant = await service();
  vi.useRealTimers();
  const proxy = await proxyOf(tenant.origin);
  const entrance = await gate();
  const folder = await temporaryFolder();
  const path = `${join(PROJECT, 'node_modules/.bin')}:${dirname(process.execPath)}:${process.env['PATH']}`;
  const machine = (machineId: string) => {
    const reporter = join(PROJECT, 'test/samples/playwright/wait-until-sent.ts');
    const suite = ['--config', 'test/samples/orchestration', '--output', join(folder, machineId)];
    const child = startGroup([PWCP, 'run', ...suite, '--reporter', reporter], {
      ...environment({ ...tenant, origin: proxy.origin }, ciBuildId),
      ...proxy.env,
      PATH: path,
      GATE_URL: entrance.url,
      SPEC_FILES: `**/{${NAMES}}.spec.ts`,
      CURRENTS_MACHINE_ID: machineId,
    });
    return { child, ended: endOf(child) };
  };
  const specs = async (): Promise<{ spec: string; machineId: string; instanceId: string }[]> => {
    const query = `projectId=${tenant.projectId}&ciBuildId=${ciBuildId}`;
    const found = await tenant.api.get(`/runs/find?${query}`);
    return found.status === 200 ? found.body.data.specs : [];
  };
  return { tenant, entrance, machine, specs };
}

type Setting = Awaited<ReturnType<typeof setting>>;

const found = ({ tenant }: Setting, ciBuildId: string) =>
  read(tenant.api, `/runs/find?projectId=${tenant.projectId}&ciBuildId=${ciBuildId}`);

/** Returns the time of the latest message about each spec file that these machines are running. */
async function heard({ tenant, specs }: Setting, machineIds: readonly string[]): Promise<number[]> {
  const { services, organizationId } = tenant;
  const own = (await specs()).filter(({ machineId }) => machineIds.includes(machineId));
  const rows = own.map(({ instanceId }) =>
    services.table.get(instances, { organizationId, runId: instanceId.slice(0, 16), instanceId }),
  );
  const known = (await Promise.all(rows)).flatMap((instance) => instance ?? []);
  return Promise.all(known.map((instance) => readLastMessageTime(services.table, instance)));
}

test('If one of three machines is killed, `pwc-p` on another machine takes over the spec file of the killed machine, and each spec file is recorded once', async () => {
  const stage = await setting('killed');
  const { tenant, entrance, machine, specs } = stage;
  const [doomed, ...living] = [machine('doomed'), machine('m1'), machine('m2')];
  const busy = async () => new Set((await specs()).map(({ machineId }) => machineId).filter(Boolean)).size;
  await expect.poll(busy).toBe(3);
  await expect.poll(async () => (await heard(stage, ['doomed'])).every((at) => at > 0)).toBe(true);
  killGroup(doomed.child);
  await doomed.ended;
  const lost = (await specs()).filter(({ machineId }) => machineId === 'doomed').map(({ spec }) => spec);
  expect(lost).toHaveLength(1);
  // Advances the clock, and waits until the machines that are still running have reported. Only then may a machine ask
  // for a task.
  const later = Date.now() + SILENCES[0];
  vi.useFakeTimers({ toFake: ['Date'], now: later });
  await expect.poll(async () => (await heard(stage, ['m1', 'm2'])).every((at) => at >= later)).toBe(true);
  for (const machineId of ['m1', 'm2']) entrance.open.add(machineId);
  // Only the spec file of the killed machine is left, so the service tells the other machines to wait.
  const done = async () => (await found(stage, 'killed')).groups[0].instances.complete;
  await expect.poll(done).toBe(FILES.length - 1);
  vi.setSystemTime(later + SILENCES[1]);
  const ended = await Promise.all(living.map((one) => one.ended));
  const outputs = ended.map(({ output }) => output).join('\n');
  expect(
    ended.map(({ status }) => status),
    outputs,
  ).toEqual([0, 0]);
  const all = await specs();
  expect(all.map(({ spec }) => spec).sort()).toEqual(FILES);
  expect(all.filter(({ machineId }) => !['m1', 'm2'].includes(machineId))).toEqual([]);
  const run = await found(stage, 'killed');
  expect(run).toMatchObject({ completionState: 'COMPLETE', status: 'PASSED' });
  const count = FILES.length;
  expect(run.groups).toMatchObject([{ tests: { overall: count, passes: count }, instances: { complete: count } }]);
  for (const { instanceId, spec } of all) {
    const { claimList, results } = await read(tenant.api, `/instances/${instanceId}`);
    expect({ spec, claims: claimList?.length ?? 1, tests: results.tests.length }).toEqual({
      spec,
      claims: 1,
      tests: 1,
    });
  }
  expect(outputs).toContain('Orchestration session finished');
  expect(outputs).toContain('Next attempt is in 3s');
  expect(outputs).toContain(lost[0]);
});
