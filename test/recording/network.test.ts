import { describe, expect, test } from 'vitest';
import { cases, IS_DEEP } from '#test/harness/cases.ts';
import { type Answers, recordOver, seeded, shuffled } from '#test/harness/recording-network.ts';
import { expectRunToBe, read } from '#test/harness/recording-readback.ts';
import {
  deliver,
  type Entry,
  INHERITED_TAGS,
  isUpload,
  loadRecording,
  loadReduced,
  loadReport,
  type Names,
  namesFor,
  replay,
} from '#test/harness/recording-replay.ts';
import { testsOfReport } from '#test/harness/recording-report.ts';
import { kindsOf, type Row, rowsOfRun } from '#test/harness/recording-rows.ts';
import { clock, service, type Tenant, type TestService } from '#test/harness/service.ts';

type Setting = TestService & Tenant;

const rows = ({ environment }: Setting, names: Names): Promise<Row[]> =>
  rowsOfRun(environment, names.get('runId') ?? 'none');

/** Reads the run and all its instances from the API. */
async function reads({ api }: Setting, names: Names): Promise<unknown[]> {
  const run = await read(api, `/runs/${names.get('runId')}`);
  const instances = run.specs.map(({ instanceId }: { instanceId: string }) => read(api, `/instances/${instanceId}`));
  return [run, ...(await Promise.all(instances))];
}

async function counters({ api }: Setting, names: Names) {
  const { status, completionState, durationMs, groups } = await read(api, `/runs/${names.get('runId')}`);
  return { status, completionState, durationMs, groups };
}

/**
 * The recorded spec files that the tests use. Together they have two groups, every kind of request except uploads, and
 * passed, flaky, failed and skipped tests. `npm run test:deep` adds a spec file with tests that time out.
 */
const WANTED = ['retail cart.spec.ts', 'wholesale price-import.spec.ts'];
if (IS_DEEP) WANTED.push('retail checkout/payment.spec.ts');
const wanted = ({ group, spec }: { group: string; spec: string }) => WANTED.includes(`${group} ${spec}`);

const whole = async () => (await loadRecording()).filter((entry) => !isUpload(entry));

async function replayed(entries: readonly Entry[]) {
  const setting = await service();
  const names = namesFor(setting, 'build-1');
  const first = await replay(setting.origin, entries, names);
  return { setting, names, entries, first };
}

let shared: ReturnType<typeof replayed> | undefined;
/** The tests share one recorded run, because repeated requests do not change it. */
const recorded = () => (shared ??= loadReduced(wanted).then(replayed));

describe('Requests that are delivered twice', () => {
  test('Requests get identical answers and write nothing when they are delivered again in another order', async () => {
    const { setting, names, entries, first } = IS_DEEP ? await replayed(await whole()) : await recorded();
    const before = { rows: await rows(setting, names), reads: await reads(setting, names) };
    const again: unknown[] = [];
    for (const [number, entry] of shuffled([...entries.entries()], seeded(7))) {
      again[number] = await deliver(setting.origin, entry, names);
    }
    expect(again).toEqual(first);
    expect({ rows: await rows(setting, names), reads: await reads(setting, names) }).toEqual(before);
  });

  test('Requests change nothing when all of them are repeated in order, even a day later', async () => {
    const { setting, names, entries, first } = await recorded();
    const before = await rows(setting, names);
    expect(await replay(setting.origin, entries, names)).toEqual(first);
    expect(await rows(setting, names)).toEqual(before);
    clock.advance(24 * 3_600_000);
    await replay(setting.origin, entries, names);
    expect(await rows(setting, names)).toEqual(before);
  });
});

describe('Requests over an unreliable network', () => {
  test('produce the same rows and counters as over a reliable network, and repeated requests get equal answers', async () => {
    const { setting, names: quiet, entries } = await recorded();
    const expected = testsOfReport(await loadReport(), INHERITED_TAGS).filter(wanted);
    await expectRunToBe(setting, quiet.get('runId') ?? '', expected);
    const oracle = { rows: await rows(setting, quiet), ...(await counters(setting, quiet)) };
    for (let seed = 1; seed <= SEEDS; seed += 1) {
      const names = namesFor(setting, `seed-${seed}`);
      const network = { loss: 0.3, copies: 0.3, atOnce: 4, random: seeded(seed) };
      const answers = await recordOver(network, { origin: setting.origin, entries, names });
      expect(answers.filter(isUnequal), `answers of seed ${seed}`).toEqual([]);
      const found = { rows: await rows(setting, names), ...(await counters(setting, names)) };
      expect(kindsOf(found.rows), `rows of seed ${seed}`).toEqual(kindsOf(oracle.rows));
      expect(found, `seed ${seed}`).toEqual(oracle);
    }
  });
});

/** The number of simulated networks. `npm run test:deep` tries a hundred. */
const SEEDS = Math.min(cases(20, 1), 100);

const isUnequal = (answers: Answers) =>
  answers.length === 0 || answers.some(({ status, body }) => status !== 200 || body !== answers[0]?.body);
