/** Measures the cost of rules: what a test runner reads, the lists that people read, and what a matched test writes. */
import * as z from 'zod';
import { sweepAnalytics } from '#shared/analytics/sweep-analytics.ts';
import { put } from '#shared/engine/table/writes.ts';
import { affectedTests } from '#shared/model/rules/affected-test.ts';
import { recordRun } from '#test/harness/recording.ts';
import { passed } from '#test/harness/recording-messages.ts';
import { marksOf } from '#test/harness/rule-marks.ts';
import type { BenchService } from './bench-service.ts';
import type { Measurement } from './budgets.ts';
import { tripsOf } from './reading.ts';

const RULES = 80;
const EXECUTIONS = 500;
const TEST = 'pay.spec.ts > pays';
const Created = z.object({ data: z.object({ actionId: z.string() }) });

const Affected = z.object({ data: z.object({ total: z.int() }) });
/** The size of the history of affected tests: runs, tests per run, and tests per run that a rule matched. */
const RUNS = 12;
const TESTS = 250;
const MARKED = 50;
const SWEEP_MILLISECONDS = 300_000;

const ruleOf = (number: number) => ({
  name: `Flaky test ${number}`,
  action: [{ op: 'quarantine' }],
  matcher: { op: 'AND', cond: [{ type: 'title', op: 'eq', value: `keeps article ${number}` }] },
  expiresAfter: '2199-01-01T00:00:00Z',
});

export async function measureRules(service: BenchService): Promise<Measurement[]> {
  const { api, projectId, counted } = service;
  const create = async (number: number) => api.post(`/actions?projectId=${projectId}`, ruleOf(number));
  const { actionId } = Created.parse((await create(0)).body).data;
  for (let number = 1; number < RULES; number += 1) await create(number);
  const created = await counted(() => create(RULES));
  const served = await counted(() => api.get(`@/rules/project/${projectId}`));
  const listed = await counted(() => api.get(`/actions?projectId=${projectId}`));
  await storeExecutions(service, actionId);
  const range = `date_start=2026-01-01&date_end=2199-01-01`;
  const page = await counted(() => api.get(`/actions/${actionId}/tests?${range}&limit=25`));
  const plain = await recorded(service, 'plain', {});
  const marked = await recorded(service, 'marked', marks(actionId));
  await recordHistory(service, actionId);
  const affected = await counted(() => api.get(`/actions/tests?projectId=${projectId}&${aroundNow()}&limit=25`));
  const { total } = Affected.parse(affected.result.body).data;
  if (total !== MARKED + 1) throw new Error(`The list has ${total} affected tests, expected ${MARKED + 1}`);
  return [
    { name: 'rulesServed', measured: served.cost.readUnits, note: `${RULES + 1} rules` },
    { name: 'rulesListed', measured: listed.cost.readUnits, note: `${RULES + 1} rules, ${tripsOf(listed.cost)}` },
    { name: 'ruleWritten', measured: created.cost.writeUnits },
    { name: 'ruleExecutions', measured: page.cost.readUnits, note: tripsOf(page.cost) },
    { name: 'affectedTestsPage', measured: affected.cost.readUnits, note: tripsOf(affected.cost) },
    { name: 'ruleMatchWritten', measured: marked - plain },
  ];
}

const marks = (actionId: string) => ({ annotations: marksOf({ actionId, type: 'quarantine' }) });

/** The write units of a run with one test. */
async function recorded(service: BenchService, ciBuildId: string, state: object): Promise<number> {
  const { cost } = await service.counted(() =>
    recordRun(service, { retail: { tests: { [TEST]: passed(state) } } }, { ciBuildId }),
  );
  return cost.writeUnits;
}

const DAY_MILLISECONDS = 24 * 3_600_000;

function aroundNow(): string {
  const [start, end] = [-1, 1].map((days) => new Date(Date.now() + days * DAY_MILLISECONDS).toISOString());
  return `date_start=${start}&date_end=${end}`;
}

/** Records the history, and runs the sweep that computes its totals. */
async function recordHistory(service: BenchService, actionId: string): Promise<void> {
  const tests = Object.fromEntries(
    Array.from({ length: TESTS }, (_, index) => [
      `file-${index % 10}.spec.ts > test ${index}`,
      passed(index < MARKED ? marks(actionId) : {}),
    ]),
  );
  for (let number = 0; number < RUNS; number += 1)
    await recordRun(service, { retail: { tests } }, { ciBuildId: `history ${number}` });
  await sweepAnalytics(service.services, { remainingMilliseconds: () => SWEEP_MILLISECONDS });
}

async function storeExecutions({ services, organizationId, projectId }: BenchService, actionId: string): Promise<void> {
  const options = {
    organizationId,
    projectId,
    actionId,
    spec: 'pay.spec.ts',
    title: ['pays'],
    testId: 't',
    groupId: 'retail',
  };
  const rows = Array.from({ length: EXECUTIONS }, (_, index) =>
    put(affectedTests, {
      ...options,
      recordedAt: Date.now() - index * 1000,
      recordId: index.toString(16).padStart(44, '0'),
      types: ['quarantine'],
      signature: '0'.repeat(32),
      branch: 'main',
      outcome: 'pending',
      flaky: false,
      expiresAt: undefined,
    }),
  );
  await services.table.writeMany(rows);
}
